"""Warnings about suspicious input."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from spanrs.errors import SpanrsWarning

if TYPE_CHECKING:
    from spanrs.eval.result import Violations

#: Names that models give to labels whose own names were never set.
FORGOTTEN = re.compile(r"(LABEL_)?[0-9]+")
#: Tags that begin a span or continue one in most schemes.
PREFIXED = re.compile(r"[BI]-.")
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
                found.append(
                    f"all {self.tokens} tags of {side} are O, so there are no spans to score; is the right column "
                    "read?"
                )
            wrong = violations[side].count if side in violations else 0
            if wrong * TENTH > labelled > 0:
                scheme = settings.get(f"{side}_scheme", settings.get("scheme"))
                first = violations[side].first
                example = f", the first: {first[0].violation}" if first else ""
                noun = "violation" if wrong == 1 else "violations"
                found.append(
                    f"{wrong} {noun} of {scheme} among {labelled} tags of {side} other than O{example}; "
                    + _why(side, first[0].violation.current if first else "")
                )
        forgotten = sorted(name for name in types if FORGOTTEN.fullmatch(name))
        if forgotten:
            found.append(
                f"types like {forgotten[0]} look like ids whose names were forgotten; set id2label of the model"
            )
        if "TOKEN" in (settings.get("scheme"), settings.get("pred_scheme")):
            prefixed = sorted(name for name in types if PREFIXED.match(name))
            if prefixed:
                found.append(
                    f"types like {prefixed[0]} look like tags with a prefix, which TOKEN does not read"
                )
        if self.unaligned:
            found.append(
                "a side holds tags without tokens, so that only the lengths of sentences were compared"
            )
        if self.differing:
            found.append(f"{self.differing} tokens differ between gold and pred")
        return found


@dataclass(frozen=True)
class Noticed:
    """What was noticed in files."""

    differing: tuple[str, ...] = ()
    """The first tokens that differ, with their places."""
    unread: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Columns with tags of the same types as the one that is read, by the path of the file."""

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Noticed:
        """Take over what the compiled half noticed."""
        unread = state["other_layers"]
        return cls(
            tuple(state["differing_examples"]), {} if unread is None else {unread[0]: tuple(unread[1])}
        )

    def notes(self) -> list[str]:
        """Give a sentence for each."""
        found = [f"tokens differ: {example}" for example in self.differing]
        for path, columns in self.unread.items():
            named = ", ".join(map(str, columns))
            which = f"column {named} has" if len(columns) == 1 else f"columns {named} have"
            found.append(
                f"{path}: {which} tags of the same types, which are not read; name all columns of tags to score "
                "them together (--column 2,3)"
            )
        return found


#: Examples of differing tokens that are kept.
EXAMPLES = 5


def add_noticed(parts: Sequence[Noticed]) -> Noticed:
    """Give what was noticed in all files, with the first examples."""
    unread: dict[str, tuple[int, ...]] = {}
    differing: list[str] = []
    for part in parts:
        unread.update(part.unread)
        differing += part.differing[: EXAMPLES - len(differing)]
    return Noticed(tuple(differing), unread)


def _why(side: str, tag: str) -> str:
    """Say what may be wrong with a side that has many violations, of which one is a tag."""
    if FORGOTTEN.fullmatch(tag):
        return "these look like ids whose names were forgotten; set id2label of the model"
    return "is it in another scheme (pred_scheme)?" if side == "pred" else "is it in another scheme?"


def without_spans(sentences: int, gold: int, pred: int) -> list[str]:
    """Give a sentence for each side that has no span, where there are sentences."""
    sides = [side for side, spans in (("gold", gold), ("pred", pred)) if sentences and not spans]
    return [f"{side} has no spans to score; is it the right file and format?" for side in sides]


def warn(found: list[str]) -> None:
    """Raise Python warnings on behalf of the caller of the public function that calls this."""
    for message in found:
        warnings.warn(message, SpanrsWarning, stacklevel=3)
