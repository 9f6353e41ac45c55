"""Partial matching as a text table; measures in per cent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanrs.report.table import Printer, Table, as_text
from spanrs.report.text import line

if TYPE_CHECKING:
    from spanrs.eval.partial_result import PartialResult, PartialScore

COLUMNS = ("precision", "recall", "F1", "correct", "incorrect", "partial", "missed", "spurious")


def render(result: PartialResult) -> str:
    """Give a result as plain text of any width."""
    return as_text(lambda console: show(console, result))


def show(console: Printer, result: PartialResult) -> None:
    """Print a result on a console."""
    table = Table(["type", "mode", *COLUMNS], left=2)
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


def _rows(table: Table, kind: str, modes: dict[str, PartialScore]) -> None:
    for at, (mode, score) in enumerate(modes.items()):
        measures = (f"{100 * value:.2f}" for value in (score.precision, score.recall, score.f1))
        # A type is named once, at its first mode.
        table.add_row(kind if at == 0 else "", mode, *measures, *map(str, score.counts))
