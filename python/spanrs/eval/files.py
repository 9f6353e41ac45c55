"""Scoring whole files of tags."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from os import fspath
from typing import Any, overload

from spanrs.errors import warn
from spanrs.eval.evidence import Evidence, merge_evidence
from spanrs.eval.matchers import Matcher, criteria
from spanrs.eval.result import Result
from spanrs.eval.scorer import MAX_VIOLATIONS, Scorer
from spanrs.eval.settings import merged_settings, with_setting
from spanrs.io import Columns, Source, rereadable
from spanrs.io.sources import check_source, source_name
from spanrs.tags.files import odd_sentences
from spanrs.tags.types import Dialect, is_auto

#: What is counted once for several layers of tags of the same tokens.
ONCE = ("sentences", "differing_tokens", "unaligned_files")


@overload
def score_files(gold: Source, pred: Source | None = ..., *args: Any, **options: Any) -> Result: ...
@overload
def score_files(
    gold: Source, pred: list[Source] | tuple[Source, ...], *args: Any, **options: Any
) -> dict[str, Result]: ...
def score_files(
    gold: Source,
    pred: Source | Sequence[Source] | None = None,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    matcher: str | Matcher = "exact",
    columns: Columns = Columns(),
    pred_columns: Columns | None = None,
    dialect: Dialect = Dialect(),
    max_violations: int = MAX_VIOLATIONS,
    by_document: bool = False,
    pred_scheme: str | None = None,
    on_misaligned: str = "refuse",
    progress: Callable[[int], object] | None = None,
) -> Result | dict[str, Result]:
    r"""Score a column file against another, several against one, or two columns of one file.

    Files are read in chunks, so memory does not grow with them. Tokens are compared; documents are those
    of gold (``-DOCSTART-`` lines and ``# newdoc`` comments).

    Parameters
    ----------
    gold : path or binary file object
        Plain, gzip or zstd.
    pred : path or binary file object, or a list of them
        Each of several is scored by itself. Without ``pred``, gold holds both: its tags in ``columns.tag``, those of
        pred in ``columns.second`` (the last column, where neither is named).
    scheme, pred_scheme, reading, matcher, dialect, max_violations
        As for :func:`spanrs.score`. ``auto`` looks at the beginning of gold first.
    columns : Columns
        Where things stand in gold, and in pred too unless ``pred_columns`` says otherwise. Several columns of
        tags are layers of nested annotations: spans are matched within their layer and counted together.
    pred_columns : Columns, optional
        Where things stand in pred.
    by_document : bool
        Keep a row of counts for each document.
    on_misaligned : str
        What to do where tokens of gold and pred differ: ``refuse`` is an error, ``report`` counts them in the
        result and its signature, ``ignore`` does not compare them. Sentences and their lengths must agree in
        any case.
    progress : callable, optional
        Called now and then with the bytes read so far, after decompression; ``auto`` may begin anew.

    Returns
    -------
    Result, or dict of str to Result
        Its violations carry lines. For a list of pred a result for each, by the name of the file.

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
    ValueError
        Where two files of a list have one name.

    Examples
    --------
    >>> import io, spanrs
    >>> both = io.BytesIO(b"EU B-ORG B-ORG\nrejects O O\n\nRio B-LOC O\n")
    >>> spanrs.score_files(both).totals
    Totals(tp=1, fp=0, fn=1)
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
    # ``auto`` may read files twice.
    rereads = is_auto(scheme) or (pred_scheme is not None and is_auto(pred_scheme))
    score_pair = partial(
        score_with,
        make,
        columns=columns,
        pred_columns=pred_columns or columns,
        rereads=rereads,
        progress=progress,
    )
    if not isinstance(pred, (list, tuple)):
        one_pred: Any = pred
        result = score_pair(gold, one_pred)
        warn(result.warnings)
        return result
    check_source(gold)
    named: dict[str, Source] = {}
    for one in pred:
        check_source(one)
        name = source_name(one) if hasattr(one, "read") else fspath(one)
        if named.setdefault(name, one) is not one:
            raise ValueError(f"{name} is named twice")
    with rereadable(gold, needed=len(named) > 1) as gold_again:
        results = {name: score_pair(gold_again(), one) for name, one in named.items()}
    for result in results.values():
        warn(result.warnings)
    return results


def score_with(
    make: Callable[..., Scorer],
    gold: Source,
    pred: Source | None,
    *,
    columns: Columns,
    pred_columns: Columns,
    rereads: bool,
    progress: Callable[[int], object] | None = None,
) -> Result:
    """Score files with scorers that ``make`` makes, one for each layer of tags.

    The arguments are those of :func:`score_files`; ``rereads`` is true where files may be read twice.
    """
    columns = _checked(gold, pred, columns, pred_columns)
    layers, pred_layers = _layers(columns), _layers(pred_columns)
    rereads = rereads or len(layers) > 1
    with ExitStack() as stack:
        gold_again = stack.enter_context(rereadable(gold, needed=rereads))
        pred_again = None if pred is None else stack.enter_context(rereadable(pred, needed=rereads))

        def score_layer(at: int, **schemes: str) -> Result:
            scorer = make(**schemes)
            of_gold = columns._replace(tag=layers[at])
            of_pred = pred_columns._replace(tag=pred_layers[at])
            scorer.update_files(gold_again, pred_again, of_gold, of_pred, progress)
            return scorer.result()

        results = [score_layer(at) for at in range(len(layers))]
        first = results[0]
        odd = odd_sentences(source_name(gold), first.sentences, first.tokens)
        if len(results) > 1:
            # The layer with most spans says in which schemes all of them are.
            largest = max(results, key=_spans)
            schemes = {
                name: largest.settings[name]
                for name in ("scheme", "pred_scheme")
                if name in largest.settings
            }
            for at, result in enumerate(results):
                if {name: result.settings.get(name) for name in schemes} != schemes:
                    results[at] = score_layer(at, **schemes)
            first = join_layers(results, layers)
    warnings = tuple(dict.fromkeys((*first.evidence.warnings, *odd)))
    return replace(first, evidence=replace(first.evidence, warnings=warnings))


def _checked(gold: Source, pred: Source | None, columns: Columns, pred_columns: Columns) -> Columns:
    """Check what does not go together; give the columns of gold."""
    for given in (columns, pred_columns):
        if not isinstance(given, Columns):
            raise TypeError(
                f"columns is a spanrs.io.Columns, such as Columns(tag=2), not {type(given).__name__}"
            )
    if pred is gold and hasattr(gold, "read"):
        raise TypeError("gold and pred are one file object; open the file twice")
    if pred is None and columns.second is None:
        columns = columns._replace(tag=-2 if columns.tag == -1 else columns.tag, second=-1)
    layers, pred_layers = _layers(columns), _layers(pred_columns)
    if pred is None and len(layers) > 1:
        raise ValueError(
            "layers of tags are scored of two files; one file holds one column of gold and one of pred"
        )
    if len(layers) != len(pred_layers):
        raise ValueError(f"gold has {len(layers)} columns of tags, pred has {len(pred_layers)}")
    for columns_of_side in (layers, pred_layers):
        if len(set(columns_of_side)) < len(columns_of_side):
            raise ValueError(f"a column of tags is named twice: {', '.join(map(str, columns_of_side))}")
    return columns


def _spans(result: Result) -> float:
    """Give the number of spans of gold and pred together."""
    own = (
        result["traditional"]
        if "traditional" in result.matcher.criteria
        else result[result.matcher.criterion]
    )
    tp, fp, fn = own.totals
    return 2 * tp + fp + fn


def _layers(columns: Columns) -> tuple[int | str, ...]:
    return columns.tag if isinstance(columns.tag, tuple) else (columns.tag,)


def join_layers(results: Sequence[Result], columns: Sequence[int | str]) -> Result:
    """Add the results of layers of nested annotations: several columns of tags for the same tokens, as in GermEval.

    Spans are matched within their layer and counted together. Sentences and documents count once; tokens, which
    have a tag in each layer, count once a layer.
    """
    first = results[0]
    settings: Any = first.settings
    counts = first.counts
    corpus = criteria(first.matcher.name)["corpus"]
    again = [at for at, name in enumerate(corpus.outcomes) if name not in ONCE]
    for result in results[1:]:
        settings = merged_settings(settings, result.settings)
        counts = counts.join(result.counts, corpus.index, again)
    return Result(
        counts,
        with_setting(settings, "columns", ",".join(map(str, columns))),
        first.matcher,
        _joined_evidence([result.evidence for result in results]),
    )


def _joined_evidence(layers: Sequence[Evidence]) -> Evidence:
    merged = merge_evidence(layers, [0] * len(layers))
    # Sentences are those of the same file, so they keep their numbers.
    located = {
        side: sorted(places, key=lambda place: place.sentence) for side, places in merged.located.items()
    }
    # Each layer warns that the others are not read; what all say is about the file. Tokens were compared once a layer.
    of_file = tuple(m for m in layers[0].warnings if all(m in other.warnings for other in layers))
    return replace(merged, located=located, differing=layers[0].differing, warnings=of_file)
