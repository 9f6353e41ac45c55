"""Conversion between tags and spans, and validation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast, overload

from spanrs import _spanrs
from spanrs.errors import SchemeError, Violation
from spanrs.tags.types import Dialect, Reader, Span, Tags, is_batch


@overload
def tags_to_spans(  # type: ignore[overload-overlap]  # a str is a sequence of str too
    tags: Tags, scheme: str = ..., reading: str = ..., *, dialect: Dialect = ...
) -> list[Span]: ...
@overload
def tags_to_spans(
    tags: Sequence[Tags], scheme: str = ..., reading: str = ..., *, dialect: Dialect = ...
) -> list[list[Span]]: ...
def tags_to_spans(
    tags: Tags | Sequence[Tags],
    scheme: str = "BIO",
    reading: str = "conlleval",
    *,
    dialect: Dialect = Dialect(),
) -> list[Span] | list[list[Span]]:
    """Convert tags to spans.

    Parameters
    ----------
    tags : sequence of str, or sequence of such sequences
        The tags of a sentence, or of many.
    scheme : str
        IOB, BIO, IOE1, IOE2, IOBES, BILOU, BMEWO, BMES, IO or TOKEN, in any usual spelling
        (``iob2``, ``bioes``, ``bioul``...).
    reading : str
        Interpretation of malformed tags: ``conlleval`` (a tag that cannot continue the previous span opens a new
        one), ``strict`` (malformed spans are dropped), ``discard`` (tags that continue no span are read as
        ``O``), ``refuse`` (an error) or ``ncrfpp`` (only begin and end tags are used). ``seqeval`` and
        ``seqeval-strict`` reproduce seqeval, including its quirks.
    dialect : Dialect
        Spelling of tags.

    Returns
    -------
    list of Span, or list of such lists
        The spans, in the order of the text.

    Raises
    ------
    spanrs.errors.SchemeError
        For unknown names; under ``refuse``, for malformed tags, with all violations.

    Notes
    -----
    Source: iobes (Lester 2020), ``parse_spans``; conlleval.pl (Tjong Kim Sang and Buchholz 2000).

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.tags_to_spans(["B-ORG", "I-MISC", "E-ORG"], "IOBES")[1]
    Span(type='MISC', start=1, end=2, tokens=None)
    >>> tags.tags_to_spans(["B-ORG", "I-MISC", "E-ORG"], "IOBES", "ncrfpp")
    [Span(type='ORG', start=0, end=3, tokens=None)]
    >>> tags.tags_to_spans([["O", "I-PER"], ["B-PER"]], reading="strict")
    [[], [Span(type='PER', start=0, end=1, tokens=None)]]
    """
    if is_batch(tags):
        return _spanrs.read_spans_batch(tags, Reader(scheme, reading, dialect), Span._make)
    return _spanrs.read_spans(tags, Reader(scheme, reading, dialect), Span._make)


@overload
def validate(  # type: ignore[overload-overlap]  # a str is a sequence of str too
    tags: Tags, scheme: str = ..., reading: str = ..., *, dialect: Dialect = ...
) -> list[Violation]: ...
@overload
def validate(
    tags: Sequence[Tags], scheme: str = ..., reading: str = ..., *, dialect: Dialect = ...
) -> list[list[Violation]]: ...
def validate(
    tags: Tags | Sequence[Tags],
    scheme: str = "BIO",
    reading: str = "conlleval",
    *,
    dialect: Dialect = Dialect(),
) -> list[Violation] | list[list[Violation]]:
    """List the violations in tags.

    Parameters
    ----------
    tags, scheme, dialect
        Same as for :func:`tags_to_spans`.
    reading : str
        Only affects the ``action`` of the violations.

    Returns
    -------
    list of Violation, or list of such lists
        Sorted by index, then by kind. Empty if the tags are well-formed.

    Examples
    --------
    >>> from spanrs import tags
    >>> for violation in tags.validate(["O", "I-PER", "I-LOC"], reading="strict"):
    ...     print(violation.index, violation.kind, violation.current, violation.action)
    1 Illegal Start I-PER read it as O
    2 Illegal Transition I-LOC read it as O
    """
    if is_batch(tags):
        return _spanrs.validate(tags, Reader(scheme, reading, dialect))
    return _spanrs.validate([tags], Reader(scheme, reading, dialect))[0]


def spans_to_tags(
    spans: Iterable[Span | tuple[str, int, int]],
    length: int | None = None,
    scheme: str = "BIO",
    *,
    overlaps: str = "refuse",
    dialect: Dialect = Dialect(),
) -> list[str]:
    """Convert spans to tags.

    Parameters
    ----------
    spans : iterable of Span or (type, start, end)
        The spans in any order; starts are numbered from 0, and ends are exclusive.
    length : int, optional
        Number of tokens in the sentence; by default the largest end.
    scheme, dialect
        Same as for :func:`tags_to_spans`.
    overlaps : {"refuse", "overwrite"}
        ``refuse``: overlapping spans are an error; ``overwrite``: spans with later starts overwrite earlier ones, as
        in iobes.

    Returns
    -------
    list of str
        ``length`` tags.

    Raises
    ------
    spanrs.errors.SchemeError
        For spans that overlap or exceed the sentence, types that could not be read back, and spans that the scheme
        cannot represent (adjacent spans of one type in IO, spans of several tokens in TOKEN).

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.spans_to_tags([("PER", 0, 2), ("LOC", 3, 4)], 5, "BILOU")
    ['B-PER', 'L-PER', 'O', 'U-LOC', 'O']
    """
    if overlaps not in ("refuse", "overwrite"):
        message = f"overlaps must be 'refuse' or 'overwrite', not {overlaps!r}"
        raise ValueError(message)
    rows: list[tuple[str, int, int]] = []
    for span in spans:
        kind, start, end, *rest = span
        tokens = rest[0] if rest else None
        if tokens is not None and tuple(cast("Sequence[int]", tokens)) != tuple(range(start, end)):
            message = f"{kind} [{start}, {end}) is discontinuous; tags can represent contiguous spans only"
            raise SchemeError(message)
        rows.append((kind, start, end))
    return _spanrs.write_tags(rows, length, scheme, dialect, overlaps == "overwrite")
