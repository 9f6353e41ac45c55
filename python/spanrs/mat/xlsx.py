"""Tables of MATScore as a workbook with live formulas."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from os import PathLike
from typing import TYPE_CHECKING, Any

from spanrs.io import atomic_output
from spanrs.mat.csv_files import FILES, HEADER
from spanrs.mat.formulas import cells

if TYPE_CHECKING:
    from spanrs.mat.layout import Layout

#: Names of the sheets.
SHEETS = {name: file.removesuffix(".csv") for name, file in FILES.items()}
#: The same result gives the same file.
MADE = datetime(2000, 1, 1, tzinfo=UTC)
#: Rows of a sheet, and characters of a cell; what is more is cut off and said.
ROWS, CHARACTERS = 1 << 20, 32_767


def write(tables: Layout, path: str | PathLike[str]) -> None:
    """Write a workbook; the argument is that of :meth:`spanrs.mat.MatTables.to_xlsx`."""
    xlsxwriter = writer()
    made = BytesIO()
    # Text is text, whatever it begins with.
    options = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(made, {"in_memory": True, **options}) as book:
        book.set_properties({"created": MADE})
        bold = book.add_format({"bold": True})
        for name in tables.names:
            table = tables.table(name)
            if len(table) >= ROWS:
                raise ValueError(f"{path}: the table {SHEETS[name]} has more rows than a sheet; write CSV")
            sheet = book.add_worksheet(SHEETS[name])
            _header(sheet, table.columns, bold)
            pairs = zip(cells(table, ","), table.rows, strict=True)
            for at, (row, values) in enumerate(pairs, 1):
                for column, (cell, value) in enumerate(zip(row, values, strict=True)):
                    _write(sheet, at, column, cell, value)
        if tables.details is not None:
            _plain(book, "details", HEADER, tables.details, bold)
        confusion = tables.confusability
        _plain(book, "confusability", confusion.columns, confusion.rows, bold)
    with atomic_output(path) as out:
        out.write(made.getvalue())


def writer() -> Any:
    """Give the library that writes workbooks, or say what to do."""
    try:
        import xlsxwriter
    except ImportError as error:
        message = "a workbook needs xlsxwriter; pip install 'spanrs[excel]'"
        raise ImportError(message) from error
    return xlsxwriter


def _header(sheet: Any, names: Any, bold: Any) -> None:
    sheet.write_row(0, 0, names, bold)
    sheet.freeze_panes(1, 0)
    for column, name in enumerate(names):
        sheet.set_column(column, column, max(8, len(name) + 1))


def _plain(book: Any, name: str, header: Any, rows: Any, bold: Any) -> None:
    sheet = book.add_worksheet(name)
    _header(sheet, header, bold)
    for at, row in enumerate(rows, 1):
        if at == ROWS - 1:
            sheet.write_string(at, 0, "more rows than a sheet has; see the CSV")
            break
        for column, value in enumerate(row):
            _write(sheet, at, column, value, value)


def _write(sheet: Any, row: int, column: int, cell: Any, value: Any) -> None:
    """Write a cell; formulas with their value, for programs that do not calculate."""
    if value is None:
        return
    if isinstance(value, str):
        sheet.write_string(row, column, value[:CHARACTERS])
    elif isinstance(cell, str):
        sheet.write_formula(row, column, cell, None, value)
    else:
        sheet.write_number(row, column, value)
