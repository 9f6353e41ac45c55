"""Partial matching as a text table; measures in per cent."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from spanrs.report.text import line

if TYPE_CHECKING:
    from spanrs.eval.partial_result import PartialResult, PartialScore

COLUMNS = ("precision", "recall", "F1", "correct", "incorrect", "partial", "missed", "spurious")


def render(result: PartialResult) -> str:
    """Give a result as plain text of any width."""
    console = Console(file=StringIO(), width=10_000, color_system=None, legacy_windows=False)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("type", no_wrap=True)
    table.add_column("mode", no_wrap=True)
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for kind, modes in result.per_type.items():
        _rows(table, kind, modes)
        table.add_section()
    _rows(table, "all", result.modes)
    console.print(table)
    if result.detection:
        line(console, f"scheme    {result.detection}")
    if result.pred_detection:
        line(console, f"pred      {result.pred_detection}")
    line(console, f"signature {result.signature}")
    text = console.file
    assert isinstance(text, StringIO)
    return "\n".join(row.rstrip() for row in text.getvalue().splitlines())


def _rows(table: Table, kind: str, modes: dict[str, PartialScore]) -> None:
    for at, (mode, score) in enumerate(modes.items()):
        measures = (f"{100 * value:.2f}" for value in (score.precision, score.recall, score.f1))
        # A type is named once, at its first mode.
        table.add_row(Text(kind if at == 0 else ""), mode, *measures, *map(str, score.counts))
