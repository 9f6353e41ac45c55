"""Counts added up, and what is computed from them."""

from __future__ import annotations

from typing import Any

from spanrs.compat.faireval.scores import fscore, precision, recall


def add_dict(eval_dict: dict[str, Any], sent_counts: dict[str, Any]) -> dict[str, Any]:
    """Add the counts of a sentence to those of others.

    Parameters
    ----------
    eval_dict : dict
        What there is so far, ``{}`` at first; it is changed.
    sent_counts : dict
        From :func:`~spanrs.compat.faireval.compare_spans`.

    Returns
    -------
    dict
        `eval_dict`.

    Examples
    --------
    >>> from spanrs.compat.faireval import add_dict, compare_spans
    >>> result = {}
    >>> for _ in range(2):
    ...     result = add_dict(result, compare_spans([["PER", 1, 1, {1}]], [["LOC", 1, 1, {1}]]))
    >>> result["overall"]["traditional"], result["conf"]["PER"]["LOC"]
    ({'TP': 0, 'FP': 2, 'FN': 2}, 2)
    """
    for version in ("traditional", "fair"):
        overall = eval_dict.setdefault("overall", {}).setdefault(version, {})
        _add(overall, sent_counts["overall"][version])
        by_label = eval_dict.setdefault("per_label", {}).setdefault(version, {})
        for label, counts in sent_counts["per_label"][version].items():
            _add(by_label.setdefault(label, {}), counts)
    conf = eval_dict.setdefault("conf", {})
    for row, counts in sent_counts["conf"].items():
        _add(conf.setdefault(row, {}), counts)
    return eval_dict


def _add(total: dict[Any, int], counts: dict[Any, int]) -> None:
    for key, count in counts.items():
        total[key] = total.get(key, 0) + count


def calculate_results(eval_dict: dict[str, Any], **config: Any) -> dict[str, Any]:
    """Compute precision, recall and F1 from counts, overall and for each label.

    Parameters
    ----------
    eval_dict : dict
        From :func:`~spanrs.compat.faireval.compare_spans` or :func:`add_dict`; it is changed.
    **config
        ``eval_method``: the versions, ``traditional`` and ``fair`` if it is missing; the counts of
        ``weighted`` are those of ``fair``. ``weights``: for ``weighted``. Other keys do not matter.

    Returns
    -------
    dict
        `eval_dict`, with keys ``Prec``, ``Rec`` and ``F1`` beside the counts.

    Raises
    ------
    KeyError
        For versions that are not counted.

    Examples
    --------
    >>> from spanrs.compat.faireval import calculate_results, compare_spans
    >>> counts = compare_spans([["PER", 1, 2, {1, 2}]], [["PER", 1, 1, {1}]])
    >>> weights = {"TP": {"TP": 1}, "BES": {"TP": 0.5, "FN": 0.5}}
    >>> calculate_results(counts, eval_method=["weighted"], weights=weights)["overall"]["weighted"]["F1"]
    0.6666666666666666
    """
    weights = config.get("weights", {})
    methods = config.get("eval_method", ["traditional", "fair"])
    if "weighted" in methods:
        eval_dict["overall"]["weighted"] = dict(eval_dict["overall"]["fair"])
        eval_dict["per_label"]["weighted"] = {
            label: dict(counts) for label, counts in eval_dict["per_label"]["fair"].items()
        }
    for version in methods:
        for counts in (eval_dict["overall"][version], *eval_dict["per_label"][version].values()):
            counts["Prec"] = precision(counts, version, weights)
            counts["Rec"] = recall(counts, version, weights)
            counts["F1"] = fscore(counts)
    return eval_dict
