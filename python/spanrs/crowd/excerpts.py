"""Excerpts of texts: the parts around disputes are shown, the others can be unfolded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

#: Maximum number of characters of a text that is shown completely.
SHORT = 600
#: Maximum number of characters that are shown before and after a dispute.
CONTEXT = 200
#: Maximum number of hidden characters between two shown parts that are shown instead.
GAP = 80


class Segment(NamedTuple):
    """A part of a text."""

    start: int
    end: int
    is_shown: bool


def segments(length: int, windows: Sequence[tuple[int, int]]) -> list[Segment]:
    """Return the shown and the hidden parts of a text; together they are the text.

    Parameters
    ----------
    length : int
        Number of characters of the text.
    windows : sequence of (int, int)
        The ranges to show, as of :func:`windows_around`.

    Examples
    --------
    >>> from spanrs.crowd.excerpts import segments
    >>> [tuple(part) for part in segments(1000, [(300, 400)])]
    [(0, 300, False), (300, 400, True), (400, 1000, False)]
    """
    if length <= SHORT:
        return [Segment(0, length, True)] if length else []
    found: list[Segment] = []
    at = 0
    for start, end in windows:
        first = start
        if start - at <= GAP:
            first = found.pop().start if found else 0
        else:
            found.append(Segment(at, start, False))
        found.append(Segment(first, end, True))
        at = end
    if found and length - at <= GAP:
        found.append(Segment(found.pop().start, length, True))
    elif at < length:
        found.append(Segment(at, length, False))
    return found


def windows_around(text: str, ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the lines of ranges with one line of context, at most :data:`CONTEXT` characters on each side.

    Parameters
    ----------
    text : str
        The text.
    ranges : iterable of (int, int)
        Disjoint ranges of characters, in order.

    Returns
    -------
    list of (int, int)
        Disjoint ranges, in order.

    Examples
    --------
    >>> from spanrs.crowd.excerpts import windows_around
    >>> text = "one" + chr(10) + "two" + chr(10) + "three" + chr(10) + "four"
    >>> windows_around(text, [(1, 2)])
    [(0, 8)]
    """
    found: list[tuple[int, int]] = []
    for range_start, range_end in ranges:
        start, end = _context_start(text, range_start), _context_end(text, range_end)
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _context_start(text: str, start: int) -> int:
    """Return the start of the previous line, or of the first whole word in the context."""
    lowest = max(start - CONTEXT, 0)
    line = text.rfind("\n", lowest, start)
    before = text.rfind("\n", lowest, line) if line >= 0 else -1
    if before >= 0:
        return before + 1
    if lowest == 0:
        return 0
    space = re.search(r"\s", text[lowest:start])
    return lowest + space.end() if space else lowest


def _context_end(text: str, end: int) -> int:
    """Return the end of the next line, or of the last whole word in the context."""
    highest = min(end + CONTEXT, len(text))
    line = text.find("\n", end, highest)
    after = text.find("\n", line + 1, highest) if line >= 0 else -1
    if after >= 0:
        return after + 1
    if highest == len(text):
        return highest
    space = max(text.rfind(" ", end, highest), text.rfind("\n", end, highest))
    return space + 1 if space >= 0 else highest
