"""Scores shards of a corpus to the bytes of their results, and merges them.

Bytes of :meth:`spanrs.Result.to_bytes` travel between processes, with a checksum and the signature of the result, so
that a process needs no more than this package to read them. The bridges to Dask and Spark are built from this module;
it imports neither.
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

#: Gold and pred, or one file that holds both.
Paths: TypeAlias = str | PathLike[str] | tuple[str | PathLike[str], str | PathLike[str]]


def score_shard(paths: Paths, options: Mapping[str, Any]) -> bytes:
    r"""Score one shard on disk.

    Parameters
    ----------
    paths : path, or pair of paths
        Gold and pred, or one file with both sides.
    options : mapping
        Those of :func:`spanrs.score`.

    Returns
    -------
    bytes
        As of :meth:`spanrs.Result.to_bytes`. Documents and violations are named after the file of gold, as those of a
        directory without subdirectories are.

    Raises
    ------
    OSError, TypeError, spanrs.errors.SpanrsError
        As :func:`spanrs.score`.

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
    return as_shard(result, os.path.basename(os.fspath(gold))).to_bytes()


def table_batches(
    table: Any, gold: str, pred: str, documents: str | None
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield gold, pred and the names of documents of the batches of a table."""
    part = Part("", table, "table")
    layout = Layout({"gold": gold, "pred": pred}, None, documents)
    for golds, preds, _, names in table_sides(part, layout):
        yield golds, preds, names


def document_column(documents: str | None, by: str | None) -> str | None:
    """Return the column with the name of each sentence's document, where counts have a row for each document.

    Raises
    ------
    ValueError
        For rows that dataframes do not have, and documents without a column.
    """
    if by not in (None, "document"):
        raise ValueError(f"by is 'document' or None for dataframes, not {by!r}")
    if by is not None and documents is None:
        raise ValueError("by='document' needs the column of documents; name it with documents=")
    return documents if by is not None else None


def score_batches(
    batches: Iterable[tuple[Any, Any, Iterable[Any] | None]], options: Mapping[str, Any]
) -> bytes:
    """Score the batches of one partition.

    Parameters
    ----------
    batches : iterable of (gold, pred, names of documents or None)
        As :meth:`spanrs.Scorer.update` takes them. A document may go on in the next batch.
    options : mapping
        Those of :class:`spanrs.Scorer`.

    Returns
    -------
    bytes
        As of :meth:`spanrs.Result.to_bytes`.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.integrations.shards import score_batches
    >>> stored = score_batches([([["B-A"]], [["B-A"]], ["x"])], {"scheme": "BIO", "by": "document"})
    >>> [row.name for row in spanrs.Result.from_bytes(stored).documents]
    ['x']
    """
    known = dict(options)
    ids = {name: known.pop(name) for name in ("ignore_index",) if name in known}
    scorer = Scorer(**known)
    runs = scorer.document_runs()
    for gold, pred, names in batches:
        if names is None:
            scorer.update(gold, pred, **ids)
        else:
            runs.update(gold, pred, list(map(_document, names)), **ids)
    runs.end()
    return scorer.result().to_bytes()


def _document(name: object) -> str:
    # pandas has NaN in place of a null.
    if name is None or (isinstance(name, float) and isnan(name)):
        raise TypeError("a sentence has no document: the column of documents has a null")
    return str(name)


def merge_bytes(stored: Iterable[bytes]) -> bytes:
    """Merge stored results, in order.

    Parameters
    ----------
    stored : iterable of bytes
        One or more, as of :meth:`spanrs.Result.to_bytes`.

    Returns
    -------
    bytes
        The result of all. Merging is associative: groups of neighbours may be merged first.

    Raises
    ------
    ValueError
        Where there is nothing to merge.
    spanrs.errors.SchemeError
        Where the signatures differ.
    spanrs.errors.FormatError
        For damaged bytes.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.integrations.shards import merge_bytes
    >>> stored = spanrs.score([["B-A"]], [["B-A"]], scheme="BIO").to_bytes()
    >>> spanrs.Result.from_bytes(merge_bytes([stored, stored])).totals.tp
    2
    """
    results = [Result.from_bytes(one) for one in stored]
    if not results:
        raise ValueError("there are no results to merge")
    return results[0].merge(*results[1:]).to_bytes() if len(results) > 1 else results[0].to_bytes()


def groups(items: Sequence[Any], size: int = FAN_IN) -> Iterator[Sequence[Any]]:
    """Give neighbours together, ``size`` of them at most."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def finished(stored: bytes, *, named: bool) -> Result:
    """Read the merged result and raise its warnings.

    Parameters
    ----------
    stored : bytes
        As of :func:`merge_bytes`.
    named : bool
        Documents were named by a column.

    Raises
    ------
    spanrs.errors.AlignmentError
        Where a named document is in two partitions.
    """
    result = Result.from_bytes(stored)
    if named:
        seen: set[object] = set()
        for name in result.counts.documents():
            if name in seen:
                error = AlignmentError(
                    f"document {name!r} goes on after another one has begun, or in another partition; "
                    "keep the sentences of a document together in one partition"
                )
                raise with_code(error, "documents")
            seen.add(name)
    warn(result.warnings)
    return result


def decide_schemes(
    score_one: Callable[[int, Mapping[str, Any]], bytes], count: int, options: Mapping[str, Any]
) -> tuple[list[bytes], dict[str, Any]]:
    """Score shards one after the other until no scheme is to be found out any more.

    Parameters
    ----------
    score_one : callable
        Scores the shard of a number, from 0, with the options, to bytes.
    count : int
        Number of shards.
    options : mapping
        Among them ``scheme`` and ``pred_scheme``.

    Returns
    -------
    list of bytes
        The results of the first shards; none where the schemes are named.
    dict
        Options for the other shards.

    Notes
    -----
    The rule is that of :func:`spanrs.eval.shards.found_schemes`.
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
