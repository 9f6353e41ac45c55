"""Logging of errors: one warning each, in the order in which a walk over the tags finds them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeAlias

from spanrs.compat.iobes.formats import SpanFormat
from spanrs.compat.iobes.spans import LOGGER, Error
from spanrs.compat.iobes.utils import extract_function, extract_type

Report: TypeAlias = Callable[[list[Error]], None]
#: Text of a warning and its values.
Line: TypeAlias = tuple[object, ...]

_BIO = {
    "Illegal Start": "starting a span with `I`",
    "Illegal Transition": "I doesn't match previous token",
}


def report_nothing(errors: list[Error]) -> None:
    """Log nothing."""


def _report(line: Callable[[Error], Line]) -> Report:
    """Make the function that logs the errors of a sentence, in the name of the function that calls it."""

    def report(errors: list[Error]) -> None:
        if LOGGER.isEnabledFor(logging.WARNING):
            for text, *values in map(line, sorted(errors, key=_found_at)):
                LOGGER.warning(text, *values, stacklevel=2)

    return report


def _found_at(error: Error) -> tuple[int, int]:
    """Return where a walk finds an error; a bad end it finds one token later."""
    if error.type == "Illegal End":
        return error.location + 1, 0
    return error.location, 2 if error.type == "Illegal Final" else 1


def _iob_line(error: Error) -> Line:
    if error.type == "Illegal Start":
        return "Invalid label: `B` starting an entity at %d", error.location
    before = extract_type(error.previous or "")
    return "Invalid label: `B` starting and entity after a %s at %d", before, error.location


report_iob = _report(_iob_line)
report_bio = _report(lambda error: (f"Illegal Label: {_BIO[error.type]} at %d", error.location))


def report_with_end(span_format: type[SpanFormat]) -> Report:
    """Make the function that logs the errors of a sentence whose format marks last tokens."""

    def line(error: Error) -> Line:
        function = extract_function(error.current)
        if error.type == "Illegal End":
            return "Illegal Label: `%s` ends span at %d", function, error.location
        # Of two equal prefixes of a custom format the inner one counts.
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
