"""Tables in long form: a row for each token, in CSV files and data frames."""

from __future__ import annotations

import csv
import io
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from spanrs.errors import AlignmentError, FormatError, with_code
from spanrs.io.options import ReadOptions

#: Usual column names in the form of :func:`simple_name`, in order of preference.
TOKEN_NAMES = ("token", "tokens", "word", "words", "form", "text")
TAG_NAMES = ("tag", "tags", "ner", "nertag", "nertags", "label", "labels", "entity", "entities")
GOLD_NAMES, PRED_NAMES = ("gold",), ("pred",)
DOCUMENT_NAMES = ("document", "documentid", "doc", "docid", "file", "filename", "documentname", "docname")
SENTENCE_NAMES = (
    *(
        "sentence",
        "sentenceid",
        "sentenceidx",
        "sentenceindex",
        "sentencenumber",
        "sentenceno",
        "sentencenr",
    ),
    *("sent", "sentid", "sentidx", "sentindex", "sentnumber", "sentno", "sentnr", "sid"),
)
POSITION_NAMES = (
    "position",
    "tokenid",
    "tokenidx",
    "tokenindex",
    "tokennumber",
    "tokenno",
    "tokenposition",
)


class Row(NamedTuple):
    """A token of a table."""

    number: int
    """The row, from 0; in CSV files the line, from 1."""
    values: tuple[Any, ...]
    """Values of all columns; None for columns that are not read."""


class TokenRows(NamedTuple):
    """A sentence of a table in long form."""

    tokens: list[str] | None
    layers: dict[str, list[str]]
    document: str | None
    id: str | None
    number: int


@dataclass(frozen=True)
class LongForm:
    """Column layout of a table in long form: the index of each column, or None."""

    tags: dict[str, int]
    token: int | None = None
    document: int | None = None
    sentence: int | None = None
    position: int | None = None
    shown: str = "table"

    def columns(self) -> list[int]:
        """Return the places of all columns that are read."""
        places = (*self.tags.values(), self.token, self.document, self.sentence, self.position)
        return list(dict.fromkeys(place for place in places if place is not None))

    def sentences(self, rows: Iterable[Row | None]) -> Iterator[TokenRows]:
        """Group rows into sentences; None ends a sentence, like a blank line.

        Raises
        ------
        spanrs.errors.FormatError
            For a token, tag or document that is missing.
        spanrs.errors.AlignmentError
            Where a document goes on after another one has begun.
        """
        group: list[Row] = []
        key: tuple[Any, ...] | None = None
        ended: set[Any] = set()
        for row in rows:
            if row is None:
                yield from self._sentence(group, key)
                group = []
                continue
            own = self._key(row, key)
            if own != key:
                yield from self._sentence(group, key)
                group = []
                self._check_ended(own, key, ended, row)
                key = own
            group.append(row)
        yield from self._sentence(group, key)

    def _key(self, row: Row, before: tuple[Any, ...] | None) -> tuple[Any, ...]:
        """Return document and sentence of a row; empty cells repeat those of the row before."""
        names = []
        for at, place in enumerate((self.document, self.sentence)):
            name = None if place is None else row.values[place]
            if place is not None and is_null(name):
                name = None if before is None else before[at]
                if name is None:
                    what = "document" if at == 0 else "sentence"
                    raise self._error(row, f"the {what} is missing; name it in every row")
            names.append(name)
        return tuple(names)

    def _check_ended(
        self, own: tuple[Any, ...], before: tuple[Any, ...] | None, ended: set[Any], row: Row
    ) -> None:
        if before is not None:
            ended.add(before)
            if own[0] != before[0]:
                ended.add((before[0],))
        for name in (own, own[:1]):
            if name in ended and any(part is not None for part in name):
                message = (
                    f"{self.shown}: row {row.number}: {own[0] if own[0] is not None else own[1]!r} goes on after "
                    "another document or sentence has begun; put the rows of each together, in the order of the tokens"
                )
                raise with_code(AlignmentError(message), "documents")

    def _sentence(self, group: list[Row], key: tuple[Any, ...] | None) -> Iterator[TokenRows]:
        if not group:
            return
        if self.position is not None:
            group = self._ordered(group)
        tokens = None if self.token is None else [self._text(row, self.token, "token") for row in group]
        layers = {
            layer: [self._text(row, place, "tag") for row in group] for layer, place in self.tags.items()
        }
        document, name = (None if part is None else str(part) for part in key or (None, None))
        yield TokenRows(tokens, layers, document, name, group[0].number)

    def _ordered(self, group: list[Row]) -> list[Row]:
        """Sort rows by position; positions must be unique."""
        at: int = self.position  # type: ignore[assignment]  # there is one
        try:
            placed = {_position(row.values[at]): row for row in group}
        except (TypeError, ValueError):
            raise self._error(group[0], "a position is not an integer") from None
        if len(placed) < len(group):
            raise self._error(group[0], "two tokens have one position")
        return [placed[position] for position in sorted(placed)]

    def _text(self, row: Row, place: int, what: str) -> str:
        value = row.values[place]
        if is_null(value) or value == "":
            raise self._error(row, f"the {what} is missing")
        if not isinstance(value, str):
            raise self._error(row, f"the {what} is {value!r}, not a string")
        if what == "tag" and len(value.split()) > 1:
            message = (
                f"the tag {value!r} has a blank in it; a row is one token, or a sentence with lists of tags"
            )
            raise self._error(row, message)
        return value

    def _error(self, row: Row, message: str) -> FormatError:
        return with_code(FormatError(f"{self.shown}: row {row.number}: {message}"), "columns", self.shown)


def _position(value: Any) -> int:
    """Return a position, which is an integer or the digits of one.

    Raises
    ------
    TypeError, ValueError
    """
    return int(value) if isinstance(value, str) else operator.index(value)


def is_null(value: Any) -> bool:
    """Return whether a value is missing: None or NaN."""
    return value is None or value != value  # noqa: PLR0124 - only NaN differs from itself


def long_form(names: Sequence[str], options: ReadOptions, shown: str) -> LongForm:
    """Find the columns of a table in long form.

    Parameters
    ----------
    names : sequence of str
        The names of the columns.
    options : ReadOptions
        Columns that are named there must be there; the others are found by their usual names.
    shown : str
        Name of the table in messages.

    Raises
    ------
    KeyError
        Where there is no column of a name.
    spanrs.errors.FormatError
        Where there is no column of tags.
    """

    def place(asked: Any, usual: Sequence[str]) -> int | None:
        if asked is not None:
            return column_place(asked, names, shown)
        return usual_place(names, usual, shown)

    gold, pred = place(options.gold, GOLD_NAMES), place(options.pred, PRED_NAMES)
    tags: dict[str, int] = {}
    if isinstance(options.tags, tuple):
        tags = {str(tag): column_place(tag, names, shown) for tag in options.tags}
    elif options.tags is None and gold is not None and pred is not None:
        tags = {"gold": gold, "pred": pred}
    else:
        found = place(options.tags, TAG_NAMES)
        if found is None:
            found = gold if gold is not None else pred
        if found is None:
            message = f"{shown}: no column of tags among {', '.join(names)}; name it with tags="
            raise with_code(FormatError(message), "columns", shown)
        tags = {"tags": found}
    return LongForm(
        tags,
        place(options.tokens, TOKEN_NAMES),
        place(options.documents, DOCUMENT_NAMES),
        place(None, SENTENCE_NAMES),
        place(options.position, POSITION_NAMES),
        shown,
    )


def simple_name(name: str) -> str:
    """Return the letters and digits of the name of a column, in lower case: ``sentenceid`` of ``Sentence ID``."""
    return "".join(filter(str.isalnum, name)).lower()


def usual_place(names: Sequence[str], usual: Sequence[str], shown: str) -> int | None:
    """Return the index of the first column with a usual name; None if there is none.

    Raises
    ------
    spanrs.errors.FormatError
        Where several columns have the name.
    """
    simple = [simple_name(name) for name in names]
    found = next((name for name in usual if name in simple), None)
    if found is None:
        return None
    if simple.count(found) > 1:
        message = f"{shown}: several columns are called {names[simple.index(found)]!r}; name another one, or its number"
        raise with_code(FormatError(message), "columns", shown)
    return simple.index(found)


def without_header(options: ReadOptions, names: Sequence[str]) -> ReadOptions:
    """Return the options for a CSV file; without a header, columns default as in column files.

    Parameters
    ----------
    options : ReadOptions
        Columns that are named there stay.
    names : sequence of str
        Those of :func:`csv_rows`.
    """
    if list(names) != [str(at) for at in range(len(names))]:
        return options
    if options.tokens is None and len(names) > 1:
        options = replace(options, tokens=0)
    if options.tags is None and options.gold is None and options.pred is None:
        options = replace(options, tags=-1)
    return options


def column_place(asked: int | str, names: Sequence[str], shown: str) -> int:
    """Return the index of a column given by name or number.

    Raises
    ------
    spanrs.errors.FormatError
        Where there is none.
    """
    if isinstance(asked, int):
        at = asked + len(names) if asked < 0 else asked
        if 0 <= at < len(names):
            return at
    elif asked in names:
        if names.count(asked) > 1:
            message = f"{shown}: several columns are called {asked!r}; name the number of one"
            raise with_code(FormatError(message), "columns", shown)
        return names.index(asked)
    message = f"{shown}: there is no column {asked!r}; there are {', '.join(map(str, names))}"
    raise with_code(FormatError(message), "columns", shown)


def csv_rows(data: bytes, shown: str, separator: str) -> tuple[list[str], Iterator[Row | None]]:
    """Read a CSV file.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8.
    shown : str
        Its name in messages.
    separator : str
        ``auto``: what the first line has most of, tab, comma or semicolon; else as for :func:`spanrs.read`.

    Returns
    -------
    names : list of str
        Those of the first line if it is a header, else the numbers of the columns.
    rows : iterator of Row or None
        The values of each line; None for a blank line.

    Raises
    ------
    spanrs.errors.FormatError
        For text that is not UTF-8, quotation marks that are not closed or enclose rows, and rows of another length.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        message = f"{shown}:{line}: the file is not UTF-8; convert it, or name its encoding"
        raise with_code(FormatError(message), "encoding", shown, line) from None
    first = text.split("\n", 1)[0]
    delimiter = _delimiter(first, separator)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(reader, None)
    except csv.Error as error:
        raise _csv_error(shown, reader.line_num, error) from None
    if header is None:
        raise with_code(FormatError(f"{shown}: the file has no rows"), "no_tokens", shown)
    is_header = _is_header(header)
    names = [name.strip() for name in header] if is_header else [str(at) for at in range(len(header))]

    def rows() -> Iterator[Row | None]:
        if not is_header:
            yield Row(1, tuple(header))
        try:
            line = reader.line_num
            for values in reader:
                if reader.line_num > line + 1 and _holds_rows(values, delimiter):
                    message = (
                        f"{shown}:{line + 1}: a cell in quotation marks goes on to line {reader.line_num} and holds "
                        'other rows; double quotation marks that are tokens, as in """"'
                    )
                    raise with_code(FormatError(message), "csv", shown, line + 1)
                line = reader.line_num
                if not any(value.strip() for value in values):
                    yield None
                    continue
                if len(values) != len(header):
                    message = f"{shown}:{reader.line_num}: {len(values)} cells where the first line has {len(header)}"
                    raise with_code(FormatError(message), "columns", shown, reader.line_num)
                yield Row(reader.line_num, tuple(value if value else None for value in values))
        except csv.Error as error:
            if reader.line_num > line + 1:
                message = (
                    f"{shown}:{line + 1}: a cell in quotation marks is not closed, or text follows it; double "
                    'quotation marks that are tokens, as in """"'
                )
                raise with_code(FormatError(message), "csv", shown, line + 1) from None
            raise _csv_error(shown, reader.line_num, error) from None

    return names, rows()


def _holds_rows(values: Sequence[str], delimiter: str) -> bool:
    """Return whether a cell of a row has delimiters after a line break, as when it ends at a later quotation mark."""
    return any(delimiter in value.partition("\n")[2] for value in values)


def _delimiter(line: str, separator: str) -> str:
    named = {"tab": "\t", "space": " "}.get(separator, separator)
    if named != "auto":
        if len(named) != 1:
            raise ValueError(f"separator of CSV is auto, tab, space or one character, not {separator!r}")
        return named
    return max("\t,;", key=line.count)


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether a row is a header: it has a known column name and no cell looks like a tag."""
    simple = {simple_name(cell) for cell in cells}
    known = {*TOKEN_NAMES, *TAG_NAMES, *GOLD_NAMES, *PRED_NAMES, *DOCUMENT_NAMES, *SENTENCE_NAMES}
    is_tag = any(cell == "O" or cell[:2] in ("B-", "I-", "S-", "E-", "U-", "L-") for cell in cells)
    return bool(simple & known) and not is_tag


def _csv_error(shown: str, line: int, error: csv.Error) -> FormatError:
    return with_code(FormatError(f"{shown}:{line}: {error}"), "csv", shown, line)
