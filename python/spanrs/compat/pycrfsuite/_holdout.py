"""Scores on held-out sequences, as CRFsuite reports them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence


def holdout_report(
    labels: Sequence[str], gold: Sequence[Sequence[str]], pred: Sequence[Sequence[str]]
) -> Iterator[str]:
    """Yield the lines about held-out sequences.

    Parameters
    ----------
    labels : sequence of str
        All labels.
    gold, pred : sequence of sequence of str
        Labels of each sequence.

    Notes
    -----
    Macro averages are over all labels; one that does not occur in gold adds zero.

    Examples
    --------
    >>> from spanrs.compat.pycrfsuite._holdout import holdout_report
    >>> print("".join(holdout_report(["B", "O"], [["B", "O"]], [["B", "B"]])), end="")
    Performance by label (#match, #model, #ref) (precision, recall, F1):
        B: (1, 2, 1) (0.5000, 1.0000, 0.6667)
        O: (0, 0, 1) (0.0000, 0.0000, 0.0000)
    Macro-average precision, recall, F1: (0.250000, 0.500000, 0.333333)
    Item accuracy: 1 / 2 (0.5000)
    Instance accuracy: 0 / 1 (0.0000)
    """
    match: Counter[str] = Counter()
    model: Counter[str] = Counter()
    ref: Counter[str] = Counter()
    for gold_labels, pred_labels in zip(gold, pred, strict=True):
        ref.update(gold_labels)
        model.update(pred_labels)
        match.update(a for a, b in zip(gold_labels, pred_labels, strict=True) if a == b)
    yield "Performance by label (#match, #model, #ref) (precision, recall, F1):\n"
    sums = [0.0, 0.0, 0.0]
    for label in labels:
        counts = f"    {label}: ({match[label]}, {model[label]}, {ref[label]})"
        if not ref[label]:
            yield f"{counts} (******, ******, ******)\n"
            continue
        precision = match[label] / model[label] if model[label] else 0.0
        recall = match[label] / ref[label]
        f1 = 2 * precision * recall / (precision + recall) if match[label] else 0.0
        yield f"{counts} ({precision:.4f}, {recall:.4f}, {f1:.4f})\n"
        sums = [total + score for total, score in zip(sums, (precision, recall, f1), strict=True)]
    averages = ", ".join(f"{total / max(len(labels), 1):f}" for total in sums)
    yield f"Macro-average precision, recall, F1: ({averages})\n"
    yield _accuracy("Item", match.total(), ref.total())
    yield _accuracy("Instance", sum(list(a) == list(b) for a, b in zip(gold, pred, strict=True)), len(gold))


def _accuracy(what: str, right: int, total: int) -> str:
    return f"{what} accuracy: {right} / {total} ({right / total if total else 0.0:.4f})\n"
