"""Splitting tags, and sorting what was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TypeVar

from spanrs.compat.iobes.words import Error, Span

__all__ = [
    "Error",
    "Span",
    "extract_function",
    "extract_type",
    "safe_get",
    "sort_errors",
    "sort_spans",
]

T = TypeVar("T")


def extract_type(tag: str, sep: str = "-") -> str:
    """Give the type of a tag.

    Parameters
    ----------
    tag : str
        The tag.
    sep : str
        Between prefix and type; the first one counts.

    Returns
    -------
    str
        What stands behind the separator; the whole tag where there is none.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.extract_type("B-creative-work"), iobes.extract_type("O")
    ('creative-work', 'O')
    """
    return tag.split(sep, 1)[1] if sep in tag else tag


def extract_function(tag: str, sep: str = "-") -> str:
    """Give the prefix of a tag.

    Parameters
    ----------
    tag, sep : str
        As for :func:`extract_type`.

    Returns
    -------
    str
        What stands before the separator; the whole tag where there is none.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.extract_function("B-creative-work"), iobes.extract_function("O")
    ('B', 'O')
    """
    return tag.split(sep, 1)[0] if sep in tag else tag


def safe_get(xs: Sequence[T], idx: int) -> T | None:
    """Give an item, or None outside the sequence; negative places are outside.

    Parameters
    ----------
    xs : sequence
        The items.
    idx : int
        The place, from 0.

    Returns
    -------
    object or None
        The item.

    Examples
    --------
    >>> from spanrs.compat.iobes.utils import safe_get
    >>> safe_get("ab", 1), safe_get("ab", -1)
    ('b', None)
    """
    return xs[idx] if 0 <= idx < len(xs) else None


def sort_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans by start, then end.

    Parameters
    ----------
    spans : iterable of Span
        In any order, which decides between spans with the same start and end.

    Returns
    -------
    list of Span
        A new list.

    Examples
    --------
    >>> from spanrs.compat.iobes import Span
    >>> from spanrs.compat.iobes.utils import sort_spans
    >>> [span.end for span in sort_spans([Span("A", 0, 2, (0, 1)), Span("A", 0, 1, (0,))])]
    [1, 2]
    """
    return sorted(sorted(spans, key=attrgetter("end")), key=attrgetter("start"))


def sort_errors(errors: Iterable[Error]) -> list[Error]:
    """Sort errors by location, then type.

    Parameters
    ----------
    errors : iterable of Error
        In any order.

    Returns
    -------
    list of Error
        A new list.

    Examples
    --------
    >>> from spanrs.compat.iobes import Error
    >>> from spanrs.compat.iobes.utils import sort_errors
    >>> errors = [Error(at, "Illegal End", "I-A", None, None) for at in (1, 0)]
    >>> [error.location for error in sort_errors(errors)]
    [0, 1]
    """
    return sorted(sorted(errors, key=attrgetter("type")), key=attrgetter("location"))
