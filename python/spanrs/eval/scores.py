"""Measures of one criterion, computed from summed cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.caching import cached_property
from spanrs.errors import as_number
from spanrs.eval.criterion import Criterion
from spanrs.eval.matcher import Matcher, criteria, find_criterion
from spanrs.report.frames import Frames


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and F1 as fractions, and the number of gold spans."""

    precision: float
    recall: float
    f1: float
    support: float

    def f(self, beta: float) -> float:
        """Return the F measure in which recall weighs ``beta`` times as much as precision.

        Examples
        --------
        >>> from spanrs.eval import Score
        >>> Score(1.0, 0.5, 2 / 3, 4).f(2)
        0.5555555555555556
        """
        return f_measure(self.precision, self.recall, as_number(beta, "beta"))


def f_measure(precision: float, recall: float, beta: float) -> float:
    """Return the F measure in which recall weighs ``beta`` times as much as precision; 0 if both are 0."""
    square = beta * beta
    below = square * precision + recall
    return 0.0 if below == 0.0 else (1.0 + square) * precision * recall / below


class Totals(NamedTuple):
    """True positives, false positives and false negatives; fractional if outcomes have fractional weights."""

    tp: float
    fp: float
    fn: float


class DocumentRow(NamedTuple):
    """One document of a corpus."""

    document: int
    """Index of the document, from 0."""
    name: str | None
    """Name of the document, if documents have names."""
    sentences: int
    """Number of sentences."""
    tokens: int
    """Number of tokens."""
    outcomes: dict[str, int]
    """Number of occurrences of each outcome."""
    totals: Totals
    """TP, FP and FN over all types."""
    micro: Score
    """Precision, recall and F1 over all types; NaN if the document has no spans on either side."""

    @property
    def shown_name(self) -> str:
        """The name, or the index if there is no name."""
        return str(self.document) if self.name is None else self.name

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; the key of ``totals`` is ``counts``, and NaN becomes None."""
        return {
            "document": self.document,
            "name": self.name,
            "sentences": self.sentences,
            "tokens": self.tokens,
            "counts": self.totals._asdict(),
            "outcomes": self.outcomes,
            "micro": plain_score(self.micro),
        }


class TypeScores(Mapping[str, Score], Frames):
    """Scores by type, convertible to a data frame with the measures and counts of each type. Immutable.

    Parameters
    ----------
    scores : mapping of str to Score
        The measures of each type.
    totals : mapping of str to Totals
        TP, FP and FN of each type.
    outcomes : mapping of str to dict
        Number of occurrences of each outcome for each type.

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

    def __init__(
        self,
        scores: Mapping[str, Score],
        totals: Mapping[str, Totals],
        outcomes: Mapping[str, dict[str, int]],
    ) -> None:
        self._scores = dict(scores)
        self.totals = totals
        """TP, FP and FN of each type."""
        self.outcomes = outcomes
        """Number of occurrences of each outcome for each type."""

    def __getitem__(self, name: str) -> Score:
        return self._scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        return repr(self._scores)

    @property
    def types(self) -> dict[str, type]:
        """Types of the columns; counts are int, unless outcomes or documents have fractional weights."""
        counts = {type(count) for row in self.rows for count in row[4:]}
        names = ("support", "tp", "fp", "fn")
        measures = dict.fromkeys(("precision", "recall", "f1"), float)
        return {"type": str, **measures, **dict.fromkeys(names, float if float in counts else int)}

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.types)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as tuples; undefined measures are NaN."""
        return [(name, *astuple(score), *self.totals[name]) for name, score in self.items()]

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """Return the values of each type by column name; undefined measures are None."""
        return {name: plain_score(score) | self.totals[name]._asdict() for name, score in self.items()}


class Confusion(dict[str | None, "Counter[str | None]"]):
    """Confusion matrix, ``confusion[gold type][pred type]``; zeros are not stored."""

    def __missing__(self, key: str | None) -> Counter[str | None]:
        return Counter()

    def triples(self) -> list[tuple[str | None, str | None, int]]:
        """Return (gold type, pred type, count), sorted; None, for no span, comes last."""
        pairs = [(gold, pred, n) for gold, row in self.items() for pred, n in row.items()]
        return sorted(pairs, key=lambda t: (t[0] is None, t[0] or "", t[1] is None, t[1] or ""))


class Measured:
    """Measures of one criterion; base class of results and of :class:`CriterionResult`."""

    matcher: Matcher
    """The matcher with its options."""
    counts: _spanrs.Counts
    """Number of occurrences of each outcome for each pair of types, in total and by document."""

    document_weights: tuple[float, ...] | None
    """Weight of each document; None if all weights are 1."""
    _criterion: Criterion

    @cached_property
    def _summary(self) -> _spanrs._Summary:
        criterion = self._criterion
        terms, axis = self.matcher.terms(criterion), self.matcher.axis
        return self.counts.summary(criterion.index, terms, axis, self.document_weights)

    def _named(self, counts: Sequence[int]) -> dict[str, int]:
        """Return outcomes by name, with the sums of groups; outcomes shown in tables come first."""
        named = dict(zip(self._criterion.outcomes, counts, strict=True))
        for group, parts in self._groups.items():
            named.setdefault(group, sum(named[part] for part in parts))
        return {name: named[name] for name in (*self._columns, *named)}

    @cached_property
    def _groups(self) -> dict[str, tuple[str, ...]]:
        """Groups of outcomes defined for this criterion."""
        groups = self.matcher.groups.items()
        return {group: parts for group, parts in groups if set(parts) <= set(self._criterion.outcomes)}

    @property
    def _columns(self) -> list[str]:
        """The outcomes that tables show."""
        shown = self.matcher.columns or self._criterion.outcomes
        return [name for name in shown if name in self._criterion.outcomes or name in self._groups]

    @cached_property
    def outcomes(self) -> dict[str, int]:
        """Number of occurrences of each outcome."""
        return self._named(self._summary["all"]["counts"])

    @cached_property
    def totals(self) -> Totals:
        """TP, FP and FN over all types."""
        return self._summary["all"]["totals"]

    @cached_property
    def micro(self) -> Score:
        """Precision, recall and F1 over the spans of all types."""
        return self._summary["all"]["score"]

    @cached_property
    def per_type(self) -> TypeScores:
        """Measures and counts of each type that occurs in gold or pred, sorted by name."""
        types = self._summary["types"]
        return TypeScores(
            {name: outcomes["score"] for name, outcomes in types},
            {name: outcomes["totals"] for name, outcomes in types},
            {name: self._named(outcomes["counts"]) for name, outcomes in types},
        )

    @cached_property
    def macro(self) -> Score:
        """Unweighted mean over types."""
        return self._summary["macro"]

    @cached_property
    def weighted(self) -> Score:
        """Mean over types, weighted by the number of gold spans."""
        return self._summary["weighted"]

    @cached_property
    def confusion(self) -> Confusion:
        """``confusion[gold type][pred type]``: number of pairs of spans with these types.

        With exact matching, pairs have equal bounds, so that each row sums to the gold spans of a type and each column
        to the pred spans of a type. With fair matching, only errors are included, each once, with boundary errors on
        the diagonal. The row None and the column None contain unmatched spans. Pairs that do not occur are 0.
        """
        outcomes = self._criterion.outcomes
        left_out = [outcomes.index(name) for name in self.matcher.unconfused if name in outcomes]
        mistyped = outcomes.index("mistyped") if self._criterion.renames else None
        matrix = Confusion()
        for gold, pred, n in self.counts.confusion(
            self._criterion.index, left_out, mistyped, self.document_weights
        ):
            matrix.setdefault(gold, Counter())[pred] = n
        return matrix

    @cached_property
    def documents(self) -> list[DocumentRow]:
        """One row per document, if documents were requested."""
        corpus = criteria(self.matcher.name)["corpus"]
        terms = self.matcher.terms(self._criterion)
        summaries = self.counts.document_summaries(self._criterion.index, terms)
        of_corpus = self.counts.document_summaries(corpus.index)
        rows: list[DocumentRow] = []
        for (key, outcomes), (_, numbers) in zip(summaries, of_corpus, strict=True):
            name = key if isinstance(key, str) else None
            named = dict(zip(corpus.outcomes, numbers["counts"], strict=True))
            sizes = named.get("sentences", 0), named.get("tokens", 0)
            totals, micro = outcomes["totals"], outcomes["score"]
            if not any(totals) and not micro.precision:
                # 0 would mean that all spans in the document are wrong.
                micro = Score(math.nan, math.nan, math.nan, micro.support)
            rows.append(
                DocumentRow(len(rows), name, *sizes, self._named(outcomes["counts"]), totals, micro)
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as plain dictionaries.

        Returns
        -------
        dict
            ``micro``, ``macro``, ``weighted`` (each with ``precision``, ``recall``, ``f1``, ``support``; None for NaN),
            ``per_type`` (the same by type), ``counts`` (``tp``, ``fp``, ``fn``), ``outcomes``, ``outcomes_by_type``.
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

    def __init__(self, result: Measured, name: str, unscored: str | None = None) -> None:
        self.matcher, self.counts = result.matcher, result.counts
        self.document_weights = result.document_weights
        self._criterion = find_criterion(result.matcher.criteria, name, result.matcher)
        self.unscored = unscored
        """Reason why the measures are undefined; None if they are defined. Undefined measures are numbers in this
        object, and NaN in :attr:`shown`, tables and dictionaries."""

    @property
    def criterion(self) -> Criterion:
        """The criterion: name, outcomes, and weights of the outcomes."""
        return self._criterion

    @property
    def columns(self) -> list[str]:
        """The outcomes that tables show."""
        return self._columns

    @property
    def wrong_outcomes(self) -> list[str]:
        """Outcomes that are counted as false positives or false negatives, at least in part."""
        outcomes = zip(self.criterion.outcomes, self.criterion.weights, strict=True)
        return [name for name, (_, fp, fn) in outcomes if fp or fn]

    @property
    def shown(self) -> CriterionResult:
        """The same result with NaN for undefined measures."""
        return self if self.unscored is None else UnscoredResult(self, self.criterion.name, self.unscored)


class UnscoredResult(CriterionResult):
    """A criterion with undefined measures: outcomes are counted, but precision, recall and F1 are NaN."""

    @cached_property
    def _summary(self) -> _spanrs._Summary:
        summary = super()._summary
        return {
            "all": _with_nan_measures(summary["all"]),
            "macro": _undefined(summary["macro"]),
            "weighted": _undefined(summary["weighted"]),
            "types": [(name, _with_nan_measures(outcomes)) for name, outcomes in summary["types"]],
        }

    @cached_property
    def documents(self) -> list[DocumentRow]:
        """One row per document, if documents were requested."""
        return [row._replace(micro=_undefined(row.micro)) for row in super().documents]


def _undefined(score: Score) -> Score:
    return Score(math.nan, math.nan, math.nan, score.support)


def _with_nan_measures(outcomes: _spanrs._Outcomes) -> _spanrs._Outcomes:
    return {**outcomes, "score": _undefined(outcomes["score"])}


def plain_score(score: Score) -> dict[str, float | None]:
    """Return a score as a plain dictionary, with None for NaN."""
    return {name: None if math.isnan(value) else value for name, value in asdict(score).items()}
