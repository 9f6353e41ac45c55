"""Strict mode: spans are what a scheme says (seqeval.metrics.v1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Union

from spanrs import _spanrs
from spanrs.compat.seqeval import _scores
from spanrs.compat.seqeval._counting import entity_counts, strict_counts
from spanrs.compat.seqeval._warnings import undefined_metric_warning
from spanrs.compat.seqeval.reporters import DictReporter, StringReporter
from spanrs.compat.seqeval.scheme import Entities, Token, auto_detect, own_scheme

if TYPE_CHECKING:
    from sklearn.exceptions import UndefinedMetricWarning

__all__ = [
    "AVERAGE_SCORES",
    "PER_CLASS_SCORES",
    "SCORES",
    "DictReporter",
    "Entities",
    "StringReporter",
    "Token",
    "UndefinedMetricWarning",
    "auto_detect",
    "check_consistent_length",
    "classification_report",
    "precision_recall_fscore_support",
    "unique_labels",
]

PER_CLASS_SCORES = tuple[list[float], list[float], list[float], list[int]]
AVERAGE_SCORES = tuple[float, float, float, int]
SCORES = Union[PER_CLASS_SCORES, AVERAGE_SCORES]  # noqa: UP007


def __getattr__(name: str) -> Any:
    # The class is scikit-learn's, which takes long to import and is seldom needed.
    if name == "UndefinedMetricWarning":
        return undefined_metric_warning()
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def unique_labels(
    y_true: list[list[str]], y_pred: list[list[str]], scheme: type[Token], suffix: bool = False
) -> list[str]:
    """List the types of all spans that strict mode finds.

    Parameters
    ----------
    y_true, y_pred : list of list of str
        Sentences of tags.
    scheme : subclass of Token
        The scheme.
    suffix : bool
        The prefix stands behind the type.

    Returns
    -------
    list of str
        Sorted.

    Raises
    ------
    KeyError, IndexError, ValueError
        As :class:`~spanrs.compat.seqeval.scheme.Entities` does.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics.v1 import unique_labels
    >>> from spanrs.compat.seqeval.scheme import IOB2
    >>> unique_labels([["B-PER", "O"]], [["I-PER", "B-LOC"]], IOB2)
    ['LOC', 'PER']
    """
    alike = _spanrs.same_shape(y_true, y_pred)
    return sorted(strict_counts(y_true, y_pred, scheme, suffix, alike=alike))


def check_consistent_length(y_true: list[list[str]], y_pred: list[list[str]]) -> None:
    """Refuse two sides that are no lists of lists, or of another shape.

    Parameters
    ----------
    y_true, y_pred : list of list of str
        Sentences of tags.

    Raises
    ------
    TypeError
        Where any sentence is no list, or there are none.
    ValueError
        Where the sides have another number of sentences, or sentences another length.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics.v1 import check_consistent_length
    >>> check_consistent_length([["O"]], [["O"]])
    """
    check_shapes(y_true, y_pred)


def check_shapes(y_true: Any, y_pred: Any) -> bool:
    """Do what :func:`check_consistent_length` does, and tell whether the core can walk both sides."""
    if _spanrs.same_shape(y_true, y_pred):
        return True
    lengths = [len(row) for row in y_true], [len(row) for row in y_pred]
    if {type(row) for side in (y_true, y_pred) for row in side} != {list}:
        message = "Found input variables without list of list."
        raise TypeError(message)
    if len(y_true) != len(y_pred) or lengths[0] != lengths[1]:
        message = f"Found input variables with inconsistent numbers of samples:\n{lengths[0]}\n{lengths[1]}"
        raise ValueError(message)
    return False


def precision_recall_fscore_support(
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    average: str | None = None,
    warn_for: Any = ("precision", "recall", "f-score"),
    beta: float = 1.0,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
    suffix: bool = False,
    **kwargs: Any,
) -> tuple[Any, Any, Any, Any]:
    """Compute precision, recall, F-measure and support in strict mode.

    Parameters
    ----------
    y_true, y_pred : list of list of str
        Gold and pred: sentences of tags.
    average : {None, 'micro', 'macro', 'weighted'}
        None gives an array by type.
    warn_for : tuple of str
        Measures that are warned about.
    beta : float
        Weight of recall; infinity gives recall.
    sample_weight
        Ignored, as seqeval ignores it. Weights that count: ``spanrs.score(weights=...)``.
    zero_division : {'warn', 0, 1}
        What a measure is with nothing below its fraction line; ``'warn'`` is 0 and a warning.
    scheme : subclass of Token
        The scheme; it must be given.
    suffix : bool
        The prefix stands behind the type.
    **kwargs
        ``entities_true`` and ``entities_pred``: spans that have been read already.

    Returns
    -------
    precision, recall, fscore : numpy.float64, or array of float, shape (types,)
        By type in the order of their names.
    support : int, or array of int, shape (types,)
        Spans of gold.

    Raises
    ------
    ValueError
        For options that are not known, sides of another shape, and prefixes that are not of the scheme.
    TypeError
        Where the input is no list of lists, or there is no scheme.
    KeyError
        For a prefix no scheme has.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics.v1 import precision_recall_fscore_support
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
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    sample_weight: Any = None,  # noqa: ARG001
    digits: int = 2,
    output_dict: bool = False,
    zero_division: Any = "warn",
    suffix: bool = False,
    scheme: type[Token] | None = None,
) -> str | dict[str, dict[str, Any]]:
    """Build a report of strict mode: a row a type, and the three averages.

    Parameters
    ----------
    y_true, y_pred, sample_weight, zero_division, suffix
        As for :func:`precision_recall_fscore_support`.
    digits : int
        Behind the decimal point.
    output_dict : bool
        Give a dictionary.
    scheme : subclass of Token, optional
        The scheme; without one it is found out from ``y_true``.

    Returns
    -------
    str or dict
        Type, and ``micro avg``, ``macro avg``, ``weighted avg``, to ``precision``, ``recall``,
        ``f1-score`` and ``support``.

    Raises
    ------
    ValueError
        As :func:`precision_recall_fscore_support`, where the scheme cannot be found out, and for text where
        neither side has a span.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics.v1 import classification_report
    >>> report = classification_report([["B-PER", "O"]], [["B-PER", "O"]], output_dict=True)
    >>> report["PER"]["support"]
    np.int64(1)
    """
    alike = check_shapes(y_true, y_pred)
    scheme = own_scheme(scheme)
    if scheme is None or not issubclass(scheme, Token):
        scheme = auto_detect(y_true, suffix)
    counts = strict_counts(y_true, y_pred, scheme, suffix, alike=alike)
    reporter = _scores.make_reporter(counts, digits=digits, output_dict=output_dict)
    return _scores.report(counts, reporter, zero_division)
