"""The same for whole column files, in memory that does not grow with the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import IO, Any

from spanrs import _spanrs
from spanrs.errors import Violation, warn
from spanrs.io import Columns, Source, atomic_output
from spanrs.io.sources import open_source, source_name
from spanrs.tags.detect import Detection
from spanrs.tags.types import Dialect, Span, is_auto

Progress = Callable[[int], object]


def detect_scheme_file(
    source: Source,
    *,
    columns: Columns = Columns(),
    dialect: Dialect = Dialect(),
    progress: Progress | None = None,
) -> Detection:
    """Find out which scheme a column file is in, by reading it once.

    Parameters
    ----------
    source : path or binary file object
        Plain, gzip or zstd.
    columns : Columns
        Where things stand in the file.
    dialect : Dialect
        How tags are spelt.
    progress : callable, optional
        Called now and then with the bytes read.

    Returns
    -------
    Detection
        The scheme, and what speaks for it.

    Raises
    ------
    OSError
        Where the file cannot be opened.
    spanrs.errors.FormatError, spanrs.errors.LimitError
        Where it is no column file.
    """
    scheme, statement, violations = _spanrs.detect_file(source, columns.as_options(), dialect, progress)
    return Detection(scheme, statement, dict(violations))


def resolve_scheme(
    source: Source,
    scheme: str,
    *,
    columns: Columns = Columns(),
    dialect: Dialect = Dialect(),
    progress: Progress | None = None,
) -> str:
    """Give the scheme a user means, which for ``auto`` is found out by reading the file."""
    if not is_auto(scheme):
        return _spanrs.scheme_name(scheme)
    return detect_scheme_file(source, columns=columns, dialect=dialect, progress=progress).scheme


#: Minimum length, in tokens, at which the only sentence of a file is reported.
MIN_LONG_SENTENCE = 1000
#: Minimum number of lines at which it is reported that comments seem to be read as tokens.
MIN_COMMENTS = 2
#: Minimum number of sentences at which it is reported that all have one token.
MIN_SHORT_SENTENCES = 20


def odd_sentences(path: str, sentences: int, tokens: int) -> list[str]:
    """Warn where the blank lines of a file seem to be missing, or to stand between all tokens."""
    if sentences == 1 and tokens >= MIN_LONG_SENTENCE:
        return [f"{path}: all {tokens} tokens are one sentence; are blank lines between sentences missing?"]
    if sentences == tokens >= MIN_SHORT_SENTENCES:
        return [
            f"{path}: each of {sentences} sentences has one token; are there blank lines between tokens?"
        ]
    return []


def comments_advice(places: Sequence[tuple[int | None, Violation]]) -> str | None:
    """Tell what to do where the first violations of a file seem to be comments that were read as tokens.

    A comment of as many words as there are columns, such as ``# comment`` beside ``Rio B-LOC``, is a token line by its
    form. Its tag is unknown and it begins a sentence, alone or behind other such lines. Unknown tags of the wrong
    column or scheme stand anywhere.

    Parameters
    ----------
    places : sequence of (int, Violation)
        The first violations in order, with their lines; None for data in memory.

    Returns
    -------
    str or None
        The advice; None where one of the violations is not that of a comment, and for a single one, which may be
        anything.
    """
    before = None
    for line, violation in places:
        follows = violation.index == 0 or (line is not None and before == line - 1)
        # A comment stands before a token, or alone between blank lines.
        ends = violation.next is None and violation.index > 0
        if line is None or violation.kind != "Unknown Tag" or not follows or ends:
            return None
        before = line
    if len(places) < MIN_COMMENTS:
        return None
    return (
        "if the lines that begin these sentences are comments, name what comments begin with: --comments '# ', in "
        "Python Columns(comments='# ')"
    )


@dataclass(frozen=True, slots=True)
class FileReport:
    """What is wrong with the tags of a file."""

    scheme: str
    """The scheme they were checked against."""
    sentences: int
    """Sentences read."""
    tokens: int
    """Tokens read."""
    count: int
    """Violations."""
    located: list[tuple[int, Violation]]
    """The first ones, each with its line of the file."""
    kinds: dict[str, int]
    """How many there are of each kind."""
    warnings: list[str] = field(default_factory=list)
    """Warnings about the file, such as columns of tags that were not checked."""


def validate_file(
    source: Source,
    scheme: str = "auto",
    *,
    columns: Columns = Columns(),
    dialect: Dialect = Dialect(),
    max_violations: int = 1000,
    progress: Progress | None = None,
) -> FileReport:
    r"""Check the tags of a column file.

    Parameters
    ----------
    source, columns, dialect, progress
        As for :func:`detect_scheme_file`.
    scheme : str
        The scheme to check against; ``auto`` finds it out first, in a pass of its own.
    max_violations : int
        Violations to locate; all are counted.

    Returns
    -------
    FileReport
        What was found.

    Raises
    ------
    OSError
        Where the file cannot be opened.
    spanrs.errors.FormatError, spanrs.errors.LimitError
        Where it is no column file.

    Examples
    --------
    >>> import io
    >>> from spanrs import tags
    >>> report = tags.validate_file(io.BytesIO(b"in O\nRio I-LOC\n"), "BIO")
    >>> report.count, report.located[0][0], report.located[0][1].kind
    (1, 2, 'Illegal Start')
    """
    opened = open_source(source, keep=is_auto(scheme))
    name = resolve_scheme(opened, scheme, columns=columns, dialect=dialect, progress=progress)
    options = columns.as_options()
    sentences, tokens, (count, first), kinds, found = _spanrs.validate_file(
        opened, options, (name, "conlleval", dialect), max_violations, progress
    )
    rows = [(line, Violation(*row)) for _, line, row in first]
    found += odd_sentences(source_name(source), sentences, tokens)
    advice = comments_advice(rows)
    if advice is not None:
        found.append(
            f"{source_name(source)}: the first unknown tags, from line {rows[0][0]}, begin sentences; {advice}"
        )
    warn(found)
    return FileReport(name, sentences, tokens, count, rows, dict(kinds), found)


def convert_file(
    source: Source,
    target_path: str | PathLike[str] | IO[bytes],
    source_scheme: str,
    target_scheme: str,
    reading: str | None = None,
    *,
    columns: Columns = Columns(),
    dialect: Dialect = Dialect(),
    progress: Progress | None = None,
) -> None:
    """Copy a column file with its tags converted; every other byte stays as it is.

    Parameters
    ----------
    source, columns, dialect, progress
        As for :func:`detect_scheme_file`.
    target_path : path or binary file object
        Where the copy goes. A path is written under another name first, so that nothing half-done is
        ever seen there; a file object gets everything or nothing.
    source_scheme : str
        The scheme of the file, or ``auto``.
    target_scheme, reading
        As for :func:`spanrs.tags.convert`.

    Raises
    ------
    OSError
        Where a file cannot be opened.
    spanrs.errors.SchemeError
        Without a reading, where tags are malformed: every violation counted, the first thousand in
        ``located`` with their lines. Also where the target cannot express the spans.
    spanrs.errors.FormatError, spanrs.errors.LimitError
        Where it is no column file.
    """
    if target_path is None:
        message = "name the file to write to"
        raise TypeError(message)
    opened = open_source(source, keep=is_auto(source_scheme))
    name = resolve_scheme(opened, source_scheme, columns=columns, dialect=dialect, progress=progress)
    with atomic_output(target_path) as out:
        options = columns.as_options()
        found = _spanrs.convert_file(
            opened, out, options, (name, target_scheme, reading, dialect), progress
        )
    warn(found)


def read_spans_file(
    source: Source,
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    columns: Columns = Columns(),
    dialect: Dialect = Dialect(),
    progress: Progress | None = None,
) -> Iterator[list[Span]]:
    r"""Read the spans of a column file.

    Parameters
    ----------
    source, columns, dialect, progress
        As for :func:`detect_scheme_file`.
    scheme, reading
        As for :func:`spanrs.tags.read_spans`; ``auto`` finds the scheme out first.

    Yields
    ------
    list of Span
        One list a sentence.

    Raises
    ------
    OSError, spanrs.errors.FormatError, spanrs.errors.LimitError
        Where the file cannot be read; nothing is given out then.
    spanrs.errors.SchemeError
        Under ``refuse``.

    Examples
    --------
    >>> import io
    >>> from spanrs import tags
    >>> list(tags.read_spans_file(io.BytesIO(b"in O\nRio B-LOC\n")))
    [[Span(type='LOC', start=1, end=2, tokens=None)]]
    """
    import json

    with atomic_output(None) as out:
        found = _write_spans(
            source, out, scheme, reading, columns=columns, dialect=dialect, progress=progress
        )
        warn(found)
        out.seek(0)
        for line in out:
            row: dict[str, Any] = json.loads(line)
            yield [Span(span["type"], span["start"], span["end"]) for span in row["spans"]]


def write_spans_file(
    source: Source,
    out: IO[bytes],
    scheme: str = "auto",
    reading: str = "conlleval",
    *,
    columns: Columns = Columns(),
    dialect: Dialect = Dialect(),
    progress: Progress | None = None,
) -> None:
    """Write the spans of a column file as JSON Lines, one object a sentence.

    Parameters
    ----------
    source, columns, dialect, progress
        As for :func:`detect_scheme_file`.
    out : binary file object
        Gets objects with ``document``, ``sentence`` (from 0), ``line`` (of the first token, from 1),
        ``tokens`` and ``spans`` (``type``, ``start``, ``end``, ``text``).
    scheme, reading
        As for :func:`read_spans_file`.
    """
    warn(_write_spans(source, out, scheme, reading, columns=columns, dialect=dialect, progress=progress))


def _write_spans(
    source: Source,
    out: IO[bytes],
    scheme: str,
    reading: str,
    *,
    columns: Columns,
    dialect: Dialect,
    progress: Progress | None,
) -> list[str]:
    """Write the spans, and return warnings about the file."""
    opened = open_source(source, keep=is_auto(scheme))
    name = resolve_scheme(opened, scheme, columns=columns, dialect=dialect, progress=progress)
    return _spanrs.spans_file(opened, out, columns.as_options(), (name, reading, dialect), progress)
