"""Spans to tags. Spans that overlap write over each other, the one that starts later last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Protocol

from spanrs._spanrs import IobesWriter
from spanrs.compat.iobes.formats import BILOU, BIO, BMEOW, IOB, IOBES, TOKEN, SpanFormat, TokenFunction
from spanrs.compat.iobes.naming import SAMPLES, named
from spanrs.compat.iobes.utils import extract_type, safe_get
from spanrs.compat.iobes.words import Span, SpanEncoding

__all__ = [
    "BILOU",
    "BIO",
    "BMEOW",
    "IOB",
    "IOBES",
    "Span",
    "SpanEncoding",
    "SpanFormat",
    "TokenFunction",
    "WriteCallable",
    "extract_type",
    "make_blanks",
    "make_tag",
    "safe_get",
    "sort_spans",
    "tags_length_from_spans",
    "write_bilou_tags",
    "write_bio_tags",
    "write_bmeow_tags",
    "write_bmewo_tags",
    "write_iob_tags",
    "write_iobes_tags",
    "write_tags",
]


class WriteCallable(Protocol):
    """What writes spans in one encoding."""

    def __call__(
        self, spans: Sequence[Span], tags: Sequence[str] | None = None, length: int | None = None
    ) -> list[str]:
        """Write the spans of a sentence."""


def sort_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans by start alone; spans with equal starts stay as they were.

    Parameters
    ----------
    spans : iterable of Span
        In any order.

    Returns
    -------
    list of Span
        A new list.

    Examples
    --------
    >>> from spanrs.compat.iobes import Span
    >>> from spanrs.compat.iobes.write import sort_spans
    >>> [span.end for span in sort_spans([Span("A", 0, 2, (0, 1)), Span("A", 0, 1, (0,))])]
    [2, 1]
    """
    return sorted(spans, key=attrgetter("start"))


def tags_length_from_spans(spans: Iterable[Span]) -> int:
    """Give the number of tokens up to the last end.

    Parameters
    ----------
    spans : iterable of Span
        In any order.

    Returns
    -------
    int
        The largest end.

    Raises
    ------
    ValueError
        Where there are no spans.

    Examples
    --------
    >>> from spanrs.compat.iobes import Span
    >>> from spanrs.compat.iobes.write import tags_length_from_spans
    >>> tags_length_from_spans([Span("A", 0, 2, (0, 1))])
    2
    """
    length: int = max(spans, key=attrgetter("end")).end
    return length


def make_blanks(
    spans: Iterable[Span], length: int | None = None, fill: str = TokenFunction.OUTSIDE
) -> list[str]:
    """Give the tags of a sentence without spans.

    Parameters
    ----------
    spans : iterable of Span
        Tell the length where it is not given.
    length : int, optional
        Tokens of the sentence.
    fill : str
        The tag.

    Returns
    -------
    list of str
        ``length`` times ``fill``.

    Raises
    ------
    ValueError
        Where there are neither spans nor a length.

    Examples
    --------
    >>> from spanrs.compat.iobes.write import make_blanks
    >>> make_blanks([], 2)
    ['O', 'O']
    """
    return [fill for _ in range(tags_length_from_spans(spans) if length is None else length)]


def make_tag(token_function: str | None, span_type: str, delimiter: str = "-") -> str:
    """Join prefix and type.

    Parameters
    ----------
    token_function : str or None
        The prefix; None gives an empty one, as TOKEN has it.
    span_type : str
        The type.
    delimiter : str
        Between the two.

    Returns
    -------
    str
        The tag.

    Examples
    --------
    >>> from spanrs.compat.iobes.write import make_tag
    >>> make_tag("B", "PER"), make_tag(None, "NN")
    ('B-PER', '-NN')
    """
    return f"{'' if token_function is None else token_function}{delimiter}{span_type}"


def _writer(span_format: type[SpanFormat]) -> IobesWriter:
    inside = span_format.INSIDE or ""
    if span_format is IOB:
        return IobesWriter(inside, inside, inside, inside, TokenFunction.BEGIN, Span)
    begin, end, single = span_format.BEGIN or "", span_format.END or "", span_format.SINGLE or ""
    return IobesWriter(begin, inside, end, single, None, Span)


_FORMATS = {"bilou": BILOU, "bio": BIO, "bmeow": BMEOW, "iob": IOB, "iobes": IOBES, "token": TOKEN}
WRITERS = {name: _writer(span_format) for name, span_format in _FORMATS.items()}
_BY_ENCODING = {
    id(SpanEncoding[name.upper()]): (WRITERS[name], span_format) for name, span_format in _FORMATS.items()
}


def write_tags(spans: Sequence[Span], span_type: SpanEncoding, length: int | None = None) -> list[str]:
    """Write spans as tags.

    Parameters
    ----------
    spans : sequence of Span
        In any order; tokens count from 0, ends are exclusive.
    span_type : SpanEncoding
        The encoding. TOKEN writes ``-NN`` for a span of type ``NN``, as iobes does.
    length : int, optional
        Tokens of the sentence; without it the largest end.

    Returns
    -------
    list of str
        ``length`` tags.

    Raises
    ------
    ValueError
        For what is no encoding, and where there are neither spans nor a length.
    IndexError
        For a span behind the end of the sentence.

    Notes
    -----
    Source: iobes, ``write_tags``.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.write_tags([iobes.Span("PER", 0, 2, (0, 1))], iobes.SpanEncoding.BILOU, length=3)
    ['B-PER', 'L-PER', 'O']
    """
    writer, span_format = _BY_ENCODING.get(id(span_type), (None, SpanFormat))
    if writer is not None:
        written = writer.write(spans, None, length)
        if written is not None:
            return written
    tags = make_blanks(spans, length)
    if writer is None:
        message = f"Unknown SpanEncoding scheme, got: `{span_type}`"
        raise ValueError(message)
    return _write_odd(spans, span_format, tags, None)


def _write_odd(
    spans: Sequence[Span], span_format: type[SpanFormat], tags: list[str] | None, length: int | None
) -> list[str]:
    """Write spans of any kind: discontinuous, outside the sentence, empty, of another class.

    Places count from the end where they are negative, as they do in lists.
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

    def write(
        spans: Sequence[Span], tags: Sequence[str] | None = None, length: int | None = None
    ) -> list[str]:
        over = None if tags is None else list(tags)
        written = writer.write(spans, over, length)
        return _write_odd(spans, span_format, over, length) if written is None else written

    public = f"write_{name}_tags"
    return named(
        write,
        public,
        f"Write spans as {name.upper()} tags, as :func:`write_tags` does.",
        takes=(
            "spans : sequence of Span\n    In any order; tokens count from 0, ends are exclusive.\n"
            "tags : sequence of str, optional\n    Tags to write over; they are copied.\n"
            "length : int, optional\n    Tokens, where there are no tags; else the largest end."
        ),
        gives="list of str\n    As many tags as tokens.",
        raises=(
            "ValueError\n    Where there are neither spans nor tags nor a length.\n"
            "IndexError\n    For a span behind the end of the sentence."
        ),
        example=f"""
        >>> from spanrs.compat.iobes.write import Span, {public}
        >>> {public}([Span("PER", 0, 2, (0, 1))], length=3)
        {SAMPLES[name]}
        """,
    )


write_iob_tags = _write("iob")
write_bio_tags = _write("bio")
write_iobes_tags = _write("iobes")
write_bilou_tags = _write("bilou")
write_bmeow_tags = write_bmewo_tags = _write("bmeow")
