"""Files of crowd annotations: columns, a file for each annotator, and long tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike, fspath
from typing import IO, TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.crowd.corpus import MISSING, CrowdCorpus, is_missing
from spanrs.errors import AlignmentError, FormatError, warn, with_code
from spanrs.io import atomic_output
from spanrs.io.columns import Columns
from spanrs.io.sources import Source, read_text, source_name

if TYPE_CHECKING:
    from collections.abc import Sequence

#: This number of distinct labels is accepted even if the file has few tokens.
MOST_DIFFERENT = 5
#: Layout of column files, for messages.
LAYOUT = "every line must contain a token, then the labels of the annotators"
NUMBERS = f"the first column contains token numbers; {LAYOUT}"
#: Minimum number of distinct tokens for a warning about repeated tokens.
REPEATED = 3
#: Columns of a long table.
TABLE = ("annotator", "document", "token", "label")


def read_columns(
    path: Source,
    *,
    annotators: Sequence[str] | None = None,
    missing: str = MISSING,
    partial: str = "error",
) -> CrowdCorpus:
    r"""Read a file with one token per line, followed by the label of each annotator, and empty lines after sentences.

    Parameters
    ----------
    path : path or binary file object
        UTF-8, plain, gzip or zstd. Fields are separated by tabs if the first line contains a tab, else by white
        space.
    annotators : sequence of str, optional
        Names of the annotators in the order of the columns; by default ``1``, ``2``, ....
    missing : str
        Placeholder for "not labelled by this annotator"; must be used for all tokens of a sentence or for none.
    partial : str
        Handling of sentences that an annotator only partly labelled: ``error``, or ``drop`` to ignore these labels with
        a warning.

    Returns
    -------
    CrowdCorpus

    Raises
    ------
    spanrs.errors.FormatError
        If lines have different numbers of fields, a sentence is only partly labelled, or there are no labels; the error
        contains file and line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from spanrs.crowd import read_columns
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "answers.txt")
    ...     _ = path.write_text("Ada B-PER ? O\nsleeps O ? O\n\nBob ? B-PER B-PER\n")
    ...     read_columns(path)
    CrowdCorpus(2 sentences, 3 annotators, 4 annotations, 2 labels)
    """
    name = source_name(path)
    parts = _Parts(name, missing, partial)
    file = _read(path, None)
    conllu, width, *_ = file.facts()
    if conllu:
        raise with_code(_error(name, None, f"this is CoNLL-U; {LAYOUT}"), "wrong_format", name)
    names = [str(at) for at in range(1, width)] if annotators is None else list(annotators)
    if width - 1 != len(names):
        message = (
            f"{width - 1} labels after the token, but {len(names)} annotators; every line must contain a token and a "
            f"label for each annotator ({missing} if an annotator gave none)"
        )
        raise _error(name, file.lines(0)[0], message)
    sentences: list[list[str]] = []
    given: list[dict[str, list[str] | None]] = []
    for at, tags in enumerate(file.tags()):
        lines = file.lines(at)
        # A file with two columns has tokens and one annotator.
        rows = [(row,) if isinstance(row, str) else row for row in file[at]]
        columns = [*zip(*rows, strict=True), tags]
        for line, row in zip(lines, rows, strict=True):
            if "" in row:
                raise _error(name, line, "an empty field")
        labels = zip(names, columns[1:], strict=True)
        given.append({who: parts.whole(who, list(zip(lines, tags, strict=True))) for who, tags in labels})
        sentences.append(list(columns[0]))
    _refuse_numbers(name, sentences)
    corpus = CrowdCorpus(sentences, given, annotators=names or (), missing=None)
    if not corpus.annotations:
        raise _error(name, None, "there are no labels of annotators")
    votes = sum(len(annotation.labels) for annotation in corpus.annotations)
    if len(corpus.labels) > max(MOST_DIFFERENT, votes // 2):
        message = (
            f"{len(corpus.labels)} labels on {votes} tokens; perhaps the file is text or has more columns"
        )
        raise _error(name, None, message)
    parts.warn()
    return corpus


def write_columns(
    corpus: CrowdCorpus, target: str | PathLike[str] | IO[bytes], *, missing: str = MISSING
) -> None:
    """Write a corpus in the layout of :func:`read_columns`, separated by tabs.

    Raises
    ------
    spanrs.errors.FormatError
        If a token is not a string, a token or label is empty or contains white space, or ``missing`` is a label.

    Notes
    -----
    Empty sentences are omitted, because the layout cannot represent them.
    """
    by = [corpus.labels_by(annotator) for annotator in corpus.annotators]
    if missing in corpus.labels:
        message = f"{missing} is a label, so it cannot mark missing labels; choose another placeholder with missing="
        raise with_code(FormatError(message), "bad_value")
    write_rows(
        (
            [
                [token, *(missing if labels is None else labels[place] for labels in columns)]
                for place, token in enumerate(tokens)
            ]
            for tokens, *columns in zip(corpus.sentences, *by, strict=True)
        ),
        target,
    )


def write_rows(sentences: Iterable[list[list[Any]]], target: str | PathLike[str] | IO[bytes]) -> None:
    """Write sentences of rows of fields, separated by tabs.

    Raises
    ------
    spanrs.errors.FormatError
        If a field is not a string, is empty or contains white space.
    """
    with atomic_output(target) as out:
        for at, rows in enumerate(sentences):
            for place, fields in enumerate(rows):
                for field in fields:
                    if not isinstance(field, str) or len(field.split()) != 1 or field.split()[0] != field:
                        message = f"sentence {at}, token {place}: {field!r} is not one word, as required in columns"
                        raise with_code(FormatError(message), "bad_value")
                out.write(("\t".join(fields) + "\n").encode())
            out.write(b"\n")


def read_files(
    paths: Mapping[str, str | PathLike[str]], *, missing: str = MISSING, partial: str = "error"
) -> CrowdCorpus:
    """Read a column file of each annotator: the token in the first column, the label in the last.

    Parameters
    ----------
    paths : mapping of str to path
        A file for each annotator, by name. All files must have the same tokens and sentences.
    missing, partial : str
        Same as in :func:`read_columns`.

    Returns
    -------
    CrowdCorpus

    Raises
    ------
    spanrs.errors.AlignmentError
        If tokens or sentences differ from the first file; the error contains file and line.
    spanrs.errors.FormatError
        If a line has no label.
    """
    sentences: list[list[str]] | None = None
    given: list[dict[str, list[str] | None]] = []
    first = ""
    for annotator, path in paths.items():
        name, file = fspath(path), _read(path, [])
        parts = _Parts(name, missing, partial)
        tokens, labels = [file[at] for at in range(len(file))], file.tags()
        _refuse_numbers(name, tokens)
        if sentences is None:
            sentences, first = tokens, name
            given = [{} for _ in sentences]
        for at, sentence in enumerate(tokens):
            lines = file.lines(at)
            if "" in sentence:
                raise _error(name, lines[sentence.index("")], "an empty field")
            if at >= len(sentences) or sentence != sentences[at]:
                message = f"{name}:{lines[0]}: sentence {at} differs from sentence {at} of {first}"
                raise with_code(AlignmentError(message), "tokens", name, lines[0])
            given[at][annotator] = parts.whole(annotator, list(zip(lines, labels[at], strict=True)))
        if len(tokens) != len(sentences):
            message = f"{name} has {len(tokens)} sentences, {first} has {len(sentences)}"
            raise with_code(AlignmentError(message), "tokens", name)
        parts.warn()
    return CrowdCorpus(sentences or [], given, annotators=list(paths), missing=None)


def read_table(source: Any, *, missing: str = MISSING, partial: str = "error") -> CrowdCorpus:
    """Read a long table with the columns ``annotator``, ``document``, ``token`` and ``label``.

    Parameters
    ----------
    source : path, mapping of columns, pandas DataFrame or Arrow table
        A path is a CSV file with these names in the first line, a Parquet file (``.parquet``) or an Arrow file
        (``.arrow``, ``.feather``); Parquet and Arrow files need pyarrow. The rows of each annotator and document must
        be in token order; ``token`` contains the text, and each document is one sentence. Labels that are None, NaN,
        empty or equal to ``missing`` mean "not answered".
    missing, partial : str
        Same as in :func:`read_columns`.

    Returns
    -------
    CrowdCorpus
        A corpus with documents and annotators in the order of their first occurrence.

    Raises
    ------
    spanrs.errors.FormatError
        If a column is missing, a token or label is not a string, a token is empty, or a document is partly labelled.
    spanrs.errors.AlignmentError
        If the tokens of a document differ between annotators, the rows of an annotator and document are not contiguous
        among the rows of the annotator, or all rows occur twice.

    Examples
    --------
    >>> from spanrs.crowd import read_table
    >>> read_table({
    ...     "annotator": ["ann", "ann", "ben"],
    ...     "document": ["1", "1", "2"],
    ...     "token": ["Ada", "sleeps", "Bob"],
    ...     "label": ["B-PER", "O", "B-PER"],
    ... })
    CrowdCorpus(2 sentences, 2 annotators, 2 annotations, 2 labels)
    """
    name = fspath(source) if isinstance(source, (str, PathLike)) else "table"
    parts = _Parts(name, missing, partial)
    documents = _table_documents(source, name, missing)
    sentences: list[list[str]] = []
    given: list[dict[str, list[str] | None]] = []
    for document, answers in documents.items():
        tokens = [[token for _, token, _ in rows] for rows in answers.values()]
        for annotator, column in zip(answers, tokens, strict=True):
            if column != tokens[0]:
                pairs = zip(column, tokens[0], strict=False)
                at = next((at for at, (a, b) in enumerate(pairs) if a != b), None)
                where = f"{len(column)} and {len(tokens[0])} rows"
                if at is not None:
                    where = f"at token {at}: {column[at]!r} and {tokens[0][at]!r}"
                message = (
                    f"{name}: document {document}: the tokens of annotators {annotator} and {next(iter(answers))} "
                    f"differ ({where}); each annotator must have one row per token, in the order of the text"
                )
                raise with_code(AlignmentError(message), "tokens")
        sentences.append(tokens[0])
        given.append(
            {
                annotator: parts.whole(annotator, [(number, label) for number, _, label in rows])
                for annotator, rows in answers.items()
            }
        )
    _refuse_repeated(name, dict(zip(documents, sentences, strict=True)))
    parts.warn()
    return CrowdCorpus(sentences, given, missing=None)


def _table_documents(
    source: Any, name: str, missing: str
) -> dict[str, dict[str, list[tuple[int, str, Any]]]]:
    """Return (row, token, label) by document and annotator.

    If an annotator's rows of a document are interrupted by another document, the table is not in text order: the table
    was shuffled, sorted differently, or contains rows twice.
    """
    documents: dict[str, dict[str, list[tuple[int, str, Any]]]] = {}
    current: dict[str, str] = {}
    for number, (*names, token, label) in enumerate(_table_rows(source), start=1):
        if (
            not isinstance(token, str)
            or not token
            or not (isinstance(label, str) or is_missing(label, missing))
        ):
            message = f"row {number}: token {token!r} and label {label!r} must be strings, and the token not empty"
            raise _error(name, None, message)
        for column, value in zip(TABLE, names, strict=False):
            if is_missing(value, None):
                raise _error(
                    name, None, f"row {number}: the {column} is {value!r}, but is required in every row"
                )
        annotator, document = map(str, names)
        rows = documents.setdefault(document, {}).setdefault(annotator, [])
        if rows and current[annotator] != document:
            message = (
                f"{name}: row {number}: annotator {annotator} returns to document {document} (row "
                f"{rows[-1][0]}) after document {current[annotator]}; the rows of a document must be adjacent, one per "
                "token, in the order of the text"
            )
            raise with_code(AlignmentError(message), "tokens")
        current[annotator] = document
        rows.append((number, token, label))
    return documents


def _refuse_repeated(name: str, documents: dict[str, list[str]]) -> None:
    """Raise an error if the rows of all documents occur twice; warn about single documents."""
    twice = [document for document, tokens in documents.items() if _is_repeated(tokens)]
    tokens = {token for document in twice for token in documents[document]}
    if twice and len(twice) == len(documents) and len(tokens) > 1:
        message = f"{name}: the tokens of all documents occur twice; remove the repeated rows"
        raise with_code(AlignmentError(message), "tokens")
    long = [document for document in twice if len(set(documents[document])) >= REPEATED]
    if long:
        warn(
            [
                f"{name}: the tokens of {len(long)} documents occur twice, the first is {long[0]}; remove repeated rows"
            ]
        )


def _is_repeated(tokens: list[str]) -> bool:
    """Return whether the second half equals the first, or each token is followed by itself."""
    half = len(tokens) // 2
    return half > 0 and (tokens[:half] == tokens[half:] or tokens[::2] == tokens[1::2])


def _table_rows(source: Any) -> Iterator[tuple[Any, ...]]:
    if isinstance(source, (str, PathLike)) and fspath(source).lower().endswith(
        (".parquet", ".arrow", ".feather")
    ):
        source = _arrow_table(fspath(source))
    if isinstance(source, (str, PathLike)):
        name = fspath(source)
        reader = csv.DictReader(io.StringIO(read_text(source), newline=""))
        with _csv_errors(reader, name):
            columns = reader.fieldnames or []
        lacking = [column for column in TABLE if column not in columns]
        if lacking:
            message = (
                f"no column {', '.join(lacking)}; the columns are {', '.join(columns)}; rename the columns"
            )
            if len(columns) == 1 and ";" in columns[0]:
                message = "columns are separated by semicolons; separate the columns by commas"
            raise _error(name, 1, message)
        for row in _csv_rows(reader, name):
            if None in row.values() or None in row:
                raise _error(
                    name, reader.line_num, f"there must be {len(columns)} values, one for each column"
                )
            yield tuple(row[column] for column in TABLE)
        return
    if hasattr(source, "to_pydict"):
        source = source.to_pydict()
    try:
        values = [list(source[column]) for column in TABLE]
    except KeyError as error:
        message = f"no column {error}; a table must have the columns {', '.join(TABLE)}"
        raise with_code(FormatError(message), "no_column") from None
    if len(set(map(len, values))) > 1:
        raise with_code(FormatError("the columns of the table differ in length"), "ragged_columns")
    yield from zip(*values, strict=True)


def _csv_rows(reader: csv.DictReader[str], name: str) -> Iterator[dict[str, str]]:
    with _csv_errors(reader, name):
        yield from reader


@contextmanager
def _csv_errors(reader: csv.DictReader[str], name: str) -> Iterator[None]:
    try:
        yield
    except csv.Error as error:
        # DictReader.line_num is the line of the previous row.
        raise _error(name, reader.reader.line_num, str(error)) from None


def _arrow_table(path: str) -> Any:
    try:
        from pyarrow import ArrowInvalid, feather, parquet
    except ImportError as error:
        raise ImportError(f"reading {path} requires pyarrow; pip install 'spanrs[arrow]'") from error
    try:
        if path.lower().endswith(".parquet"):
            return parquet.read_table(path)
        return feather.read_table(path)
    except ArrowInvalid as error:
        raise with_code(FormatError(f"{path}: {error}"), "damaged", path) from None


class _Parts:
    """Handling of sentences that an annotator only partly labelled."""

    def __init__(self, name: str, missing: str, partial: str) -> None:
        if partial not in ("error", "drop"):
            message = f"partial must be error or drop, not {partial!r}"
            raise ValueError(message)
        self._name, self._missing, self._drop = name, missing, partial == "drop"
        self._unit = "line"
        self._dropped: list[tuple[int, str]] = []

    def whole(self, annotator: str, labels: list[tuple[int, str]]) -> list[str] | None:
        """Return the labels of a sentence; None if the sentence is not labelled or only partly labelled."""
        lines = [line for line, label in labels if is_missing(label, self._missing)]
        if not lines:
            return [label for _, label in labels]
        if len(lines) < len(labels):
            if not self._drop:
                message = f"annotator {annotator} only labelled part of this sentence"
                raise _error(self._name, lines[0], message)
            self._dropped.append((lines[0], annotator))
        return None

    def warn(self) -> None:
        """Warn about ignored labels."""
        if self._dropped:
            line, annotator = self._dropped[0]
            message = (
                f"{self._name}: partly labelled sentences: {len(self._dropped)}, the first by annotator {annotator}, "
                f"{self._unit} {line}; these labels are ignored"
            )
            warn([message])


def _read(path: Source, extra: list[int | str] | None) -> _spanrs.CrfSentences:
    """Read a column file: the tokens in the first column, labels in the last, and ``extra`` columns."""
    try:
        sentences = _spanrs.CrfSentences(path, Columns(), extra, None)
    except FormatError as error:
        # Replace advice about options of spanrs score in the message.
        start = len(error.path or "")
        advice = r"; [^;]*, or pass --format|; (?:specify|pass) |: specify the separator"
        what = re.split(advice, str(error)[start:])[0]
        if error.code not in ("wrong_format", "no_column"):
            raise
        raise with_code(
            FormatError(f"{str(error)[:start]}{what}; {LAYOUT}"), error.code, error.path, error.line
        ) from None
    if sentences.facts()[2]:
        raise _error(source_name(path), None, NUMBERS)
    return sentences


def _refuse_numbers(name: str, sentences: list[list[str]]) -> None:
    """Raise an error if tokens are numbers, even in files too short for the check of the column reader."""
    if sentences and all(
        sentence == [str(at + 1) for at in range(len(sentence))] for sentence in sentences
    ):
        raise _error(name, None, NUMBERS)


def _error(name: str, line: int | None, message: str) -> FormatError:
    where = name if line is None else f"{name}:{line}"
    return with_code(FormatError(f"{where}: {message}"), "ragged_columns", name, line)
