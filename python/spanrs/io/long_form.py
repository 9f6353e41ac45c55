"""Tables in long form: a row for each token, in CSV files and data frames."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

from spanrs.errors import AlignmentError, FormatError, warn, with_code
from spanrs.io.csv_rows import Row
from spanrs.io.options import ReadOptions
from spanrs.io.table_columns import (
    POSITION_NAMES,
    POSSIBLE_SENTENCE_NAMES,
    SENTENCE_NAMES,
    find_column,
    table_columns,
)

#: Number of tokens above which a sentence of a table without a sentence column is reported.
MAX_SENTENCE = 50


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

    names: Sequence[str]
    tags: dict[str, int]
    token: int | None = None
    document: int | None = None
    sentence: int | None = None
    possible_sentence: int | None = None
    """A column that may contain sentence numbers; only used for advice."""
    position: int | None = None
    shown: str = "table"
    is_csv: bool = False
    """Whether messages give line numbers instead of row numbers."""
    vocabularies: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The tag of each integer id, by layer."""

    def columns(self) -> list[int]:
        """Return the indices of all columns that are read."""
        places = (
            *self.tags.values(),
            self.token,
            self.document,
            self.sentence,
            self.possible_sentence,
            self.position,
        )
        return list(dict.fromkeys(place for place in places if place is not None))

    def sentences(self, rows: Iterable[Row | None]) -> Iterator[TokenRows]:
        """Group rows into sentences; None ends a sentence, like a blank line.

        Raises
        ------
        spanrs.errors.FormatError
            If a token, tag or document is missing.
        spanrs.errors.AlignmentError
            If a document or sentence occurs again after other rows.

        Warns
        -----
        spanrs.errors.SpanrsWarning
            If no column or blank line separates sentences, and a sentence is suspiciously long.
        """
        longest: list[Row] = []
        number = 0
        keys: set[Any] = set()
        for group, key in self._groups(rows):
            yield self._sentence(group, key)
            if self.sentence is None:
                longest = max(longest, group, key=len)
                number += 1
                keys.add(key)
        if number == len(keys):
            warn(self._advice(longest))

    def _groups(self, rows: Iterable[Row | None]) -> Iterator[tuple[list[Row], tuple[Any, ...]]]:
        """Yield the rows of each sentence with its document and name."""
        group: list[Row] = []
        key: tuple[Any, ...] = ()
        before: tuple[Any, ...] | None = None
        ended: set[Any] = set()
        has_keys = self.document is not None or self.sentence is not None
        for row in rows:
            if row is None:
                if group:
                    yield group, key
                group = []
                continue
            cells = self._cells(row) if has_keys else (None, None)
            if cells != before:
                before = cells
                named = self._key(cells, row, key)
                if named != key:
                    if group:
                        yield group, key
                    group = []
                    self._check_ended(named, key, ended, row)
                    key = named
            group.append(row)
        if group:
            yield group, key

    def _cells(self, row: Row) -> tuple[Any, ...]:
        """Return the cells of the document and sentence columns."""
        values = row[1]
        return (
            None if self.document is None else values[self.document],
            None if self.sentence is None else values[self.sentence],
        )

    def _key(self, cells: tuple[Any, ...], row: Row, before: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the document and sentence of a row; empty cells repeat the values of the previous row."""
        names = []
        for at, (place, what) in enumerate(((self.document, "document"), (self.sentence, "sentence"))):
            name = cells[at]
            if place is not None and is_null(name):
                if not before:
                    raise self._error(
                        row, f"the {what} is missing; fill in every row, or at least the first one"
                    )
                name = before[at]
            names.append(name)
        return tuple(names)

    def _check_ended(
        self, key: tuple[Any, ...], before: tuple[Any, ...], ended: set[Any], row: Row
    ) -> None:
        if before:
            ended.add(before)
            if key[0] != before[0]:
                ended.add(before[:1])
        for name in (key, key[:1]):
            if name in ended and any(part is not None for part in name):
                message = (
                    f"{self._place(row)}: {key[0] if key[0] is not None else key[1]!r} occurs again after other rows; "
                    "keep the rows of each document and sentence together, in token order"
                )
                raise with_code(AlignmentError(message), "documents")

    def _advice(self, group: Sequence[Row]) -> list[str]:
        """Return advice if the longest sentence probably consists of several sentences that nothing separates."""
        place = self.possible_sentence
        ids = [] if place is None else [values[place] for _, values in group]
        repeats = len(set(ids)) > 1 and any(first == second for first, second in pairwise(ids))
        if not repeats and len(group) <= MAX_SENTENCE:
            return []
        what = "the table is one sentence" if self.document is None else "each document is one sentence"
        cure = "add a column 'sentence_id'" + (" or blank lines between sentences" if self.is_csv else "")
        if repeats and place is not None:
            cure = f"rename the column {self.names[place]!r} to 'sentence_id' if it numbers the sentences"
        size = f"{len(group)} tokens" if self.document is None else f"up to {len(group)} tokens"
        return [f"{self.shown}: {what} ({size}), as no column numbers the sentences; {cure}"]

    def _sentence(self, group: list[Row], key: tuple[Any, ...]) -> TokenRows:
        if self.position is not None:
            group = self._ordered(group)
        tokens = None if self.token is None else self._texts(group, self.token, "token")
        layers = {
            layer: self._texts(group, place, "tag", self.vocabularies.get(layer))
            for layer, place in self.tags.items()
        }
        document, name = key
        return TokenRows(
            tokens,
            layers,
            None if document is None else str(document),
            None if name is None else str(name),
            group[0][0],
        )

    def _ordered(self, group: list[Row]) -> list[Row]:
        """Sort rows by position; positions must be unique."""
        at: int = self.position  # type: ignore[assignment]  # there is one
        try:
            rows_by_position = {_position(row[1][at]): row for row in group}
        except (TypeError, ValueError):
            raise self._error(group[0], "a position of this sentence is not an integer") from None
        if len(rows_by_position) < len(group):
            raise self._error(group[0], "two tokens of this sentence have the same position")
        return [rows_by_position[position] for position in sorted(rows_by_position)]

    def _texts(
        self, group: list[Row], place: int, what: str, vocabulary: Sequence[str] | None = None
    ) -> list[str]:
        """Return the tokens or tags of a sentence."""
        texts = [values[place] for _, values in group]
        if vocabulary is not None:
            texts = [
                self._tag_of_id(vocabulary, value, row) for value, row in zip(texts, group, strict=True)
            ]
        # Checking values one by one is slow.
        is_valid = (self.is_csv or set(map(type, texts)) == {str}) and "" not in texts
        if not is_valid or (what == "tag" and " ".join(texts).split() != texts):
            for value, row in zip(texts, group, strict=True):
                self._check_text(value, what, row)
        return texts

    def _tag_of_id(self, vocabulary: Sequence[str], value: Any, row: Row) -> Any:
        """Return the tag of an integer or of its digits; return other values unchanged."""
        if isinstance(value, str) and value.isdecimal():
            value = int(value)
        if not isinstance(value, int):
            return value
        if not 0 <= value < len(vocabulary):
            raise self._error(
                row, f"{value} is not in the vocabulary of {len(vocabulary)} tags", "unknown_id"
            )
        return vocabulary[value]

    def _check_text(self, value: Any, what: str, row: Row) -> None:
        """Refuse a token or tag that is missing or not a string, and a tag with white space."""
        if is_null(value):
            cure = "give each row a tag (O outside spans)"
            if what == "token":
                cure = (
                    "fill the cell"
                    if self.is_csv
                    else "pandas reads the tokens NA and null as missing unless read_csv has keep_default_na=False"
                )
            raise self._error(row, f"the {what} is missing; {cure}")
        if not isinstance(value, str):
            is_id = what == "tag" and isinstance(value, int)
            cure = (
                "give the tags of the integers with vocabulary="
                if is_id
                else "convert the column to strings"
            )
            raise self._error(row, f"the {what} is {value!r}, not a string; {cure}")
        if what == "tag" and len(value.split()) != 1:
            message = f"the tag {value!r} contains white space; a row is one token, or a sentence with lists of tags"
            raise self._error(row, message)

    def _place(self, row: Row) -> str:
        return f"{self.shown}:{row[0]}" if self.is_csv else f"{self.shown}: row {row[0]}"

    def _error(self, row: Row, message: str, code: str = "columns") -> FormatError:
        error = with_code(FormatError(f"{self._place(row)}: {message}"), code, self.shown)
        error.line = row[0] if self.is_csv else None
        return error


def _position(value: Any) -> int:
    """Convert a position, an integer or its digits, to int.

    Raises
    ------
    TypeError, ValueError
    """
    return int(value) if isinstance(value, str) else operator.index(value)


def is_null(value: Any) -> bool:
    """Return whether a value is missing: None, NaN or an empty string."""
    return value is None or value == "" or value != value  # noqa: PLR0124 - only NaN differs from itself


def long_form(names: Sequence[str], options: ReadOptions, shown: str, *, is_csv: bool = False) -> LongForm:
    """Find the columns of a table in long form.

    Parameters
    ----------
    names, options, shown
        Same as for :func:`spanrs.io.table_columns.table_columns`.
    is_csv : bool
        Whether rows are lines of a CSV file.

    Raises
    ------
    spanrs.errors.FormatError
        Same as :func:`spanrs.io.table_columns.table_columns`.
    """
    columns = table_columns(names, options, shown)
    sentence = find_column(None, names, SENTENCE_NAMES, shown)
    form = LongForm(
        names,
        columns.tags,
        columns.token,
        columns.document,
        sentence,
        None,
        find_column(options.position, names, POSITION_NAMES, shown),
        shown,
        is_csv,
    )
    if sentence is not None:
        return form
    unused = ["" if at in form.columns() else name for at, name in enumerate(names)]
    return replace(form, possible_sentence=find_column(None, unused, POSSIBLE_SENTENCE_NAMES, shown))
