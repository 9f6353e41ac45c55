"""Layout of tables that are wider than the terminal: names and headings wrap, then columns are split into blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

#: Separator between columns of a table that does not fit otherwise.
NARROW_GAP = "  "
#: Minimum width of a name, if the numbers leave enough space.
LEAST_NAME = 12
#: Minimum width of a name if the numbers alone fill the terminal.
LEAST = 4
#: Indentation of the continuation lines of a name.
INDENT = "  "

#: A piece of text that is not broken: white space, or characters up to and including a separator.
_PIECE = re.compile(r"\s+|[^\s\-_/]*[\-_/]+|[^\s\-_/]+")


@dataclass
class _Column:
    head: str
    cells: Sequence[str]
    is_name: bool
    """Whether the column is aligned left and its cells may be broken anywhere."""
    natural: int
    """Width without line breaks."""
    width: int = 0


def fitted_blocks(
    columns: Sequence[str], rows: Sequence[Sequence[str]], left: int, width: int
) -> list[tuple[list[str], list[list[str]]]]:
    r"""Lay out a table in blocks of columns that are no wider than a terminal.

    Names in the left columns and headings wrap; then the columns are split into several blocks, each of which repeats
    the left columns. Numbers are never broken: lines are wider than the terminal if a number does not fit beside a few
    characters of the names.

    Parameters
    ----------
    columns : sequence of str
        The headings.
    rows : sequence of sequence of str
        The cells of each row.
    left : int
        Number of columns that are aligned left and repeated in each block. With 0, the first column is repeated.
    width : int
        Width of the terminal.

    Returns
    -------
    list of (list of str, list of list of str)
        For each block, the lines of its head and the lines of each row.

    Examples
    --------
    >>> from spanrs.report.fitted import fitted_blocks
    >>> rows = [["location-bodiesofwater", "50.00", "1234"]]
    >>> for head, lines in fitted_blocks(["type", "precision", "support"], rows, 1, 26):
    ...     print("\n".join([*head, *lines[0]]))
    type             precision
    location-            50.00
      bodiesofwater
    type             support
    location-           1234
      bodiesofwater
    """
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    layout = []
    for place, (head, values) in enumerate(zip(columns, cells, strict=True)):
        natural = max(map(cell_len, (head, *values)))
        layout.append(_Column(head, values, place < left, natural))
    repeated = max(left, 1)
    names, numbers = layout[:repeated], layout[repeated:]
    _narrow(names, numbers, width)
    blocks = _packed(names, numbers, width)
    # Space that is free in all blocks is given to the names, so that the names have the same width in all blocks.
    _widen(names, min(width - _total(names + block) for block in blocks))
    for block in blocks:
        for column in block:
            if column.natural - column.width <= width - _total(names + block):
                column.width = max(column.width, column.natural)
    return [_lines(names + block) for block in blocks]


def _narrow(names: Sequence[_Column], numbers: Sequence[_Column], width: int) -> None:
    """Set the minimum width of each column."""
    gap = len(NARROW_GAP)
    widest = max((_widest_word(column.cells) for column in numbers), default=0)
    each = (width - widest) // len(names) - gap
    most = max(LEAST, min(each, max(LEAST_NAME, width // (3 * len(names)))))
    for column in names:
        pieces = max(map(_widest_piece, (column.head, *column.cells)), default=0)
        least = min(column.natural, most, max(LEAST_NAME, pieces + len(INDENT)))
        column.width = least if column.is_name else max(least, _widest_word(column.cells))
    room = width - _total(names) - gap
    for column in numbers:
        whole = max(map(cell_len, column.cells), default=0)
        # Longer cells, such as explanations, wrap between words.
        least = max(whole, _widest_piece(column.head))
        column.width = max(min(least, room), _widest_word(column.cells), 1)


def _widest_word(cells: Iterable[str]) -> int:
    return max((cell_len(word) for cell in cells for word in cell.split()), default=0)


def _widest_piece(text: str) -> int:
    return max(map(cell_len, _PIECE.findall(text)), default=0)


def _total(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(NARROW_GAP) * (len(columns) - 1)


def _packed(names: Sequence[_Column], numbers: Sequence[_Column], width: int) -> list[list[_Column]]:
    """Fill blocks from left to right."""
    blocks: list[list[_Column]] = [[]]
    for column in numbers:
        if blocks[-1] and _total([*names, *blocks[-1], column]) > width:
            blocks.append([])
        blocks[-1].append(column)
    return blocks


def _widen(columns: Iterable[_Column], free: int) -> None:
    """Widen columns towards their width without line breaks, as far as there is space."""
    for column in columns:
        more = max(0, min(free, column.natural - column.width))
        column.width += more
        free -= more


def _lines(columns: Sequence[_Column]) -> tuple[list[str], list[list[str]]]:
    """Return the lines of the head and of each row."""
    heads = [wrapped(column.head, column.width) for column in columns]
    most = max(map(len, heads))
    # Headings are aligned to the bottom.
    head = _joined([[""] * (most - len(lines)) + lines for lines in heads], columns)
    rows = []
    for cells in zip(*(column.cells for column in columns), strict=True):
        lines = [_cell_lines(cell, column) for cell, column in zip(cells, columns, strict=True)]
        most = max(map(len, lines))
        rows.append(
            _joined([cell_lines + [""] * (most - len(cell_lines)) for cell_lines in lines], columns)
        )
    return head, rows


def _cell_lines(cell: str, column: _Column) -> list[str]:
    if cell_len(cell) <= column.width:
        return [cell]
    if column.is_name:
        return wrapped(cell, column.width, INDENT)
    lines = [""]
    for word in cell.split():
        line = f"{lines[-1]} {word}".lstrip()
        if cell_len(line) <= column.width:
            lines[-1] = line
        else:
            lines.append(word)
    return lines if lines[0] else lines[1:] or [""]


def _joined(lines: Sequence[Sequence[str]], columns: Sequence[_Column]) -> list[str]:
    """Join the lines of adjacent cells."""
    joined = []
    for pieces in zip(*lines, strict=True):
        parts = []
        for text, column in zip(pieces, columns, strict=True):
            padding = " " * (column.width - cell_len(text))
            parts.append(text + padding if column.is_name else padding + text)
        joined.append(NARROW_GAP.join(parts).rstrip())
    return joined


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Break text into lines after spaces, hyphens, underscores and slashes; break longer pieces anywhere.

    Examples
    --------
    >>> from spanrs.report.fitted import wrapped
    >>> wrapped("person-artist/author", 14), wrapped("bodiesofwater", 8)
    (['person-artist/', 'author'], ['bodiesof', 'water'])
    """
    if cell_len(text) <= width:
        return [text]
    if cell_len(indent) >= width // 2:
        indent = ""
    lines, line = [], ""
    for piece in _PIECE.findall(text):
        if cell_len(line + piece.rstrip()) <= width:
            line += piece
            continue
        if line.strip():
            lines.append(line.rstrip())
        line = indent if lines else ""
        rest = piece.lstrip()
        while cell_len(line + rest) > width:
            at = _fitting(line + rest, width)
            lines.append((line + rest)[:at])
            rest = (line + rest)[at:]
            line = indent
        line += rest
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _fitting(text: str, width: int) -> int:
    """Return the number of characters that fit into a width, including at least one that is not a space."""
    at = len(text) - len(text.lstrip()) + 1
    while at < len(text) and cell_len(text[: at + 1]) <= width:
        at += 1
    return at
