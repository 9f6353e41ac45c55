"""Scorers for model selection (sklearn_crfsuite.scorers): ``flat_accuracy`` and ``sequence_accuracy``.

The scorers are created on first use to avoid importing scikit-learn earlier.

>>> from spanrs.compat.sklearn_crfsuite import scorers
>>> scorers.__all__
['flat_accuracy', 'sequence_accuracy']
"""

from __future__ import annotations

from typing import Any

from spanrs.compat.sklearn_crfsuite import metrics

__all__ = ["flat_accuracy", "sequence_accuracy"]  # noqa: F822


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn.metrics import make_scorer

    globals()[name] = scorer = make_scorer(getattr(metrics, f"{name}_score"))
    return scorer
