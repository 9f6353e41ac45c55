"""Evidence about scored data besides counts: violations, warnings, and the detection of schemes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from spanrs.errors import LocatedViolation, Violation
from spanrs.eval.stored import ANY, NONE, check_stored
from spanrs.tags.types import Span


@dataclass(frozen=True, slots=True)
class Violations:
    """The violations of one side."""

    count: int
    """Number of violations."""
    first: list[LocatedViolation]
    """The first violations."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: ``count`` and ``first``, a list of violations with ``sentence`` and ``line``."""
        return {"count": self.count, "first": [_plain(place) for place in self.first]}


def _plain(place: LocatedViolation) -> dict[str, Any]:
    plain = {"sentence": place.sentence, "line": place.line} | asdict(place.violation)
    return plain if place.path is None else plain | {"path": place.path}


def _located(
    sentence: int, line: int | None, path: str | None = None, **violation: Any
) -> LocatedViolation:
    return LocatedViolation(sentence, line, Violation(**violation), path)


#: A kind of error: outcome, gold type and pred type.
ErrorKind: TypeAlias = tuple[str, str | None, str | None]


class Detail(NamedTuple):
    """The outcome of a span, or of a pair of spans."""

    outcome: str
    """One of the outcomes of the criterion."""
    sentence: int
    """Sentence, from 0."""
    gold: Span | None
    """The gold span, or None."""
    pred: Span | None
    """The pred span, or None."""
    gold_index: int | None = None
    """Index of the gold span in its sentence, from 0."""
    pred_index: int | None = None
    """Index of the pred span in its sentence, from 0."""
    line: int | None = None
    """Line of the gold file on which the gold span begins, or the pred span if there is no gold span."""
    first: int = 0
    """Index in the sentence of the first token in ``tokens``."""
    length: int | None = None
    """Number of tokens in the sentence, if known."""
    tokens: tuple[str, ...] = ()
    """The tokens of the spans and their context, if known."""
    path: str | None = None
    """The file, if several were scored; for texts with annotations, the name of the document."""


def kind_of(error: Detail) -> ErrorKind:
    """Return the kind of an error: outcome, gold type and pred type."""
    types = (None if span is None else span.type for span in (error.gold, error.pred))
    return (error.outcome, *types)  # type: ignore[return-value]  # two types


def plain_detail(detail: Any) -> dict[str, Any]:
    """Return a detail as plain dictionaries, lists and numbers."""
    fields = detail._asdict()
    if isinstance(detail, Detail) and detail.length is None and not detail.tokens:
        for name in ("line", "first", "length", "tokens", "path"):
            del fields[name]
    return {name: value._asdict() if isinstance(value, Span) else value for name, value in fields.items()}


def shifted(detail: Any, offset: int) -> Any:
    """Add an offset to the sentence of a detail. MATScore's details have no sentence and are returned unchanged."""
    return detail._replace(sentence=detail.sentence + offset) if hasattr(detail, "sentence") else detail


class Skipped(NamedTuple):
    """A pair of files, or an annotation, that was not scored."""

    file: str
    """The file that caused the error."""
    message: str
    """The message, with the location of the error."""
    pair: bool
    """Whether the whole pair of documents was skipped, as opposed to an annotation."""


#: Maximum number of examples of differing tokens.
EXAMPLES = 5
#: Types of the fields of a stored violation.
_VIOLATION = {
    "sentence": int,
    "line": (int, NONE),
    "path": (str, NONE),
    "index": int,
    "kind": str,
    "previous": (str, NONE),
    "current": str,
    "next": (str, NONE),
    "action": str,
}
#: Types of the fields of stored evidence.
_STORED = {
    "located": {"gold": [_VIOLATION], "pred": [_VIOLATION]},
    "detection": (str, NONE),
    "pred_detection": (str, NONE),
    "differing": [str],
    "warnings": [str],
    "notes": [str],
    "skipped": list,
    "answers": {ANY: int},
}
_SKIPPED = {"file": str, "message": str, "pair": bool}


@dataclass(frozen=True)
class Evidence:
    """Facts about the input that are ordered or not numbers, and therefore not part of the counts."""

    located: Mapping[str, list[LocatedViolation]] = field(default_factory=lambda: {"gold": [], "pred": []})
    """The first violations of each side."""
    detection: str | None = None
    """Evidence for the scheme, if it was detected."""
    pred_detection: str | None = None
    """Evidence for the scheme of pred, if this scheme was detected and differs from the scheme of gold."""
    differing: tuple[str, ...] = ()
    """The first differing tokens, with their locations."""
    warnings: tuple[str, ...] = ()
    """Warnings about files, such as columns of tags that are not read, and suspiciously long or short sentences."""
    notes: tuple[str, ...] = ()
    """Other notes about the input."""
    skipped: tuple[Skipped, ...] = ()
    """Files and annotations that were not scored, with the reasons."""
    answers: Mapping[str, int] = field(default_factory=dict)
    """Numbers of generated answers, of their mentions, and of the mentions found at each stage of grounding."""

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Evidence:
        """Return the evidence collected by the compiled scorer."""
        return cls(
            {side: state[f"{side}_violations"] for side in ("gold", "pred")},
            state["detection"],
            state["pred_detection"],
            tuple(state["differing"]),
            tuple(state["warnings"]),
        )

    def first(self, most: int) -> Evidence:
        """Return the evidence with at most the first ``most`` violations of each side."""
        if all(len(places) <= most for places in self.located.values()):
            return self
        return replace(self, located={side: places[:most] for side, places in self.located.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence as plain values, for :meth:`from_dict`."""
        located = {side: [_plain(place) for place in places] for side, places in self.located.items()}
        plain = vars(self) | {"located": located}
        if not self.answers:
            # Earlier versions do not know this field.
            del plain["answers"]
        return plain

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Evidence:
        """Return the evidence from the result of :meth:`to_dict`.

        Raises
        ------
        TypeError, LookupError
            For unknown fields, and fields of wrong types.
        """
        check_stored(plain, _STORED, "evidence")
        for pair in plain["skipped"]:
            check_stored(dict(zip(Skipped._fields, pair, strict=True)), _SKIPPED, "skipped")
        return cls(
            {side: [_located(**row) for row in plain["located"][side]] for side in ("gold", "pred")},
            plain["detection"],
            plain["pred_detection"],
            tuple(plain["differing"]),
            tuple(plain["warnings"]),
            tuple(plain["notes"]),
            tuple(Skipped(*entry) for entry in plain["skipped"]),
            # Stored by versions that had no answers.
            plain.get("answers", {}),
        )


def merge_evidence(parts: Sequence[Evidence], offsets: Sequence[int]) -> Evidence:
    """Merge the evidence of several parts; ``offsets`` gives the number of sentences before each part."""
    located: dict[str, list[LocatedViolation]] = {"gold": [], "pred": []}
    for part, offset in zip(parts, offsets, strict=True):
        for side, places in part.located.items():
            # Without an offset, the locations need not be copied.
            located[side] += (
                [replace(place, sentence=place.sentence + offset) for place in places] if offset else places
            )
    return Evidence(
        located,
        next((part.detection for part in parts if part.detection), None),
        next((part.pred_detection for part in parts if part.pred_detection), None),
        tuple(item for part in parts for item in part.differing)[:EXAMPLES],
        tuple(dict.fromkeys(item for part in parts for item in part.warnings)),
        tuple(dict.fromkeys(item for part in parts for item in part.notes)),
        tuple(item for part in parts for item in part.skipped),
        _sums([part.answers for part in parts]),
    )


def _sums(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of each number by name."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: sum(part.get(name, 0) for part in parts) for name in names}
