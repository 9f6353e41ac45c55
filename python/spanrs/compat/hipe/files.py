"""Files of HIPE: a header, a line of cells for each token, and comments with the metadata of documents."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from spanrs.errors import AlignmentError, FormatError
from spanrs.io.encodings import recoded

METADATA = re.compile(r"#\s*(?:([\w.-]+):)?([\w .-]+?)\s*=\s*(.*)")
DISTANCE = re.compile(r"LED(\d+(?:\.\d+)?)")
#: Cells without an annotation.
OUTSIDE = frozenset({"O", "_", "-", ""})

#: Prefix and type in upper case; both are empty for cells without an annotation.
Tag = tuple[str, str]


class Token(NamedTuple):
    """A line with a token: its number in the file from 1, and its cells."""

    line: int
    cells: list[str]


@dataclass
class Document:
    """A document: metadata, and the indices of the tokens of each segment.

    Metadata have the keys of the file, with and without the part before the colon: ``hipe2022:date`` and ``date``.
    ``place`` is the file and the line of the first token.
    """

    place: str
    metadata: dict[str, str] = field(default_factory=dict)
    segments: list[list[int]] = field(default_factory=list)

    @cached_property
    def date(self) -> datetime.date:
        """The date of the document; raises FormatError if there is none."""
        name, text = self.metadata.get("document_id", ""), self.metadata.get("date")
        if text is None:
            raise FormatError(f"{self.place}: document {name!r} has no date")
        try:
            return datetime.date.fromisoformat(text[:10])
        except ValueError:
            message = f"the date of document {name!r} is {text!r}, not of the form 1908-06-23"
            raise FormatError(f"{self.place}: {message}") from None


class File:
    """A file of HIPE.

    Parameters
    ----------
    path : path
        A UTF-8 file. A line that begins with ``#`` and has no other cells is a comment. ``# document_id = NAME``, also
        with a prefix as in ``# hipe2022:document_id = NAME``, begins a document together with the comments beside it;
        a comment that begins with ``# segment`` begins a segment.

    Attributes
    ----------
    tokens : list of Token
        All tokens.
    documents : list of Document
        The documents; segments are lists of indices of ``tokens``.

    Raises
    ------
    FormatError
        If the file is not UTF-8, there is no header with the column ``TOKEN`` before the first token, or a line has too
        few or too many cells.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = fspath(path)
        self.header: list[str] = []
        self.tokens: list[Token] = []
        self.documents: list[Document] = []
        self._tags: dict[str, list[Tag]] = {}
        self._types: dict[str, set[str]] = {}
        self._read(text_of(self.path).split("\n"))
        if not self.header:
            raise FormatError(f"{self.path}: the file is empty")

    def _read(self, lines: Iterable[str]) -> None:
        metadata: dict[str, str] = {}
        is_new_segment = False
        for number, line in enumerate(lines, start=1):
            cells = line.rstrip("\r").split("\t")
            if not any(cells):
                continue
            if cells[0].startswith("#") and not any(cells[1:]):
                is_new_segment |= cells[0].startswith("# segment")
                metadata |= _metadata(cells[0])
            elif not self.header:
                if cells[0] != "TOKEN":
                    message = "there is no header before the first token; it begins with TOKEN and a tab"
                    raise self._error(number, message)
                self.header = cells
            else:
                self._add(Token(number, cells), metadata, is_new_segment)
                metadata, is_new_segment = {}, False

    def _add(self, token: Token, metadata: dict[str, str], is_new_segment: bool) -> None:
        """Store a token, and the comments before it."""
        if len(token.cells) != len(self.header):
            message = f"the header has {len(self.header)} columns, but this line has {len(token.cells)}"
            raise self._error(token.line, message)
        if token.cells == self.header:
            raise self._error(token.line, "the header is repeated; remove it")
        if not token.cells[0]:
            raise self._error(token.line, "the token is empty")
        if not self.documents or "document_id" in metadata:
            self.documents.append(Document(f"{self.path}:{token.line}"))
        document = self.documents[-1]
        document.metadata |= metadata
        if not document.segments or is_new_segment:
            document.segments.append([])
        document.segments[-1].append(len(self.tokens))
        self.tokens.append(token)

    def _error(self, line: int, message: str) -> FormatError:
        return FormatError(f"{self.path}:{line}: {message}")

    def tags(self, column: str) -> list[Tag]:
        """Return the tags of all tokens in a column.

        Raises
        ------
        FormatError
            If the column is missing, or a cell is not a tag.
        """
        if column not in self._tags:
            if column not in self.header:
                message = f"there is no column {column!r}; it has {', '.join(self.header)}"
                raise FormatError(f"{self.path}: {message}")
            at = self.header.index(column)
            self._tags[column] = [self._tag(token, at) for token in self.tokens]
        return self._tags[column]

    def types(self, column: str) -> set[str]:
        """Return the types in a column; raises FormatError as :meth:`tags`."""
        if column not in self._types:
            self._types[column] = {label for _, label in self.tags(column)} - {""}
        return self._types[column]

    def _tag(self, token: Token, column: int) -> Tag:
        cell = token.cells[column].upper()
        if cell in OUTSIDE:
            return "", ""
        prefix, hyphen, label = cell.partition("-")
        if not hyphen or len(prefix) != 1 or not label or "|" in label:
            message = f"{token.cells[column]!r} in column {self.header[column]} is not a tag such as B-loc"
            raise self._error(token.line, message)
        return prefix, label

    @cached_property
    def distances(self) -> list[float | None]:
        """The Levenshtein distance of each token in the column ``MISC``, or None."""
        if "MISC" not in self.header:
            return [None] * len(self.tokens)
        at = self.header.index("MISC")
        matches = (DISTANCE.search(token.cells[at]) for token in self.tokens)
        return [float(match[1]) if match else None for match in matches]


def text_of(path: str) -> str:
    """Return the text of a UTF-8 file without a byte order mark; raises FormatError with the line."""
    return recoded(Path(path).read_bytes(), path, "utf-8").decode("utf-8-sig")


def _metadata(comment: str) -> dict[str, str]:
    match = METADATA.fullmatch(comment)
    if match is None:
        return {}
    prefix, key, value = match.groups()
    return {key: value} if prefix is None else {key: value, f"{prefix}:{key}": value}


def check_alignment(gold: File, pred: File) -> None:
    """Raise AlignmentError unless both files have the same tokens and, if pred has any, the same documents."""
    for gold_token, pred_token in zip(gold.tokens, pred.tokens, strict=False):
        if gold_token.cells[0] != pred_token.cells[0]:
            message = f"the token is {pred_token.cells[0]!r}, but {gold_token.cells[0]!r} in"
            raise AlignmentError(f"{pred.path}:{pred_token.line}: {message} {gold.path}:{gold_token.line}")
    if len(pred.tokens) != len(gold.tokens):
        message = f"{pred.path} has {len(pred.tokens)} tokens, but {gold.path} has {len(gold.tokens)}"
        shorter, longer = sorted((gold, pred), key=lambda file: len(file.tokens))
        rest = longer.tokens[len(shorter.tokens)]
        raise AlignmentError(
            f"{message}; the first that is missing is {rest.cells[0]!r} in {longer.path}:{rest.line}"
        )
    if len(pred.documents) > 1 and _starts(pred) != _starts(gold):
        message = f"{pred.path} has {len(pred.documents)} documents, but {gold.path} has"
        raise AlignmentError(f"{message} {len(gold.documents)}, or they begin with other tokens")


def _starts(file: File) -> list[int]:
    return [document.segments[0][0] for document in file.documents]
