"""The text of a document, cut where annotations begin and end."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanrs.mat.details import Detail

#: What a reader is shown for each kind, besides its colour.
SIGNS = {
    "match": "",
    "tagclash": "≠",
    "overmark": "⊃",
    "undermark": "⊂",
    "overlap": "∩",
    "tagplusovermark": "≠⊃",
    "tagplusundermark": "≠⊂",
    "tagplusoverlap": "≠∩",
    "missing": "−",
    "spurious": "+",
}
#: Marks one within another, at most. Browsers do not nest elements without end, and crossing annotations
#: are cut so often that pages would grow with the square of their number.
DEEPEST = 40
#: Characters without annotations of which it is worth to fold away so many, and how many are left on
#: either side; up to as many more, so that no word is cut.
FOLDED = 600
CONTEXT = 160


@dataclass(frozen=True, slots=True)
class Mark:
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
    lane: int = 0

    @property
    def sign(self) -> str:
        """What is shown beside the label."""
        return "" if self.kind == "match" else f"{SIGNS[self.kind]}{self.numbers[0]}"


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


def says(detail: Detail) -> str:
    """Say what a pair is, its labels, and its bounds."""
    gold = pred = None
    if detail.reflabel is not None:
        gold = f"gold {detail.reflabel} {detail.refstart}–{detail.refend}"
    if detail.hyplabel is not None:
        pred = f"pred {detail.hyplabel} {detail.hypstart}–{detail.hypend}"
    return f"{detail.type}: {', '.join(side for side in (gold, pred) if side)}"


def marks(details: Sequence[Detail], side: str, shared: bool) -> tuple[list[Mark], int]:
    """Give the annotations of a side, outer ones before inner ones, and how many lie too deep to be shown.

    Parameters
    ----------
    side : str
        ``ref`` or ``hyp``.
    shared : bool
        An annotation may be in several pairs: ``unpaired_overlap="clash"``. Such pairs cannot be told from
        those of annotations that are the same, which are shown as one then.
    """
    found: list[Mark] = []
    number = 0
    for detail in details:
        number += detail.type != "match"
        label, start, end = (getattr(detail, side + part) for part in ("label", "start", "end"))
        if label is not None:
            numbers = () if detail.type == "match" else (number,)
            found.append(Mark(label, start, end, detail.type, numbers, says(detail)))
    if shared:
        found = list(_merged(found))
    # Ties are in the order of the details, which sorting keeps.
    found.sort(key=lambda mark: (mark.start, -mark.end))
    ends: list[int] = []
    shown = [laid for mark in found if (laid := _laid(mark, ends)) is not None]
    return shown, len(found) - len(shown)


def _merged(found: Iterable[Mark]) -> Iterator[Mark]:
    same: dict[tuple[str, int, int], list[Mark]] = {}
    for mark in found:
        same.setdefault((mark.label, mark.start, mark.end), []).append(mark)
    for (label, start, end), pairs in same.items():
        # A partner of its own tells more of it than who else clashes with it.
        best = next((mark for mark in pairs if mark.kind == "match"), pairs[0])
        numbers = tuple(number for mark in pairs for number in mark.numbers)
        yield Mark(label, start, end, best.kind, numbers, "; ".join(mark.says for mark in pairs))


def _laid(mark: Mark, ends: list[int]) -> Mark | None:
    """Give the mark the first lane that is free; ``ends`` are the last bounds of each."""
    if mark.start == mark.end:
        return mark
    lane = next((lane for lane, end in enumerate(ends) if end <= mark.start), len(ends))
    if lane == DEEPEST:
        return None
    ends[lane : lane + 1] = [mark.end]
    return replace(mark, lane=lane)


def rows(text: str, spans: Iterable[tuple[int, int]]) -> list[Row]:
    """Cut a text into lines, and fold what is far from all annotations of both sides.

    Each line is a row of both columns, so that they stay side by side however many labels they have.
    """
    found: list[Row] = []
    at = 0
    for start, end in [*_folds(text, spans), (len(text), len(text))]:
        while at < start:
            stop = text.find("\n", at, start) + 1 or start
            found.append(Row(at, stop, False))
            at = stop
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
        left = 0 if covered < 0 else _after(text, covered + CONTEXT)
        right = len(text) if last else _before(text, start - CONTEXT)
        if right - left >= FOLDED:
            yield left, right
        covered = max(covered, end)


def _after(text: str, at: int) -> int:
    """Give a place to cut: after a line, else after a blank."""
    for blank in "\n ":
        found = text.find(blank, at, at + CONTEXT)
        if found >= 0:
            return found + 1
    return at


def _before(text: str, at: int) -> int:
    for blank in "\n ":
        found = text.rfind(blank, max(at - CONTEXT, 0), max(at, 0))
        if found >= 0:
            return found + 1
    return at


def cells(text: str, shown: Sequence[Mark], bounds: Sequence[Row]) -> list[list[Step]]:
    """Give what is in each row of a side; nothing for rows that are folded.

    Parameters
    ----------
    shown : sequence of Mark
        The annotations of the side, as :func:`marks` gives them.
    """
    carets = [mark for mark in shown if mark.start == mark.end]
    long = [mark for mark in shown if mark.start < mark.end]
    cuts = sorted({place for mark in shown for place in (mark.start, mark.end)})
    found: list[list[Step]] = []
    active: list[Mark] = []
    next_long = next_caret = 0
    for row in bounds:
        steps: list[Step] = []
        found.append(steps)
        if row.folded:
            continue
        stack: list[tuple[Mark, int]] = []
        # The end belongs to the next row, except that of the text.
        inner = cuts[bisect_right(cuts, row.start) : bisect_left(cuts, row.end)]
        for at, stop in _between([row.start, *inner, row.end], row.end == len(text)):
            active = [mark for mark in active if mark.end > at]
            _close(steps, stack, active)
            while next_caret < len(carets) and carets[next_caret].start <= at:
                steps += [Step(mark=carets[next_caret], begins=True, ends=True), Step()]
                next_caret += 1
            while next_long < len(long) and long[next_long].start <= at:
                active.append(long[next_long])
                next_long += 1
            if at == stop:
                continue
            for mark in active[len(stack) :]:
                # Where an outer element ends, so does the inner; its mark may go on after it.
                end = min(mark.end, stack[-1][1] if stack else row.end)
                steps.append(Step(mark=mark, begins=mark.start == at, ends=mark.end == end))
                stack.append((mark, end))
            steps.append(Step(text=text[at:stop]))
        _close(steps, stack, [])
    return found


def _between(places: Sequence[int], last: bool) -> Iterator[tuple[int, int]]:
    """Give the pieces of a row; at the end of the text an empty one, which only carets can be in."""
    yield from ((at, stop) for at, stop in pairwise(places) if at < stop)
    if last:
        yield places[-1], places[-1]


def _close(steps: list[Step], stack: list[tuple[Mark, int]], active: Sequence[Mark]) -> None:
    """End the elements of marks that end, and with them those that are within these."""
    kept = 0
    while kept < min(len(stack), len(active)) and stack[kept][0] is active[kept]:
        kept += 1
    steps += [Step()] * (len(stack) - kept)
    del stack[kept:]
