"""The scores of the metric ``hpi-dhc/FairEval`` of Hugging Face."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanrs.eval.result import Result
    from spanrs.eval.scores import Score

#: Weights of the mode ``weighted`` if none are given: those of the metric, with one weight for all boundary errors.
WEIGHTS: Mapping[str, Mapping[str, float]] = {
    "LE": {"FP": 0.5, "FN": 0.5},
    "BE": {"TP": 0.5, "FP": 0.25, "FN": 0.25},
    "LBE": {"FP": 0.5, "FN": 0.5},
}
ERROR_FORMATS = ("count", "error_ratio", "entity_ratio")
MODES = ("traditional", "fair", "weighted")
_ERRORS = ("FP", "FN", "LE", "BE", "LBE")


def faireval(  # noqa: PLR0917  # as in the metric
    predictions: list[list[str]],
    references: list[list[str]],
    suffix: bool = False,
    scheme: Any = None,
    mode: str = "fair",
    weights: Mapping[str, Mapping[str, float]] | str | None = None,
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
    weights : mapping or str, optional
        For ``'weighted'``: error -> weights of TP, FP and FN, or any other weights of :class:`spanrs.Fair`; by default
        a boundary error is half right.
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
    for name, value, choices in (("mode", mode, MODES), ("error_format", error_format, ERROR_FORMATS)):
        if value not in choices:
            raise ValueError(f"unknown {name} {value!r}; choose from {', '.join(map(repr, choices))}")
    result = _scored(predictions, references, suffix, scheme, weights)
    chosen, traditional = result[mode], result["traditional"]
    names = [name for name in traditional.per_type if name in chosen.per_type]
    report: dict[str, Any] = {
        name: _row(
            (chosen.per_type[name], chosen.per_type.outcomes[name]),
            traditional.per_type[name],
            mode,
            error_format,
            "",
        )
        for name in names
    }
    return report | _row((chosen.micro, chosen.outcomes), traditional.micro, mode, error_format, "overall_")


def _scored(
    predictions: list[list[str]],
    references: list[list[str]],
    suffix: bool,
    scheme: Any,
    weights: Mapping[str, Mapping[str, float]] | str | None,
) -> Result:
    """Score spans that are read like seqeval's strict mode."""
    import spanrs
    from spanrs.compat.seqeval.metrics.v1 import check_consistent_length
    from spanrs.compat.seqeval.scheme import Entities
    from spanrs.integrations.hf.metric_scores import seqeval_scheme

    check_consistent_length(references, predictions)
    cls = seqeval_scheme(scheme) or _detected(references, suffix)
    gold, pred = (
        [
            [(span.tag, span.start, span.end) for span in sentence]
            for sentence in Entities(side, cls, suffix).entities
        ]
        for side in (references, predictions)
    )
    return spanrs.score(
        gold, pred, matcher=spanrs.Fair(exclude=(), weights=WEIGHTS if weights is None else weights)
    )


def _detected(references: list[list[str]], suffix: bool) -> Any:
    from spanrs.compat.seqeval.scheme import auto_detect

    try:
        return auto_detect(references, suffix)
    except ValueError as error:
        raise ValueError(f"{error} Name the scheme of the references, such as scheme='IOB2'.") from None


def _row(
    scored: tuple[Score, Mapping[str, int]], traditional: Score, mode: str, error_format: str, prefix: str
) -> dict[str, Any]:
    """Return scores and counts of one type, or of all types with the prefix."""
    score, outcomes = scored
    row: dict[str, Any] = {f"{prefix}{key}": getattr(score, key) for key in ("precision", "recall", "f1")}
    errors: dict[str, float] = {
        name: outcomes.get(name.lower(), 0) for name in (_ERRORS[:2] if mode == "traditional" else _ERRORS)
    }
    if mode != "traditional":
        shown = {
            "trad_prec": traditional.precision,
            "trad_rec": traditional.recall,
            "trad_f1": traditional.f1,
        }
        row |= {f"{prefix}{key}": value for key, value in shown.items()}
    correct: float = outcomes.get("tp", 0)
    if error_format == "error_ratio":
        whole = sum(errors.values())
        errors = {name: number / whole if whole else 0.0 for name, number in errors.items()}
    elif error_format == "entity_ratio":
        gold = traditional.support
        correct, *ratios = (number / gold if gold else 0.0 for number in (correct, *errors.values()))
        errors = dict(zip(errors, ratios, strict=True))
    return row | {"TP": correct} | errors
