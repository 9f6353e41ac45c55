"""Validation and repair of labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from spanrs.compat.seqscore.encoding import SUPPORTED_ENCODINGS, Encoding, EncodingError

VALIDATION_SUPPORTED_ENCODINGS: Sequence[str] = SUPPORTED_ENCODINGS


@dataclass
class ValidationError:
    """An error in a label; such errors are collected instead of raised."""

    msg: str
    label: str
    type: str | None
    state: str
    token: str | None = None
    line_num: int | None = None
    source_name: str | None = None


class InvalidStateError(ValidationError):
    """A state that the encoding does not have."""


class InvalidTransitionError(ValidationError):
    """A label that may not follow the preceding label."""


class InvalidLabelError(EncodingError):
    """A label without state and type."""

    def __init__(self, label: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label = label


@dataclass
class SequenceValidationResult:
    """Errors in the labels of a sequence, and the repaired labels if requested and needed."""

    errors: tuple[ValidationError, ...]
    n_tokens: int
    repaired_labels: tuple[str, ...] = ()

    def is_valid(self) -> bool:
        """Return whether there are no errors."""
        return not self.errors

    def invalid_state_errors(self) -> list[InvalidStateError]:
        """Return the errors about states."""
        return [error for error in self.errors if isinstance(error, InvalidStateError)]

    def __len__(self) -> int:
        return len(self.errors)


@dataclass(frozen=True)
class ValidationResult:
    """Errors in the labels of a file."""

    errors: tuple[ValidationError, ...]
    n_tokens: int
    n_sequences: int
    n_docs: int


class _Places(NamedTuple):
    """Location of labels, as far as known."""

    tokens: Sequence[str]
    lines: Sequence[int]
    source: str | None

    def words(self, at: int) -> str:
        """Return the location of a label for a message."""
        line = f" on line {self.lines[at]}" if self.lines else ""
        return line + (f" of {self.source}" if self.source else "")

    def token_line(self, at: int) -> tuple[str | None, int | None]:
        return self.tokens[at] if self.tokens else None, self.lines[at] if self.lines else None


def validate_labels(
    labels: Sequence[str],
    encoding: Encoding,
    *,
    repair: str | None = None,
    tokens: Sequence[str] | None = None,
    line_nums: Sequence[int] | None = None,
    source_name: str | None = None,
) -> SequenceValidationResult:
    """Check the labels of a sequence, and repair them if requested.

    Raises InvalidLabelError for labels without state and type.

    >>> from spanrs.compat.seqscore.encoding import get_encoding
    >>> result = validate_labels(["O", "I-PER"], get_encoding("BIO"), repair="conlleval")
    >>> result.errors[0].msg, result.repaired_labels
    ("Invalid transition 'O' -> 'I-PER'", ('O', 'B-PER'))
    """
    places = _Places(tokens or (), line_nums or (), source_name)
    for name, values in (("Tokens", places.tokens), ("Line numbers", places.lines)):
        if values and len(values) != len(labels):
            raise AssertionError(f"{name} and labels must be the same length")
    for at, token in enumerate(places.tokens):
        if not token:
            raise ValueError(f"Invalid token {token!r}{places.words(at)}")
    errors = tuple(_errors(labels, encoding, places))
    repaired = tuple(encoding.repair_labels(labels, repair)) if errors and repair else ()
    return SequenceValidationResult(errors, len(labels), repaired)


def _errors(labels: Sequence[str], encoding: Encoding, places: _Places) -> Iterator[ValidationError]:
    outside = encoding.dialect.outside
    before, state_before, type_before = outside, outside, None
    same, different = encoding.valid_same_type_transitions, encoding.valid_different_type_transitions
    split, is_state = encoding.split, encoding.is_valid_state
    for at, label in enumerate(labels):
        try:
            state, type_ = split(label)
        except EncodingError as error:
            message = (
                f"Could not parse label {label!r}{places.words(at)} during validation: {error}"
                " Use the --label-index argument if the label is not the last field."
            )
            raise InvalidLabelError(label, message) from error
        allowed = (state_before, state) in (same if type_before == type_ else different)
        if not allowed or not is_state(state):
            token, line = places.token_line(at)
            where = (f" for token {token!r}" if places.tokens else "") + places.words(at)
            rest = (label, type_, state, token, line, places.source)
            if not is_state(state):
                yield InvalidStateError(f"Invalid state {state!r} in label {label!r}{where}", *rest)
            if not allowed:
                yield InvalidTransitionError(f"Invalid transition {before!r} -> {label!r}{where}", *rest)
        before, state_before, type_before = label, state, type_
    if not encoding.is_valid_transition(state_before, type_before, outside, None):
        token, line = places.token_line(-1)
        # This message does not include the name of the source.
        words = (
            f"Invalid transition {before!r} -> {outside!r}"
            + (f" after token {token!r}" if places.tokens else "")
            + (f" on line {line}" if places.lines else "")
            + " at end of sequence"
        )
        yield InvalidTransitionError(words, before, type_before, state_before, token, line)
