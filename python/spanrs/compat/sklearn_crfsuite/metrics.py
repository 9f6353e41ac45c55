"""scikit-learn's metrics for sequences of labels (sklearn_crfsuite.metrics).

Keyword arguments are passed to scikit-learn's functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from spanrs.compat.sklearn_crfsuite.utils import flatten

Labels = Iterable[Iterable[Any]]


def _flat(metric: str, y_true: Labels, y_pred: Labels, /, **kwargs: Any) -> Any:
    from sklearn import metrics

    return getattr(metrics, metric)(flatten(y_true), flatten(y_pred), **kwargs)


def flat_accuracy_score(y_true: Labels, y_pred: Labels) -> Any:
    """Return the fraction of correct tokens."""
    return _flat("accuracy_score", y_true, y_pred)


def flat_precision_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """Return scikit-learn's precision of tokens."""
    return _flat("precision_score", y_true, y_pred, **kwargs)


def flat_recall_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """Return scikit-learn's recall of tokens."""
    return _flat("recall_score", y_true, y_pred, **kwargs)


def flat_f1_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """Return scikit-learn's F1 of tokens."""
    return _flat("f1_score", y_true, y_pred, **kwargs)


def flat_fbeta_score(y_true: Labels, y_pred: Labels, beta: float, **kwargs: Any) -> Any:
    """Return scikit-learn's F-beta of tokens."""
    return _flat("fbeta_score", y_true, y_pred, beta=beta, **kwargs)


def flat_classification_report(
    y_true: Labels, y_pred: Labels, labels: Sequence[Any] | None = None, **kwargs: Any
) -> Any:
    """Return scikit-learn's report on tokens."""
    return _flat("classification_report", y_true, y_pred, labels=labels, **kwargs)


def sequence_accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> np.float64 | int:
    """Return the fraction of sequences without errors; 0 if there are no sequences.

    >>> sequence_accuracy_score([["B", "O"], ["O", "O"]], [["B", "O"], ["O", "B"]])
    np.float64(0.5)
    """
    if not len(y_true):
        return 0
    matches = sum(list(true) == list(pred) for true, pred in zip(y_true, y_pred, strict=True))
    return np.float64(matches / len(y_true))
