"""A labelled span of characters, as an annotator marked it."""

from __future__ import annotations

from typing import NamedTuple


class MarkedSpan(NamedTuple):
    """A labelled span of characters, as an annotator marked it.

    Attributes
    ----------
    type : str
        The label.
    start, end : int
        First character and one past the last, from 0.
    pieces : tuple of (int, int)
        Start and end of each fragment of a discontinuous span; empty for a contiguous span.

    Examples
    --------
    >>> from spanrs.crowd import MarkedSpan
    >>> MarkedSpan("LOC", 0, 4).end
    4
    """

    type: str
    start: int
    end: int
    pieces: tuple[tuple[int, int], ...] = ()

    @property
    def stop(self) -> int:
        """The end of the span for comparisons: empty spans have length 1."""
        return max(self.end, self.start + 1)
