"""Files of HIPE: a header, a line of cells for each token, and comments with the metadata of documents."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import NamedTuple

from spanrs.errors import AlignmentError, FormatError

METADATA = re.compile(r"#\s*(?:([\w.-]+):)?([\w .-]+?)\s*=\s*(.*)")
DISTANCE = re.compile(r"LED(\d+(?:\.\d+)?)")
#: Cells without an annotation.
OUTSIDE = frozenset({"O", "_", "-", ""})


class Token(NamedTuple):
    """A line with a token: its number in the file from 1, and its cells."""

    line: int
    cells: list[str]


@dataclass
class Document:
    """A document: metadata, and tokens in segments.

    Metadata have the keys of the file, with and without the part before the colon: ``hipe2022:date`` and ``date``.
    """

    metadata: dict[str, str] = field(default_factory=dict)
    segments: list[list[Token]] = field(default_factory=lambda: [[]])

    def date(self) -> datetime.date:
        """Return the date of the document; raises ValueError if there is none."""
        try:
            return datetime.date.fromisoformat(self.metadata["date"][:10])
        except (KeyError, ValueError):
            name = self.metadata.get("document_id", "")
            raise ValueError(f"document {name!r} has no date of the form 1908-06-23") from None


class File:
    """A file of HIPE.

    Parameters
    ----------
    path : path
        A UTF-8 file. A comment with a key that ends with ``document_id`` begins a document, one with ``segment`` a
        segment; a line that begins with ``#`` and has several cells is a token.

    Raises
    ------
    FormatError
        If there is no header with the column ``TOKEN`` before the first token, or a line has too few or too many cells.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = fspath(path)
        self.header: list[str] = []
        self.documents: list[Document] = []
        with open(self.path, encoding="utf-8-sig", newline="\n") as lines:
            self._read(lines)
        if not self.header:
            raise FormatError(f"{self.path}: the file is empty")

    def _read(self, lines: Iterable[str]) -> None:
        document = Document()
        for number, line in enumerate(lines, start=1):
            cells = line.rstrip("\r\n").split("\t")
            if not cells[0]:
                if any(cells):
                    raise self._error(number, "the token is empty")
            elif cells[0].startswith("#") and len(cells) == 1:
                document = self._comment(cells[0], document)
            elif not self.header:
                if cells[0] != "TOKEN":
                    message = "there is no header before the first token; it begins with TOKEN"
                    raise self._error(number, message)
                self.header = cells
            elif len(cells) != len(self.header):
                message = f"the header has {len(self.header)} columns, but this line has {len(cells)}"
                raise self._error(number, message)
            else:
                document.segments[-1].append(Token(number, cells))
        self._end(document)

    def _error(self, line: int, message: str) -> FormatError:
        return FormatError(f"{self.path}:{line}: {message}")

    def _comment(self, comment: str, document: Document) -> Document:
        """Store the metadata of a comment; return the document to which the next tokens belong."""
        if comment.startswith("# segment") and document.segments[-1]:
            document.segments.append([])
        found = METADATA.fullmatch(comment)
        if found is None:
            return document
        space, key, value = found.groups()
        if key == "document_id" and document.segments[0]:
            self._end(document)
            document = Document()
        document.metadata[key] = value
        if space is not None:
            document.metadata[f"{space}:{key}"] = value
        return document

    def _end(self, document: Document) -> None:
        if not document.segments[-1]:
            document.segments.pop()
        if document.segments:
            self.documents.append(document)

    def column(self, name: str) -> int:
        """Return the index of a column; raises FormatError if it is missing."""
        try:
            return self.header.index(name)
        except ValueError:
            raise FormatError(
                f"{self.path}: there is no column {name!r}; it has {', '.join(self.header)}"
            ) from None

    def tag(self, token: Token, column: int) -> tuple[str, str]:
        """Return the prefix and the type of a cell in upper case; both are empty for cells without an annotation."""
        cell = token.cells[column].upper()
        if cell in OUTSIDE:
            return "", ""
        prefix, hyphen, label = cell.partition("-")
        if not hyphen or len(prefix) != 1 or not label or "|" in label:
            message = f"{token.cells[column]!r} in column {self.header[column]} is no tag such as B-loc"
            raise self._error(token.line, message)
        return prefix, label

    def distance(self, token: Token) -> float | None:
        """Return the Levenshtein distance in the column ``MISC``, or None."""
        if "MISC" not in self.header:
            return None
        found = DISTANCE.search(token.cells[self.header.index("MISC")])
        return float(found[1]) if found else None


def aligned(gold: File, pred: File) -> list[list[list[Token]]]:
    """Return the tokens of pred in the documents and segments of gold; raises AlignmentError if tokens differ."""
    tokens = [token for document in pred.documents for segment in document.segments for token in segment]
    expected = [token for document in gold.documents for segment in document.segments for token in segment]
    for ours, theirs in zip(expected, tokens, strict=False):
        if ours.cells[0] != theirs.cells[0]:
            message = f"the token is {theirs.cells[0]!r}, but {ours.cells[0]!r} in {gold.path}:{ours.line}"
            raise AlignmentError(f"{pred.path}:{theirs.line}: {message}")
    if len(tokens) != len(expected):
        raise AlignmentError(f"{pred.path} has {len(tokens)} tokens, but {gold.path} has {len(expected)}")
    if len(pred.documents) not in (1, len(gold.documents)):
        message = f"{pred.path} has {len(pred.documents)} documents, but {gold.path}"
        raise AlignmentError(f"{message} has {len(gold.documents)}")
    rest = iter(tokens)
    return [[[next(rest) for _ in segment] for segment in doc.segments] for doc in gold.documents]
