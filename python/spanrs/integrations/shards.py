"""Functions that score shards of a corpus and merge the serialized results.

Processes exchange the bytes of :meth:`spanrs.Result.to_bytes`, which include a checksum and the signature of the
result, so a process needs only this package to read the result. The integrations of Dask and Spark are built on this
module, which imports neither library.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isnan
from os import PathLike
from typing import Any, TypeAlias

from spanrs.errors import AlignmentError, warn, with_code
from spanrs.eval import Result, Scorer, score
from spanrs.eval.settings import UNDECIDED
from spanrs.eval.shards import FAN_IN, as_shard, found_schemes, has_no_scheme, names_schemes
from spanrs.eval.table_sides import table_sides
from spanrs.io.parts import Part
from spanrs.io.sentences import Layout

#: Gold and pred, or one file with both sides.
Paths: TypeAlias = str | PathLike[str] | tuple[str | PathLike[str], str | PathLike[str]]


def score_shard(paths: Paths, options: Mapping[str, Any]) -> bytes:
    r"""Score one shard on disk.

    Parameters
    ----------
    paths : path, or pair of paths
        Gold and pred, or one file with both sides.
    options : mapping
        Options of :func:`spanrs.score`.

    Returns
    -------
    bytes
        Result of :meth:`spanrs.Result.to_bytes`. Documents and violations are named after the gold file, as for
        directories without subdirectories.

    Raises
    ------
    OSError, TypeError, spanrs.errors.SpanrsError
        Same as :func:`spanrs.score`.

    Examples
    --------
    >>> import pathlib, tempfile, spanrs
    >>> from spanrs.integrations.shards import score_shard
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     both = pathlib.Path(folder) / "both.conll"
    ...     _ = both.write_text("EU B-ORG B-ORG\nrejects O O\n", encoding="utf-8")
    ...     stored = score_shard(both, {"scheme": "BIO"})
    >>> spanrs.Result.from_bytes(stored).totals
    Totals(tp=1, fp=0, fn=0)
    """
    gold, pred = (paths, None) if isinstance(paths, (str, PathLike)) else paths
    result: Result = score(gold, pred, **options)
    name = os.path.basename(os.fspath(gold))
    return as_shard(result, name, None if pred is None else os.fspath(pred)).to_bytes()


def table_batches(
    table: Any, gold: str, pred: str, documents: str | None
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield gold, pred and document names of each batch of a table."""
    part = Part("", table, "table")
    layout = Layout({"gold": gold, "pred": pred}, None, documents)
    for golds, preds, _, names in table_sides(part, layout):
        yield golds, preds, names


def document_column(documents: str | None, by: str | None) -> str | None:
    """Return the column of document names if counts are kept for each document, else None.

    Raises
    ------
    ValueError
        If ``by`` is not supported for dataframes, or the column of documents is missing.
    """
    if by not in (None, "document"):
        raise ValueError(f"by must be 'document' or None for dataframes, not {by!r}")
    if by is not None and documents is None:
        raise ValueError("by='document' requires the column of documents; specify it with documents=")
    return documents if by is not None else None


def score_batches(
    batches: Iterable[tuple[Any, Any, Iterable[Any] | None]], options: Mapping[str, Any]
) -> bytes:
    """Score the batches of one partition.

    Parameters
    ----------
    batches : iterable of (gold, pred, names of documents or None)
        Passed to :meth:`spanrs.Scorer.update`. A document may continue in the next batch.
    options : mapping
        Options of :class:`spanrs.Scorer`.

    Returns
    -------
    bytes
        Result of :meth:`spanrs.Result.to_bytes`.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.integrations.shards import score_batches
    >>> stored = score_batches([([["B-A"]], [["B-A"]], ["x"])], {"scheme": "BIO", "by": "document"})
    >>> [row.name for row in spanrs.Result.from_bytes(stored).documents]
    ['x']
    """
    scorer_options = dict(options)
    ids = {name: scorer_options.pop(name) for name in ("ignore_index",) if name in scorer_options}
    scorer = Scorer(**scorer_options)
    runs = scorer.document_runs()
    for gold, pred, names in batches:
        if names is None:
            scorer.update(gold, pred, **ids)
        else:
            runs.update(gold, pred, list(map(_document, names)), **ids)
    runs.end()
    return scorer.result().to_bytes()


def _document(name: object) -> str:
    # pandas represents null as NaN.
    if name is None or (isinstance(name, float) and isnan(name)):
        raise TypeError("the document of a sentence is null; give every sentence a document")
    return str(name)


def merge_bytes(stored: Iterable[bytes]) -> bytes:
    """Merge stored results, in order.

    Parameters
    ----------
    stored : iterable of bytes
        One or more results from :meth:`spanrs.Result.to_bytes`.

    Returns
    -------
    bytes
        The merged result. Merging is associative: adjacent results may be merged first.

    Raises
    ------
    ValueError
        If there is nothing to merge.
    spanrs.errors.SchemeError
        If the signatures differ.
    spanrs.errors.FormatError
        If the bytes are damaged.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.integrations.shards import merge_bytes
    >>> stored = spanrs.score([["B-A"]], [["B-A"]], scheme="BIO").to_bytes()
    >>> spanrs.Result.from_bytes(merge_bytes([stored, stored])).totals.tp
    2
    """
    results = [Result.from_bytes(data) for data in stored]
    if not results:
        raise ValueError("there are no results to merge")
    return results[0].merge(*results[1:]).to_bytes() if len(results) > 1 else results[0].to_bytes()


def groups(items: Sequence[Any], size: int = FAN_IN) -> Iterator[Sequence[Any]]:
    """Split a sequence into groups of at most ``size`` adjacent items."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def finished(stored: bytes, *, named: bool) -> Result:
    """Deserialize the merged result and issue its warnings.

    Parameters
    ----------
    stored : bytes
        Result of :func:`merge_bytes`.
    named : bool
        Whether documents were named by a column.

    Raises
    ------
    spanrs.errors.AlignmentError
        If a named document is in two partitions.
    """
    result = Result.from_bytes(stored)
    if named:
        seen: set[object] = set()
        for name in result.counts.documents():
            if name in seen:
                error = AlignmentError(
                    f"document {name!r} continues after another document has begun, or in another partition; "
                    "keep the sentences of a document together in one partition"
                )
                raise with_code(error, "documents")
            seen.add(name)
    warn(result.warnings)
    return result


def decide_schemes(
    score_one: Callable[[int, Mapping[str, Any]], bytes], count: int, options: Mapping[str, Any]
) -> tuple[list[bytes], dict[str, Any]]:
    """Score shards one after the other until the schemes of both sides are known.

    Parameters
    ----------
    score_one : callable
        Called with the index of a shard and options; returns the serialized result.
    count : int
        Number of shards.
    options : mapping
        Options of the scorer, including ``scheme`` and ``pred_scheme`` if specified.

    Returns
    -------
    list of bytes
        The results of the first shards; empty if the options specify the schemes.
    dict
        Options for the remaining shards.

    Notes
    -----
    :func:`spanrs.eval.shards.found_schemes` defines when the schemes are known.
    """
    options = dict(options)
    stored: list[bytes] = []
    scheme, pred_scheme = options.get("scheme", UNDECIDED), options.get("pred_scheme")
    while len(stored) < count and not names_schemes(scheme, pred_scheme):
        stored.append(score_one(len(stored), options))
        result = Result.from_bytes(stored[-1])
        if has_no_scheme(result):
            break
        scheme, pred_scheme = found_schemes(result, scheme, pred_scheme)
        options |= {"scheme": scheme, "pred_scheme": pred_scheme}
    return stored, options
