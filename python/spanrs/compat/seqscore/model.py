"""Spans, mentions, and sequences of tokens with labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, overload


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens from ``start`` to before ``end``, from 0."""

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
        """Give the same span with another type."""
        return Mention(self.span, new_type)


@dataclass(frozen=True, slots=True)
class SequenceProvenance:
    """Where a sequence came from: its first line, and the name of the file."""

    starting_line: int
    source: str | None


class _Sequence(Sequence[str]):
    """Tokens with labels, which do not change."""

    def __init__(
        self,
        *,
        tokens: Sequence[str],
        labels: Sequence[str],
        token_fields: Sequence[Sequence[str]] | None = None,
        provenance: SequenceProvenance | None = None,
        comment: str | None = None,
    ) -> None:
        self.tokens, self.labels = tuple(tokens), tuple(labels)
        self.token_fields = None if token_fields is None else tuple(tuple(row) for row in token_fields)
        self.provenance = provenance
        self.comment = comment
        n = len(self.tokens)
        if n != len(self.labels):
            raise ValueError(f"Tokens ({n}) and labels ({len(self.labels)}) must be of the same length")
        if not n:
            raise ValueError("Tokens and labels must be non-empty")
        if self.token_fields and n != len(self.token_fields):
            fields = len(self.token_fields)
            raise ValueError(f"Tokens ({n}) and token_fields ({fields}) must be of the same length")
        for name, values in (("label", self.labels), ("token", self.tokens)):
            if "" in values:
                raise ValueError(f"Invalid {name} at sequence index {values.index('')}: ''")

    def __setattr__(self, name: str, value: object) -> None:
        if name in self.__dict__:
            raise AttributeError(f"{type(self).__name__} does not change: {name}")
        super().__setattr__(name, value)

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

    def _key(self) -> tuple[Any, ...]:
        return (self.tokens, self.labels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def tokens_with_labels(self) -> tuple[tuple[str, str], ...]:
        """Give pairs of token and label."""
        return tuple(zip(self.tokens, self.labels, strict=True))

    def tokens_with_fields(self) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
        """Give pairs of token and all columns of its line, or None."""
        return tuple(zip(self.tokens, self.token_fields or repeat(None), strict=False))

    def span_tokens(self, span: Span) -> tuple[str, ...]:
        """Give the tokens of a span."""
        return self.tokens[span.start : span.end]


class LabeledSequence(_Sequence):
    """Tokens with labels; equal where both are."""


class AnnotatedSequence(_Sequence):
    """Tokens with labels and the mentions they stand for.

    >>> from spanrs.compat.seqscore.encoding import get_encoding
    >>> labels = ["B-PER", "I-PER"]
    >>> one = AnnotatedSequence.from_tokens_and_labels(["Grace", "Hopper"], labels, get_encoding("BIO"))
    >>> one.mention_tokens(one.mentions[0])
    ('Grace', 'Hopper')
    """

    def __init__(self, *, mentions: Sequence[Mention], **fields: Any) -> None:
        self.mentions = tuple(mentions)
        super().__init__(**fields)

    def _key(self) -> tuple[Any, ...]:
        return (self.tokens, self.labels, self.mentions)

    def with_mentions(self, mentions: Sequence[Mention]) -> AnnotatedSequence:
        """Give the same tokens with other mentions."""
        return AnnotatedSequence(**{**self.__dict__, "mentions": mentions})

    def mention_tokens(self, mention: Mention) -> tuple[str, ...]:
        """Give the tokens of a mention."""
        return self.span_tokens(mention.span)

    @classmethod
    def from_tokens_and_labels(
        cls, tokens: Sequence[str], labels: Sequence[str], encoding: Any, **kwargs: Any
    ) -> AnnotatedSequence:
        """Make a sequence of which the encoding finds the mentions."""
        return cls(tokens=tokens, labels=labels, mentions=encoding.decode_labels(labels), **kwargs)
