"""Splits the text of a document at annotation boundaries, for HTML."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanrs.mat.details import AnnotationPair

#: Maximum nesting depth of marks. Browsers limit the nesting of elements, and crossing annotations are split so often
#: that the size of a page would grow quadratically.
DEEPEST = 40
#: Minimum number of consecutive characters without annotations that are folded, and number of characters of context
#: kept on either side (at most twice as many, to avoid splitting words).
FOLDED = 600
CONTEXT = 160
#: A line with its line end.
LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Mark(NamedTuple):
    """An annotation of one side.

    Attributes
    ----------
    kind : str
        Outcome of the annotation.
    numbers : tuple of int
        Numbers of the annotation's discrepancies in the list of the document; the first number belongs to ``kind``,
        unless ``kind`` is a match.
    says : str
        Description of the annotation's pairs.
    lane : int
        Vertical position of the underline, chosen so that underlines do not overlap.
    """

    label: str
    start: int
    end: int
    kind: str
    numbers: tuple[int, ...]
    says: str
    lane: int


class Step(NamedTuple):
    """A piece of a cell: text, or the start or end of an element."""

    text: str | None = None
    mark: Mark | None = None
    """The annotation of the element; None at the end of an element."""
    begins: bool = False
    """Whether the annotation begins with this element."""
    ends: bool = False
    """Whether the annotation ends with this element."""


class Row(NamedTuple):
    """A section of the text: a line or a folded section."""

    start: int
    end: int
    folded: bool


def says(detail: AnnotationPair) -> str:
    """Describe a pair: outcome, labels and boundaries."""
    sides = []
    if detail.reflabel is not None:
        sides.append(f"gold {detail.reflabel} {detail.refstart}–{detail.refend}")
    if detail.hyplabel is not None:
        sides.append(f"pred {detail.hyplabel} {detail.hypstart}–{detail.hypend}")
    return f"{detail.type}: {', '.join(sides)}"


def marks(details: Sequence[AnnotationPair], side: str, annotations: int) -> tuple[list[Mark], int]:
    """Return the annotations of a side, outer before inner, and the number of annotations nested too deeply to show.

    Parameters
    ----------
    side : str
        ``ref`` or ``hyp``.
    annotations : int
        Number of annotations of the side. If there are more pairs than annotations (``unpaired_overlap="clash"``),
        pairs of one annotation cannot be distinguished from pairs of identical annotations, so identical annotations
        are shown as one.
    """
    shared = sum(getattr(detail, f"{side}label") is not None for detail in details) > annotations
    pairs: dict[tuple[str, int, int, int], list[tuple[AnnotationPair, int]]] = {}
    number = 0
    for detail in details:
        number += detail.type != "match"
        label, start, end = (getattr(detail, side + part) for part in ("label", "start", "end"))
        if label is not None:
            annotation = (label, start, end, 0 if shared else len(pairs))
            pairs.setdefault(annotation, []).append((detail, number))
    shown: list[Mark] = []
    ends: list[int] = []
    # Sorting is stable: ties keep the order of the details.
    for (label, start, end, _), of in sorted(pairs.items(), key=lambda item: (item[0][1], -item[0][2])):
        # Use the first free lane.
        lane = next((lane for lane, last in enumerate(ends) if last <= start), len(ends))
        if start == end:
            lane = 0
        elif lane < DEEPEST:
            ends[lane : lane + 1] = [end]
        else:
            continue
        kinds = [detail.type for detail, _ in of]
        # A match is more informative than further clashes.
        kind = "match" if "match" in kinds else kinds[0]
        numbers = tuple(number for detail, number in of if detail.type != "match")
        shown.append(Mark(label, start, end, kind, numbers, "; ".join(says(d) for d, _ in of), lane))
    return shown, len(pairs) - len(shown)


def rows(text: str, spans: Iterable[tuple[int, int]]) -> list[Row]:
    """Split a text into lines, and fold sections far from all annotations of both sides.

    Each line is one row in both columns, so that the sides stay aligned regardless of the number of labels.
    """
    sections: list[Row] = []
    at = 0
    for start, end in [*_folds(text, spans), (len(text), len(text))]:
        sections += [Row(*line.span(), False) for line in LINE.finditer(text, at, start)]
        if end > start:
            sections.append(Row(start, end, True))
        at = end
    # Annotations at the very end need a row.
    if not sections or sections[-1].folded:
        sections.append(Row(at, at, False))
    return sections


def _folds(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    covered = -1
    for start, end in [*sorted(spans), (len(text) + 1, 0)]:
        last = start > len(text)
        # The beginning and the end of the text need no context.
        after, before = covered + CONTEXT, start - CONTEXT
        left = 0 if covered < 0 else _cut(text.find, after, after + CONTEXT, after)
        right = len(text) if last else _cut(text.rfind, before - CONTEXT, before, before)
        if right - left >= FOLDED:
            yield left, right
        covered = max(covered, end)


def _cut(find: Callable[[str, int, int], int], start: int, end: int, otherwise: int) -> int:
    """Return a position for a split: after a line feed, otherwise after a space."""
    for blank in "\n ":
        position = find(blank, max(start, 0), max(end, 0))
        if position >= 0:
            return position + 1
    return otherwise


def cells(text: str, shown: Sequence[Mark], bounds: Iterable[Row]) -> Iterator[list[Step]]:
    """Yield the content of each row of a side.

    Parameters
    ----------
    shown : sequence of Mark
        The annotations of the side, from :func:`marks`.
    """
    long = deque(mark for mark in shown if mark.start < mark.end)
    carets = deque(mark for mark in shown if mark.start == mark.end)
    for row in bounds:
        steps = list(_steps(text, row.start, row.end, long, carets))
        # The end of a row belongs to the next row, except at the end of the text.
        if row.end == len(text):
            steps += _carets(carets, row.end)
        yield steps


def _steps(text: str, at: int, end: int, long: deque[Mark], carets: deque[Mark]) -> Iterator[Step]:
    """Yield the content of a row or an element; marks that extend beyond the end stay in the queue."""
    while at < end:
        yield from _carets(carets, at)
        if long and long[0].start <= at:
            mark = long.popleft()
            # An inner element ends with the outer element, but its mark may continue afterwards.
            stop = min(mark.end, end)
            yield Step(mark=mark, begins=mark.start == at, ends=mark.end == stop)
            yield from _steps(text, at, stop, long, carets)
            yield Step()
            if mark.end > stop:
                long.appendleft(mark)
        else:
            stop = min([end, *(queue[0].start for queue in (long, carets) if queue)])
            yield Step(text=text[at:stop])
        at = stop


def _carets(carets: deque[Mark], at: int) -> Iterator[Step]:
    """Yield the next empty annotations up to a position."""
    while carets and carets[0].start <= at:
        yield Step(mark=carets.popleft(), begins=True, ends=True)
        yield Step()
