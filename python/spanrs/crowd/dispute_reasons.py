"""Descriptions of disputes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanrs.crowd.marked_span import MarkedSpan

    #: Distinct answers with their annotators; an empty answer is last.
    Groups = Sequence[tuple[Sequence[str], Sequence[MarkedSpan]]]

#: Maximum number of names, spans and answers in a description.
MOST_NAMES, MOST_SPANS, MOST_ANSWERS = 4, 4, 6
#: Maximum number of characters of a quotation.
MOST_QUOTED = 60


def reason_for(text: str, groups: Groups, estimate: Sequence[MarkedSpan], *, differs: bool) -> str:
    """Describe a dispute.

    Parameters
    ----------
    text : str
        The text of the document.
    groups : sequence of (names, spans)
        The distinct answers with their annotators; an empty answer is last.
    estimate : sequence of MarkedSpan
        The spans of the estimate.
    differs : bool
        Whether the estimate has spans that no annotator marked, or lacks spans that all annotators marked.

    Examples
    --------
    >>> from spanrs.crowd.dispute_reasons import reason_for
    >>> from spanrs.crowd.marked_span import MarkedSpan
    >>> groups = [(["cy"], [MarkedSpan("LOC", 3, 7)]), (["ann", "ben"], [])]
    >>> reason_for("in Oslo", groups, [], differs=False)
    'only cy marked "Oslo" as LOC'
    """
    if len(groups) == 1:
        answer, estimated = (_listed(text, spans) for spans in (groups[0][1], estimate))
        return f"the estimate contradicts all annotators: they marked {answer}, the estimate is {estimated}"
    common = set(groups[0][1]).intersection(*(spans for _, spans in groups))
    reduced = [(_names(names), [span for span in spans if span not in common]) for names, spans in groups]
    reduced.sort(key=lambda pair: not pair[1])
    filled = [(names, spans) for names, spans in reduced if spans]
    empty = next((names for names, spans in reduced if not spans), None)
    number = len(next(names for names, spans in groups if set(spans) - common))
    reason = _difference(text, filled, empty, number)
    return f"{reason}; the estimate agrees with no annotator" if differs else reason


def _difference(
    text: str, filled: Sequence[tuple[str, list[MarkedSpan]]], empty: str | None, number: int
) -> str:
    """Describe different answers; ``number`` is the number of annotators of the first answer."""
    first, spans = filled[0]
    if len(filled) == 1:
        listed = _listed(text, spans)
        return (
            f"only {first} marked {listed}" if number == 1 else f"{first} marked {listed}, {empty} did not"
        )
    nothing = [] if empty is None else [f"{empty} nothing"]
    shown = filled[:MOST_ANSWERS]
    more = [f"{len(filled) - len(shown)} other answers"] if len(shown) < len(filled) else []
    if all(len(answer) == 1 for _, answer in filled):
        singles = [answer[0] for _, answer in filled]
        if len({span[1:] for span in singles}) == 1:
            types = [f"{names} as {answer[0].type}" for names, answer in shown[1:]]
            head = f"{first} marked {quoted(text, spans[0])} as {spans[0].type}"
            return ", ".join([head, *types, *more, *nothing])
        if len({span.type for span in singles}) == 1:
            bounds = [f"{names} {quoted(text, answer[0])}" for names, answer in shown]
            return f"bounds of {spans[0].type} differ: {', '.join([*bounds, *more, *nothing])}"
    parts = [f"{names}: {_listed(text, answer)}" for names, answer in shown]
    return "; ".join([*parts, *more, *([f"{empty}: nothing"] if empty else [])])


def _listed(text: str, spans: Sequence[MarkedSpan]) -> str:
    shown = [f"{quoted(text, span)} as {span.type}" for span in spans[:MOST_SPANS]]
    if len(spans) > MOST_SPANS:
        shown.append(f"{len(spans) - MOST_SPANS} more")
    return _joined(shown) or "nothing"


def quoted(text: str, span: MarkedSpan) -> str:
    """Return the text of a span in quotation marks, shortened in the middle, with the holes of pieces as ``…``.

    Examples
    --------
    >>> from spanrs.crowd.dispute_reasons import quoted
    >>> from spanrs.crowd.marked_span import MarkedSpan
    >>> quoted("left and right arm", MarkedSpan("ARM", 0, 18, ((0, 4), (15, 18))))
    '"left … arm"'
    """
    pieces = span.pieces or ((span.start, span.end),)
    content = " … ".join(" ".join(text[start:end].split()) for start, end in pieces)
    if len(content) > MOST_QUOTED:
        half = MOST_QUOTED // 2
        content = f"{content[:half]}…{content[-half:]}"
    return f'"{content}"'


def _names(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMES:
        return _joined([*names[: MOST_NAMES - 1], f"{len(names) - MOST_NAMES + 1} others"])
    return _joined(names)


def _joined(items: Sequence[str]) -> str:
    """Return items as an enumeration.

    Examples
    --------
    >>> from spanrs.crowd.dispute_reasons import _joined
    >>> _joined(["a"]), _joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
