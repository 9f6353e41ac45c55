"""What is logged about errors: one warning each, in the order in which a walk comes upon them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import TypeAlias

from spanrs.compat.iobes.formats import SpanFormat
from spanrs.compat.iobes.utils import extract_function, extract_type
from spanrs.compat.iobes.words import LOGGER, Error

Report: TypeAlias = Callable[[list[Error]], None]

#: Frames between a logged line and the function of ``parse`` it is about.
_FRAMES = 3


def report_iob(errors: list[Error]) -> None:
    """Log the errors of an IOB sentence."""
    lines: list[tuple[object, ...]] = []
    for error in errors:
        if error.type == "Illegal Start":
            lines.append(("Invalid label: `B` starting an entity at %d", error.location))
        else:
            before = extract_type(error.previous or "")
            lines.append(
                ("Invalid label: `B` starting and entity after a %s at %d", before, error.location)
            )
    _log(lines)


def report_bio(errors: list[Error]) -> None:
    """Log the errors of a BIO sentence."""
    texts = {
        "Illegal Start": "Illegal Label: starting a span with `I` at %d",
        "Illegal Transition": "Illegal Label: I doesn't match previous token at %d",
    }
    _log((texts[error.type], error.location) for error in errors)


def report_with_end(span_format: type[SpanFormat]) -> Report:
    """Make the function that logs the errors of a sentence whose format marks last tokens."""

    def line(error: Error) -> tuple[object, ...]:
        function = extract_function(error.current)
        if error.type == "Illegal End":
            return "Illegal Label: `%s` ends span at %d", function, error.location
        if error.type == "Illegal Single":
            return "Illegal Label: Single `B` token span at %d", error.location
        if error.type == "Illegal Final":
            text = "`B` as final token %d" if function == span_format.BEGIN else "`I` as final token at %d"
            return f"Illegal Label: {text}", error.location
        # Of two equal prefixes in a format of one's own the inner one is looked for first.
        letter = "I" if function == span_format.INSIDE else "E"
        if error.type == "Illegal Start":
            return f"Illegal Label: starting a span with `{letter}` at %d", error.location
        return f"Illegal Label: `{letter}` doesn't match previous token at %d", error.location

    def report(errors: list[Error]) -> None:
        _log(map(line, sorted(errors, key=_turn)))

    return report


def report_nothing(errors: list[Error]) -> None:
    """Log nothing."""


def _turn(error: Error) -> tuple[int, int]:
    """Say when a walk comes upon an error: that a span ends badly it knows one token later."""
    if error.type == "Illegal End":
        return error.location + 1, 0
    return error.location, 2 if error.type == "Illegal Final" else 1


def _log(lines: Iterable[tuple[object, ...]]) -> None:
    if LOGGER.isEnabledFor(logging.WARNING):
        for text, *values in lines:
            LOGGER.warning(text, *values, stacklevel=_FRAMES)
