"""Scoring columns of Parquet and Arrow files, batch by batch."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

from spanrs.errors import (
    AlignmentError,
    FormatError,
    SchemeError,
    SpanrsError,
    SpanrsWarning,
    warn,
    with_code,
)
from spanrs.eval.details import ErrorList, errors_to_keep
from spanrs.eval.inputs import check_columns
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer, score
from spanrs.eval.settings import UNDECIDED
from spanrs.eval.span_columns import first_null, holds_spans, is_list, span_tuples

#: The path of a file.
Path: TypeAlias = str | PathLike[str]

#: First and last bytes of Parquet files, and first bytes where the footer is encrypted.
PARQUET = b"PAR1"
ENCRYPTED = b"PARE"
#: First and last bytes of Arrow files; the first bytes are padded with zeros to eight.
ARROW = b"ARROW1"
#: First bytes of Arrow streams: the marker before the length of each message.
STREAM = b"\xff\xff\xff\xff"
#: First bytes of Feather version 1, which has no lists.
FEATHER = b"FEA1"
#: Bytes read to tell the format.
HEAD = 64

#: Decoded size of a batch of Parquet; rows are counted from the sizes in the footer.
BATCH_BYTES = 1 << 26
#: Decoded bytes for each encoded one: a tag is an index of two bits or more in the file, of four bytes in memory.
GROWTH = 16
BATCH_ROWS = 1 << 16
#: Compressed bytes of a column that are read at once.
READ_BYTES = 1 << 20


def is_table_file(path: Path) -> bool:
    """Tell whether a file is Parquet or Arrow IPC, by its first and last bytes.

    Parameters
    ----------
    path : path
        The file; its name does not matter.

    Returns
    -------
    bool
        Also True for a Parquet or Arrow file whose end is missing, so that it is reported as truncated.

    Examples
    --------
    >>> import io, pathlib, tempfile
    >>> from spanrs.eval.table_files import is_table_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "tags.parquet"
    ...     _ = path.write_text("EU B-ORG", encoding="utf-8")
    ...     is_table_file(path)
    False
    """
    return _format(path) is not None


def _format(path: Path) -> str | None:
    """Return ``parquet``, ``file``, ``stream``, or None for another file."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        return None  # What is read from a pipe is gone.
    with open(path, "rb") as file:
        head = file.read(HEAD)
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - HEAD))
        end = file.read()
    if head.startswith(STREAM):
        return "stream"
    for magic, name in (
        (PARQUET, "parquet"),
        (ENCRYPTED, "parquet"),
        (ARROW, "file"),
        (FEATHER, "feather"),
    ):
        # A token of a text file may be one of these words.
        if head.startswith(magic) and (end.endswith(magic) or _is_binary(head)):
            return name
    return None


def _is_binary(head: bytes) -> bool:
    return any(byte < 32 and byte not in b"\t\n\r" for byte in head)


def score_table_files(
    paths: Path | Iterable[Path],
    gold: str = "gold",
    pred: str = "pred",
    *,
    documents: str | None = None,
    by_sentence: bool = False,
    errors: bool | int = False,
    tokens: str | None = None,
    **options: Any,
) -> Result:
    """Score two columns of Parquet or Arrow files, which are read batch by batch.

    Parameters
    ----------
    paths : path, or iterable of paths
        Parquet, or Arrow IPC (files, among them Feather version 2, and streams), as their bytes tell. Several files are
        read as one table, in order.
    gold, pred : str
        Names of the list columns, one list a sentence: tags as strings, dictionaries, or with ``vocabulary`` as
        integers; or spans as structs with ``type`` (or ``label``), ``start``, ``end``, and optionally ``tokens``.
    documents : str, optional
        Name of the column that says to which document a sentence belongs. Sentences of a document stand together; they
        may go on in the next batch or file.
    by_sentence : bool
        Keep a row of counts for each sentence, for intervals and comparisons.
    errors : bool or int
        Keep the errors for ``result.errors``: all, or that many of each kind. The files are read twice.
    tokens : str, optional
        Name of the column of lists of tokens, to be shown with errors.
    **options
        Those of :class:`spanrs.Scorer`. The scheme ``auto`` is found out by the first batch with a tag other than
        ``O``: up to 65,536 sentences or 64 MiB of Parquet, or a record batch of an Arrow file.

    Returns
    -------
    Result

    Raises
    ------
    ImportError
        Where pyarrow is not installed (``pip install spanrs[arrow]``).
    OSError
        Where a file cannot be opened.
    spanrs.errors.FormatError
        For other files, damaged files, columns that are missing or of another type, and spans that cannot be.
    spanrs.errors.AlignmentError
        Where a sentence is null or of two lengths, and where a document goes on after another one has begun.
    spanrs.errors.SchemeError
        As for :func:`spanrs.score`.
    TypeError
        For columns of integers without ``vocabulary``.

    Notes
    -----
    Memory is that of one batch. Batches of Arrow files are as large as they were written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow, pyarrow.parquet, spanrs
    >>> from spanrs.eval.table_files import score_table_files
    >>> table = pyarrow.table({"gold": [["B-A", "O"]], "pred": [["B-A", "B-A"]]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "table"
    ...     pyarrow.parquet.write_table(table, path)
    ...     score_table_files([path, path], scheme="BIO").totals
    Totals(tp=2, fp=2, fn=0)
    """
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError("Parquet and Arrow files need pyarrow; pip install 'spanrs[arrow]'") from error
    if documents is not None and by_sentence:
        raise ValueError("rows are of documents or of sentences; name documents or by_sentence")
    names = _Names(gold, pred, documents)
    paths = [paths] if isinstance(paths, (str, PathLike)) else list(paths)
    scorer = Scorer(by_document=documents is not None or by_sentence, **options)
    runs = DocumentRuns(scorer)
    for path in paths:
        row = 0
        for batch in _batches(path, names.listed()):
            with _located(path, row, batch.num_rows):
                golds, preds = _sides(batch, names, row)
                if by_sentence:
                    scorer.update(golds, preds, documents=[1] * batch.num_rows)
                else:
                    groups = None if documents is None else _groups(batch.column(documents), documents)
                    runs.update(golds, preds, groups)
            row += batch.num_rows
    runs.end()
    result = replace(scorer.result(), by_sentence=by_sentence)
    if not result.sentences:
        raise (
            _wrong(paths[0], "there is no row in it, so there is nothing to score")
            if paths
            else ValueError("there is no file to score")
        )
    if errors:
        kept: dict[str, Any] = {"errors": errors, "tokens": tokens}
        result = replace(result, error_list=_list_errors(paths, names, result, options, **kept))
    warn(result.warnings)
    return result


def _list_errors(
    paths: list[Path],
    names: _Names,
    result: Result,
    options: Mapping[str, Any],
    *,
    errors: bool | int,
    tokens: str | None,
) -> ErrorList:
    """Read files again that were scored, and list the errors in them."""
    known = ("reading", "vocabulary", "dialect")
    read = {name: options[name] for name in known if name in options} | {"matcher": result.matcher}
    if result.settings.get("scheme", UNDECIDED) != UNDECIDED:
        read |= {name: result.settings.get(name) for name in ("scheme", "pred_scheme")}
    most = errors_to_keep(errors)
    whole = ErrorList(result.criterion.name, most=most)
    sentence = 0
    columns = names.listed() if tokens is None else list(dict.fromkeys([*names.listed(), tokens]))
    for path in paths:
        row = 0
        for batch in _batches(path, columns):
            with _located(path, row, batch.num_rows), warnings.catch_warnings():
                # The result of all batches has the warnings.
                warnings.simplefilter("ignore", SpanrsWarning)
                words = None if tokens is None else batch.column(tokens).to_pylist()
                found = score(*_sides(batch, names, row), errors=errors, tokens=words, **read)
            if found.error_list is not None:
                whole = whole.merge([found.error_list], [0, sentence])
            row += batch.num_rows
            sentence += batch.num_rows
    return whole


class _Names(NamedTuple):
    """Names of the columns."""

    gold: str
    pred: str
    documents: str | None

    def listed(self) -> list[str]:
        return list(dict.fromkeys(name for name in self if name is not None))


class DocumentRuns:
    """Adds batches to a scorer, with documents that go on in the next batch.

    Parameters
    ----------
    scorer : Scorer
        Made with ``by_document=True`` where batches name documents.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.eval.table_files import DocumentRuns
    >>> runs = DocumentRuns(spanrs.Scorer("BIO", by_document=True))
    >>> for names in (["x", "y"], ["y", "z"]):
    ...     runs.update([["B-A"], ["B-A"]], [["B-A"], ["O"]], names)
    >>> runs.end()
    >>> [(row.name, row.sentences) for row in runs.scorer.result().documents]
    [('x', 1), ('y', 2), ('z', 1)]
    """

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        #: The document that may go on, and those that cannot.
        self._open: str | None = None
        self._ended: set[str] = set()

    def update(self, gold: Any, pred: Any, names: list[str] | None) -> None:
        """Add sentences, with the name of the document of each."""
        if names is None:
            self.scorer.update(gold, pred)
            return
        if not names:
            return
        if names[0] != self._open:
            self.end()
        first = next((at for at, name in enumerate(names) if name != self._open), len(names))
        self._add(gold, pred, 0, first)
        if first == len(names):
            return
        self.end()
        last = len(names) - 1
        while last > first and names[last - 1] == names[-1]:
            last -= 1
        if last > first:
            found = dict.fromkeys(names[first:last])
            self._check(found)
            # Refuses documents that go on within these sentences.
            self.scorer.update(gold[first:last], pred[first:last], documents=names[first:last])
            self._ended.update(found)
        self._check([names[-1]])
        self._open = names[-1]
        self._add(gold, pred, last, len(names))

    def end(self) -> None:
        """End the document that may go on."""
        if self._open is not None:
            self.scorer.end_document(self._open)
            self._ended.add(self._open)
            self._open = None

    def _add(self, gold: Any, pred: Any, start: int, end: int) -> None:
        if end > start:
            self.scorer.update(gold[start:end], pred[start:end])

    def _check(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self._ended:
                error = AlignmentError(
                    f"document {name!r} goes on after another one has begun; sort the sentences by document"
                )
                raise with_code(error, "documents")


def _batches(path: Path, names: list[str]) -> Iterator[Any]:
    """Give the batches of a file, with the columns of these names."""
    kind = _format(path)
    if kind == "feather":
        raise _wrong(path, "this is Feather version 1, which has no lists; write version 2")
    if kind is None:
        raise _wrong(
            path,
            "this is neither Parquet nor Arrow; column files (one token a line) are scored by "
            "spanrs.score_files",
        )
    with _readable(path):
        yield from (_parquet(path, names) if kind == "parquet" else _ipc(path, names, kind))


def _parquet(path: Path, names: list[str]) -> Iterator[Any]:
    from pyarrow import parquet

    # A mapped file that is cut meanwhile would end the process.
    with parquet.ParquetFile(path, memory_map=False, buffer_size=READ_BYTES) as file:
        _check_schema(path, names, file.schema_arrow)
        strings = _string_paths(file.schema, names)
        groups = [file.metadata.row_group(at) for at in range(file.metadata.num_row_groups)]
        size = max((group.total_byte_size / max(group.num_rows, 1) for group in groups), default=0)
    rows = int(min(max(BATCH_BYTES / max(GROWTH * size, 1), 1), BATCH_ROWS))
    # Tags are scored from the dictionary, instead of one str a token.
    with parquet.ParquetFile(
        path, memory_map=False, buffer_size=READ_BYTES, read_dictionary=strings
    ) as file:
        # Each row group has a dictionary, and pyarrow does not read lists with two dictionaries into one batch.
        parts = (
            part
            for at in range(len(groups))
            for part in file.iter_batches(rows, row_groups=[at], columns=names, use_threads=False)
        )
        yield from _regrouped(parts, rows)


def _regrouped(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Give the rows of batches as tables of so many rows, whatever the sizes of the batches, without copies."""
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
    """Give the paths of the columns of strings in these list columns."""
    columns = map(schema.column, range(len(schema)))
    prefixes = tuple(f"{name}." for name in names)
    return [
        column.path
        for column in columns
        if column.physical_type == "BYTE_ARRAY" and column.path.startswith(prefixes)
    ]


def _ipc(path: Path, names: list[str], kind: str) -> Iterator[Any]:
    import pyarrow

    def opened(**options: Any) -> Any:
        read = pyarrow.ipc.open_file if kind == "file" else pyarrow.ipc.open_stream
        return read(file, options=pyarrow.ipc.IpcReadOptions(use_threads=False, **options))

    with pyarrow.OSFile(os.fspath(path)) as file:
        schema = opened().schema
        _check_schema(path, names, schema)
        file.seek(0)
        reader = opened(included_fields=sorted(schema.get_field_index(name) for name in names))
        batches = reader if kind == "stream" else map(reader.get_batch, range(reader.num_record_batches))
        for batch in batches:
            # Offsets of a damaged file lead anywhere.
            batch.validate(full=True)
            yield batch


def _check_schema(path: Path, names: list[str], schema: Any) -> None:
    try:
        check_columns(names, schema.names)
    except KeyError as error:
        raise _wrong(path, error.args[0], "columns") from None
    for name in names:
        if schema.names.count(name) > 1:
            raise _wrong(path, f"there are several columns {name!r}", "columns")


def _sides(batch: Any, names: _Names, row: int) -> tuple[Any, Any]:
    """Give gold and pred of a batch; the batch begins at this row."""
    columns = {name: batch.column(name) for name in names[:2]}
    for name, column in columns.items():
        if not is_list(column.type):
            message = f"the column {name!r} is of type {column.type}; it must hold one list a sentence"
            raise with_code(FormatError(message), "columns")
        if column.null_count:
            raise _misaligned(f"the sentence in row {row + first_null(column)} of {name!r} is null")
    gold, pred = columns[names.gold], columns[names.pred]
    spans = [holds_spans(column.type) for column in (gold, pred)]
    if any(spans):
        if not all(spans):
            message = f"one of {names.gold!r} and {names.pred!r} holds spans, the other one does not"
            raise with_code(FormatError(message), "columns")
        return span_tuples(gold, names.gold), span_tuples(pred, names.pred)
    _check_lengths(gold, pred, row)
    _check_nulls(gold, pred, row)
    return gold, pred


def _check_lengths(gold: Any, pred: Any, row: int) -> None:
    """Refuse sentences of two lengths, with the row in the file."""
    import numpy as np
    import pyarrow.compute as pc

    golds, preds = (pc.list_value_length(side).to_numpy(zero_copy_only=False) for side in (gold, pred))
    different = np.flatnonzero(golds != preds)
    if different.size:
        at = int(different[0])
        raise _misaligned(f"row {row + at}: gold has {golds[at]} tags, pred has {preds[at]}")


def _check_nulls(gold: Any, pred: Any, row: int) -> None:
    """Refuse tags of pred that are null, but where gold is null too; the lengths of sentences are equal."""
    import numpy as np
    import pyarrow.compute as pc
    from pyarrow import types

    tags = pc.list_flatten(pred)
    # Tokens with an ignored id in gold are left out as well, which is known further down.
    if not tags.null_count or types.is_integer(gold.type.value_type):
        return
    at = pc.and_(tags.is_null(), pc.list_flatten(gold).is_valid()).index(True).as_py()
    if at >= 0:
        ends = np.cumsum(pc.list_value_length(gold).to_numpy(zero_copy_only=False))
        sentence = int(np.searchsorted(ends, at, side="right"))
        token = at - (int(ends[sentence - 1]) if sentence else 0)
        message = (
            f"row {row + sentence}: pred has no tag at token {token}; a null in gold leaves the token out"
        )
        raise with_code(SchemeError(message), "unknown_id")


def _groups(column: Any, name: str) -> list[str]:
    if column.null_count:
        message = f"sentence {first_null(column)} has no document: {name!r} is null"
        raise with_code(FormatError(message), "columns")
    return [str(value) for value in column.to_pylist()]


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Report what pyarrow says of a damaged file."""
    import pyarrow

    try:
        yield
    except SpanrsError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        said = str(error).strip().partition("\n")[0]
        raise _wrong(path, f"the file is truncated or damaged: {said}", "damaged") from error


@contextmanager
def _located(path: Path, row: int, rows: int) -> Iterator[None]:
    """Say in which file and rows an error is."""
    try:
        yield
    except (SpanrsError, ValueError, OverflowError) as error:
        where = f"{os.fspath(path)}: rows {row} to {row + rows - 1}"
        if not isinstance(error, SpanrsError):
            raise with_code(FormatError(f"{where}: {error}"), "spans", os.fspath(path)) from error
        error.path = os.fspath(path)
        error.args = (f"{where}: {error}",)
        raise


def _misaligned(message: str) -> AlignmentError:
    return with_code(AlignmentError(message), "shape")


def _wrong(path: Path, message: str, code: str = "format") -> FormatError:
    return with_code(FormatError(f"{os.fspath(path)}: {message}"), code, os.fspath(path))
