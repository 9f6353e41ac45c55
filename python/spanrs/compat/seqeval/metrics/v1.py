"""Strict mode: spans are read according to a scheme (seqeval.metrics.v1)."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

from spanrs import _spanrs
from spanrs.compat._naming import export
from spanrs.compat.seqeval import _scores
from spanrs.compat.seqeval._counting import entity_counts, strict_counts
from spanrs.compat.seqeval.reporters import DictReporter, StringReporter  # noqa: F401 (seqeval has them here)
from spanrs.compat.seqeval.scheme import Entities, Token, auto_detect, own_scheme

Tags: TypeAlias = list[list[str]]
PER_CLASS_SCORES = tuple[list[float], list[float], list[float], list[int]]
AVERAGE_SCORES = tuple[float, float, float, int]
SCORES = Union[PER_CLASS_SCORES, AVERAGE_SCORES]  # noqa: UP007


def __getattr__(name: str) -> Any:
    # The class is defined by scikit-learn, which is slow to import and rarely needed.
    if name == "UndefinedMetricWarning":
        return _scores.undefined_metric_warning()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _prf_divide(  # noqa: PLR0917  # other projects import this function
    numerator: Any,
    denominator: Any,
    metric: str,
    modifier: str,
    average: str | None,
    warn_for: Any,
    zero_division: Any = "warn",
) -> Any:
    """Divide two arrays; quotients by 0 are 0, or 1 if ``zero_division`` is neither 0 nor ``"warn"``."""
    sides, by_sample = (numerator, denominator), average == "samples"
    return _scores.divide(sides, metric, modifier, warn_for, zero_division, by_sample=by_sample)


def _precision_recall_fscore_support(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = None,
    warn_for: Any = _scores.ALL,
    beta: float = 1.0,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
    suffix: bool = False,
    extract_tp_actual_correct: Any = None,
) -> tuple[Any, Any, Any, Any]:
    """Compute the measures from the counts of a function, which other projects pass.

    ``extract_tp_actual_correct(y_true, y_pred, suffix, scheme)`` returns arrays of the numbers of predicted, correct
    and gold spans by type, in this order.
    """
    _scores.check_options(average, beta)
    check_shapes(y_true, y_pred)
    pred, correct, gold = extract_tp_actual_correct(y_true, y_pred, suffix, scheme)
    return _scores.scores_of_sums((gold, pred, correct), average, warn_for, beta, zero_division)


def unique_labels(y_true: Tags, y_pred: Tags, scheme: type[Token], suffix: bool = False) -> list[str]:
    """List the types of all spans of strict mode, sorted."""
    alike = _spanrs.same_shape(y_true, y_pred)
    return sorted(strict_counts(y_true, y_pred, scheme, suffix, alike=alike))


def check_consistent_length(y_true: Tags, y_pred: Tags) -> None:
    """Raise TypeError unless both sides are lists of lists, and ValueError if their shapes differ."""
    check_shapes(y_true, y_pred)


def check_shapes(y_true: Any, y_pred: Any) -> bool:
    """Check like :func:`check_consistent_length`; return whether the compiled module can read both sides."""
    if _spanrs.same_shape(y_true, y_pred):
        return True
    lengths = [len(row) for row in y_true], [len(row) for row in y_pred]
    if {type(row) for side in (y_true, y_pred) for row in side} != {list}:
        raise TypeError("Found input variables without list of list.")
    if len(y_true) != len(y_pred) or lengths[0] != lengths[1]:
        message = f"Found input variables with inconsistent numbers of samples:\n{lengths[0]}\n{lengths[1]}"
        raise ValueError(message)
    return False


def precision_recall_fscore_support(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = None,
    warn_for: Any = _scores.ALL,
    beta: float = 1.0,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
    suffix: bool = False,
    **kwargs: Any,
) -> tuple[Any, Any, Any, Any]:
    """Compute precision, recall, F-measure and support in strict mode, which requires a scheme.

    ``sample_weight`` is ignored, as in seqeval. ``entities_true`` and ``entities_pred`` are decoded spans.

    Examples
    --------
    >>> from spanrs.compat.seqeval.scheme import IOB2
    >>> gold, pred = [["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "I-LOC"]]
    >>> precision_recall_fscore_support(gold, pred, scheme=IOB2, zero_division=0)[1]
    array([0., 1.])
    """
    _scores.check_options(average, beta)
    alike = check_shapes(y_true, y_pred)
    gold, pred = kwargs.get("entities_true"), kwargs.get("entities_pred")
    if gold or pred:
        counts = entity_counts(
            gold or Entities(y_true, scheme, suffix),  # type: ignore[arg-type]
            pred or Entities(y_pred, scheme, suffix),  # type: ignore[arg-type]
        )
    else:
        counts = strict_counts(y_true, y_pred, scheme, suffix, alike=alike)
    return _scores.scores(counts, average, warn_for, beta, zero_division)


def classification_report(
    y_true: Tags,
    y_pred: Tags,
    *,
    sample_weight: Any = None,  # noqa: ARG001
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
    suffix: bool = False,
    scheme: type[Token] | None = None,
) -> str | dict[str, dict[str, Any]]:
    """Build a report of strict mode; without a scheme, the scheme is detected from ``y_true``."""
    alike = check_shapes(y_true, y_pred)
    scheme = own_scheme(scheme)
    if scheme is None or not issubclass(scheme, Token):
        scheme = auto_detect(y_true, suffix)
    counts = strict_counts(y_true, y_pred, scheme, suffix, alike=alike)
    reporter = _scores.make_reporter(counts, digits=digits, output_dict=output_dict)
    return _scores.report(counts, reporter, zero_division)


export(globals(), also=("AVERAGE_SCORES", "PER_CLASS_SCORES", "SCORES", "UndefinedMetricWarning"))
