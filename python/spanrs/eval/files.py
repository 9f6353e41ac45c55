"""Scoring whole files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Literal, overload

from spanrs.eval.result import Result
from spanrs.eval.scorer import LOCATED, Scorer
from spanrs.io import Columns, Source, rereadable
from spanrs.tags.words import Dialect, is_auto

if TYPE_CHECKING:
    from spanrs.eval.fair_result import FairResult


@overload
def score_files(
    gold: Source,
    pred: Source | None = ...,
    scheme: str = ...,
    reading: str = ...,
    *,
    columns: Columns = ...,
    pred_columns: Columns | None = ...,
    dialect: Dialect = ...,
    located: int = ...,
    by_document: bool = ...,
    matcher: Literal["exact"] = ...,
    progress: Callable[[int], object] | None = ...,
) -> Result: ...
@overload
def score_files(
    gold: Source,
    pred: Source | None = ...,
    scheme: str = ...,
    reading: str = ...,
    *,
    columns: Columns = ...,
    pred_columns: Columns | None = ...,
    dialect: Dialect = ...,
    located: int = ...,
    by_document: bool = ...,
    matcher: Literal["fair"],
    progress: Callable[[int], object] | None = ...,
) -> FairResult: ...
def score_files(
    gold: Source,
    pred: Source | None = None,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    columns: Columns = Columns(),
    pred_columns: Columns | None = None,
    dialect: Dialect = Dialect(),
    located: int = LOCATED,
    by_document: bool = False,
    matcher: str = "exact",
    progress: Callable[[int], object] | None = None,
) -> Result | FairResult:
    r"""Score a column file against another, or two columns of one file.

    Files are read in chunks, so memory does not grow with them. Tokens are compared; documents are those
    of gold (``-DOCSTART-`` lines and ``# newdoc`` comments).

    Parameters
    ----------
    gold, pred : path or binary file object
        Plain, gzip or zstd. Without ``pred``, gold holds both: its tags in ``columns.tag``, those of
        pred in ``columns.second`` (the last column, where neither is named).
    scheme, reading, dialect, located
        As for :func:`spanrs.score`. ``auto`` looks at the beginning of gold first.
    columns : Columns
        Where things stand in gold, and in pred too unless ``pred_columns`` says otherwise.
    pred_columns : Columns, optional
        Where things stand in pred.
    by_document : bool
        Keep a row of counts for each document.
    matcher : str
        As for :func:`spanrs.score`.
    progress : callable, optional
        Called now and then with the bytes read so far, after decompression; ``auto`` may begin anew.

    Returns
    -------
    Result or FairResult
        Its violations carry lines. A FairResult where the matcher is ``fair``.

    Raises
    ------
    OSError
        Where a file cannot be opened.
    spanrs.errors.AlignmentError
        At the first token or sentence that differs, with both places.
    spanrs.errors.FormatError, spanrs.errors.LimitError
        Where a file is no column file, with the place.
    spanrs.errors.SchemeError
        For unknown names, and malformed tags under ``refuse``.

    Examples
    --------
    >>> import io, spanrs
    >>> both = io.BytesIO(b"EU B-ORG B-ORG\nrejects O O\n\nRio B-LOC O\n")
    >>> spanrs.score_files(both).counts
    Counts(tp=1, fp=0, fn=1)
    """
    scorer = Scorer(
        scheme, reading, matcher=matcher, dialect=dialect, located=located, by_document=by_document
    )
    score_into(
        scorer,
        gold,
        pred,
        scheme=scheme,
        columns=columns,
        pred_columns=pred_columns or columns,
        progress=progress,
    )
    return scorer.result()


def score_into(
    scorer: Scorer,
    gold: Source,
    pred: Source | None,
    *,
    scheme: str,
    columns: Columns,
    pred_columns: Columns,
    progress: Callable[[int], object] | None = None,
) -> None:
    """Add files to a scorer; the arguments are those of :func:`score_files`.

    ``scheme`` is the one the scorer was made with: ``auto`` may read files twice.
    """
    if pred is gold and hasattr(gold, "read"):
        message = "gold and pred are one file object; open the file twice"
        raise TypeError(message)
    if pred is None and columns.second is None:
        columns = columns._replace(tag=-2 if columns.tag == -1 else columns.tag, second=-1)
    with ExitStack() as stack:
        gold_again = stack.enter_context(rereadable(gold, needed=is_auto(scheme)))
        pred_again = None
        if pred is not None:
            pred_again = stack.enter_context(rereadable(pred, needed=is_auto(scheme)))
        scorer.update_files(gold_again, pred_again, columns, pred_columns, progress)
