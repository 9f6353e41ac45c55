"""Spans of tokens as presidio-evaluator builds them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

#: Tag of tokens outside of spans.
OUTSIDE = "O"


@dataclass(frozen=True)
class TokenSpan:
    """A run of tokens with one type."""

    type: str
    text: str
    start: int
    """First character of the first token."""
    end: int
    """End of the last token, exclusive."""
    kept: tuple[tuple[int, str], ...]
    """Start and lower-case text of the tokens that are not skipped."""
    first: int
    """Index of the first token in its sentence."""
    last: int
    """One past the index of the last token."""

    @property
    def bounds(self) -> tuple[int, int]:
        """The characters from the first to the last token that is not skipped; the end is exclusive."""
        return self.kept[0][0], max(start + len(token) for start, token in self.kept)

    @property
    def key(self) -> tuple[str, int, int]:
        """Type and bounds, by which the evaluator recognises a span."""
        return self.type, self.start, self.end


def token_spans(
    tokens: Sequence[str], starts: Sequence[int], tags: Sequence[str], skip: Collection[str]
) -> list[TokenSpan]:
    """Return the spans of a sentence: runs of equal tags, joined if only skipped words are between them.

    Spans that consist of skipped words are left out.
    """
    spans: list[TokenSpan] = []
    for tag, run in groupby(range(len(tags)), key=tags.__getitem__):
        places = list(run)
        kept = tuple((starts[at], tokens[at].lower()) for at in places if tokens[at].lower() not in skip)
        if tag == OUTSIDE or not kept:
            continue
        first, last = places[0], places[-1]
        text = " ".join(tokens[first : last + 1])
        span = TokenSpan(tag, text, starts[first], starts[last] + len(tokens[last]), kept, first, last + 1)
        before = spans[-1] if spans else None
        if before is not None and before.type == tag and _skips(tokens[before.last : first], skip):
            spans[-1] = replace(
                before,
                text=f"{before.text} {text}",
                end=span.end,
                kept=before.kept + kept,
                last=span.last,
            )
        else:
            spans.append(span)
    return spans


def _skips(tokens: Sequence[str], skip: Collection[str]) -> bool:
    return all(token.lower().strip() in skip for token in tokens)


def iou(left: TokenSpan, right: TokenSpan, *, by_character: bool) -> float:
    """Return the intersection over union of two spans."""
    if not by_character:
        return _token_iou(left, [right])
    (start, end), (other, other_end) = left.bounds, right.bounds
    common = max(0, min(end, other_end) - max(start, other))
    union = max(end, other_end) - min(start, other)
    return common / union if union else 0.0


def joint_iou(gold: TokenSpan, preds: Sequence[TokenSpan], *, by_character: bool) -> float:
    """Return the intersection over union of a gold span and several pred spans.

    As in the package, ends of characters are inclusive here, and all pred spans but the first are moved to the left by
    one character.
    """
    if not by_character:
        return _token_iou(gold, preds)
    start, end = gold.bounds
    own = set(range(start, end + 1))
    union: set[int] = set()
    for at, pred in enumerate(preds):
        start, end = pred.bounds
        union.update(range(start, end + 1) if at == 0 else range(start - 1, end))
    return len(own & union) / len(own | union)


def _token_iou(gold: TokenSpan, preds: Sequence[TokenSpan]) -> float:
    own, union = set(gold.kept), {token for pred in preds for token in pred.kept}
    return len(own & union) / len(own | union)
