"""Results as a fragment of HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from spanrs.report.numbers import amount

if TYPE_CHECKING:
    from spanrs.eval.result import Counts, Result, Score

_HEADS = ("type", "precision", "recall", "F1", "support", "TP", "FP", "FN")


def render(result: Result) -> str:
    """Give the table of measures, per cent, with the signature below it."""
    counts = result.counts_by_type
    rows = [_row(name, score, counts[name]) for name, score in result.per_type.items()]
    rows.append(_row("micro", result.micro, result.counts, strong=True))
    rows.append(_row("macro", result.macro, None, strong=True))
    rows.append(_row("weighted", result.weighted, None, strong=True))
    heads = "".join(f"<th>{head}</th>" for head in _HEADS)
    violations = ", ".join(f"{side} {violations.count}" for side, violations in result.violations.items())
    return (
        '<table class="spanrs">'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"<p>accuracy {100 * result.accuracy:.2f}; violations: {violations}</p>"
        f"<p><code>{escape(result.signature)}</code></p>"
    )


def _row(name: str, score: Score, counts: Counts | None, *, strong: bool = False) -> str:
    measures = (score.precision, score.recall, score.f1)
    cells = [
        *(f"{100 * measure:.2f}" for measure in measures),
        amount(score.support),
        *(("", "", "") if counts is None else map(amount, counts)),
    ]
    shown = f"<b>{escape(name)}</b>" if strong else escape(name)
    return f"<tr><td>{shown}</td>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
