"""Criteria: the questions that a matcher answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Criterion:
    """A question that a matcher answers about every span."""

    index: int
    """Index among the criteria of the matcher, from 0."""
    name: str
    """Name of the criterion."""
    outcomes: tuple[str, ...]
    """Names of the outcomes."""
    weights: tuple[tuple[float, float, float], ...]
    """Weights (TP, FP, FN) of each outcome."""
    per_type: str
    """Name of the criterion used for per-type measures."""
    support: str
    """Name of the criterion that defines support (TP + FN)."""
    cells: int
    """Index of the criterion whose cells this criterion uses; usually its own index."""
    renames: bool
    """Whether types can be renamed without matching again."""
