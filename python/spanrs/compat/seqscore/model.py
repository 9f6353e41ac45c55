"""Spans, mentions, and sequences of tokens with labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, Protocol, overload, runtime_checkable

__all__ = ["AnnotatedSequence", "LabeledSequence", "Mention", "SequenceProvenance", "Span", "TokenSequence"]


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens from ``start`` to ``end`` (exclusive), numbered from 0."""

    start: int
    end: int

    def __post_init__(self) -> None:
        for name, place in (("Start", self.start), ("End", self.end)):
            if place < 0:
                raise ValueError(f"{name} ({place}) cannot be negative")
        if self.end <= self.start:
            raise ValueError(f"End of span ({self.end}) must be greater than start ({self.start}")

    def __len__(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Mention:
    """A span with a type."""

    span: Span
    type: str

    def __post_init__(self) -> None:
        if not isinstance(self.type, str):
            raise TypeError(f"Expected str for type, got {type(self.type).__name__}")
        if not self.type:
            raise ValueError(f"Empty string for type: {self.type!r}")

    def __len__(self) -> int:
        return len(self.span)

    def with_type(self, new_type: str) -> Mention:
        """Return a mention with the same span and another type."""
        return Mention(self.span, new_type)


@dataclass(frozen=True, slots=True)
class SequenceProvenance:
    """Origin of a sequence: the number of its first line and the name of the file."""

    starting_line: int
    source: str | None


@runtime_checkable
class TokenSequence(Protocol):
    """Tokens with optional columns, origin and comment; both classes of sequences are such sequences."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens."""

    @property
    def token_fields(self) -> tuple[tuple[str, ...], ...] | None:
        """All columns of the line of each token."""

    @property
    def provenance(self) -> SequenceProvenance | None:
        """The origin."""

    @property
    def comment(self) -> str | None:
        """The comment before the sequence."""

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]: ...

    def __iter__(self) -> Iterator[str]: ...

    def __len__(self) -> int: ...

    def span_tokens(self, span: Span) -> tuple[str, ...]:
        """Return the tokens of a span."""

    def tokens_with_fields(self) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
        """Return pairs of a token and all columns of its line, or None."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Sequence(Sequence[str]):
    """Immutable tokens with labels; columns, origin and comment are ignored in comparisons."""

    tokens: tuple[str, ...]
    labels: tuple[str, ...]
    token_fields: tuple[tuple[str, ...], ...] | None = None
    provenance: SequenceProvenance | None = None
    comment: str | None = None

    def __post_init__(self) -> None:
        # Any sequence is accepted, as by pydantic in the original.
        fields: Any = self.token_fields
        rows = None if fields is None else tuple(map(tuple, fields))
        vars(self).update(tokens=tuple(self.tokens), labels=tuple(self.labels), token_fields=rows)
        n = len(self.tokens)
        if n != len(self.labels):
            raise ValueError(f"Tokens ({n}) and labels ({len(self.labels)}) must be of the same length")
        if not n:
            raise ValueError("Tokens and labels must be non-empty")
        if rows and n != len(rows):
            raise ValueError(f"Tokens ({n}) and token_fields ({len(rows)}) must be of the same length")
        for name, values in (("label", self.labels), ("token", self.tokens)):
            if "" in values:
                raise ValueError(f"Invalid {name} at sequence index {values.index('')}: ''")

    def __hash__(self) -> int:
        return hash(self._compared())

    def _compared(self) -> tuple[object, ...]:
        return self.tokens, self.labels

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...

    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self.tokens[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def __str__(self) -> str:
        return " ".join(map("/".join, self.tokens_with_labels()))

    def tokens_with_labels(self) -> tuple[tuple[str, str], ...]:
        """Return pairs of token and label."""
        return tuple(zip(self.tokens, self.labels, strict=True))

    def tokens_with_fields(self) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
        """Return pairs of a token and all columns of its line, or None."""
        return tuple(zip(self.tokens, self.token_fields or repeat(None), strict=False))

    def span_tokens(self, span: Span) -> tuple[str, ...]:
        """Return the tokens of a span."""
        return self.tokens[span.start : span.end]


class LabeledSequence(_Sequence):
    """Tokens with labels; sequences are equal if tokens and labels are equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LabeledSequence) and self._compared() == other._compared()

    __hash__ = _Sequence.__hash__


@dataclass(frozen=True, kw_only=True, eq=False)
class AnnotatedSequence(_Sequence):
    """Tokens with labels, and the mentions encoded by the labels.

    >>> from spanrs.compat.seqscore.encoding import get_encoding
    >>> labels = ["B-PER", "I-PER"]
    >>> one = AnnotatedSequence.from_tokens_and_labels(["Grace", "Hopper"], labels, get_encoding("BIO"))
    >>> one.mention_tokens(one.mentions[0])
    ('Grace', 'Hopper')
    """

    mentions: tuple[Mention, ...]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnnotatedSequence) and self._compared() == other._compared()

    __hash__ = _Sequence.__hash__

    def _compared(self) -> tuple[object, ...]:
        return (*super()._compared(), self.mentions)

    def __post_init__(self) -> None:
        vars(self).update(mentions=tuple(self.mentions))
        super().__post_init__()

    def with_mentions(self, mentions: Sequence[Mention]) -> AnnotatedSequence:
        """Return the same tokens with other mentions."""
        return replace(self, mentions=tuple(mentions))

    def mention_tokens(self, mention: Mention) -> tuple[str, ...]:
        """Return the tokens of a mention."""
        return self.span_tokens(mention.span)

    @classmethod
    def from_tokens_and_labels(
        cls, tokens: Sequence[str], labels: Sequence[str], encoding: Any, **kwargs: Any
    ) -> AnnotatedSequence:
        """Create a sequence whose mentions are decoded by the encoding."""
        mentions = encoding.decode_labels(labels)
        return cls(tokens=tuple(tokens), labels=tuple(labels), mentions=mentions, **kwargs)
