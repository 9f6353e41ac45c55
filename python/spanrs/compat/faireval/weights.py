"""Weights as they are written in configuration files."""

from __future__ import annotations

import re

from spanrs.compat.faireval.files import say
from spanrs.eval.fair_weights import FAIR, ITSELF

_ERROR_TYPE = re.compile(r"\s*(\w+)\s*=")
# Neither a sign nor a dot at the end belongs to a number.
_PARTS = {name: re.compile(rf"(\d*\.?\d+)\s*\*?\s*{name}") for name in ("TP", "FP", "FN")}


def parse_weights(text: str) -> dict[str, dict[str, float]]:
    """Read ``default``, or formulas as ``LE = 0.5 FP + 0.5 FN, BES = 0.5 * TP``; warnings are printed.

    TP, FP and FN count as themselves if no formula says otherwise. Without any formula the weights are those of
    the fair version.

    >>> from spanrs.compat.faireval.weights import parse_weights
    >>> parse_weights("BES = 0.5 TP + 0 FP + .5FN")["BES"]
    {'TP': 0.5, 'FP': 0.0, 'FN': 0.5}
    """
    weights: dict[str, dict[str, float]] = {}
    for formula in text.split(",") if text != "default" else ():
        found = _ERROR_TYPE.match(formula)
        if found is None:
            say(f"WARNING: No error type found in weight formula '{formula}'.")
            continue
        parts: dict[str, float] = {}
        for name, pattern in _PARTS.items():
            weight = pattern.search(formula)
            if weight is None:
                say(f"WARNING: Missing weight for {name} for error type {found[1]}. Set to 0.")
            # The 0 of a missing weight is an int, which shows in the settings that are printed.
            parts[name] = 0 if weight is None else float(weight[1])
        weights[found[1]] = parts
    if not weights and text != "default":
        say("WARNING: No valid weights found. Using default weights.")
    usual = ITSELF if weights else FAIR
    return weights | {name: dict(parts) for name, parts in usual.items() if name not in weights}
