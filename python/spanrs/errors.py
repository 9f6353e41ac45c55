"""Exceptions and warnings.

Every exception is both a :class:`SpanrsError` and a :class:`ValueError`, so that ``except`` clauses written for the
evaluators that spanrs replaces keep working. Errors of the operating system (a missing file, a directory, no
permission) are ordinary instances of :class:`OSError`.
"""

from __future__ import annotations

import math
import numbers
import operator
import os
import re
import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

__all__ = [
    "AlignmentError",
    "FormatError",
    "LimitError",
    "ModelError",
    "ModelNotFoundError",
    "NotFittedError",
    "SchemeError",
    "SpanrsError",
    "SpanrsWarning",
    "Violation",
]

#: Directory of this package; warnings are attributed to the first caller outside this directory.
PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: Control characters, direction marks, line separators, invisible spaces and lone surrogates. Joiners are not included
#: because emoji and several scripts need them.
INVISIBLE = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def escaped(text: str) -> str:
    r"""Return text with escapes for characters that are invisible or change the direction of text.

    Terminals interpret control characters, so text from input is escaped before it is printed.

    Examples
    --------
    >>> from spanrs.errors import escaped
    >>> print(escaped("a\u202eb\n"))
    a\u202eb\u000a
    """
    return INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escaped_lines(text: str) -> str:
    """Apply :func:`escaped` to each line of a text."""
    return "\n".join(map(escaped, text.split("\n")))


@dataclass(frozen=True, slots=True)
class Violation:
    """A tag that does not conform to its scheme."""

    index: int
    """Index of the token in its sentence, from 0."""
    kind: str
    """Illegal Start, Transition, End, Single, Final (the names of iobes), or Unknown Tag."""
    previous: str | None
    """The previous tag; None at the start of the sentence."""
    current: str
    """The offending tag."""
    next: str | None
    """The next tag; None at the end of the sentence."""
    action: str
    """How the reading treated the tag."""

    def __str__(self) -> str:
        """Describe the violation, with the neighbouring tag."""
        current = escaped(self.current) or "''"
        before, behind = (tag if tag is None else escaped(tag) for tag in (self.previous, self.next))
        if self.kind == "Unknown Tag":
            where = "is not a tag of the scheme"
        elif self.kind in ("Illegal Start", "Illegal Transition"):
            where = "at the start of the sentence" if before is None else f"after {before}"
        else:
            where = "at the end of the sentence" if behind is None else f"before {behind}"
        return f"{self.kind}: {current} {where}"


@dataclass(frozen=True, slots=True)
class LocatedViolation:
    """A violation and its location."""

    sentence: int
    """Index of the sentence, from 0."""
    line: int | None
    """Line of the file, from 1; None for data in memory."""
    violation: Violation
    """The violation."""
    path: str | None = None
    """The file, if several were scored."""


class SpanrsError(Exception):
    """Base class of all spanrs errors.

    Attributes
    ----------
    code : str
        Stable identifier of the error, for programs; messages may be reworded.
    path : str or None
        The file, as named by the caller.
    line : int or None
        Line of the file, from 1.
    column : int or None
        Byte column in the line, from 1.

    Examples
    --------
    >>> import spanrs
    >>> try:
    ...     spanrs.tags.tags_to_spans(["B-PER"], scheme="BIOX")
    ... except spanrs.SpanrsError as error:
    ...     print(error.code)
    unknown_scheme
    """

    code: str = "error"
    path: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        """Return the message with control characters of quoted input escaped."""
        return escaped_lines(super().__str__())


class FormatError(SpanrsError, ValueError):
    """A file is malformed: wrong encoding, missing columns, damaged compression, no content.

    Attributes
    ----------
    left_out : sequence of str
        If the code is ``lossy``: the items that the format to write cannot represent, one message for each kind.
    """

    left_out: Sequence[str] = ()


class SchemeError(SpanrsError, ValueError):
    """Invalid tags, spans or scheme names.

    Attributes
    ----------
    count : int
        Number of violations, if the error is about malformed tags.
    violations : list of Violation
        All violations for data in memory, the first thousand for a file.
    sentence : int or None
        Index of the sentence, from 0, for sentences in memory.
    located : list of LocatedViolation
        For a file: the violations with their lines.

    Examples
    --------
    >>> import spanrs
    >>> try:
    ...     spanrs.tags.convert(["O", "I-PER"], "BIO", "IOBES")
    ... except spanrs.errors.SchemeError as error:
    ...     print(error.count, error.violations[0].kind)
    1 Illegal Start
    """

    count: int = 0
    sentence: int | None = None

    def __init__(self, *args: object) -> None:
        super().__init__(*args)
        self.violations: list[Violation] = []
        self.located: list[LocatedViolation] = []


class AlignmentError(SpanrsError, ValueError):
    """Gold and pred do not have the same sentences or tokens.

    Attributes
    ----------
    sentence : int or None
        Index of the sentence, from 0, for data in memory.
    other_path, other_line : str or None, int or None
        The location in pred; ``path`` and ``line`` are the location in gold.
    """

    sentence: int | None = None
    other_path: str | None = None
    other_line: int | None = None


class LimitError(SpanrsError, ValueError):
    """The input exceeds a limit that protects memory from mistakes and hostile files.

    Attributes
    ----------
    sentence : int or None
        Index of the sentence, from 0, for sentences in memory.
    """

    sentence: int | None = None


ErrorT = TypeVar("ErrorT", bound=SpanrsError)


def with_code(error: ErrorT, code: str, path: str | None = None, line: int | None = None) -> ErrorT:
    """Set the code of an error and, if known, its position in a file."""
    error.code, error.path, error.line = code, path, line
    return error


def check_text(text: str, where: str) -> None:
    """Refuse a str with lone surrogates.

    Raises
    ------
    UnicodeEncodeError
        If the text contains lone surrogates; the message contains ``where``.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        error.reason = f"{error.reason} ({where})"
        raise


def check_name(name: object, argument: str, example: str) -> None:
    """Refuse an argument that is not a str.

    Raises
    ------
    TypeError
        If the argument is not a str.
    UnicodeEncodeError
        If the argument contains lone surrogates.
    """
    if not isinstance(name, str):
        raise TypeError(f"{argument} must be a str such as {example}, not {type(name).__name__}")
    check_text(name, argument)


def is_bool(value: object) -> bool:
    """Return whether a value is a bool of Python or NumPy."""
    return isinstance(value, bool) or (
        getattr(getattr(value, "dtype", None), "kind", None) == "b" and getattr(value, "shape", None) == ()
    )


def as_integer(number: object, argument: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """Return an argument as an int.

    Raises
    ------
    TypeError
        If the argument is not an integer of Python or NumPy, or is a bool.
    ValueError
        If the integer is out of range.
    """
    try:
        # In Python, bool is a subclass of int.
        integer = operator.index(None if isinstance(number, bool) else number)  # type: ignore[arg-type]  # handled
    except TypeError:
        raise TypeError(f"{argument} must be an integer, not {type(number).__name__}") from None
    if integer < least:
        raise ValueError(f"{argument} must be an integer of at least {least}, not {integer}")
    if integer > most:
        raise ValueError(f"{argument} must be an integer of at most {most}, not {integer}")
    return integer


def as_number(number: object, argument: str, least: float = 0.0, *, above: bool = False) -> float:
    """Return an argument as a finite float of at least ``least``, or greater than ``least`` if ``above`` is true.

    Raises
    ------
    TypeError
        If the argument is not a real number, or is a bool.
    ValueError
        If the number is out of range.
    """
    if is_bool(number) or not isinstance(number, numbers.Real):
        raise TypeError(f"{argument} must be a number, not {type(number).__name__}")
    value = float(number)
    if not (math.isfinite(value) and (value > least if above else value >= least)):
        raise ValueError(
            f"{argument} must be a number {'above' if above else 'of at least'} {least:g}, not {value:g}"
        )
    return value


class SpanrsWarning(UserWarning):
    """Warning about data that can be scored but is probably not what the user intended."""


def warn(messages: Iterable[str]) -> None:
    """Issue a :class:`SpanrsWarning` for each message, attributed to the first caller outside this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(escaped_lines(message), SpanrsWarning, stacklevel=level)


class ModelError(SpanrsError, ValueError):
    """A model file is damaged, hostile, or of another version."""


class ModelNotFoundError(ModelError, LookupError):
    """No model of a name or language is installed.

    Also a :class:`LookupError`, which NLTK raises if the data of its tagger are missing.
    """


class NotFittedError(ModelError, AttributeError):
    """Raised when an estimator is used before ``fit`` or ``load``.

    Also an :class:`AttributeError`, so that ``hasattr(estimator, "classes_")`` is False.
    """
