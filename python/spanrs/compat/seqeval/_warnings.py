"""Warnings in the name of seqeval."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

_seen: dict[Any, Any] = {}


def warn(text: str, category: type[Warning], module: str) -> None:
    """Warn in the name of a module of seqeval, so that filters by module still work."""
    warnings.warn_explicit(text, category, __file__, 1, module=module, registry=_seen)


@cache
def undefined_metric_warning() -> type[Warning]:
    """Return scikit-learn's class, which seqeval uses, or one of that name where it is not installed."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        return type("UndefinedMetricWarning", (UserWarning,), {"__module__": "sklearn.exceptions"})
    known: type[Warning] = UndefinedMetricWarning
    return known
