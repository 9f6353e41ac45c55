"""The encodings of seqscore: a class for each family of encodings, with dialects as named tuples.

The compiled module reads well-formed labels. Other sequences are read label by label, because errors name each label.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Protocol

from spanrs import _spanrs
from spanrs.compat.seqscore.model import AnnotatedSequence, LabeledSequence, Mention, Span
from spanrs.tags.types import Dialect, Reader

REPAIR_CONLL = "conlleval"
REPAIR_DISCARD = "discard"
REPAIR_NONE = "none"
SUPPORTED_REPAIR_METHODS = (REPAIR_CONLL, REPAIR_DISCARD, REPAIR_NONE)
DEFAULT_OUTSIDE = "O"
#: Scheme of the compiled module -> begin, inside, end, single, outside, and the delimiter of labels.
_SIGNS = {
    **dict.fromkeys(("BIO", "IO", "IOB", "IOBES"), tuple("BIESO-")),
    "BILOU": tuple("BILUO-"),
    "BMES": tuple("BMESO-"),
    "BMEWO": tuple("BMEWO-"),
}
#: Dialect with which the compiled module splits labels.
DIALECT = Dialect()


class EncodingError(Exception):
    """Labels cannot be decoded."""


class EncodingDialect(Protocol):
    """The letters of an encoding; encodings with fewer letters ignore the others."""

    label_delim: str
    outside: str
    begin: str | None
    inside: str | None
    end: str | None
    single: str | None


class BIOESDialect(EncodingDialect):
    """The letters B, I, E and S."""

    def __init__(self) -> None:
        self.label_delim = "-"
        self.begin = "B"
        self.inside = "I"
        self.outside = DEFAULT_OUTSIDE
        self.end = "E"
        self.single = "S"


class BILOUDialect(BIOESDialect):
    """The letters B, I, L and U."""

    def __init__(self) -> None:
        super().__init__()
        self.end = "L"
        self.single = "U"


class BMESDialect(BIOESDialect):
    """The letters B, M, E and S."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = "M"


class BMEOWDialect(BMESDialect):
    """The letters B, M, E and W."""

    def __init__(self) -> None:
        super().__init__()
        self.single = "W"


def _must(fact: bool, message: str | None = None) -> None:
    # An AssertionError as in the original, but also raised under python -O.
    if not fact:
        raise AssertionError(message) if message else AssertionError


class Encoding:
    """Base class of encodings with the letters of a dialect.

    >>> get_encoding("BIO").repair_labels(["I-PER", "I-PER"], "discard")
    ['O', 'O']
    >>> get_encoding("BIOES").decode_labels(["O", "S-LOC"])
    [Mention(span=Span(start=1, end=2), type='LOC')]
    """

    #: Pairs of roles (b, i, o, e, s) that may be adjacent, with equal types and with different types.
    same = ""
    different = ""
    #: Whether labels with unknown states are read as outside.
    reads_other_states = False
    #: Roles of the first, a middle, the last, and the only token of a mention.
    written = ""
    #: The role that each repair method assigns to an invalid label, and the only role that can be repaired.
    repairs = ""
    misplaced = ""
    #: Schemes of the compiled module.
    schemes: tuple[str, ...] = ()

    def __init__(self, dialect: EncodingDialect) -> None:
        self.dialect = dialect
        signs = (dialect.begin, dialect.inside, dialect.end, dialect.single, dialect.outside)
        self._letters = letters = dict(zip("bieso", map(str, signs), strict=True))
        #: The scheme of the compiled module; None for other letters, which only this module reads.
        self.scheme = next(
            (name for name in self.schemes if _SIGNS[name] == (*signs, dialect.label_delim)), None
        )
        same, different = (
            frozenset((letters[pair[0]], letters[pair[1]]) for pair in pairs.split())
            for pairs in (self.same, self.different)
        )
        self.valid_same_type_transitions, self.valid_different_type_transitions = same, different
        self._states = {state for pair in same | different for state in pair}
        self._repairs = dict(item.split(":") for item in self.repairs.split())
        self._plain = cache(self._is_plain)
        #: :meth:`split_label` with its results for earlier labels.
        self.split = cache(self.split_label)

    def split_label(self, label: str) -> tuple[str, str | None]:
        """Return the state and type of a label; raises EncodingError if either is missing or not allowed."""
        outside, delimiter = self.dialect.outside, self.dialect.label_delim
        state, separator, type_ = label.partition(delimiter)
        if not separator:
            if label == outside:
                return label, None
            sample = f"<STATE>{delimiter}<ENTITY_TYPE>"
            raise EncodingError(
                f"Label {label!r} does not have a state and entity type but is not outside "
                f"({outside!r}). Expected the label to be of a format like {sample!r}."
            )
        if state == outside:
            raise EncodingError(f"Label {label!r} has an entity type but is outside")
        return state, type_

    def join_label(self, state: str, entity_type: str | None) -> str:
        """Return the label for a state and a type."""
        is_outside = state == self.dialect.outside
        if entity_type:
            _must(not is_outside, "Entity type must be None for outside state")
            return state + self.dialect.label_delim + entity_type
        _must(is_outside, "Entity type cannot be None for non-outside states")
        return state

    def is_valid_transition(
        self, first_state: str, first_type: str | None, second_state: str, second_type: str | None
    ) -> bool:
        """Return whether a label may follow another."""
        same = first_type == second_type
        allowed = self.valid_same_type_transitions if same else self.valid_different_type_transitions
        return (first_state, second_state) in allowed

    def is_valid_state(self, state: str) -> bool:
        """Return whether the encoding has this state."""
        return state in self._states

    def _is_plain(self, label: str) -> bool:
        if not isinstance(label, str):
            return False
        state, separator, type_ = label.partition(self.dialect.label_delim)
        if not separator:
            return label == self.dialect.outside
        return bool(type_) and state != self.dialect.outside and state in self._states

    def all_plain(self, labels: set[str]) -> bool:
        """Return whether the compiled module reads all labels in the set like seqscore."""
        return all(map(self._plain, labels))

    def spans(self, labels: Sequence[str]) -> Iterable[tuple[str, int, int]] | None:
        """Return the spans of well-formed labels; None for other labels and unusual dialects."""
        if self.scheme is None:
            return None
        with contextlib.suppress(ValueError):
            if isinstance(labels, (list, tuple)) and self.all_plain(set(labels)):
                return _spanrs.read_spans(labels, Reader(self.scheme, "refuse", DIALECT))
        return None

    def decode_labels(self, labels: Sequence[str]) -> list[Mention]:
        """Return the mentions of valid labels; raises AssertionError for invalid labels."""
        mentions = self.well_formed_mentions(labels)
        if mentions is not None:
            return mentions
        return [Mention(Span(start, end), type_) for type_, start, end in self._spans_of_unusual(labels)]

    def well_formed_mentions(self, labels: Sequence[str]) -> list[Mention] | None:
        """Return the mentions of labels that the compiled module reads; None for all others."""
        spans = self.spans(labels)
        return None if spans is None else [Mention(Span(start, end), type_) for type_, start, end in spans]

    def _spans_of_unusual(self, labels: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """Read labels that the compiled module does not support; raises AssertionError for invalid labels."""
        outside, opening = self.dialect.outside, (self.dialect.begin, self.dialect.single)
        before: tuple[str, str | None] = (outside, None)
        borders: list[tuple[int, str | None]] = []
        for at, label in enumerate(labels):
            state, type_ = self.split_label(label)
            if self.reads_other_states and not self.is_valid_state(state):
                state, type_ = outside, None
            _must(type_ != "" and self.is_valid_transition(*before, state, type_))
            if state in opening or type_ != before[1]:
                borders.append((at, type_))
            before = state, type_
        _must(self.is_valid_transition(*before, outside, None))
        for (start, type_), (end, _) in pairwise([*borders, (len(labels), None)]):
            if type_ is not None:
                yield type_, start, end

    def decode_sequence(self, sequence: LabeledSequence) -> list[Mention]:
        """Return the mentions of a sequence with valid labels."""
        return self.decode_labels(sequence.labels)

    def encode_mentions(self, mentions: Sequence[Mention], sequence_length: int) -> Sequence[str]:
        """Return the labels of mentions; later mentions overwrite earlier ones."""
        labels = [self.dialect.outside] * sequence_length
        previous: Mention | None = None
        for mention in mentions:
            span, states = mention.span, self._states_of(mention, previous)
            for at, state in zip(range(span.start, span.end), states, strict=True):
                labels[at] = self.join_label(state, mention.type)
            previous = mention
        return labels

    def _states_of(self, mention: Mention, previous: Mention | None) -> list[str]:  # noqa: ARG002
        first, middle, last, only = (self._letters[role] for role in self.written)
        return [first, *[middle] * (len(mention) - 2), last] if len(mention) > 1 else [only]

    def encode_sequence(self, sequence: AnnotatedSequence) -> Sequence[str]:
        """Return the labels of a sequence's mentions."""
        return self.encode_mentions(sequence.mentions, len(sequence))

    def repair_labels(self, labels: Sequence[str], method: str) -> Sequence[str]:
        """Replace each label that may not follow the preceding (repaired) label; only for BIO and IOB."""
        if not self._repairs:
            raise NotImplementedError(
                "labels can be repaired in the encodings BIO and IOB, not in this one"
            )
        if method == REPAIR_NONE:
            raise ValueError(f"Cannot perform repair with method {method!r}")
        if method not in self._repairs:
            only = f"Only repair method {REPAIR_CONLL} is supported for IOB"
            raise ValueError(only if len(self._repairs) == 1 else f"Unknown repair method {method!r}")
        replacement = self._letters[self._repairs[method]]
        same, different = self.valid_same_type_transitions, self.valid_different_type_transitions
        repaired = []
        state_before, type_before = self.dialect.outside, None
        for label in labels:
            (state, type_), kept = self.split(label), label
            if (state_before, state) not in (same if type_before == type_ else different):
                _must(bool(type_) and (not self.misplaced or state == self._letters[self.misplaced]))
                state, type_ = replacement, None if replacement == self.dialect.outside else type_
                kept = self.join_label(state, type_)
            repaired.append(kept)
            state_before, type_before = state, type_
        return repaired

    def supported_repair_methods(self) -> tuple[str, ...]:
        """Return the names of the methods that :meth:`repair_labels` supports."""
        return tuple(self._repairs)


class IO(Encoding):
    """Inside and outside."""

    same = "ii oo"
    different = "ii oi io"
    written = "iiii"
    schemes = ("IO",)


class IOB(IO):
    """Inside and outside; begin tags only between adjacent spans of one type.

    Repair replaces other begin tags with inside tags.
    """

    same = "bb bi ii ib oo"
    different = "bi bo ii io oi"
    repairs = "conlleval:i"
    misplaced = "b"
    schemes = ("IOB",)

    def _states_of(self, mention: Mention, previous: Mention | None) -> list[str]:
        states = super()._states_of(mention, previous)
        if previous and previous.span.end == mention.span.start and previous.type == mention.type:
            states[0] = self._letters["b"]
        return states


class BIO(Encoding):
    """BIO. Repair replaces an inside tag that continues a non-existent span by a begin tag or by ``O``."""

    same = "bi bb ii ib oo"
    different = "bb bo ib io ob"
    reads_other_states = True
    written = "biib"
    repairs = "conlleval:b discard:o"
    schemes = ("BIO",)


class BIOES(Encoding):
    """Begin, inside, outside, end, single; BILOU, BMES and BMEOW use other letters."""

    same = "bi be ii ie eb es sb ss oo"
    different = "eb eo es sb so ss ob os"
    written = "bies"
    schemes = ("IOBES", "BILOU", "BMES", "BMEWO")


_ENCODING_NAMES: dict[str, Encoding] = {
    "BIO": BIO(BIOESDialect()),
    "BIOES": BIOES(BIOESDialect()),
    "BILOU": BIOES(BILOUDialect()),
    "BMES": BIOES(BMESDialect()),
    "BMEOW": BIOES(BMEOWDialect()),
    "IO": IO(BIOESDialect()),
    "IOB": IOB(BIOESDialect()),
}
SUPPORTED_ENCODINGS = tuple(_ENCODING_NAMES)


def get_encoding(name: str) -> Encoding:
    """Return the encoding with a case-insensitive name; raises ValueError for an unknown name."""
    name = name.upper()
    if name not in _ENCODING_NAMES:
        raise ValueError(f"Unknown encoder {name!r}")
    return _ENCODING_NAMES[name]
