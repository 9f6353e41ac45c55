"""Measures by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from spanrs.errors import as_number
from spanrs.eval.criterion import Criterion
from spanrs.eval.matcher import Matcher, criteria, find_criterion

#: Averages over types.
AVERAGES = ("micro", "macro", "weighted")
NAMES = ("precision", "recall", "f1")


@dataclass(frozen=True)
class Measure:
    """Precision, recall or F of a criterion.

    Parameters
    ----------
    name : str
        ``precision``, ``recall`` or ``f1``.
    average : str
        ``micro`` (over all spans), ``macro`` (mean over types) or ``weighted`` (mean over types, weighted by the number
        of gold spans).
    criterion : str, optional
        The criterion, by default the matcher's default criterion.
    type : str, optional
        Measure only the spans of this type. NaN if the type does not occur.
    beta : float
        Weight of recall relative to precision in the F measure.

    Raises
    ------
    ValueError
        For unknown names, an average together with a type, or a beta that is negative or not finite.

    Examples
    --------
    >>> from spanrs.eval import Measure
    >>> Measure("recall", average="macro").title, Measure("f1", type="PER").title
    ('macro recall', 'F1 of PER')
    """

    name: str = "f1"
    average: str = field(default="micro", kw_only=True)
    criterion: str | None = field(default=None, kw_only=True)
    type: str | None = field(default=None, kw_only=True)
    beta: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        if self.name not in NAMES:
            raise ValueError(f"unknown measure {self.name!r}; expected one of {', '.join(NAMES)}")
        if self.average not in AVERAGES:
            raise ValueError(f"unknown average {self.average!r}; expected one of {', '.join(AVERAGES)}")
        if self.type is not None and self.average != "micro":
            raise ValueError(f"average={self.average!r} is over all types; omit average or type")
        as_number(self.beta, "beta")

    @property
    def title(self) -> str:
        """A short description: ``F1``, ``macro precision``, ``F1 of PER``."""
        title = self.name if self.name != "f1" else "F1" if self.beta == 1.0 else f"F{self.beta:g}"
        if self.type is not None:
            title = f"{title} of {self.type}"
        elif self.average != "micro":
            title = f"{self.average} {title}"
        return title if self.criterion is None else f"{self.criterion} {title}"

    def compiled(self, matcher: Matcher) -> dict[str, Any]:
        """Return the options for the compiled module."""
        criterion = _criterion(matcher, self.criterion)
        return {
            "criterion": criterion.index,
            "part": self.name,
            "average": self.average,
            "type": self.type,
            "beta": self.beta,
            "terms": matcher.terms(criterion),
            "axis": matcher.axis,
        }


@dataclass(frozen=True)
class Ratio:
    """A quotient of two weighted sums of the outcomes of a criterion, such as accuracy.

    Parameters
    ----------
    above, below : mapping of str to float
        Coefficients of outcomes in the numerator and the denominator; 0 for other outcomes.
    criterion : str, optional
        The criterion, by default the matcher's default criterion.
    complement : bool
        Whether to return 1 minus the quotient.
    type : str, optional
        Measure only this type; pairs of types are counted for the gold type, and outcomes without types for every type.
    """

    above: Mapping[str, float] = field(hash=False)
    below: Mapping[str, float] = field(hash=False)
    criterion: str | None = None
    complement: bool = False
    type: str | None = None

    @property
    def title(self) -> str:
        """The outcomes in the numerator and the denominator."""
        above, below = ("+".join(form) for form in (self.above, self.below))
        return f"{'1-' if self.complement else ''}({above})/({below})"

    def compiled(self, matcher: Matcher) -> dict[str, Any]:
        """Return the options for the compiled module."""
        criterion = _criterion(matcher, self.criterion)
        for outcome in (*self.above, *self.below):
            if outcome not in criterion.outcomes:
                outcomes = ", ".join(criterion.outcomes)
                raise ValueError(
                    f"the criterion {criterion.name} has no outcome {outcome!r}; expected one of {outcomes}"
                )
        if not any(self.below.values()):
            raise ValueError("a ratio needs an outcome in the denominator (below=)")
        above, below = (
            [form.get(outcome, 0.0) for outcome in criterion.outcomes] for form in (self.above, self.below)
        )
        return {
            "criterion": criterion.index,
            "above": above,
            "below": below,
            "complement": self.complement,
            "type": self.type,
        }


def _criterion(matcher: Matcher, name: str | None) -> Criterion:
    """Return a criterion by name, or the matcher's default."""
    return find_criterion(criteria(matcher.name), matcher.criterion if name is None else name, matcher)


def f1_measures(types: Sequence[str], criterion: str | None = None) -> list[Measure | Ratio]:
    """Return micro F1, macro F1, and F1 of each type."""
    averages = [Measure(average=average, criterion=criterion) for average in ("micro", "macro")]
    return [*averages, *(Measure(criterion=criterion, type=name) for name in types)]
