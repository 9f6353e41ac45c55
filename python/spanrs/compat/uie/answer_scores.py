"""Scores of answers in the structured extraction language, without offsets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from spanrs.compat.uie.metrics import Metric
from spanrs.compat.uie.structure import Schema, read_gold, read_pred, spots_and_roles


def _texts(texts: Sequence[str] | None, number: int) -> Sequence[str | None]:
    return [None] * number if texts is None else texts


def evaluate(
    golds: Sequence[str], preds: Sequence[str], schema: Schema, texts: Sequence[str] | None = None
) -> dict[str, float]:
    """Score predicted answers.

    Parameters
    ----------
    golds, preds : sequence of str
        Gold and predicted answer of each sentence.
    schema : Schema
        The types and roles that are kept, on both sides. ``Schema()`` keeps nothing.
    texts : sequence of str, optional
        The texts of the sentences; spans that do not occur in the text are dropped, on both sides.

    Returns
    -------
    dict
        Counts and measures in per cent of ``spot`` (types and spans), ``asoc`` (associations), ``record`` (spans with
        all associations in any order) and ``ordered-record``; ``overall-F1``, the sum of the F1 of ``spot`` and
        ``asoc``; and how many answers were well-formed.

    Raises
    ------
    ValueError
        If the numbers of answers and texts differ, or a gold answer is not well-formed.

    Notes
    -----
    The time is linear in the length of the answers, and in the product of the number of spans and the length of the
    text. Source: UIE at commit c88dd08 (CC BY-NC-SA 4.0 licence); reproduced from recorded outputs.

    Examples
    --------
    >>> gold = "<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_1> <extra_id_1>"
    >>> scores = evaluate([gold], [gold.removesuffix(" <extra_id_1>")], Schema(types=["person"]))
    >>> scores["spot-F1"], scores["overall-F1"], scores["fixed"]
    (100.0, 100.0, 1)
    """
    if len(golds) != len(preds) or (texts is not None and len(texts) != len(golds)):
        raise ValueError("golds, preds and texts must have one element for each sentence")
    counter: Counter[str] = Counter()
    metrics = {name: Metric() for name in ("spot", "asoc", "record", "ordered-record")}
    for gold, pred, text in zip(golds, preds, _texts(texts, len(golds)), strict=True):
        sides = read_gold(gold, schema, text, counter), read_pred(pred, schema, text, counter)
        spots, roles = zip(*map(spots_and_roles, sides), strict=True)
        metrics["spot"].count(*spots)
        metrics["asoc"].count(*roles)
        metrics["record"].count(
            *([(*spot[:2], tuple(sorted(spot.roles))) for spot in side] for side in sides)
        )
        metrics["ordered-record"].count(
            *([(*spot[:2], tuple(spot.roles)) for spot in side] for side in sides)
        )
    figures = {
        key: value for name, metric in metrics.items() for key, value in metric.figures(f"{name}-").items()
    }
    overall = figures["spot-F1"] + figures["asoc-F1"]
    return {"overall-F1": overall, **figures, **{key: number for key, number in counter.items() if number}}
