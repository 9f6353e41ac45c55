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
    """Return the corpus of one column file, its part, and the layout of its columns.

    Raises
    ------
    spanrs.errors.FormatError
        If the file is not a column file.
    """
    if hasattr(source, "read") and not is_auto(options.get("scheme", "auto")):
        # The file is read once, so its content is not kept.
        source = _spanrs.Source(source, False)
    corpus = read(source, **options)
    part = corpus.require_one(what)
    if part.kind != "rows":
        message = (
            f"{part.shown}: {what} requires a column file (one token per line), but this looks like {part.format}; "
            "if it is a column file, pass format='columns' (--format columns)"
        )
        raise with_code(FormatError(message), "wrong_format", part.path)
    layers = corpus.options.layers()
    if len(layers) > 1:
        raise ValueError(
            f"{what} accepts one column of tags, not {len(layers)}; only spanrs.score (spanrs score) accepts several "
            "columns, as layers of nested annotations"
        )
    return corpus, part, corpus.options.columns(layers[0])


def detect_scheme(
    source: Any, /, *, progress: Progress | None = None, **options: Unpack[ReadArguments]
) -> Detection:
    r"""Detect the scheme of the tags of a column file.

    Parameters
    ----------
    source : path, binary file object or Corpus
        A column file.
    progress : callable, optional
        Called periodically with the number of bytes read.
    **options
        Options of :func:`spanrs.read`.

    Returns
    -------
    Detection
        The scheme, with the evidence.

    Raises
    ------
    OSError
        If the file cannot be opened.
    spanrs.errors.FormatError, spanrs.errors.LimitError
        If the file is not a column file, or exceeds a limit.

    Examples
    --------
    >>> import io, spanrs
    >>> spanrs.io.detect_scheme(io.BytesIO(b"New I-LOC\nYork I-LOC\nRio B-LOC\n")).scheme
    'IOB'
    """
    corpus, part, columns = _tagged_part(source, options, "detect_scheme")
    return _spanrs.detect_file(part.opened(), columns, corpus.options.dialect, progress)


def _scheme(corpus: Corpus, part: Part, columns: Any, progress: Progress | None) -> str:
    """Return the scheme of a column file; with ``auto``, the file is read to detect the scheme."""
    if not is_auto(corpus.options.scheme):
        return _spanrs.scheme_name(corpus.options.scheme)
    return _spanrs.detect_file(part.opened(), columns, corpus.options.dialect, progress).scheme


@dataclass(frozen=True, slots=True)
class FileReport:
    """Violations in the tags of a file."""

    scheme: str
    """The scheme against which the tags were checked."""
    sentences: int
    """Number of sentences."""
    tokens: int
    """Number of tokens."""
    count: int
    """Number of violations."""
    located: list[tuple[int, Violation]]
    """The first violations, each with its line."""
    kinds: dict[str, int]
    """Number of violations of each kind."""
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
    r"""Validate the tags of a column file.

    Parameters
    ----------
    source, progress, **options
        Same as for :func:`detect_scheme`. ``scheme`` is the scheme to check against; ``auto`` detects the scheme in a
        separate pass.
    max_violations : int
        Maximum number of violations to locate; all violations are counted.

    Returns
    -------
    FileReport
        Counts of violations, and the first violations with their lines.

    Raises
    ------
    OSError
        If the file cannot be opened.
    spanrs.errors.FormatError, spanrs.errors.LimitError
        If the file is not a column file, or exceeds a limit.

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
            f"{part.shown}: the first unknown tags begin sentences, the first in line {rows[0][0]}; {advice}"
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
    r"""Convert the tags of a column file to another scheme; all other bytes are copied unchanged.

    Parameters
    ----------
    source, progress, **options
        Same as for :func:`detect_scheme`.
    target : path or binary file object
        The output; a path is written atomically.
    to : str
        The scheme to write.

    Raises
    ------
    OSError, spanrs.errors.FormatError, spanrs.errors.LimitError
        If the file cannot be read or written; in this case nothing is written.
    spanrs.errors.SchemeError
        If tags are malformed (all violations are counted; ``located`` has the first thousand with their lines), or the
        target scheme cannot represent the spans.

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
        messages = _spanrs.convert_file(part.opened(), out, columns, converter, progress)
    warn(messages)


def write_spans(
    source: Any,
    out: IO[bytes],
    /,
    *,
    progress: Progress | None = None,
    **options: Unpack[ReadArguments],
) -> None:
    """Write the spans of a column file as JSON Lines, one object per sentence.

    Parameters
    ----------
    source, progress, **options
        Same as for :func:`detect_scheme`.
    out : binary file object
        Receives objects with ``document``, ``sentence`` (from 0), ``line`` (of the first token, from 1), ``tokens`` and
        ``spans`` (``type``, ``start``, ``end``, ``text``).
    """
    corpus, part, columns = _tagged_part(source, options, "write_spans")
    name = _scheme(corpus, part, columns, progress)
    reader = Reader(name, corpus.options.reading, corpus.options.dialect)
    warn(_spanrs.spans_file(part.opened(), out, columns, reader, progress))
