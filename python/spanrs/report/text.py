"""Results as text tables; measures in per cent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from spanrs.report.numbers import amount
from spanrs.report.table import Printer, Table, as_text

if TYPE_CHECKING:
    from spanrs.eval.fair_result import FairResult
    from spanrs.eval.result import Counts, Result, Score, Violations

#: Violations shown a side.
SHOWN = 5
MEASURES = ("precision", "recall", "F1", "support", "TP", "FP", "FN")


def render(
    result: Result,
    *,
    names: tuple[str, str] = ("gold", "pred"),
    max_violations: int = SHOWN,
    untyped: bool = False,
) -> str:
    """Give a result as plain text of any width; the arguments are those of :func:`show`."""
    return as_text(
        lambda console: show(console, result, names=names, max_violations=max_violations, untyped=untyped)
    )


def show(
    console: Printer,
    result: Result,
    *,
    names: tuple[str, str] = ("gold", "pred"),
    max_violations: int = SHOWN,
    untyped: bool = False,
) -> None:
    """Print a result on a console.

    Parameters
    ----------
    console : rich.console.Console or spanrs.report.table.Lines
        Where to.
    result : Result
        What.
    names : (str, str)
        How gold and pred are called, their paths for instance.
    max_violations : int
        Violations to list a side.
    untyped : bool
        A row for spans by their bounds alone as well.
    """
    console.print(_measures(result, untyped=untyped))
    if result.documents:
        console.print(_documents(result))
    if result.detection:
        line(console, f"scheme    {result.detection}")
    if result.pred_detection:
        line(console, f"pred      {result.pred_detection}")
    line(
        console,
        f"accuracy  {100 * result.accuracy:.2f} of {amount(result.tokens)} tokens "
        f"in {amount(result.sentences)} sentences",
    )
    for side, name in zip(("gold", "pred"), names, strict=True):
        lines = describe_violations(result.violations[side], name, max_violations)
        for text in (f"{side} violations  {result.violations[side].count}", *lines):
            line(console, text)
    line(console, f"signature {result.signature}")


def render_systems(results: Mapping[str, Result]) -> str:
    """Give a row for each system as plain text of any width: micro measures, counts, :func:`describe_preds`."""

    def show_systems(console: Printer) -> None:
        heads, cells = describe_preds(results)
        table = Table(["system", *MEASURES, *heads])
        for system, result in results.items():
            table.add_row(system, *_cells(result.micro, result.counts), *cells[system])
        console.print(table)
        for signature in dict.fromkeys(result.signature for result in results.values()):
            line(console, f"signature {signature}")

    return as_text(show_systems)


def describe_preds(
    results: Mapping[str, Result] | Mapping[str, FairResult],
) -> tuple[list[str], dict[str, list[str]]]:
    """Give columns for a table of systems, heads and cells: violations of pred, differing tokens if there are any."""
    heads = ["violations"]
    cells = {system: [amount(result.violations["pred"].count)] for system, result in results.items()}
    if any(result.differing_tokens for result in results.values()):
        heads.append("differing")
        for system, result in results.items():
            cells[system].append(amount(result.differing_tokens))
    return heads, cells


def line(console: Printer, text: str) -> None:
    """Print a line as it is: no markup, no wrapping, no colours for numbers."""
    console.print(Text(text), soft_wrap=True, highlight=False)


def describe_violations(violations: Violations, name: str, shown: int) -> Iterable[str]:
    """Give one line for each of the first violations, and one for the rest."""
    for located in violations.first[:shown]:
        place = f"{name}:{located.line}" if located.line else f"{name} sentence {located.sentence}"
        violation = located.violation
        yield f"  {place} token {violation.index}: {violation}; {violation.action}"
    rest = violations.count - min(shown, len(violations.first))
    if rest > 0 and violations.first[:shown]:
        yield f"  and {rest} more"


def _measures(result: Result, *, untyped: bool) -> Table:
    table = Table(["type", *MEASURES])
    counts = result.counts_by_type
    for name, score in result.per_type.items():
        table.add_row(name, *_cells(score, counts[name]))
    table.add_section()
    table.add_row("micro", *_cells(result.micro, result.counts))
    table.add_row("macro", *_cells(result.macro, None))
    table.add_row("weighted", *_cells(result.weighted, None))
    if untyped:
        table.add_row("untyped", *_cells(result.untyped, result.untyped_counts))
    return table


def _documents(result: Result) -> Table:
    table = Table(["document", *MEASURES], left=0)
    for row in result.documents:
        table.add_row(str(row.document), *_cells(row.micro, row.counts))
    return table


def _cells(score: Score, counts: Counts | None) -> list[str]:
    measures = (score.precision, score.recall, score.f1)
    return [
        *(f"{100 * measure:.2f}" for measure in measures),
        amount(score.support),
        *(("", "", "") if counts is None else map(amount, counts)),
    ]
