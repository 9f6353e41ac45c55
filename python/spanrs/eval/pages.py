"""HTML reports of results and comparisons, made of the sections of :mod:`spanrs.report.page`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from spanrs.eval import comparison_tables, tables
from spanrs.eval.comparison import Comparison, gold_spans, pred_spans
from spanrs.eval.measures import Measure, Ratio, f1_measures
from spanrs.eval.resampling import Bootstrap
from spanrs.report.numbers import amount
from spanrs.report.page import (
    Bar,
    Bars,
    Card,
    Cards,
    Example,
    Examples,
    Heatmap,
    Lines,
    Mark,
    Section,
    Sorted,
    render,
)
from spanrs.report.pages import largest

if TYPE_CHECKING:
    from spanrs.eval.evidence import Detail
    from spanrs.eval.result import Result
    from spanrs.tags.types import Span

#: Largest number of types in a heat map.
MOST_TYPES = 100
#: Largest number of errors on a page.
MOST_ERRORS = 100_000
#: Draws of documents for the intervals of a page, at most; at least :data:`FEWEST_SAMPLES` resamples are drawn.
MOST_DRAWS = 10**8
MOST_SAMPLES, FEWEST_SAMPLES = 10_000, 200
#: What outcomes mean.
MEANINGS = {
    "missed": "gold span without pred span",
    "spurious": "pred span without gold span",
    "mistyped": "equal bounds, another type",
    "incorrect": "the pair differs in what is asked for",
    "partial": "the spans overlap",
    "le": "labelling error: equal bounds, another type",
    "bes": "boundary error: pred is smaller",
    "bel": "boundary error: pred is larger",
    "beo": "boundary error: the spans overlap",
    "lbe": "labelling and boundary error",
    "fn": "gold span without pred span",
    "fp": "pred span without gold span",
}
#: What became of spans from one system to another.
CHANGES = {
    "fixed": "gold span that only the second system finds",
    "broken": "gold span that only the first system finds",
    "removed": "wrong span of the first system alone",
    "added": "wrong span of the second system alone",
}


def result_page(
    result: Result, *, title: str | None = None, criteria: Sequence[str] | None = None
) -> str:
    """Return the report of a result; see :meth:`spanrs.Result.to_html`."""
    return render(
        title or f"{result.matcher.name} evaluation".capitalize(),
        list(_result_sections(result, criteria)),
        signature=result.signature,
    )


def comparison_page(comparison: Comparison, *, title: str = "Comparison of systems") -> str:
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
    >>> from spanrs.eval.pages import comparison_page
    >>> gold, pred = [["B-A"]] * 3, [["B-A"], ["O"], ["B-A"]]
    >>> systems = {"a": spanrs.score(gold, gold, documents=[1] * 3), "b": spanrs.score(gold, pred, documents=[1] * 3)}
    >>> "<title>A and B</title>" in comparison_page(spanrs.compare(systems, samples=100), title="A and B")
    True
    """
    return render(title, list(_comparison_sections(comparison)), signature=comparison.signature)


def _result_sections(result: Result, criteria: Sequence[str] | None) -> Iterator[Section]:
    drawn = draw_intervals(result, list(f1_measures(list(result.per_type))))
    yield Cards("Summary", list(_cards(result, drawn)))
    shown = tables.tables(result, criteria=criteria)
    yield from (Sorted(table.title, table) for table in shown if table.title not in ("Confusion", "Documents"))
    if result.per_type:
        yield _type_bars(result, drawn)
    if result.confusion:
        yield _confusion(result)
    if result.error_list is not None:
        yield _errors(result)
    yield from (Sorted(table.title, table) for table in shown if table.title == "Documents")
    lines = [*result.warnings, *result.notes, *_violations(result)]
    if lines:
        yield Lines("Violations and warnings", lines)


def draw_intervals(result: Result, measures: list[Measure | Ratio]) -> Bootstrap | None:
    """Resample the documents of a result for a page; None where it has fewer than two, or weights."""
    documents = len(result.counts)
    if documents < 2 or result.document_weights is not None:
        return None
    samples = min(max(MOST_DRAWS // documents, FEWEST_SAMPLES), MOST_SAMPLES)
    return result.bootstrap(measures, samples=samples)


def bar_of(name: str, value: float, measure: Measure, drawn: Bootstrap | None, note: str = "") -> Bar:
    """Return the bar of a measure, with its interval where it was resampled."""
    if drawn is None:
        return Bar(name, value, note=note)
    return Bar(name, value, *drawn.interval(measure), note=note)


def _interval_note(result: Result, drawn: Bootstrap | None) -> str:
    if drawn is None:
        return "No intervals: they need two documents or sentences with counts of their own."
    unit = "sentences" if result.by_sentence else "documents"
    return (
        f"Whiskers are 95 % percentile intervals of {len(drawn.values)} bootstrap resamples of "
        f"{len(result.counts)} {unit}."
    )


def _cards(result: Result, drawn: Bootstrap | None) -> Iterator[Card]:
    score = result.micro
    note = ""
    if drawn is not None:
        low, high = drawn.interval(Measure())
        note = f"95 %: {100 * low:.2f} to {100 * high:.2f}"
    yield Card("F1", f"{100 * score.f1:.2f}", note)
    yield Card("Precision", f"{100 * score.precision:.2f}")
    yield Card("Recall", f"{100 * score.recall:.2f}")
    if result.per_type:
        yield Card("Macro F1", f"{100 * result.macro.f1:.2f}", f"{len(result.per_type)} types")
    yield Card("Gold spans", amount(score.support))
    if result.tokens:
        yield Card("Accuracy", f"{100 * result.accuracy:.2f}", f"{amount(result.tokens)} tokens")
        for side, found in result.violations.items():
            yield Card(f"Violations of {side}", str(found.count))


def _type_bars(result: Result, drawn: Bootstrap | None) -> Bars:
    bars = [
        bar_of(name, score.f1, Measure("type", type=name), drawn, f"{amount(score.support)} gold spans")
        for name, score in result.per_type.items()
    ]
    return Bars("F1 of types", bars, note=_interval_note(result, drawn))


def _confusion(result: Result) -> Heatmap:
    """Show how often types were taken for each other; of many types those with most errors."""
    names: list[str] = list(result.per_type)
    wrong = result.wrong_outcomes
    errors = [sum(result.outcomes_by_type[name][kind] for kind in wrong) for name in names]
    shown: list[str | None] = [*(names[at] for at in largest(errors, MOST_TYPES)), None]
    places = {name: at for at, name in enumerate(shown)}
    cells = [
        (places[gold], places[pred], n)
        for gold, pred, n in result.confusion.triples()
        if gold in places and pred in places
    ]
    heads = [tables.NOTHING if name is None else name for name in shown]
    note = f"The {MOST_TYPES} types with most errors." if len(names) > MOST_TYPES else ""
    return Heatmap("Confusion", heads, heads, cells, note=note)


def _errors(result: Result) -> Examples:
    found = result.error_list
    assert found is not None  # The caller has looked.
    errors = found.by_frequency(MOST_ERRORS)
    known = sum(found.numbers.values())
    note = "" if len(errors) == known else f"{len(errors)} of {known} errors; of each kind the first ones."
    if any(error.length is None for error in errors[:1]):
        note = f"{note} Tokens are not known.".strip()
    kinds = {kind: MEANINGS.get(kind, "") for kind in dict.fromkeys(error.outcome for error in errors)}
    return Examples("Errors", [example(error) for error in errors], note=note, kinds=kinds)


def example(error: Detail) -> Example:
    """Return an error as a page shows it."""
    marks = [mark(side, span) for side, span in (("gold", error.gold), ("pred", error.pred)) if span is not None]
    return _example(error.outcome, error, marks)


def mark(side: str, span: Span, kind: str = "") -> Mark:
    """Return a span as a page shows it."""
    return Mark(side, span.type, span.start, span.end, kind, span.tokens)


def _example(kind: str, error: Detail, marks: Sequence[Mark]) -> Example:
    tokens, first = error.tokens, error.first
    if not tokens and marks:
        # Without tokens their places are shown.
        first, end = min(one.start for one in marks), max(one.end for one in marks)
        tokens = tuple(f"[{at}]" for at in range(first, min(end, first + 100)))
    return Example(kind, error.sentence, tokens, marks, first, error.line, None, error.length)


def _violations(result: Result) -> list[str]:
    lines = [line for line in tables.violation_lines(result) if line]
    return lines if any(found.count for found in result.violations.values()) else []


def _comparison_sections(comparison: Comparison) -> Iterator[Section]:
    pairs = comparison.pairs
    significant = sum(pair.is_significant() for pair in pairs)
    best = max(comparison.systems, key=lambda name: comparison.systems[name].value)
    unit = "Sentences" if "sentences" in comparison.settings else "Documents"
    yield Cards(
        "Summary",
        [
            Card("Systems", str(len(comparison.systems))),
            Card(f"Best {comparison.measure.title}", f"{100 * comparison.systems[best].value:.2f}", best),
            Card("Significant differences", f"{significant} of {len(pairs)}", "p Holm at most 0.05"),
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
            yield Examples(f"From {names[0]} to {other}", changes, kinds=CHANGES)


def _changes(comparison: Comparison, a: str, b: str) -> Iterator[Example]:
    """Yield the spans that are right in one system alone, and the wrong spans of one system alone."""
    first, second = (comparison.results[name].error_list for name in (a, b))
    if first is None or second is None or not (first.is_complete and second.is_complete):
        return
    golds, preds = ((of(first), of(second)) for of in (gold_spans, pred_spans))
    for kind, (own, other), right in (("fixed", golds, b), ("broken", golds[::-1], a)):
        wrong = a if right == b else b
        for at in sorted(own.keys() - other.keys(), key=_place):
            error = own[at]
            marks = [mark("gold", error.gold), mark(right, error.gold, "match")]  # type: ignore[arg-type]  # has one
            if error.pred is not None:
                marks.insert(1, mark(wrong, error.pred, error.outcome))
            yield _example(kind, error, marks)
    for kind, (own, other), name in (("removed", preds, a), ("added", preds[::-1], b)):
        for at in sorted(own.keys() - other.keys(), key=_place):
            error = own[at]
            marks = [mark(name, error.pred, error.outcome)]  # type: ignore[arg-type]  # has one
            if error.gold is not None:
                marks.insert(0, mark("gold", error.gold))
            yield _example(kind, error, marks)


def _place(key: tuple[int, object]) -> tuple[int, str]:
    return key[0], repr(key[1])

