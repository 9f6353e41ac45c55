"""Prefixes of tags (iobes: token functions), and which of them each format uses."""

from __future__ import annotations

#: Three tokens, a span of two of them, in each encoding.
SAMPLES = {
    "bilou": ["B-PER", "L-PER", "O"],
    "bio": ["B-PER", "I-PER", "O"],
    "bmeow": ["B-PER", "E-PER", "O"],
    "bmewo": ["B-PER", "E-PER", "O"],
    "iob": ["I-PER", "I-PER", "O"],
    "iobes": ["B-PER", "E-PER", "O"],
    "token": ["NN", "VB", "."],
}


class TokenFunction:
    """The prefixes, and the names of the two borders of a sentence."""

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

    Subclass it for a custom format, which ``parse.parse_spans_with_end`` reads.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> class BMES(iobes.SpanFormat):
    ...     BEGIN, INSIDE, END, SINGLE = "B", "M", "E", "S"
    >>> iobes.parse.parse_spans_with_end(["B-PER", "E-PER"], BMES)
    [Span(type='PER', start=0, end=2, tokens=(0, 1))]
    """

    #: Prefixes of first, inner, last and only tokens; None where the prefix depends on the tags around.
    BEGIN: str | None = None
    INSIDE: str | None = None
    END: str | None = None
    SINGLE: str | None = None

    def __init__(self) -> None:
        raise NotImplementedError("You cannot instantiate a SpanFormat object")


class IOB(SpanFormat):
    """``B`` only for the first token of a span that touches one of its type."""

    INSIDE = END = "I"


class BIO(SpanFormat):
    """``B`` for the first token of every span."""

    BEGIN, INSIDE, END, SINGLE = "B", "I", "I", "B"


class IOBES(SpanFormat):
    """``E`` for last and ``S`` for only tokens."""

    BEGIN, INSIDE, END, SINGLE = "B", "I", "E", "S"


class BILOU(SpanFormat):
    """``L`` for last and ``U`` for only tokens."""

    BEGIN, INSIDE, END, SINGLE = "B", "I", "L", "U"


class BMEOW(SpanFormat):
    """``M`` for inner, ``E`` for last and ``W`` for only tokens."""

    BEGIN, INSIDE, END, SINGLE = "B", "M", "E", "W"


BMEWO = BMEOW


class TOKEN(SpanFormat):
    """Every token is a span, and its tag the type."""
