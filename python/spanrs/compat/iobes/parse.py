"""Tags to spans.

A tag that cannot go on with the span before it opens a new one, as in conlleval.pl; an unknown prefix is
``O``. Every error is logged as a warning of the logger ``iobes``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from spanrs._spanrs import IobesReader
from spanrs.compat.iobes import log
from spanrs.compat.iobes.formats import BILOU, BIO, BMEOW, IOB, IOBES, SpanFormat, TokenFunction
from spanrs.compat.iobes.naming import SAMPLES, named
from spanrs.compat.iobes.utils import extract_function, extract_type, safe_get, sort_errors, sort_spans
from spanrs.compat.iobes.words import LOGGER, Error, Span, SpanEncoding

__all__ = [
    "BILOU",
    "BIO",
    "BMEOW",
    "IOB",
    "IOBES",
    "LOGGER",
    "Error",
    "ParseCallable",
    "ParseWithErrorsCallable",
    "Span",
    "SpanEncoding",
    "SpanFormat",
    "TokenFunction",
    "ValidateCallable",
    "extract_function",
    "extract_type",
    "parse_spans",
    "parse_spans_bilou",
    "parse_spans_bilou_with_errors",
    "parse_spans_bio",
    "parse_spans_bio_with_errors",
    "parse_spans_bmeow",
    "parse_spans_bmeow_with_errors",
    "parse_spans_bmewo",
    "parse_spans_bmewo_with_errors",
    "parse_spans_iob",
    "parse_spans_iob_with_errors",
    "parse_spans_iobes",
    "parse_spans_iobes_with_errors",
    "parse_spans_token",
    "parse_spans_token_with_errors",
    "parse_spans_with_end",
    "parse_spans_with_end_with_errors",
    "parse_spans_with_errors",
    "safe_get",
    "sort_errors",
    "sort_spans",
    "validate_tags",
    "validate_tags_bilou",
    "validate_tags_bio",
    "validate_tags_bmeow",
    "validate_tags_bmewo",
    "validate_tags_iob",
    "validate_tags_iobes",
    "validate_tags_token",
]


class ParseCallable(Protocol):
    """What reads the tags of one encoding."""

    def __call__(self, seq: Sequence[str]) -> list[Span]:
        """Read a sentence."""


class ParseWithErrorsCallable(Protocol):
    """What reads the tags of one encoding and says what is wrong with them."""

    def __call__(self, seq: Sequence[str]) -> tuple[list[Span], list[Error]]:
        """Read a sentence."""


class ValidateCallable(Protocol):
    """What checks the tags of one encoding."""

    def __call__(self, tags: Sequence[str]) -> bool:
        """Check a sentence."""


def _reader(scheme: str, report: log.Report) -> IobesReader[Span, Error]:
    return IobesReader(scheme, Span, Error, report)


_BILOU = _reader("BILOU", log.report_with_end(BILOU))
_BIO = _reader("BIO", log.report_bio)
_BMEOW = _reader("BMEWO", log.report_with_end(BMEOW))
_IOB = _reader("IOB", log.report_iob)
_IOBES = _reader("IOBES", log.report_with_end(IOBES))
_TOKEN = _reader("TOKEN", log.report_nothing)
# Reads the stand-ins for formats of a user's own.
_ANY = _reader("IOBES", log.report_nothing)

# By identity, which is how iobes compares: an `SpanEncoding` hashes slowly, and what is none may not hash.
_READERS = {
    id(SpanEncoding.BILOU): _BILOU,
    id(SpanEncoding.BIO): _BIO,
    id(SpanEncoding.BMEOW): _BMEOW,
    id(SpanEncoding.IOB): _IOB,
    id(SpanEncoding.IOBES): _IOBES,
    id(SpanEncoding.TOKEN): _TOKEN,
}
READERS = {
    "bilou": _BILOU,
    "bio": _BIO,
    "bmeow": _BMEOW,
    "bmewo": _BMEOW,
    "iob": _IOB,
    "iobes": _IOBES,
    "token": _TOKEN,
}
_WITH_END = {id(IOBES): _IOBES, id(BILOU): _BILOU, id(BMEOW): _BMEOW}


def parse_spans(seq: Sequence[str], span_type: SpanEncoding) -> list[Span]:
    """Read tags into spans.

    Parameters
    ----------
    seq : sequence of str
        The tags of a sentence.
    span_type : SpanEncoding
        Their encoding.

    Returns
    -------
    list of Span
        In the order of the text; tokens count from 0, ends are exclusive.

    Raises
    ------
    ValueError
        For what is no encoding.

    Notes
    -----
    Source: iobes, ``parse_spans``.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.parse_spans(["O", "B-PER", "E-PER"], iobes.SpanEncoding.IOBES)
    [Span(type='PER', start=1, end=3, tokens=(1, 2))]
    """
    reader = _READERS.get(id(span_type))
    if reader is None:
        raise _unknown("scheme", span_type)
    return reader.spans(seq)


def parse_spans_with_errors(seq: Sequence[str], span_type: SpanEncoding) -> tuple[list[Span], list[Error]]:
    """Read tags into spans, and say what is wrong with them.

    Parameters
    ----------
    seq, span_type
        As for :func:`parse_spans`.

    Returns
    -------
    tuple of (list of Span, list of Error)
        Errors by location, then type.

    Raises
    ------
    ValueError
        For what is no encoding.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> spans, errors = iobes.parse_spans_with_errors(["O", "I-PER"], iobes.SpanEncoding.BIO)
    >>> len(spans), str(errors[0])
    (1, 'Illegal Start error at index 1.')
    """
    reader = _READERS.get(id(span_type))
    if reader is None:
        raise _unknown("scheme", span_type)
    return reader.spans_and_errors(seq)


def parse_spans_with_end(seq: Sequence[str], span_format: type[SpanFormat]) -> list[Span]:
    """Read tags of any format that has prefixes for last and for only tokens.

    Parameters
    ----------
    seq : sequence of str
        The tags of a sentence.
    span_format : subclass of SpanFormat
        The prefixes.

    Returns
    -------
    list of Span
        In the order of the text.

    Examples
    --------
    >>> from spanrs.compat.iobes import parse
    >>> parse.parse_spans_with_end(["B-PER", "L-PER"], parse.BILOU)
    [Span(type='PER', start=0, end=2, tokens=(0, 1))]
    """
    return parse_spans_with_end_with_errors(seq, span_format)[0]


def parse_spans_with_end_with_errors(
    seq: Sequence[str], span_format: type[SpanFormat]
) -> tuple[list[Span], list[Error]]:
    """Read tags as :func:`parse_spans_with_end` does, and say what is wrong with them.

    Parameters
    ----------
    seq, span_format
        As for :func:`parse_spans_with_end`.

    Returns
    -------
    tuple of (list of Span, list of Error)
        Errors by location, then type.

    Examples
    --------
    >>> from spanrs.compat.iobes import parse
    >>> str(parse.parse_spans_with_end_with_errors(["B-PER"], parse.IOBES)[1][0])
    'Illegal Final error at index 0.'
    """
    reader = _WITH_END.get(id(span_format))
    if reader is not None:
        return reader.spans_and_errors(seq)
    return _any_format(list(seq), span_format)


def _any_format(tags: list[str], span_format: type[SpanFormat]) -> tuple[list[Span], list[Error]]:
    """Read tags of a user's own format, by reading the IOBES tags that say the same."""
    letters: dict[str | None, str] = {}
    # Where two prefixes are equal, iobes takes the first in this order.
    for letter, name in (("B", "BEGIN"), ("S", "SINGLE"), ("I", "INSIDE"), ("E", "END")):
        letters.setdefault(getattr(span_format, name), letter)
    functions = [extract_function(tag) for tag in tags]
    letters.setdefault(TokenFunction.OUTSIDE, TokenFunction.OUTSIDE)
    stand_ins = [
        f"{letters.get(function, '?')}-{extract_type(tag)}"
        for function, tag in zip(functions, tags, strict=True)
    ]
    spans, found = _ANY.spans_and_errors(stand_ins)
    closing = (span_format.END, span_format.SINGLE)
    errors = [
        Error(at, kind, tags[at], safe_get(tags, at - 1), safe_get(tags, at + 1))
        for at, kind, *_ in found
        # A prefix that also begins or goes on with a span is no sign that it was left open.
        if kind != "Illegal End" or functions[at] not in closing
    ]
    if errors:
        log.report_with_end(span_format)(errors)
    return spans, errors


def validate_tags(tags: Sequence[str], span_type: SpanEncoding) -> bool:
    """Tell whether tags are well-formed.

    Parameters
    ----------
    tags : sequence of str
        The tags of a sentence.
    span_type : SpanEncoding
        Their encoding. Under TOKEN everything is well-formed.

    Returns
    -------
    bool
        False where there are errors.

    Raises
    ------
    ValueError
        For what is no encoding.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.validate_tags(["I-PER"], iobes.SpanEncoding.IOB)
    True
    """
    if span_type is SpanEncoding.TOKEN:
        return validate_tags_token(tags)
    reader = _READERS.get(id(span_type))
    if reader is None:
        raise _unknown("Scheme", span_type)
    return not reader.spans_and_errors(tags)[1]


def validate_tags_token(tags: Sequence[str]) -> bool:  # noqa: ARG001  # the argument all of them take
    """Tell whether TOKEN tags are well-formed, which they always are.

    Parameters
    ----------
    tags : sequence of str
        Not looked at.

    Returns
    -------
    bool
        True.

    Examples
    --------
    >>> from spanrs.compat.iobes.parse import validate_tags_token
    >>> validate_tags_token(["NN"])
    True
    """
    return True


def _unknown(word: str, span_type: object) -> ValueError:
    return ValueError(f"Unknown SpanEncoding {word}, got: `{span_type}`")


def _parse(name: str) -> ParseCallable:
    reader = READERS[name]

    def parse(seq: Sequence[str]) -> list[Span]:
        return reader.spans(seq)

    public = f"parse_spans_{name}"
    return named(
        parse,
        public,
        f"Read {name.upper()} tags into spans, as :func:`parse_spans` does.",
        takes="seq : sequence of str\n    The tags of a sentence.",
        gives="list of Span\n    In the order of the text; tokens count from 0, ends are exclusive.",
        example=f"""
        >>> from spanrs.compat.iobes.parse import {public}
        >>> {public}({SAMPLES[name]})[0].start
        0
        """,
    )


def _parse_with_errors(name: str) -> ParseWithErrorsCallable:
    reader = READERS[name]

    def parse(seq: Sequence[str]) -> tuple[list[Span], list[Error]]:
        return reader.spans_and_errors(seq)

    public = f"parse_spans_{name}_with_errors"
    return named(
        parse,
        public,
        f"Read {name.upper()} tags into spans and errors, as :func:`parse_spans_with_errors` does.",
        takes="seq : sequence of str\n    The tags of a sentence.",
        gives="tuple of (list of Span, list of Error)\n    Errors by location, then type.",
        example=f"""
        >>> from spanrs.compat.iobes.parse import {public}
        >>> {public}({SAMPLES[name]})[1]
        []
        """,
    )


def _validate(name: str) -> ValidateCallable:
    reader = READERS[name]

    def validate(tags: Sequence[str]) -> bool:
        return not reader.spans_and_errors(tags)[1]

    public = f"validate_tags_{name}"
    return named(
        validate,
        public,
        f"Tell whether {name.upper()} tags are well-formed.",
        takes="tags : sequence of str\n    The tags of a sentence.",
        gives="bool\n    False where there are errors.",
        example=f"""
        >>> from spanrs.compat.iobes.parse import {public}
        >>> {public}({SAMPLES[name]})
        True
        """,
    )


parse_spans_token = _parse("token")
parse_spans_iob = _parse("iob")
parse_spans_bio = _parse("bio")
parse_spans_iobes = _parse("iobes")
parse_spans_bilou = _parse("bilou")
parse_spans_bmeow = _parse("bmeow")
parse_spans_bmewo = _parse("bmewo")
parse_spans_token_with_errors = _parse_with_errors("token")
parse_spans_iob_with_errors = _parse_with_errors("iob")
parse_spans_bio_with_errors = _parse_with_errors("bio")
parse_spans_iobes_with_errors = _parse_with_errors("iobes")
parse_spans_bilou_with_errors = _parse_with_errors("bilou")
parse_spans_bmeow_with_errors = _parse_with_errors("bmeow")
parse_spans_bmewo_with_errors = _parse_with_errors("bmewo")
validate_tags_iob = _validate("iob")
validate_tags_bio = _validate("bio")
validate_tags_iobes = _validate("iobes")
validate_tags_bilou = _validate("bilou")
validate_tags_bmeow = _validate("bmeow")
validate_tags_bmewo = _validate("bmewo")
