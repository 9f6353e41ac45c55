"""The scores of the metric ``poseval`` of Hugging Face: a report of tags by token."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from spanrs.errors import AlignmentError


def poseval(
    predictions: Iterable[Sequence[str]], references: Iterable[Sequence[str]], zero_division: Any = "warn"
) -> dict[str, Any]:
    """Score the tags of single tokens, under the keys of the metric ``poseval``.

    Parameters
    ----------
    predictions, references : iterable of sequences of str
        Pred and gold: sentences of tags.
    zero_division : {'warn', 0, 1, nan}
        Value of a measure whose denominator is 0; ``'warn'`` is 0 with a warning. Averages ignore NaN.

    Returns
    -------
    dict
        For each tag, ``macro avg`` and ``weighted avg`` a dict of ``precision``, ``recall``, ``f1-score`` and
        ``support``, the number of gold tokens; and ``accuracy``. The numbers are those of
        ``sklearn.metrics.classification_report``, which is not needed.

    Raises
    ------
    TypeError
        If a sentence is a string.
    spanrs.errors.AlignmentError
        If the sides have different numbers of sentences, or a sentence of tokens.
    ValueError
        If there are no tokens, or ``zero_division`` is another value.

    Examples
    --------
    >>> from spanrs.integrations import hf
    >>> report = hf.poseval([["DET", "VERB"]], [["DET", "NOUN"]], zero_division=0)
    >>> report["accuracy"], report["DET"]["f1-score"], report["weighted avg"]["support"]
    (0.5, 1.0, 2.0)
    """
    import numpy as np

    gold, pred = _tokens(predictions, references)
    if zero_division != "warn" and zero_division not in (0, 1) and not _is_nan(zero_division):
        raise ValueError(f"zero_division must be 'warn', 0, 1 or nan, not {zero_division!r}")
    tags, numbers = np.unique(np.array([gold, pred]), return_inverse=True)
    gold_numbers, pred_numbers = np.reshape(numbers, (2, -1))
    correct = np.bincount(gold_numbers[gold_numbers == pred_numbers], minlength=len(tags))
    sums = [np.bincount(side, minlength=len(tags)) for side in (gold_numbers, pred_numbers)]
    rows = [
        _divide(2.0 * correct if name == "f1-score" else correct, whole, name, zero_division)
        for name, whole in (
            ("precision", sums[1]),
            ("recall", sums[0]),
            ("f1-score", 1.0 * sums[0] + sums[1]),
        )
    ]
    names = ("precision", "recall", "f1-score", "support")
    report: dict[str, Any] = {
        str(tag): dict(zip(names, map(float, row), strict=True))
        for tag, *row in zip(tags, *rows, sums[0], strict=True)
    }
    report["accuracy"] = float(correct.sum() / len(gold))
    for name, weights in (("macro avg", None), ("weighted avg", sums[0])):
        means = [_mean(row, weights) for row in rows]
        report[name] = dict(zip(names, (*means, float(len(gold))), strict=True))
    return report


def _tokens(
    predictions: Iterable[Sequence[str]], references: Iterable[Sequence[str]]
) -> tuple[list[str], list[str]]:
    """Return all gold and pred tags; refuse sides of different shapes, which poseval joins."""
    pred, gold = list(predictions), list(references)
    for name, side in (("predictions", pred), ("references", gold)):
        if any(isinstance(sentence, str) for sentence in side):
            raise TypeError(f"{name} must be sentences of tags, not strings")
    if len(pred) != len(gold):
        raise AlignmentError(f"predictions have {len(pred)} sentences, but references {len(gold)}")
    for at, (one, other) in enumerate(zip(pred, gold, strict=True)):
        if len(one) != len(other):
            raise AlignmentError(
                f"sentence {at}: predictions have {len(one)} tokens, but references {len(other)}"
            )
    tokens = [tag for row in gold for tag in row], [tag for row in pred for tag in row]
    if not tokens[0]:
        raise ValueError("there are no tokens to score")
    return tokens


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


#: Measure -> the tokens that a tag without a value does not have.
_ABSENT = {"precision": "predicted", "recall": "true", "f1-score": "true nor predicted"}


def _divide(part: Any, whole: Any, name: str, zero_division: Any) -> Any:
    import numpy as np

    is_zero = whole == 0
    divided = part / np.where(is_zero, 1, whole)
    if is_zero.any():
        divided[is_zero] = 0 if zero_division == "warn" else zero_division
        if zero_division == "warn":
            from spanrs.compat.seqeval import _scores

            where = "due to" if len(divided) == 1 else "in labels with"
            what = "F-score" if name == "f1-score" else name.capitalize()
            text = (
                f"{what} is ill-defined and being set to 0.0 {where} no {_ABSENT[name]} samples. "
                "Use `zero_division` parameter to control this behavior."
            )
            _scores.warn(text, _scores.undefined_metric_warning(), "sklearn.metrics._classification")
    return divided


def _mean(row: Any, weights: Any) -> float:
    import numpy as np

    defined = ~np.isnan(row)
    if not defined.any():
        return math.nan
    kept = None if weights is None else weights[defined]
    # Weights that are all 0 are ignored, as in scikit-learn.
    return float(np.average(row[defined], weights=None if kept is None or not kept.any() else kept))
