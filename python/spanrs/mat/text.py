"""Tables of MATScore as text, laid out as MATScore lays them out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from spanrs.mat.csv_files import HEADER

if TYPE_CHECKING:
    from spanrs.mat.layout import Layout

#: What stands above each table.
TITLES = {
    "tag": "By tag:",
    "token": "By token:",
    "pseudo_token": "By pseudo-token:",
    "character": "By character:",
}
#: Below every header.
RULE = "-----"


def render(tables: Layout, *, confusability: bool = True) -> str:
    """Give all tables of a result, with a blank line between them."""
    parts = []
    for name in tables.names:
        table = tables.table(name)
        parts.append(f"{TITLES[name]}\n\n{table_text(table.columns, table.rows)}")
    if tables.details is not None:
        quoted = ([*detail[:-2], _quoted(detail[-2]), _quoted(detail[-1])] for detail in tables.details)
        parts.append(f"Details:\n\n{table_text(HEADER, quoted)}")
    if confusability:
        made = tables.confusability
        parts.append(f"Confusability matrix:\n\n{table_text(made.columns, made.rows)}")
    return "\n\n".join(parts)


def _quoted(content: str | None) -> str:
    """Give content in quotes, on one line."""
    return f'"{_line("" if content is None else content)}"'


def _line(text: str) -> str:
    """Give text on one line, without anything that a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def table_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Give a table whose columns are justified to the right.

    Examples
    --------
    >>> from spanrs.mat.text import table_text
    >>> print(table_text(["tag", "match", "recall"], [["PERSON", 12, 0.5]]))
       tag match recall
     ----- -----  -----
    PERSON    12  0.500
    """
    body = [[_cell(cell) for cell in row] for row in rows]
    lines = [list(header), [RULE] * len(header), *body]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    return "\n".join(
        " ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    )


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else _line(str(value))
