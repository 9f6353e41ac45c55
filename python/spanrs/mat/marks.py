"""The text of a document, cut where annotations begin and end."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanrs.mat.details import AnnotationPair

#: Marks one within another, at most. Browsers do not nest elements without end, and crossing annotations
#: are cut so often that pages would grow with the square of their number.
DEEPEST = 40
#: Characters without annotations of which it is worth to fold away so many, and how many are left on
#: either side; up to as many more, so that no word is cut.
FOLDED = 600
CONTEXT = 160
#: A line with its end.
LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Mark(NamedTuple):
    """An annotation of one side.

    Attributes
    ----------
    kind : str
        What became of it.
    numbers : tuple of int
        Of the discrepancies it is in, in the list of the document; the first is that of ``kind``, unless it
        is a match.
    says : str
        The pairs it is in.
    lane : int
        How far below the text its line is, so that lines do not hide one another.
    """

    label: str
    start: int
    end: int
    kind: str
    numbers: tuple[int, ...]
    says: str
    lane: int


class Step(NamedTuple):
    """A step of writing a cell: text, or the beginning or the end of an element."""

    text: str | None = None
    mark: Mark | None = None
    """The annotation that the element is of; None where an element ends."""
    begins: bool = False
    """The annotation begins here."""
    ends: bool = False
    """The annotation ends at the end of this element."""


class Row(NamedTuple):
    """A stretch of the text: a line, or what is folded."""

    start: int
    end: int
    folded: bool


def says(detail: AnnotationPair) -> str:
    """Say what a pair is, its labels, and its bounds."""
    sides = []
    if detail.reflabel is not None:
        sides.append(f"gold {detail.reflabel} {detail.refstart}–{detail.refend}")
    if detail.hyplabel is not None:
        sides.append(f"pred {detail.hyplabel} {detail.hypstart}–{detail.hypend}")
    return f"{detail.type}: {', '.join(sides)}"


def marks(details: Sequence[AnnotationPair], side: str, annotations: int) -> tuple[list[Mark], int]:
    """Give the annotations of a side, outer ones before inner ones, and how many lie too deep to be shown.

    Parameters
    ----------
    side : str
        ``ref`` or ``hyp``.
    annotations : int
        How many annotations the side has. Where they are in more pairs than there are of them
        (``unpaired_overlap="clash"``), pairs of one annotation cannot be told from those of annotations that
        are the same, which are shown as one then.
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
    # Ties are in the order of the details, which sorting keeps.
    for (label, start, end, _), of in sorted(pairs.items(), key=lambda one: (one[0][1], -one[0][2])):
        # The first lane that is free.
        lane = next((lane for lane, last in enumerate(ends) if last <= start), len(ends))
        if start == end:
            lane = 0
        elif lane < DEEPEST:
            ends[lane : lane + 1] = [end]
        else:
            continue
        kinds = [detail.type for detail, _ in of]
        # A partner of its own tells more of it than who else clashes with it.
        kind = "match" if "match" in kinds else kinds[0]
        numbers = tuple(number for detail, number in of if detail.type != "match")
        shown.append(Mark(label, start, end, kind, numbers, "; ".join(says(d) for d, _ in of), lane))
    return shown, len(pairs) - len(shown)


def rows(text: str, spans: Iterable[tuple[int, int]]) -> list[Row]:
    """Cut a text into lines, and fold what is far from all annotations of both sides.

    Each line is a row of both columns, so that they stay side by side however many labels they have.
    """
    found: list[Row] = []
    at = 0
    for start, end in [*_folds(text, spans), (len(text), len(text))]:
        found += [Row(*line.span(), False) for line in LINE.finditer(text, at, start)]
        if end > start:
            found.append(Row(start, end, True))
        at = end
    # There has to be a place for annotations at the very end.
    if not found or found[-1].folded:
        found.append(Row(at, at, False))
    return found


def _folds(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    covered = -1
    for start, end in [*sorted(spans), (len(text) + 1, 0)]:
        last = start > len(text)
        # Where the text begins or ends there is nothing that needs to be seen in context.
        after, before = covered + CONTEXT, start - CONTEXT
        left = 0 if covered < 0 else _cut(text.find, after, after + CONTEXT, after)
        right = len(text) if last else _cut(text.rfind, before - CONTEXT, before, before)
        if right - left >= FOLDED:
            yield left, right
        covered = max(covered, end)


def _cut(find: Callable[[str, int, int], int], start: int, end: int, otherwise: int) -> int:
    """Give a place to cut: after a line, else after a blank."""
    for blank in "\n ":
        found = find(blank, max(start, 0), max(end, 0))
        if found >= 0:
            return found + 1
    return otherwise


def cells(text: str, shown: Sequence[Mark], bounds: Iterable[Row]) -> Iterator[list[Step]]:
    """Give what is in each row of a side.

    Parameters
    ----------
    shown : sequence of Mark
        The annotations of the side, as :func:`marks` gives them.
    """
    long = deque(mark for mark in shown if mark.start < mark.end)
    carets = deque(mark for mark in shown if mark.start == mark.end)
    for row in bounds:
        steps = list(_steps(text, row.start, row.end, long, carets))
        # The end belongs to the next row, except that of the text.
        if row.end == len(text):
            steps += _carets(carets, row.end)
        yield steps


def _steps(text: str, at: int, end: int, long: deque[Mark], carets: deque[Mark]) -> Iterator[Step]:
    """Give what is within a row or an element; marks that go on after its end are left in the queue."""
    while at < end:
        yield from _carets(carets, at)
        if long and long[0].start <= at:
            mark = long.popleft()
            # Where an outer element ends, so does the inner; its mark may go on after it.
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
    """Give the annotations without characters that are next, up to a place."""
    while carets and carets[0].start <= at:
        yield Step(mark=carets.popleft(), begins=True, ends=True)
        yield Step()
