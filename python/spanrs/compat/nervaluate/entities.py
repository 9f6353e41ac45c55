"""What goes in and comes out: entities, results, indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Places = list[tuple[int, int]]

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


@dataclass
class EvaluationResult:
    """Counts of one strategy, and what is computed from them."""

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
        """Set the measures from the counts.

        Parameters
        ----------
        partial_or_type : bool
            Half the credit for partial matches.
        """
        pairs = self.correct + self.incorrect + self.partial
        credit = self.correct + 0.5 * self.partial if partial_or_type else self.correct
        self.actual, self.possible = pairs + self.spurious, pairs + self.missed
        # A measure of nothing is the integer 0, as there.
        self.precision = credit / self.actual if self.actual > 0 else 0
        self.recall = credit / self.possible if self.possible > 0 else 0
        both = self.precision + self.recall
        self.f1 = 2 * (self.precision * self.recall) / both if both > 0 else 0


class _Base:
    """Room for what makes the lists, beside the attributes."""

    __slots__ = ("_make",)
    _make: Callable[[], Sequence[Places]] | None


class _Open(_Base):
    """Has the attributes, and the way to them that `EvaluationIndices` hides."""


_attributes = _Open.__dict__["__dict__"].__get__


@dataclass(init=False)
class EvaluationIndices(_Open):
    """Which entities fell into which category: (document, entity), both from 0.

    Predicted entities are numbered, under ``missed_indices`` true ones; only those with valid tags count.
    Lists that come from an evaluation are made when one of them is looked at.
    """

    correct_indices: Places
    incorrect_indices: Places
    partial_indices: Places
    missed_indices: Places
    spurious_indices: Places

    def __init__(
        self,
        correct_indices: Places = None,  # type: ignore[assignment]
        incorrect_indices: Places = None,  # type: ignore[assignment]
        partial_indices: Places = None,  # type: ignore[assignment]
        missed_indices: Places = None,  # type: ignore[assignment]
        spurious_indices: Places = None,  # type: ignore[assignment]
    ) -> None:
        self._make = None
        self.correct_indices = [] if correct_indices is None else correct_indices
        self.incorrect_indices = [] if incorrect_indices is None else incorrect_indices
        self.partial_indices = [] if partial_indices is None else partial_indices
        self.missed_indices = [] if missed_indices is None else missed_indices
        self.spurious_indices = [] if spurious_indices is None else spurious_indices

    @classmethod
    def _later(cls, make: Callable[[], Sequence[Places]]) -> EvaluationIndices:
        """Give indices whose lists `make` gives when they are wanted."""
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
        # Copies and pickles hold the lists, not the way to them.
        return type(self), tuple(getattr(self, f"{name}_indices") for name in CATEGORIES)

    def __getattr__(self, name: str) -> Any:
        # Asked only for what is not there: lists that are still to be made.
        if name != "_make" and not name.startswith("__") and name in self.__dict__:
            return self.__dict__[name]
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        raise AttributeError(message)
