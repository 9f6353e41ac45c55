"""Rows of CSV files, read as a stream."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import TextIOWrapper
from itertools import chain, islice
from typing import Any, NamedTuple

from spanrs.errors import FormatError, with_code
from spanrs.io.options import ReadOptions
from spanrs.io.table_columns import (
    DOCUMENT_NAMES,
    GOLD_NAMES,
    PRED_NAMES,
    SENTENCE_NAMES,
    TAG_NAMES,
    TOKEN_NAMES,
    simple_name,
)

#: Number of rows that are inspected to detect a header.
HEAD_ROWS = 1000
#: Tags with a scheme prefix.
TAG = re.compile(r"[BIESULM][-_].+", re.DOTALL)
_USUAL = {*TOKEN_NAMES, *TAG_NAMES, *GOLD_NAMES, *PRED_NAMES, *DOCUMENT_NAMES, *SENTENCE_NAMES}

#: A row: its number (from 0; in CSV files the line, from 1) and the values of all columns.
Row = tuple[int, Sequence[Any]]


class CsvRows(NamedTuple):
    """The contents of a CSV file."""

    names: list[str]
    """Cells of the header; without a header, the indices of the columns."""
    has_header: bool
    rows: Iterator[Row | None]
    """Line and cells of each row; None for a blank line."""


def csv_rows(file: TextIOWrapper, shown: str, options: ReadOptions) -> CsvRows:
    """Read a CSV file.

    Parameters
    ----------
    file : text file
        Opened with ``newline=""``.
    shown : str
        Name of the file in messages.
    options : ReadOptions
        Reading options. With ``separator="auto"``, the separator is the most frequent of tab, comma and semicolon in
        the first line. Column names given as strings identify the header.

    Raises
    ------
    UnicodeDecodeError
        While rows are read, if the text has another encoding.
    spanrs.errors.FormatError
        If a quoted cell is not closed or contains other rows, or a row differs in length from the first row.
    """
    first = file.readline().removeprefix("\ufeff")
    delimiter = _delimiter(first, options.separator)
    reader = csv.reader(chain([first] if first else [], file), delimiter=delimiter, strict=True)
    try:
        header = next(reader, None)
    except csv.Error as error:
        raise _csv_error(shown, reader.line_num, error) from None
    if header is None:
        raise with_code(FormatError(f"{shown}: the file has no rows"), "no_tokens", shown)
    rows = _rows(reader, shown, delimiter, len(header))
    head = list(islice(rows, HEAD_ROWS))
    if _is_header(header, [row[1] for row in head if row is not None], options):
        return CsvRows([name.strip() for name in header], True, chain(head, rows))
    names = [str(at) for at in range(len(header))]
    return CsvRows(names, False, chain([(1, header)], head, rows))


def _rows(reader: Any, shown: str, delimiter: str, width: int) -> Iterator[Row | None]:
    """Yield the line and the cells of each row after the first; None for blank lines."""
    line = reader.line_num
    try:
        for values in reader:
            number = reader.line_num
            if number > line + 1 and _holds_rows(values, delimiter):
                message = (
                    f"{shown}:{line + 1}: a quoted cell extends to line {number} and contains "
                    'other rows; double quotation marks that are tokens, as in """"'
                )
                raise with_code(FormatError(message), "csv", shown, line + 1)
            line = number
            if len(values) == width and values[0]:
                yield line, values
            elif not "".join(values).strip():
                yield None
            elif len(values) == width:
                yield line, values
            else:
                message = f"{shown}:{line}: {len(values)} cells, but the first line has {width}"
                raise with_code(FormatError(message), "columns", shown, line)
    except csv.Error as error:
        if reader.line_num > line + 1:
            message = (
                f"{shown}:{line + 1}: a cell in quotation marks is not closed, or text follows it; double "
                'quotation marks that are tokens, as in """"'
            )
            raise with_code(FormatError(message), "csv", shown, line + 1) from None
        raise _csv_error(shown, reader.line_num, error) from None


def _holds_rows(values: Sequence[str], delimiter: str) -> bool:
    """Return whether a cell contains a line break followed by delimiters, which suggests a stray quotation mark."""
    return any(delimiter in value.partition("\n")[2] for value in values)


def _delimiter(line: str, separator: str) -> str:
    named = {"tab": "\t", "space": " "}.get(separator, separator)
    if named != "auto":
        if len(named) != 1:
            raise ValueError(
                f"separator must be auto, tab, space or one character for CSV, not {separator!r}"
            )
        return named
    return max("\t,;", key=line.count)


def _is_header(cells: Sequence[str], rows: Sequence[Sequence[str]], options: ReadOptions) -> bool:
    """Return whether the first row is a header, given the next rows.

    No cell of a header looks like a tag. A header contains a usual column name or a column name from the options, or is
    the only row without a tag in a column of tags with scheme prefixes.
    """
    cells = [cell.strip() for cell in cells]
    if any(map(_is_tag, cells)):
        return False
    tags = options.tags if isinstance(options.tags, tuple) else (options.tags,)
    named = {options.tokens, *tags, options.gold, options.pred, options.documents, options.position}
    if not _USUAL.isdisjoint(map(simple_name, cells)) or not named.isdisjoint(cells):
        return True
    columns = [set(column) for column in zip(*rows, strict=True)]
    return any(all(map(_is_tag, column)) and column != {"O"} for column in columns)


def _is_tag(cell: str) -> bool:
    return cell == "O" or TAG.fullmatch(cell) is not None


def without_header(options: ReadOptions, width: int) -> ReadOptions:
    """Return the options for a CSV file without a header, whose columns default as in column files."""
    if options.tokens is None and width > 1:
        options = replace(options, tokens=0)
    if options.tags is None and options.gold is None and options.pred is None:
        options = replace(options, tags=-1)
    return options


def _csv_error(shown: str, line: int, error: csv.Error) -> FormatError:
    return with_code(FormatError(f"{shown}:{line}: {error}"), "csv", shown, line)
