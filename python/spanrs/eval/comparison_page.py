"""HTML reports of comparisons."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spanrs.eval import comparison_tables
from spanrs.eval.pages import located_example, mark
from spanrs.eval.paired import gold_spans, pred_spans
from spanrs.report.page import Bar, Bars, Card, Cards, Example, Examples, Section, Sorted, render

if TYPE_CHECKING:
    from spanrs.eval.paired import PairedComparison

#: What became of spans from system a to system b.
CHANGES = {
    "fixed": "gold span that only {b} finds",
    "broken": "gold span that only {a} finds",
    "removed": "wrong span of {a} alone",
    "added": "wrong span of {b} alone",
}


def comparison_page(comparison: PairedComparison, *, title: str = "Comparison of systems") -> str:
    """Return the report of a comparison: measures with intervals, tests, types, and spans fixed and broken.

    Spans are shown where the results have complete lists of errors. Every other system is compared with the first.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    title : str
        Title of the page.

    Raises
    ------
    ImportError
        Where jinja2 is not installed (``pip install spanrs[html]``).

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.eval.comparison_page import comparison_page
    >>> gold, pred = [["B-A"]] * 3, [["B-A"], ["O"], ["B-A"]]
    >>> systems = {"a": spanrs.score(gold, gold, documents=[1] * 3), "b": spanrs.score(gold, pred, documents=[1] * 3)}
    >>> "<title>A and B</title>" in comparison_page(spanrs.compare(systems, samples=100), title="A and B")
    True
    """
    return render(title, list(_comparison_sections(comparison)), signature=comparison.signature)


def _comparison_sections(comparison: PairedComparison) -> Iterator[Section]:
    pairs = comparison.pairs
    significant = sum(pair.is_significant(comparison.level) for pair in pairs)
    values = {name: system.value for name, system in comparison.systems.items()}
    best = max(values, key=lambda name: -math.inf if math.isnan(values[name]) else values[name])
    unit = "Sentences" if "sentences" in comparison.settings else "Documents"
    limit = f"p Holm at most {1 - comparison.level:.3g}"
    yield Cards(
        "Summary",
        [
            Card("Systems", str(len(comparison.systems))),
            Card(f"Best {comparison.measure.title}", comparison_tables.percent(values[best]), best),
            Card(
                "Significant differences",
                f"{significant} of {len(pairs)}",
                limit,
            ),
            Card(unit, str(comparison.documents)),
        ],
    )
    bars = [Bar(name, system.value, *system.interval) for name, system in comparison.systems.items()]
    level = f"{100 * comparison.level:g}"
    samples = comparison.settings["samples"]
    note = f"Whiskers are {level} % percentile intervals of {samples} bootstrap resamples."
    yield Bars(comparison.measure.title, bars, note=note)
    shown = comparison_tables.tables(comparison, by_type=True)[1:]
    notes = {"Differences": comparison_tables.explanation(comparison)}
    yield from (Sorted(table.title, table, notes.get(table.title, "")) for table in shown)
    names = list(comparison.systems)
    for other in names[1:]:
        changes = list(_changes(comparison, names[0], other))
        if changes:
            # Not str.format on names, which may have braces.
            kinds = {
                kind: says.replace("{a}", names[0]) if "{a}" in says else says.replace("{b}", other)
                for kind, says in CHANGES.items()
            }
            title = f"From {names[0]} to {other}"
            yield Examples(title, changes, kinds=kinds, sides=["gold", names[0], other])


def _changes(comparison: PairedComparison, a: str, b: str) -> Iterator[Example]:
    """Yield the spans that are right in one system alone, and the wrong spans of one system alone."""
    first, second = comparison.error_lists[a], comparison.error_lists[b]
    if first is None or second is None:
        return
    golds, preds = ((of(first), of(second)) for of in (gold_spans, pred_spans))
    for kind, (own, other), right in (("fixed", golds, b), ("broken", golds[::-1], a)):
        wrong = a if right == b else b
        for at in sorted(own.keys() - other.keys(), key=_place):
            error = own[at]
            marks = [mark("gold", error.gold), mark(right, error.gold, "match")]  # type: ignore[arg-type]  # has one
            if error.pred is not None:
                marks.insert(1, mark(wrong, error.pred, error.outcome))
            yield located_example(kind, error, marks)
    for kind, (own, other), name in (("removed", preds, a), ("added", preds[::-1], b)):
        for at in sorted(own.keys() - other.keys(), key=_place):
            error = own[at]
            marks = [mark(name, error.pred, error.outcome)]  # type: ignore[arg-type]  # has one
            if error.gold is not None:
                marks.insert(0, mark("gold", error.gold))
            yield located_example(kind, error, marks)


def _place(key: tuple[int, object]) -> tuple[int, str]:
    return key[0], repr(key[1])
