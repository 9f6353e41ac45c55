"""Detection, validation and conversion of the tags of column files, in constant memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from os import PathLike
from typing import IO, Any, Unpack

from spanrs import _spanrs
from spanrs.errors import FormatError, Violation, warn, with_code
from spanrs.io.corpus import Corpus
from spanrs.io.file_advice import comments_advice, odd_sentences
from spanrs.io.options import ReadArguments
from spanrs.io.output import atomic_output
from spanrs.io.parts import Part
from spanrs.io.reader import read
from spanrs.tags.detect import Detection
from spanrs.tags.types import Converter, Reader, is_auto

Progress = Callable[[int], object]


def _tagged_part(source: Any, options: ReadArguments, what: str) -> tuple[Corpus, Part, Any]:
    """Return a corpus of one column file, the file, and the layout of its columns.

    Raises
    ------
    spanrs.errors.FormatError
        For other formats.
    """
    if hasattr(source, "read") and not is_auto(options.get("scheme", "auto")):
        # It is read once, so that nothing need be kept.
        source = _spanrs.Source(source, False)
    corpus = read(source, **options)
    part = corpus.require_one(what)
    if part.kind != "rows":
        message = (
            f"{part.shown}: {what} takes a column file (a token a line), and this looks like {part.format}; if it is "
            "a column file, name format='columns' (--format columns)"
        )
        raise with_code(FormatError(message), "wrong_format", part.path)
    layers = corpus.options.layers()
    if len(layers) > 1:
        raise ValueError(
            f"{what} takes one column of tags, not {len(layers)}; several are layers of nested annotations, which "
            "spanrs.score (spanrs score) reads"
        )
    return corpus, part, corpus.options.columns(layers[0])


def detect_scheme(
    source: Any, /, *, progress: Progress | None = None, **options: Unpack[ReadArguments]
) -> Detection:
    r"""Find out which scheme the tags of a column file are in, by reading it once.

    Parameters
    ----------
    source : path, binary file object or Corpus
        A column file.
    progress : callable, optional
        Called now and then with the bytes read.
    **options
        Those of :func:`spanrs.read`.

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

    Examples
    --------
    >>> import io, spanrs
    >>> spanrs.io.detect_scheme(io.BytesIO(b"New I-LOC\nYork I-LOC\nRio B-LOC\n")).scheme
    'IOB'
    """
    corpus, part, columns = _tagged_part(source, options, "detect_scheme")
    return _spanrs.detect_file(part.opened(), columns, corpus.options.dialect, progress)


def _scheme(corpus: Corpus, part: Part, columns: Any, progress: Progress | None) -> str:
    """Return the scheme of a column file; ``auto`` reads it."""
    if not is_auto(corpus.options.scheme):
        return _spanrs.scheme_name(corpus.options.scheme)
    return _spanrs.detect_file(part.opened(), columns, corpus.options.dialect, progress).scheme


@dataclass(frozen=True, slots=True)
class FileReport:
    """Violations in the tags of a file."""

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


def validate(
    source: Any,
    /,
    *,
    max_violations: int = 1000,
    progress: Progress | None = None,
    **options: Unpack[ReadArguments],
) -> FileReport:
    r"""Check the tags of a column file.

    Parameters
    ----------
    source, progress, **options
        As for :func:`detect_scheme`. ``scheme`` is the one to check against; ``auto`` finds it out first, in a pass of
        its own.
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
    >>> import io, spanrs
    >>> report = spanrs.io.validate(io.BytesIO(b"in O\nRio I-LOC\n"), scheme="BIO")
    >>> report.count, report.located[0][0], report.located[0][1].kind
    (1, 2, 'Illegal Start')
    """
    corpus, part, columns = _tagged_part(source, options, "validate")
    name = _scheme(corpus, part, columns, progress)
    reader = Reader(name, dialect=corpus.options.dialect)
    report, messages = _spanrs.validate_file(part.opened(), columns, reader, max_violations, progress)
    sentences, tokens, violations = report["sentences"], report["tokens"], report["violations"]
    rows = [(located.line or 0, located.violation) for located in violations["first"]]
    messages += odd_sentences(part.shown, sentences, tokens)
    advice = comments_advice(rows)
    if advice is not None:
        messages.append(
            f"{part.shown}: the first unknown tags, from line {rows[0][0]}, begin sentences; {advice}"
        )
    warn(messages)
    return FileReport(name, sentences, tokens, violations["count"], rows, report["kinds"], messages)


def convert(
    source: Any,
    target: str | PathLike[str] | IO[bytes],
    /,
    to: str,
    *,
    progress: Progress | None = None,
    **options: Unpack[ReadArguments],
) -> None:
    r"""Copy a column file with its tags in another scheme; every other byte stays as it is.

    Parameters
    ----------
    source, progress, **options

    target : path or binary file object
        Where to write; a path gets the whole file or nothing.
    to : str
        The scheme to write.

    Raises
    ------
    OSError, spanrs.errors.FormatError, spanrs.errors.LimitError
        Where the file cannot be read or written; nothing is written then.
    spanrs.errors.SchemeError
        Where tags are malformed: every violation counted, the first thousand in ``located`` with their lines. Also
        where the other scheme cannot express the spans.

    Examples
    --------
    >>> import io, spanrs
    >>> out = io.BytesIO()
    >>> spanrs.io.convert(io.BytesIO(b"New B-LOC\nYork I-LOC\n"), out, "IOBES")
    >>> out.getvalue()
    b'New B-LOC\nYork E-LOC\n'
    """
    corpus, part, columns = _tagged_part(source, options, "convert")
    reading = options.get("reading")
    target_scheme = _spanrs.scheme_name(to)
    name = _scheme(corpus, part, columns, progress)
    with atomic_output(target) as out:
        converter = Converter(name, target_scheme, reading, corpus.options.dialect)
        found = _spanrs.convert_file(part.opened(), out, columns, converter, progress)
    warn(found)


def write_spans(
    source: Any,
    out: IO[bytes],
    /,
    *,
    progress: Progress | None = None,
    **options: Unpack[ReadArguments],
) -> None:
    """Write the spans of a column file as JSON Lines, one object a sentence.

    Parameters
    ----------
    source, progress, **options
        As for :func:`detect_scheme`.
    out : binary file object
        Gets objects with ``document``, ``sentence`` (from 0), ``line`` (of the first token, from 1), ``tokens`` and
        ``spans`` (``type``, ``start``, ``end``, ``text``).
    """
    corpus, part, columns = _tagged_part(source, options, "write_spans")
    name = _scheme(corpus, part, columns, progress)
    reader = Reader(name, corpus.options.reading, corpus.options.dialect)
    warn(_spanrs.spans_file(part.opened(), out, columns, reader, progress))
