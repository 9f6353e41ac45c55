"""Which scheme tags are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spanrs import _spanrs
from spanrs.tags.types import Dialect, Tags, is_batch


class Detection(NamedTuple):
    """The scheme that data is in, and what speaks for it."""

    scheme: str
    """The scheme with the fewest violations."""
    statement: str
    """What speaks for it, for people."""
    violations: dict[str, int]
    """Wrong pairs of neighbouring tags under each scheme, fewest first."""


def detect_scheme(tags: Tags | Sequence[Tags], *, dialect: Dialect = Dialect()) -> Detection:
    """Find out which scheme tags are in.

    Parameters
    ----------
    tags : sequence of str, or sequence of such sequences
        The more the better.
    dialect : Dialect
        How tags are spelt.

    Returns
    -------
    Detection
        Among schemes with equally few violations the first of :func:`schemes`; TOKEN only where most
        tags have a prefix of no scheme.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.detect_scheme([["O", "I-PER", "I-PER"], ["I-LOC", "B-LOC"]]).scheme
    'IOB'
    """
    sentences = tags if is_batch(tags) else [tags]
    return _spanrs.detect(sentences, dialect)
