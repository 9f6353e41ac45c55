"""Measures by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spanrs._spanrs import Criterion
from spanrs.eval.matchers import Matcher, criteria, find_criterion

#: Over which spans a measure is: all, those of one type, or the mean over types.
AVERAGES = ("micro", "macro", "weighted", "type")
PARTS = ("precision", "recall", "f1")


@dataclass(frozen=True)
class Measure:
    """Precision, recall or F of a criterion.

    Parameters
    ----------
    average : str
        ``micro`` (all spans), ``macro`` (mean over types), ``weighted`` (mean over types by gold spans), ``type``.
    part : str
        ``precision``, ``recall`` or ``f1``.
    criterion : str, optional
        The matcher's own if not given.
    type : str, optional
        For ``type``. The measure of a type that does not occur is not a number.
    beta : float
        How much more recall matters than precision in F.
    """

    average: str = "micro"
    part: str = "f1"
    criterion: str | None = None
    type: str | None = None
    beta: float = 1.0

    def __post_init__(self) -> None:
        for name, value, known in (("average", self.average, AVERAGES), ("part", self.part, PARTS)):
            if value not in known:
                raise ValueError(f"unknown {name} {value!r}; one of {', '.join(known)}")
        if (self.average == "type") != (self.type is not None):
            raise ValueError("the average 'type' needs a type, and no other takes one")
        if not 0 <= self.beta < math.inf:
            raise ValueError(f"beta is a finite number from 0, not {self.beta}")

    @property
    def title(self) -> str:
        """What it is, in a word or two: ``F1``, ``macro precision``, ``F1 of PER``."""
        part = self.part if self.part != "f1" else "F1" if self.beta == 1.0 else f"F{self.beta:g}"
        whole = {"micro": part, "type": f"{part} of {self.type}"}.get(
            self.average, f"{self.average} {part}"
        )
        return whole if self.criterion is None else f"{self.criterion} {whole}"

    def compiled(self, matcher: Matcher) -> tuple[Any, ...]:
        """Give what the compiled half takes."""
        criterion = _criterion(matcher, self.criterion)
        terms, axis = matcher.terms(criterion), matcher.axis
        return self.average, criterion.index, self.part, float(self.beta), terms, axis, self.type


@dataclass(frozen=True)
class Ratio:
    """A quotient of two linear forms of the outcomes of a criterion, such as accuracy.

    Parameters
    ----------
    above, below : mapping of str to float
        Coefficient of each outcome above and below the fraction line. Those that are not named do not count.
    criterion : str, optional
        The matcher's own if not given.
    complement : bool
        1 minus the quotient.
    type : str, optional
        For one type; pairs of types count for gold's, and outcomes without types for every type.
    """

    above: Mapping[str, float] = field(hash=False)
    below: Mapping[str, float] = field(hash=False)
    criterion: str | None = None
    complement: bool = False
    type: str | None = None

    @property
    def title(self) -> str:
        """Outcomes above and below the fraction line."""
        above, below = ("+".join(form) for form in (self.above, self.below))
        return f"{'1-' if self.complement else ''}({above})/({below})"

    def compiled(self, matcher: Matcher) -> tuple[Any, ...]:
        """Give what the compiled half takes."""
        criterion = _criterion(matcher, self.criterion)
        for outcome in (*self.above, *self.below):
            if outcome not in criterion.outcomes:
                known = ", ".join(criterion.outcomes)
                raise ValueError(
                    f"the criterion {criterion.name} has no outcome {outcome!r}; one of {known}"
                )
        if not any(self.below.values()):
            raise ValueError("a ratio needs an outcome below its fraction line")
        forms = (
            [float(form.get(outcome, 0)) for outcome in criterion.outcomes]
            for form in (self.above, self.below)
        )
        kind = "all" if self.type is None else "type"
        return kind, criterion.index, self.complement, *forms, self.type


def _criterion(matcher: Matcher, name: str | None) -> Criterion:
    """Give a criterion by name, or the matcher's own."""
    return find_criterion(criteria(matcher.name), matcher.criterion if name is None else name, matcher)


def f1_measures(types: Sequence[str], criterion: str | None = None) -> list[Measure | Ratio]:
    """Give micro F1, macro F1, and F1 of each type."""
    per_type = [Measure("type", "f1", criterion, name) for name in types]
    return [Measure("micro", "f1", criterion), Measure("macro", "f1", criterion), *per_type]
