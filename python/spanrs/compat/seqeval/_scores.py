"""Precision, recall and F-measure from counts by type, with seqeval's order of operations and NumPy types."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from spanrs.compat.seqeval.reporters import DictReporter, StringReporter

if TYPE_CHECKING:
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[Any]

#: type -> (gold spans, pred spans, correct spans)
Counts: TypeAlias = dict[str, tuple[int, int, int]]
ALL = ("precision", "recall", "f-score")


def check_options(average: str | None, beta: float) -> None:
    """Refuse unknown averages and negative betas."""
    if beta < 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    averages = (None, "micro", "macro", "weighted")
    if average not in averages:
        raise ValueError(f"average has to be one of {averages}")


def scores(
    counts: Counts,
    average: str | None = None,
    warn_for: Any = ALL,
    beta: float = 1.0,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F and support, each as an array by type or averaged."""
    return scores_of_sums(_columns(counts), average, warn_for, beta, zero_division)


def scores_of_sums(
    sums: tuple[Array, Array, Array], average: str | None, warn_for: Any, beta: float, zero_division: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the scores for arrays of gold, pred and correct spans by type."""
    if average == "micro":
        sums = np.array([sums[0].sum()]), np.array([sums[1].sum()]), np.array([sums[2].sum()])
    true_sum, pred_sum, tp_sum = sums
    precision = divide((tp_sum, pred_sum), "precision", "predicted", warn_for, zero_division)
    recall = divide((tp_sum, true_sum), "recall", "true", warn_for, zero_division)
    if zero_division == "warn" and warn_for == ("f-score",) and (pred_sum[true_sum == 0] == 0).any():
        _warn("F-score is", "true nor predicted", len(true_sum))
    f_score = _f_score(precision, recall, beta)
    if average is None:
        return precision, recall, f_score, true_sum
    weights = true_sum if average == "weighted" else None
    if weights is not None and weights.sum() == 0:
        empty = _filler(zero_division)
        empty_value = empty if pred_sum.sum() == 0 else 0.0
        return empty_value, empty, empty_value, sum(true_sum)
    means = [np.average(values, weights=weights) for values in (precision, recall, f_score)]
    return means[0], means[1], means[2], sum(true_sum)


def _columns(counts: Counts) -> tuple[Array, Array, Array]:
    """Return arrays of gold, pred and correct spans, by type in the order of names; int32 if there are no types."""
    rows = [counts[name] for name in sorted(counts)]
    dtype = None if rows else np.int32
    gold, pred, correct = (np.array([row[place] for row in rows], dtype=dtype) for place in range(3))
    return gold, pred, correct


def _filler(zero_division: Any) -> float:
    return 0.0 if zero_division in ["warn", 0] else 1.0


def divide(
    sides: tuple[Array, Array],
    metric: str,
    modifier: str,
    warn_for: Any,
    zero_division: Any,
    *,
    by_sample: bool = False,
) -> Array:
    """Divide two arrays; warn of denominators of 0, which are those of samples or of labels."""
    part, whole = sides
    nothing = whole == 0
    divided: Array = part / np.where(nothing, 1, whole)
    if nothing.any():
        divided[nothing] = _filler(zero_division)
        if zero_division == "warn" and metric in warn_for:
            also = " and F-score are" if "f-score" in warn_for else " is"
            _warn(metric.title() + also, modifier, len(divided), by_sample=by_sample)
    return divided


def _warn(what: str, modifier: str, size: int, *, by_sample: bool = False) -> None:
    of, among = ("labels", "samples") if by_sample else ("samples", "labels")
    where = "due to" if size == 1 else f"in {among} with"
    text = (
        f"{what} ill-defined and being set to 0.0 {where} no {modifier} {of}. "
        "Use `zero_division` parameter to control this behavior."
    )
    warn(text, undefined_metric_warning(), "seqeval.metrics.v1")


def _f_score(precision: Array, recall: Array, beta: float) -> Array:
    if np.isposinf(beta):
        return recall
    squared = beta**2
    below = squared * precision + recall
    below[below == 0.0] = 1
    f_score: Array = (1 + squared) * precision * recall / below
    return f_score


def make_reporter(names: Iterable[str], *, digits: Any, output_dict: bool) -> DictReporter | StringReporter:
    """Create the reporter for the given types; a text table requires at least one type."""
    if output_dict:
        return DictReporter()
    widest = max(map(len, names))
    width = max(widest, len("weighted avg"), digits)
    return StringReporter(width=width, digits=digits)


def report(
    counts: Counts, reporter: DictReporter | StringReporter, zero_division: Any
) -> str | dict[str, dict[str, Any]]:
    """Write one row per type, and the three averages."""
    by_type = scores(counts, zero_division=zero_division)
    for name, *row in zip(sorted(counts), *by_type, strict=True):
        reporter.write(name, *row)
    reporter.write_blank()
    for average in ("micro", "macro", "weighted"):
        reporter.write(f"{average} avg", *scores(counts, average, zero_division=zero_division))
    reporter.write_blank()
    return reporter.report()


_seen: dict[Any, Any] = {}


def warn(text: str, category: type[Warning], module: str) -> None:
    """Issue a warning under the name of a module of seqeval, so that module filters work."""
    warnings.warn_explicit(text, category, __file__, 1, module=module, registry=_seen)


@cache
def undefined_metric_warning() -> type[Warning]:
    """Return scikit-learn's warning class, as used by seqeval, or a substitute if scikit-learn is not installed."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        return type("UndefinedMetricWarning", (UserWarning,), {"__module__": "sklearn.exceptions"})
    category: type[Warning] = UndefinedMetricWarning
    return category
