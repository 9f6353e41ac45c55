"""Reading of tags as spans.

A tag that cannot continue the preceding span opens a new span, as in conlleval.pl; a tag with an unknown prefix is
``O``. Every error is logged as a warning of the logger ``iobes``.
"""

# ruff: noqa: F403, F405 (iobes has those names here too)
from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias

from spanrs._spanrs import IobesReader
from spanrs.compat._naming import export, named
from spanrs.compat.iobes.spans import *
from spanrs.compat.iobes.utils import *

ParseCallable: TypeAlias = Callable[[Sequence[str]], list[Span]]
ParseWithErrorsCallable: TypeAlias = Callable[[Sequence[str]], tuple[list[Span], list[Error]]]
ValidateCallable: TypeAlias = Callable[[Sequence[str]], bool]
Reader: TypeAlias = "IobesReader[Span, Error]"
Report: TypeAlias = Callable[[list[Error]], None]
#: Format string of a warning, and its arguments.
Line: TypeAlias = tuple[object, ...]

_BIO = {
    "Illegal Start": "starting a span with `I`",
    "Illegal Transition": "I doesn't match previous token",
}


def _report_nothing(errors: list[Error]) -> None:
    """Log nothing."""


def _report(line: Callable[[Error], Line]) -> Report:
    """Return a function that logs the errors in a sentence; log records are attributed to its caller."""

    def report(errors: list[Error]) -> None:
        if LOGGER.isEnabledFor(logging.WARNING):
            for text, *values in map(line, sorted(errors, key=_found_at)):
                LOGGER.warning(text, *values, stacklevel=2)

    return report


def _found_at(error: Error) -> tuple[int, int]:
    """Return the index at which iobes detects an error; an illegal end is detected one token later."""
    if error.type == "Illegal End":
        return error.location + 1, 0
    return error.location, 2 if error.type == "Illegal Final" else 1


def _iob_line(error: Error) -> Line:
    if error.type == "Illegal Start":
        return "Invalid label: `B` starting an entity at %d", error.location
    before = extract_type(error.previous or "")
    return "Invalid label: `B` starting and entity after a %s at %d", before, error.location


_report_iob = _report(_iob_line)
_report_bio = _report(lambda error: (f"Illegal Label: {_BIO[error.type]} at %d", error.location))


def _report_with_end(span_format: type[SpanFormat]) -> Report:
    """Return a function that logs the errors in a sentence for formats that mark last tokens."""

    def line(error: Error) -> Line:
        function = extract_function(error.current)
        if error.type == "Illegal End":
            return "Illegal Label: `%s` ends span at %d", function, error.location
        # If a custom format has two equal prefixes, the prefix of inner tokens is used.
        letter = "I" if function == span_format.INSIDE else "E"
        texts = {
            "Illegal Single": "Single `B` token span at %d",
            "Illegal Final": "`B` as final token %d"
            if function == span_format.BEGIN
            else "`I` as final token at %d",
            "Illegal Start": f"starting a span with `{letter}` at %d",
        }
        text = texts.get(error.type, f"`{letter}` doesn't match previous token at %d")
        return f"Illegal Label: {text}", error.location

    return _report(line)


def _reader(scheme: str, report: Report) -> Reader:
    return IobesReader(scheme, Span, Error, report)


READERS = {
    "token": _reader("TOKEN", _report_nothing),
    "iob": _reader("IOB", _report_iob),
    "bio": _reader("BIO", _report_bio),
    "iobes": _reader("IOBES", _report_with_end(IOBES)),
    "bilou": _reader("BILOU", _report_with_end(BILOU)),
    "bmeow": _reader("BMEWO", _report_with_end(BMEOW)),
}
READERS["bmewo"] = READERS["bmeow"]
# Encodings are found by identity, as in iobes: hashing a `SpanEncoding` is slow, and other objects may be unhashable.
_READERS = {id(encoding): READERS[name.lower()] for name, encoding in SpanEncoding.__members__.items()}
_WITH_END = {id(IOBES): READERS["iobes"], id(BILOU): READERS["bilou"], id(BMEOW): READERS["bmeow"]}
# Reader for custom formats, whose tags are replaced by IOBES tags.
_ANY = _reader("IOBES", _report_nothing)


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
    """Read tags of any format that has prefixes for last tokens and for single tokens."""
    return parse_spans_with_end_with_errors(seq, span_format)[0]


def parse_spans_with_end_with_errors(
    seq: Sequence[str], span_format: type[SpanFormat]
) -> tuple[list[Span], list[Error]]:
    """Read tags like :func:`parse_spans_with_end`, into spans and errors."""
    reader = _WITH_END.get(id(span_format))
    if reader is not None:
        return reader.spans_and_errors(seq)
    return _any_format(list(seq), span_format)


def _any_format(tags: list[str], span_format: type[SpanFormat]) -> tuple[list[Span], list[Error]]:
    """Read tags of a custom format by reading the equivalent IOBES tags."""
    letters: dict[str | None, str] = {}
    # If two prefixes are equal, iobes uses the first prefix in this order.
    for letter, name in (("B", "BEGIN"), ("S", "SINGLE"), ("I", "INSIDE"), ("E", "END")):
        letters.setdefault(getattr(span_format, name), letter)
    letters.setdefault(TokenFunction.OUTSIDE, TokenFunction.OUTSIDE)
    functions = [extract_function(tag) for tag in tags]
    plain = [f"{letters.get(f, '?')}-{extract_type(tag)}" for f, tag in zip(functions, tags, strict=True)]
    spans, plain_errors = _ANY.spans_and_errors(plain)
    closing = (span_format.END, span_format.SINGLE)
    errors = [
        Error(at, kind, tags[at], safe_get(tags, at - 1), safe_get(tags, at + 1))
        for at, kind, *_ in plain_errors
        # A prefix that can end a span does not indicate an unclosed span, even if it can also begin or continue spans.
        if kind != "Illegal End" or functions[at] not in closing
    ]
    if errors:
        _report_with_end(span_format)(errors)
    return spans, errors


def validate_tags(tags: Sequence[str], span_type: SpanEncoding) -> bool:
    """Return whether tags are well-formed; TOKEN tags are always well-formed."""
    if span_type is SpanEncoding.TOKEN:
        return validate_tags_token(tags)
    return not _find_reader(span_type, "Scheme").spans_and_errors(tags)[1]


def validate_tags_token(tags: Sequence[str]) -> bool:  # noqa: ARG001
    """Return True: TOKEN tags are always well-formed."""
    return True


def _functions(name: str) -> tuple[ParseCallable, ParseWithErrorsCallable, ValidateCallable]:
    """Create the three functions that read an encoding."""
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
#: Encoding -> the function that reads its tags into spans and errors.
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
