"""Tags to spans.

A tag that cannot continue the span before it opens a new one, as in conlleval.pl; an unknown prefix is
``O``. Every error is logged as a warning of the logger ``iobes``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from spanrs._spanrs import IobesReader
from spanrs.compat._naming import export, named
from spanrs.compat.iobes import log
from spanrs.compat.iobes.formats import (  # noqa: F401 (iobes has them here)
    BILOU,
    BIO,
    BMEOW,
    IOB,
    IOBES,
    SAMPLES,
    SpanFormat,
    TokenFunction,
)
from spanrs.compat.iobes.spans import LOGGER, Error, Span, SpanEncoding  # noqa: F401
from spanrs.compat.iobes.utils import (  # noqa: F401
    extract_function,
    extract_type,
    safe_get,
    sort_errors,
    sort_spans,
)

ParseCallable: TypeAlias = Callable[[Sequence[str]], list[Span]]
ParseWithErrorsCallable: TypeAlias = Callable[[Sequence[str]], tuple[list[Span], list[Error]]]
ValidateCallable: TypeAlias = Callable[[Sequence[str]], bool]
Reader: TypeAlias = "IobesReader[Span, Error]"


def _reader(scheme: str, report: log.Report) -> Reader:
    return IobesReader(scheme, Span, Error, report)


READERS = {
    "token": _reader("TOKEN", log.report_nothing),
    "iob": _reader("IOB", log.report_iob),
    "bio": _reader("BIO", log.report_bio),
    "iobes": _reader("IOBES", log.report_with_end(IOBES)),
    "bilou": _reader("BILOU", log.report_with_end(BILOU)),
    "bmeow": _reader("BMEWO", log.report_with_end(BMEOW)),
}
READERS["bmewo"] = READERS["bmeow"]
# By identity, which is how iobes compares: a `SpanEncoding` hashes slowly, and other objects may not hash.
_READERS = {id(encoding): READERS[name.lower()] for name, encoding in SpanEncoding.__members__.items()}
_WITH_END = {id(IOBES): READERS["iobes"], id(BILOU): READERS["bilou"], id(BMEOW): READERS["bmeow"]}
# Reads custom formats, whose tags are replaced by IOBES tags.
_ANY = _reader("IOBES", log.report_nothing)


def _find_reader(span_type: SpanEncoding, word: str = "scheme") -> Reader:
    reader = _READERS.get(id(span_type))
    if reader is None:
        raise ValueError(f"Unknown SpanEncoding {word}, got: `{span_type}`")
    return reader


def parse_spans(seq: Sequence[str], span_type: SpanEncoding) -> list[Span]:
    """Read tags into spans, in the order of the text."""
    return _find_reader(span_type).spans(seq)


def parse_spans_with_errors(seq: Sequence[str], span_type: SpanEncoding) -> tuple[list[Span], list[Error]]:
    """Read tags into spans and errors; errors are sorted by location, then type.

    Examples
    --------
    >>> spans, errors = parse_spans_with_errors(["O", "I-PER"], SpanEncoding.BIO)
    >>> len(spans), str(errors[0])
    (1, 'Illegal Start error at index 1.')
    """
    return _find_reader(span_type).spans_and_errors(seq)


def parse_spans_with_end(seq: Sequence[str], span_format: type[SpanFormat]) -> list[Span]:
    """Read tags of any format that has prefixes for last and for only tokens."""
    return parse_spans_with_end_with_errors(seq, span_format)[0]


def parse_spans_with_end_with_errors(
    seq: Sequence[str], span_format: type[SpanFormat]
) -> tuple[list[Span], list[Error]]:
    """Read tags as :func:`parse_spans_with_end` does, into spans and errors."""
    reader = _WITH_END.get(id(span_format))
    if reader is not None:
        return reader.spans_and_errors(seq)
    return _any_format(list(seq), span_format)


def _any_format(tags: list[str], span_format: type[SpanFormat]) -> tuple[list[Span], list[Error]]:
    """Read tags of a custom format by reading the equivalent IOBES tags."""
    letters: dict[str | None, str] = {}
    # Where two prefixes are equal, iobes takes the first in this order.
    for letter, name in (("B", "BEGIN"), ("S", "SINGLE"), ("I", "INSIDE"), ("E", "END")):
        letters.setdefault(getattr(span_format, name), letter)
    letters.setdefault(TokenFunction.OUTSIDE, TokenFunction.OUTSIDE)
    functions = [extract_function(tag) for tag in tags]
    plain = [f"{letters.get(f, '?')}-{extract_type(tag)}" for f, tag in zip(functions, tags, strict=True)]
    spans, found = _ANY.spans_and_errors(plain)
    closing = (span_format.END, span_format.SINGLE)
    errors = [
        Error(at, kind, tags[at], safe_get(tags, at - 1), safe_get(tags, at + 1))
        for at, kind, *_ in found
        # A prefix that also begins or continues a span does not show that one was left open.
        if kind != "Illegal End" or functions[at] not in closing
    ]
    if errors:
        log.report_with_end(span_format)(errors)
    return spans, errors


def validate_tags(tags: Sequence[str], span_type: SpanEncoding) -> bool:
    """Return whether tags are well-formed; TOKEN tags always are."""
    if span_type is SpanEncoding.TOKEN:
        return validate_tags_token(tags)
    return not _find_reader(span_type, "Scheme").spans_and_errors(tags)[1]


def validate_tags_token(tags: Sequence[str]) -> bool:  # noqa: ARG001
    """Return True: TOKEN tags are always well-formed."""
    return True


def _functions(name: str) -> tuple[ParseCallable, ParseWithErrorsCallable, ValidateCallable]:
    """Make the three functions that read one encoding."""
    reader, upper, example = READERS[name], name.upper(), f"({SAMPLES[name]})"

    def parse(seq: Sequence[str]) -> list[Span]:
        return reader.spans(seq)

    def parse_with_errors(seq: Sequence[str]) -> tuple[list[Span], list[Error]]:
        return reader.spans_and_errors(seq)

    def validate(tags: Sequence[str]) -> bool:
        return not reader.spans_and_errors(tags)[1]

    named(parse, f"parse_spans_{name}", f"Read {upper} tags into spans.", f"{example}[0].start", 0)
    summary = f"Read {upper} tags into spans and errors."
    named(parse_with_errors, f"parse_spans_{name}_with_errors", summary, f"{example}[1]", [])
    named(validate, f"validate_tags_{name}", f"Return whether {upper} tags are well-formed.", example, True)
    return parse, parse_with_errors, validate


_FUNCTIONS = {name: _functions(name) for name in READERS}
#: Encoding -> the function that reads it into spans and errors.
WITH_ERRORS = {name: functions[1] for name, functions in _FUNCTIONS.items()}

parse_spans_token, parse_spans_token_with_errors, _ = _FUNCTIONS["token"]
parse_spans_iob, parse_spans_iob_with_errors, validate_tags_iob = _FUNCTIONS["iob"]
parse_spans_bio, parse_spans_bio_with_errors, validate_tags_bio = _FUNCTIONS["bio"]
parse_spans_iobes, parse_spans_iobes_with_errors, validate_tags_iobes = _FUNCTIONS["iobes"]
parse_spans_bilou, parse_spans_bilou_with_errors, validate_tags_bilou = _FUNCTIONS["bilou"]
parse_spans_bmeow, parse_spans_bmeow_with_errors, validate_tags_bmeow = _FUNCTIONS["bmeow"]
parse_spans_bmewo, parse_spans_bmewo_with_errors, validate_tags_bmewo = _FUNCTIONS["bmewo"]

_TYPES = ("ParseCallable", "ParseWithErrorsCallable", "ValidateCallable")
export(globals(), also=("LOGGER", *_TYPES))
