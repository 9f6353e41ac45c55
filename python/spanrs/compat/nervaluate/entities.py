"""Entities, results, indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Places: TypeAlias = list[tuple[int, int]]

#: The categories, in the order in which they are reported.
CATEGORIES = ("correct", "incorrect", "partial", "missed", "spurious")


@dataclass
class Entity:
    """A span: its label, first token, and last token, which is inclusive."""

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
    """Return precision, recall and F1; a measure of nothing is the integer 0, as in nervaluate."""
    precision = credit / actual if actual > 0 else 0
    recall = credit / possible if possible > 0 else 0
    both = precision + recall
    return precision, recall, 2 * (precision * recall) / both if both > 0 else 0


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
        """Set the measures from the counts, with half the credit for partial matches if asked to."""
        pairs = self.correct + self.incorrect + self.partial
        credit = self.correct + 0.5 * self.partial if partial_or_type else self.correct
        self.actual, self.possible = pairs + self.spurious, pairs + self.missed
        self.precision, self.recall, self.f1 = measures(credit, self.actual, self.possible)


class _Base:
    """Slot for the function that makes the lists, outside the attributes."""

    __slots__ = ("_make",)
    _make: Callable[[], Sequence[Places]] | None


class _Open(_Base):
    """Has the attribute dictionary that the property of `EvaluationIndices` hides."""


_attributes = _Open.__dict__["__dict__"].__get__


@dataclass
class EvaluationIndices(_Open):
    """Which entities fell into which category: (document, entity), both from 0.

    Predicted entities are numbered, under ``missed_indices`` true ones; only those with valid tags count.
    The lists of an evaluation are made when one of them is first read.
    """

    correct_indices: Places = None  # type: ignore[assignment]
    incorrect_indices: Places = None  # type: ignore[assignment]
    partial_indices: Places = None  # type: ignore[assignment]
    missed_indices: Places = None  # type: ignore[assignment]
    spurious_indices: Places = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self._make = None
        for name in CATEGORIES:
            if getattr(self, f"{name}_indices") is None:
                setattr(self, f"{name}_indices", [])

    @classmethod
    def _later(cls, make: Callable[[], Sequence[Places]]) -> EvaluationIndices:
        """Return indices whose lists `make` returns when they are needed."""
        indices = cls.__new__(cls)
        indices._make = make
        return indices

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        attributes: dict[str, Any] = _attributes(self)
        make, self._make = getattr(self, "_make", None), None
        if make is not None:
            for name, places in zip(CATEGORIES, make(), strict=True):
                attributes.setdefault(f"{name}_indices", places)
        return attributes

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and pickles hold the lists, not the function that makes them.
        return type(self), tuple(getattr(self, f"{name}_indices") for name in CATEGORIES)

    def __getattr__(self, name: str) -> Any:
        # Called only for missing attributes: lists that have not been made yet.
        if name != "_make" and not name.startswith("__") and name in self.__dict__:
            return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


for _name in CATEGORIES:
    # The defaults of the class would hide lists that have not been made yet.
    delattr(EvaluationIndices, f"{_name}_indices")
