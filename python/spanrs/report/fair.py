"""Fair results as text tables, plain data and CSV; tables in per cent."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from spanrs.report.numbers import amount, safe_cell
from spanrs.report.table import Printer, Table, as_text
from spanrs.report.text import describe_preds, describe_violations, line

if TYPE_CHECKING:
    from spanrs.eval.fair_result import FairDocument, FairResult, FairScores

#: The evaluations of a fair result, in the order in which they are shown.
VERSIONS = ("exact", "fair", "weighted")
#: What is counted, in the order in which it is shown.
KINDS = ("TP", "FP", "FN", "LE", "BE", "LBE", "BES", "BEL", "BEO")
#: What stands for no span in a confusion.
NOTHING = "(none)"
#: Types up to which the confusion is shown as text.
MOST = 20


def render(
    result: FairResult,
    *,
    names: tuple[str, str] = ("gold", "pred"),
    max_violations: int = 5,
    versions: Sequence[str] = VERSIONS,
) -> str:
    """Give a result as plain text of any width; the arguments are those of :func:`show`."""
    return as_text(
        lambda console: show(console, result, names=names, max_violations=max_violations, versions=versions)
    )


def render_systems(results: Mapping[str, FairResult]) -> str:
    """Give a row for each system as plain text of any width."""
    return as_text(lambda console: show_systems(console, results))


def show(
    console: Printer,
    result: FairResult,
    *,
    names: tuple[str, str] = ("gold", "pred"),
    max_violations: int = 5,
    versions: Sequence[str] = VERSIONS,
) -> None:
    """Print a result on a console.

    Parameters
    ----------
    console : rich.console.Console or spanrs.report.table.Lines
        Where to.
    result : FairResult
        What.
    names : (str, str)
        How gold and pred are called, their paths for instance.
    max_violations : int
        Violations to list a side.
    versions : sequence of str
        Which evaluations to show, of :data:`VERSIONS`.
    """
    console.print(_measures(result, versions))
    console.print(_kinds(result, versions))
    if len(result.per_type) <= MOST:
        console.print(_confusion(result))
    else:
        line(console, f"confusion  of {len(result.per_type)} types is too wide here; JSON and HTML have it")
    if result.documents:
        console.print(_documents(result, versions))
    if result.detection:
        line(console, f"scheme    {result.detection}")
    if result.pred_detection:
        line(console, f"pred      {result.pred_detection}")
    line(console, f"sentences {amount(result.sentences)}")
    for (side, violations), name in zip(result.violations.items(), names, strict=False):
        lines = describe_violations(violations, name, max_violations)
        for text in (f"{side} violations  {violations.count}", *lines):
            line(console, text)
    line(console, f"signature {result.signature}")


def show_systems(console: Printer, results: Mapping[str, FairResult]) -> None:
    """Print a row for each system: F1 of every evaluation, what was counted, and violations of pred."""
    heads, cells = describe_preds(results)
    table = Table(["system", *(f"{version} F1" for version in VERSIONS), *KINDS[:6], *heads])
    for system, result in results.items():
        f1 = (f"{100 * getattr(result, version).f1:.2f}" for version in VERSIONS)
        table.add_row(system, *f1, *map(amount, result.counts[:6]), *cells[system])
    console.print(table)
    for text in dict.fromkeys(f"signature {result.signature}" for result in results.values()):
        line(console, text)


def _measures(result: FairResult, versions: Sequence[str]) -> Table:
    table = Table(["evaluation", "precision", "recall", "F1"])
    for version in versions:
        score = getattr(result, version)
        measures = (f"{100 * value:.2f}" for value in (score.precision, score.recall, score.f1))
        table.add_row(version, *measures)
    return table


def _kinds(result: FairResult, versions: Sequence[str]) -> Table:
    table = Table(["type", *heads(versions)])
    for name, scores in result.per_type.items():
        table.add_row(name, *cells(scores, versions))
    table.add_section()
    table.add_row("all", *cells(result.overall, versions))
    return table


def heads(versions: Sequence[str]) -> list[str]:
    """Give the headings of :func:`cells`."""
    return [*(f"{version} F1" for version in versions), "support", *kinds(versions)]


def kinds(versions: Sequence[str]) -> tuple[str, ...]:
    """Give what is counted: traditionally, if nothing else is shown, else fairly."""
    return KINDS[:3] if list(versions) == ["exact"] else KINDS


def cells(scores: FairScores, versions: Sequence[str]) -> list[str]:
    """Give F1 in per cent, support and counts as text."""
    f1 = [f"{100 * getattr(scores, version).f1:.2f}" for version in versions]
    counts = scores.exact_counts if list(versions) == ["exact"] else scores.counts
    return [*f1, amount(scores.exact.support), *map(amount, counts)]


def _confusion(result: FairResult) -> Table:
    names = [NOTHING if name is None else name for name in result.confusion]
    table = Table(["gold \\ pred", *names])
    for gold, row in result.confusion.items():
        # A zero is nothing to look at.
        numbers = (amount(n) if n else "." for n in row.values())
        table.add_row(NOTHING if gold is None else gold, *numbers)
    return table


def _documents(result: FairResult, versions: Sequence[str]) -> Table:
    table = Table(["document", *heads(versions)])
    for row in result.documents:
        table.add_row(_name(row), *cells(row.scores, versions))
    return table


def _name(row: FairDocument) -> str:
    return str(row.document) if row.name is None else row.name


def plain(result: FairResult, versions: Sequence[str] = VERSIONS) -> dict[str, Any]:
    """Give everything as plain dictionaries, lists, strings and numbers."""

    def chosen(scores: FairScores) -> dict[str, Any]:
        numbers = scores.to_dict()
        return {key: n for key, n in numbers.items() if key in versions or key not in VERSIONS}

    everything: dict[str, Any] = {
        "overall": chosen(result.overall),
        "per_type": {name: chosen(scores) for name, scores in result.per_type.items()},
        "confusion": [
            {"gold": gold, "pred": pred, "count": n}
            for gold, row in result.confusion.items()
            for pred, n in row.items()
            if n
        ],
        "weights": {kind: dict(parts) for kind, parts in result.weights.items()},
        "sentences": result.sentences,
        "violations": {side: found.to_dict() for side, found in result.violations.items()},
        "detection": result.detection,
        "pred_detection": result.pred_detection,
        "warnings": result.warnings,
        "signature": result.signature,
    }
    if result.documents:
        everything["documents"] = [
            {"document": row.document, "name": row.name, "sentences": row.sentences} | chosen(row.scores)
            for row in result.documents
        ]
    if result.errors is not None:
        everything["errors"] = [
            {
                "kind": error.kind,
                "sentence": error.sentence,
                "gold": error.gold and error.gold._asdict(),
                "pred": error.pred and error.pred._asdict(),
            }
            for error in result.errors
        ]
    return everything


def csv_text(result: FairResult, versions: Sequence[str] = VERSIONS) -> str:
    """Give a row for each type and evaluation, and for all types, whose type is empty.

    Then rows for each document, where there are any, in a column of their own; it is empty for the corpus.
    """
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    measures = ("precision", "recall", "f1", "support")
    rows = [("", name, scores) for name, scores in [*result.per_type.items(), ("", result.overall)]]
    rows += [(_name(row), "", row.scores) for row in result.documents]
    # Only results that have documents need to say whose a row is.
    first = ("document",) if result.documents else ()
    out.writerow((*first, "type", "evaluation", *measures, *(kind.lower() for kind in KINDS)))
    for document, name, scores in rows:
        for version in versions:
            score = getattr(scores, version)
            counts = scores.exact_counts if version == "exact" else scores.counts
            numbers = [getattr(score, measure) for measure in measures]
            padding = [""] * (len(KINDS) - len(counts))
            names = [document, name] if first else [name]
            out.writerow([*map(safe_cell, names), version, *numbers, *counts, *padding])
    return text.getvalue()
