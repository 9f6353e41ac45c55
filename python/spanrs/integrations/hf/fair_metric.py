"""The scores of the metric ``hpi-dhc/FairEval`` of Hugging Face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Weights of the mode ``weighted`` if none are given.
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "TP": {"TP": 1},
    "FP": {"FP": 1},
    "FN": {"FN": 1},
    "LE": {"TP": 0, "FP": 0.5, "FN": 0.5},
    "BE": {"TP": 0.5, "FP": 0.25, "FN": 0.25},
    "LBE": {"TP": 0, "FP": 0.5, "FN": 0.5},
}
ERROR_FORMATS = ("count", "error_ratio", "entity_ratio")
MODES = ("traditional", "fair", "weighted")
_ERRORS = ("FP", "FN", "LE", "BE", "LBE")
_KEYS = {"Prec": "precision", "Rec": "recall", "F1": "f1"}


def faireval(  # noqa: PLR0917  # as in the metric
    predictions: list[list[str]],
    references: list[list[str]],
    suffix: bool = False,
    scheme: Any = None,
    mode: str = "fair",
    weights: Mapping[str, Mapping[str, float]] | None = None,
    error_format: str = "count",
    zero_division: Any = "warn",  # noqa: ARG001
) -> dict[str, Any]:
    """Score like FairEval (Ortmann 2022), under the keys of the metric ``hpi-dhc/FairEval``.

    Parameters
    ----------
    predictions, references : list of list of str
        Pred and gold: sentences of tags, which are read like seqeval's strict mode.
    suffix : bool
        Whether the prefix follows the type.
    scheme : str, optional
        IOB1, IOB2, IOE1, IOE2, IOBES or BILOU; by default detected from ``references``.
    mode : {'fair', 'traditional', 'weighted'}
        The scores ``precision``, ``recall`` and ``f1``.
    weights : mapping, optional
        For ``'weighted'``: error -> weights of TP, FP and FN; by default those of the paper.
    error_format : {'count', 'error_ratio', 'entity_ratio'}
        Errors as counts, as fractions of all errors (TP remains a count), or as fractions of the gold spans.
    zero_division : object
        Ignored: scores without a denominator are 0.

    Returns
    -------
    dict
        For each type ``precision``, ``recall``, ``f1``, ``TP``, ``FP``, ``FN``, and except for ``'traditional'`` the
        traditional scores ``trad_prec``, ``trad_rec``, ``trad_f1`` and ``LE``, ``BE``, ``LBE``. The same for all types
        together: scores with the prefix ``overall_``, counts without a prefix.

    Raises
    ------
    ValueError
        If the mode, the format or the scheme is unknown, or the shapes of the sides differ.

    Examples
    --------
    >>> from spanrs.integrations import hf
    >>> gold, pred = [["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]]
    >>> scores = hf.faireval(pred, gold)
    >>> scores["overall_f1"], scores["overall_trad_f1"], scores["BE"]
    (0.0, 0.0, 1)
    """
    for name, value, known in (("mode", mode, MODES), ("error_format", error_format, ERROR_FORMATS)):
        if value not in known:
            raise ValueError(f"unknown {name} {value!r}; choose from {', '.join(map(repr, known))}")
    results = _results(predictions, references, suffix, scheme, weights or WEIGHTS)
    overall, per_label = results["overall"], results["per_label"]
    report: dict[str, Any] = {}
    names = {label: None for version in ("traditional", mode) for label in per_label[version]}
    for label in names:
        counts = {version: per_label[version].get(label, {}) for version in per_label}
        report[label] = _row(counts, mode, error_format, "")
    return report | _row(overall, mode, error_format, "overall_")


def _results(
    predictions: list[list[str]],
    references: list[list[str]],
    suffix: bool,
    scheme: Any,
    weights: Mapping[str, Mapping[str, float]],
) -> dict[str, Any]:
    """Return counts and scores of all sentences, in the form of FairEval."""
    from spanrs.compat import faireval as compat
    from spanrs.compat.seqeval.metrics.v1 import check_consistent_length
    from spanrs.compat.seqeval.scheme import Entities, auto_detect
    from spanrs.integrations.hf.metric_scores import seqeval_scheme

    check_consistent_length(references, predictions)
    cls = seqeval_scheme(scheme) or auto_detect(references, suffix)
    gold, pred = (
        [
            [[one.tag, one.start, one.end - 1, set(range(one.start, one.end))] for one in sentence]
            for sentence in Entities(side, cls, suffix).entities
        ]
        for side in (references, predictions)
    )
    totals: dict[str, Any] = {}
    for target, system in zip(gold, pred, strict=True):
        totals = compat.add_dict(totals, compat.compare_spans(target, system))
    if not totals:
        totals = compat.compare_spans([], [])
    return compat.calculate_results(totals, eval_method=list(MODES), weights=weights)


def _row(
    counts: Mapping[str, Mapping[str, Any]], mode: str, error_format: str, prefix: str
) -> dict[str, Any]:
    """Return scores and counts of one type, or of all types with the prefix."""
    own, traditional = counts[mode], counts["traditional"]
    row = {f"{prefix}{key}": own.get(name, 0.0) for name, key in _KEYS.items()}
    errors = {name: own.get(name, 0) for name in (_ERRORS[:2] if mode == "traditional" else _ERRORS)}
    if mode != "traditional":
        shown = {"Prec": "trad_prec", "Rec": "trad_rec", "F1": "trad_f1"}
        row |= {f"{prefix}{key}": traditional.get(name, 0.0) for name, key in shown.items()}
    correct = own.get("TP", 0)
    if error_format == "error_ratio":
        whole = sum(errors.values())
        errors = {name: number / whole if whole else 0.0 for name, number in errors.items()}
    elif error_format == "entity_ratio":
        gold = traditional.get("TP", 0) + traditional.get("FN", 0)
        correct, *ratios = (number / gold if gold else 0.0 for number in (correct, *errors.values()))
        errors = dict(zip(errors, ratios, strict=True))
    return row | {"TP": correct} | errors
