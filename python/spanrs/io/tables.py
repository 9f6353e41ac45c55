"""Tables: Parquet and Arrow files, and tables in memory, read batch by batch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from spanrs import _spanrs
from spanrs.errors import FormatError, SpanrsError, with_code
from spanrs.io.parts import Part

#: First bytes of Arrow streams: the marker before the length of each message.
STREAM = b"\xff\xff\xff\xff"
#: Decoded size of a Parquet batch, in bytes; the number of rows is computed from the sizes in the footer.
BATCH_BYTES = 1 << 26
#: Decoded bytes per encoded byte: a dictionary index of a tag takes at least two bits in the file and four bytes in
#: memory.
GROWTH = 16
BATCH_ROWS = 1 << 16
#: Number of compressed bytes of a column that are read at once.
READ_BYTES = 1 << 20


def is_table(source: object) -> bool:
    """Return whether an object is a table (pyarrow, Polars, pandas, DuckDB, Hugging Face).

    Examples
    --------
    >>> import pyarrow
    >>> from spanrs.io.tables import is_table
    >>> is_table(pyarrow.table({"gold": [["O"]]})), is_table(pyarrow.array([["O"]]))
    (True, False)
    """
    if isinstance(source, (list, tuple, str, bytes, dict)):
        return False
    named = hasattr(source, "collect_schema") or hasattr(source, "column_names")
    named = named or hasattr(source, "columns") or hasattr(getattr(source, "schema", None), "names")
    return named and (_has_stream(source) or hasattr(source, "features") or hasattr(source, "collect"))


def _has_stream(source: object) -> bool:
    names = ("__arrow_c_stream__", "__arrow_c_array__", "fetch_arrow_reader", "fetch_record_batch")
    return any(hasattr(source, name) for name in names)


def is_one_shot(source: object) -> bool:
    """Return whether an object is a one-shot stream of record batches."""
    return hasattr(source, "read_next_batch")


def _need_pyarrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("tables need pyarrow; run pip install 'spanrs[arrow]'") from error
    return pyarrow


def column_types(part: Part) -> dict[str, Any]:
    """Return the Arrow type of each column of a table by name.

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    spanrs.errors.FormatError
        If the file is damaged, or several columns have the same name.
    """
    schema = _schema(part)
    names = list(schema.names)
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise table_error(part.shown, f"several columns are called {doubled!r}", "columns")
    return dict(zip(names, schema.types, strict=True))


def _schema(part: Part) -> Any:
    _need_pyarrow()
    if part.format == "table":
        source = part.source
        if hasattr(source, "features"):
            # A Hugging Face dataset; the underlying table may have more rows than the dataset.
            return _dataset_schema(source, part.shown)
        if hasattr(source, "collect_schema") and hasattr(source, "collect"):
            return _reader(source.limit(0).collect()).schema
        if hasattr(source, "read_next_batch"):
            return source.schema
        if _is_relation(source):
            return _reader(source.limit(0)).read_all().schema
        return _reader(source).schema
    with readable(part.shown):
        if part.format == "parquet":
            from pyarrow import parquet

            with _opened(_file(part)) as file:
                return parquet.read_schema(file)
        with _opened(_file(part)) as file:
            return _open_ipc(file).schema


def _dataset_schema(dataset: Any, shown: str) -> Any:
    """Return the schema of a Hugging Face dataset; some streamed datasets require inference from the rows."""
    if dataset.features is not None:
        return dataset.features.arrow_schema
    first = next(iter(dataset.with_format("arrow").iter(1)), None)
    if first is None:
        raise table_error(shown, "the dataset has no rows", "columns")
    return first.schema


def plain_path(part: Part) -> str | None:
    """Return the path of an uncompressed file; None for compressed files and streams."""
    if part.path is None or isinstance(part.source, _spanrs.Source):
        return None
    with open(part.path, "rb") as file:
        start = file.read(4)
    return part.path if part.opened(keep=True).beginning(4)[0].startswith(start) else None


def _file(part: Part) -> Any:
    """Return the path of an uncompressed file, or else the contents, because the footer is read first."""
    path = plain_path(part)
    if path is not None:
        return path
    return _need_pyarrow().py_buffer(part.opened(keep=True).contents(None))


def _opened(file: Any) -> Any:
    """Open a path or a buffer for pyarrow."""
    pyarrow = _need_pyarrow()
    # A mapped file that is truncated while in use crashes the process (SIGBUS).
    return pyarrow.OSFile(file) if isinstance(file, str) else pyarrow.BufferReader(file)


def class_labels(part: Part, column: str) -> list[str] | None:
    """Return the class names of a column of a Hugging Face dataset; None for other columns."""
    # Streamed datasets may have no features.
    features = getattr(part.source, "features", None) if part.format == "table" else None
    feature = None if features is None else features.get(column)
    while feature is not None:
        names = getattr(feature, "names", None)
        if isinstance(names, list):
            return names
        feature = feature[0] if isinstance(feature, list) else getattr(feature, "feature", None)
    return None


def batches(part: Part, names: Sequence[str], *, whole: bool = False) -> Iterator[Any]:
    """Yield the rows of a table as tables or record batches of pyarrow, with the given columns.

    Parameters
    ----------
    part : Part
        A table in memory, or a Parquet or Arrow file.
    names : sequence of str
        The columns, which must exist.
    whole : bool
        Whether to yield tables in memory as a single batch.

    Raises
    ------
    OSError
        If a file cannot be opened.
    KeyError
        If a column does not exist.
    spanrs.errors.FormatError
        If the file is damaged.
    """
    names = list(dict.fromkeys(names))
    if part.format == "table":
        yield from _memory(part.source, names, whole=whole)
        return
    with readable(part.shown):
        read = _parquet if part.format == "parquet" else _ipc
        yield from read(_file(part), part.shown, names)


def check_columns(names: Iterable[str], columns: Sequence[str]) -> None:
    """Refuse names of columns that do not exist."""
    for name in names:
        if name not in columns:
            raise KeyError(f"the table has no column {name!r}; its columns are {', '.join(columns)}")


def _memory(table: Any, names: list[str], *, whole: bool) -> Iterator[Any]:
    _need_pyarrow()
    if hasattr(table, "features") and hasattr(table, "with_format"):
        table = table.select_columns(names).with_format("arrow")
        if whole and hasattr(table, "num_rows"):
            yield table[:]
        elif whole:
            yield _need_pyarrow().concat_tables(table.iter(BATCH_ROWS))
        else:
            yield from table.iter(BATCH_ROWS)
        return
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):  # Polars' LazyFrame.
        check_columns(names, table.collect_schema().names())
        chosen = table.select(names)
        # Polars before 1.33 has no collect_batches, so the whole frame is collected.
        if not whole and hasattr(chosen, "collect_batches"):
            for frame in chosen.collect_batches():
                yield from _reader(frame)
            return
        table = chosen.collect()
    if _is_relation(table):
        # A DuckDB connection has one open result at a time.
        table = _reader(table).read_all()
    reader = _reader(table)
    check_columns(names, reader.schema.names)
    chosen = reader.read_all().select(names) if whole else (batch.select(names) for batch in reader)
    yield from [chosen] if whole else chosen


def _is_relation(table: object) -> bool:
    """Return whether an object is a DuckDB relation."""
    return hasattr(table, "fetchall") and hasattr(table, "limit")


def _reader(table: Any) -> Any:
    """Return a reader of the batches of a table."""
    pyarrow = _need_pyarrow()
    if hasattr(table, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(table)
    if hasattr(table, "__arrow_c_array__"):  # A single record batch.
        batch = pyarrow.record_batch(table)
        return pyarrow.RecordBatchReader.from_batches(batch.schema, [batch])
    if hasattr(table, "fetch_arrow_reader"):  # Relations of older DuckDB versions.
        return table.fetch_arrow_reader(BATCH_ROWS)
    if hasattr(table, "fetch_record_batch"):
        return table.fetch_record_batch()
    raise TypeError(
        "a table must export an Arrow stream (pyarrow, Polars, pandas, DuckDB) or be a LazyFrame or dataset, not "
        f"{type(table).__name__}"
    )


def _parquet(source: Any, shown: str, names: list[str]) -> Iterator[Any]:
    from pyarrow import parquet

    with _opened(source) as opened, parquet.ParquetFile(opened, buffer_size=READ_BYTES) as file:
        _check_there(shown, names, file.schema_arrow)
        strings = _string_paths(file.schema, names)
        groups = [file.metadata.row_group(at) for at in range(file.metadata.num_row_groups)]
        size = max((group.total_byte_size / max(group.num_rows, 1) for group in groups), default=0)
    rows = int(min(max(BATCH_BYTES / max(GROWTH * size, 1), 1), BATCH_ROWS))
    # Tags are scored as dictionary indices, without a str per token.
    with (
        _opened(source) as opened,
        parquet.ParquetFile(opened, buffer_size=READ_BYTES, read_dictionary=strings) as file,
    ):
        # Each row group has its own dictionary, and pyarrow cannot read lists with two dictionaries into one batch.
        parts = (
            part
            for at in range(len(groups))
            for part in file.iter_batches(rows, row_groups=[at], columns=names, use_threads=False)
        )
        yield from _regrouped(parts, rows)


def _regrouped(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Regroup batches into tables of ``rows`` rows without copying."""
    import pyarrow

    waiting: list[Any] = []
    length = 0
    for batch in batches:
        waiting.append(batch)
        length += batch.num_rows
        if length < rows:
            continue
        table = pyarrow.Table.from_batches(waiting)
        for start in range(0, length - length % rows, rows):
            yield table[start : start + rows]
        waiting = table[length - length % rows :].to_batches()
        length %= rows
    if waiting:
        yield pyarrow.Table.from_batches(waiting)


def _string_paths(schema: Any, names: list[str]) -> list[str]:
    """Return the Parquet paths of the strings within the given list columns."""
    columns = map(schema.column, range(len(schema)))
    prefixes = tuple(f"{name}." for name in names)
    return [
        column.path
        for column in columns
        if column.physical_type == "BYTE_ARRAY" and column.path.startswith(prefixes)
    ]


def _ipc(source: Any, shown: str, names: list[str]) -> Iterator[Any]:
    with _opened(source) as file:
        schema = _open_ipc(file).schema
        _check_there(shown, names, schema)
        file.seek(0)
        reader = _open_ipc(file, included_fields=sorted(schema.get_field_index(name) for name in names))
        one_by_one = hasattr(reader, "get_batch")
        batches = map(reader.get_batch, range(reader.num_record_batches)) if one_by_one else reader
        for batch in batches:
            # A damaged file may have out-of-range offsets.
            batch.validate(full=True)
            yield batch


def _open_ipc(file: Any, **options: Any) -> Any:
    """Open an Arrow file or stream; the first bytes distinguish the two."""
    pyarrow = _need_pyarrow()
    is_stream = file.read(len(STREAM)) == STREAM
    file.seek(0)
    read = pyarrow.ipc.open_stream if is_stream else pyarrow.ipc.open_file
    return read(file, options=pyarrow.ipc.IpcReadOptions(use_threads=False, **options))


def _check_there(path: str, names: list[str], schema: Any) -> None:
    try:
        check_columns(names, schema.names)
    except KeyError as error:
        raise table_error(path, error.args[0], "columns") from None
    for name in names:
        if schema.names.count(name) > 1:
            raise table_error(path, f"several columns are called {name!r}", "columns")


@contextmanager
def readable(path: str) -> Iterator[None]:
    """Convert pyarrow's errors about damaged files to errors of this package."""
    pyarrow = _need_pyarrow()
    try:
        yield
    except SpanrsError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).strip().partition("\n")[0]
        raise table_error(path, f"the file is truncated or damaged: {reason}", "damaged") from error


def table_error(path: str, message: str, code: str = "format") -> FormatError:
    """Return an error about a table."""
    return with_code(FormatError(f"{path}: {message}"), code, path)
