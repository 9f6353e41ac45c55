"""Format and destination of the tables that commands write (``--to``, ``-o``)."""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from io import StringIO
from pathlib import Path
from typing import Any, TypeVar

import click

from spanrs.cli import console
from spanrs.cli.output_files import COMPRESSED, Named, check_outputs
from spanrs.errors import escaped_lines
from spanrs.io import atomic_output
from spanrs.report.numbers import safe_cell
from spanrs.report.table import Table, as_text, print_parts

F = TypeVar("F", bound=Callable[..., Any])

#: Formats of a result.
FORMATS = ("text", "markdown", "latex", "csv", "json", "html")
#: Format for each file suffix; files without a suffix are text.
ENDINGS = {
    ".txt": "text",
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
    ".jsonl": "jsonl",
    ".svg": "svg",
}

#: Prefix of the line with the signature.
SIGNATURE = "signature "

#: A finished text, or tables and lines that :func:`render_parts` writes in any format.
Rendered = str | Iterable[Table | str]
#: Renders a result in a format, or maps formats to functions; formats without a function use the parts of ``text``.
Render = Callable[[str], Rendered] | Mapping[str, Callable[[], Rendered]]


@dataclass(frozen=True)
class Output:
    """Format and destination of the result of a command; see :func:`table_output`.

    Examples
    --------
    >>> from spanrs.cli.output import Output
    >>> from spanrs.report.table import Table
    >>> table = Table(["type", "F1"])
    >>> table.add_row("PER", "50.00")
    >>> Output("markdown").write({"text": lambda: [table], "json": lambda: '{"PER": 0.5}'})
    | type | F1 |
    |:---|---:|
    | PER | 50.00 |
    """

    to: str = "text"
    """The format, one of :data:`FORMATS`."""
    path: str | None = None
    """The file; None and ``-`` are standard output."""
    named: bool = True
    """Whether the user specified the format; otherwise the file suffix or the default determined it."""
    option: str = "-o"
    """The option that names the file."""

    @property
    def to_stdout(self) -> bool:
        """Whether the result goes to standard output."""
        return console.is_standard_output(self.path)

    def at(self, path: str | None) -> Output:
        """Return the output for another file, whose suffix determines the format if the user specified none."""
        return replace(self, path=path) if self.named else resolve_output(None, path)

    def check_format(self) -> None:
        """Raise ImportError if the format needs a package that is not installed."""
        if self.to == "html":
            # Lazy: rarely used.
            from spanrs.report.pages import template

            template("spanrs.report", "page.html")

    def check(self, inputs: Iterable[Named] = (), *others: tuple[str, Named]) -> None:
        """Refuse an output that cannot be written; to be called before any work.

        Parameters
        ----------
        inputs : iterable of path
            As for :func:`spanrs.cli.output_files.check_outputs`.
        *others : (str, path)
            The other outputs of the command, each with its option.

        Raises
        ------
        click.UsageError
            As for :func:`spanrs.cli.output_files.check_outputs`.
        ImportError
            Same as for :meth:`check_format`.
        """
        self.check_format()
        check_outputs([*others, (self.option, self.path)], inputs)

    def write(
        self,
        render: Render,
        *,
        title: str | None = None,
        err: bool = False,
    ) -> None:
        """Write a result to the file atomically, or print the result.

        On a terminal, text is printed by rich, and tables are no wider than the terminal; for other formats, files and
        pipes the output is UTF-8 text of any width.

        Parameters
        ----------
        render : callable or mapping
            A function that is called with the format, or a function for each format. Each function returns the finished
            text, or tables and lines to be written in that format. Formats without an entry in the mapping are rendered
            from the tables and lines that the entry ``text`` returns.
        title : str, optional
            Title of an HTML page; the name of the command if not given.
        err : bool
            Print to standard error, because standard output contains data.
        """
        rendered = render.get(self.to, render["text"])() if isinstance(render, Mapping) else render(self.to)
        if not isinstance(rendered, str):
            parts = list(rendered)
            stream = sys.stderr if err else sys.stdout
            if self.to == "text" and self.to_stdout and stream.isatty():
                from rich.console import Console

                print_parts(Console(stderr=err), parts)
                return
            rendered = render_parts(parts, self.to, title or _command_path())
        self._write_text(rendered.rstrip("\n"), err=err)

    def _write_text(self, text: str, *, err: bool) -> None:
        if self.to == "text":
            text = escaped_lines(text)
        if not self.to_stdout:
            with atomic_output(self.path) as out:
                out.write(f"{text}\n".encode("utf-8", "backslashreplace"))
        elif err:
            console.echo(text, err=True)
        elif self.to == "text":
            console.echo_table(text)
        elif hasattr(sys.stdout, "buffer") and not sys.stdout.isatty():
            # Programs read these formats as UTF-8, regardless of the encoding of the terminal.
            click.echo(text.encode("utf-8", "backslashreplace"))
        else:
            console.echo(text)
        sys.stdout.flush()


def table_output(function: F) -> F:
    """Pass ``--to``, ``--json`` and ``-o`` or ``--report`` as ``output``, an :class:`Output`."""

    @wraps(function)
    def wrapped(*args: Any, to: str | None, as_json: bool, **parameters: Any) -> Any:
        if as_json and to not in (None, "json"):
            raise click.UsageError(f"--json and --to {to} are different formats; use one of them")
        name = "report" if "report" in parameters else "output_path"
        option = "--report" if name == "report" else "-o"
        formats = click.get_current_context().command.formats  # type: ignore[attr-defined]  # of described commands
        output = resolve_output("json" if as_json else to, parameters.pop(name), formats, option=option)
        return function(*args, output=output, **parameters)

    return wrapped  # type: ignore[return-value]  # click takes any callable


def resolve_output(
    to: str | None, path: str | None, formats: Sequence[str] = FORMATS, *, option: str = "-o"
) -> Output:
    """Return the output for a format and a path; without a format, the file suffix determines the format.

    Raises
    ------
    click.UsageError
        For an unknown file suffix.

    Examples
    --------
    >>> from spanrs.cli.output import resolve_output
    >>> resolve_output(None, "scores.tex").to, resolve_output("csv", "scores.tex").to
    ('latex', 'csv')
    """
    if to is not None:
        return Output(to, path, option=option)
    ending = "" if path is None else Path(path).suffix.lower()
    if (
        ending
        and ending not in COMPRESSED
        and ENDINGS.get(ending) not in formats
        and not Path(str(path)).is_dir()
    ):
        endings = ", ".join(ending for ending, name in ENDINGS.items() if name in formats)
        raise click.UsageError(
            f"{option} {path}: the suffix {ending} is not a known format; use one of {endings}, or give one with --to"
        )
    return Output(ENDINGS.get(ending, "text"), path, named=False, option=option)


def _command_path() -> str:
    context = click.get_current_context(silent=True)
    return "spanrs" if context is None else context.command_path


def render_parts(parts: Iterable[Table | str], to: str, title: str = "spanrs") -> str:
    r"""Render tables and lines, such as the signature, in a format.

    Parameters
    ----------
    parts : iterable of Table or str
        The tables and lines, in the order of the output.
    to : str
        ``text``; ``markdown``: lines become code blocks; ``latex``: lines become comments; ``csv``: tables only;
        several tables are combined into one, with a first column ``table`` and the columns of all tables; ``json``: an
        object with ``tables`` and ``lines``; ``html``: a page.
    title : str
        Title of the page.

    Examples
    --------
    >>> from spanrs.cli.output import render_parts
    >>> from spanrs.report.table import Table
    >>> table = Table(["type", "F1"])
    >>> table.add_row("PER", "50.00")
    >>> render_parts([table, "signature matcher:exact"], "csv")
    'type,F1\nPER,50.00\n'
    """
    everything = list(parts)
    if to == "text":
        return as_text(everything)
    if to == "html":
        return _html(everything, title)
    tables = [part for part in everything if isinstance(part, Table)]
    if to == "csv":
        return _csv(tables)
    if to == "json":
        lines = [part for part in everything if isinstance(part, str) and part.strip()]
        rows = [{"title": _name(table), "columns": table.columns, "rows": table.rows} for table in tables]
        return json.dumps({"tables": rows, "lines": lines}, ensure_ascii=False)
    if to == "markdown":
        return "\n\n".join(
            part if is_table else _fenced(part) for is_table, part in _grouped(everything, to)
        )
    if to == "latex":
        shown = []
        for is_table, part in _grouped(everything, to):
            shown.append(part if is_table else "\n".join(f"% {line}" for line in part.splitlines()))
        return "\n\n".join(shown)
    raise ValueError(f"unknown format {to!r}; expected one of {', '.join(FORMATS)}")


def _grouped(parts: Iterable[Table | str], to: str) -> list[tuple[bool, str]]:
    """Render each table, and consecutive lines as one text; the bool is True for tables."""
    groups: list[tuple[bool, str]] = []
    for part in parts:
        if isinstance(part, Table):
            groups.append((True, _titled(part, to)))
        elif not (text := as_text([part]).strip("\n")):
            continue  # Skip empty lines between tables.
        elif groups and not groups[-1][0]:
            groups[-1] = (False, f"{groups[-1][1]}\n{text}")
        else:
            groups.append((False, text))
    return groups


def _titled(table: Table, to: str) -> str:
    """Render a table below its title, if the table has a title."""
    title, shown = {
        "markdown": (f"**{table.title}**\n\n", table.markdown),
        "latex": (f"% {table.title}\n", table.latex),
    }[to]
    return (title if table.title else "") + shown()


def _fenced(text: str) -> str:
    """Render lines as a code block of Markdown."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


def _name(table: Table) -> str:
    """Return the title of a table; if there is none, the heading of the first column."""
    return table.title or table.columns[0]


def records_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Return rows as CSV, with the keys of all rows as columns; undefined numbers are empty.

    Examples
    --------
    >>> from spanrs.cli.output import records_csv
    >>> records_csv([{"annotator": "ann", "f1": 0.5}, {"annotator": "ben", "f1": float("nan")}])
    'annotator,f1\nann,0.5\nben,\n'
    """
    columns = list(dict.fromkeys(key for row in rows for key in row))
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(map(safe_cell, columns))
    for row in rows:
        cells = (row.get(column) for column in columns)
        out.writerow("" if cell is None or str(cell) == "nan" else _csv_cell(str(cell)) for cell in cells)
    return text.getvalue()


def _csv(tables: Sequence[Table]) -> str:
    keys = [_distinct(table.columns) for table in tables]
    columns = list(dict.fromkeys(key for table_keys in keys for key in table_keys))
    several = len(tables) > 1
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(["table"] * several + [safe_cell(head) for head, _ in columns])
    for table, table_keys in zip(tables, keys, strict=True):
        names = [safe_cell(_name(table))] * several
        for row in table.rows:
            cells = dict(zip(table_keys, row, strict=True))
            out.writerow(names + [_csv_cell(cells.get(key, "")) for key in columns])
    return text.getvalue()


def _distinct(heads: Iterable[str]) -> list[tuple[str, int]]:
    """Pair each heading with the number of equal headings before it; a type may have the name of an outcome."""
    seen: Counter[str] = Counter()
    keys = []
    for head in heads:
        keys.append((head, seen[head]))
        seen[head] += 1
    return keys


def _csv_cell(cell: str) -> str:
    """Protect text that a spreadsheet would interpret as a formula, except negative numbers."""
    try:
        float(cell)
    except ValueError:
        return cell if cell == "-" else str(safe_cell(cell))
    return cell


def _html(parts: Iterable[Table | str], title: str) -> str:
    """Render an HTML report; a line before the first table becomes the subtitle, and the signature comes last."""
    # Lazy: rarely used.
    from spanrs.report.page import Lines, Section, Sorted, render

    sections: list[Section] = []
    subtitle = signature = ""
    lines: list[str] = []

    def close_lines() -> None:
        if lines:
            sections.append(Lines("Notes", list(lines)))
            lines.clear()

    for part in parts:
        if isinstance(part, Table):
            if not sections and len(lines) == 1:
                subtitle = lines.pop()
            close_lines()
            name = _name(part)
            sections.append(Sorted(name[:1].upper() + name[1:], part))
            continue
        for line in part.split("\n"):
            if line.startswith(SIGNATURE):
                signature = line.removeprefix(SIGNATURE)
            elif line.strip():
                lines.append(line)
    close_lines()
    return render(title, sections, subtitle=subtitle, signature=signature)
