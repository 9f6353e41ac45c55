"""Tables of agreement."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spanrs.eval.paired import Interval
from spanrs.report.table import Table

if TYPE_CHECKING:
    from spanrs.crowd.agreement_measures import Measures

#: Maximum number of pairs of annotators in a table.
MOST_PAIRS = 100
#: Maximum number of documents in a table.
MOST_DOCUMENTS = 10
#: Names of the measures of all annotators.
NAMES = {
    "f1": "F1 of spans, exact, mean of pairs",
    "overlap_f1": "F1 of spans, overlap, mean of pairs",
    "untyped_f1": "F1 of spans, untyped, mean of pairs",
    "kappa": "Cohen's kappa, {}, mean of pairs",
    "fleiss_kappa": "Fleiss' kappa, {}",
    "alpha": "Krippendorff's alpha, {}",
    "unitized_alpha": "Krippendorff's alpha, unitizing",
    "gamma": "gamma",
}
#: Headings of measures in tables with several measures.
HEADINGS = {
    "f1": "F1",
    "overlap_f1": "overlap",
    "untyped_f1": "untyped",
    "kappa": "kappa",
    "alpha": "alpha",
    "unitized_alpha": "unitizing",
    "gamma": "gamma",
}


def tables(agreement: Measures, *, fractions: bool) -> list[Table | str]:
    """Return the tables of :meth:`spanrs.crowd.Agreement.tables`."""
    show = _fraction if fractions else _shown
    parts: list[Table | str] = [*([] if fractions else [_summary(agreement), "\n"])]
    parts += [_whole(agreement, show, fractions=fractions)]
    of_annotators = [name for name in ("f1", "overlap_f1", "untyped_f1", "kappa") if _used(agreement, name)]
    gamma = ["gamma"] * (agreement.gamma_samples is not None)
    of_types = [
        *(name for name in of_annotators if name != "untyped_f1"),
        "alpha",
        "unitized_alpha",
        *gamma,
    ]
    people = Table(["annotator", *map(HEADINGS.__getitem__, of_annotators)])
    for row in agreement.by_annotator:
        people.add_row(row.annotator, *_cells(row, of_annotators, show))
    parts += ["\n", people]
    if agreement.has_spans and agreement.by_type:
        types = Table(["type", *map(HEADINGS.__getitem__, of_types)])
        for of_type in agreement.by_type:
            types.add_row(of_type.type, *_cells(of_type, of_types, show))
        parts += ["\n", types]
    return [
        *parts,
        "\n",
        *_pairs(agreement, [*of_annotators, *gamma], show),
        *_documents(agreement, [*of_annotators, *gamma], show),
    ]


def _summary(agreement: Measures) -> str:
    text = f"{len(agreement.annotators)} annotators; documents seen by several annotators: {agreement.compared}"
    if agreement.alone:
        text += f", by one annotator: {agreement.alone}"
    if agreement.unseen:
        text += f", by none: {agreement.unseen}"
    return text


def _used(agreement: Measures, measure: str) -> bool:
    """Return whether a measure is defined for the kind of annotations."""
    if measure == "gamma":
        return agreement.gamma_samples is not None
    return agreement.has_spans or not (measure.endswith("f1") or measure == "unitized_alpha")


def _whole(agreement: Measures, show: Callable[[str, float], str], *, fractions: bool) -> Table:
    columns = ["measure", "value"]
    if agreement.samples:
        columns += ["low", "high"] if fractions else [f"{100 * agreement.level:g} % interval"]
    table = Table(columns)
    for name, title in NAMES.items():
        if not _used(agreement, name):
            continue
        cells = [title.format(agreement.positions), show(name, getattr(agreement, name))]
        if agreement.samples:
            interval = agreement.intervals.get(name)
            if fractions:
                cells += ["", ""] if interval is None else [str(interval.low), str(interval.high)]
            else:
                cells.append(shown_interval(name, interval))
        table.add_row(*cells)
    return table


def _pairs(
    agreement: Measures, measures: list[str], show: Callable[[str, float], str]
) -> list[Table | str]:
    is_exact = show is _fraction
    intervals = ["F1 interval"] * bool(
        agreement.has_spans and agreement.pairs[0].intervals and not is_exact
    )
    columns = ["annotator 1", "annotator 2", "documents", agreement.positions]
    table = Table([*columns, *map(HEADINGS.__getitem__, measures), *intervals], left=2)
    shown = agreement.pairs if is_exact else agreement.pairs[:MOST_PAIRS]
    for pair in shown:
        row = [*pair.annotators, str(pair.documents), str(pair.positions), *_cells(pair, measures, show)]
        if intervals:
            row.append(shown_interval("f1", pair.intervals["f1"]))
        table.add_row(*row)
    parts: list[Table | str] = [table]
    if len(shown) < len(agreement.pairs):
        parts.append(f"and {len(agreement.pairs) - len(shown)} more pairs; --json lists all pairs")
    return parts


def _documents(
    agreement: Measures, measures: list[str], show: Callable[[str, float], str]
) -> list[Table | str]:
    """Return the documents by agreement, lowest first; documents without a defined measure are omitted."""
    key = "f1" if agreement.has_spans else "alpha"
    defined = [row for row in agreement.by_document if not math.isnan(getattr(row, key))]
    defined.sort(key=lambda row: (getattr(row, key), row.index))
    shown = defined if show is _fraction else defined[:MOST_DOCUMENTS]
    if not shown or agreement.compared < 2:
        return []
    names = measures if agreement.has_spans else [*measures, "alpha"]
    columns = ["document", "annotators", agreement.positions]
    table = Table([*columns, *map(HEADINGS.__getitem__, names)])
    for row in shown:
        table.add_row(row.document, str(row.annotators), str(row.positions), *_cells(row, names, show))
    parts: list[Table | str] = ["\n", table]
    if len(shown) < len(defined):
        parts.append(f"the {len(shown)} with the lowest agreement; --json lists all")
    return parts


def _cells(row: Any, measures: list[str], show: Callable[[str, float], str]) -> list[str]:
    return [show(name, getattr(row, name)) for name in measures]


def _fraction(_measure: str, value: float) -> str:
    return "" if math.isnan(value) else str(value)


def _shown(measure: str, value: float) -> str:
    if math.isnan(value):
        return "undefined"
    # Adding 0 avoids a negative zero.
    return f"{100 * value:.2f}" if measure.endswith("f1") else f"{round(value, 3) + 0.0:.3f}"


def shown_interval(measure: str, interval: Interval | None) -> str:
    """Format an interval; an undefined interval is empty."""
    return "" if interval is None else " to ".join(_shown(measure, limit) for limit in interval)
