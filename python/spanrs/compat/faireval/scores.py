"""Precision, recall and F1 of counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from spanrs.eval.fair_weights import FAIR as FAIR_WEIGHTS
from spanrs.eval.fair_weights import ITSELF as TRADITIONAL_WEIGHTS
from spanrs.eval.fair_weights import Weights

Counts: TypeAlias = Mapping[str, float]


def default_weights() -> dict[str, dict[str, float]]:
    """Give the weights of the fair version: an error of the new kinds is half a FP and half a FN.

    Returns
    -------
    dict
        Error type -> what it counts as; a new one in every call.
    """
    return {name: dict(parts) for name, parts in FAIR_WEIGHTS.items()}


def precision(evaldict: Counts, version: str = "traditional", weight_dict: Weights | None = None) -> float:
    """Compute precision: what counts as TP, of what counts as TP or FP.

    Parameters
    ----------
    evaldict : dict
        Error type -> count; what is missing is 0.
    version : str
        ``traditional`` (TP, FP, FN), ``fair`` (these, and LE, BE, LBE half FP and half FN), or anything
        else for ``weighted``.
    weight_dict : dict, optional
        For ``weighted``: error type -> ``{"TP": w, "FP": w, "FN": w}``. None and an empty one mean the
        weights of ``fair``.

    Returns
    -------
    float
        0.0 where nothing counts.

    Examples
    --------
    >>> from spanrs.compat.faireval import precision
    >>> counts = {"TP": 6, "FP": 1, "FN": 2, "BE": 2}
    >>> precision(counts, "fair")
    0.75
    >>> precision(counts, "weighted", {"TP": {"TP": 1}, "BE": {"TP": 0.5, "FP": 0.5}})
    0.875
    """
    weights = _weights(version, weight_dict)
    return _share(evaldict, weights, "FP")


def recall(evaldict: Counts, version: str = "traditional", weight_dict: Weights | None = None) -> float:
    """Compute recall: what counts as TP, of what counts as TP or FN.

    Parameters
    ----------
    evaldict, version, weight_dict
        As for :func:`precision`.

    Returns
    -------
    float
        0.0 where nothing counts.

    Examples
    --------
    >>> from spanrs.compat.faireval import recall
    >>> recall({"TP": 6, "FP": 1, "FN": 2})
    0.75
    """
    weights = _weights(version, weight_dict)
    return _share(evaldict, weights, "FN")


def fscore(evaldict: Counts) -> float:
    """Compute F1, the harmonic mean of precision and recall.

    Parameters
    ----------
    evaldict : dict
        With keys ``Prec`` and ``Rec``; what is missing is 0.

    Returns
    -------
    float
        0.0 where both are 0.

    Examples
    --------
    >>> from spanrs.compat.faireval import fscore
    >>> fscore({"Prec": 1.0, "Rec": 0.5})
    0.6666666666666666
    """
    p, r = evaldict.get("Prec", 0), evaldict.get("Rec", 0)
    try:
        return 2 * (p * r) / (p + r)
    except ZeroDivisionError:
        return 0.0


def _share(counts: Mapping[str, float], weights: Weights, wrong: str) -> float:
    """Return TP / (TP + ``wrong``), where ``wrong`` is FP (precision) or FN (recall); 0 if the denominator is 0.

    Source: FairEval, ``precision`` and ``recall``; sums run in the order of the weights.
    """
    hits: float = 0
    misses: float = 0
    # Added one by one: sum() adds floats in another way from Python 3.12 on.
    for kind, parts in weights.items():
        count = counts.get(kind, 0)
        hits += parts.get("TP", 0) * count
        misses += parts.get(wrong, 0) * count
    return hits / (hits + misses) if hits + misses else 0.0


def _weights(version: str, given: Weights | None) -> Weights:
    if version == "traditional":
        return TRADITIONAL_WEIGHTS
    if version == "fair":
        return FAIR_WEIGHTS
    return given or FAIR_WEIGHTS
