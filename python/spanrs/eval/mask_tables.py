"""Tables of masks: what leaks, by type and by document."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from spanrs.eval.characters import Characters
from spanrs.eval.evaluation import Evaluation
from spanrs.eval.scores import f_measure
from spanrs.report.numbers import amount, percent
from spanrs.report.table import Table

#: Outcomes of gold characters and spans that are not covered.
LEAKED = ("leaked", "missed")
#: Outcomes of gold characters and spans that are covered under another type.
OTHER_TYPE = ("mistyped", "missed_type")
#: Outcomes of pred characters and spans without gold.
OVER_MASKED = ("over_masked", "spurious")
#: Outcomes of predictions that are wrong.
WRONG = ("mistyped", "extra_type", *OVER_MASKED)


@dataclass(frozen=True)
class MaskRow:
    """Counts of some types under one criterion."""

    gold: float
    """Number of gold characters, or of gold spans."""
    leaked: float
    """Characters that are not covered, or spans that are missed."""
    mistyped: float
    """Characters or spans that are covered by other types only."""
    over_masked: float
    """Characters that only pred covers, or spurious predictions."""
    tp: float
    fp: float

    @property
    def precision(self) -> float:
        """TP / (TP + FP); 0 if there is nothing in pred."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else 0.0

    @property
    def recall(self) -> float:
        """TP / gold; 0 if there is nothing in gold."""
        return self.tp / self.gold if self.gold else 0.0

    def f(self, beta: float) -> float:
        """Return the F measure with a weight of recall."""
        return f_measure(self.precision, self.recall, beta)

    def cells(self, beta: float) -> list[str]:
        """Return the cells of a row, with measures in per cent."""
        share = percent(self.leaked / self.gold) if self.gold else "-"
        counts = [
            amount(self.gold),
            amount(self.leaked),
            share,
            amount(self.mistyped),
            amount(self.over_masked),
        ]
        return [*counts, *map(percent, (self.precision, self.recall, self.f(beta)))]


def mask_row(result: Evaluation, criterion: str, types: Collection[str] | None = None) -> MaskRow:
    """Return the sum of the counts of some types, or of all types.

    Parameters
    ----------
    result : Result
        The result of the matcher ``characters``.
    criterion : str
        A criterion of the matcher.
    types : collection of str, optional
        The types, which are compared as if they were one: a character of one with another of them is right. A
        character with several of them counts several times.
    """
    named = result.matcher.criteria[criterion]
    sums: dict[str, float] = dict.fromkeys(("gold", "leaked", "mistyped", "over_masked", "tp", "fp"), 0)
    for index, at, gold, pred, n in result._cells:
        if index != named.index:
            continue
        outcome = named.outcomes[at]
        if types is None:
            is_gold, is_pred = outcome == "match" or outcome in (*LEAKED, *OTHER_TYPE), outcome in WRONG
            is_right = outcome == "match"
        else:
            is_gold, is_pred = gold in types, pred in types
            is_right = is_gold and is_pred
        sums["gold"] += n * is_gold
        sums["tp"] += n * is_right
        sums["fp"] += n * (is_pred and not is_right)
        sums["leaked"] += n * (is_gold and outcome in LEAKED)
        sums["mistyped"] += n * (is_gold and not is_right and outcome in OTHER_TYPE)
        sums["over_masked"] += n * (is_pred and outcome in OVER_MASKED)
    return MaskRow(**sums)


def unit_of(result: Evaluation) -> str:
    """Return the unit of a result: characters, tokens, or positions of spans in memory."""
    return result.settings.get("unit", "positions")


def type_rows(result: Evaluation) -> Iterator[tuple[str, int, MaskRow]]:
    """Yield name, level and counts of each type: in the order of the hierarchy, otherwise by leaked characters."""
    matcher = result.matcher
    types = matcher.types if isinstance(matcher, Characters) else None
    if types is not None:
        for name, depth, members in types.tree(result.per_type):
            yield name, depth, mask_row(result, "characters", members)
        return
    rows = [(name, mask_row(result, "characters", [name])) for name in result.per_type]
    for name, row in sorted(rows, key=lambda named: (-named[1].leaked, named[0])):
        yield name, 0, row


def mask_table(result: Evaluation) -> Table:
    """Return the table of types, with rows for all types, for masks regardless of type, and for spans."""
    beta = _beta(result)
    unit = unit_of(result)
    heads = [
        "type",
        unit,
        "leaked",
        "leaked %",
        "mistyped",
        "over-masked",
        "precision",
        "recall",
        f"F{beta:g}",
    ]
    table = Table(heads, title="Types")
    for name, depth, row in type_rows(result):
        table.add_row("\u2003" * depth + name, *row.cells(beta))
    table.add_section()
    names = {
        "characters": f"all {unit}",
        "masked": "masked, any type",
        "spans": "spans",
        "untyped_spans": "spans, any type",
    }
    for criterion, name in names.items():
        table.add_row(name, *mask_row(result, criterion).cells(beta))
    return table


def documents_table(result: Evaluation) -> Table:
    """Return a table of documents, the largest leaks first."""
    beta = _beta(result)
    named = any(row.name is not None for row in result.documents)
    heads = ["document", unit_of(result), "leaked", "leaked %", "over-masked", f"F{beta:g}"]
    table = Table(heads, left=1 if named else 0, title="Documents")
    pairs = zip(result["masked"].documents, result.documents, strict=True)
    for masked, typed in sorted(pairs, key=lambda pair: (-pair[0].outcomes["leaked"], pair[0].document)):
        leaked, gold = masked.outcomes["leaked"], masked.micro.support
        share = percent(leaked / gold) if gold else "-"
        f = percent(typed.micro.f(beta)) if any(typed.totals) else "-"
        counts = amount(gold), amount(leaked), share, amount(masked.outcomes["over_masked"])
        table.add_row(masked.shown_name, *counts, f)
    return table


def _beta(result: Evaluation) -> float:
    return result.matcher.beta if isinstance(result.matcher, Characters) else 1.0
