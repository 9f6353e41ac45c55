"""What to look at after aggregation: annotators by reliability, and sentences on which they disagree."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, NamedTuple

from spanrs.errors import SpanrsWarning
from spanrs.eval import Measure, score

if TYPE_CHECKING:
    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus


class AnnotatorScore(NamedTuple):
    """How well an annotator agrees with the estimated truth."""

    annotator: str
    sentences: int
    tokens: int
    score: float
    """F1 of spans; accuracy of tokens where labels are no tags. NaN where there are no spans at all."""
    interval: tuple[float, float] | None
    """Of the score, by resampling sentences; None with fewer than two sentences, and without a score."""


class Disagreement(NamedTuple):
    """A sentence that annotators label differently."""

    sentence: int
    """Its number, from 0."""
    confidence: float
    """The least confidence of a token's label."""
    tokens: list[str]
    labels: list[str]
    """The estimated truth."""
    confidences: list[float]
    """Of each label."""
    answers: dict[str, list[str]]
    """Labels by annotator."""


def rank_annotators(
    corpus: CrowdCorpus, truth: list[list[str]], *, samples: int = 1000, level: float = 0.95, seed: int = 0
) -> list[AnnotatorScore]:
    """Score annotators against the truth, the best first, those without a score last.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    truth : list of list of str
        True or estimated labels of all sentences.
    samples : int
        Number of resampled corpora of the intervals.
    level : float
        Of the percentile intervals.
    seed : int
        Of the resampling.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, rank_annotators
    >>> truth = [["B-PER"], ["B-PER"]]
    >>> corpus = CrowdCorpus([["Ada"], ["Bob"]], [{"ann": own, "ben": ["O"]} for own in truth])
    >>> [(own.annotator, own.score) for own in rank_annotators(corpus, truth)]
    [('ann', 1.0), ('ben', 0.0)]
    """
    labels, sentences, sizes = corpus.by_annotator()
    scheme, start, rows = corpus.scheme(), 0, []
    for name, size in zip(corpus.annotators, sizes, strict=True):
        pred = labels[start : start + size]
        gold = [truth[at] for at in sentences[start : start + size]]
        start += size
        if not size:
            rows.append(AnnotatorScore(name, 0, 0, float("nan"), None))
        else:
            value, interval = _scored(gold, pred, scheme, (samples, level, seed))
            rows.append(AnnotatorScore(name, size, sum(map(len, pred)), value, interval))
    return sorted(rows, key=lambda row: -1.0 if math.isnan(row.score) else -1.0 - row.score)


def _scored(
    gold: list[list[str]], pred: list[list[str]], scheme: str | None, resampling: tuple[int, float, int]
) -> tuple[float, tuple[float, float] | None]:
    samples, level, seed = resampling
    if scheme is None:
        return _accuracy(gold, pred, resampling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        result = score(gold, pred, scheme=scheme, documents=[1] * len(gold))
    if not any(result.totals):
        return float("nan"), None
    measure = Measure("micro", "f1")
    interval = None
    if len(gold) > 1:
        interval = result.bootstrap([measure], samples=samples, seed=seed).interval(measure, level)
    return result.micro.f1, interval


def _accuracy(
    gold: list[list[str]], pred: list[list[str]], resampling: tuple[int, float, int]
) -> tuple[float, tuple[float, float] | None]:
    import numpy as np

    samples, level, seed = resampling
    right = np.array([sum(map(str.__eq__, *pair)) for pair in zip(gold, pred, strict=True)])
    tokens = np.array([len(own) for own in gold])
    value = float(right.sum() / max(tokens.sum(), 1))
    if len(gold) < 2:
        return value, None
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(samples):
        drawn = rng.integers(len(gold), size=len(gold))
        values.append(right[drawn].sum() / max(tokens[drawn].sum(), 1))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return value, (float(low), float(high))


def disagreements(
    corpus: CrowdCorpus, aggregator: Aggregator, most: int | None = None
) -> list[Disagreement]:
    """Give the sentences that annotators label differently, the least certain first.

    Of equally certain ones those come first that most annotators label otherwise than the estimate.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    aggregator : Aggregator
        Fitted to them.
    most : int, optional
        How many to give; all by default.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, MajorityVote, disagreements
    >>> corpus = CrowdCorpus([["Ada"], ["Bob"]], [{"a": ["O"], "b": ["O"]}, {"a": ["O"], "b": ["B-PER"]}])
    >>> [found.sentence for found in disagreements(corpus, MajorityVote().fit(corpus))]
    [1]
    """
    answers: list[dict[str, tuple[int, ...]]] = [{} for _ in range(len(corpus))]
    for own in corpus.annotations:
        answers[own.sentence][corpus.annotators[own.annotator]] = own.labels
    found = aggregator.estimated_truth_
    places = [at for at, own in enumerate(answers) if len(set(own.values())) > 1]
    least = {at: float(aggregator.confidence_[at].min()) for at in places}
    numbers = {label: at for at, label in enumerate(corpus.labels)}
    estimates = {at: tuple(numbers[label] for label in found[at]) for at in places}
    dissent = {at: sum(own != estimates[at] for own in answers[at].values()) for at in places}
    places.sort(key=lambda at: (round(least[at], 2), -dissent[at], at))
    return [
        Disagreement(
            at,
            least[at],
            [_text(token) for token in corpus.sentences[at]],
            aggregator.estimated_truth_[at],
            [float(value) for value in aggregator.confidence_[at]],
            {name: [corpus.labels[label] for label in own] for name, own in answers[at].items()},
        )
        for at in places[:most]
    ]


def _text(token: object) -> str:
    """Give the word of a token."""
    return str(token[0]) if isinstance(token, tuple) and token else str(token)
