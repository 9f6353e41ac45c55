"""Short forms of :func:`spanrs.score` for one matcher each."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from spanrs.errors import warn
from spanrs.eval import inputs
from spanrs.eval.fair_weights import Weights
from spanrs.eval.matchers import EXCLUDED, Fair, Partial
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer, Side, score
from spanrs.tags.types import is_auto


def fair(
    gold: Side,
    pred: Side,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    weights: str | Weights = "paper",
    focus: str = "gold",
    types: Collection[str] | None = None,
    exclude: Collection[str] = EXCLUDED,
    **options: Any,
) -> Result:
    """Evaluate fairly: every mistake is counted once, as what it is.

    Equal spans are true positives (``tp``). Equal bounds with another type are a labelling error (``le``), bounds
    that overlap a boundary error (``be``: pred smaller ``bes``, larger ``bel``, otherwise overlapping ``beo``), or with
    another type a labelling-boundary error (``lbe``). What is near nothing is ``fp`` or ``fn``. Several spans may join
    one span of the other side, as long as that has tokens left which no other has taken.

    Parameters
    ----------
    gold, pred, scheme, reading, **options
        As for :func:`spanrs.score`.
    weights, focus, types, exclude
        As for :class:`spanrs.Fair`.

    Returns
    -------
    Result
        Under the criteria ``fair``, ``weighted`` and ``traditional``.

    Raises
    ------
    TypeError, ValueError, spanrs.errors.SpanrsError
        As :func:`spanrs.score` and :class:`spanrs.Fair`.

    Notes
    -----
    Source: Ortmann, Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans, LREC 2022, with the
    order and ties of FairEval. Time grows with the number of spans and of pairs of spans that overlap.

    Examples
    --------
    >>> import spanrs
    >>> gold = [["B-PER", "I-PER", "O", "B-LOC", "I-LOC"]]
    >>> pred = [["B-PER", "O", "O", "B-ORG", "I-ORG"]]
    >>> result = spanrs.fair(gold, pred, details=True)
    >>> result["traditional"].micro.f1, result["fair"].micro.f1, round(result["weighted"].micro.f1, 3)
    (0.0, 0.0, 0.4)
    >>> [(error.outcome, error.gold.type, error.pred.type) for error in result.errors]
    [('le', 'LOC', 'ORG'), ('bes', 'PER', 'PER')]
    """
    matcher = Fair(weights=weights, focus=focus, types=types, exclude=exclude)
    return score(gold, pred, scheme, reading, matcher=matcher, **options)


def partial(
    gold: Side,
    pred: Side,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    matching: str = "greedy",
    min_overlap: float = 0.0,
    **options: Any,
) -> Result:
    """Match spans that overlap, under the criteria strict, bounds, overlap and type.

    Parameters
    ----------
    gold, pred, scheme, reading, **options
        As for :func:`spanrs.score`.
    matching, min_overlap
        As for :class:`spanrs.Partial`.

    Returns
    -------
    Result

    Raises
    ------
    TypeError, ValueError, OverflowError, spanrs.errors.SpanrsError
        As :func:`spanrs.score` and :class:`spanrs.Partial`.

    Examples
    --------
    >>> import spanrs
    >>> gold = [[("PER", 0, 2), ("LOC", 3, 5)]]
    >>> pred = [[("PER", 0, 1), ("ORG", 3, 5)]]
    >>> result = spanrs.partial(gold, pred)
    >>> [result[name].micro.f1 for name in ("strict", "bounds", "overlap", "type")]
    [0.0, 0.5, 0.75, 0.5]
    """
    matcher = Partial(matching=matching, min_overlap=min_overlap)
    return score(gold, pred, scheme, reading, matcher=matcher, **options)


def score_table(
    table: Any,
    gold: str = "gold",
    pred: str = "pred",
    *,
    documents: str | None = None,
    **options: Any,
) -> Result:
    """Score two columns of one table or stream: of pyarrow, Polars, pandas or DuckDB.

    Parameters
    ----------
    table : Arrow table or stream
        What gives an Arrow stream. With a named scheme it is read batch by batch; where the scheme is to be found out,
        or with ``documents``, as a whole.
    gold, pred : str
        Names of its list columns, a list of tags for each sentence.
    documents : str, optional
        Name of the column that says to which document a sentence belongs; sentences of a document stand together.
    **options
        Those of :class:`spanrs.Scorer`.

    Returns
    -------
    Result

    Raises
    ------
    ImportError
        Where pyarrow is not installed (``pip install spanrs[arrow]``).
    KeyError, TypeError, spanrs.errors.SpanrsError
        For columns that are not there, and as :func:`spanrs.score`.

    Examples
    --------
    >>> import pyarrow, spanrs
    >>> table = pyarrow.table({"gold": [["B-A", "O"]], "pred": [["B-A", "B-A"]]})
    >>> spanrs.score_table(table).totals
    Totals(tp=1, fp=1, fn=0)
    """
    scorer = Scorer(by_document=documents is not None, **options)
    whole = documents is not None or any(is_auto(scheme or "") for scheme in scorer._options[:2])
    for golds, preds, names in inputs.table_columns(table, gold, pred, documents, whole=whole):
        scorer.update(golds, preds, documents=names)
    result = scorer.result()
    warn(result.warnings)
    return result
