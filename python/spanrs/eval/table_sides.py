"""Reads gold and pred from a table with a row for each sentence and a column for each side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from spanrs.errors import AlignmentError, FormatError, SchemeError, SpanrsError, with_code
from spanrs.io import tables
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.io.sentences import Layout
from spanrs.io.span_columns import first_null, holds_spans, is_list, span_tuples


def id_options(part: Part, options: ReadOptions, layout: Layout) -> dict[str, Any]:
    """Return the vocabulary and other options for integers in a table."""
    names = options.vocabulary
    if names is None:
        names = _joined_labels(part, layout)[0]
    return {} if names is None else {"vocabulary": names, "ignore_index": options.ignore_index}


def _joined_labels(part: Part, layout: Layout) -> tuple[list[str] | None, list[int] | None]:
    """Return the union of the labels of gold and pred, and the new ids of pred's labels if the labels differ."""
    gold, pred = (tables.class_labels(part, str(layout.tags[side])) for side in ("gold", "pred"))
    if gold is None or pred is None or gold == pred:
        return gold if gold is not None else pred, None
    both = list(dict.fromkeys((*gold, *pred)))
    return both, [both.index(name) for name in pred]


def table_sides(
    part: Part, layout: Layout, extra: str | None = None
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield gold, pred, the range of rows, and the document names or an extra column, batch by batch."""
    # If a vocabulary is given, the ids of both sides refer to this vocabulary.
    places = _joined_labels(part, layout)[1] if layout.vocabulary is None else None
    gold, pred = (str(layout.tags[side]) for side in ("gold", "pred"))
    extra_column = layout.documents if extra is None else extra
    names = [gold, pred] if extra_column is None else [gold, pred, extra_column]
    row = 0
    for batch in tables.batches(
        part, names, whole=part.format == "table" and not tables.is_one_shot(part.source)
    ):
        rows = range(row, row + batch.num_rows)
        with located(part, rows):
            golds, preds = _sides(batch, gold, pred, row)
            if places is not None:
                preds = _renumbered(preds, places)
            values = None
            if extra is not None:
                values = batch.column(extra).to_pylist()
            elif extra_column is not None:
                values = _documents(batch.column(extra_column), extra_column, row)
        yield golds, preds, rows, values
        row = rows.stop


def _renumbered(column: Any, places: Sequence[int]) -> Any:
    """Map the ids of a list column; ids outside the mapping, such as ``ignore_index``, are unchanged."""
    import numpy as np
    import pyarrow
    import pyarrow.compute as pc

    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    offsets = pyarrow.array(np.concatenate(([0], np.cumsum(lengths))), pyarrow.int32())
    ids = pc.list_flatten(column)
    if isinstance(ids, pyarrow.ChunkedArray):
        ids = ids.combine_chunks()
    is_known = pc.and_(pc.greater_equal(ids, 0), pc.less(ids, len(places)))
    taken = pc.take(pyarrow.array(places, ids.type), pc.if_else(is_known, ids, 0))
    mapped = pyarrow.ListArray.from_arrays(offsets, pc.if_else(is_known, taken, ids))
    return pyarrow.chunked_array([mapped])


def _sides(batch: Any, gold_name: str, pred_name: str, row: int) -> tuple[Any, Any]:
    """Return gold and pred of a batch whose first row is ``row``."""
    columns = {name: batch.column(name) for name in (gold_name, pred_name)}
    for name, column in columns.items():
        if not is_list(column.type):
            message = f"the column {name!r} is of type {column.type}; it must contain one list per sentence"
            raise with_code(FormatError(message), "columns")
        if column.null_count:
            raise _misaligned(f"the sentence in row {row + first_null(column)} of {name!r} is null")
    gold, pred = columns[gold_name], columns[pred_name]
    spans = [holds_spans(column.type) for column in (gold, pred)]
    if any(spans):
        if not all(spans):
            message = (
                f"one of {gold_name!r} and {pred_name!r} has spans, the other has tags; pass the same kind"
            )
            raise with_code(FormatError(message), "columns")
        return span_tuples(gold, gold_name, row), span_tuples(pred, pred_name, row)
    _check_lengths(gold, pred, row)
    _check_nulls(gold, pred, row)
    return gold, pred


def _check_lengths(gold: Any, pred: Any, row: int) -> None:
    """Refuse sentences whose gold and pred differ in length."""
    import numpy as np
    import pyarrow.compute as pc

    golds, preds = (pc.list_value_length(side).to_numpy(zero_copy_only=False) for side in (gold, pred))
    different = np.flatnonzero(golds != preds)
    if different.size:
        at = int(different[0])
        raise _misaligned(f"row {row + at}: gold has {golds[at]} tags, pred has {preds[at]}")


def _check_nulls(gold: Any, pred: Any, row: int) -> None:
    """Refuse null tags in pred unless gold is also null."""
    import numpy as np
    import pyarrow.compute as pc
    from pyarrow import types

    tags = pc.list_flatten(pred)
    # Pred may also be null if the gold id is ignore_index; the compiled scorer checks this.
    if not tags.null_count or types.is_integer(gold.type.value_type):
        return
    at = pc.and_(tags.is_null(), pc.list_flatten(gold).is_valid()).index(True).as_py()
    if at >= 0:
        ends = np.cumsum(pc.list_value_length(gold).to_numpy(zero_copy_only=False))
        sentence = int(np.searchsorted(ends, at, side="right"))
        token = at - (int(ends[sentence - 1]) if sentence else 0)
        message = (
            f"row {row + sentence}: pred has no tag at token {token}; to ignore a token, gold must be null"
        )
        raise with_code(SchemeError(message), "unknown_id")


def _documents(column: Any, name: str, row: int) -> list[str]:
    if column.null_count:
        message = (
            f"row {row + first_null(column)} has no document: {name!r} is null; fill it or drop the row"
        )
        raise with_code(FormatError(message), "columns")
    return [str(value) for value in column.to_pylist()]


@contextmanager
def located(part: Part, rows: range) -> Iterator[None]:
    """Add the file and the rows to errors."""
    try:
        yield
    except (SpanrsError, ValueError, OverflowError) as error:
        if part.path is None:
            raise
        where = f"{part.path}: rows {rows.start} to {rows.stop - 1}"
        if not isinstance(error, SpanrsError):
            raise with_code(FormatError(f"{where}: {error}"), "spans", part.path) from error
        error.path = part.path
        error.args = (f"{where}: {error}",)
        raise


def _misaligned(message: str) -> AlignmentError:
    return with_code(AlignmentError(message), "shape")
