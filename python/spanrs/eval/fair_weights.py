"""Weights of the fair matcher's error types."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

#: Weights of an error type as TP, FP and FN.
Weights: TypeAlias = Mapping[str, Mapping[str, float]]

#: Error types with weights. BE stands for BES, BEL and BEO together.
KINDS = ("TP", "FP", "FN", "LE", "BE", "BES", "BEL", "BEO", "LBE")
_PARTS = ("TP", "FP", "FN")
#: Largest weight of TP, FP or FN.
LARGEST = 1e100

#: TP, FP and FN are counted as themselves.
ITSELF: Weights = {"TP": {"TP": 1}, "FP": {"FP": 1}, "FN": {"FN": 1}}
_HALF: Mapping[str, float] = {"TP": 0, "FP": 0.5, "FN": 0.5}

#: Weights of fair evaluation: every near miss is half a false positive and half a false negative.
FAIR: Weights = {**ITSELF, "LE": _HALF, "BE": _HALF, "LBE": _HALF}

#: Weights suggested by Ortmann (2022): boundary errors are half right.
PAPER: Weights = {
    "LE": _HALF,
    "BES": {"TP": 0.5, "FP": 0, "FN": 0.5},
    "BEL": {"TP": 0.5, "FP": 0.5, "FN": 0},
    "BEO": {"TP": 0.5, "FP": 0.25, "FN": 0.25},
    "LBE": _HALF,
    **ITSELF,
}

#: Named weights.
NAMED: Mapping[str, Weights] = {"paper": PAPER, "default": FAIR}

_TERM = re.compile(r"(?P<weight>\d+\.?\d*|\.\d+)\s*\*?\s*(?P<part>TP|FP|FN)", re.ASCII)


def as_weights(weights: str | Weights) -> Weights:
    """Return weights given by name, as formulas or as a mapping.

    Parameters
    ----------
    weights : str or mapping
        ``paper`` (suggested by Ortmann 2022), ``default`` (each near miss is half FP and half FN), formulas
        ``ERROR = w TP + w FP + w FN`` separated by commas, or a mapping of error types to mappings of
        ``TP``, ``FP`` and ``FN`` to numbers. Missing terms have weight 0. Error types that are not given are not
        counted, except that TP, FP and FN are counted as themselves.

    Returns
    -------
    mapping

    Raises
    ------
    TypeError
        For values of other types.
    ValueError
        For invalid formulas, unknown error types, weights that are negative or not finite, and boundary errors that
        would be counted twice.

    Examples
    --------
    >>> from spanrs.eval.fair_weights import as_weights
    >>> as_weights("LE = 0.5 FP + 0.5*FN")["LE"]
    {'TP': 0.0, 'FP': 0.5, 'FN': 0.5}
    """
    if isinstance(weights, str):
        weights = NAMED.get(weights.strip().lower()) or _formulas(weights)
    if not isinstance(weights, Mapping):
        raise TypeError(
            f"weights must be a name, formulas in one str, or a mapping, not {type(weights).__name__}"
        )
    return _checked(weights)


def formulas(weights: Weights) -> str:
    """Return weights as formulas in FairEval's syntax."""
    return ", ".join(
        f"{kind} = " + " + ".join(f"{value!r} {part}" for part, value in parts.items())
        for kind, parts in weights.items()
        if parts != ITSELF.get(kind)
    )


def phrase(weights: Weights) -> str:
    """Return weights as in a signature: a name, or formulas without spaces."""
    for name, named in NAMED.items():
        if weights == named:
            return name
    return formulas(weights).replace(" ", "")


def _formulas(text: str) -> dict[str, dict[str, float]]:
    weights: dict[str, dict[str, float]] = {}
    for formula in text.split(","):
        kind, equals, terms = (part.strip() for part in formula.partition("="))
        if not equals or not kind:
            raise ValueError(
                f"{formula.strip()!r} is not a weight formula; write ERROR = 0.5 TP + 0.25 FP + 0.25 FN, "
                f"separated by commas, or one of {', '.join(NAMED)}"
            )
        if kind in weights:
            raise ValueError(f"weights contain {kind} twice")
        weights[kind] = _terms(kind, terms)
    return weights


def _terms(kind: str, terms: str) -> dict[str, float]:
    parts: dict[str, float] = {}
    for term in terms.split("+"):
        match = _TERM.fullmatch(term.strip())
        if match is None:
            raise ValueError(
                f"weight of {kind}: {term.strip()!r} is not a term; write a number of at least 0 and TP, FP or "
                "FN, as in 0.5 FP"
            )
        if match["part"] in parts:
            raise ValueError(f"weight of {kind}: {match['part']} is given twice")
        parts[match["part"]] = float(match["weight"])
    return {part: parts.get(part, 0.0) for part in _PARTS}


def _checked(weights: Weights) -> Weights:
    checked: dict[str, Mapping[str, float]] = {}
    for kind, parts in weights.items():
        if kind not in KINDS:
            raise ValueError(
                f"weights contain {kind!r}, which is not an error type; expected one of {', '.join(KINDS)}"
            )
        if not isinstance(parts, Mapping):
            raise ValueError(f"weight of {kind}: give a mapping such as {{'FP': 0.5, 'FN': 0.5}}")
        for part, value in parts.items():
            if part not in _PARTS:
                raise ValueError(f"weight of {kind}: {part!r} is not one of {', '.join(_PARTS)}")
            # Sums of larger weights may be infinite.
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or not 0 <= value <= LARGEST:
                raise ValueError(
                    f"weight of {kind}: {part} is {value!r}; weights must be finite numbers from 0 to {LARGEST:g}"
                )
        checked[kind] = dict(parts)
    both = [kind for kind in ("BES", "BEL", "BEO") if kind in checked]
    if both and "BE" in checked:
        raise ValueError(
            f"weights contain both BE and {both[0]}, which would be counted twice; give only one of them"
        )
    return checked | {kind: parts for kind, parts in ITSELF.items() if kind not in checked}
