"""Writing of spans as tags. If spans overlap, the span that starts later overwrites the other span."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Protocol, TypeAlias

from spanrs._spanrs import IobesWriter
from spanrs.compat._naming import export, named
from spanrs.compat.iobes.spans import (
    BILOU,
    BIO,
    BMEOW,
    IOB,
    IOBES,
    SAMPLES,
    TOKEN,
    Span,
    SpanEncoding,
    SpanFormat,
    TokenFunction,
)
from spanrs.compat.iobes.utils import extract_type, safe_get  # noqa: F401 (iobes has them here)

_Spans: TypeAlias = Sequence[Span]
_Tags: TypeAlias = Sequence[str]
_OUTSIDE = TokenFunction.OUTSIDE


class WriteCallable(Protocol):
    """Type of the functions that write spans in one encoding."""

    def __call__(self, spans: _Spans, tags: _Tags | None = None, length: int | None = None) -> list[str]:
        """Write the spans of a sentence."""


def sort_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans by start only; spans with equal starts keep their order."""
    return sorted(spans, key=attrgetter("start"))


def tags_length_from_spans(spans: Iterable[Span]) -> int:
    """Return the largest end."""
    length: int = max(spans, key=attrgetter("end")).end
    return length


def make_blanks(spans: Iterable[Span], length: int | None = None, fill: str = _OUTSIDE) -> list[str]:
    """Return ``fill`` repeated ``length`` times; the default length is the largest end of the spans."""
    return [fill for _ in range(tags_length_from_spans(spans) if length is None else length)]


def make_tag(token_function: str | None, span_type: str, delimiter: str = "-") -> str:
    """Join prefix and type; without a prefix the tag begins with the delimiter."""
    return f"{'' if token_function is None else token_function}{delimiter}{span_type}"


def _writer(span_format: type[SpanFormat]) -> IobesWriter:
    inside = span_format.INSIDE or ""
    if span_format is IOB:
        return IobesWriter(inside, inside, inside, inside, TokenFunction.BEGIN, Span)
    begin, end, single = span_format.BEGIN or "", span_format.END or "", span_format.SINGLE or ""
    return IobesWriter(begin, inside, end, single, None, Span)


_FORMATS = {"bilou": BILOU, "bio": BIO, "bmeow": BMEOW, "iob": IOB, "iobes": IOBES, "token": TOKEN}
WRITERS = {name: _writer(span_format) for name, span_format in _FORMATS.items()}
_BY_ENCODING = {id(SpanEncoding[name.upper()]): (WRITERS[name], _FORMATS[name]) for name in _FORMATS}


def write_tags(spans: _Spans, span_type: SpanEncoding, length: int | None = None) -> list[str]:
    """Write spans, in any order, as tags; TOKEN writes ``-NN`` for the type ``NN``, as in iobes.

    Examples
    --------
    >>> write_tags([Span("PER", 0, 2, (0, 1))], SpanEncoding.BILOU, length=3)
    ['B-PER', 'L-PER', 'O']
    """
    writer, span_format = _BY_ENCODING.get(id(span_type), (None, SpanFormat))
    if writer is not None:
        written = writer.write(spans, None, length)
        if written is not None:
            return written
    tags = make_blanks(spans, length)
    if writer is None:
        raise ValueError(f"Unknown SpanEncoding scheme, got: `{span_type}`")
    return _write_odd(spans, span_format, tags, None)


def _write_odd(
    spans: _Spans, span_format: type[SpanFormat], tags: list[str] | None, length: int | None
) -> list[str]:
    """Write unusual spans: discontinuous, outside the sentence, empty, or of another class.

    Negative positions count from the end, as in lists.
    """
    ordered = sort_spans(spans)
    tags = make_blanks(ordered, length) if tags is None else tags
    before: Span | None = None
    for span in ordered:
        if span_format is IOB:
            for token in span.tokens:
                tags[token] = make_tag(IOB.INSIDE, span.type)
            if before is not None and before.end == span.start and before.type == span.type:
                tags[span.start] = make_tag(TokenFunction.BEGIN, span.type)
        elif span.end == span.start + 1:
            tags[span.start] = make_tag(span_format.SINGLE, span.type)
        else:
            tags[span.start] = make_tag(span_format.BEGIN, span.type)
            tags[span.end - 1] = make_tag(span_format.END, span.type)
            for token in span.tokens[1:-1]:
                tags[token] = make_tag(span_format.INSIDE, span.type)
        before = span
    return tags


def _write(name: str) -> WriteCallable:
    writer, span_format = WRITERS[name], _FORMATS[name]

    def write(spans: _Spans, tags: _Tags | None = None, length: int | None = None) -> list[str]:
        over = None if tags is None else list(tags)
        written = writer.write(spans, over, length)
        return _write_odd(spans, span_format, over, length) if written is None else written

    summary = f"Write spans as {name.upper()} tags, over a copy of ``tags`` if given."
    example = '([Span("PER", 0, 2, (0, 1))], length=3)'
    return named(write, f"write_{name}_tags", summary, example, SAMPLES[name])


#: Encoding -> the function that writes its tags.
WRITE = {name: _write(name) for name in _FORMATS if name != "token"}
write_iob_tags = WRITE["iob"]
write_bio_tags = WRITE["bio"]
write_iobes_tags = WRITE["iobes"]
write_bilou_tags = WRITE["bilou"]
write_bmeow_tags = write_bmewo_tags = WRITE["bmeow"]

export(globals())
