"""Scoring of Dask bags, Dask dataframes and shards on disk.

Each partition is scored on its worker, which returns a serialized result, and the results are merged in a tree. The
merged result is byte-identical to the result of merging the partitions in order.

``scheme="auto"`` is resolved once: partitions are scored one after the other until a partition has a tag other than
``O``; the remaining partitions are scored in parallel under the detected scheme. Specify the scheme to score all
partitions in parallel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from spanrs.eval import Result
from spanrs.integrations.shards import (
    Paths,
    decide_schemes,
    document_column,
    finished,
    groups,
    merge_bytes,
    score_batches,
    score_shard,
    table_batches,
)
from spanrs.io.tables import check_columns

__all__ = ["score_bag", "score_dataframe", "score_shards"]


def score_bag(gold: Any, pred: Any = None, **options: Any) -> Result:
    """Score a bag of pairs, or two bags.

    Parameters
    ----------
    gold : dask.bag.Bag
        One item per sentence: a pair of gold and pred, each a list of tags or of spans. If ``pred`` is given, an item
        is only the gold side.
    pred : dask.bag.Bag, optional
        The other side, with the same sentences in the same partitions.
    **options
        Options of :class:`spanrs.Scorer` for sentences in memory.

    Returns
    -------
    Result

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError
        If the bags differ in their number of partitions.
    TypeError, spanrs.errors.SpanrsError
        Same as :func:`spanrs.score`.

    Examples
    --------
    >>> from dask import bag
    >>> from spanrs.integrations.dask import score_bag
    >>> pairs = [(["B-PER", "O"], ["B-PER", "O"]), (["B-LOC"], ["O"])]
    >>> score_bag(bag.from_sequence(pairs, npartitions=2), scheme="BIO").totals
    Totals(tp=1, fp=0, fn=1)
    """
    golds = gold.to_delayed()
    if pred is None:
        return _score(golds, _score_pairs, options)
    preds = pred.to_delayed()
    if len(golds) != len(preds):
        raise ValueError(
            f"gold has {len(golds)} partitions and pred {len(preds)}; both must contain the same sentences"
        )
    return _score(list(zip(golds, preds, strict=True)), _score_sides, options)


def score_dataframe(
    frame: Any,
    gold: str = "gold",
    pred: str = "pred",
    *,
    documents: str | None = None,
    by: str | None = None,
    **options: Any,
) -> Result:
    """Score two columns of a Dask dataframe.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        One row per sentence.
    gold, pred, documents
        Names of columns, as for tables in :func:`spanrs.score`: Arrow lists of tags, ids or spans (structs), or Python
        lists. The sentences of a document must be in one partition.
    by : str, optional
        ``document`` keeps a row of counts for each document.
    **options
        Options of :class:`spanrs.Scorer`.

    Returns
    -------
    Result

    Raises
    ------
    ImportError
        If Dask or pyarrow are not installed.
    KeyError
        If a column does not exist.
    TypeError
        If a column contains text.
    ValueError
        If ``by`` is unknown, or ``by="document"`` without ``documents``.
    spanrs.errors.AlignmentError
        If a document is in two partitions, and in the same cases as in :func:`spanrs.score`.

    Notes
    -----
    Dask converts Python lists to text unless its option ``dataframe.convert-string`` is False. Columns of Arrow lists
    (``pandas.ArrowDtype``) are not converted.
    """
    import pandas

    documents = document_column(documents, by)
    names = list(dict.fromkeys(name for name in (gold, pred, documents) if name is not None))
    check_columns(names, list(frame.columns))
    for name in (gold, pred):
        if isinstance(frame.dtypes[name], pandas.StringDtype):
            raise TypeError(
                f"the column {name!r} contains text, not lists; Dask converts lists to text unless "
                "dask.config.set({'dataframe.convert-string': False}) is called first, or the lists are Arrow lists"
            )
    score = partial(_score_frame, columns=(gold, pred, documents))
    options["by"] = by
    return _score(frame[names].to_delayed(), score, options)


def score_shards(shards: Iterable[Paths], **options: Any) -> Result:
    r"""Score files that each contain one shard of a corpus.

    Parameters
    ----------
    shards : iterable of paths, or of pairs of paths
        Gold and pred, or one file with both sides. Every worker must be able to open the files. Documents end at the
        end of a shard.
    **options
        Options of :func:`spanrs.score`.

    Returns
    -------
    Result

    Raises
    ------
    ImportError
        If Dask is not installed.
    ValueError
        If there are no shards.
    OSError, TypeError, spanrs.errors.SpanrsError
        Same as :func:`spanrs.integrations.shards.score_shard`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from spanrs.integrations.dask import score_shards
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     shards = [pathlib.Path(folder) / name for name in ("1.conll", "2.conll")]
    ...     for path in shards:
    ...         _ = path.write_text("EU B-ORG B-ORG\nrejects O O\n", encoding="utf-8")
    ...     score_shards(shards, scheme="BIO").totals
    Totals(tp=2, fp=0, fn=0)
    """
    return _score(list(shards), score_shard, options, named=options.get("documents") is not None)


def _score(
    parts: Sequence[Any], score: Any, options: Mapping[str, Any], *, named: bool | None = None
) -> Result:
    """Score each part with ``score(part, options)``, which returns bytes, and merge the results in order."""
    import dask

    def task(at: int, given: Mapping[str, Any]) -> Any:
        # Options are bound with ``partial``, so that Dask does not search the options for Dask objects.
        return dask.delayed(partial(score, options=dict(given)), pure=False)(parts[at])

    def computed(at: int, given: Mapping[str, Any]) -> bytes:
        stored: bytes = dask.compute(task(at, given))[0]
        return stored

    if not parts:
        raise ValueError("there is nothing to score: no shards or partitions")
    decided_bytes, decided = decide_schemes(computed, len(parts), options)
    stored = [*decided_bytes, *(task(at, decided) for at in range(len(decided_bytes), len(parts)))]
    merge = dask.delayed(merge_bytes, pure=False)
    while len(stored) > 1:
        stored = [merge(list(group)) for group in groups(stored)]
    named = options.get("by") == "document" if named is None else named
    return finished(dask.compute(stored[0])[0], named=named)


def _score_pairs(pairs: Iterable[Any], options: Mapping[str, Any]) -> bytes:
    pairs = list(pairs)
    return score_batches([([pair[0] for pair in pairs], [pair[1] for pair in pairs], None)], options)


def _score_sides(sides: tuple[Iterable[Any], Iterable[Any]], options: Mapping[str, Any]) -> bytes:
    gold, pred = map(list, sides)
    return score_batches([(gold, pred, None)], options)


def _score_frame(frame: Any, options: Mapping[str, Any], columns: tuple[str, str, str | None]) -> bytes:
    """Score a partition, a pandas dataframe."""
    import pyarrow

    def batches() -> Iterator[Any]:
        # Without rows pyarrow cannot infer the type of a column of Python lists.
        if len(frame):
            table = pyarrow.Table.from_pandas(frame, preserve_index=False)
            yield from table_batches(table, *columns)

    return score_batches(batches(), options)
