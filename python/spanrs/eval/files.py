"""Scoring whole files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

from spanrs.errors import warn
from spanrs.eval.checks import Noticed, add_noticed
from spanrs.eval.layers import combine_layers
from spanrs.eval.result import Result
from spanrs.eval.scorer import MAX_VIOLATIONS, Scorer
from spanrs.io import Columns, Source, rereadable
from spanrs.io.sources import source_name
from spanrs.tags.files import odd_sentences
from spanrs.tags.types import Dialect, is_auto

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
    max_violations: int = ...,
    by_document: bool = ...,
    matcher: Literal["exact"] = ...,
    pred_scheme: str | None = ...,
    on_misaligned: str = ...,
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
    max_violations: int = ...,
    by_document: bool = ...,
    matcher: Literal["fair"],
    pred_scheme: str | None = ...,
    on_misaligned: str = ...,
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
    max_violations: int = MAX_VIOLATIONS,
    by_document: bool = False,
    matcher: str = "exact",
    pred_scheme: str | None = None,
    on_misaligned: str = "refuse",
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
    scheme, pred_scheme, reading, dialect, max_violations
        As for :func:`spanrs.score`. ``auto`` looks at the beginning of gold first.
    columns : Columns
        Where things stand in gold, and in pred too unless ``pred_columns`` says otherwise. Several columns of
        tags are layers of nested annotations: spans are matched within their layer and counted together.
    pred_columns : Columns, optional
        Where things stand in pred.
    by_document : bool
        Keep a row of counts for each document.
    matcher : str
        As for :func:`spanrs.score`.
    on_misaligned : str
        What to do where tokens of gold and pred differ: ``refuse`` is an error, ``report`` counts them in the
        result and its signature, ``ignore`` does not compare them. Sentences and their lengths must agree in
        any case.
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
    make = partial(
        Scorer,
        scheme=scheme,
        reading=reading,
        matcher=matcher,
        pred_scheme=pred_scheme,
        on_misaligned=on_misaligned,
        dialect=dialect,
        max_violations=max_violations,
        by_document=by_document,
    )
    result = score_with(
        make,
        gold,
        pred,
        columns=columns,
        pred_columns=pred_columns or columns,
        # ``auto`` may read files twice.
        rereads=is_auto(scheme) or (pred_scheme is not None and is_auto(pred_scheme)),
        progress=progress,
    )
    warn(result.warnings)
    return result


def score_with(
    make: Callable[..., Scorer],
    gold: Source,
    pred: Source | None,
    *,
    columns: Columns,
    pred_columns: Columns,
    rereads: bool,
    progress: Callable[[int], object] | None = None,
) -> Result | FairResult:
    """Score files with scorers that ``make`` makes, one for each layer of tags.

    The arguments are those of :func:`score_files`; ``rereads`` is true where files may be read twice.
    """
    for given in (columns, pred_columns):
        if not isinstance(given, Columns):
            message = f"columns is a spanrs.io.Columns, such as Columns(tag=2), not {type(given).__name__}"
            raise TypeError(message)
    if pred is gold and hasattr(gold, "read"):
        message = "gold and pred are one file object; open the file twice"
        raise TypeError(message)
    if pred is None and columns.second is None:
        columns = columns._replace(tag=-2 if columns.tag == -1 else columns.tag, second=-1)
    layers, pred_layers = _layers(columns), _layers(pred_columns)
    if pred is None and len(layers) > 1:
        message = (
            "layers of tags are scored of two files; one file holds one column of gold and one of pred"
        )
        raise ValueError(message)
    if len(layers) != len(pred_layers):
        message = f"gold has {len(layers)} columns of tags, pred has {len(pred_layers)}"
        raise ValueError(message)
    for columns_of_side in (layers, pred_layers):
        if len(set(columns_of_side)) < len(columns_of_side):
            message = f"a column of tags is named twice: {', '.join(map(str, columns_of_side))}"
            raise ValueError(message)
    rereads = rereads or len(layers) > 1
    with ExitStack() as stack:
        gold_again = stack.enter_context(rereadable(gold, needed=rereads))
        pred_again = None if pred is None else stack.enter_context(rereadable(pred, needed=rereads))

        def score_layer(at: int, **schemes: str) -> Any:
            scorer = make(**schemes)
            of_gold = columns._replace(tag=layers[at])
            of_pred = pred_columns._replace(tag=pred_layers[at])
            scorer.update_files(gold_again, pred_again, of_gold, of_pred, progress)
            return scorer.result()

        results = [score_layer(at) for at in range(len(layers))]
        first = results[0]
        tokens = first.tokens if isinstance(first, Result) else first._checks.tokens
        odd = odd_sentences(source_name(gold), first.sentences, tokens)
        if len(results) == 1:
            return _with_warnings(first, odd)
        # The layer with most spans says in which schemes all of them are.
        largest = max(results, key=_spans)
        schemes = {
            name: largest.settings[name] for name in ("scheme", "pred_scheme") if name in largest.settings
        }
        for at, result in enumerate(results):
            if {name: result.settings.get(name) for name in schemes} != schemes:
                results[at] = score_layer(at, **schemes)
    return _with_warnings(combine_layers(results, layers), odd)


def _with_warnings(result: Result | FairResult, messages: Sequence[str]) -> Result | FairResult:
    """Add warnings about files to a result."""
    noticed = add_noticed([result._noticed, Noticed(warnings=tuple(messages))])
    return replace(result, _noticed=noticed)


def _spans(result: Result | FairResult) -> int:
    """Give the number of spans of gold and pred together."""
    counts = result.counts if isinstance(result, Result) else result.exact_counts
    return 2 * counts.tp + counts.fp + counts.fn


def _layers(columns: Columns) -> tuple[int | str, ...]:
    return columns.tag if isinstance(columns.tag, tuple) else (columns.tag,)
