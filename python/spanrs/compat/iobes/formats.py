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


def _format(
    name: str, begin: str | None, inside: str | None, end: str | None, single: str | None
) -> type[SpanFormat]:
    """Make the class of a format."""
    prefixes = {"BEGIN": begin, "INSIDE": inside, "END": end, "SINGLE": single}
    return type(name, (SpanFormat,), {"__module__": __name__, **prefixes})


#: ``B`` only for the first token of a span that touches one of its type.
IOB = _format("IOB", None, "I", "I", None)
BIO = _format("BIO", "B", "I", "I", "B")
IOBES = _format("IOBES", "B", "I", "E", "S")
BILOU = _format("BILOU", "B", "I", "L", "U")
BMEWO = BMEOW = _format("BMEOW", "B", "M", "E", "W")
#: Every token is a span, and its tag the type.
TOKEN = _format("TOKEN", None, None, None, None)
