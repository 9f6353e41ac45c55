"""MATScore's tables as text, in MATScore's layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spanrs.mat.csv_files import DETAILS, Sheet
from spanrs.report.table import aligned

#: Rule below each column heading.
RULE = "-----"


def render(sheets: Iterable[Sheet]) -> str:
    """Format tables with their titles, separated by blank lines."""
    parts = []
    for file, title, table in sheets:
        rows: Iterable[Sequence[Any]] = table.rows
        if file == DETAILS:
            rows = [[*bounds, f'"{gold or ""}"', f'"{pred or ""}"'] for *bounds, gold, pred in rows]
        parts.append(f"{title}:\n\n{table_text(table.columns, rows)}")
    return "\n\n".join(parts)


def table_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Format a table with right-aligned columns.

    Examples
    --------
    >>> from spanrs.mat.text import table_text
    >>> print(table_text(["tag", "match", "recall"], [["PERSON", 12, 0.5]]))
       tag match recall
     ----- -----  -----
    PERSON    12  0.500
    """
    body = [[cell_text(cell) for cell in row] for row in rows]
    return "\n".join(aligned([header, [RULE] * len(header), *body], 0, " ", len))


def cell_text(value: Any) -> str:
    """Format a cell on one line, with control characters escaped."""
    if value is None:
        return ""
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
