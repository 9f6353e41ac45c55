"""Criteria: the questions that a matcher answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Criterion:
    """One question that a matcher answers about every span."""

    index: int
    """Index among the criteria of the matcher, from 0."""
    name: str
    """Its name."""
    outcomes: tuple[str, ...]
    """Names of its outcomes."""
    weights: tuple[tuple[float, float, float], ...]
    """Weights (TP, FP, FN) of each outcome."""
    per_type: str
    """Name of the criterion used for measures per type."""
    support: str
    """Name of the criterion that defines support (TP + FN)."""
    cells: int
    """Index of the criterion whose cells it shares; usually its own."""
    renames: bool
    """Whether types can be renamed without matching again."""
