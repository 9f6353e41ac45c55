"""Review of an aggregation: annotators by reliability."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from spanrs.crowd.corpus import MOST_NUMBERS
from spanrs.crowd.intervals import truth_intervals
from spanrs.errors import SpanrsWarning
from spanrs.eval import Measure, score

if TYPE_CHECKING:
    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus


#: Minimum number of annotators per sentence for valid intervals of the score against the true labels.
COMPARED = 3


class AnnotatorScore(NamedTuple):
    """The score of an annotator against the truth."""

    annotator: str
    sentences: int
    tokens: int
    score: float
    """F1 of spans, or token accuracy if labels are not tags; NaN if there are no spans."""
    interval: tuple[float, float] | None
    """Confidence interval of the score; None if there are fewer than two sentences, or there is no score."""
    interval_of: str = "truth"
    """``truth``: interval of the score against the unknown true labels; ``estimate``: against the given labels."""


def rank_annotators(
    corpus: CrowdCorpus,
    truth: Aggregator | list[list[str]],
    *,
    samples: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> list[AnnotatorScore]:
    """Score annotators against the truth, best first; annotators without a score are last.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    truth : Aggregator, or list of list of str
        An aggregator fitted to the corpus, or the true labels of all sentences.
    samples : int, optional
        Number of bootstrap resamples, by default 100 for an aggregator and 1,000 for true labels.
    level : float
        Level of the intervals. For an aggregator, intervals are for the score against the unknown true labels
        (:mod:`spanrs.crowd.intervals`), so the score against the estimate may be outside of the interval. For true
        labels, and if most sentences have fewer than :data:`COMPARED` annotators, intervals are percentile intervals
        given the labels.
    seed : int
        Random seed for the resamples.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, rank_annotators
    >>> truth = [["B-PER"], ["B-PER"]]
    >>> corpus = CrowdCorpus([["Ada"], ["Bob"]], [{"ann": labels, "ben": ["O"]} for labels in truth])
    >>> [(row.annotator, row.score) for row in rank_annotators(corpus, truth)]
    [('ann', 1.0), ('ben', 0.0)]
    """
    if isinstance(truth, list):
        rows = _rows(corpus, truth, (samples or 1000, level, seed))
    elif covers_truth(corpus):
        intervals = truth_intervals(corpus, samples=samples or 100, level=level, seed=seed)
        pairs = zip(_rows(corpus, truth.labels_, None), intervals, strict=True)
        rows = [
            row._replace(interval=None if math.isnan(row.score) else interval) for row, interval in pairs
        ]
    else:
        rows = _rows(corpus, truth.labels_, (samples or 1000, level, seed))
        rows = [row._replace(interval_of="estimate") for row in rows]
    return sorted(rows, key=lambda row: -1.0 if math.isnan(row.score) else -1.0 - row.score)


def covers_truth(corpus: CrowdCorpus) -> bool:
    """Return whether intervals for the score against the true labels have approximately their nominal coverage.

    Coverage depends on the number of annotators per sentence (benches/record/2026-11-24-crowd-coverage.md). The table
    of annotators and labels must also be within the memory limit.
    """
    if len(corpus.annotators) * len(corpus.labels) ** 3 > MOST_NUMBERS // 100:
        return False
    numbers = Counter(annotation.sentence for annotation in corpus.annotations)
    return sum(number >= COMPARED for number in numbers.values()) > len(numbers) / 2


def interval_heading(rows: list[AnnotatorScore]) -> str:
    """Return the heading of the column of 95 % intervals: of the score against the true or the estimated labels.

    Examples
    --------
    >>> from spanrs.crowd.review import AnnotatorScore, interval_heading
    >>> interval_heading([AnnotatorScore("ann", 9, 99, 0.9, (0.8, 1.0), "estimate")])
    '95 % interval given the estimate'
    """
    given = any(row.interval_of == "estimate" for row in rows)
    return "95 % interval given the estimate" if given else "95 % interval, true labels"


def _rows(
    corpus: CrowdCorpus, truth: list[list[str]], resampling: tuple[int, float, int] | None
) -> list[AnnotatorScore]:
    """Score annotators in the order of the corpus, with intervals if resampling is requested."""
    labels, sentences, sizes = corpus.by_annotator()
    scheme, start, rows = corpus.scheme(), 0, []
    for name, size in zip(corpus.annotators, sizes, strict=True):
        pred = labels[start : start + size]
        gold = [truth[at] for at in sentences[start : start + size]]
        start += size
        if not size:
            rows.append(AnnotatorScore(name, 0, 0, float("nan"), None))
        else:
            value, interval = _scored(gold, pred, scheme, resampling)
            rows.append(AnnotatorScore(name, size, sum(map(len, pred)), value, interval))
    return rows


def _scored(
    gold: list[list[str]],
    pred: list[list[str]],
    scheme: str | None,
    resampling: tuple[int, float, int] | None,
) -> tuple[float, tuple[float, float] | None]:
    if scheme is None:
        return _accuracy(gold, pred, resampling)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        result = score(gold, pred, scheme=scheme, by=[1] * len(gold))
    if not any(result.totals):
        return float("nan"), None
    measure = Measure("f1")
    interval = None
    if len(gold) > 1 and resampling is not None:
        samples, level, seed = resampling
        interval = result.bootstrap([measure], samples=samples, seed=seed).interval(measure, level)
    return result.micro.f1, interval


def _accuracy(
    gold: list[list[str]], pred: list[list[str]], resampling: tuple[int, float, int] | None
) -> tuple[float, tuple[float, float] | None]:
    import numpy as np

    right = np.array([sum(map(str.__eq__, *pair)) for pair in zip(gold, pred, strict=True)])
    tokens = np.array([len(labels) for labels in gold])
    value = float(right.sum() / max(tokens.sum(), 1))
    if len(gold) < 2 or resampling is None:
        return value, None
    samples, level, seed = resampling
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(samples):
        drawn = rng.integers(len(gold), size=len(gold))
        values.append(right[drawn].sum() / max(tokens[drawn].sum(), 1))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return value, (float(low), float(high))
