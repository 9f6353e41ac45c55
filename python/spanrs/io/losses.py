"""Counts of items that a format cannot represent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias, TypeVar

from spanrs.io.document import Annotation
from spanrs.tags.types import Span

#: Return type of writers: the number of sentences or documents, and the options for reading the file.
Counted: TypeAlias = tuple[int, dict[str, Any]]
SpanT = TypeVar("SpanT", Span, Annotation)


class Losses:
    """Counts items that a format cannot represent, by kind, with the location of the first item of each kind.

    Examples
    --------
    >>> from spanrs.io.losses import Losses
    >>> losses = Losses()
    >>> for place in ("sentence 0", "sentence 4"):
    ...     losses.add("spans that cross others", place)
    >>> losses.messages()
    ['spans that cross others: 2, first in sentence 0']
    """

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[int, str]] = {}

    def add(self, kind: str, place: str) -> None:
        """Count one item; ``kind`` is a plural noun, ``place`` the location of the item."""
        number, first = self._kinds.get(kind, (0, place))
        self._kinds[kind] = number + 1, first

    def extend(self, losses: Iterable[Mapping[str, Any]]) -> None:
        """Add the losses of a compiled writer: mappings with ``kind``, ``number`` and ``first``."""
        for loss in losses:
            number, first = self._kinds.get(loss["kind"], (0, loss["first"]))
            self._kinds[loss["kind"]] = number + loss["number"], first

    def __bool__(self) -> bool:
        return bool(self._kinds)

    def messages(self) -> list[str]:
        """Return a message for each kind."""
        return [f"{kind}: {number}, first in {first}" for kind, (number, first) in self._kinds.items()]


def without_crossing(spans: Iterable[SpanT], losses: Losses, kind: str, place: str) -> list[SpanT]:
    """Return spans that are nested or disjoint, outer spans before inner ones; count other spans as ``kind``."""
    kept: list[SpanT] = []
    open_ends: list[int] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        # An empty span at the end of another span is nested in that span.
        while open_ends and open_ends[-1] <= span.start and not (span.start == span.end == open_ends[-1]):
            open_ends.pop()
        if open_ends and span.end > open_ends[-1]:
            losses.add(kind, place)
            continue
        kept.append(span)
        open_ends.append(span.end)
    return kept
