"""Tables of text: written by hand for plain text, where thousands of rows are common, by rich for terminals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rich.cells import cell_len
from rich.control import strip_control_codes

if TYPE_CHECKING:
    from rich.table import Table as RichTable

#: Between columns.
GAP = "   "


class Printer(Protocol):
    """Where tables and lines are printed: a console of rich, or :class:`Lines`."""

    def print(self, *items: Any, **options: Any) -> None:
        """Print."""


class Lines:
    """Plain-text console of unlimited width."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def print(self, *items: Any, **options: Any) -> None:
        """Take in a table or a line."""
        del options  # They are about colours and wrapping.
        for item in items:
            text = item.plain() if isinstance(item, Table) else strip_control_codes(str(item))
            self.lines += [line.rstrip() for line in text.splitlines()]


def as_text(show: Callable[[Printer], None]) -> str:
    """Give what is shown on a console as plain text of any width."""
    lines = Lines()
    show(lines)
    return "\n".join(lines.lines)


class Table:
    """Rows under a head; the first columns are aligned left, the others right.

    Examples
    --------
    >>> from spanrs.report.table import Table
    >>> table = Table(["type", "F1"])
    >>> table.add_row("PER", "50.00")
    >>> print(table.plain())
    type      F1
    ────────────
    PER    50.00
    """

    def __init__(self, columns: Sequence[str], left: int = 1) -> None:
        self.columns = [strip_control_codes(column) for column in columns]
        self.left = left
        self.rows: list[list[str]] = []
        self._sections: set[int] = set()

    def add_row(self, *cells: str) -> None:
        """Add a row."""
        self.rows.append([strip_control_codes(cell) for cell in cells])

    def add_section(self) -> None:
        """Leave a line free before the next row, unless it is the first."""
        if self.rows:
            self._sections.add(len(self.rows))

    def plain(self) -> str:
        """Give the table as text of any width."""
        rows = [self.columns, *self.rows]
        widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
        lines = []
        for at, row in enumerate(rows, -1):
            if at in self._sections:
                lines.append("")
            cells = []
            for place, (cell, width) in enumerate(zip(row, widths, strict=True)):
                padding = " " * (width - cell_len(cell))
                cells.append(cell + padding if place < self.left else padding + cell)
            lines.append(GAP.join(cells).rstrip())
            if at < 0:
                lines.append("─" * (sum(widths) + len(GAP) * (len(widths) - 1)))
        return "\n".join(lines)

    def __rich__(self) -> RichTable:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        table = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for place, name in enumerate(self.columns):
            table.add_column(Text(name), justify="left" if place < self.left else "right", no_wrap=True)
        for at, row in enumerate(self.rows):
            if at in self._sections:
                table.add_section()
            # Names may look like markup.
            table.add_row(*map(Text, row))
        return table
