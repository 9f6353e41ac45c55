"""Counts of errors between two sets of spans, their sums, and measures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from spanrs import _spanrs
from spanrs.eval.fair_weights import FAIR, ITSELF, Weights

#: [label, begin, end, tokens]: indices from 1, inclusive end.
Span: TypeAlias = list[Any]
Evaluation: TypeAlias = dict[str, dict[Any, Any]]
Counts: TypeAlias = Mapping[str, float]


def overlap_type(span1: tuple[int, int], span2: tuple[int, int]) -> str | bool:
    """Return the relation of the second of two pairs of inclusive boundaries to the first.

    The result is ``TP`` if both are equal, ``BES`` if the second is inside of the first, ``BEL`` if the first is inside
    of the second, ``BEO`` for any other overlap, and False if there is no overlap.

    >>> overlap_type((4, 7), (4, 5)), overlap_type((4, 7), (3, 5)), overlap_type((4, 7), (8, 9))
    ('BES', 'BEO', False)
    """
    (begin1, end1), (begin2, end2) = span1, span2
    if begin1 == begin2:
        if end1 == end2:
            return "TP"
        return "BES" if begin1 <= end2 < end1 else "BEL"
    if begin2 < begin1:
        if end2 < begin1:
            return False
        return "BEO" if end2 < end1 else "BEL"
    if begin2 > end1:
        return False
    return "BES" if end2 <= end1 else "BEO"


def compare_spans(target_spans: list[Span], system_spans: list[Span], focus: str = "target") -> Evaluation:
    """Count the traditional and fair errors of one sentence.

    The lists are modified: only unmatched spans remain, sorted by length. The token sets of spans matched in boundary
    and labeling-boundary errors are replaced by sets without the shared tokens. A list passed as both arguments is not
    modified. In ``conf``, ``_`` means no label.

    >>> target = [["PER", 1, 2, {1, 2}], ["ORG", 5, 7, {5, 6, 7}], ["LOC", 9, 9, {9}]]
    >>> system = [["PER", 1, 2, {1, 2}], ["ORG", 5, 6, {5, 6}]]
    >>> compare_spans(target, system)["overall"]["traditional"]
    {'TP': 1, 'FP': 1, 'FN': 2}
    >>> target, system
    ([['LOC', 9, 9, {9}]], [])
    """
    return _spanrs.fair_compare(target_spans, system_spans, focus)


def add_dict(base_dict: dict[str, Any], dict_to_add: dict[str, Any]) -> dict[str, Any]:
    """Add the counts of a sentence to the totals in place; totals are initially ``{}``."""
    for version in ("traditional", "fair"):
        for part in ("overall", "per_label"):
            _add(base_dict.setdefault(part, {}).setdefault(version, {}), dict_to_add[part][version])
    _add(base_dict.setdefault("conf", {}), dict_to_add["conf"])
    return base_dict


def _add(total: dict[Any, Any], counts: dict[Any, Any]) -> None:
    for key, count in counts.items():
        if isinstance(count, dict):
            _add(total.setdefault(key, {}), count)
        else:
            total[key] = total.get(key, 0) + count


def calculate_results(eval_dict: dict[str, Any], **config: Any) -> dict[str, Any]:
    """Add ``Prec``, ``Rec`` and ``F1`` to counts, overall and for each label.

    The counts of ``weighted`` equal the counts of ``fair``.

    >>> counts = compare_spans([["PER", 1, 2, {1, 2}]], [["PER", 1, 1, {1}]])
    >>> weights = {"TP": {"TP": 1}, "BES": {"TP": 0.5, "FN": 0.5}}
    >>> calculate_results(counts, eval_method=["weighted"], weights=weights)["overall"]["weighted"]["F1"]
    0.6666666666666666
    """
    weights = config.get("weights", {})
    methods = config.get("eval_method", ["traditional", "fair"])
    overall, per_label = eval_dict["overall"], eval_dict["per_label"]
    if "weighted" in methods:
        overall["weighted"] = dict(overall["fair"])
        per_label["weighted"] = {label: dict(counts) for label, counts in per_label["fair"].items()}
    for version in methods:
        for counts in (overall[version], *per_label[version].values()):
            counts["Prec"] = precision(counts, version, weights)
            counts["Rec"] = recall(counts, version, weights)
            counts["F1"] = fscore(counts)
    return eval_dict


def precision(evaldict: Counts, version: str = "traditional", weight_dict: Weights | None = None) -> float:
    """Compute precision: TP / (TP + FP).

    Any version other than ``traditional`` and ``fair`` means ``weighted``, which equals ``fair`` if there are no
    weights.

    >>> counts = {"TP": 6, "FP": 1, "FN": 2, "BE": 2}
    >>> precision(counts, "fair")
    0.75
    >>> precision(counts, "weighted", {"TP": {"TP": 1}, "BE": {"TP": 0.5, "FP": 0.5}})
    0.875
    """
    return _share(evaldict, version, weight_dict, "FP")


def recall(evaldict: Counts, version: str = "traditional", weight_dict: Weights | None = None) -> float:
    """Compute recall: TP / (TP + FN); ``version`` has the same values as for :func:`precision`."""
    return _share(evaldict, version, weight_dict, "FN")


def fscore(evaldict: Counts) -> float:
    """Compute F1, the harmonic mean of ``Prec`` and ``Rec``."""
    p, r = evaldict.get("Prec", 0), evaldict.get("Rec", 0)
    # Division by a NumPy zero is nan with a warning, as in the original.
    try:
        return 2 * (p * r) / (p + r)
    except ZeroDivisionError:
        return 0.0


def _share(counts: Counts, version: str, given: Weights | None, wrong: str) -> float:
    """Return TP / (TP + ``wrong``), where ``wrong`` is FP (precision) or FN (recall); 0 if the denominator is 0.

    Source: FairEval, ``precision`` and ``recall``; terms are added in the order of the weights.
    """
    weights = {"traditional": ITSELF, "fair": FAIR}.get(version, given or FAIR)
    hits: float = 0
    misses: float = 0
    # Terms are added one by one, because sum() compensates rounding of floats since Python 3.12.
    for kind, parts in weights.items():
        count = counts.get(kind, 0)
        hits += parts.get("TP", 0) * count
        misses += parts.get(wrong, 0) * count
    return hits / (hits + misses) if hits + misses else 0.0
