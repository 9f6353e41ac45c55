"""Conversion of tags between schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from spanrs import _spanrs
from spanrs.tags.types import Converter, Dialect, Tags, is_batch


@overload
def convert(  # type: ignore[overload-overlap]  # a str is a sequence of str too
    tags: Tags, source: str, target: str, reading: str | None = ..., *, dialect: Dialect = ...
) -> list[str]: ...
@overload
def convert(
    tags: Sequence[Tags],
    source: str,
    target: str,
    reading: str | None = ...,
    *,
    dialect: Dialect = ...,
) -> list[list[str]]: ...
def convert(
    tags: Tags | Sequence[Tags],
    source: str,
    target: str,
    reading: str | None = None,
    *,
    dialect: Dialect = Dialect(),
) -> list[str] | list[list[str]]:
    """Convert tags from one scheme to another.

    Parameters
    ----------
    tags : sequence of str, or sequence of such sequences
        The tags of a sentence, or of many.
    source, target : str
        Names of schemes.
    reading : str, optional
        How malformed tags are read; by default malformed tags are an error.
    dialect : Dialect
        Spelling of tags, in input and output.

    Returns
    -------
    list of str, or list of such lists
        As many tags as in the input.

    Raises
    ------
    spanrs.errors.SchemeError
        If tags are malformed and no reading is given (the error has all violations of the sentence), or if the target
        scheme cannot represent a span.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.convert(["I-MISC", "B-MISC", "I-MISC"], "IOB", "IOBES")
    ['S-MISC', 'B-MISC', 'E-MISC']
    >>> tags.convert(["O", "I-PER"], "BIO", "IOBES", reading="conlleval")
    ['O', 'S-PER']
    """
    if is_batch(tags):
        return _spanrs.convert_batch(tags, Converter(source, target, reading, dialect))
    return _spanrs.convert(tags, Converter(source, target, reading, dialect))
