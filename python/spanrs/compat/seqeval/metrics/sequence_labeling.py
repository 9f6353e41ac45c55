"""Default mode, and the door to strict mode (seqeval.metrics.sequence_labeling).

Default mode reads tags as conlleval does, whatever their scheme; with ``mode="strict"`` and a scheme, spans
are what the scheme says. Every score is one pass of the core over both sides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.compat.seqeval import _scores
from spanrs.compat.seqeval._chunks import end_of_chunk, plain_chunks, start_of_chunk, warn_of
from spanrs.compat.seqeval._counting import default_counts
from spanrs.compat.seqeval.metrics.v1 import SCORES, check_shapes
from spanrs.compat.seqeval.metrics.v1 import classification_report as cr
from spanrs.compat.seqeval.metrics.v1 import (
    precision_recall_fscore_support as precision_recall_fscore_support_v1,
)
from spanrs.compat.seqeval.reporters import DictReporter, StringReporter
from spanrs.compat.seqeval.scheme import Token, own_scheme

__all__ = [
    "SCORES",
    "DictReporter",
    "StringReporter",
    "Token",
    "accuracy_score",
    "classification_report",
    "cr",
    "end_of_chunk",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_recall_fscore_support",
    "precision_recall_fscore_support_v1",
    "precision_score",
    "recall_score",
    "start_of_chunk",
]


def precision_recall_fscore_support(
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    average: str | None = None,
    warn_for: Any = ("precision", "recall", "f-score"),
    beta: float = 1.0,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    suffix: bool = False,
) -> tuple[Any, Any, Any, Any]:
    """Compute precision, recall, F-measure and support in default mode.

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
    suffix : bool
        The prefix stands behind the type.

    Returns
    -------
    precision, recall, fscore : numpy.float64, or array of float, shape (types,)
        By type in the order of their names.
    support : int, or array of int, shape (types,)
        Spans of gold.

    Raises
    ------
    ValueError
        For options that are not known, and sides of another shape.
    TypeError
        Where the input is no list of lists.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics.sequence_labeling import precision_recall_fscore_support
    >>> gold, pred = [["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]]
    >>> precision_recall_fscore_support(gold, pred, average="micro")[1:]
    (np.float64(0.5), np.float64(0.6666666666666666), np.int64(2))
    """
    _scores.check_options(average, beta)
    counts = default_counts(y_true, y_pred, suffix, alike=check_shapes(y_true, y_pred))
    return _scores.scores(counts, average, warn_for, beta, zero_division)


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:
    """Read the spans of a sentence in default mode.

    Parameters
    ----------
    seq : list of str, or list of list of str
        Tags. Sentences are read as one sequence with an ``O`` behind each, which is counted.
    suffix : bool
        The prefix stands behind the type.

    Returns
    -------
    list of (str, int, int)
        Type, first token and last token (inclusive), from 0, in the order of their ends.

    Raises
    ------
    IndexError
        For an empty tag.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics.sequence_labeling import get_entities
    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    nested = _spanrs.same_shape(seq, seq)
    if not nested and type(seq) is not list:
        return plain_chunks(seq, suffix)
    try:
        entities, tags = _spanrs.seqeval_entities(seq if nested else [seq], bool(suffix))
    except (TypeError, ValueError):
        return plain_chunks(seq, suffix)
    if "" in tags:
        return plain_chunks(seq, suffix)
    for tag in tags:
        warn_of(tag, suffix)
    return entities


def precision_score(
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
) -> Any:
    """Compute the precision: how much of what was found is right.

    Parameters
    ----------
    y_true, y_pred, sample_weight, zero_division, suffix
        As for :func:`precision_recall_fscore_support`.
    average : {'micro', 'macro', 'weighted', None}
        None gives an array by type.
    mode : str, optional
        ``'strict'`` with a scheme; anything else is default mode, and so is ``'strict'`` without one.
    scheme : subclass of Token, optional
        The scheme of strict mode.

    Returns
    -------
    numpy.float64, or array of float, shape (types,)
        Precision.

    Raises
    ------
    ValueError, TypeError, KeyError
        As :func:`precision_recall_fscore_support`, and in strict mode the one of
        :mod:`~spanrs.compat.seqeval.metrics.v1`.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics import precision_score
    >>> precision_score([["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]])
    np.float64(1.0)
    """
    options = _Options(average, suffix, mode, zero_division, scheme)
    return _score(y_true, y_pred, "precision", options)


def recall_score(
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
) -> Any:
    """Compute the recall: how much of what is there was found.

    Parameters
    ----------
    y_true, y_pred, sample_weight, zero_division, suffix
        As for :func:`precision_recall_fscore_support`.
    average : {'micro', 'macro', 'weighted', None}
        None gives an array by type.
    mode : str, optional
        ``'strict'`` with a scheme; anything else is default mode, and so is ``'strict'`` without one.
    scheme : subclass of Token, optional
        The scheme of strict mode.

    Returns
    -------
    numpy.float64, or array of float, shape (types,)
        Recall.

    Raises
    ------
    ValueError, TypeError, KeyError
        As :func:`precision_recall_fscore_support`, and in strict mode the one of
        :mod:`~spanrs.compat.seqeval.metrics.v1`.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics import recall_score
    >>> recall_score([["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]])
    np.float64(0.5)
    """
    options = _Options(average, suffix, mode, zero_division, scheme)
    return _score(y_true, y_pred, "recall", options)


def f1_score(
    y_true: list[list[str]],
    y_pred: list[list[str]],
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,  # noqa: ARG001
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
) -> Any:
    """Compute F1: the harmonic mean of precision and recall.

    Parameters
    ----------
    y_true, y_pred, sample_weight, zero_division, suffix
        As for :func:`precision_recall_fscore_support`.
    average : {'micro', 'macro', 'weighted', None}
        None gives an array by type.
    mode : str, optional
        ``'strict'`` with a scheme; anything else is default mode, and so is ``'strict'`` without one.
    scheme : subclass of Token, optional
        The scheme of strict mode.

    Returns
    -------
    numpy.float64, or array of float, shape (types,)
        F1.

    Raises
    ------
    ValueError, TypeError, KeyError
        As :func:`precision_recall_fscore_support`, and in strict mode the one of
        :mod:`~spanrs.compat.seqeval.metrics.v1`.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics import f1_score
    >>> f1_score([["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]])
    np.float64(0.6666666666666666)
    """
    options = _Options(average, suffix, mode, zero_division, scheme)
    return _score(y_true, y_pred, "f-score", options)


class _Options(NamedTuple):
    average: str | None
    suffix: bool
    mode: str | None
    zero_division: Any
    scheme: Any


def _score(y_true: Any, y_pred: Any, metric: str, options: _Options) -> Any:
    """Compute one of the three measures."""
    average, suffix, mode, zero_division, scheme = options
    scheme = own_scheme(scheme)
    if mode == "strict" and scheme:
        every = precision_recall_fscore_support_v1(
            y_true,
            y_pred,
            average=average,
            warn_for=(metric,),
            zero_division=zero_division,
            scheme=scheme,
            suffix=suffix,
        )
    else:
        every = precision_recall_fscore_support(
            y_true, y_pred, average=average, warn_for=(metric,), zero_division=zero_division, suffix=suffix
        )
    return every[_scores.ALL.index(metric)]


def accuracy_score(y_true: Any, y_pred: Any) -> float:
    """Compute the fraction of tokens with equal tags.

    Parameters
    ----------
    y_true, y_pred : list of list of str, or list of str
        Gold and pred. Of sides with different numbers of tokens, those beyond the shorter one are wrong.

    Returns
    -------
    float
        Equal tokens by tokens of gold.

    Raises
    ------
    ZeroDivisionError
        Where gold has no tokens.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics import accuracy_score
    >>> accuracy_score([["B-PER", "I-PER"], ["O", "O"]], [["B-PER", "O"], ["O", "O"]])
    0.75
    """
    found = _outcomes(y_true, y_pred)
    if found is not None:
        tokens, tp, _, _, tn = found
        return (tp + tn) / tokens
    gold, pred = _flat(y_true, y_pred)
    correct: float = sum(t == p for t, p in zip(gold, pred, strict=False))
    return correct / len(gold)


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Count tokens: found, wrong, missed, and rightly left out.

    Parameters
    ----------
    y_true, y_pred
        As for :func:`accuracy_score`.

    Returns
    -------
    dict
        ``TP``: the same tag, not ``O``; ``FP``: another tag, and that of pred is not ``O``; ``FN``: pred is
        ``O``, gold is not; ``TN``: both are ``O``.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics import performance_measure
    >>> performance_measure([["B-PER", "O", "B-ORG", "O"]], [["B-PER", "B-LOC", "O", "O"]])
    {'TP': 1, 'FP': 1, 'FN': 1, 'TN': 1}
    """
    found = _outcomes(y_true, y_pred)
    if found is not None:
        return dict(zip(("TP", "FP", "FN", "TN"), found[1:], strict=True))
    pairs = list(zip(*_flat(y_true, y_pred), strict=False))
    return {
        "TP": sum(t == p for t, p in pairs if t != "O" or p != "O"),
        "FP": sum((t != p) and (p != "O") for t, p in pairs),  # noqa: PLR1714
        "FN": sum((t != "O") and (p == "O") for t, p in pairs),
        "TN": sum(t == p == "O" for t, p in pairs),
    }


def _outcomes(y_true: Any, y_pred: Any) -> tuple[int, int, int, int, int] | None:
    """Give tokens of gold, TP, FP, FN, TN; None where tags are no strings."""
    sides = (y_true, y_pred)
    if not _spanrs.same_shape(y_true, y_pred):
        if not (type(y_true) in (list, tuple) and type(y_pred) in (list, tuple)):
            return None
        gold, pred = _flat(y_true, y_pred)
        sides = ([gold], [pred])
    try:
        return _spanrs.token_outcomes(*sides)
    except (TypeError, ValueError):
        return None


def _flat(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Give the tokens of all sentences in one row."""
    if any(isinstance(row, list) for row in y_true):
        return [tag for row in y_true for tag in row], [tag for row in y_pred for tag in row]
    return y_true, y_pred


def classification_report(  # noqa: PLR0917
    y_true: list[list[str]],
    y_pred: list[list[str]],
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: type[Token] | None = None,
) -> str | dict[str, dict[str, Any]]:
    """Build a report: a row a type, and the three averages.

    Parameters
    ----------
    y_true, y_pred, sample_weight, zero_division, suffix
        As for :func:`precision_recall_fscore_support`.
    digits : int
        Behind the decimal point.
    output_dict : bool
        Give a dictionary.
    mode : str, optional
        ``'strict'`` is strict mode, here also without a scheme; anything else is default mode.
    scheme : subclass of Token, optional
        The scheme of strict mode; without one it is found out from ``y_true``.

    Returns
    -------
    str or dict
        Type, and ``micro avg``, ``macro avg``, ``weighted avg``, to ``precision``, ``recall``,
        ``f1-score`` and ``support``.

    Raises
    ------
    ValueError
        As :func:`precision_recall_fscore_support`, and for text where neither side has a span.
    TypeError, KeyError
        As there, and in strict mode.

    Examples
    --------
    >>> from spanrs.compat.seqeval.metrics import classification_report
    >>> gold, pred = [["B-PER", "I-PER", "B-LOC"]], [["B-PER", "I-PER", "O"]]
    >>> print(classification_report(gold, pred, zero_division=0))
                  precision    recall  f1-score   support
    <BLANKLINE>
             LOC       0.00      0.00      0.00         1
             PER       1.00      1.00      1.00         1
    <BLANKLINE>
       micro avg       1.00      0.50      0.67         2
       macro avg       0.50      0.50      0.50         2
    weighted avg       0.50      0.50      0.50         2
    <BLANKLINE>
    """
    if mode == "strict":
        return cr(
            y_true,
            y_pred,
            sample_weight=sample_weight,
            digits=digits,
            output_dict=output_dict,
            zero_division=zero_division,
            suffix=suffix,
            scheme=scheme,
        )
    # Read first, check then: that decides which of two errors is raised.
    alike = _spanrs.same_shape(y_true, y_pred)
    counts = default_counts(y_true, y_pred, suffix, alike=alike)
    reporter = _scores.make_reporter(counts, digits=digits, output_dict=output_dict)
    if not alike:
        check_shapes(y_true, y_pred)
    return _scores.report(counts, reporter, zero_division)
