"""Exact scoring by its definition: sets of spans, built and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from spanrs import tags


@dataclass
class Brute:
    """Weighted counts of documents."""

    gold: Counter[str] = field(default_factory=Counter)
    pred: Counter[str] = field(default_factory=Counter)
    both: Counter[str] = field(default_factory=Counter)
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    sentences: float = 0
    tokens: float = 0
    correct: float = 0

    def types(self) -> list[str]:
        return sorted(self.gold.keys() | self.pred.keys())

    def row(self, name: str) -> tuple[float, float, float]:
        tp = self.both[name]
        return tp, self.pred[name] - tp, self.gold[name] - tp

    def total(self) -> tuple[float, float, float]:
        tp = sum(self.both.values())
        return tp, sum(self.pred.values()) - tp, sum(self.gold.values()) - tp


def score(
    documents: Sequence[Sequence[tuple[list[str], list[str]]]],
    weights: Sequence[float] | None = None,
    rename: Callable[[str], str | None] = lambda name: name,
    scheme: str = "BIO",
    reading: str = "conlleval",
) -> Brute:
    """Score documents, which are pairs of gold and pred sentences; types mapped to None are removed."""
    out = Brute()
    for document, weight in zip(documents, weights or [1] * len(documents), strict=True):
        if weight == 0:
            continue
        for gold, pred in document:
            sides = [
                {(rename(s.type), s.start, s.end) for s in tags.tags_to_spans(side, scheme, reading)}
                for side in (gold, pred)
            ]
            gold_spans, pred_spans = ({span for span in side if span[0] is not None} for side in sides)
            for count, spans in (
                (out.gold, gold_spans),
                (out.pred, pred_spans),
                (out.both, gold_spans & pred_spans),
            ):
                for span in spans:
                    count[span[0]] += weight
            for g in gold_spans:
                for p in pred_spans:
                    if g[1:] == p[1:] and g[0] != p[0]:
                        out.confused[g[0], p[0]] += weight
            out.sentences += weight
            out.tokens += weight * len(gold)
            out.correct += weight * sum(g == p for g, p in zip(gold, pred, strict=True))
    return out


def measures(tp: float, fp: float, fn: float) -> tuple[float, float, float]:
    """Precision, recall and F1, each 0 if its denominator is 0."""

    def ratio(part: float, whole: float) -> float:
        return part / whole if whole else 0.0

    return ratio(tp, tp + fp), ratio(tp, tp + fn), ratio(2 * tp, 2 * tp + fp + fn)


def mean(item: Brute, weights: Sequence[float]) -> tuple[float, ...]:
    """Measures of the types, with these weights."""
    rows = [measures(*item.row(name)) for name in item.types()]
    whole = sum(weights)
    return tuple(
        sum(w * row[at] for w, row in zip(weights, rows, strict=True)) / whole if whole else 0.0
        for at in range(3)
    )


def confusion(item: Brute) -> dict[Any, dict[Any, float]]:
    """Spans with equal boundaries by both types; None counts the rest."""
    names: list[Any] = [*item.types(), None]
    matrix = {g: {p: item.confused[g, p] if g != p else 0 for p in names} for g in names}
    for name in item.types():
        matrix[name][name] = item.both[name]
        matrix[name][None] = item.gold[name] - sum(matrix[name][p] for p in names[:-1])
        matrix[None][name] = item.pred[name] - sum(matrix[g][name] for g in names[:-1])
    return matrix
