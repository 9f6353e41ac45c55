"""Column files read in chunks of sentences, with the lines they came from.

The lines are checked, and cut into sentences, by the reader of all commands (``spanrs_io::ColumnReader``). What is done
here is to hand it a file piece by piece, so that memory does not grow with the file, and to keep the lines.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

from spanrs import _spanrs
from spanrs.cli import console
from spanrs.errors import FormatError, SpanrsError, with_code
from spanrs.io import Columns
from spanrs.tags.types import Dialect

#: Bytes of a chunk; it ends with a sentence.
CHUNK = 1 << 20
#: The columns of CoNLL-U (https://universaldependencies.org/format.html).
CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
FORM, MISC = 1, 9

_BOM = b"\xef\xbb\xbf"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_BOUNDARY = re.compile(rb"\n[ \t]*\r?\n")
_FIELD = re.compile(rb"[^ \t]+")
_SEPARATORS = {"whitespace": None, "tab": b"\t", "space": b" "}


class Place(NamedTuple):
    """A column of a file; for CoNLL-U it may be a key of MISC."""

    number: int
    """From 0."""
    key: str | None = None


class Chunk(NamedTuple):
    """Consecutive lines that end with a sentence."""

    lines: list[bytes]
    """With their line ends."""
    sentences: list[list[int]]
    """Indices of the token lines of each sentence."""
    before: int
    """Number of lines of the file before the chunk."""


class _Named(io.BytesIO):
    name: str


class ColumnFile:
    """A column file.

    Parameters
    ----------
    path : str
        ``-`` is standard input.
    columns : Columns
        Where things stand.
    tagged : bool
        Whether the file must have the column of tags.
    """

    def __init__(self, path: str, columns: Columns, *, tagged: bool) -> None:
        self.path = path
        self.name = "<stdin>" if path == "-" else path
        self.conllu = False
        #: Number of columns.
        self.count = 0
        #: Separator between columns; None for runs of white space.
        self.separator: bytes | None = None
        self.byte_order_mark = b""
        #: What looks wrong in the file.
        self.warnings: list[str] = []
        self._columns, self._tagged = columns, tagged
        self._later: Columns | None = None

    def chunks(self) -> Iterator[Chunk]:
        """Give the file in chunks; before the first, :attr:`count` and others are not known.

        Raises
        ------
        OSError
            If the file cannot be read.
        spanrs.errors.FormatError, spanrs.errors.LimitError
            If it is no column file; with the line.
        """
        before, pending = 0, b""
        for block, last in _with_last(self._blocks()):
            data = pending + block
            try:
                rows = self._first_rows(data, before) if self._later is None else self._rows(data, before)
            except SpanrsError as error:
                # There may be comments for longer than a chunk, or no word with the key of the tag.
                missing = error.code == "empty" or "no word has the key" in str(error)
                if self._later is None:
                    if missing and not last:
                        pending = data
                        continue
                    raise
                if error.code == "no_column" and error.line is not None:
                    found = len(self.fields(data.split(b"\n")[error.line - before - 1]))
                    raise self._ragged(error.line, found) from None
                if error.code != "empty":
                    raise
                rows = []
            pending = b""
            parts = data.split(b"\n")
            lines = [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
            if rows and self._later is None:
                self._set_layout(lines[rows[0][0] - 1], before + rows[0][0])
            sentences = [self._token_lines(lines, first - 1, tokens) for first, tokens in rows]
            for sentence in sentences[:1]:
                found = len(self.fields(lines[sentence[0]]))
                if found != self.count:
                    raise self._ragged(before + sentence[0] + 1, found)
            yield Chunk(lines, sentences, before)
            before += len(parts) - 1

    def fields(self, line: bytes) -> list[bytes]:
        """Cut a line into its fields."""
        body = split_end(line)[0]
        return _FIELD.findall(body) if self.separator is None else body.split(self.separator)

    def place(self, column: int | str) -> Place:
        """Find a column that was named by its number or, in CoNLL-U, by its name or a key of MISC."""
        if self.conllu:
            if isinstance(column, str):
                upper = column.upper()
                return Place(CONLLU.index(upper)) if upper in CONLLU else Place(MISC, column)
            if column == -1:
                return Place(MISC)
        elif isinstance(column, str):
            message = f"no column {column!r}: columns have names only in CoNLL-U; give its number, from 0"
            raise self.error(None, message, "no_column")
        index = column + self.count if column < 0 and not self.conllu else column
        if not 0 <= index < self.count:
            raise self.error(None, f"no column {column}: there {_are(self.count)}", "no_column")
        return Place(index)

    def token_place(self) -> Place:
        """Find the column of the tokens; in CoNLL-U 0 means FORM."""
        if self.conllu and self._columns.token == 0:
            return Place(FORM)
        return self.place(self._columns.token)

    def error(self, line: int | None, message: str, code: str = "ragged_columns") -> FormatError:
        """Make an error that is located in the file."""
        where = self.name if line is None else f"{self.name}:{line}"
        return with_code(FormatError(f"{where}: {message}"), code, self.name, line)

    def _ragged(self, line: int, found: int) -> FormatError:
        return self.error(line, f"{_many(found)} where the first token line has {self.count}")

    def with_field(self, line: bytes, place: Place | None, value: str) -> bytes:
        """Give a line with a field replaced; None adds a column."""
        body, end = split_end(line)
        new = value.encode()
        if place is None:
            if self.separator is None:
                return body.rstrip(b" \t") + (b"\t" if self.count == 1 else b" ") + new + end
            return body + self.separator + new + end
        if self.separator is None:
            start, stop = [match.span() for match in _FIELD.finditer(body)][place.number]
            return body[:start] + new + body[stop:] + end
        fields = body.split(self.separator)
        if place.key is None:
            fields[place.number] = new
        else:
            fields[place.number] = _with_key(fields[place.number], place.key.encode(), new)
        return self.separator.join(fields) + end

    def _first_rows(self, data: bytes, before: int) -> list[tuple[int, int]]:
        """Find sentences and whether the file is CoNLL-U; what is no column file is refused."""
        columns = self._columns
        try:
            rows = self._rows(data, before, columns._replace(tag="UPOS"))
            self.conllu = True
        except FormatError as error:
            # Columns have names in CoNLL-U only.
            if error.code != "no_column":
                raise
        if self._tagged:
            rows = self._rows(data, before, columns, warn=True)
        elif not self.conllu:
            try:
                rows = self._rows(data, before, columns._replace(tag=-1), warn=True)
            except FormatError as error:
                # The last column may be that of the tokens.
                if error.code != "no_column":
                    raise
                rows = self._rows(data, before, columns._replace(tag=0))
            # Other warnings are about tags.
            self.warnings = [message for message in self.warnings if "holds their numbers" in message]
        return rows

    def _rows(
        self, data: bytes, before: int, columns: Columns | None = None, *, warn: bool = False
    ) -> list[tuple[int, int]]:
        """Give the line of the first token (in the data, from 1) and the number of tokens of each sentence."""
        source, out = _Named(data), io.BytesIO()
        source.name = self.name
        options = (columns or self._later or self._columns).as_options()
        try:
            # Under TOKEN a tag may be anything.
            found = _spanrs.spans_file(source, out, options, ("TOKEN", "conlleval", Dialect()), None)
        except SpanrsError as error:
            if error.line is not None and before:
                old, error.line = f"{self.name}:{error.line}", error.line + before
                error.args = (str(error).replace(old, f"{self.name}:{error.line}", 1),)
            raise
        if warn:
            self.warnings += found
        rows = map(json.loads, out.getvalue().splitlines())
        return [(row["line"], len(row["tokens"])) for row in rows]

    def _set_layout(self, line: bytes, number: int) -> None:
        """Note separator and columns, so that later chunks are read as the first."""
        given = self._columns.separator
        if self.conllu:
            self.separator = b"\t"
        elif given == "auto":
            self.separator = b"\t" if b"\t" in line else None
        else:
            self.separator = _SEPARATORS.get(given, given.encode())
        self.count = len(self.fields(line))
        try:
            token = self.token_place().number
        except FormatError as error:
            raise self.error(number, str(error).split(": ", 1)[1], "no_column") from None
        names = {value: name for name, value in _SEPARATORS.items()}
        self._later = self._columns._replace(
            format="conllu" if self.conllu else "columns",
            separator="tab" if self.conllu else names.get(self.separator, given),
            token=self._columns.token if self.conllu else token,
            # Any other column: its values are not used.
            tag="UPOS" if self.conllu else int(token == 0 and self.count > 1),
        )

    def _token_lines(self, lines: list[bytes], at: int, tokens: int) -> list[int]:
        comments = self._columns.comments
        prefix = None if comments in ("auto", "none", "") else comments.encode()
        if prefix is None and not self.conllu:
            return list(range(at, at + tokens))
        found: list[int] = []
        while len(found) < tokens:
            line = lines[at]
            skipped = prefix is not None and line.startswith(prefix)
            # Ranges (3-4) and empty nodes (3.1) are no tokens.
            if not skipped and (not self.conllu or line.split(b"\t", 1)[0].isdigit()):
                found.append(at)
            at += 1
        return found

    def _blocks(self) -> Iterator[bytes]:
        """Give the bytes of the file, uncompressed, in pieces that end behind an empty line."""
        with self._opened() as file:
            rest = b""
            start = True
            while data := self._read(file, max(CHUNK, len(rest))):
                if start and data.startswith(_BOM):
                    self.byte_order_mark, data = _BOM, data[len(_BOM) :]
                start = False
                rest += data
                end = max(rest.rfind(b"\n\n") + 2, rest.rfind(b"\n\r\n") + 3)
                if end < 4:
                    end = max((match.end() for match in _BOUNDARY.finditer(rest)), default=0)
                if end:
                    yield rest[:end]
                    rest = rest[end:]
            yield rest

    def _read(self, file: IO[bytes], size: int) -> bytes:
        import zlib
        from gzip import BadGzipFile

        try:
            return file.read(size)
        except (EOFError, BadGzipFile, zlib.error) as error:
            raise self.error(None, f"damaged gzip data ({error})", "compression") from None

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        source = console.source(self.path)
        with open(self.path, "rb") if isinstance(source, str) else _kept_open(source) as raw:
            head = raw.peek(4)[:4] if isinstance(raw, io.BufferedReader) else b""
            if head.startswith(_GZIP):
                import gzip

                with gzip.GzipFile(fileobj=raw) as file:
                    yield file  # type: ignore[misc]  # has what is used of IO[bytes]
            elif head == _ZSTD:
                import tempfile

                # Python has no decoder of zstd before 3.14; ours takes paths.
                with tempfile.TemporaryDirectory() as folder:
                    copy = Path(folder, "copy.zst")
                    copy.write_bytes(raw.read())
                    yield io.BytesIO(_spanrs.Source(copy, False).contents())
            else:
                yield raw


@contextmanager
def _kept_open(stream: object) -> Iterator[IO[bytes]]:
    yield stream  # type: ignore[misc]  # standard input


def split_end(line: bytes) -> tuple[bytes, bytes]:
    """Split a line from its line end."""
    body = (
        line.removesuffix(b"\n").removesuffix(b"\r") if line.endswith(b"\n") else line.removesuffix(b"\r")
    )
    return body, line[len(body) :]


def value_at(fields: list[bytes], place: Place) -> str | None:
    """Give the value of a column; None where CoNLL-U does not have the key."""
    field = fields[place.number]
    if place.key is not None:
        start = place.key.encode() + b"="
        found = (part[len(start) :] for part in field.split(b"|") if part.startswith(start))
        field = next(found, b"")
        if not field:
            return None
    return field.decode()


def _with_key(misc: bytes, key: bytes, value: bytes) -> bytes:
    """Set a key of MISC; ``O`` is not written where there is no key yet, because that is what its absence means."""
    parts = [part for part in misc.split(b"|") if part not in (b"_", b"")]
    own = [at for at, part in enumerate(parts) if part.startswith(key + b"=")]
    if own:
        parts[own[0]] = key + b"=" + value
    elif value != b"O":
        parts.append(key + b"=" + value)
    return b"|".join(parts) or b"_"


def _with_last(blocks: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Give each block, and whether it is the last."""
    block = next(blocks)
    for following in blocks:
        yield block, False
        block = following
    yield block, True


def _many(columns: int) -> str:
    return f"{columns} column{'s' if columns != 1 else ''}"


def _are(columns: int) -> str:
    return "is one column (column 0)" if columns == 1 else f"are {columns} (0 to {columns - 1})"
