"""Prefixes of tags (iobes: token functions), and which of them each format uses."""

from __future__ import annotations

from typing import NoReturn


class TokenFunction:
    """The prefixes, and the names of the two borders of a sentence.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.TokenFunction.MIDDLE, iobes.TokenFunction.GO
    ('M', '<GO>')
    """

    OUTSIDE = "O"
    BEGIN = "B"
    INSIDE = "I"
    MIDDLE = "M"
    END = "E"
    LAST = "L"
    SINGLE = "S"
    UNIT = "U"
    WHOLE = "W"
    GO = "<GO>"
    EOS = "<EOS>"


class SpanFormat:
    """The prefixes of a format; a class is a format, it has no instances.

    Subclass it for a format of one's own, for ``parse.parse_spans_with_end``.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> class BMES(iobes.SpanFormat):
    ...     BEGIN, INSIDE, END, SINGLE = "B", "M", "E", "S"
    >>> iobes.parse.parse_spans_with_end(["B-PER", "E-PER"], BMES)
    [Span(type='PER', start=0, end=2, tokens=(0, 1))]
    """

    BEGIN: str | None = None
    """Of the first of several tokens; None where it depends on the tags around."""
    INSIDE: str | None = None
    """Of the tokens between."""
    END: str | None = None
    """Of the last of several tokens."""
    SINGLE: str | None = None
    """Of an only token."""

    def __init__(self) -> None:
        refuse_instances()


def refuse_instances() -> NoReturn:
    """Say that a format is not to be instantiated."""
    message = "You cannot instantiate a SpanFormat object"
    raise NotImplementedError(message)


class IOB(SpanFormat):
    """``B`` only for the first token of a span that touches one of its type."""

    INSIDE = TokenFunction.INSIDE
    END = TokenFunction.INSIDE


class BIO(SpanFormat):
    """``B`` for the first token of every span."""

    BEGIN = TokenFunction.BEGIN
    INSIDE = TokenFunction.INSIDE
    END = TokenFunction.INSIDE
    SINGLE = TokenFunction.BEGIN


class IOBES(SpanFormat):
    """``E`` for last and ``S`` for only tokens."""

    BEGIN = TokenFunction.BEGIN
    INSIDE = TokenFunction.INSIDE
    END = TokenFunction.END
    SINGLE = TokenFunction.SINGLE


class BILOU(SpanFormat):
    """``L`` for last and ``U`` for only tokens."""

    BEGIN = TokenFunction.BEGIN
    INSIDE = TokenFunction.INSIDE
    END = TokenFunction.LAST
    SINGLE = TokenFunction.UNIT


class BMEOW(SpanFormat):
    """``M`` between, ``E`` for last and ``W`` for only tokens."""

    BEGIN = TokenFunction.BEGIN
    INSIDE = TokenFunction.MIDDLE
    END = TokenFunction.END
    SINGLE = TokenFunction.WHOLE


BMEWO = BMEOW


class TOKEN(SpanFormat):
    """Every token is a span, and its tag the type."""
