"""Results as tables; measures in per cent, in CSV fractions."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Any

from spanrs.eval.evaluation import Evaluation
from spanrs.report.numbers import amount, safe_cell
from spanrs.report.table import Printer, Table, as_text, print_line

if TYPE_CHECKING:
    from spanrs.eval.evidence import Violations
    from spanrs.eval.scores import CriterionResult, Measured, Score, Totals

#: Violations shown a side.
SHOWN = 5
#: Types up to which the confusion is shown as text.
MOST = 20
MEASURES = ("precision", "recall", "F1")
#: What stands for no span in a confusion.
NOTHING = "(none)"


def _criteria(result: Evaluation, names: Sequence[str] | None) -> list[CriterionResult]:
    return [result[name] for name in (result.matcher.shown(result.cells) if names is None else names)]


def _percents(*values: float) -> list[str]:
    return [f"{100 * value:.2f}" for value in values]


def _is_single(result: Evaluation) -> bool:
    """Say whether there is one criterion, whose precision and recall have room beside F1."""
    return len(result.matcher.criteria) == 1


def _measure_heads(result: Evaluation, criteria: Sequence[CriterionResult]) -> Sequence[str]:
    return MEASURES if _is_single(result) else [f"{criterion.criterion.name} F1" for criterion in criteria]


def _measures(result: Evaluation, scores: Sequence[Score | None]) -> list[str]:
    """Give the measures of a row, whose scores are those of the criteria; None where one has no such type."""
    if _is_single(result) and scores[0] is not None:
        return _percents(scores[0].precision, scores[0].recall, scores[0].f1)
    return ["" if score is None else _percents(score.f1)[0] for score in scores]


def _is_plain(criterion: Measured) -> bool:
    """Say whether outcomes are true positives, false positives and false negatives."""
    return sorted(weights for weights in criterion.criterion.weights if any(weights)) == [
        (0, 0, 1),
        (0, 1, 0),
        (1, 0, 0),
    ]


def _heads(criterion: Measured) -> list[str]:
    """Give the headings of numbers: TP, FP, FN, or the outcomes."""
    if _is_plain(criterion):
        return ["TP", "FP", "FN"]
    short = all(len(name) <= 3 for name in criterion.columns)
    return [name.upper() if short else name for name in criterion.columns]


def _numbers(criterion: Measured, totals: Totals, outcomes: Mapping[str, int]) -> list[str]:
    numbers = totals if _is_plain(criterion) else [outcomes[name] for name in criterion.columns]
    return list(map(amount, numbers))


def _share_outcomes(criteria: Sequence[CriterionResult]) -> bool:
    """Say whether several criteria have outcomes of their own under the same names."""
    return len({c.criterion.cells for c in criteria}) == len(criteria) > 1 and (
        len({c.criterion.outcomes for c in criteria}) == 1
    )


def tables(
    result: Evaluation, *, untyped: bool = False, criteria: Sequence[str] | None = None
) -> list[Table]:
    """Give the tables of a result; see :meth:`spanrs.Result.tables`."""
    shown = _criteria(result, criteria)
    if _share_outcomes(shown):
        found = [_by_type_and_criterion(shown)]
    elif _is_single(result):
        found = [_by_type(result, shown, untyped=untyped)]
    else:
        found = [_summary(shown), _by_type(result, shown)]
        if len(result.per_type) <= MOST:
            found.append(_confusion(result))
    if result.documents:
        found.append(_documents(result, shown))
    return found


def _by_type_and_criterion(criteria: Sequence[CriterionResult]) -> Table:
    """Give the measures and outcomes of each type under each criterion."""
    table = Table(["type", "criterion", *MEASURES, *criteria[0].outcomes], left=2, title="Types")

    def row(name: str, criterion: CriterionResult, score: Score, outcomes: Mapping[str, int]) -> None:
        measures = _percents(score.precision, score.recall, score.f1)
        table.add_row(name, criterion.criterion.name, *measures, *map(amount, outcomes.values()))

    for name in criteria[0].per_type:
        for at, criterion in enumerate(criteria):
            if name not in criterion.per_type:
                continue
            # A type is named once, at its first criterion.
            score, outcomes = criterion.per_type[name], criterion.outcomes_by_type[name]
            row("" if at else name, criterion, score, outcomes)
        table.add_section()
    for at, criterion in enumerate(criteria):
        row("" if at else "all", criterion, criterion.micro, criterion.outcomes)
    return table


def _summary(criteria: Sequence[CriterionResult]) -> Table:
    table = Table(["criterion", *MEASURES], title="Measures")
    for criterion in criteria:
        score = criterion.micro
        table.add_row(criterion.criterion.name, *_percents(score.precision, score.recall, score.f1))
    return table


def _counted(result: Evaluation, criteria: Sequence[CriterionResult]) -> Measured:
    """Give the criterion whose outcomes are shown: the matcher's own, unless another one is shown alone."""
    only = criteria[0] if len(criteria) == 1 else result
    return result if only.criterion.cells == result.criterion.cells else only


def _by_type(result: Evaluation, criteria: Sequence[CriterionResult], *, untyped: bool = False) -> Table:
    """Give the measures of each type, and its outcomes; the means where there is one criterion."""
    counted = _counted(result, criteria)
    heads = _heads(counted)
    table = Table(["type", *_measure_heads(result, criteria), "support", *heads], title="Types")

    def row(name: str, scores: Sequence[Score | None], support: float, numbers: Sequence[str]) -> None:
        table.add_row(name, *_measures(result, scores), amount(support), *numbers)

    for name, outcomes in counted.outcomes_by_type.items():
        scores = [criterion.per_type.get(name) for criterion in criteria]
        numbers = _numbers(counted, counted.totals_by_type[name], outcomes)
        row(name, scores, counted.per_type[name].support, numbers)
    table.add_section()
    numbers = _numbers(counted, counted.totals, counted.outcomes)
    all_spans = "micro" if _is_single(result) else "all"
    row(all_spans, [criterion.micro for criterion in criteria], counted.micro.support, numbers)
    if _is_single(result):
        for name, score in (("macro", counted.macro), ("weighted", counted.weighted)):
            row(name, [score], score.support, [""] * len(heads))
    if untyped:
        row("untyped", [result.untyped], result.untyped.support, list(map(amount, result.untyped_totals)))
    return table


def _confusion(result: Evaluation) -> Table:
    names: list[str | None] = [*result.per_type, None]
    table = Table(
        ["gold \\ pred", *(NOTHING if name is None else name for name in names)], title="Confusion"
    )
    for gold in names:
        row = result.confusion[gold]
        # A zero is nothing to look at.
        numbers = (amount(row[pred]) if row[pred] else "." for pred in names)
        table.add_row(NOTHING if gold is None else gold, *numbers)
    return table


def _documents(result: Evaluation, criteria: Sequence[CriterionResult]) -> Table:
    counted = _counted(result, criteria)
    named = any(row.name is not None for row in counted.documents)
    heads = ["document", *_measure_heads(result, criteria), "support", *_heads(counted)]
    table = Table(heads, left=1 if named else 0, title="Documents")
    for row, *rows in zip(counted.documents, *(criterion.documents for criterion in criteria), strict=True):
        measures = _measures(result, [of_criterion.micro for of_criterion in rows])
        numbers = _numbers(counted, row.totals, row.outcomes)
        table.add_row(row.shown_name, *measures, amount(row.micro.support), *numbers)
    return table


def render(result: Evaluation, **options: Any) -> str:
    """Give a result as plain text of any width; the options are those of :func:`show`."""
    return as_text(lambda console: show(console, result, **options))


def show(
    console: Printer,
    result: Evaluation,
    *,
    names: tuple[str, str] = ("gold", "pred"),
    max_violations: int = SHOWN,
    untyped: bool = False,
    criteria: Sequence[str] | None = None,
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
    criteria : sequence of str, optional
        The criteria to show; all if not given.
    """
    found = tables(result, untyped=untyped, criteria=criteria)
    for table in found:
        console.print(table)
    several = len(result.matcher.criteria) > 1 and not _share_outcomes(_criteria(result, criteria))
    if several and len(result.per_type) > MOST:
        text = f"confusion  of {len(result.per_type)} types is too wide here; JSON and HTML have it"
        print_line(console, text)
    for text in describe(result, names, max_violations):
        print_line(console, text)


def describe(result: Evaluation, names: tuple[str, str], max_violations: int) -> Iterable[str]:
    """Give what stands below the tables, line by line."""
    if result.detection:
        yield f"scheme    {result.detection}"
    if result.pred_detection:
        yield f"pred      {result.pred_detection}"
    if result.tokens:
        yield (
            f"accuracy  {100 * result.accuracy:.2f} of {amount(result.tokens)} tokens "
            f"in {amount(result.sentences)} sentences"
        )
        for side, name in zip(("gold", "pred"), names, strict=True):
            yield f"{side} violations  {result.violations[side].count}"
            yield from describe_violations(result.violations[side], name, max_violations)
    elif result.sentences:
        yield f"sentences {amount(result.sentences)}"
    yield f"signature {result.signature}"


def describe_violations(violations: Violations, name: str, shown: int) -> Iterable[str]:
    """Give one line for each of the first violations, and one for the rest."""
    for located in violations.first[:shown]:
        place = f"{name}:{located.line}" if located.line else f"{name} sentence {located.sentence}"
        violation = located.violation
        yield f"  {place} token {violation.index}: {violation}; {violation.action}"
    rest = violations.count - min(shown, len(violations.first))
    if rest > 0 and violations.first[:shown]:
        yield f"  and {rest} more"


def render_systems(results: Mapping[str, Evaluation]) -> str:
    """Give a row for each system as plain text: measures, counts, violations of pred, differing tokens if any."""

    def show_systems(console: Printer) -> None:
        first = next(iter(results.values()))
        criteria = [first[name] for name in first.matcher.criteria]
        differing = any(result.differing_tokens for result in results.values())
        support = ["support"] if _is_single(first) else []
        last = ["violations", *(["differing"] if differing else [])]
        heads = _measure_heads(first, criteria)
        table = Table(["system", *heads, *support, *_heads(first), *last])
        for system, result in results.items():
            measures = _measures(result, [result[name].micro for name in result.matcher.criteria])
            measures += [amount(result.micro.support)] if support else []
            violations = [amount(result.violations["pred"].count)]
            violations += [amount(result.differing_tokens)] if differing else []
            numbers = _numbers(result, result.totals, result.outcomes)
            table.add_row(system, *measures, *numbers, *violations)
        console.print(table)
        for signature in dict.fromkeys(result.signature for result in results.values()):
            print_line(console, f"signature {signature}")

    return as_text(show_systems)


def csv_text(result: Evaluation, criteria: Sequence[str] | None = None) -> str:
    """Give the measures as CSV; see :meth:`spanrs.Result.to_csv`."""
    shown = _criteria(result, criteria)
    # Only results that have documents need to say whose a row is.
    columns = dict.fromkeys(["document"] if result.documents else [])
    columns |= dict.fromkeys(["type", "criterion", "precision", "recall", "f1", "support"])
    for criterion in sorted(shown, key=lambda c: -len(c.outcomes)):
        columns |= dict.fromkeys(criterion.columns)
    text = StringIO()
    out = csv.DictWriter(text, list(columns), extrasaction="ignore", lineterminator="\n")
    out.writeheader()
    for document, name, criterion, score, outcomes in _rows(shown):
        names = {"document": safe_cell(document), "type": safe_cell(name)}
        out.writerow(names | {"criterion": criterion.criterion.name} | asdict(score) | outcomes)
    return text.getvalue()


def _rows(
    criteria: Sequence[CriterionResult],
) -> Iterator[tuple[str, str, CriterionResult, Score, dict[str, int]]]:
    """Give document, type, criterion, measures and outcomes: of each type, of all, and of each document."""
    for name in criteria[0].per_type:
        for criterion in criteria:
            if name in criterion.per_type:
                yield "", name, criterion, criterion.per_type[name], criterion.outcomes_by_type[name]
    for criterion in criteria:
        yield "", "", criterion, criterion.micro, criterion.outcomes
    for rows in zip(*(criterion.documents for criterion in criteria), strict=True):
        for criterion, row in zip(criteria, rows, strict=True):
            yield row.shown_name, "", criterion, row.micro, row.outcomes


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def markdown(result: Evaluation) -> str:
    """Give all tables as Markdown."""
    parts = [f"**{table.title}**\n\n{table.markdown()}" for table in tables(result)]
    return "\n\n".join([*parts, f"`{_one_line(result.signature)}`"]) + "\n"


def latex(result: Evaluation) -> str:
    """Give all tables as LaTeX."""
    parts = [f"% {table.title}\n{table.latex()}" for table in tables(result)]
    return "\n\n".join([*parts, f"% {_one_line(result.signature)}"]) + "\n"


def html_fragment(result: Evaluation) -> str:
    """Give the tables as a fragment of HTML, for notebooks."""
    parts = [table.html() for table in tables(result)]
    if result.tokens:
        violations = ", ".join(f"{side} {found.count}" for side, found in result.violations.items())
        parts.append(f"<p>accuracy {100 * result.accuracy:.2f}; violations: {violations}</p>")
    return "".join(parts) + f"<p><code>{escape(result.signature)}</code></p>"
