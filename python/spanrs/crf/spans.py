"""Probabilities of spans."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import SchemeError, with_code
from spanrs.tags.types import Span


class PredictedSpan(NamedTuple):
    """A span with its probability."""

    type: str
    """The type."""
    start: int
    """First token, from 0."""
    end: int
    """One past the last token."""
    probability: float
    """The probability that the labelling has exactly this span: this type, this start and this end."""

    @property
    def span(self) -> Span:
        """The span without the probability, which :func:`spanrs.score` accepts."""
        return Span(self.type, self.start, self.end)


def predicted_spans(rows: Iterable[Iterable[tuple[str, int, int, float]]]) -> list[list[PredictedSpan]]:
    """Return the spans of each sequence."""
    return [list(map(PredictedSpan._make, spans)) for spans in rows]


def span_scheme(scheme: str | None, model_scheme: str | None, labels: Sequence[str]) -> str:
    """Return the scheme in which labels are read as spans: the given scheme, else the scheme of the model.

    Raises
    ------
    spanrs.errors.SchemeError
        If neither is given.
    """
    name = model_scheme if scheme is None else _spanrs.scheme_name(scheme)
    if name is None:
        shown = ", ".join(map(repr, labels[:10]))
        message = (
            f"the model has no scheme, so its labels {shown} are not read as spans; "
            "if they are tags, pass their scheme, such as scheme='BIO'"
        )
        raise with_code(SchemeError(message), "no_scheme")
    return name


def named_spans(spans: Iterable[Iterable[Any]]) -> list[list[tuple[str, int, int]]]:
    """Return (type, start, end) of the spans of each sequence.

    Raises
    ------
    TypeError
        If an item is not a span.
    spanrs.errors.SchemeError
        If a span is discontinuous.
    """
    return [[_named(span) for span in sequence] for sequence in spans]


def _named(span: Any) -> tuple[str, int, int]:
    if isinstance(span, PredictedSpan):
        return span[:3]
    if isinstance(span, str) or not isinstance(span, Sequence) or not 3 <= len(span) <= 4:
        raise _no_span(span)
    kind, start, end, *rest = span
    try:
        start, end = operator.index(start), operator.index(end)
    except TypeError:
        raise _no_span(span) from None
    if not isinstance(kind, str):
        raise _no_span(span)
    if rest and rest[0] is not None and tuple(rest[0]) != tuple(range(start, end)):
        message = f"{kind} [{start}, {end}) is discontinuous; tags can represent contiguous spans only"
        raise with_code(SchemeError(message), "discontinuous")
    return kind, start, end


def _no_span(span: object) -> TypeError:
    return TypeError(f"a span must be a Span or a tuple (type, start, end), not {span!r}")
