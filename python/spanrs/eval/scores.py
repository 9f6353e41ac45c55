"""Measures of one criterion, computed from summed cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs._spanrs import Criterion
from spanrs.caching import cached_property
from spanrs.eval.matchers import Matcher, criteria, find_criterion
from spanrs.report.frames import Frames


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
    """Over all types; not a number where the document has no spans on either side."""

    @property
    def shown_name(self) -> str:
        """The name, or else the place."""
        return str(self.document) if self.name is None else self.name

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain values; ``totals`` as ``counts``, what is not a number as None."""
        return {
            "document": self.document,
            "name": self.name,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "counts": self.totals._asdict(),
            "outcomes": self.outcomes,
            "micro": plain_score(self.micro),
        }


class TypeScores(dict[str, Score], Frames):
    """Scores by type, and a frame with a row for each type: measures and counts.

    Parameters
    ----------
    scores : mapping of str to Score
        The measures of each type.
    totals : mapping of str to Totals
        TP, FP and FN of each type.
    outcomes : mapping of str to dict
        How often each outcome occurred for each type.

    Examples
    --------
    >>> import spanrs
    >>> types = spanrs.score([["B-PER", "O"]], [["B-PER", "B-LOC"]]).per_type
    >>> types["PER"].f1
    1.0
    >>> types.to_dict()["LOC"]
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0, 'support': 0, 'tp': 0, 'fp': 1, 'fn': 0}
    >>> types.to_arrow().column_names
    ['type', 'precision', 'recall', 'f1', 'support', 'tp', 'fp', 'fn']
    """

    #: Counts are floats as well, because outcomes and documents may have fractional weights.
    types = {"type": str} | dict.fromkeys(("precision", "recall", "f1", "support", "tp", "fp", "fn"), float)

    def __init__(
        self,
        scores: Mapping[str, Score],
        totals: Mapping[str, Totals],
        outcomes: Mapping[str, dict[str, int]],
    ) -> None:
        super().__init__(scores)
        self.totals = totals
        """TP, FP and FN of each type."""
        self.outcomes = outcomes
        """How often each outcome occurred for each type."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.types)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows, a tuple each; undefined measures are NaN."""
        return [(name, *astuple(score), *self.totals[name]) for name, score in self.items()]

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """Return the columns of each type by name; undefined measures are None."""
        return {name: plain_score(score) | self.totals[name]._asdict() for name, score in self.items()}


class Confusion(dict[str | None, "Counter[str | None]"]):
    """``confusion[gold type][pred type]``: what does not occur is 0, and not stored."""

    def __missing__(self, key: str | None) -> Counter[str | None]:
        return Counter()

    def triples(self) -> list[tuple[str | None, str | None, int]]:
        """Give (gold type, pred type, number), sorted; None for no span comes last."""
        found = [(gold, pred, n) for gold, row in self.items() for pred, n in row.items()]
        return sorted(found, key=lambda t: (t[0] is None, t[0] or "", t[1] is None, t[1] or ""))


class Measured:
    """Measures of one criterion; base class of results and of :class:`CriterionResult`."""

    matcher: Matcher
    """The matcher with its options."""
    counts: _spanrs.Counts
    """How often each outcome occurred between each pair of types, in all and by document."""

    document_weights: tuple[float, ...] | None
    """How often each document counts; None where each counts once."""
    criterion: Criterion
    """The question that is answered."""

    @cached_property
    def _summary(self) -> _spanrs._Summary:
        of = self.criterion
        terms, axis = self.matcher.terms(of), self.matcher.axis
        return self.counts.summary(of.index, terms, axis, self.document_weights)

    def _named(self, counts: Sequence[int]) -> dict[str, int]:
        """Name outcomes, with the sums of groups; those that are shown come first."""
        found = dict(zip(self.criterion.outcomes, counts, strict=True))
        for group, parts in self._groups.items():
            found.setdefault(group, sum(found[part] for part in parts))
        return {name: found[name] for name in (*self.columns, *found)}

    @cached_property
    def _groups(self) -> dict[str, tuple[str, ...]]:
        """Groups of outcomes defined for this criterion."""
        groups = self.matcher.groups.items()
        return {group: parts for group, parts in groups if set(parts) <= set(self.criterion.outcomes)}

    @property
    def columns(self) -> list[str]:
        """The outcomes that tables show."""
        shown = self.matcher.columns or self.criterion.outcomes
        return [name for name in shown if name in self.criterion.outcomes or name in self._groups]

    @property
    def wrong_outcomes(self) -> list[str]:
        """Outcomes that count as false positives or false negatives, at least in part."""
        outcomes = zip(self.criterion.outcomes, self.criterion.weights, strict=True)
        return [name for name, (_, fp, fn) in outcomes if fp or fn]

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """How often each outcome occurred."""
        return self._named(self._summary[0][0])

    @cached_property
    def totals(self) -> Totals:
        """TP, FP and FN over all types."""
        return Totals(*self._summary[0][1])

    @cached_property
    def micro(self) -> Score:
        """Over all spans, whatever their type."""
        return Score(*self._summary[0][2])

    @cached_property
    def per_type(self) -> TypeScores:
        """Measures and counts of each type that gold or pred has a span of, sorted by name."""
        summary = self._summary[3]
        return TypeScores(
            {name: Score(*score) for name, _, _, score in summary},
            {name: Totals(*totals) for name, _, totals, _ in summary},
            {name: self._named(counts) for name, counts, _, _ in summary},
        )

    @cached_property
    def macro(self) -> Score:
        """The mean over types, each counting the same."""
        return Score(*self._summary[1])

    @cached_property
    def weighted(self) -> Score:
        """The mean over types, each counting as often as it has gold spans."""
        return Score(*self._summary[2])

    @cached_property
    def confusion(self) -> Confusion:
        """``confusion[gold type][pred type]``: how often a span of one type answered one of another.

        Under the exact matcher spans with equal bounds, so that each row adds up to the gold spans of its type and each
        column to the pred spans. Under the fair matcher errors, each once: on the diagonal boundary errors. The row
        and the column None hold what has no span on the other side. What does not occur is 0.
        """
        outcomes = self.criterion.outcomes
        left_out = [outcomes.index(name) for name in self.matcher.unconfused if name in outcomes]
        mistyped = outcomes.index("mistyped") if self.criterion.renames else None
        found = Confusion()
        for gold, pred, n in self.counts.confusion(
            self.criterion.index, left_out, mistyped, self.document_weights
        ):
            found.setdefault(gold, Counter())[pred] = n
        return found

    @cached_property
    def documents(self) -> list[DocumentRow]:
        """One row a document, where documents were asked for."""
        corpus = criteria(self.matcher.name)["corpus"]
        terms = self.matcher.terms(self.criterion)
        found = self.counts.document_summaries(self.criterion.index, terms)
        of_corpus = self.counts.document_summaries(corpus.index)
        rows: list[DocumentRow] = []
        for (key, (counts, totals, score)), (_, (numbers, _, _)) in zip(found, of_corpus, strict=True):
            name = key if isinstance(key, str) else None
            named = dict(zip(corpus.outcomes, numbers, strict=True))
            sizes = named.get("sentences", 0), named.get("tokens", 0)
            micro = Score(*score)
            if not any(totals) and not micro.precision:
                # 0 would be the value of a document in which everything is wrong.
                micro = Score(math.nan, math.nan, math.nan, micro.support)
            row = DocumentRow(len(rows), name, *sizes, self._named(counts), Totals(*totals), micro)
            rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Give the measures as plain dictionaries.

        Returns
        -------
        dict
            ``micro``, ``macro``, ``weighted`` (each ``precision``, ``recall``, ``f1``, ``support``; None for what is
            not a number), ``per_type`` (type to the same), ``counts`` (``tp``, ``fp``, ``fn``), ``outcomes``,
            ``outcomes_by_type``.
        """
        return {
            "micro": plain_score(self.micro),
            "macro": plain_score(self.macro),
            "weighted": plain_score(self.weighted),
            "per_type": {name: plain_score(score) for name, score in self.per_type.items()},
            "counts": self.totals._asdict(),
            "outcomes": self.outcomes,
            "outcomes_by_type": dict(self.per_type.outcomes),
        }


class CriterionResult(Measured):
    """Measures of one criterion of a result, such as ``result["bounds"]``.

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
        self.matcher, self.counts = result.matcher, result.counts
        self.document_weights = result.document_weights
        self.criterion = find_criterion(result.matcher.criteria, name, result.matcher)


class UnscoredResult(CriterionResult):
    """A criterion with undefined measures: outcomes are counted, but precision, recall and F1 are NaN."""

    @cached_property
    def _summary(self) -> _spanrs._Summary:
        (counts, totals, micro), macro, weighted, types = super()._summary
        by_type = [(name, outcomes, own, _with_nan_measures(score)) for name, outcomes, own, score in types]
        return (
            (counts, totals, _with_nan_measures(micro)),
            _with_nan_measures(macro),
            _with_nan_measures(weighted),
            by_type,
        )

    @cached_property
    def documents(self) -> list[DocumentRow]:
        """One row a document, where documents were asked for."""
        return [
            row._replace(micro=replace(row.micro, precision=math.nan, recall=math.nan, f1=math.nan))
            for row in super().documents
        ]


def _with_nan_measures(score: _spanrs._Score) -> _spanrs._Score:
    return math.nan, math.nan, math.nan, score[3]


def plain_score(score: Score) -> dict[str, float | None]:
    """Give a score as a plain dictionary, None for what is not a number."""
    return {name: None if math.isnan(value) else value for name, value in asdict(score).items()}
