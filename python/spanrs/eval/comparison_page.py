"""HTML reports of comparisons."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from spanrs.eval import comparison_tables
from spanrs.eval.comparison_tables import p_text, signed, stars, whiskers_note
from spanrs.eval.entries import Outcome, entries, mark
from spanrs.eval.error_section import MOST_ERRORS
from spanrs.eval.measures import Measure
from spanrs.eval.pages import capitalized, draw_intervals
from spanrs.eval.paired import gold_spans, pred_spans
from spanrs.report.numbers import percent, percent_range
from spanrs.report.page import (
    Bar,
    Bars,
    Card,
    Cards,
    Difference,
    Examples,
    Lines,
    Matrix,
    Section,
    Sorted,
    render,
)

if TYPE_CHECKING:
    from spanrs.eval.details import ErrorList
    from spanrs.eval.paired import Pair, PairedComparison

#: Changes of spans from system a to system b.
CHANGES = {
    "fixed": "gold span found only by {b}",
    "broken": "gold span found only by {a}",
    "removed": "wrong span only in {a}",
    "added": "wrong span only in {b}",
}
#: Maximum number of systems for which the changes between all pairs are listed.
MOST_SYSTEMS = 4


def comparison_page(comparison: PairedComparison, *, title: str = "Comparison of systems") -> str:
    """Return the report of a comparison: differences of all pairs, spans fixed and broken, intervals, tests and types.

    Spans are shown if the results have complete lists of errors. With up to :data:`MOST_SYSTEMS` systems, the changes
    of each pair are listed; with more systems, or a baseline, those from the first system or the baseline.

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
    yield _summary(comparison)
    listed = listed_pairs(comparison)
    lists = [section for a, b in listed if (section := _changes_section(comparison, a, b, len(listed)))]
    if len(lists) > 1:
        lists = [lists[0], *(replace(section, is_folded=True) for section in lists[1:])]
    titles = {section.title for section in lists}
    changes = {pair: changes_title(*pair) for pair in listed if changes_title(*pair) in titles}
    yield _matrix(comparison, changes)
    if lists:
        yield from lists
    else:
        yield Lines("Fixed and broken spans", [_reason_without_changes(comparison)])
    bars = [Bar(name, system.value, *system.interval) for name, system in comparison.systems.items()]
    yield Bars(capitalized(comparison.measure.title), bars, note=whiskers_note(comparison))
    yield from _tables(comparison)


def _summary(comparison: PairedComparison) -> Cards:
    pairs = comparison.pairs
    significant = sum(pair.is_significant(comparison.level) for pair in pairs)
    values = {name: system.value for name, system in comparison.systems.items()}
    best = max(values, key=lambda name: -math.inf if math.isnan(values[name]) else values[name])
    unit = "Sentences" if "sentences" in comparison.settings else "Documents"
    limit = f"p Holm at most {1 - comparison.level:.3g}"
    tested = sum(not math.isnan(pair.p_value) for pair in pairs)
    return Cards(
        "Summary",
        [
            Card("Systems", str(len(comparison.systems))),
            Card(f"Best {comparison.measure.title}", percent(values[best]), best),
            Card("Significant differences", f"{significant} of {tested}", limit),
            Card(unit, str(comparison.documents)),
        ],
    )


def _tables(comparison: PairedComparison) -> Iterator[Section]:
    """Return the tables of pairs and types, the latter with the intervals of each system."""
    for table in comparison_tables.tables(comparison, by_type=True)[1:]:
        if table.title == "Differences":
            yield Sorted(
                "Differences and tests",
                table,
                f"Differences are a minus b. {capitalized(comparison_tables.explanation(comparison))}.",
            )
        elif table.title == "Types":
            remarks = _type_intervals(comparison)
            note = "The best value of each type is bold and underlined." if table.ranks_rows else ""
            if remarks:
                note = f"{note} Small: {100 * comparison.level:g} % percentile intervals.".strip()
            title = f"{capitalized(comparison.measure.title)} of types"
            yield Sorted(title, table, note, remarks)
        else:
            yield Sorted(table.title, table)


def _type_intervals(comparison: PairedComparison) -> dict[tuple[int, int], str]:
    """Return the intervals of each type and system as remarks of the table of types; none with several seeds."""
    measure = comparison.measure
    if comparison.has_seeds or not isinstance(measure, Measure):
        return {}
    remarks = {}
    for column, name in enumerate(comparison.systems, 1):
        types = list(comparison.systems[name].per_type)
        measures = {ty: replace(measure, type=ty) for ty in types}
        result = comparison.results[name]
        drawn = draw_intervals(result, [*measures.values()]) if measures else None
        for row, ty in enumerate(types):
            if drawn is not None and not math.isnan(comparison.systems[name].per_type[ty]):
                low, high = drawn.interval(measures[ty], comparison.level)
                remarks[row, column] = percent_range(low, high)
    return remarks


def listed_pairs(comparison: PairedComparison) -> list[tuple[str, str]]:
    """Return the pairs of systems whose changes are listed, each in the direction of the changes."""
    names = list(comparison.systems)
    pairs = comparison.pairs
    if len(pairs) < math.comb(len(names), 2):
        # All pairs are with the baseline, which is b.
        return [(pair.b, pair.a) for pair in pairs]
    if len(names) <= MOST_SYSTEMS:
        return list(combinations(names, 2))
    return [(names[0], later) for later in names[1:]]


def changes_title(a: str, b: str) -> str:
    """Return the title of the list of changes from a to b."""
    return f"From {a} to {b}"


def _matrix(comparison: PairedComparison, changes: dict[tuple[str, str], str]) -> Matrix:
    """Return the differences of all pairs, each of which links to its list of changes."""
    names = list(comparison.systems)
    places = {name: at for at, name in enumerate(names)}
    cells = []
    for pair in comparison.pairs:
        target = changes.get((pair.a, pair.b)) or changes.get((pair.b, pair.a)) or ""
        cells += [_cell(comparison, pair, places, target, sign) for sign in (1, -1)]
    notes = [
        f"{capitalized(comparison.measure.title)} of the row minus that of the column, in points; green: the row is "
        f"higher, orange: lower. A frame marks significant differences (p Holm at most {1 - comparison.level:.3g}).",
    ]
    if changes:
        notes.append("A click leads to the spans that were fixed and broken.")
    if len(comparison.pairs) < math.comb(len(names), 2):
        notes.append("Only pairs with the baseline were tested.")
    elif len(changes) < len(comparison.pairs) and len(names) > MOST_SYSTEMS:
        notes.append(
            f"With more than {MOST_SYSTEMS} systems, spans are listed only for pairs with {names[0]}; "
            "compare fewer systems or choose a baseline to list others."
        )
    return Matrix("Differences of all pairs", names, cells, " ".join(notes))


def _cell(
    comparison: PairedComparison, pair: Pair, places: dict[str, int], target: str, sign: int
) -> Difference:
    """Return the difference a minus b, or b minus a if ``sign`` is negative."""
    row, column = (pair.a, pair.b) if sign > 0 else (pair.b, pair.a)
    p = p_text(pair.p_holm)
    text = signed(sign * pair.difference)
    significant = pair.is_significant(comparison.level)
    says = f"{comparison.measure.title} of {row} minus {column}: {text}, p Holm {p}"
    if not math.isnan(pair.p_holm):
        says += ", significant" if significant else ", not significant"
    return Difference(
        places[row],
        places[column],
        sign * pair.difference,
        f"{text} {stars(pair.p_holm)}".strip(),
        f"p {p}" if p.startswith("<") else f"p = {p}" if p != "-" else "not tested",
        significant,
        f"{says}; {target}" if target else says,
        target,
    )


def _reason_without_changes(comparison: PairedComparison) -> str:
    if comparison.has_seeds:
        return "Spans are not listed, because there are several seeds of a system."
    if any(errors is None for errors in comparison.error_lists.values()):
        return "Spans are not listed, because the results have no complete lists of errors (errors=True)."
    return "The systems have the same errors."


def _changes_section(comparison: PairedComparison, a: str, b: str, lists: int) -> Examples | None:
    """Return the spans that changed between two systems; None if errors are unknown or nothing changed."""
    changes = _changes(comparison, a, b)
    if not changes:
        return None
    numbers = Counter(change.kind for change in changes)
    examples = entries(changes, lambda change: (numbers[change.kind], change.kind), MOST_ERRORS // lists)
    shown = sum(len(example.kinds) for example in examples)
    note = ""
    if shown < len(changes):
        note = f"{shown} of {len(changes)} changes are shown, the first of each kind."
    # str.format is not used, because names may contain braces.
    kinds = {
        kind: says.replace("{a}", a) if "{a}" in says else says.replace("{b}", b)
        for kind, says in CHANGES.items()
    }
    return Examples(
        changes_title(a, b), examples, note=note, kinds=kinds, sides=["gold", a, b], numbers=numbers
    )


def _changes(comparison: PairedComparison, a: str, b: str) -> list[Outcome]:
    """Return the gold spans found by only one system, and the wrong spans of only one system."""
    first, second = comparison.error_lists[a], comparison.error_lists[b]
    if first is None or second is None:
        return []
    changes: list[Outcome] = []
    for kinds, of in ((("fixed", "broken"), gold_spans), (("removed", "added"), pred_spans)):
        sides = ((a, first, of(first)), (b, second, of(second)))
        for kind, (wrong, errors, keys), (right, _, others) in zip(kinds, sides, sides[::-1], strict=True):
            places = sorted(keys.keys() - others.keys(), key=_sortable)
            changes += [_change(kind, errors, keys[place], (wrong, right)) for place in places]
    return changes


def _change(kind: str, errors: ErrorList, at: int, systems: Sequence[str]) -> Outcome:
    """Return a change, with the marks of the error of the only system that has this error."""
    error = errors[at]
    wrong, right = systems
    is_found = kind in ("fixed", "broken")
    marks = []
    if error.gold is not None:
        marks.append(mark("gold", error.gold, kind if is_found else error.outcome))
    if error.pred is not None:
        marks.append(mark(wrong, error.pred, error.outcome))
    if error.gold is not None and is_found:
        marks.append(mark(right, error.gold, "match"))
    return Outcome(kind, error, marks)


def _sortable(place: tuple[int, object]) -> tuple[int, str]:
    return place[0], repr(place[1])
