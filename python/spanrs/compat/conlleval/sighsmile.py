"""The conlleval.py that takes two lists of tags (sighsmile/conlleval)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from spanrs import _spanrs, errors
from spanrs.compat.conlleval.rules import text_of

__all__ = [
    "calc_metrics",
    "count_chunks",
    "evaluate",
    "evaluate_conll_file",
    "get_result",
    "is_chunk_end",
    "is_chunk_start",
    "split_tag",
]

Counts = Mapping[str, int]
Six = tuple[
    defaultdict[str, int],
    defaultdict[str, int],
    defaultdict[str, int],
    defaultdict[str, int],
    defaultdict[str, int],
    defaultdict[str, int],
]
#: What Python says where one string is unpacked as two.
ONE_PART = "not enough values to unpack (expected 2, got 1)"


def split_tag(chunk_tag: str) -> tuple[str, None] | list[str]:
    """Give prefix and type of a tag; ``O`` has the type None, and a tag without ``-`` is one part.

    Examples
    --------
    >>> from spanrs.compat.conlleval import split_tag
    >>> split_tag("B-PER"), split_tag("O")
    (['B', 'PER'], ('O', None))
    """
    return ("O", None) if chunk_tag == "O" else chunk_tag.split("-", maxsplit=1)


def _border(prev_tag: str, tag: str) -> tuple[bool, bool, bool]:
    """Say whether the tokens are outside, and whether two spans would meet between them."""
    before, type_before = split_tag(prev_tag)
    now, type_now = split_tag(tag)
    meet = type_before != type_now or now in ("B", "S") or before in ("E", "S")
    return before == "O", now == "O", meet


def is_chunk_end(prev_tag: str, tag: str) -> bool:
    """Say whether a span ends between two tokens."""
    out_before, out_now, meet = _border(prev_tag, tag)
    return not out_before and (out_now or meet)


def is_chunk_start(prev_tag: str, tag: str) -> bool:
    """Say whether a span starts between two tokens."""
    out_before, out_now, meet = _border(prev_tag, tag)
    return not out_now and (out_before or meet)


def calc_metrics(tp: int, p: int, t: int, percent: bool = True) -> tuple[float, float, float]:
    """Give precision, recall and F1 of ``tp`` spans of both, ``p`` of pred, ``t`` of gold.

    Examples
    --------
    >>> from spanrs.compat.conlleval import calc_metrics
    >>> calc_metrics(1, 2, 1, percent=False)
    (0.5, 1.0, 0.6666666666666666)
    """
    precision = tp / p if p else 0
    recall = tp / t if t else 0
    both = precision + recall
    fb1 = 2 * precision * recall / both if both else 0
    if percent:
        return 100 * precision, 100 * recall, 100 * fb1
    return precision, recall, fb1


def _six(counter: _spanrs.Conlleval) -> Six:
    counts = [defaultdict[str, int](int) for _ in range(6)]
    both, gold, pred, equal_tags, gold_tags, pred_tags = counts
    _, _, types, pairs = counter.counts()
    for name, row in types:
        for by_type, n in zip((gold, pred, both), row, strict=False):
            if n:
                by_type[text_of(name)] = n
    for gold_tag, pred_tag, n in pairs:
        gold_tags[text_of(gold_tag)] += n
        pred_tags[text_of(pred_tag)] += n
        if gold_tag == pred_tag:
            equal_tags[text_of(gold_tag)] += n
    return (both, gold, pred, equal_tags, gold_tags, pred_tags)


def _counter() -> _spanrs.Conlleval:
    return _spanrs.Conlleval("sequences", None, b"", b"O", False, False)


def count_chunks(true_seqs: Iterable[str], pred_seqs: Iterable[str]) -> Six:
    """Count the spans and the tags of two sequences of tags.

    Parameters
    ----------
    true_seqs, pred_seqs : iterables of str
        Tags in IOB2 or IOBES; what the longer one has more is not looked at.

    Returns
    -------
    tuple of six defaultdict
        Spans of both by type, of gold, of pred; tokens with equal tags by tag, of gold, of pred.

    Raises
    ------
    ValueError
        For a tag other than ``O`` without ``-``.

    Examples
    --------
    >>> from spanrs.compat.conlleval import count_chunks
    >>> [dict(counts) for counts in count_chunks(["B-A", "O"], ["B-A", "B-B"])[:3]]
    [{'A': 1}, {'A': 1}, {'A': 1, 'B': 1}]
    """
    counter = _counter()
    try:
        counter.tags(true_seqs, pred_seqs)
    except errors.FormatError:
        raise ValueError(ONE_PART) from None
    return _six(counter)


def get_result(  # noqa: PLR0917  # as there
    correct_chunks: Counts,
    true_chunks: Counts,
    pred_chunks: Counts,
    correct_counts: Counts,
    true_counts: Counts,
    pred_counts: Counts,  # noqa: ARG001  # given and never looked at
    verbose: bool = True,
) -> tuple[float, float, float]:
    """Give precision, recall and F1 of all spans, in per cent, and print them by type as well.

    Parameters
    ----------
    correct_chunks, true_chunks, pred_chunks, correct_counts, true_counts, pred_counts
        What :func:`count_chunks` gave.
    verbose : bool
        False to print nothing.
    """
    both, gold, pred = (sum(by.values()) for by in (correct_chunks, true_chunks, pred_chunks))
    result = calc_metrics(both, pred, gold)
    if not verbose:
        return result

    def accuracy(*, outside: bool) -> float:
        equal, all_ = (
            sum(n for tag, n in by.items() if outside or tag != "O") for by in (correct_counts, true_counts)
        )
        return 100 * equal / all_ if all_ else 0.0

    row = "precision: %6.2f%%; recall: %6.2f%%; FB1: %6.2f"
    lines = [
        f"processed {sum(true_counts.values())} tokens with {gold} phrases; "
        f"found: {pred} phrases; correct: {both}.",
        f"accuracy: {accuracy(outside=False):6.2f}%; (non-O)",
        f"accuracy: {accuracy(outside=True):6.2f}%; {row % result}",
    ]
    for name in sorted({*true_chunks, *pred_chunks}):
        found = pred_chunks.get(name, 0)
        by_type = calc_metrics(correct_chunks.get(name, 0), found, true_chunks.get(name, 0))
        lines.append(f"{name:>17}: {row % by_type}  {found}")
    print("\n".join(lines))  # noqa: T201  # printing is what it is for
    return result


def evaluate(
    true_seqs: Iterable[str], pred_seqs: Iterable[str], verbose: bool = True
) -> tuple[float, float, float]:
    """Evaluate two sequences of tags; print the report unless told not to.

    Parameters
    ----------
    true_seqs, pred_seqs : iterables of str
        As for :func:`count_chunks`.
    verbose : bool
        False to print nothing.

    Returns
    -------
    tuple of float
        Precision, recall and F1 in per cent.

    Examples
    --------
    >>> from spanrs.compat.conlleval import sighsmile
    >>> sighsmile.evaluate(["B-PER", "I-PER", "O"], ["B-PER", "I-PER", "B-LOC"], verbose=False)
    (50.0, 100.0, 66.66666666666666)
    """
    return get_result(*count_chunks(true_seqs, pred_seqs), verbose=verbose)


def evaluate_conll_file(fileIterator: Iterable[str]) -> tuple[float, float, float]:  # noqa: N803
    """Evaluate lines that end in a gold and a pred tag, and print the report.

    Parameters
    ----------
    fileIterator : iterable of str
        At least three columns a line; an empty line counts as a token outside.

    Raises
    ------
    OSError
        Where a line has one or two columns.
    """
    counter = _counter()
    # The message names the line as it came, which only we have.
    newest = [""]

    def lines() -> Iterable[str]:
        for line in fileIterator:
            newest[0] = line
            yield line

    try:
        counter.lines(lines())
    except errors.FormatError as error:
        if error.code == "no_type":
            raise ValueError(ONE_PART) from None
        message = f"conlleval: too few columns in line {newest[0]}\n"
        raise OSError(message) from None
    return get_result(*_six(counter))
