"""The package ``conlleval`` 0.2 from PyPI."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import IO, Any

from spanrs.compat.conlleval import rules, sighsmile, spyysalo
from spanrs.compat.conlleval.rules import FormatError, count_lines, ends, starts

__all__ = ["FormatError", "Statistics", "evaluate", "report"]

parse_tag = rules.parse_tag


class Statistics:
    """Counts by type, of spans and of tokens.

    Examples
    --------
    >>> from spanrs.compat.conlleval import Statistics
    >>> Statistics().slot_set()
    set()
    """

    def __init__(self) -> None:
        self.chunks_gold: defaultdict[str, int] = defaultdict(int)
        self.chunks_correct: defaultdict[str, int] = defaultdict(int)
        self.chunks_pred: defaultdict[str, int] = defaultdict(int)
        self.tags_gold: defaultdict[str, int] = defaultdict(int)
        self.tags_correct: defaultdict[str, int] = defaultdict(int)
        self.tags_pred: defaultdict[str, int] = defaultdict(int)

    def slot_set(self) -> set[str]:
        """Give the types that anything was counted of."""
        return set().union(
            self.chunks_gold,
            self.chunks_correct,
            self.chunks_pred,
            self.tags_gold,
            self.tags_correct,
            self.tags_pred,
        )


def evaluate(
    lines: Iterable[Any],
    delimiter: Any = None,
    boundary: Any = "-X-",
    otag: str = "O",
    **others: Any,
) -> Any:
    """Evaluate lines that end in a gold and a pred tag.

    Parameters
    ----------
    lines : iterable of str
        One token a line, gold tag in the last column but one, pred tag in the last; an empty line is the
        border of sentences.
    delimiter : str, optional
        Between columns; None for white space.
    boundary : str
        The first column of lines that are borders of sentences.
    otag : str
        The tag of tokens outside.
    **others
        Arguments by the names of the other ports.

    Returns
    -------
    dict
        ``overall`` and ``slots``, each with ``chunks`` and ``tags``: ``stats`` (``gold``, ``pred``,
        ``correct``) and ``evals`` (``f1``, ``prec``, ``rec``, as fractions), for slots by type. The
        precision is 1 where nothing was predicted.

    Raises
    ------
    FormatError
        Where a line has another number of columns than the first, or fewer than three.

    Notes
    -----
    Given a list of tags in second place, this is :func:`spanrs.compat.conlleval.sighsmile.evaluate`; given
    options with a ``delimiter``, :func:`spanrs.compat.conlleval.spyysalo.evaluate`. Source: conlleval 0.2.

    Examples
    --------
    >>> from spanrs.compat import conlleval
    >>> summary = conlleval.evaluate(["x B-PER B-PER", "y I-PER O", "", "z O B-LOC"])
    >>> summary["overall"]["chunks"]["stats"]
    {'gold': 1, 'pred': 2, 'correct': 0}
    """
    if "options" in others or hasattr(delimiter, "delimiter"):
        return spyysalo.evaluate(lines, others.get("options", delimiter))
    if "pred_seqs" in others or (delimiter is not None and not isinstance(delimiter, str)):
        verbose = others.get("verbose", boundary if isinstance(boundary, (bool, int)) else True)
        return sighsmile.evaluate(lines, others.get("pred_seqs", delimiter), verbose)
    if others:
        message = f"evaluate() got an unexpected keyword argument {next(iter(others))!r}"
        raise TypeError(message)
    _, _, rows = count_lines(lines, delimiter, boundary, otag, trim=False)
    stats = Statistics()
    places = (
        stats.chunks_gold,
        stats.chunks_pred,
        stats.chunks_correct,
        stats.tags_gold,
        stats.tags_pred,
        stats.tags_correct,
    )
    for name, row in rows.items():
        for counts, n in zip(places, row, strict=True):
            if n:
                counts[name] = n
    return summarize_all(stats)


def summarize(correct: int, pred: int, gold: int) -> dict[str, dict[str, float]]:
    """Give counts with precision (1 where nothing was predicted), recall and F1."""
    precision = correct / pred if pred else 1
    recall = correct / gold if gold else 0
    both = precision + recall
    return {
        "stats": {"gold": gold, "pred": pred, "correct": correct},
        "evals": {"f1": 2 * precision * recall / both if both else 0, "prec": precision, "rec": recall},
    }


def summarize_all(s: Statistics) -> dict[str, Any]:
    """Summarize statistics as :func:`evaluate` does; the empty type is no slot, but counts in the whole."""
    kinds = {
        "chunks": (s.chunks_correct, s.chunks_pred, s.chunks_gold),
        "tags": (s.tags_correct, s.tags_pred, s.tags_gold),
    }
    slots = sorted(s.slot_set() - {""})
    return {
        "overall": {
            kind: summarize(*(sum(side.values()) for side in sides)) for kind, sides in kinds.items()
        },
        "slots": {
            kind: {slot: summarize(*(side.get(slot, 0) for side in sides)) for slot in slots}
            for kind, sides in kinds.items()
        },
    }


def end_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str, otag: str = "O") -> bool:
    """Say whether a span ends between two tokens, by prefixes and types."""
    return ends(prev_tag, tag, prev_type, type_, otag)


def start_of_chunk(prev_tag: str, tag: str, prev_type: str, type_: str, otag: str = "O") -> bool:
    """Say whether a span starts between two tokens, by prefixes and types."""
    return starts(prev_tag, tag, prev_type, type_, otag)


def report(summary: dict[str, Any] | spyysalo.EvalCounts, out: IO[str] | None = None) -> str | None:
    """Give the text of a summary, in the form of conlleval.pl.

    Parameters
    ----------
    summary : dict
        What :func:`evaluate` gave. For counts of :mod:`spanrs.compat.conlleval.spyysalo` its ``report`` is
        called, which writes to ``out``.
    out : text file, optional
        Only for such counts.

    Examples
    --------
    >>> from spanrs.compat import conlleval
    >>> print(conlleval.report(conlleval.evaluate(["x B-PER B-PER"])), end="")
    processed 1 tokens with 1 phrases; found: 1 phrases; correct: 1.
    accuracy: 100.00%; precision: 100.00%; recall: 100.00%; FB1: 100.00
                  PER: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
    """
    if isinstance(summary, spyysalo.EvalCounts):
        spyysalo.report(summary, out)
        return None
    chunks, tags = (summary["overall"][kind] for kind in ("chunks", "tags"))
    stats, tokens = chunks["stats"], tags["stats"]["gold"]
    accuracy = tags["stats"]["correct"] / tokens if tokens else 0.0
    lines = [
        f"processed {tokens} tokens with {stats['gold']} phrases; "
        f"found: {stats['pred']} phrases; correct: {stats['correct']}.\n",
        f"accuracy: {accuracy * 100:6.2f}%; {_measures(chunks)}\n",
    ]
    for slot, row in sorted(summary["slots"]["chunks"].items()):
        lines.append(f"{slot:>17s}: {_measures(row)}  {row['stats']['pred']:d}\n")
    return "".join(lines)


def _measures(row: dict[str, dict[str, float]]) -> str:
    precision, recall, f1 = (row["evals"][name] * 100 for name in ("prec", "rec", "f1"))
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"
