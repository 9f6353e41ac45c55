"""Decisions of presidio-evaluator about the spans of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from spanrs.compat.presidio_evaluator.token_spans import OUTSIDE, TokenSpan, iou, joint_iou


@dataclass
class Tally:
    """Counts of a type."""

    annotated: int = 0
    predicted: int = 0
    tp: int = 0
    fp: int = 0
    fn: int = 0


@dataclass
class Event:
    """What a gold span and the pred spans of one type that overlap it add to the counts."""

    gold_type: str = OUTSIDE
    pred_type: str = OUTSIDE
    annotated: int = 0
    tp: int = 0
    fn: int = 0
    fp: int = 0
    is_alone: bool = False
    """Whether the event is a pred span that overlaps no gold span."""
    confusion: list[tuple[str, str]] = field(default_factory=list)
    errors: list[tuple[str, TokenSpan]] = field(default_factory=list)

    def add_to(self, tallies: dict[str, Tally]) -> None:
        """Add the event to the counts of its types."""
        if self.annotated or self.fn or self.tp:
            gold = tallies[self.gold_type]
            gold.annotated += self.annotated
            gold.tp += self.tp
            gold.fn += self.fn
        if self.tp or self.fp:
            pred = tallies[self.pred_type]
            pred.fp += self.fp
            pred.predicted += 1


def match_spans(
    golds: Sequence[TokenSpan], preds: Sequence[TokenSpan], threshold: float, *, by_character: bool
) -> Iterator[Event]:
    """Yield the events of the gold spans in their order, then those of pred spans that overlap no gold span."""
    processed: set[tuple[str, int, int]] = set()
    first = 0
    for gold in golds:
        start, end = gold.bounds
        # The spans of a side do not overlap, so earlier pred spans cannot overlap later gold spans.
        while first < len(preds) and preds[first].bounds[1] <= start:
            first += 1
        near: list[tuple[TokenSpan, float]] = []
        for pred in preds[first:]:
            if pred.bounds[0] >= end:
                break
            share = iou(gold, pred, by_character=by_character)
            if share > 0:
                near.append((pred, share))
        processed.update(pred.key for pred, _ in near)
        yield Event(gold.type, annotated=1)
        if not near:
            yield _missed(gold)
        elif len(near) == 1:
            yield _single(gold, near[0][0], covers=near[0][1] >= threshold)
        else:
            yield from _groups(gold, [pred for pred, _ in near], threshold, by_character=by_character)
    for pred in preds:
        if pred.key not in processed:
            yield Event(
                pred_type=pred.type,
                fp=1,
                is_alone=True,
                confusion=[(OUTSIDE, pred.type)],
                errors=[("FP", pred)],
            )


def _missed(gold: TokenSpan) -> Event:
    return Event(gold.type, fn=1, confusion=[(gold.type, OUTSIDE)], errors=[("FN", gold)])


def _single(gold: TokenSpan, pred: TokenSpan, *, covers: bool) -> Event:
    if covers and pred.type == gold.type:
        return Event(gold.type, pred.type, tp=1, confusion=[(gold.type, pred.type)])
    event = Event(gold.type, pred.type, fn=1, fp=1, errors=[("FN", gold), ("FP", pred)])
    if covers:
        event.confusion = [(gold.type, pred.type)]
        event.errors.insert(0, ("WrongEntity", gold))
    else:
        event.confusion = [(gold.type, OUTSIDE), (OUTSIDE, pred.type)]
    return event


def _groups(
    gold: TokenSpan, near: Sequence[TokenSpan], threshold: float, *, by_character: bool
) -> Iterator[Event]:
    """Yield an event for each type of the pred spans, in the order of their first spans."""
    by_type: dict[str, list[TokenSpan]] = {}
    for pred in near:
        by_type.setdefault(pred.type, []).append(pred)
    is_counted = False
    for name, group in by_type.items():
        covers = joint_iou(gold, group, by_character=by_character) >= threshold
        if covers and name == gold.type:
            is_counted = True
            yield Event(name, name, tp=1, confusion=[(name, name)])
            continue
        event = Event(gold.type, name, fn=int(not is_counted), fp=1)
        if not is_counted:
            event.errors.append(("FN", gold))
        if covers:
            event.confusion.append((gold.type, name))
            event.errors.append(("WrongEntity", gold))
        else:
            if name != gold.type or not is_counted:
                event.confusion.append((gold.type, OUTSIDE))
            event.confusion.append((OUTSIDE, name))
        event.errors.append(("FP", group[0]))
        is_counted = True
        yield event
