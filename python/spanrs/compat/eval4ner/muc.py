"""Scores of extracted strings by the four modes of SemEval-2013, as in eval4ner.

An extraction is a pair (type, string). Strings overlap if their first occurrences in the text overlap, so texts in
which a string occurs twice are better scored by positions: ``spanrs.score(..., matcher="partial")``.
"""

from __future__ import annotations

import pprint
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

Extraction: TypeAlias = tuple[str, str]
Results: TypeAlias = dict[str, dict[str, float]]

#: The outcome in each mode, by the kind of match.
OUTCOMES = {
    "equal": {"strict": "correct", "exact": "correct", "partial": "correct", "type": "correct"},
    "overlap of type": {
        "strict": "incorrect",
        "exact": "incorrect",
        "partial": "partial",
        "type": "correct",
    },
    "other type": {"strict": "incorrect", "exact": "correct", "partial": "correct", "type": "incorrect"},
    "overlap": {"strict": "incorrect", "exact": "incorrect", "partial": "partial", "type": "incorrect"},
}
MODES = ("strict", "exact", "partial", "type")
COUNTS = ("correct", "incorrect", "partial", "missed", "spurius")
MEASURES = ("precision", "recall", "f1_score")


def evaluate_one(
    prediction: Sequence[Extraction], ground_truth: Sequence[Extraction], text: str
) -> Results:
    """Score one text.

    Parameters
    ----------
    prediction, ground_truth : sequence of (str, str)
        Types and strings.
    text : str
        The text in which the strings occur.

    Returns
    -------
    dict
        For each mode the counts ``correct``, ``incorrect``, ``partial``, ``missed``, ``spurius`` (sic), ``possible``
        and ``actual``, and ``precision``, ``recall``, ``f1_score``. If both sides are empty, all values are 1 and the
        last two counts are omitted.

    Examples
    --------
    >>> text = "John Jones came to York"
    >>> gold, pred = [("PER", "John Jones"), ("LOC", "York")], [("PER", "Jones"), ("LOC", "York")]
    >>> scores = evaluate_one(pred, gold, text)
    >>> scores["strict"]["f1_score"], scores["partial"]["f1_score"], scores["type"]["f1_score"]
    (0.5, 0.75, 1.0)
    """
    if not prediction and not ground_truth:
        return {mode: dict.fromkeys((*COUNTS, *MEASURES), 1) for mode in MODES}
    results: Results = {mode: dict.fromkeys((*COUNTS, *MEASURES), 0) for mode in MODES}
    preds, golds = ([(type_, string) for type_, string in side] for side in (prediction, ground_truth))
    rest = list(golds)
    for pred in preds:
        kind, gold = _match(pred, rest, text)
        if gold is not None:
            rest.remove(gold)
        for mode in MODES:
            results[mode]["spurius" if kind is None else OUTCOMES[kind][mode]] += 1
    missed = _missed(golds, preds, text)
    for mode in MODES:
        results[mode]["missed"] += missed
        _measure(results[mode])
    return results


def _match(
    pred: Extraction, golds: Iterable[Extraction], text: str
) -> tuple[str | None, Extraction | None]:
    """Return the best kind of match among the gold extractions, and the first one of this kind."""
    type_, string = pred
    kinds: list[tuple[str, Callable[[str, str], bool]]] = [
        ("equal", lambda of, gold: of == type_ and gold == string),
        ("overlap of type", lambda of, gold: of == type_ and overlap(gold, string, text)),
        ("other type", lambda of, gold: of != type_ and gold == string),
        ("overlap", lambda of, gold: of != type_ and overlap(gold, string, text)),
    ]
    golds = list(golds)
    for kind, is_match in kinds:
        for gold in golds:
            if is_match(*gold):
                return kind, gold
    return None, None


def _missed(golds: Iterable[Extraction], preds: Iterable[Extraction], text: str) -> int:
    """Return the number of gold extractions that overlap no predicted one; each of these is used once."""
    rest, missed = list(preds), 0
    for _, string in golds:
        pred = next((pred for pred in rest if overlap(string, pred[1], text)), None)
        if pred is None:
            missed += 1
        else:
            rest.remove(pred)
    return missed


def overlap(true_val: str, pred_val: str, text: str) -> bool:
    """Return whether the first occurrences of two strings share a character."""
    a, b = text.find(true_val), text.find(pred_val)
    return min(a, b) >= 0 and max(a, b) < min(a + len(true_val), b + len(pred_val))


def _measure(counts: dict[str, float]) -> None:
    credit = counts["correct"] + 0.5 * counts["partial"]
    matched = counts["correct"] + counts["incorrect"] + counts["partial"]
    counts["possible"], counts["actual"] = matched + counts["missed"], matched + counts["spurius"]
    precision = credit / counts["actual"] if counts["actual"] > 0 else 0
    recall = credit / counts["possible"] if counts["possible"] > 0 else 0
    both = precision + recall
    f1 = 2 * precision * recall / both if both > 0 else 0
    counts.update(precision=precision, recall=recall, f1_score=f1)


def evaluate_all(
    predictions: Sequence[Sequence[Extraction]],
    golden_labels: Sequence[Sequence[Extraction]],
    texts: Sequence[str],
    verbose: bool = False,
) -> Results:
    """Score texts, print the means of the measures over texts, and return them.

    Parameters
    ----------
    predictions, golden_labels : sequence of sequences of (str, str)
        Types and strings of each text.
    texts : sequence of str
        The texts.
    verbose : bool
        Whether to print the scores of each text.

    Returns
    -------
    dict
        For each mode ``precision``, ``recall``, ``f1_score`` and ``count``, the number of texts.

    Raises
    ------
    AssertionError
        If the numbers of texts differ.
    ValueError
        If there are no texts.

    Examples
    --------
    >>> scores = evaluate_all([[("LOC", "York")]], [[("LOC", "York")]], ["He came to York"])
    <BLANKLINE>
     NER evaluation scores:
      strict mode, Precision=1.0000, Recall=1.0000, F1:1.0000
       exact mode, Precision=1.0000, Recall=1.0000, F1:1.0000
     partial mode, Precision=1.0000, Recall=1.0000, F1:1.0000
        type mode, Precision=1.0000, Recall=1.0000, F1:1.0000
    """
    if not len(predictions) == len(golden_labels) == len(texts):
        raise AssertionError("the counts of predictions/golden_labels/texts are not equal!")
    if not len(texts):
        raise ValueError("there are no texts to score")
    totals: Results = {mode: dict.fromkeys((*MEASURES, "count"), 0) for mode in MODES}
    for number, case in enumerate(zip(predictions, golden_labels, texts, strict=True), 1):
        one = evaluate_one(*case)
        if verbose:
            print("--" * 6, f"sample_{number:0>6}:")  # noqa: T201
            pprint.pprint(one)  # noqa: T203
        for mode in MODES:
            for name in MEASURES:
                totals[mode][name] += one[mode][name]
            totals[mode]["count"] += 1
    print("\n", "NER evaluation scores:")  # noqa: T201
    for mode, total in totals.items():
        for name in MEASURES:
            total[name] /= total["count"]
        precision, recall, f1 = (total[name] for name in MEASURES)
        print(f"{mode:>8s} mode, Precision={precision:<6.4f}, Recall={recall:<6.4f}, F1:{f1:<6.4f}")  # noqa: T201
    return totals
