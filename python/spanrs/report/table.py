"""Tables of text, Markdown, LaTeX and HTML, and their layout on terminals."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from rich.cells import cell_len

from spanrs.errors import escaped, escaped_lines
from spanrs.report.fitted import fitted_blocks

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

#: Separator between columns.
GAP = "   "


def as_text(parts: Iterable[Table | str], width: int | None = None) -> str:
    """Render tables and lines as plain text; ``width`` is the maximum width of tables."""
    texts = [part.plain(width) if isinstance(part, Table) else escaped_lines(part) for part in parts]
    return "\n".join(line.rstrip() for text in texts for line in text.splitlines())


def print_parts(console: Console, parts: Iterable[Table | str]) -> None:
    """Print tables no wider than the console, and lines unchanged: without markup, wrapping or highlighting."""
    from rich.text import Text

    for part in parts:
        # Without soft_wrap, rich crops lines that are too long even with wrapped names.
        shown = part if isinstance(part, Table) else Text(escaped_lines(part.removesuffix("\n")))
        console.print(shown, soft_wrap=True, highlight=False)


#: Characters with a special meaning in a Markdown cell.
_MARKDOWN = str.maketrans({character: f"\\{character}" for character in "\\|*_`[]~"} | {"\n": " "})


def _markdown(cell: str) -> str:
    return escape(cell, quote=False).translate(_MARKDOWN) or " "


_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        # At the beginning of a row, these would be parsed as an optional argument of the preceding row end.
        "[": "{[}",
        "*": "{*}",
        "\n": " ",
    }
)


def _latex(cell: str) -> str:
    return cell.translate(_LATEX)


def _latex_row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _number(cell: str) -> float:
    """Return the number in a cell; minus infinity for cells without a number, such as undefined measures."""
    try:
        number = float(cell)
    except ValueError:
        return -math.inf
    return -math.inf if math.isnan(number) else number


def as_latex(tables: Iterable[Table], lines: Iterable[str]) -> str:
    r"""Return tables as LaTeX, titles and lines as comments; the preamble needs ``\usepackage{booktabs}``."""
    parts = [f"% {table.title}\n{table.latex()}" for table in tables]
    comments = (" ".join(line.split("\n")) for line in lines)
    return "\n\n".join([r"% \usepackage{booktabs}", *parts, *(f"% {line}" for line in comments)]) + "\n"


def as_markdown(tables: Iterable[Table], lines: Iterable[str]) -> str:
    """Return tables as Markdown with bold titles, and the lines below them."""
    parts = [f"**{table.title}**\n\n{table.markdown()}" for table in tables]
    return "\n\n".join([*parts, *(" ".join(line.split("\n")) for line in lines)]) + "\n"


def aligned(
    rows: Sequence[Sequence[str]], left: int, gap: str, width: Callable[[str], int] = cell_len
) -> list[str]:
    """Format rows as lines, with the first columns aligned left and the others right.

    Examples
    --------
    >>> from spanrs.report.table import aligned
    >>> aligned([["type", "F1"], ["PER", "50.00"]], 1, " ")
    ['type    F1', 'PER  50.00']
    """
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        paddings = [" " * (most - width(cell)) for cell, most in zip(row, widths, strict=True)]
        lefts = [cell + padding for cell, padding in zip(row[:left], paddings, strict=False)]
        rights = [padding + cell for cell, padding in zip(row[left:], paddings[left:], strict=True)]
        lines.append(gap.join(lefts + rights))
    return lines


class Table:
    """A table with a head; the first columns are aligned left, the others right.

    Cells are stored unchanged, for CSV and JSON; control characters are escaped when the table is shown.

    Parameters
    ----------
    columns : sequence of str
        Headings.
    left : int
        Number of columns that are aligned left.
    title : str
        Title, which some formats show above the table.
    ranked : collection of str
        Headings of columns in which larger numbers are better; Markdown, LaTeX and pages show the largest number of
        each column in bold.
    ranks_rows : bool
        Whether the largest number of each row is bold instead, among all columns that are aligned right.

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

    def __init__(
        self,
        columns: Sequence[str],
        left: int = 1,
        title: str = "",
        ranked: Collection[str] = (),
        *,
        ranks_rows: bool = False,
    ) -> None:
        self.title = title
        self.columns = list(columns)
        self.left = left
        self.ranked = ranked
        self.ranks_rows = ranks_rows
        self.rows: list[list[str]] = []
        self._sections: set[int] = set()

    def add_row(self, *cells: str) -> None:
        """Add a row."""
        self.rows.append(list(cells))

    def add_section(self) -> None:
        """Start a new section: a blank line before the next row, unless it is the first row."""
        if self.rows:
            self._sections.add(len(self.rows))

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        """Return the headings and the rows with control characters escaped."""
        head, *rows = [[escaped(cell) for cell in row] for row in (self.columns, *self.rows)]
        return head, rows

    def best_cells(self) -> set[tuple[int, int]]:
        """Return the row and column of the largest numbers, as shown: several if they are equal.

        Cells without a number, such as undefined measures, are never the best.

        Examples
        --------
        >>> from spanrs.report.table import Table
        >>> table = Table(["type", "a", "b"], ranks_rows=True)
        >>> table.add_row("PER", "50.00", "60.00")
        >>> table.add_row("LOC", "-", "-")
        >>> table.best_cells()
        {(0, 2)}
        """
        if self.ranks_rows:
            columns = range(self.left, len(self.columns))
            groups = [[(row, column) for column in columns] for row in range(len(self.rows))]
        else:
            places = map(self.columns.index, self.ranked)
            groups = [[(row, column) for row in range(len(self.rows))] for column in places]
        best = set()
        for group in groups:
            values = {(row, column): _number(self.rows[row][column]) for row, column in group}
            largest = max(values.values(), default=-math.inf)
            best |= {place for place, value in values.items() if value == largest > -math.inf}
        return best

    @property
    def last_section(self) -> int:
        """Index of the first row of the last section, or the number of rows."""
        return max(self._sections, default=len(self.rows))

    def plain(self, width: int | None = None) -> str:
        """Render the table as text.

        Parameters
        ----------
        width : int, optional
            Maximum width; unlimited by default. In a wider table names and headings are wrapped, and then columns are
            split into several blocks that repeat the left columns; numbers are never broken.

        Examples
        --------
        >>> from spanrs.report.table import Table
        >>> table = Table(["type", "precision", "recall"])
        >>> table.add_row("PER", "50.00", "66.67")
        >>> print(table.plain(20))
        type  precision
        ───────────────
        PER       50.00
        <BLANKLINE>
        type  recall
        ────────────
        PER    66.67
        """
        return "\n".join(line for _, line in self._lines(width))

    def _lines(self, width: int | None) -> list[tuple[str, str]]:
        """Return the lines of the table, each with its kind: ``head``, ``rule`` or ``row``."""
        columns, cells = self._shown()
        head, *rows = aligned([columns, *cells], self.left, GAP)
        blocks = [([head], [[row] for row in rows])]
        if width is not None and max(map(cell_len, (head, *rows))) > width:
            blocks = fitted_blocks(columns, cells, self.left, width)
        lines: list[tuple[str, str]] = []
        for heads, body in blocks:
            if lines:
                lines.append(("row", ""))
            lines += [("head", line.rstrip()) for line in heads]
            longest = max(cell_len(line) for part in (heads, *body) for line in part)
            lines.append(("rule", "─" * longest))
            for at, row in enumerate(body):
                if at in self._sections:
                    lines.append(("row", ""))
                lines += [("row", line.rstrip()) for line in row]
        return lines

    def markdown(self) -> str:
        r"""Render the table as Markdown.

        Examples
        --------
        >>> from spanrs.report.table import Table
        >>> table = Table(["type", "F1"])
        >>> table.add_row("A|B", "50.00")
        >>> print(table.markdown())
        | type | F1 |
        |:---|---:|
        | A\|B | 50.00 |
        """
        rule = "|" + "".join(":---|" if at < self.left else "---:|" for at in range(len(self.columns)))
        columns, rows = self._shown()
        cells = [list(map(_markdown, row)) for row in (columns, *rows)]
        for row, column in self.best_cells():
            cells[row + 1][column] = f"**{cells[row + 1][column]}**"
        lines = ["| " + " | ".join(row) + " |" for row in cells]
        return "\n".join([lines[0], rule, *lines[1:]])

    def latex(self) -> str:
        r"""Return the table as a LaTeX ``tabular`` environment, with the rules of the package booktabs.

        Examples
        --------
        >>> from spanrs.report.table import Table
        >>> table = Table(["system", "F1"], ranked=["F1"])
        >>> table.add_row("a_b", "50.00")
        >>> table.add_row("c", "60.00")
        >>> print(table.latex())
        \begin{tabular}{lr}
        \toprule
        system & F1 \\
        \midrule
        a\_b & 50.00 \\
        c & \textbf{60.00} \\
        \bottomrule
        \end{tabular}
        """
        columns, cells = self._shown()
        rows = [list(map(_latex, row)) for row in cells]
        for place, column in self.best_cells():
            rows[place][column] = rf"\textbf{{{rows[place][column]}}}"
        lines = [r"\toprule", _latex_row(map(_latex, columns)), r"\midrule"]
        for at, row in enumerate(rows):
            lines += [r"\midrule", _latex_row(row)] if at in self._sections else [_latex_row(row)]
        kinds = "l" * self.left + "r" * (len(self.columns) - self.left)
        return "\n".join([rf"\begin{{tabular}}{{{kinds}}}", *lines, r"\bottomrule", r"\end{tabular}"])

    def html(self, most: int | None = None) -> str:
        """Render the table as an HTML fragment; rows of the last section are set in bold.

        Parameters
        ----------
        most : int, optional
            Maximum number of rows before the last section; all by default.
        """
        columns, cells = self._shown()
        rows = [[escape(cell) for cell in row] for row in cells]
        for row in rows[self.last_section :]:
            row[0] = f"<b>{row[0]}</b>"
        if most is not None and self.last_section > most:
            hidden = f"and {self.last_section - most} more"
            rows[most : self.last_section] = [[hidden, *[""] * (len(self.columns) - 1)]]
        heads = "".join(f"<th>{escape(name)}</th>" for name in columns)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
        return f'<table class="spanrs"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.text import Text

        for kind, line in self._lines(options.max_width):
            shown = line.replace("─", "-") if kind == "rule" and options.ascii_only else line
            # Text objects are used because names may look like markup.
            style = "table.header" if kind == "head" else ""
            yield Text(shown, style, no_wrap=True, overflow="ignore")
