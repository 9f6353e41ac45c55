"""HTML reports of results, made of the sections of :mod:`spanrs.report.page`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanrs.eval import tables
from spanrs.eval.answer_tables import answers_table
from spanrs.eval.characters import Characters
from spanrs.eval.error_section import errors_section
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.mask_page import mask_sections
from spanrs.eval.measures import Measure, Ratio, f1_measures
from spanrs.eval.resampling import Bootstrap, bootstrap
from spanrs.report.numbers import amount, percent, percent_range
from spanrs.report.page import (
    Bar,
    Bars,
    Card,
    Cards,
    Heatmap,
    Lines,
    Section,
    Sorted,
    render,
)
from spanrs.report.pages import largest

#: Largest number of types in a heat map.
MOST_TYPES = 100
#: Maximum number of documents drawn for the intervals of a page; :data:`FEWEST_SAMPLES` resamples are always drawn.
MOST_DRAWS = 10**9
MOST_SAMPLES, FEWEST_SAMPLES = 10_000, 200
#: Minimum number of documents; with fewer, a page warns that the intervals are unreliable.
FEW = 20


def result_page(
    result: Evaluation, *, title: str | None = None, criteria: Sequence[str] | None = None
) -> str:
    """Return the report of a result; see :meth:`spanrs.Result.to_html`."""
    return render(
        title or f"{result.matcher.name} evaluation".capitalize(),
        list(_result_sections(result, criteria)),
        signature=result.signature,
    )


def _result_sections(result: Evaluation, criteria: Sequence[str] | None) -> Iterator[Section]:
    if isinstance(result.matcher, Characters) and criteria is None:
        yield from mask_sections(result)
        if result.evidence.answers:
            yield Sorted("Answers", answers_table(result.evidence.answers))
        yield from _remarks(result)
        return
    drawn = draw_intervals(result, list(f1_measures(list(result.per_type))))
    yield Cards("Summary", list(_cards(result, drawn)))
    shown = tables.tables(result, criteria=criteria, documents=True)
    yield from (
        Sorted(table.title, table) for table in shown if table.title not in ("Confusion", "Documents")
    )
    if result.evidence.answers:
        yield Sorted("Answers", answers_table(result.evidence.answers))
    if result.per_type:
        yield _type_bars(result, drawn)
    if result.confusion:
        yield confusion(result)
    if result.errors is not None:
        yield errors_section(result.errors.by_frequency(), result.errors.numbers)
    yield from (Sorted(table.title, table) for table in shown if table.title == "Documents")
    yield from _remarks(result)


def _remarks(result: Evaluation) -> Iterator[Section]:
    lines = [*result.warnings, *result.notes, *_violations(result)]
    if lines:
        yield Lines("Violations and warnings", lines)


def draw_intervals(
    result: Evaluation, measures: list[Measure | Ratio], most_draws: int = MOST_DRAWS
) -> Bootstrap | None:
    """Resample the documents of a result for a page; None if there are fewer than two documents, or weights."""
    documents = len(result.counts)
    if documents < 2 or result.document_weights is not None:
        return None
    samples = min(max(most_draws // documents, FEWEST_SAMPLES), MOST_SAMPLES)
    return bootstrap(result, measures, samples=samples)


def bar_of(name: str, value: float, measure: Measure, drawn: Bootstrap | None, note: str = "") -> Bar:
    """Return the bar of a measure, with the interval if the measure was resampled."""
    if drawn is None:
        return Bar(name, value, note=note)
    return Bar(name, value, *drawn.interval(measure), note=note)


def interval_note(
    result: Evaluation, drawn: Bootstrap | None, level: float = 0.95, method: str = "percentile"
) -> str:
    """Explain the whiskers of bars, or the reason why there are none."""
    if result.document_weights is not None:
        return "No intervals: resampling does not support document weights."
    if drawn is None:
        return "No intervals: resampling needs counts for at least two documents or sentences."
    unit = "sentences" if result.by_sentence else "documents"
    few = f" With so few {unit}, intervals are unreliable." if len(result.counts) < FEW else ""
    return (
        f"Whiskers are {100 * level:g} % {method} intervals of {len(drawn.values)} bootstrap resamples of "
        f"{len(result.counts)} {unit}.{few}"
    )


def default_criterion(result: Evaluation) -> str | None:
    """Return the default criterion if the matcher has several, because titles then name the criterion."""
    return result.matcher.criterion if len(result.matcher.criteria) > 1 else None


def capitalized(title: str) -> str:
    """Return a title with a capital first letter."""
    return title[:1].upper() + title[1:]


def _cards(result: Evaluation, drawn: Bootstrap | None) -> Iterator[Card]:
    score = result.micro
    criterion = default_criterion(result)
    note = ""
    if drawn is not None:
        low, high = drawn.interval(Measure())
        note = f"95 %: {percent_range(low, high)}"
    parts = (("f1", score.f1, note), ("precision", score.precision, ""), ("recall", score.recall, ""))
    for part, value, remark in parts:
        yield Card(capitalized(Measure(part, criterion=criterion).title), percent(value), remark)
    if result.per_type:
        types = f"{len(result.per_type)} types"
        macro = Measure(average="macro", criterion=criterion)
        yield Card(capitalized(macro.title), percent(result.macro.f1), types)
    yield Card("Gold spans", amount(score.support))
    if result.tokens:
        yield Card("Accuracy", f"{100 * result.accuracy:.2f}", f"{amount(result.tokens)} tokens")
        for side, violations in result.violations.items():
            yield Card(f"Violations of {side}", str(violations.count))


def _type_bars(result: Evaluation, drawn: Bootstrap | None) -> Bars:
    bars = [
        bar_of(name, score.f1, Measure(type=name), drawn, f"{amount(score.support)} gold spans")
        for name, score in result.per_type.items()
    ]
    title = Measure(criterion=default_criterion(result)).title
    return Bars(f"{capitalized(title)} of types", bars, note=interval_note(result, drawn))


def confusion(
    result: Evaluation, *, title: str = "Confusion", most: int = MOST_TYPES, what: str = "types"
) -> Heatmap:
    """Return the heat map of the confusion matrix, limited to the ``most`` types with the most errors."""
    names: list[str] = list(result.per_type)
    wrong = result[result.matcher.criterion].wrong_outcomes
    errors = [sum(result.per_type.outcomes[name][kind] for kind in wrong) for name in names]
    shown: list[str | None] = [*(names[at] for at in largest(errors, most)), None]
    places = {name: at for at, name in enumerate(shown)}
    cells = [
        (places[gold], places[pred], n)
        for gold, pred, n in result.confusion.triples()
        if gold in places and pred in places
    ]
    heads = [tables.NOTHING if name is None else name for name in shown]
    notes = [f"Only the {most} {what} with the most errors are shown."] if len(names) > most else []
    if result.matcher.unconfused:
        notes.append("Only errors are counted: the diagonal has boundary errors with the correct type.")
    note = " ".join(notes)
    return Heatmap(title, heads, heads, cells, note=note)


def _violations(result: Evaluation) -> list[str]:
    lines = [line for line in tables.violation_lines(result) if line]
    return lines if any(violations.count for violations in result.violations.values()) else []
