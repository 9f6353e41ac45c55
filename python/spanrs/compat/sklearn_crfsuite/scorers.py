"""Scorers for model selection (sklearn_crfsuite.scorers): ``flat_accuracy`` and ``sequence_accuracy``.

They are made when they are first used, so that scikit-learn is not imported before.
"""

from __future__ import annotations

from typing import Any

from spanrs.compat.sklearn_crfsuite import metrics

_METRICS = {
    "flat_accuracy": metrics.flat_accuracy_score,
    "sequence_accuracy": metrics.sequence_accuracy_score,
}

__all__ = ["flat_accuracy", "sequence_accuracy"]  # noqa: F822


def __getattr__(name: str) -> Any:
    if name not in _METRICS:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from sklearn.metrics import make_scorer

    scorer = make_scorer(_METRICS[name])
    globals()[name] = scorer
    return scorer
