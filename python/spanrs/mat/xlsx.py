"""MATScore's tables as an Excel workbook with live formulas."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from os import PathLike
from typing import Any

from spanrs.io import atomic_output
from spanrs.mat.csv_files import Sheet
from spanrs.mat.formulas import cells
from spanrs.mat.tables import ScoreTable
from spanrs.report.frames import Tabular

#: Fixed creation date, so that the same result gives the same file.
MADE = datetime(2000, 1, 1, tzinfo=UTC)
#: Maximum number of rows of a sheet and of characters of a cell; longer content is truncated with a note.
ROWS, CHARACTERS = 1 << 20, 32_767


def write(sheets: Iterable[Sheet], path: str | PathLike[str]) -> None:
    """Write tables as a workbook, for :meth:`spanrs.mat.MatTables.to_xlsx`."""
    xlsxwriter = writer()
    # Strings that look like formulas must be written as text.
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with atomic_output(path) as out, xlsxwriter.Workbook(out, {"in_memory": True, **options}) as book:
        book.set_properties({"created": MADE})
        bold = book.add_format({"bold": True})
        for file, _, table in sheets:
            name = file.removesuffix(".csv")
            if isinstance(table, ScoreTable) and len(table) >= ROWS:
                raise ValueError(
                    f"{path}: the table {name} has more rows than a sheet allows; write CSV instead"
                )
            _write_sheet(book.add_worksheet(name), table, bold)


def writer() -> Any:
    """Import xlsxwriter; if it is missing, raise an error with installation advice."""
    try:
        import xlsxwriter
    except ImportError as error:
        raise ImportError("a workbook needs xlsxwriter; run pip install 'spanrs[excel]'") from error
    return xlsxwriter


def _write_sheet(sheet: Any, table: Tabular, bold: Any) -> None:
    sheet.write_row(0, 0, table.columns, bold)
    sheet.freeze_panes(1, 0)
    for column, name in enumerate(table.columns):
        sheet.set_column(column, column, max(8, len(name) + 1))
    for at, pair in enumerate(zip(cells(table, ","), table.rows, strict=True), 1):
        if not isinstance(table, ScoreTable) and at == ROWS - 1:
            sheet.write_string(at, 0, "there are more rows than a sheet allows; see the CSV file")
            break
        for column, (cell, value) in enumerate(zip(*pair, strict=True)):
            if isinstance(value, str):
                sheet.write_string(at, column, value[:CHARACTERS])
            elif isinstance(cell, str):
                # The computed value is stored for programs that do not evaluate formulas.
                sheet.write_formula(at, column, cell, None, value)
            elif value is not None:
                sheet.write_number(at, column, value)
