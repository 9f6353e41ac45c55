"""Tables of MATScore as CSV files: values, or formulas for a spreadsheet."""

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

#: A table, with the name of its CSV file and its title.
Sheet: TypeAlias = tuple[str, str, Tabular]
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


def write(sheets: Iterable[Sheet], folder: str | PathLike[str], formulas: str | None) -> list[str]:
    """Write tables; the arguments are those of :meth:`spanrs.mat.MatTables.to_csv`."""
    if formulas not in SEPARATORS:
        raise ValueError(f"unknown formulas {formulas!r}; excel, openoffice or None")
    written = []
    for file, _, table in sheets:
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


def detail_rows(out: IO[bytes]) -> Callable[[Iterable[AnnotationPair]], None]:
    """Give a function that writes details, as many at a time as there are."""
    add = csv_rows(out, AnnotationPair._fields)
    return lambda details: add(map(safe_cell, detail) for detail in details)
