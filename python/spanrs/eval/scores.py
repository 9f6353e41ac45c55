"""Measures of one criterion, computed from summed cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.eval.matchers import Cell, Criterion, Fair, Matcher, criteria

#: Sums this much smaller than their terms are rounding errors.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 as fractions, and the number of gold spans they rest on."""

    precision: float
    recall: float
    f1: float
    support: float


class Totals(NamedTuple):
    """True positives, false positives, false negatives; fractions where outcomes weigh fractions."""

    tp: float
    fp: float
    fn: float


class DocumentRow(NamedTuple):
    """One document of a corpus."""

    document: int
    """Its place, from 0."""
    name: str | None
    """What it is called, where documents have names."""
    sentences: int
    """Its sentences."""
    tokens: int
    """Its tokens."""
    outcomes: dict[str, int]
    """How often each outcome occurred."""
    totals: Totals
    """TP, FP and FN over all types."""
    micro: Score
    """Over all types."""

    @property
    def shown_name(self) -> str:
        """The name, or else the place."""
        return str(self.document) if self.name is None else self.name


class Confusion(dict[str | None, "Counter[str | None]"]):
    """``confusion[gold type][pred type]``: what does not occur is 0, and not stored."""

    def __missing__(self, key: str | None) -> Counter[str | None]:
        return Counter()

    def __init__(self, cells: Iterable[tuple[str | None, str | None, float]] = ()) -> None:
        super().__init__()
        sums: dict[tuple[str | None, str | None], list[float]] = {}
        for gold, pred, n in cells:
            row = sums.setdefault((gold, pred), [0, 0])
            row[0] += n
            row[1] += abs(n)
        for (gold, pred), (n, size) in sums.items():
            # Fractions that cancel each other may leave a rounding error.
            if abs(n) > ROUNDING * size:
                self.setdefault(gold, Counter())[pred] = n  # type: ignore[assignment]

    def triples(self) -> list[tuple[str | None, str | None, int]]:
        """Give (gold type, pred type, number), sorted; None for no span comes last."""
        found = [(gold, pred, n) for gold, row in self.items() for pred, n in row.items()]
        return sorted(found, key=lambda t: (t[0] is None, t[0] or "", t[1] is None, t[1] or ""))


def _whole(number: float) -> float:
    """Give a number of spans as an int where it is one."""
    return int(number) if number == int(number) else number


class Weighting:
    """How the outcomes of a criterion make precision and recall."""

    def __init__(self, criterion: Criterion, matcher: Matcher) -> None:
        places = {name: at for at, name in enumerate(criterion.outcomes)}
        self.empty = criterion.empty
        #: Places of outcomes, and the weights of their sum as TP, FP, FN.
        self.terms: list[tuple[tuple[int, ...], tuple[float, float, float]]]
        if isinstance(matcher, Fair) and criterion.name == "weighted":
            # In the order of the weights: sums of fractions depend on it.
            self.terms = [
                (
                    tuple(places[name] for name in matcher.groups.get(kind.lower(), (kind.lower(),))),
                    (parts.get("TP", 0), parts.get("FP", 0), parts.get("FN", 0)),
                )
                for kind, parts in matcher.error_weights.items()
            ]
        else:
            self.terms = [((at,), weights) for at, weights in enumerate(criterion.weights) if any(weights)]

    def by_outcome(self, outcomes: int) -> list[list[float]]:
        """Give the weights of each outcome, for the compiled half."""
        weights = [[0.0, 0.0, 0.0] for _ in range(outcomes)]
        for places, parts in self.terms:
            for place in places:
                weights[place] = [float(part) for part in parts]
        return weights

    def masses(self, sums: Sequence[float]) -> list[float]:
        """Give the TP, FP and FN that outcomes come to."""
        masses: list[float] = [0, 0, 0]
        for places, weights in self.terms:
            count = sums[places[0]] if len(places) == 1 else sum(sums[place] for place in places)
            for at, weight in enumerate(weights):
                masses[at] += weight * count
        return masses

    def score(self, tp: float, fp: float, fn: float, support: float) -> Score:
        """Give the measures: P and R first, then F."""
        precision = tp / (tp + fp) if tp + fp else self.empty
        recall = tp / (tp + fn) if tp + fn else self.empty
        both = precision + recall
        return Score(precision, recall, 2 * precision * recall / both if both else 0.0, _count(support))


def _count(number: float) -> int:
    whole: Any = _whole(number)
    return whole  # type: ignore[no-any-return]  # Weights of documents make it a fraction.


#: Sums of outcomes by type.
_Sums = dict[str | None, list[float]]


class Measured:
    """What cells come to under a criterion: the base of results, and of what they are under one criterion."""

    matcher: Matcher
    """The matcher with its options."""
    counts: _spanrs.Counts
    """How often each outcome occurred between each pair of types, in all and by document."""

    cells: Sequence[Cell]
    """All cells: criterion, outcome, gold type, pred type and number; weighted where documents have weights."""
    criterion: Criterion
    """The question that is answered."""

    @cached_property
    def _sums_known(self) -> dict[str, tuple[_Sums, _Sums]]:
        return {}

    def _sums(self, name: str) -> tuple[_Sums, _Sums]:
        """Sum the outcomes of a criterion by type: pairs of types at gold's, and at pred's."""
        known = self._sums_known.get(name)
        if known is not None:
            return known
        criterion = criteria(self.matcher.name)[name]
        width = len(criterion.outcomes)
        golds: _Sums = {}
        preds: _Sums = {}
        for of, outcome, gold, pred, n in self.cells:
            if of == criterion.cells:
                for sums, own, other in ((golds, gold, pred), (preds, pred, gold)):
                    name_of_row = own if own is not None else other
                    row = sums.get(name_of_row)
                    if row is None:
                        row = sums[name_of_row] = [0] * width
                    row[outcome] += n
        self._sums_known[name] = golds, preds
        return golds, preds

    @cached_property
    def _by_type(self) -> dict[str, tuple[list[float], list[float]]]:
        """Outcomes of each type, sorted by name: pairs of types at gold's, and at pred's."""
        golds, preds = self._sums(self.criterion.per_type)
        width = len(criteria(self.matcher.name)[self.criterion.per_type].outcomes)
        names = sorted({name for name in (*golds, *preds) if name is not None})
        none: list[float] = [0] * width
        return {name: (golds.get(name, none), preds.get(name, none)) for name in names}

    @cached_property
    def _totals(self) -> list[float]:
        golds, _ = self._sums(self.criterion.name)
        width = len(self.criterion.outcomes)
        return [sum(row[at] for row in golds.values()) for at in range(width)]

    @cached_property
    def _weighting(self) -> Weighting:
        return Weighting(self.criterion, self.matcher)

    @property
    def _axis(self) -> str:
        return self.matcher.focus if isinstance(self.matcher, Fair) else self.criterion.axis

    def _masses_of(self, row: tuple[list[float], list[float]]) -> tuple[float, float, float]:
        gold, pred = (self._weighting.masses(sums) for sums in row)
        if self._axis == "gold":
            return gold[0], gold[1], gold[2]
        return (pred[0], pred[1], pred[2]) if self._axis == "pred" else (gold[0], pred[1], gold[2])

    @cached_property
    def _supports(self) -> dict[str | None, float]:
        """Gold spans of each type."""
        golds, _ = self._sums(self.criterion.support)
        weighting = Weighting(criteria(self.matcher.name)[self.criterion.support], self.matcher)
        masses = {name: weighting.masses(row) for name, row in golds.items()}
        return {name: tp + fn for name, (tp, _, fn) in masses.items()}

    def _named(self, sums: Sequence[float]) -> dict[str, int]:
        """Name outcomes, with the sums of groups; those that are shown come first."""
        found = {name: _count(n) for name, n in zip(self.criterion.outcomes, sums, strict=True)}
        groups = self.matcher.groups.items()
        sums_of_groups = {
            group: sum(found[part] for part in parts)
            for group, parts in groups
            if group not in found and all(part in found for part in parts)
        }
        found |= sums_of_groups
        return {name: found[name] for name in (*self.columns, *found)}

    @property
    def columns(self) -> list[str]:
        """The outcomes that tables show."""
        known = {*self.criterion.outcomes}
        known |= {group for group, parts in self.matcher.groups.items() if known.issuperset(parts)}
        shown = self.matcher.columns or self.criterion.outcomes
        return [name for name in shown if name in known]

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """How often each outcome occurred."""
        return self._named(self._totals)

    @cached_property
    def outcomes_by_type(self) -> dict[str, dict[str, int]]:
        """How often each outcome occurred for each type, sorted by name."""
        at = 1 if self._axis == "pred" else 0
        return {name: self._named(rows[at]) for name, rows in self._by_type.items()}

    @cached_property
    def totals(self) -> Totals:
        """TP, FP and FN over all types."""
        return Totals(*map(_whole, self._weighting.masses(self._totals)))

    @cached_property
    def totals_by_type(self) -> dict[str, Totals]:
        """TP, FP and FN of each type, sorted by name."""
        return {name: Totals(*map(_whole, self._masses_of(row))) for name, row in self._by_type.items()}

    @cached_property
    def micro(self) -> Score:
        """Over all spans, whatever their type."""
        support = sum(self._supports.values())
        tp, fp, fn = self._weighting.masses(self._totals)
        return self._weighting.score(tp, fp, fn, support)

    @cached_property
    def per_type(self) -> dict[str, Score]:
        """Each type that gold or pred has a span of, sorted by name."""
        supports = self._supports
        if self.criterion.per_type != self.criterion.name:
            # Gold spans of a type are the same, however they are matched.
            masses = {name: self._masses_of(row) for name, row in self._by_type.items()}
            supports = {name: tp + fn for name, (tp, _, fn) in masses.items()}
        return {
            name: self._weighting.score(*self._masses_of(row), supports.get(name, 0))
            for name, row in self._by_type.items()
        }

    def _mean(self, weights: Sequence[float]) -> Score:
        scores, whole = list(self.per_type.values()), sum(weights)

        def mean(name: str) -> float:
            parts = (w * getattr(s, name) for w, s in zip(weights, scores, strict=True))
            return math.fsum(parts) / whole if whole else self.criterion.empty

        return Score(mean("precision"), mean("recall"), mean("f1"), self.micro.support)

    @cached_property
    def macro(self) -> Score:
        """The mean over types, each counting the same."""
        return self._mean([1] * len(self.per_type))

    @cached_property
    def weighted(self) -> Score:
        """The mean over types, each counting as often as it has gold spans."""
        return self._mean([score.support for score in self.per_type.values()])

    @cached_property
    def confusion(self) -> Confusion:
        """``confusion[gold type][pred type]``: how often a span of one type answered one of another.

        Under the exact matcher spans with equal bounds, so that each row adds up to the gold spans of its type and each
        column to the pred spans. Under the fair matcher errors, each once: on the diagonal boundary errors. The row
        and the column None hold what has no span on the other side. What does not occur is 0.
        """
        outcomes = self.criterion.outcomes
        left_out = {outcomes.index(name) for name in self.matcher.unconfused if name in outcomes}
        mistyped = outcomes.index("mistyped") if self.criterion.renames else -1
        cells: list[tuple[str | None, str | None, float]] = []
        for of, outcome, gold, pred, n in self.cells:
            if of != self.criterion.cells or outcome in left_out or gold is pred is None:
                continue
            cells.append((gold, pred, n))
            if outcome == mistyped:
                # They are missed and spurious besides.
                cells += [(gold, None, -n), (None, pred, -n)]
        return Confusion(cells)

    @cached_property
    def documents(self) -> list[DocumentRow]:
        """One row a document, where documents were asked for."""
        counts = self.counts
        if not counts.by_document:
            return []
        corpus = criteria(self.matcher.name)["corpus"]
        numbers = counts.by_outcome(corpus.index, len(corpus.outcomes)).tolist()
        sums = counts.by_outcome(self.criterion.cells, len(self.criterion.outcomes)).tolist()
        support = criteria(self.matcher.name)[self.criterion.support]
        weighting = Weighting(support, self.matcher)
        supports = counts.by_outcome(support.cells, len(support.outcomes)).tolist()
        rows = []
        places = {name: at for at, name in enumerate(corpus.outcomes)}
        for at, key in enumerate(counts.documents()):
            tp, fp, fn = self._weighting.masses(sums[at])
            gold_tp, _, gold_fn = weighting.masses(supports[at])
            rows.append(
                DocumentRow(
                    at,
                    key if isinstance(key, str) else None,
                    numbers[at][places["sentences"]] if "sentences" in places else 0,
                    numbers[at][places["tokens"]] if "tokens" in places else 0,
                    self._named(sums[at]),
                    Totals(*map(_whole, (tp, fp, fn))),
                    self._weighting.score(tp, fp, fn, gold_tp + gold_fn),
                )
            )
        return rows


class CriterionResult(Measured):
    """What a criterion comes to. Made by :class:`spanrs.Result`.

    Examples
    --------
    >>> import spanrs
    >>> result = spanrs.score([["B-PER", "I-PER"]], [["B-PER", "O"]], matcher="partial")
    >>> result["overlap"].micro.f1
    0.5
    >>> result["overlap"].outcomes
    {'correct': 0, 'incorrect': 0, 'partial': 1, 'missed': 0, 'spurious': 0}
    """

    def __init__(self, result: Measured, name: str) -> None:
        self.matcher, self.counts, self.cells = result.matcher, result.counts, result.cells
        self.criterion = result.matcher.criteria[name]

    def to_dict(self) -> dict[str, Any]:
        """Give the measures as plain dictionaries.

        Returns
        -------
        dict
            ``micro``, ``macro``, ``weighted`` (each ``precision``, ``recall``, ``f1``, ``support``), ``per_type``
            (type to the same), ``counts`` (``tp``, ``fp``, ``fn``), ``outcomes``, ``outcomes_by_type``.
        """
        return measures_dict(self)


def measures_dict(measured: Measured) -> dict[str, Any]:
    """Give measures as plain dictionaries; see :meth:`CriterionResult.to_dict`."""
    return {
        "micro": asdict(measured.micro),
        "macro": asdict(measured.macro),
        "weighted": asdict(measured.weighted),
        "per_type": {name: asdict(score) for name, score in measured.per_type.items()},
        "counts": measured.totals._asdict(),
        "outcomes": measured.outcomes,
        "outcomes_by_type": measured.outcomes_by_type,
    }


def corpus_numbers(matcher: str, cells: Iterable[Cell]) -> Mapping[str, int]:
    """Give what was counted for tags and files besides spans, by name."""
    corpus = criteria(matcher)["corpus"]
    numbers = dict.fromkeys(corpus.outcomes, 0)
    for of, outcome, _, _, n in cells:
        if of == corpus.index:
            numbers[corpus.outcomes[outcome]] += _count(n)
    return numbers
