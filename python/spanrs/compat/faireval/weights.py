"""Weights as they are written in configuration files."""

from __future__ import annotations

import re

from spanrs.compat.faireval.messages import say
from spanrs.compat.faireval.scores import default_weights
from spanrs.eval.fair_weights import ITSELF

_ERROR_TYPE = re.compile(r"\s*(\w+)\s*=")
# Neither a sign nor a dot at the end belongs to a number.
_PARTS = {name: re.compile(rf"(\d*\.?\d+)\s*\*?\s*{name}") for name in ("TP", "FP", "FN")}


def parse_weights(text: str) -> dict[str, dict[str, float]]:
    """Read formulas as ``LE = 0.5 FP + 0.5 FN, BES = 0.5 * TP + 0.5 * FN``.

    What is not understood is printed as a warning.

    Parameters
    ----------
    text : str
        Formulas between commas, or ``default``.

    Returns
    -------
    dict
        Error type -> ``{"TP": w, "FP": w, "FN": w}``; TP, FP and FN count as themselves where no formula
        says otherwise. The weights of the fair version where there is no formula at all.

    Examples
    --------
    >>> from spanrs.compat.faireval.weights import parse_weights
    >>> parse_weights("BES = 0.5 TP + 0 FP + .5FN")["BES"]
    {'TP': 0.5, 'FP': 0.0, 'FN': 0.5}
    """
    if text == "default":
        return default_weights()
    weights: dict[str, dict[str, float]] = {}
    for formula in text.split(","):
        found = _ERROR_TYPE.match(formula)
        if found is None:
            say(f"WARNING: No error type found in weight formula '{formula}'.")
            continue
        weights[found[1]] = _parts(found[1], formula)
    if not weights:
        say("WARNING: No valid weights found. Using default weights.")
        return default_weights()
    for name, parts in ITSELF.items():
        weights.setdefault(name, dict(parts))
    return weights


def _parts(error: str, formula: str) -> dict[str, float]:
    parts: dict[str, float] = {}
    for name, pattern in _PARTS.items():
        found = pattern.search(formula)
        if found is None:
            say(f"WARNING: Missing weight for {name} for error type {error}. Set to 0.")
        # The 0 of a missing weight is an int, which shows in the settings that are printed.
        parts[name] = 0 if found is None else float(found[1])
    return parts
