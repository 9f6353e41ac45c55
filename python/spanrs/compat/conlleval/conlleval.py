"""The package ``conlleval`` 0.2 from PyPI."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import IO, Any

from spanrs.compat.conlleval import rules, sighsmile, spyysalo

# The original also exports these names.
from spanrs.compat.conlleval.rules import FormatError, end_of_chunk, parse_tag, start_of_chunk  # noqa: F401

__all__ = ["FormatError", "Statistics", "evaluate", "report"]


class Statistics:
    """Counts of spans and tokens by type."""

    def __init__(self) -> None:
        # Counters are in the order of the rows of `count_lines`.
        self.chunks_gold, self.chunks_pred, self.chunks_correct = _counters()
        self.tags_gold, self.tags_pred, self.tags_correct = _counters()

    def slot_set(self) -> set[str]:
        """Return the types that have counts."""
        return set().union(*vars(self).values())


def _counters() -> list[defaultdict[str, int]]:
    return [defaultdict(int) for _ in range(3)]


def evaluate(
    lines: Iterable[Any], delimiter: Any = None, boundary: Any = "-X-", otag: str = "O", **others: Any
) -> Any:
    """Evaluate lines that end in a gold and a pred tag; precision is 1 if nothing was predicted.

    If the second argument is a sequence of tags, :func:`spanrs.compat.conlleval.sighsmile.evaluate` is called; if it is
    an object with a ``delimiter``, :func:`spanrs.compat.conlleval.spyysalo.evaluate` is called. ``others`` are keyword
    arguments for these two functions.

    Examples
    --------
    >>> summary = evaluate(["x B-PER B-PER", "y I-PER O", "", "z O B-LOC"])
    >>> summary["overall"]["chunks"]["stats"]
    {'gold': 1, 'pred': 2, 'correct': 0}
    """
    if "options" in others or hasattr(delimiter, "delimiter"):
        return spyysalo.evaluate(lines, others.get("options", delimiter))
    if "pred_seqs" in others or (delimiter is not None and not isinstance(delimiter, str)):
        verbose = others.get("verbose", boundary if isinstance(boundary, (bool, int)) else True)
        return sighsmile.evaluate(lines, others.get("pred_seqs", delimiter), verbose)
    if others:
        raise TypeError(f"evaluate() got an unexpected keyword argument {next(iter(others))!r}")
    stats = Statistics()
    for name, row in rules.count_lines(lines, delimiter, boundary, otag, trim=False)[2].items():
        for counts, n in zip(vars(stats).values(), row, strict=True):
            if n:
                counts[name] = n
    return summarize_all(stats)


def summarize(correct: int, pred: int, gold: int) -> dict[str, dict[str, float]]:
    """Return counts with precision (1 if nothing was predicted), recall and F1."""
    precision = correct / pred if pred else 1
    recall = correct / gold if gold else 0
    total = precision + recall
    return {
        "stats": {"gold": gold, "pred": pred, "correct": correct},
        "evals": {"f1": 2 * precision * recall / total if total else 0, "prec": precision, "rec": recall},
    }


def summarize_all(s: Statistics) -> dict[str, Any]:
    """Summarize statistics like :func:`evaluate`; the overall counts include the empty type, which has no slot."""
    slots = sorted(s.slot_set() - {""})
    summary: dict[str, Any] = {"overall": {}, "slots": {}}
    for kind in ("chunks", "tags"):
        sides = [getattr(s, f"{kind}_{side}") for side in ("correct", "pred", "gold")]
        summary["overall"][kind] = summarize(*(sum(side.values()) for side in sides))
        by_slot = {slot: summarize(*(side.get(slot, 0) for side in sides)) for slot in slots}
        summary["slots"][kind] = by_slot
    return summary


def report(summary: dict[str, Any] | spyysalo.EvalCounts, out: IO[str] | None = None) -> str | None:
    """Format a summary like conlleval.pl.

    For counts of :mod:`spanrs.compat.conlleval.spyysalo`, ``report`` of that module writes to ``out``.

    Examples
    --------
    >>> print(report(evaluate(["x B-PER B-PER"])), end="")
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
    sizes = rules.SIZES % (tokens, stats["gold"], stats["pred"], stats["correct"])
    lines = [sizes, rules.ACCURACY % (accuracy * 100), _measures(chunks), "\n"]
    for slot, row in sorted(summary["slots"]["chunks"].items()):
        lines.append(f"{slot:>17s}: {_measures(row)}  {row['stats']['pred']:d}\n")
    return "".join(lines)


def _measures(row: dict[str, dict[str, float]]) -> str:
    return rules.MEASURES % tuple(row["evals"][name] * 100 for name in ("prec", "rec", "f1"))
