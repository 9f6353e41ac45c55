"""Tables of MATScore as CSV files: values, or formulas for a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spanrs.io import atomic_output
from spanrs.mat.details import Detail
from spanrs.mat.formulas import cells
from spanrs.report.numbers import safe_cell

if TYPE_CHECKING:
    from spanrs.mat.layout import Layout

#: Tables and their files.
FILES = {
    "tag": "bytag.csv",
    "token": "bytoken.csv",
    "pseudo_token": "bypseudotoken.csv",
    "character": "bychar.csv",
}
DETAILS = "details.csv"
CONFUSABILITY = "confusability.csv"
#: What stands between the arguments of a function.
SEPARATORS = {"excel": ",", "openoffice": ";"}
#: The columns of details.
HEADER = Detail._fields


def write(
    tables: Layout,
    folder: str | PathLike[str],
    *,
    formulas: str | None = "excel",
    confusability: bool = True,
) -> list[str]:
    """Write all tables; the arguments are those of :meth:`spanrs.mat.MatTables.to_csv`."""
    if formulas is not None and formulas not in SEPARATORS:
        raise ValueError(f"unknown formulas {formulas!r}; excel, openoffice or None")
    separator = None if formulas is None else SEPARATORS[formulas]
    place = Path(folder)
    written = []
    for name in tables.names:
        table = tables.table(name)
        with atomic_output(place / FILES[name]) as out:
            rows(out, [table.columns, *cells(table, separator)])
        written.append(FILES[name])
    if tables.details is not None:
        with atomic_output(place / DETAILS) as out, detail_rows(out) as add:
            add(tables.details)
        written.append(DETAILS)
    if confusability:
        made = tables.confusability
        with atomic_output(place / CONFUSABILITY) as out:
            rows(out, (map(_safe, row) for row in [made.columns, *made.rows]))
        written.append(CONFUSABILITY)
    return written


@contextmanager
def detail_rows(out: IO[bytes]) -> Iterator[Any]:
    """Give a function that writes details, as many at a time as there are; the header is written first."""
    text = TextIOWrapper(out, encoding="utf-8", newline="", write_through=False)
    writer = csv.writer(text)
    writer.writerow(HEADER)

    def add(details: Iterable[Detail]) -> None:
        writer.writerows(detail_cells(detail) for detail in details)

    try:
        yield add
    finally:
        text.flush()
        text.detach()


def detail_cells(detail: Detail) -> Sequence[Any]:
    """Give the cells of a detail; what a spreadsheet would take for a formula has a ``'`` before it."""
    return [_safe(cell) for cell in detail]


def rows(out: IO[bytes], lines: Iterable[Iterable[Any]]) -> None:
    """Write rows as Python's csv does: commas, CR LF, quotes where they are needed."""
    text = TextIOWrapper(out, encoding="utf-8", newline="")
    csv.writer(text).writerows(lines)
    text.flush()
    text.detach()


def _safe(cell: Any) -> Any:
    return safe_cell(cell) if isinstance(cell, str) else cell
