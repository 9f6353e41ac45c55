"""Probabilities of spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import SchemeError, with_code


class PredictedSpan(NamedTuple):
    """A span with its probability; the first three fields are those of :class:`spanrs.tags.Span`."""

    type: str
    """The type."""
    start: int
    """First token, from 0."""
    end: int
    """One past the last token."""
    probability: float
    """The probability that the labelling has exactly this span: this type, this start and this end."""


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
    spanrs.errors.SchemeError
        If a span is discontinuous.
    """
    return [[_named(span) for span in sequence] for sequence in spans]


def _named(span: Any) -> tuple[str, int, int]:
    if isinstance(span, str) or not hasattr(span, "__len__") or len(span) < 3:
        raise TypeError(f"a span must be a Span or a tuple (type, start, end), not {span!r}")
    kind, start, end = span[0], span[1], span[2]
    tokens = getattr(span, "tokens", None)
    if tokens is not None and tuple(tokens) != tuple(range(start, end)):
        message = f"{kind} [{start}, {end}) is discontinuous; tags can represent contiguous spans only"
        raise SchemeError(message)
    return kind, start, end
