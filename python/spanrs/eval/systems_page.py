"""HTML reports of several systems that were scored against the same gold data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from spanrs.eval import tables
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.measures import Measure, Ratio, f1_measures
from spanrs.eval.pages import capitalized, default_criterion, draw_intervals, interval_note
from spanrs.eval.resampling import Bootstrap
from spanrs.report.numbers import amount, percent, percent_range
from spanrs.report.page import Bar, Bars, Card, Cards, Lines, Section, Sorted, render

#: Explanation of the best numbers and of the small text of tables.
BEST = "bold and underlined"
INTERVALS = "Small: 95 % intervals."


def systems_page(results: Mapping[str, Evaluation], *, title: str = "Scores of several systems") -> str:
    """Return the report of several systems: measures with intervals, and F1 of each type and system.

    Parameters
    ----------
    results : mapping of str to Evaluation
        The result of each system, with the same matcher; intervals need ``by="sentence"`` or ``by="document"``.
    title : str
        Title of the page.

    Raises
    ------
    ImportError
        If jinja2 is not installed (``pip install spanrs[html]``).

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.eval.systems_page import systems_page
    >>> gold, pred = [["B-A"]] * 3, [["B-A"], ["O"], ["B-A"]]
    >>> page = systems_page({"a": spanrs.score(gold, gold), "b": spanrs.score(gold, pred)}, title="A and B")
    >>> "<title>A and B</title>" in page
    True
    """
    signatures = list(dict.fromkeys(result.signature for result in results.values()))
    sections = list(_sections(results))
    if len(signatures) > 1:
        sections.append(Lines("Signatures", [f"{name}: {r.signature}" for name, r in results.items()]))
    return render(title, sections, signature=signatures[0] if len(signatures) == 1 else "")


def _sections(results: Mapping[str, Evaluation]) -> Iterator[Section]:
    first = next(iter(results.values()))
    # F1 under the default criterion is a measure without a criterion, as on other pages.
    micros: dict[str, Measure] = {
        name: Measure(criterion=name) for name in first.matcher.criteria if name != first.matcher.criterion
    } | {first.matcher.criterion: Measure()}
    drawn = {name: _drawn(result, micros) for name, result in results.items()}
    yield _summary(results, drawn)
    yield _systems(results, drawn, micros)
    criterion = default_criterion(first)
    f1 = capitalized(Measure(criterion=criterion).title)
    bars = [
        Bar(name, result.micro.f1, *_interval(drawn[name], Measure())) for name, result in results.items()
    ]
    note = interval_note(first, next(iter(drawn.values())))
    yield Bars(f"{f1} of systems", bars, note=note)
    table = tables.types_by_system(results)
    if len(table.rows) > 1:
        remarks = {}
        for column, name in enumerate(results, 1):
            measures = [Measure(type=row[0]) for row in table.rows[:-1]]
            for row, measure in enumerate([*measures, Measure()]):
                remarks[row, column] = _range(drawn[name], measure)
        best = f"The best {f1[:1].lower() + f1[1:] if criterion else f1} of each type is {BEST}."
        with_intervals = any(remarks.values())
        yield Sorted(
            f"{f1} of types",
            table,
            f"{best} {INTERVALS}" if with_intervals else best,
            {place: text for place, text in remarks.items() if text},
        )
    warnings = [f"{name}: {line}" for name, result in results.items() for line in result.warnings]
    if warnings:
        yield Lines("Warnings", warnings)


def _drawn(result: Evaluation, micros: Mapping[str, Measure]) -> Bootstrap | None:
    measures: list[Measure | Ratio] = [*f1_measures(list(result.per_type)), *micros.values()]
    return draw_intervals(result, list(dict.fromkeys(measures)))


def _interval(drawn: Bootstrap | None, measure: Measure) -> tuple[float | None, float | None]:
    """Return the interval of a measure; None if it is unknown."""
    if drawn is None or measure not in drawn.measures:
        return None, None
    low, high = drawn.interval(measure)
    return (None, None) if math.isnan(low) else (low, high)


def _range(drawn: Bootstrap | None, measure: Measure) -> str:
    low, high = _interval(drawn, measure)
    return "" if low is None or high is None else percent_range(low, high)


def _summary(results: Mapping[str, Evaluation], drawn: Mapping[str, Bootstrap | None]) -> Cards:
    first = next(iter(results.values()))
    values = {name: result.micro.f1 for name, result in results.items()}
    largest = max((value for value in values.values() if not math.isnan(value)), default=math.nan)
    best = [name for name, value in values.items() if percent(value) == percent(largest)]
    title = Measure(criterion=default_criterion(first)).title
    note = ", ".join(best)
    if len(best) == 1 and (interval := _range(drawn[best[0]], Measure())):
        note = f"{note}; 95 %: {interval}"
    cards = [
        Card("Systems", str(len(results))),
        Card(f"Best {title}", percent(largest), note if not math.isnan(largest) else ""),
        Card("Gold spans", amount(first.micro.support)),
    ]
    if first.sentences:
        cards.append(Card("Sentences", amount(first.sentences)))
    return Cards("Summary", cards)


def _systems(
    results: Mapping[str, Evaluation], drawn: Mapping[str, Bootstrap | None], micros: Mapping[str, Measure]
) -> Sorted:
    table = tables.systems_table(results)
    remarks = {}
    for criterion, measure in micros.items():
        head = "F1" if len(micros) == 1 else f"{criterion} F1"
        column = table.columns.index(head)
        for row, name in enumerate(results):
            if interval := _range(drawn[name], measure):
                remarks[row, column] = interval
    note = f"The best value of each measure is {BEST}."
    return Sorted("Systems", table, f"{note} {INTERVALS}" if remarks else note, remarks)
