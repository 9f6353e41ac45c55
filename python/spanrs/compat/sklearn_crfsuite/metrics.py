"""Metrics of scikit-learn for sequences of labels (sklearn_crfsuite.metrics)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from spanrs.compat.sklearn_crfsuite.utils import flatten

Labels = Iterable[Iterable[Any]]


def flat_accuracy_score(y_true: Labels, y_pred: Labels) -> Any:
    """Return the share of correct tokens.

    Parameters
    ----------
    y_true, y_pred : iterable of iterable
        Labels of each sequence.
    """
    from sklearn import metrics

    return metrics.accuracy_score(flatten(y_true), flatten(y_pred))


def flat_precision_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """Return scikit-learn's precision of tokens.

    Parameters
    ----------
    y_true, y_pred : iterable of iterable
        Labels of each sequence.
    **kwargs
        As for ``sklearn.metrics.precision_score``.
    """
    from sklearn import metrics

    return metrics.precision_score(flatten(y_true), flatten(y_pred), **kwargs)


def flat_recall_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """Return scikit-learn's recall of tokens.

    Parameters
    ----------
    y_true, y_pred : iterable of iterable
        Labels of each sequence.
    **kwargs
        As for ``sklearn.metrics.recall_score``.
    """
    from sklearn import metrics

    return metrics.recall_score(flatten(y_true), flatten(y_pred), **kwargs)


def flat_f1_score(y_true: Labels, y_pred: Labels, **kwargs: Any) -> Any:
    """Return scikit-learn's F1 of tokens.

    Parameters
    ----------
    y_true, y_pred : iterable of iterable
        Labels of each sequence.
    **kwargs
        As for ``sklearn.metrics.f1_score``.
    """
    from sklearn import metrics

    return metrics.f1_score(flatten(y_true), flatten(y_pred), **kwargs)


def flat_fbeta_score(y_true: Labels, y_pred: Labels, beta: float, **kwargs: Any) -> Any:
    """Return scikit-learn's F-beta of tokens.

    Parameters
    ----------
    y_true, y_pred : iterable of iterable
        Labels of each sequence.
    beta : float
        Weight of recall relative to precision.
    **kwargs
        As for ``sklearn.metrics.fbeta_score``.
    """
    from sklearn import metrics

    return metrics.fbeta_score(flatten(y_true), flatten(y_pred), beta=beta, **kwargs)


def flat_classification_report(
    y_true: Labels, y_pred: Labels, labels: Sequence[Any] | None = None, **kwargs: Any
) -> Any:
    """Return scikit-learn's report on tokens.

    Parameters
    ----------
    y_true, y_pred : iterable of iterable
        Labels of each sequence.
    labels : sequence or None
        Labels to report; None for all.
    **kwargs
        As for ``sklearn.metrics.classification_report``.
    """
    from sklearn import metrics

    return metrics.classification_report(flatten(y_true), flatten(y_pred), labels=labels, **kwargs)


def sequence_accuracy_score(y_true: Sequence[Any], y_pred: Sequence[Any]) -> np.float64 | int:
    """Return the share of sequences without an error; 0 if there are none.

    Parameters
    ----------
    y_true, y_pred : sequence of iterable
        Labels of each sequence.

    Examples
    --------
    >>> from spanrs.compat.sklearn_crfsuite.metrics import sequence_accuracy_score
    >>> sequence_accuracy_score([["B", "O"], ["O", "O"]], [["B", "O"], ["O", "B"]])
    np.float64(0.5)
    """
    if not len(y_true):
        return 0
    matches = sum(list(true) == list(pred) for true, pred in zip(y_true, y_pred, strict=True))
    return np.float64(matches / len(y_true))
