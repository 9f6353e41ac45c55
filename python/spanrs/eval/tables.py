"""Tables of results (measures in per cent) and CSV (fractions)."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from spanrs.eval.answer_tables import answers_table
from spanrs.eval.characters import Characters
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.mask_tables import documents_table, mask_table
from spanrs.eval.scores import Totals, plain_score
from spanrs.report.numbers import amount, percent, safe_cell
from spanrs.report.table import Table, as_text, print_parts

if TYPE_CHECKING:
    from rich.console import Console

    from spanrs.eval.evidence import Violations
    from spanrs.eval.scores import CriterionResult, Score

#: Default number of violations shown per side.
SHOWN = 5
#: Maximum number of types in a confusion matrix shown as text.
MOST = 20
MEASURES = ("precision", "recall", "F1")
#: Heading for no span in a confusion matrix.
NOTHING = "(none)"


def _criteria(result: Evaluation, names: Sequence[str] | None) -> list[CriterionResult]:
    if isinstance(names, str):
        raise TypeError(f"criteria must be a sequence of names, not a str; pass [{names!r}]")
    return [result[name].shown for name in names or result.matcher.shown(result._cells)]


def percents(score: Score) -> list[str]:
    """Return precision, recall and F1 in per cent; ``-`` for NaN."""
    return [percent(value) for value in (score.precision, score.recall, score.f1)]


def _is_single(result: Evaluation) -> bool:
    """Return whether there is only one criterion, so that tables have room for precision and recall."""
    return len(result.matcher.criteria) == 1


def _measure_heads(result: Evaluation, criteria: Sequence[CriterionResult]) -> Sequence[str]:
    return MEASURES if _is_single(result) else [f"{criterion.criterion.name} F1" for criterion in criteria]


def _measures(result: Evaluation, scores: Sequence[Score | None]) -> list[str]:
    """Return the measures of a row, given the score for each criterion; None if a criterion does not have the type."""
    if _is_single(result) and scores[0] is not None:
        return percents(scores[0])
    return ["" if score is None else percents(score)[-1] for score in scores]


def _is_plain(criterion: CriterionResult) -> bool:
    """Return whether exactly three outcomes have weights: one TP, one FP and one FN."""
    return sorted(weights for weights in criterion.criterion.weights if any(weights)) == [
        (0, 0, 1),
        (0, 1, 0),
        (1, 0, 0),
    ]


def _heads(criterion: CriterionResult) -> list[str]:
    """Return the headings of numbers: TP, FP, FN, or the outcomes."""
    if _is_plain(criterion):
        return ["TP", "FP", "FN"]
    short = all(len(name) <= 3 for name in criterion.columns)
    return [name.upper() if short else name for name in criterion.columns]


def _numbers(criterion: CriterionResult, totals: Totals, outcomes: Mapping[str, int]) -> list[str]:
    numbers = totals if _is_plain(criterion) else [outcomes[name] for name in criterion.columns]
    return list(map(amount, numbers))


def _share_outcomes(criteria: Sequence[CriterionResult]) -> bool:
    """Return whether several criteria have separate cells with outcomes of the same names."""
    return len({c.criterion.cells for c in criteria}) == len(criteria) > 1 and (
        len({c.criterion.outcomes for c in criteria}) == 1
    )


def tables(
    result: Evaluation,
    *,
    untyped: bool = False,
    criteria: Sequence[str] | None = None,
    documents: bool = False,
) -> list[Table]:
    """Return the tables of a result; measures in per cent."""
    if untyped and not _is_single(result):
        # Raises an error for matchers without untyped measures.
        result.untyped  # noqa: B018
    if isinstance(result.matcher, Characters) and criteria is None:
        has_rows = documents and not result.by_sentence and result.documents
        return [mask_table(result), *([documents_table(result)] if has_rows else ())]
    shown = _criteria(result, criteria)
    if _share_outcomes(shown):
        shown_tables = [_by_type_and_criterion(shown)]
    elif _is_single(result):
        shown_tables = [_by_type(result, shown, untyped=untyped)]
    else:
        shown_tables = [_summary(shown), _by_type(result, shown)]
        if len(result.per_type) <= MOST:
            shown_tables.append(_confusion(result))
    # Per-sentence rows are omitted, because there may be millions.
    if documents and not result.by_sentence and result.documents:
        shown_tables.append(_documents(result, shown))
    return shown_tables


def _rows_by_type(
    criteria: Sequence[CriterionResult],
) -> Iterator[tuple[str | None, list[tuple[CriterionResult, Score, Totals, dict[str, int]]]]]:
    """Yield the measures and outcomes of each type, then of all types (None).

    Each list contains the criteria under which the type occurs.
    """
    for name in criteria[0].per_type:
        per_type = [(c, c.per_type) for c in criteria if name in c.per_type]
        yield name, [(c, types[name], types.totals[name], types.outcomes[name]) for c, types in per_type]
    yield None, [(c, c.micro, c.totals, c.outcomes) for c in criteria]


def _by_type_and_criterion(criteria: Sequence[CriterionResult]) -> Table:
    """Return the measures and outcomes of each type under each criterion."""
    table = Table(["type", "criterion", *MEASURES, *criteria[0].outcomes], left=2, title="Types")
    for name, rows in _rows_by_type(criteria):
        table.add_section()
        # The type is shown only in the row of the first criterion.
        shown = "all" if name is None else name
        for criterion, score, _, outcomes in rows:
            numbers = map(amount, outcomes.values())
            table.add_row(shown, criterion.criterion.name, *percents(score), *numbers)
            shown = ""
    return table


def _summary(criteria: Sequence[CriterionResult]) -> Table:
    table = Table(["criterion", *MEASURES], title="Measures")
    for criterion in criteria:
        table.add_row(criterion.criterion.name, *percents(criterion.micro))
    return table


def _counted(result: Evaluation, criteria: Sequence[CriterionResult]) -> CriterionResult:
    """Return the criterion whose outcomes are shown: the default, unless only another criterion is shown."""
    default = result[result.matcher.criterion]
    only = criteria[0] if len(criteria) == 1 else default
    return default if only.criterion.cells == default.criterion.cells else only


def _by_type(result: Evaluation, criteria: Sequence[CriterionResult], *, untyped: bool = False) -> Table:
    """Return the measures and outcomes of each type, and the averages if there is only one criterion."""
    counted = _counted(result, criteria)
    heads = _heads(counted)
    table = Table(["type", *_measure_heads(result, criteria), "support", *heads], title="Types")

    def row(name: str, scores: Sequence[Score | None], support: float, numbers: Sequence[str]) -> None:
        table.add_row(name, *_measures(result, scores), amount(support), *numbers)

    for name, outcomes in counted.per_type.outcomes.items():
        scores = [criterion.per_type.get(name) for criterion in criteria]
        numbers = _numbers(counted, counted.per_type.totals[name], outcomes)
        row(name, scores, counted.per_type[name].support, numbers)
    table.add_section()
    numbers = _numbers(counted, counted.totals, counted.outcomes)
    all_spans = "micro" if _is_single(result) else "all"
    row(all_spans, [criterion.micro for criterion in criteria], counted.micro.support, numbers)
    if _is_single(result):
        for name, score in (("macro", counted.macro), ("weighted", counted.weighted)):
            row(name, [score], score.support, [""] * len(heads))
    if untyped:
        micro, totals = result.untyped.micro, result.untyped.totals
        row("untyped", [micro], micro.support, list(map(amount, totals)))
    return table


def _confusion(result: Evaluation) -> Table:
    names: list[str | None] = [*result.per_type, None]
    table = Table(
        ["gold \\ pred", *(NOTHING if name is None else name for name in names)], title="Confusion"
    )
    for gold in names:
        row = result.confusion[gold]
        # Zeros would distract from the other numbers.
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
    """Return a result as plain text of any width; ``options`` are passed to :func:`shown_parts`."""
    return as_text(shown_parts(result, **options))


def show(console: Console, result: Evaluation, **options: Any) -> None:
    """Print a result on a rich console; ``options`` are passed to :func:`shown_parts`."""
    print_parts(console, shown_parts(result, **options))


def shown_parts(
    result: Evaluation,
    *,
    names: tuple[str, str] = ("gold", "pred"),
    max_violations: int = SHOWN,
    untyped: bool = False,
    criteria: Sequence[str] | None = None,
    documents: bool = False,
) -> Iterator[Table | str]:
    """Yield the tables of a result, and the lines below the tables.

    Parameters
    ----------
    result : Result
        The result.
    names : (str, str)
        Names of gold and pred, such as their paths.
    max_violations : int
        Number of violations to list per side.
    untyped : bool
        Whether to add a row for spans compared only by their bounds.
    criteria : sequence of str, optional
        The criteria to show; all by default.
    documents : bool
        Whether to add a table of documents, if the result has documents.
    """
    for at, table in enumerate(tables(result, untyped=untyped, criteria=criteria, documents=documents)):
        if at:
            yield "\n"
        yield table
    several = len(result.matcher.criteria) > 1 and not _share_outcomes(_criteria(result, criteria))
    if several and len(result.per_type) > MOST:
        yield f"confusion  of {len(result.per_type)} types is too large to show; use JSON or HTML"
    evidence = result.evidence
    if evidence.answers:
        yield "\n"
        yield answers_table(evidence.answers)
    if evidence.detection:
        yield f"scheme    {evidence.detection}"
    if evidence.pred_detection:
        yield f"pred      {evidence.pred_detection}"
    if result.tokens:
        yield (
            f"accuracy  {100 * result.accuracy:.2f} of {amount(result.tokens)} tokens "
            f"in {amount(result.sentences)} sentences"
        )
        yield from violation_lines(result, names, max_violations)
    elif result.sentences:
        yield f"sentences {amount(result.sentences)}"
    yield f"signature {result.signature}"


def violation_lines(
    result: Evaluation, names: tuple[str, str] = ("gold", "pred"), most: int = SHOWN
) -> Iterator[str]:
    """Yield the number of violations of each side, followed by the first violations."""
    for (side, violations), name in zip(result.violations.items(), names, strict=True):
        yield f"{side} violations  {violations.count}"
        yield from _violation_lines(violations, name, most)


def _violation_lines(violations: Violations, name: str, most: int) -> Iterator[str]:
    """Yield one line for each of the first violations, and one line for all others."""
    shown = violations.first[:most]
    for located in shown:
        file = name if located.path is None else located.path
        place = f"{file}:{located.line}" if located.line else f"{file} sentence {located.sentence}"
        violation = located.violation
        yield f"  {place} token {violation.index}: {violation}; {violation.action}"
    if shown and violations.count > len(shown):
        yield f"  and {violations.count - len(shown)} more"


def systems_parts(results: Mapping[str, Evaluation]) -> Iterator[Table | str]:
    """Yield a table with a row for each system, and the signatures."""
    yield systems_table(results)
    yield from dict.fromkeys(f"signature {result.signature}" for result in results.values())


def systems_table(results: Mapping[str, Evaluation], head: str = "system") -> Table:
    """Return a table with a row for each system: measures, counts, violations of pred, and differing tokens if any."""
    first = next(iter(results.values()))
    criteria = [first[name] for name in first.matcher.criteria]
    support = ["support"] if _is_single(first) else []
    differing = ["differing"] if any(result._differing_tokens for result in results.values()) else []
    heads = [
        *_measure_heads(first, criteria),
        *support,
        *_heads(first[first.matcher.criterion]),
        "violations",
        *differing,
    ]
    # No reading is better than another.
    ranked = _measure_heads(first, criteria) if head == "system" else ()
    table = Table([head, *heads], ranked=ranked)
    for system, result in results.items():
        cells = _measures(result, [result[name].shown.micro for name in result.matcher.criteria])
        cells += [amount(result.micro.support)] if support else []
        cells += _numbers(result[result.matcher.criterion], result.totals, result.outcomes)
        cells += [amount(result.violations["pred"].count)]
        cells += [amount(result._differing_tokens)] if differing else []
        table.add_row(system, *cells)
    return table


def types_by_system(results: Mapping[str, Evaluation]) -> Table:
    """Return a table of F1 with a row for each type and a column for each system; the last row has all spans.

    F1 is that of the default criterion. The best system of each row is bold.
    """
    table = Table(["type", *results], title="F1 of types", ranks_rows=True)
    for name in sorted({name for result in results.values() for name in result.per_type}):
        scores = [result.per_type.get(name) for result in results.values()]
        table.add_row(name, *("-" if score is None else percent(score.f1) for score in scores))
    table.add_section()
    table.add_row("micro", *(percent(result.micro.f1) for result in results.values()))
    return table


def csv_text(result: Evaluation, criteria: Sequence[str] | None = None) -> str:
    """Return the measures as CSV; see :meth:`spanrs.Result.to_csv`."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(_csv_rows(result, criteria))
    return text.getvalue()


def _csv_rows(result: Evaluation, criteria: Sequence[str] | None = None) -> Iterator[list[object]]:
    """Yield the names of the columns, followed by the rows."""
    shown = _criteria(result, criteria)
    # Only results with documents need the column ``document``.
    columns = dict.fromkeys(["document"] if not result.by_sentence and result.documents else [])
    first, *measures = result.per_type.columns
    columns |= dict.fromkeys([first, "criterion", *measures])
    for criterion in sorted(shown, key=lambda c: -len(c.outcomes)):
        columns |= dict.fromkeys(map(_outcome_column, criterion.columns))
    yield list(columns)
    rows = [("", name or "", *row) for name, of_type in _rows_by_type(shown) for row in of_type]
    by_document = [] if result.by_sentence else [criterion.documents for criterion in shown]
    for documents in zip(*by_document, strict=True):
        of_criteria = zip(shown, documents, strict=True)
        rows += [(row.shown_name, "", c, row.micro, row.totals, row.outcomes) for c, row in of_criteria]
    for document, name, criterion, score, totals, outcomes in rows:
        row: dict[str, object] = {"document": safe_cell(document), "type": safe_cell(name)}
        row |= {"criterion": criterion.criterion.name} | plain_score(score) | totals._asdict()
        row |= {_outcome_column(outcome): n for outcome, n in outcomes.items()}
        yield [row.get(column, "") for column in columns]


def _outcome_column(outcome: str) -> str:
    """Name the column of an outcome; some outcomes of fair matching have the same names as totals."""
    return f"outcome_{outcome}" if outcome in Totals._fields else outcome


def systems_csv(results: Mapping[str, Evaluation]) -> str:
    """Return the measures of several systems as CSV: the rows of :func:`csv_text`, preceded by the system name."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    for at, (system, result) in enumerate(results.items()):
        head, *rows = _csv_rows(result)
        if at == 0:
            out.writerow(["system", *head])
        out.writerows([safe_cell(system), *row] for row in rows)
    return text.getvalue()
