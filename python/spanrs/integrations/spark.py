"""Scoring of Spark dataframes.

Executors score the Arrow batches of each partition and return a serialized result; the driver merges the results in the
order of the partitions. Executors need this package and pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from spanrs.eval import Result, Scorer
from spanrs.eval.settings import UNDECIDED
from spanrs.eval.shards import names_schemes
from spanrs.integrations.shards import document_column, finished, merge_bytes, score_batches, table_batches
from spanrs.io.tables import check_columns

__all__ = ["score_dataframe"]

#: Schema of the rows that partitions return.
SCHEMA = "partition int, result binary"


def score_dataframe(
    frame: Any,
    gold: str = "gold",
    pred: str = "pred",
    *,
    documents: str | None = None,
    by: str | None = None,
    **options: Any,
) -> Result:
    """Score two columns of a Spark dataframe.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        One row per sentence. The columns contain arrays: of strings (tags), of integers (with ``vocabulary``), or of
        structs with ``type`` (or ``label``), ``start`` and ``end`` (spans).
    gold, pred : str
        Names of the columns.
    documents : str, optional
        Name of the column that names the document of each sentence, for ``by``. The sentences of a document must be
        adjacent in one partition, as after
        ``frame.repartition("document").sortWithinPartitions("document", "sentence")``.
    by : str, optional
        ``document`` keeps a row of counts for each document.
    **options
        Options of :class:`spanrs.Scorer`. For tags, ``scheme`` is required.

    Returns
    -------
    Result
        Documents and violations are in the order of the partitions.

    Raises
    ------
    ImportError
        If pyspark or pyarrow are not installed.
    KeyError
        If a column does not exist.
    TypeError
        If a column does not contain arrays.
    ValueError
        If the scheme is ``auto``: partitions are scored independently and might detect different schemes. Also if
        ``by`` is unknown, or ``by="document"`` without ``documents``.
    spanrs.errors.AlignmentError
        If a document is in two partitions.
    pyspark.errors.PythonException
        If a partition cannot be scored; the exception contains the message of the original error.

    Notes
    -----
    The results of all partitions are sent to the driver: about 500 bytes per partition, plus violations and documents;
    see ``spark.driver.maxResultSize``.

    Examples
    --------
    >>> from pyspark.sql import SparkSession  # doctest: +SKIP
    >>> from spanrs.integrations.spark import score_dataframe
    >>> spark = SparkSession.builder.master("local[2]").getOrCreate()  # doctest: +SKIP
    >>> rows = [(["B-PER", "O"], ["B-PER", "O"]), (["B-LOC"], ["O"])]
    >>> frame = spark.createDataFrame(rows, ["gold", "pred"])  # doctest: +SKIP
    >>> score_dataframe(frame, scheme="BIO").totals  # doctest: +SKIP
    Totals(tp=1, fp=0, fn=1)
    """
    from pyspark.sql import functions
    from pyspark.sql.types import ArrayType, StructType

    documents = document_column(documents, by)
    names = list(dict.fromkeys(name for name in (gold, pred, documents) if name is not None))
    check_columns(names, frame.columns)
    kinds = {name: frame.schema[name].dataType for name in (gold, pred)}
    for name, kind in kinds.items():
        if not isinstance(kind, ArrayType):
            raise TypeError(
                f"the column {name!r} contains {kind.simpleString()}, not arrays of tags or spans"
            )
    if not isinstance(kinds[gold].elementType, StructType) and not names_schemes(
        options.get("scheme", UNDECIDED), options.get("pred_scheme")
    ):
        raise ValueError(
            "specify scheme=, because partitions are scored independently and might detect different schemes"
        )
    options["by"] = by
    # Invalid options raise an error here instead of in the executors.
    Scorer(**options)
    # mapInArrow does not support columns with dots in their names.
    given = {"gold": gold, "pred": pred} | ({} if documents is None else {"document": documents})
    columns = [functions.col(_quoted(name)).alias(new) for new, name in given.items()]
    score = partial(_score_partition, documents=None if documents is None else "document", options=options)
    rows = frame.select(*columns).mapInArrow(score, SCHEMA).collect()
    rows.sort(key=lambda row: row.partition)
    stored = [bytes(row.result) for row in rows] or [score_batches([], options)]
    return finished(merge_bytes(stored), named=documents is not None)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _score_partition(
    batches: Iterable[Any], documents: str | None, options: Mapping[str, Any]
) -> Iterator[Any]:
    """Yield one row with the number and the result of a partition; no row for a partition without rows."""
    import pyarrow
    from pyspark import TaskContext

    empty = True

    def sides() -> Iterator[Any]:
        nonlocal empty
        for batch in batches:
            if batch.num_rows:
                empty = False
                yield from table_batches(batch, "gold", "pred", documents)

    stored = score_batches(sides(), options)
    if not empty:
        context = TaskContext.get()
        assert context is not None  # Executors have one context.
        number = pyarrow.array([context.partitionId()], pyarrow.int32())
        result = pyarrow.array([stored], pyarrow.binary())
        yield pyarrow.RecordBatch.from_arrays([number, result], ["partition", "result"])
