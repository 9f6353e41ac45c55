"""What spanrs raises.

Every exception is a :class:`SpanrsError` and a :class:`ValueError`, so that code written for the
evaluators spanrs replaces goes on catching what it caught. Trouble with the operating system (a missing
file, a directory, no permission) is an ordinary :class:`OSError`.
"""

from __future__ import annotations

import operator
import os
import re
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

__all__ = [
    "AlignmentError",
    "FormatError",
    "LimitError",
    "ModelError",
    "SchemeError",
    "SpanrsError",
    "SpanrsWarning",
    "Violation",
]

#: The folder of this package, whose functions are not those that warnings are meant for.
PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
#: Controls, marks of direction, line separators, invisible blanks and lone surrogates. Joiners are not among them:
#: emoji and several scripts need them.
INVISIBLE = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def escaped(text: str) -> str:
    r"""Give text with escapes for characters that are invisible or change the direction of what follows.

    Terminals obey control characters: text from input is escaped before it is printed.

    Examples
    --------
    >>> from spanrs.errors import escaped
    >>> print(escaped("a\u202eb\n"))
    a\u202eb\u000a
    """
    return INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def escaped_lines(text: str) -> str:
    """Give text of several lines, each as :func:`escaped` gives it."""
    return "\n".join(map(escaped, text.split("\n")))


@dataclass(frozen=True, slots=True)
class Violation:
    """A tag that does not conform to its scheme."""

    index: int
    """The token, from 0 in its sentence."""
    kind: str
    """Illegal Start, Transition, End, Single, Final (the names of iobes), or Unknown Tag."""
    previous: str | None
    """The tag before; None at the start of the sentence."""
    current: str
    """The tag itself."""
    next: str | None
    """The tag behind; None at the end of the sentence."""
    action: str
    """What the reading did about it."""

    def __str__(self) -> str:
        """Say what is wrong, beside which neighbour."""
        current = escaped(self.current) or "''"
        before, behind = (tag if tag is None else escaped(tag) for tag in (self.previous, self.next))
        if self.kind == "Unknown Tag":
            where = "is no tag of the scheme"
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
    """Anything spanrs can say went wrong.

    Attributes
    ----------
    code : str
        What is wrong, for programs; it stays the same when the message is reworded.
    path : str or None
        The file, as it was named.
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
        """Give the message, whatever it quotes of the input, without characters that a terminal obeys."""
        return escaped_lines(super().__str__())


class FormatError(SpanrsError, ValueError):
    """A file is not what it should be: encoding, columns, compression, nothing in it."""


class SchemeError(SpanrsError, ValueError):
    """Tags, spans or names of schemes that cannot be used.

    Attributes
    ----------
    count : int
        How many violations there are, where tags are malformed.
    violations : list of Violation
        All of them for data in memory, the first thousand for a file.
    sentence : int or None
        Sentence, from 0, for one of several in memory.
    located : list of LocatedViolation
        For a file: each violation with its line.

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
    """Gold and pred do not hold the same sentences or tokens.

    Attributes
    ----------
    sentence : int or None
        Sentence, from 0, for data in memory.
    other_path, other_line : str or None, int or None
        The place in pred; ``path`` and ``line`` are the place in gold.
    """

    sentence: int | None = None
    other_path: str | None = None
    other_line: int | None = None


class LimitError(SpanrsError, ValueError):
    """The input is beyond a limit that keeps mistakes and hostile files from filling the memory.

    Attributes
    ----------
    sentence : int or None
        Sentence, from 0, for one of several in memory.
    """

    sentence: int | None = None


ErrorT = TypeVar("ErrorT", bound=SpanrsError)


def with_code(error: ErrorT, code: str, path: str | None = None, line: int | None = None) -> ErrorT:
    """Set the code of an error and, if known, its position in a file."""
    error.code, error.path, error.line = code, path, line
    return error


def check_text(text: str, where: str) -> None:
    """Refuse a str that is not text.

    Raises
    ------
    UnicodeEncodeError
        For lone surrogates; the message says ``where``.
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
        For what is not a str.
    UnicodeEncodeError
        For text with lone surrogates.
    """
    if not isinstance(name, str):
        raise TypeError(f"{argument} is a str such as {example}, not {type(name).__name__}")
    check_text(name, argument)


def as_integer(number: object, argument: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """Return an argument as an int.

    Raises
    ------
    TypeError
        For what is not an integer of Python or numpy.
    ValueError
        For integers out of range.
    """
    try:
        found = operator.index(number)  # type: ignore[arg-type]  # refused if it is none
    except TypeError:
        raise TypeError(f"{argument} is an integer, not {type(number).__name__}") from None
    if found < least:
        raise ValueError(f"{argument} is an integer of at least {least}, not {found}")
    if found > most:
        raise ValueError(f"{argument} is an integer of at most {most}, not {found}")
    return found


class SpanrsWarning(UserWarning):
    """Data that can be scored, but is probably not what its user thinks it is."""


def warn(messages: Iterable[str]) -> None:
    """Raise a :class:`SpanrsWarning` for each message, on behalf of who called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    for message in messages:
        warnings.warn(escaped_lines(message), SpanrsWarning, stacklevel=level)


class ModelError(SpanrsError, ValueError):
    """A model file is damaged, hostile, or of another version."""
