"""Warnings that look as if seqeval gave them."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

_seen: dict[Any, Any] = {}


def warn(text: str, category: type[Warning], module: str) -> None:
    """Warn in the name of a module of seqeval, so that filters by module go on working.

    As any warning, it is shown once a text unless a filter says otherwise.
    """
    warnings.warn_explicit(text, category, __file__, 1, module=module, registry=_seen)


@cache
def undefined_metric_warning() -> type[Warning]:
    """Give the class of scikit-learn, which seqeval needs, or one of that name where it is not there."""
    try:
        from sklearn.exceptions import UndefinedMetricWarning
    except ImportError:
        return type("UndefinedMetricWarning", (UserWarning,), {"__module__": "sklearn.exceptions"})
    known: type[Warning] = UndefinedMetricWarning
    return known
