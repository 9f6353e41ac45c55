"""What the functions of this package take and give."""

from __future__ import annotations

import logging
from enum import Enum
from typing import NamedTuple

from spanrs.compat.iobes import formats

LOGGER = logging.getLogger("iobes")


class SpanEncoding(Enum):
    """The formats that can be named.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.SpanEncoding.BMEWO.name
    'BMEOW'
    """

    TOKEN = formats.TOKEN
    IOB = formats.IOB
    BIO = formats.BIO
    IOBES = formats.IOBES
    BILOU = formats.BILOU
    BMEOW = formats.BMEOW
    BMEWO = formats.BMEWO

    @classmethod
    def from_string(cls, value: str) -> SpanEncoding:
        """Find an encoding by its name.

        Parameters
        ----------
        value : str
            iob, iob2, bio, iobes, bilou, bioul, bmeow, bmewo or token, in any case.

        Returns
        -------
        SpanEncoding
            The member.

        Raises
        ------
        ValueError
            For any other name.

        Examples
        --------
        >>> from spanrs.compat import iobes
        >>> iobes.SpanEncoding.from_string("IOB2").name
        'BIO'
        """
        value = value.lower().strip()
        name = {"iob2": "bio", "bioul": "bilou"}.get(value, value)
        for known, member in cls.__members__.items():
            if known.lower() == name:
                return member
        message = f"Unknown Encoding scheme, got: `{value}`"
        raise ValueError(message)


class Span(NamedTuple):
    """A labelled stretch of tokens."""

    type: str
    """What it is a span of."""
    start: int
    """First token, from 0."""
    end: int
    """One past the last token."""
    tokens: tuple[int, ...]
    """All its tokens."""


class ErrorType(Enum):
    """Empty, as it is in iobes."""


class Error(NamedTuple):
    """A tag that does not conform to its format.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> _, errors = iobes.parse_spans_bio_with_errors(["O", "I-PER"])
    >>> errors
    [Error(location=1, type='Illegal Start', current='I-PER', previous='O', next=None)]
    >>> print(errors[0])
    Illegal Start error at index 1.
    """

    location: int
    """The token, from 0."""
    type: str
    """Illegal Start, Transition, End, Single or Final."""
    current: str
    """The tag itself."""
    previous: str | None
    """The tag before; None at the start of the sentence."""
    next: str | None
    """The tag behind; None at the end of the sentence."""

    def __str__(self) -> str:
        return f"{self.type} error at index {self.location}."
