"""HTML reports of comparisons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from spanrs.eval import comparison_tables
from spanrs.eval.pages import MOST_ERRORS, located_example, mark
from spanrs.eval.paired import gold_spans, pred_spans
from spanrs.report.numbers import percent
from spanrs.report.page import Bar, Bars, Card, Cards, Example, Examples, Section, Sorted, render
from spanrs.report.pages import cut_by_kind

if TYPE_CHECKING:
    from spanrs.eval.details import ErrorList
    from spanrs.eval.paired import PairedComparison

    #: The kind of change, the error list of the system with the error, and the index of the error in this list.
    Change = tuple[str, ErrorList, int]

#: Changes of spans from system a to system b.
CHANGES = {
    "fixed": "gold span found only by {b}",
    "broken": "gold span found only by {a}",
    "removed": "wrong span only in {a}",
    "added": "wrong span only in {b}",
}


def comparison_page(comparison: PairedComparison, *, title: str = "Comparison of systems") -> str:
    """Return the report of a comparison: measures with intervals, tests, types, and spans fixed and broken.

    Spans are shown if the results have complete lists of errors. The first system is compared with each other system.

    Parameters
    ----------
    comparison : Comparison
        The comparison.
    title : str
        Title of the page.

    Raises
    ------
    ImportError
        If jinja2 is not installed (``pip install spanrs[html]``).

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.eval.comparison_page import comparison_page
    >>> gold, pred = [["B-A"]] * 3, [["B-A"], ["O"], ["B-A"]]
    >>> systems = {"a": spanrs.score(gold, gold, by=[1] * 3), "b": spanrs.score(gold, pred, by=[1] * 3)}
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
            Card(f"Best {comparison.measure.title}", percent(values[best]), best),
            Card(
                "Significant differences",
                f"{significant} of {sum(not math.isnan(pair.p_value) for pair in pairs)}",
                limit,
            ),
            Card(unit, str(comparison.documents)),
        ],
    )
    bars = [Bar(name, system.value, *system.interval) for name, system in comparison.systems.items()]
    level = f"{100 * comparison.level:g}"
    samples = comparison.settings["samples"]
    note = f"Whiskers are {level} % percentile intervals of {samples} bootstrap resamples."
    if comparison.has_seeds:
        note = f"Bars are means over seeds, whiskers {level} % intervals over seeds and documents."
    yield Bars(comparison.measure.title, bars, note=note)
    shown = comparison_tables.tables(comparison, by_type=True)[1:]
    notes = {"Differences": comparison_tables.explanation(comparison)}
    yield from (Sorted(table.title, table, notes.get(table.title, "")) for table in shown)
    names = list(comparison.systems)
    for later in names[1:]:
        if section := _changes_section(comparison, names[0], later):
            yield section


def _changes_section(comparison: PairedComparison, a: str, b: str) -> Examples | None:
    """Return the spans that changed between two systems; None if errors are unknown or nothing changed."""
    changes = _changes(comparison, a, b)
    if not changes:
        return None
    shown = cut_by_kind(changes, lambda change: change[0], MOST_ERRORS // (len(comparison.systems) - 1))
    note = ""
    if len(shown) < len(changes):
        note = f"{len(shown)} of {len(changes)} spans are shown, the first of each kind."
    # str.format is not used, because names may contain braces.
    kinds = {
        kind: says.replace("{a}", a) if "{a}" in says else says.replace("{b}", b)
        for kind, says in CHANGES.items()
    }
    return Examples(
        f"From {a} to {b}",
        [_changed(change, (a, b)) for change in shown],
        note=note,
        kinds=kinds,
        sides=["gold", a, b],
        numbers=Counter(kind for kind, *_ in changes),
    )


def _changes(comparison: PairedComparison, a: str, b: str) -> list[Change]:
    """Return the gold spans found by only one system, and the wrong spans of only one system."""
    first, second = comparison.error_lists[a], comparison.error_lists[b]
    if first is None or second is None:
        return []
    changes: list[Change] = []
    for kinds, of in ((("fixed", "broken"), gold_spans), (("removed", "added"), pred_spans)):
        sides = ((first, of(first)), (second, of(second)))
        for kind, (errors, keys), (_, others) in zip(kinds, sides, sides[::-1], strict=True):
            places = sorted(keys.keys() - others.keys(), key=_sortable)
            changes += [(kind, errors, keys[place]) for place in places]
    return changes


def _changed(change: Change, systems: tuple[str, str]) -> Example:
    """Return a change as shown on the page, with the error of the only system that has this error."""
    kind, errors, at = change
    error = errors[at]
    wrong, right = systems if kind in ("fixed", "removed") else systems[::-1]
    marks = [] if error.gold is None else [mark("gold", error.gold)]
    if error.pred is not None:
        marks.append(mark(wrong, error.pred, error.outcome))
    if error.gold is not None and kind in ("fixed", "broken"):
        marks.append(mark(right, error.gold, "match"))
    return located_example(kind, error, marks)


def _sortable(place: tuple[int, object]) -> tuple[int, str]:
    return place[0], repr(place[1])
