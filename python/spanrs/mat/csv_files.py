"""MATScore's tables as CSV files with values or spreadsheet formulas."""

from __future__ import annotations

import csv
from codecs import getwriter
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeAlias

from spanrs.io import atomic_output
from spanrs.mat.details import AnnotationPair
from spanrs.mat.formulas import cells
from spanrs.report.frames import Tabular
from spanrs.report.numbers import safe_cell

#: A table with the name of its CSV file and its title.
Sheet: TypeAlias = tuple[str, str, Tabular]
#: CSV file of each table.
FILES = {
    "tag": "bytag.csv",
    "token": "bytoken.csv",
    "pseudo_token": "bypseudotoken.csv",
    "character": "bychar.csv",
}
DETAILS = "details.csv"
CONFUSABILITY = "confusability.csv"
#: Separator of function arguments, by spreadsheet program.
SEPARATORS = {"excel": ",", "openoffice": ";", None: None}


def write(sheets: Iterable[Sheet], folder: str | PathLike[str], formulas: str | None) -> list[str]:
    """Write tables as CSV files; for the arguments see :meth:`spanrs.mat.MatTables.to_csv`."""
    if formulas not in SEPARATORS:
        raise ValueError(f"unknown formulas {formulas!r}; expected excel, openoffice or None")
    written = []
    for file, _, table in sheets:
        with atomic_output(Path(folder) / file) as out:
            add = csv_rows(out, table.columns)
            add(cells(table, SEPARATORS[formulas]))
        written.append(file)
    return written


def csv_rows(out: IO[bytes], columns: Sequence[str]) -> Callable[[Iterable[Iterable[Any]]], None]:
    """Write the header, and return a function that writes rows in the default dialect of :mod:`csv` (commas, CR LF)."""
    writer = csv.writer(getwriter("utf-8")(out))
    writer.writerow(map(safe_cell, columns))
    return writer.writerows


def detail_rows(out: IO[bytes]) -> Callable[[Iterable[AnnotationPair]], None]:
    """Return a function that writes batches of details."""
    add = csv_rows(out, AnnotationPair._fields)
    return lambda details: add(map(safe_cell, detail) for detail in details)
