"""Warnings about suspicious input."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanrs.eval.result import Violations
    from spanrs.tags.types import Violation

#: Names that models give to labels whose own names were never set.
FORGOTTEN = re.compile(r"(LABEL_)?[0-9]+")
#: Tags that begin a span or continue one in most schemes and spellings.
PREFIXED = re.compile(r"[BIbi][-_:].+|.+-[BI]")
#: One violation in so many tags other than ``O`` is too much.
TENTH = 10


@dataclass(frozen=True)
class Checks:
    """Numbers behind the warnings; they add up over batches and files."""

    tokens: int = 0
    gold_labelled: int = 0
    """Tokens whose gold tag is not ``O``."""
    pred_labelled: int = 0
    """Tokens whose pred tag is not ``O``."""
    unaligned: int = 0
    """Pairs of files that were scored without comparing tokens, because one has none."""
    differing: int = 0
    """Tokens that differ between gold and pred, where that was not to be an error."""

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Checks:
        """Take over what the compiled half counted."""
        return cls(**{own.name: state[own.name] for own in fields(cls)})

    def __add__(self, other: Checks) -> Checks:
        """Add those of other data."""
        sums = {own.name: getattr(self, own.name) + getattr(other, own.name) for own in fields(self)}
        return Checks(**sums)

    def warnings(
        self, violations: Mapping[str, Violations], types: Collection[str], settings: Mapping[str, str]
    ) -> list[str]:
        """Give a sentence for everything that is conspicuous."""
        found = []
        for side, labelled in (("gold", self.gold_labelled), ("pred", self.pred_labelled)):
            if self.tokens and not labelled:
                tags = (
                    f"all {self.tokens} tags of {side} are"
                    if self.tokens > 1
                    else f"the only tag of {side} is"
                )
                found.append(f"{tags} O, so there are no spans to score; is the right column read?")
            wrong = violations[side].count if side in violations else 0
            if wrong * TENTH > labelled > 0:
                scheme = settings.get(f"{side}_scheme", settings.get("scheme"))
                first = violations[side].first
                example = f", the first: {first[0].violation}" if first else ""
                noun = "violation" if wrong == 1 else "violations"
                found.append(
                    f"{wrong} {noun} of {scheme} among {labelled} tags of {side} other than O{example}; "
                    + _why(side, first[0].violation if first else None)
                )
        # A number may be a type among others.
        numbered = bool(types) and all(FORGOTTEN.fullmatch(name) for name in types)
        forgotten = sorted(name for name in types if numbered or re.fullmatch("LABEL_[0-9]+", name))
        if forgotten:
            found.append(
                f"types like {forgotten[0]} look like ids whose names were forgotten; set id2label of the model"
            )
        if "TOKEN" in (settings.get("scheme"), settings.get("pred_scheme")):
            prefixed = sorted(name for name in types if PREFIXED.fullmatch(name))
            if prefixed:
                found.append(
                    f"types like {prefixed[0]} look like tags with a prefix, which TOKEN does not read"
                )
        if self.unaligned:
            found.append(
                "a side holds tags without tokens, so that only the lengths of sentences were compared"
            )
        if self.differing:
            # Layers are columns of the same tokens.
            compared = self.tokens // (settings.get("columns", "").count(",") + 1)
            found.append(f"{self.differing} of {compared} tokens differ between gold and pred")
        return found


@dataclass(frozen=True)
class Noticed:
    """What was noticed in files."""

    differing: tuple[str, ...] = ()
    """The first tokens that differ, with their places."""
    warnings: tuple[str, ...] = ()
    """Warnings about files: columns of tags that are not read, sentences that are too long or too short."""

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Noticed:
        """Take over what the compiled half noticed."""
        return cls(tuple(state["differing_examples"]), tuple(state["file_warnings"]))

    def notes(self) -> list[str]:
        """Give a sentence for each of the first tokens that differ."""
        return [f"tokens differ: {example}" for example in self.differing]


#: Examples of differing tokens that are kept.
EXAMPLES = 5


def add_noticed(parts: Sequence[Noticed]) -> Noticed:
    """Give what was noticed in all files, with the first examples."""
    warnings: dict[str, None] = {}
    differing: list[str] = []
    for part in parts:
        warnings.update(dict.fromkeys(part.warnings))
        differing += part.differing[: EXAMPLES - len(differing)]
    return Noticed(tuple(differing), tuple(warnings))


def _why(side: str, first: Violation | None) -> str:
    """Say what may be wrong with a side that has many violations, of which this is the first."""
    if first is not None and FORGOTTEN.fullmatch(first.current):
        return "these look like ids whose names were forgotten; set id2label of the model"
    scheme = "another scheme (pred_scheme)" if side == "pred" else "another scheme"
    if first is not None and first.kind == "Unknown Tag":
        return f"is it the right column, or is it in {scheme}?"
    return f"is it in {scheme}?"


def without_spans(sentences: int, gold: int, pred: int) -> list[str]:
    """Give a sentence for each side that has no span."""
    if not sentences:
        return ["there are no sentences to score"]
    sides = [side for side, spans in (("gold", gold), ("pred", pred)) if not spans]
    return [f"{side} has no spans to score; is it the right file and format?" for side in sides]


#: With fewer gold or pred spans, it is not suspicious that none is correct.
MIN_SPANS = 5


def without_matches(types: Mapping[str, Sequence[float]], *, near_misses: bool = False) -> list[str]:
    """Warn where both sides have several spans and none is correct; ``types`` has gold, pred and correct spans.

    With ``near_misses`` only where the sides have no type in common, because spans may be near others then.
    """
    rows = types.values()
    gold, pred, correct = (sum(row[at] for row in rows) for at in range(3))
    if correct or gold < MIN_SPANS or pred < MIN_SPANS:
        return []
    of_gold, of_pred = (sorted(name for name, row in types.items() if row[at]) for at in range(2))
    if not set(of_gold) & set(of_pred):
        why = f"their types are different: {_some(of_gold)} in gold, {_some(of_pred)} in pred"
    elif near_misses:
        return []
    else:
        why = "are these gold and pred of the same annotation?"
    return [f"none of {gold} spans of gold is among the {pred} of pred; {why}"]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" and others" if len(names) > 3 else "")
