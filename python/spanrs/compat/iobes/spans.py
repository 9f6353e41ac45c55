"""Encodings, spans and errors: what the functions of this package take and return."""

from __future__ import annotations

import logging
from enum import Enum
from typing import NamedTuple

from spanrs.compat.iobes import formats

LOGGER = logging.getLogger("iobes")


class SpanEncoding(Enum):
    """The formats that can be named; BMEWO is an alias of BMEOW."""

    TOKEN = formats.TOKEN
    IOB = formats.IOB
    BIO = formats.BIO
    IOBES = formats.IOBES
    BILOU = formats.BILOU
    BMEOW = formats.BMEOW
    BMEWO = formats.BMEWO

    @classmethod
    def from_string(cls, value: str) -> SpanEncoding:
        """Find an encoding by its name in any case, or by ``iob2`` or ``bioul``.

        Examples
        --------
        >>> SpanEncoding.from_string("IOB2").name
        'BIO'
        """
        value = value.lower().strip()
        name = {"iob2": "bio", "bioul": "bilou"}.get(value, value)
        for known, member in cls.__members__.items():
            if known.lower() == name:
                return member
        raise ValueError(f"Unknown Encoding scheme, got: `{value}`")


class Span(NamedTuple):
    """A labelled sequence of tokens: ``start`` from 0, ``end`` exclusive, and all its tokens."""

    type: str
    start: int
    end: int
    tokens: tuple[int, ...]


class ErrorType(Enum):
    """Empty, as it is in iobes."""


class Error(NamedTuple):
    """A tag that does not conform to its format: Illegal Start, Transition, End, Single or Final."""

    location: int
    type: str
    current: str
    previous: str | None
    next: str | None

    def __str__(self) -> str:
        return f"{self.type} error at index {self.location}."
