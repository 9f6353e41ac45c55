"""What partial matching comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from spanrs.eval.checks import Checks, without_matches, without_spans
from spanrs.eval.made import Made
from spanrs.eval.result import Violations, merged_settings

#: The modes, in the order of the compiled half.
MODES = ("strict", "exact", "partial", "ent_type")

#: (sentence, span), both from 0.
Place = tuple[int, int]


class PartialCounts(NamedTuple):
    """How many spans came out how. Counts add up."""

    correct: int = 0
    """Pairs that agree in what the mode asks for."""
    incorrect: int = 0
    """Pairs that do not."""
    partial: int = 0
    """Pairs of other bounds, in the mode ``partial``."""
    missed: int = 0
    """Gold spans without a partner."""
    spurious: int = 0
    """Pred spans without a partner."""

    def plus(self, other: PartialCounts) -> PartialCounts:
        """Add counts."""
        return PartialCounts(*(a + b for a, b in zip(self, other, strict=True)))


@dataclass(frozen=True, slots=True)
class PartialScore:
    """Precision, recall and F1 of one mode as fractions, and the counts they rest on.

    A partial pair has half the credit of a correct one; precision is the credit over all pred spans, recall
    over all gold spans, each 0 where there are none.
    """

    precision: float
    recall: float
    f1: float
    counts: PartialCounts

    @classmethod
    def of(cls, counts: PartialCounts) -> PartialScore:
        """Make the measures of counts."""
        pairs = counts.correct + counts.incorrect + counts.partial
        credit = counts.correct + 0.5 * counts.partial
        pred, gold = pairs + counts.spurious, pairs + counts.missed
        precision = credit / pred if pred else 0.0
        recall = credit / gold if gold else 0.0
        both = precision + recall
        return cls(precision, recall, 2 * precision * recall / both if both else 0.0, counts)

    def to_dict(self) -> dict[str, float]:
        """Give measures and counts in one dictionary.

        Returns
        -------
        dict
            ``precision``, ``recall``, ``f1``, ``correct``, ``incorrect``, ``partial``, ``missed``,
            ``spurious``.
        """
        measures = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return measures | self.counts._asdict()


@dataclass(frozen=True, slots=True)
class Instances:
    """Which spans came out how in one mode: (sentence, span) each, both from 0.

    Pred spans are numbered, for ``missed`` gold spans; tags give spans in the order they stand in.
    """

    correct: list[Place] = field(default_factory=list)
    incorrect: list[Place] = field(default_factory=list)
    partial: list[Place] = field(default_factory=list)
    missed: list[Place] = field(default_factory=list)
    spurious: list[Place] = field(default_factory=list)

    def add(self, other: Instances, sentences: int) -> None:
        """Add those of sentences that come behind so many others."""
        for name in PartialCounts._fields:
            mine: list[Place] = getattr(self, name)
            places: list[Place] = getattr(other, name)
            mine += [(sentence + sentences, at) for sentence, at in places] if sentences else places


def _sides(counts: PartialCounts) -> tuple[int, int, int]:
    """Give gold spans, pred spans and correct pairs."""
    pairs = counts.correct + counts.incorrect + counts.partial
    return pairs + counts.missed, pairs + counts.spurious, counts.correct


@dataclass(frozen=True, repr=False)
class PartialResult(Made):
    """What partial matching came to. Made by :func:`spanrs.partial` and :class:`spanrs.PartialScorer`.

    Examples
    --------
    >>> import spanrs
    >>> result = spanrs.partial([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]])
    >>> result.partial.f1
    0.5
    >>> result.strict.counts
    PartialCounts(correct=0, incorrect=1, partial=0, missed=0, spurious=0)
    >>> result.per_type["PER"]["ent_type"].f1
    1.0
    >>> print(result.signature)
    matcher:partial|matching:greedy|min_overlap:0|scheme:BIO|reading:conlleval|version:0.1.0
    """

    _overall: Mapping[str, PartialCounts]
    _types: Mapping[str, Mapping[str, PartialCounts]]
    sentences: int
    """Sentences that were matched."""
    settings: Mapping[str, str]
    """How the result was made, by name; :attr:`signature` is the same in one line."""
    detection: str | None = None
    """What speaks for the scheme, where it was found out."""
    pred_detection: str | None = None
    """What speaks for the scheme of pred, where it turned out to be another one than that of gold."""
    instances: Mapping[str, Instances] | None = None
    """By mode, which spans came out how, where that was asked for."""
    _checks: Checks = field(default_factory=Checks)
    _violations: Mapping[str, Violations] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """Warnings about suspicious input, a sentence each: a side without spans, many violations..."""
        found = self._checks.warnings(self._violations, self._types, self.settings)
        rows = {name: _sides(modes["strict"]) for name, modes in self._types.items()}
        found += without_matches(rows, near_misses=True)
        return found + without_spans(self.sentences, *_sides(self._overall["strict"])[:2])

    @cached_property
    def modes(self) -> dict[str, PartialScore]:
        """All modes by name: ``strict``, ``exact``, ``partial``, ``ent_type``."""
        return {mode: PartialScore.of(self._overall[mode]) for mode in MODES}

    @property
    def strict(self) -> PartialScore:
        """A pair is correct with equal bounds and equal type."""
        return self.modes["strict"]

    @property
    def exact(self) -> PartialScore:
        """A pair is correct with equal bounds, whatever the types."""
        return self.modes["exact"]

    @property
    def partial(self) -> PartialScore:
        """As ``exact``, and other pairs have half the credit."""
        return self.modes["partial"]

    @property
    def ent_type(self) -> PartialScore:
        """A pair is correct with equal type, whatever the bounds."""
        return self.modes["ent_type"]

    @cached_property
    def per_type(self) -> dict[str, dict[str, PartialScore]]:
        """For each type, sorted by name, all modes over the spans of that type by themselves.

        A span that is found with the wrong type is missed there and spurious here.
        """
        return {
            name: {mode: PartialScore.of(modes[mode]) for mode in MODES}
            for name, modes in sorted(self._types.items())
        }

    def merge(self, other: PartialResult) -> PartialResult:
        """Add a result made in the same way on other data.

        Parameters
        ----------
        other : PartialResult
            Its sentences come behind those of this one.

        Returns
        -------
        PartialResult
            A new one.

        Raises
        ------
        spanrs.errors.SchemeError
            Where the signatures differ.
        """
        settings = merged_settings(self.settings, other.settings)
        none = dict.fromkeys(MODES, PartialCounts())
        types = {
            name: _sum(self._types.get(name, none), other._types.get(name, none))
            for name in self._types.keys() | other._types.keys()
        }
        instances = None
        if self.instances is not None and other.instances is not None:
            instances = {mode: Instances() for mode in MODES}
            for mode in MODES:
                instances[mode].add(self.instances[mode], 0)
                instances[mode].add(other.instances[mode], self.sentences)
        return PartialResult(
            _sum(self._overall, other._overall),
            types,
            self.sentences + other.sentences,
            settings,
            self.detection or other.detection,
            self.pred_detection or other.pred_detection,
            instances,
            self._checks + other._checks,
            {
                side: Violations(
                    sum(one._violations[side].count for one in (self, other) if one._violations), []
                )
                for side in self._violations or other._violations
            },
        )

    def to_dict(self) -> dict[str, Any]:
        """Give everything as plain dictionaries, lists, strings and numbers.

        Returns
        -------
        dict
            ``modes`` (mode to ``precision``, ``recall``, ``f1`` and the five counts), ``per_type`` (type to
            the same), ``sentences``, ``detection``, ``pred_detection``, ``warnings``, ``signature``, and
            where they were asked for
            ``instances`` (mode to five lists of (sentence, span)).
        """
        everything: dict[str, Any] = {
            "modes": {mode: score.to_dict() for mode, score in self.modes.items()},
            "per_type": {
                name: {mode: score.to_dict() for mode, score in modes.items()}
                for name, modes in self.per_type.items()
            },
            "sentences": self.sentences,
            "detection": self.detection,
            "pred_detection": self.pred_detection,
            "warnings": self.warnings,
            "signature": self.signature,
        }
        if self.instances is not None:
            everything["instances"] = {mode: asdict(found) for mode, found in self.instances.items()}
        return everything

    def __repr__(self) -> str:
        measures = ", ".join(f"{mode} {score.f1:.4f}" for mode, score in self.modes.items())
        return f"<PartialResult F1 {measures}, {self.signature}>"

    def __str__(self) -> str:
        from spanrs.report.partial import render

        return render(self)


def _sum(one: Mapping[str, PartialCounts], other: Mapping[str, PartialCounts]) -> dict[str, PartialCounts]:
    return {mode: one[mode].plus(other[mode]) for mode in MODES}
