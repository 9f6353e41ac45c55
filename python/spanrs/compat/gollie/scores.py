"""Scores of annotations, and the filter of predicted ones that are not in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from spanrs.compat.gollie.annotations import BASE, CONLL03, Annotation, comparable, read


def filter_hallucinations(
    annotations: Iterable[Annotation], text: str, classes: Iterable[str] = CONLL03
) -> list[Annotation]:
    """Return the predicted annotations that are found in the text.

    Parameters
    ----------
    annotations : iterable of Annotation
        The elements of a predicted answer.
    text : str
        The text of the sentence.
    classes : iterable of str
        The classes that exist besides ``Entity``.

    Returns
    -------
    list of Annotation
        The annotations whose class exists and whose span occurs in the text, in any case. Of equal spans, of any
        class, as many are kept as the text has occurrences; these include parts of words.

    Notes
    -----
    The text is searched once per distinct span.

    Examples
    --------
    >>> found = [Annotation("Person", "Anna"), Annotation("Location", "Anna"), Annotation("Person", "nn")]
    >>> filter_hallucinations(found, "Anna came")
    [Annotation(name='Person', span='Anna'), Annotation(name='Person', span='nn')]
    """
    known = {*classes, BASE}
    lower = text.lower()
    rest: dict[str, int] = {}
    kept = []
    for annotation in annotations:
        if annotation.name not in known or not isinstance(annotation.span, str):
            continue
        # The occurrences of the span with its surrounding blanks are counted, but without them it must occur, too.
        span = annotation.span.lower()
        if span not in rest:
            rest[span] = lower.count(span) if span.strip() in lower else 0
        if rest[span]:
            rest[span] -= 1
            kept.append(annotation)
    return kept


def evaluate(
    texts: Sequence[str],
    golds: Sequence[str],
    preds: Sequence[str],
    classes: Iterable[str] = CONLL03,
) -> dict[str, Any]:
    """Score predicted answers; equal classes and spans match, and counts are summed over sentences.

    Parameters
    ----------
    texts, golds, preds : sequence of str
        Text, gold answer and predicted answer of each sentence.
    classes : iterable of str
        The classes that are scored: ``CONLL03`` or ``CONLL03_NO_MISC``, or classes of the caller's prompts. The
        classes of CoNLL 2003 always exist, so that they are no hallucinations.

    Returns
    -------
    dict
        ``entities`` with ``precision``, ``recall``, ``f1-score`` and ``class_scores``, and ``predictions_stats`` with
        the numbers and percentages of answers that could not be parsed and of predictions that were filtered.

    Raises
    ------
    TypeError
        If an answer is a single value without brackets, or a gold span is not a str.
    ValueError
        If the numbers of texts and answers differ.

    Notes
    -----
    Only predictions are filtered, by :func:`filter_hallucinations`. Source: GoLLIE at commit 164c611 (Apache-2.0
    licence).

    Examples
    --------
    >>> gold = ['[Person(span="Anna"), Location(span="York")]']
    >>> pred = ['[Person(span="anna"), Location(span="New York")]']
    >>> scores = evaluate(["Anna saw York"], gold, pred)
    >>> scores["entities"]["precision"], scores["entities"]["recall"]
    (1.0, 0.5)
    >>> scores["predictions_stats"]["hallucinated_predictions"]
    {'total': 1, 'percentage%': 50.0}
    """
    if not len(texts) == len(golds) == len(preds):
        raise ValueError(
            f"{len(texts)} texts, {len(golds)} golds and {len(preds)} preds; "
            "give one text and two answers for each sentence"
        )
    scored = set(classes)
    existing = scored.union(CONLL03)
    counts: dict[str, dict[str, int]] = {}
    totals = Counter(errors=0, hallucinated=0, predictions=0, gold=0)
    for text, gold_answer, pred_answer in zip(texts, golds, preds, strict=True):
        gold, pred = read(gold_answer, existing), read(pred_answer, existing)
        kept = filter_hallucinations(pred.annotations, text, existing)
        totals["errors"] += pred.parse_error
        totals["hallucinated"] += len(pred.annotations) - len(kept)
        totals["predictions"] += len(kept)
        totals["gold"] += len(gold.annotations)
        _count(counts, comparable(gold.annotations, scored), comparable(kept, scored))
    micro = {key: sum(count[key] for count in counts.values()) for key in ("tp", "total_pos", "total_pre")}
    per_class = {name: count | _measures(**count) for name, count in counts.items()}
    return {
        "entities": {**_measures(**micro), "class_scores": per_class},
        "predictions_stats": _statistics(totals, len(texts)),
    }


def _count(
    counts: dict[str, dict[str, int]], gold: list[tuple[str, str]], pred: list[tuple[str, str]]
) -> None:
    """Add the counts of one sentence, by class."""
    rest = Counter(gold)
    for name, _ in gold:
        counts.setdefault(name, {"tp": 0, "total_pos": 0, "total_pre": 0})["total_pos"] += 1
    for item in pred:
        count = counts.setdefault(item[0], {"tp": 0, "total_pos": 0, "total_pre": 0})
        count["total_pre"] += 1
        if rest[item] > 0:
            rest[item] -= 1
            count["tp"] += 1


def _measures(tp: int, total_pos: int, total_pre: int) -> dict[str, float]:
    precision = tp / total_pre if total_pre else 0.0
    recall = tp / total_pos if total_pos else 0.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return {"precision": precision, "recall": recall, "f1-score": f1}


def _statistics(totals: Counter[str], sentences: int) -> dict[str, dict[str, float]]:
    def part(name: str, of: int) -> dict[str, float]:
        return {"total": totals[name], "percentage%": round(totals[name] / of * 100, 4) if of else 0.0}

    return {
        "impossible_to_parse": part("errors", sentences),
        "hallucinated_predictions": part("hallucinated", totals["predictions"] + totals["hallucinated"]),
        "total": {"predictions": totals["predictions"], "gold": totals["gold"]},
    }
