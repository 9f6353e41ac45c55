"""Entries of the error lists of pages: overlapping spans of a sentence are one entry."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from spanrs.report.examples import Example, Mark
from spanrs.report.pages import cut_by_kind

if TYPE_CHECKING:
    from spanrs.eval.evidence import Detail
    from spanrs.tags.types import Span

#: Maximum number of placeholders for unknown tokens.
MOST_PLACEHOLDERS = 100
#: Placeholder for unknown text between the known texts of an entry.
UNKNOWN = "…"
#: A word with the white space after it.
_WORD = re.compile(r"\s+|\S+\s*")


class Outcome(NamedTuple):
    """An error or a change that is shown on a page."""

    kind: str
    """The kind in the legend."""
    error: Detail
    """The error."""
    marks: Sequence[Mark]
    """The spans to show, each with its own kind."""


def mark(side: str, span: Span, kind: str = "") -> Mark:
    """Return a span as shown on a page."""
    return Mark(side, span.type, span.start, span.end, kind, span.tokens)


def error_outcome(error: Detail) -> Outcome:
    """Return an error with marks of its spans."""
    sides = (("gold", error.gold), ("pred", error.pred))
    marks = [mark(side, span, error.outcome) for side, span in sides if span is not None]
    return Outcome(error.outcome, error, marks)


def overlapping(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """Group outcomes of the same sentence whose spans overlap, directly or through other spans.

    Parameters
    ----------
    outcomes : sequence of Outcome
        The outcomes, in any order.

    Returns
    -------
    list of list of Outcome
        The groups, in the order of their first outcomes in ``outcomes``; the outcomes of a group are in the order of
        the text.

    Notes
    -----
    A sweep over the sorted spans. The errors of a result are nearly in order, so sorting is fast as well. A
    discontinuous span counts from its first token to its last.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.eval.entries import error_outcome, overlapping
    >>> gold, pred = [["B-A", "I-A", "O", "B-B"]], [["B-A", "O", "O", "O"]]
    >>> result = spanrs.score(gold, pred, errors=True)
    >>> [[outcome.kind for outcome in group] for group in overlapping(list(map(error_outcome, result.errors)))]
    [['missed', 'spurious'], ['missed']]
    """
    bounds = [_bounds(outcome) for outcome in outcomes]
    # Gold comes before pred.
    order = sorted(
        range(len(outcomes)),
        key=lambda at: (outcomes[at].error.path or "", outcomes[at].error.sentence, bounds[at]),
    )
    groups: list[list[int]] = []
    place: tuple[str | None, int] | None = None
    end = 0
    for at in order:
        error = outcomes[at].error
        start, _, stop = bounds[at]
        if (error.path, error.sentence) == place and start < end:
            groups[-1].append(at)
            end = max(end, stop)
        else:
            groups.append([at])
            place, end = (error.path, error.sentence), stop
    groups.sort(key=min)
    return [[outcomes[at] for at in group] for group in groups]


def _bounds(outcome: Outcome) -> tuple[int, bool, int]:
    """Return the first token of an outcome, whether the gold span is absent, and the end; empty spans have length 1."""
    start = min(mark.start for mark in outcome.marks)
    end = max(mark.end for mark in outcome.marks)
    return start, outcome.error.gold is None, max(end, start + 1)


def entry(group: Sequence[Outcome]) -> Example:
    """Return overlapping outcomes as one example: each span is marked once, with the kind of its first outcome.

    Outcomes of gold spans come first.
    """
    group = sorted(group, key=lambda outcome: outcome.error.gold is None)
    marks: dict[tuple[object, ...], Mark] = {}
    for outcome in group:
        for span in outcome.marks:
            pieces = None if span.tokens is None else tuple(span.tokens)
            marks.setdefault((span.side, span.type, span.start, span.end, pieces), span)
    errors = [outcome.error for outcome in group]
    first, tokens, starts = _context(errors, list(marks.values()))
    kinds = [outcome.kind for outcome in group]
    lines = [error.line for error in errors if error.line is not None]
    return Example(
        kinds[0],
        errors[0].sentence,
        tokens,
        list(marks.values()),
        first,
        min(lines, default=None),
        errors[0].path,
        next((error.length for error in errors if error.length is not None), None),
        kinds if len(kinds) > 1 else (),
        starts,
    )


def entries(
    outcomes: Sequence[Outcome], rarity: Callable[[Outcome], tuple[int, Hashable]], most: int
) -> list[Example]:
    """Return outcomes as examples, with one example for overlapping spans.

    Parameters
    ----------
    outcomes : sequence of Outcome
        The outcomes.
    rarity : callable
        Returns the number of outcomes of the same kind, and this kind.
    most : int
        Maximum number of examples: all examples of rare kinds, and equal numbers of each frequent kind. The kind of an
        example is the rarest kind of its outcomes.
    """
    groups = overlapping(outcomes)
    shown = cut_by_kind(groups, lambda group: min(map(rarity, group), key=itemgetter(0))[1], most)
    return by_confusion([entry(group) for group in shown])


def by_confusion(examples: Sequence[Example]) -> list[Example]:
    """Sort examples by the frequency of their kinds and types, like the list of a page."""
    keys = [
        (frozenset(example.kinds), frozenset((mark.side, mark.type) for mark in example.marks))
        for example in examples
    ]
    # Counter.most_common keeps the order of equally frequent keys.
    ranks = {key: rank for rank, (key, _) in enumerate(Counter(keys).most_common())}
    order = sorted(range(len(examples)), key=lambda at: ranks[keys[at]])
    return [examples[at] for at in order]


def _context(errors: Sequence[Detail], marks: Sequence[Mark]) -> tuple[int, Sequence[str], Sequence[int]]:
    """Return the index of the first token, the tokens, and the offsets of the pieces of a text without tokens."""
    known = sorted((error for error in errors if error.tokens), key=lambda error: error.first)
    if not known:
        # Without tokens, token numbers are shown, from 1 as elsewhere on the page.
        first, end = min(mark.start for mark in marks), max(mark.end for mark in marks)
        end = min(end, first + MOST_PLACEHOLDERS)
        return first, tuple(f"[{at + 1}]" for at in range(first, end)), ()
    if all(map(_has_text, known)):
        pieces = list(_pieces(known, marks))
        return pieces[0][0], tuple(text for _, text in pieces), tuple(start for start, _ in pieces)
    first = known[0].first
    tokens: list[str] = []
    for error in known:
        end = first + len(tokens)
        tokens += [UNKNOWN] * (error.first - end)
        tokens += error.tokens[max(end - error.first, 0) :]
    return first, tuple(tokens), ()


def _has_text(error: Detail) -> bool:
    """Return whether the offsets of an error are in characters: its only token contains the text of its spans."""
    spans = [span for span in (error.gold, error.pred) if span is not None]
    return (
        error.length is None
        and error.line is None
        and any(
            len(error.tokens) == 1
            and error.first <= span.start
            and span.end <= error.first + len(error.tokens[0])
            for span in spans
        )
    )


def _pieces(errors: Iterable[Detail], marks: Iterable[Mark]) -> Iterator[tuple[int, str]]:
    """Split overlapping texts at word boundaries and at the bounds of spans; yield offsets and pieces."""
    text, first = "", -1
    bounds = sorted({place for mark in marks for place in (mark.start, mark.end)})
    for error in errors:
        end = first + len(text)
        if first >= 0 and error.first > end:
            yield from split_words(text, first, bounds)
            yield end, UNKNOWN
            text, first = "", -1
        if first < 0:
            first = end = error.first
        text += error.tokens[0][max(end - error.first, 0) :]
    yield from split_words(text, first, bounds)


def split_words(text: str, first: int, bounds: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Split a text before words and at the bounds of spans; yield offsets and pieces.

    Parameters
    ----------
    text : str
        The text.
    first : int
        Offset of its first character.
    bounds : sequence of int
        Offsets of bounds of spans, ascending.

    Examples
    --------
    >>> from spanrs.eval.entries import split_words
    >>> list(split_words("in Rome.", 10, [13, 17]))
    [(10, 'in '), (13, 'Rome'), (17, '.')]
    """
    words = [word.start() for word in _WORD.finditer(text)]
    inside = bounds[bisect_right(bounds, first) : bisect_left(bounds, first + len(text))]
    starts = sorted({*words, *(place - first for place in inside)})
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield first + start, text[start:end]
