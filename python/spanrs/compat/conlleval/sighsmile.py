"""The conlleval.py that accepts two lists of tags (sighsmile/conlleval)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from spanrs import _spanrs, errors
from spanrs.compat.conlleval.rules import ACCURACY, MEASURES, SIZES, decode

Scores: TypeAlias = tuple[float, float, float]
Counts: TypeAlias = Mapping[str, int]
_Counter: TypeAlias = defaultdict[str, int]
Six: TypeAlias = tuple[_Counter, _Counter, _Counter, _Counter, _Counter, _Counter]
#: Python's message for unpacking one string into two.
ONE_PART = "not enough values to unpack (expected 2, got 1)"


def split_tag(chunk_tag: str) -> tuple[str, None] | list[str]:
    """Return the prefix and type of a tag; ``O`` has the type None, and a tag without ``-`` is a single part."""
    return ("O", None) if chunk_tag == "O" else chunk_tag.split("-", maxsplit=1)


def _border(prev_tag: str, tag: str) -> tuple[bool, bool, bool]:
    """Return whether each of two adjacent tokens is outside of spans, and whether they belong to different spans."""
    before, type_before = split_tag(prev_tag)
    now, type_now = split_tag(tag)
    meet = type_before != type_now or now in ("B", "S") or before in ("E", "S")
    return before == "O", now == "O", meet


def is_chunk_end(prev_tag: str, tag: str) -> bool:
    """Return whether a span ends between two tokens."""
    out_before, out_now, meet = _border(prev_tag, tag)
    return not out_before and (out_now or meet)


def is_chunk_start(prev_tag: str, tag: str) -> bool:
    """Return whether a span starts between two tokens."""
    out_before, out_now, meet = _border(prev_tag, tag)
    return not out_now and (out_before or meet)


def calc_metrics(tp: int, p: int, t: int, percent: bool = True) -> Scores:
    """Return precision, recall and F1 for ``tp`` correct, ``p`` pred and ``t`` gold spans."""
    precision = tp / p if p else 0
    recall = tp / t if t else 0
    total = precision + recall
    fb1 = 2 * precision * recall / total if total else 0
    if percent:
        return 100 * precision, 100 * recall, 100 * fb1
    return precision, recall, fb1


def _six(counter: _spanrs.Conlleval) -> Six:
    correct, gold, pred, equal_tags, gold_tags, pred_tags = (_Counter(int) for _ in range(6))
    _, _, types, pairs = counter.counts()
    for name, row in types:
        for by_type, n in zip((gold, pred, correct), row, strict=False):
            if n:
                by_type[decode(name)] = n
    for gold_tag, pred_tag, n in pairs:
        gold_tags[decode(gold_tag)] += n
        pred_tags[decode(pred_tag)] += n
        if gold_tag == pred_tag:
            equal_tags[decode(gold_tag)] += n
    return correct, gold, pred, equal_tags, gold_tags, pred_tags


def _counter() -> _spanrs.Conlleval:
    return _spanrs.Conlleval("sequences", None, b"", b"O", False, False)


def count_chunks(true_seqs: Iterable[str], pred_seqs: Iterable[str]) -> Six:
    """Count spans by type (correct, gold, pred) and tags (equal, gold, pred) in two sequences of tags.

    Tags of the longer sequence that have no counterpart are ignored.
    """
    counter = _counter()
    try:
        counter.tags(true_seqs, pred_seqs)
    except errors.FormatError:
        raise ValueError(ONE_PART) from None
    return _six(counter)


def get_result(  # noqa: PLR0917
    correct_chunks: Counts,
    true_chunks: Counts,
    pred_chunks: Counts,
    correct_counts: Counts,
    true_counts: Counts,
    pred_counts: Counts,  # noqa: ARG001
    verbose: bool = True,
) -> Scores:
    """Return precision, recall and F1 of all spans, in per cent, and print these measures for all spans and by type.

    Counts are the results of :func:`count_chunks`; ``pred_counts`` is ignored, as in the original.
    """
    correct, gold, pred = (sum(by.values()) for by in (correct_chunks, true_chunks, pred_chunks))
    result = calc_metrics(correct, pred, gold)
    if not verbose:
        return result

    def accuracy(*, outside: bool) -> str:
        sides = (correct_counts, true_counts)
        equal, all_ = (sum(n for tag, n in by.items() if outside or tag != "O") for by in sides)
        return ACCURACY % (100 * equal / all_ if all_ else 0.0)

    lines = [
        f"{SIZES % (sum(true_counts.values()), gold, pred, correct)}{accuracy(outside=False)}(non-O)",
        accuracy(outside=True) + MEASURES % result,
    ]
    for name in sorted({*true_chunks, *pred_chunks}):
        predicted = pred_chunks.get(name, 0)
        by_type = calc_metrics(correct_chunks.get(name, 0), predicted, true_chunks.get(name, 0))
        lines.append(f"{name:>17}: {MEASURES % by_type}  {predicted}")
    print("\n".join(lines))  # noqa: T201
    return result


def evaluate(true_seqs: Iterable[str], pred_seqs: Iterable[str], verbose: bool = True) -> Scores:
    """Evaluate two sequences of tags; print the report if ``verbose``.

    Examples
    --------
    >>> evaluate(["B-PER", "I-PER", "O"], ["B-PER", "I-PER", "B-LOC"], verbose=False)
    (50.0, 100.0, 66.66666666666666)
    """
    return get_result(*count_chunks(true_seqs, pred_seqs), verbose=verbose)


def evaluate_conll_file(fileIterator: Iterable[str]) -> Scores:  # noqa: N803
    """Evaluate lines that end in a gold and a pred tag, and print the report.

    An empty line counts as a token outside of spans, as in the original.
    """
    counter = _counter()
    # The message contains the line as read, which the counter does not store.
    newest = ""

    def lines() -> Iterable[str]:
        nonlocal newest
        for line in fileIterator:
            newest = line
            yield line

    try:
        counter.lines(lines())
    except errors.FormatError as error:
        if error.code == "no_type":
            raise ValueError(ONE_PART) from None
        raise OSError(f"conlleval: too few columns in line {newest}\n") from None
    return get_result(*_six(counter))
