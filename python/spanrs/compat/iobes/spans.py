"""Argument and return types: prefixes (iobes: token functions), formats, encodings, spans, errors."""

from __future__ import annotations

import logging
from enum import Enum
from typing import NamedTuple

LOGGER = logging.getLogger("iobes")

#: Examples: three tokens with a span of two tokens, in each encoding.
_ENDS = {"bilou": "BL", "bio": "BI", "bmeow": "BE", "bmewo": "BE", "iob": "II", "iobes": "BE"}
SAMPLES = {name: [f"{ends[0]}-PER", f"{ends[1]}-PER", "O"] for name, ends in _ENDS.items()}
SAMPLES["token"] = ["NN", "VB", "."]


class TokenFunction:
    """The prefixes, and the names of the sentence boundaries."""

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
    """The prefixes of a format. Each format is a class without instances.

    A custom format is a subclass; ``parse.parse_spans_with_end`` reads tags of custom formats.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> class BMES(iobes.SpanFormat):
    ...     BEGIN, INSIDE, END, SINGLE = "B", "M", "E", "S"
    >>> iobes.parse.parse_spans_with_end(["B-PER", "E-PER"], BMES)
    [Span(type='PER', start=0, end=2, tokens=(0, 1))]
    """

    #: Prefixes of first, inner, last and single tokens; None if the prefix depends on the adjacent tags.
    BEGIN: str | None = None
    INSIDE: str | None = None
    END: str | None = None
    SINGLE: str | None = None

    def __init__(self) -> None:
        raise NotImplementedError("You cannot instantiate a SpanFormat object")


def _format(name: str, *prefixes: str | None) -> type[SpanFormat]:
    """Create the class of a format."""
    attributes = dict(zip(("BEGIN", "INSIDE", "END", "SINGLE"), prefixes, strict=True))
    return type(name, (SpanFormat,), {"__module__": __name__, **attributes})


#: ``B`` is only used for the first token of a span directly after a span of the same type.
IOB = _format("IOB", None, "I", "I", None)
BIO = _format("BIO", "B", "I", "I", "B")
IOBES = _format("IOBES", "B", "I", "E", "S")
BILOU = _format("BILOU", "B", "I", "L", "U")
BMEWO = BMEOW = _format("BMEOW", "B", "M", "E", "W")
#: Every token is a span whose type is its tag.
TOKEN = _format("TOKEN", None, None, None, None)


class SpanEncoding(Enum):
    """The named formats; BMEWO is an alias of BMEOW."""

    TOKEN = TOKEN
    IOB = IOB
    BIO = BIO
    IOBES = IOBES
    BILOU = BILOU
    BMEOW = BMEOW
    BMEWO = BMEWO

    @classmethod
    def from_string(cls, value: str) -> SpanEncoding:
        """Find an encoding by its case-insensitive name, or by ``iob2`` or ``bioul``.

        Examples
        --------
        >>> SpanEncoding.from_string("IOB2").name
        'BIO'
        """
        value = value.lower().strip()
        name = {"iob2": "bio", "bioul": "bilou"}.get(value, value)
        for member_name, member in cls.__members__.items():
            if member_name.lower() == name:
                return member
        raise ValueError(f"Unknown Encoding scheme, got: `{value}`")


class Span(NamedTuple):
    """A labelled sequence of tokens: ``start`` from 0, ``end`` exclusive, and the indices of all tokens."""

    type: str
    start: int
    end: int
    tokens: tuple[int, ...]


class ErrorType(Enum):
    """An enum without members, as in iobes."""


class Error(NamedTuple):
    """A tag that does not conform to its format: Illegal Start, Transition, End, Single or Final."""

    location: int
    type: str
    current: str
    previous: str | None
    next: str | None

    def __str__(self) -> str:
        return f"{self.type} error at index {self.location}."
