"""Data of the page of an aggregation: documents with their disputes, as JSON for ``review.js``."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from spanrs.crowd.disputes import KINDS, kinds_between
from spanrs.crowd.excerpts import segments, windows_around
from spanrs.crowd.marked_span import MarkedSpan
from spanrs.eval.entries import UNKNOWN, split_words
from spanrs.report.examples import StringTable, escaped_json

if TYPE_CHECKING:
    from spanrs.crowd.disagreements import Disagreement
    from spanrs.crowd.disputes import Dispute

#: Maximum number of disputes of a page, and of one document.
MOST_DISPUTES, MOST_OF_DOCUMENT = 10_000, 100
#: Maximum number of characters of a document in the page.
MOST_CHARACTERS = 10_000
#: Maximum number of characters of the text of a dispute, and of the context on each side.
MOST_QUOTED, AROUND = 1000, 40
#: Name of the estimate among the annotators.
ESTIMATE = "estimate"


class PageData:
    """The documents of a page and their numbers.

    Parameters
    ----------
    documents : sequence of Disagreement
        The documents, in order.
    annotators : sequence of str
        The names of all annotators.
    link : callable
        Returns the link of a document, or None.
    unit : str
        ``document`` or ``sentence``.

    Attributes
    ----------
    disputes : int
        Number of disputes of the documents.
    shown : int
        Number of disputes in the page.
    """

    def __init__(
        self,
        documents: Sequence[Disagreement],
        annotators: Sequence[str],
        link: Callable[[Disagreement], str | None],
        unit: str = "document",
    ) -> None:
        self.disputes = sum(len(document.disputes) for document in documents)
        self.shown = 0
        self._strings = StringTable()
        for kind in KINDS:
            self._strings.intern_kind(kind)
        estimate = ESTIMATE
        while estimate in annotators:
            estimate = f"the {estimate}"
        self._numbers = {name: at for at, name in enumerate(annotators, 1)}
        rows = [self._document(document, link(document)) for document in documents]
        self.json = escaped_json(
            {
                "number": 1,
                "unit": unit,
                "annotators": [estimate, *annotators],
                "disputeKinds": list(range(len(KINDS))),
                "documents": rows,
                **self._strings.content(),
                "examples": [],
            }
        )

    def _document(self, document: Disagreement, link: str | None) -> dict[str, Any]:
        number = min(len(document.disputes), MOST_OF_DOCUMENT, MOST_DISPUTES - self.shown)
        disputes = document.disputes[:number]
        self.shown += number
        row = {
            "label": document.label,
            "index": document.index,
            "disagreement": round(document.disagreement, 4),
            "confidence": round(document.confidence, 4),
            "contradicted": document.is_contradicted,
            "annotators": [self._numbers[name] for name in document.answers],
            "number": len(document.disputes),
            "parts": list(self._parts(document, disputes)),
            "disputes": [self._dispute(document, dispute) for dispute in disputes],
        }
        return row if link is None else row | {"link": link}

    def _parts(self, document: Disagreement, disputes: Sequence[Dispute]) -> Iterator[list[Any]]:
        """Yield the parts of the text: shown or not, and runs; of parts that are left out, their length."""
        ranges = [(dispute.start, max(dispute.end, dispute.start + 1)) for dispute in disputes]
        found = segments(len(document.text), windows_around(document.text, ranges or [(0, 0)]))
        room = MOST_CHARACTERS
        included = set()
        # Shown parts first.
        for part in sorted(found, key=lambda part: not part.is_shown):
            if part.end - part.start <= room:
                room -= part.end - part.start
                included.add(part)
        runs = _Runs(document, ranges)
        for part in found:
            if part in included:
                yield [int(part.is_shown), [self._run(*run) for run in runs.between(part.start, part.end)]]
            else:
                yield [0, part.end - part.start]

    def _run(self, text: str, dispute: int, types: Sequence[str] | None) -> Any:
        """Return a run: its text, or text, index of the dispute and types of the agreed spans that end here."""
        if dispute < 0 and types is None:
            return text
        return [text, dispute] if types is None else [text, dispute, list(map(self._strings.intern, types))]

    def _dispute(self, document: Disagreement, dispute: Dispute) -> dict[str, Any]:
        strings, groups = self._strings, dispute.groups()
        estimate = ([], ()) if dispute.estimate is None else ([0], tuple(dispute.estimate))
        sides = [estimate, *((self._ids(names), spans) for names, spans in groups)]
        pieces = list(_excerpt(document.text, dispute))
        return {
            "start": dispute.start,
            "end": dispute.end,
            "kinds": list(map(strings.intern_kind, dispute.kinds)),
            "reason": dispute.reason,
            "confidence": round(dispute.confidence, 4),
            "dissenters": dispute.dissenters,
            "tokens": [strings.intern(text) for _, text in pieces],
            "starts": [start for start, _ in pieces],
            "answers": [
                [ids, [self._mark(span, spans, dispute, pieces, is_estimate=not at) for span in spans]]
                for at, (ids, spans) in enumerate(sides)
            ],
            "pairs": [
                [left, right, list(map(strings.intern_kind, kinds))]
                for (left, one), (right, other) in itertools.combinations(
                    enumerate(spans for _, spans in sides), 2
                )
                if (left or dispute.estimate is not None) and (kinds := kinds_between(one, other))
            ],
        }

    def _ids(self, names: Sequence[str]) -> list[int]:
        return [self._numbers[name] for name in names]

    def _mark(
        self,
        span: MarkedSpan,
        answer: Sequence[MarkedSpan],
        dispute: Dispute,
        excerpt: Sequence[tuple[int, str]],
        *,
        is_estimate: bool,
    ) -> list[Any]:
        """Return a mark as in :func:`spanrs.report.examples.data_block`; the note of the estimate is its confidence."""
        intern = self._strings.intern
        kind = self._strings.intern_kind("estimated" if is_estimate else _kind(span, answer, dispute))
        mark: list[Any] = [-1, intern(span.type), span.start, span.end, kind]
        if span.pieces or is_estimate:
            mark.append(
                [at for at, _ in excerpt if any(start <= at < end for start, end in span.pieces)] or -1
            )
        if is_estimate and dispute.estimate is not None:
            mark.append(intern(f"{100 * dispute.estimate[span]:.0f} %"))
        return mark


def _kind(span: MarkedSpan, answer: Sequence[MarkedSpan], dispute: Dispute) -> str:
    """Return the kind of a span of an answer compared with the estimate."""
    if dispute.estimate is None:
        return "estimated"
    if span in dispute.estimate:
        return "match"
    rivals = dispute.estimate.keys() - set(answer)
    overlapping = [other for other in rivals if other.start < span.stop and span.start < other.stop]
    return " and ".join(kinds_between([span], overlapping)) if overlapping else "added"


def _excerpt(text: str, dispute: Dispute) -> list[tuple[int, str]]:
    """Return the text of a dispute and the words around it in its line, as offsets and pieces."""
    first = max(dispute.start - AROUND, text.rfind("\n", 0, dispute.start) + 1)
    if first and not text[first - 1].isspace():
        first = _after_space(text, first, dispute.start)
    stop = min(dispute.end, dispute.start + MOST_QUOTED)
    line_end = text.find("\n", stop)
    last = min(stop + AROUND, len(text) if line_end < 0 else line_end)
    last -= text[stop:last].endswith("\r")
    if stop < dispute.end:
        last = stop
    elif last < len(text) and not text[last].isspace():
        last = max(text.rfind(" ", stop, last), stop)
    spans = itertools.chain(dispute.estimate or (), *dispute.answers.values())
    bounds = {at for span in spans for ends in (span[1:3], *span.pieces) for at in ends}
    pieces = list(split_words(text[first:last], first, sorted(bounds)))
    if pieces and first and text[first - 1] != "\n":
        start, word = pieces[0]
        pieces[:1] = [(start, f"{UNKNOWN} {word}")] if start < dispute.start else pieces[:1]
    is_cut = last < len(text) and text[last] not in "\r\n"
    if pieces and is_cut and (stop < dispute.end or pieces[-1][0] >= dispute.end):
        pieces[-1] = pieces[-1][0], f"{pieces[-1][1].rstrip()} {UNKNOWN}"
    return pieces


def _after_space(text: str, start: int, end: int) -> int:
    """Return the offset after the first white space in a range; its end if there is none."""
    return next((at + 1 for at in range(start, end) if text[at].isspace()), end)


class _Runs:
    """Divides a text at the bounds of disputes and of the spans on which all annotators agree."""

    def __init__(self, document: Disagreement, ranges: Sequence[tuple[int, int]]) -> None:
        self.text = document.text
        self.ranges = ranges
        disputed = {
            span
            for dispute in document.disputes
            for spans in (dispute.estimate or (), *dispute.answers.values())
            for span in spans
        }
        spans = frozenset.intersection(*document.answers.values()) - disputed
        self._agreed = sorted(spans, key=lambda span: (span.start, span.stop, span))
        self._next = 0
        self._active: list[MarkedSpan] = []
        bounds = {at for span in spans for at in (span.start, span.end)}
        bounds.update(at for ends in ranges for at in ends)
        self.bounds = sorted(bounds)

    def between(self, start: int, end: int) -> Iterator[tuple[str, int, Sequence[str] | None]]:
        """Yield runs: text, index of the dispute or -1, and the types of agreed spans that end here.

        The types are None outside of agreed spans. Ranges must be ascending, because the sweep continues.
        """
        places = [
            start,
            *self.bounds[bisect_right(self.bounds, start) : bisect_left(self.bounds, end)],
            end,
        ]
        for first, stop in itertools.pairwise(places):
            inside = self._agreed_at(first)
            types = [span.type for span in inside if span.end == stop] if inside else None
            at = bisect_right(self.ranges, first, key=lambda ends: ends[1])
            is_disputed = at < len(self.ranges) and self.ranges[at][0] <= first
            yield self.text[first:stop], at if is_disputed else -1, types

    def _agreed_at(self, place: int) -> list[MarkedSpan]:
        """Return the agreed spans that contain a character; places must be ascending."""
        while self._next < len(self._agreed) and self._agreed[self._next].start <= place:
            self._active.append(self._agreed[self._next])
            self._next += 1
        self._active = [span for span in self._active if span.stop > place]
        return self._active
