"""Splitting tags, and sorting spans and errors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import TypeVar

from spanrs.compat._naming import export
from spanrs.compat.iobes.spans import Error, Span

_T = TypeVar("_T")


def extract_type(tag: str, sep: str = "-") -> str:
    """Return the type of a tag: the text after the first separator, or the whole tag.

    Examples
    --------
    >>> extract_type("B-creative-work"), extract_type("O")
    ('creative-work', 'O')
    """
    return tag.split(sep, 1)[1] if sep in tag else tag


def extract_function(tag: str, sep: str = "-") -> str:
    """Return the prefix of a tag: the text before the first separator, or the whole tag."""
    return tag.split(sep, 1)[0] if sep in tag else tag


def safe_get(xs: Sequence[_T], idx: int) -> _T | None:
    """Return an item, or None outside the sequence; negative indices are outside."""
    return xs[idx] if 0 <= idx < len(xs) else None


def sort_spans(spans: Iterable[Span]) -> list[Span]:
    """Sort spans by start, then end."""
    return sorted(sorted(spans, key=attrgetter("end")), key=attrgetter("start"))


def sort_errors(errors: Iterable[Error]) -> list[Error]:
    """Sort errors by location, then type."""
    return sorted(sorted(errors, key=attrgetter("type")), key=attrgetter("location"))


export(globals())
