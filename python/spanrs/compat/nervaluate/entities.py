"""Entities, results, indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Places: TypeAlias = list[tuple[int, int]]

#: The categories, in the order of reports.
CATEGORIES = ("correct", "incorrect", "partial", "missed", "spurious")


@dataclass
class Entity:
    """A span: its label, first token and last token."""

    label: str
    start: int
    end: int

    def _key(self) -> tuple[str, int, int]:
        return self.label, self.start, self.end

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Entity) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())


def measures(credit: float, actual: int, possible: int) -> tuple[float, float, float]:
    """Return precision, recall and F1; undefined measures are the integer 0, as in nervaluate."""
    precision = credit / actual if actual > 0 else 0
    recall = credit / possible if possible > 0 else 0
    total = precision + recall
    return precision, recall, 2 * (precision * recall) / total if total > 0 else 0


@dataclass
class EvaluationResult:
    """Counts and measures of one strategy."""

    correct: int = 0
    incorrect: int = 0
    partial: int = 0
    missed: int = 0
    spurious: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1: float = 0.0
    actual: int = 0
    possible: int = 0

    def compute_metrics(self, partial_or_type: bool = False) -> None:
        """Compute the measures from the counts, optionally with half credit for partial matches."""
        pairs = self.correct + self.incorrect + self.partial
        credit = self.correct + 0.5 * self.partial if partial_or_type else self.correct
        self.actual, self.possible = pairs + self.spurious, pairs + self.missed
        self.precision, self.recall, self.f1 = measures(credit, self.actual, self.possible)


@dataclass
class EvaluationIndices:
    """The entities of each category: (document, entity), both from 0.

    Indices refer to predicted entities, except for ``missed_indices``, which refer to true entities; only entities with
    valid tags are numbered.
    """

    correct_indices: Places = None  # type: ignore[assignment]
    incorrect_indices: Places = None  # type: ignore[assignment]
    partial_indices: Places = None  # type: ignore[assignment]
    missed_indices: Places = None  # type: ignore[assignment]
    spurious_indices: Places = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for name in CATEGORIES:
            if getattr(self, f"{name}_indices") is None:
                setattr(self, f"{name}_indices", [])


class LazyIndices(EvaluationIndices):
    """Indices whose lists are computed on first access to any attribute, which also changes the class.

    Computing the lists takes another pass over the entities, and few callers use all lists.
    """

    def __init__(self, make: Callable[[], Sequence[Places]]) -> None:
        object.__setattr__(self, "make", make)

    def __getattribute__(self, name: str) -> Any:
        indices = EvaluationIndices(*object.__getattribute__(self, "__dict__")["make"]())
        object.__setattr__(self, "__class__", EvaluationIndices)
        vars(self).clear()
        vars(self).update(vars(indices))
        return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        vars(self)[name] = value
