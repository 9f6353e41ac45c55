"""Tables of MATScore as CSV files: values, or formulas for a spreadsheet."""

from __future__ import annotations

import csv
from codecs import getwriter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from spanrs.io import atomic_output
from spanrs.mat.details import Detail
from spanrs.mat.formulas import cells
from spanrs.report.numbers import safe_cell

if TYPE_CHECKING:
    from spanrs.mat.layout import Layout
    from spanrs.report.frames import Tabular

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
SEPARATORS = {"excel": ",", "openoffice": ";", None: None}


def sheets(tables: Layout, confusability: bool = True) -> Iterator[tuple[str, str, Tabular]]:
    """Give all tables of a result for any writer, each with the name of its CSV file and its title."""
    for name in tables.names:
        yield FILES[name], f"By {name.replace('_', '-')}", tables.table(name)
    if tables.details is not None:
        yield DETAILS, "Details", tables.detail_table
    if confusability:
        yield CONFUSABILITY, "Confusability matrix", tables.confusability


def write(
    tables: Layout, folder: str | PathLike[str], *, formulas: str | None, confusability: bool
) -> list[str]:
    """Write all tables; the arguments are those of :meth:`spanrs.mat.MatTables.to_csv`."""
    if formulas not in SEPARATORS:
        raise ValueError(f"unknown formulas {formulas!r}; excel, openoffice or None")
    written = []
    for file, _, table in sheets(tables, confusability):
        with atomic_output(Path(folder) / file) as out:
            add = csv_rows(out, table.columns)
            add(cells(table, SEPARATORS[formulas]))
        written.append(file)
    return written


def csv_rows(out: IO[bytes], columns: Sequence[str]) -> Callable[[Iterable[Iterable[Any]]], None]:
    """Give a function that writes rows as Python's csv does (commas, CR LF); the header is written first."""
    writer = csv.writer(getwriter("utf-8")(out))
    writer.writerow(map(safe_cell, columns))
    return writer.writerows


@contextmanager
def detail_rows(out: IO[bytes]) -> Iterator[Callable[[Iterable[Detail]], None]]:
    """Give a function that writes details, as many at a time as there are."""
    add = csv_rows(out, Detail._fields)
    yield lambda details: add(map(safe_cell, detail) for detail in details)
