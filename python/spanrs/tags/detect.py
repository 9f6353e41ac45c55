"""Detection of schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spanrs import _spanrs
from spanrs.tags.types import Dialect, Tags, is_batch


class Detection(NamedTuple):
    """The detected scheme, with the evidence."""

    scheme: str
    """The scheme with the fewest violations."""
    statement: str
    """Description of the evidence."""
    violations: dict[str, int]
    """Number of illegal pairs of adjacent tags under each scheme, in ascending order."""


def detect_scheme(tags: Tags | Sequence[Tags], *, dialect: Dialect = Dialect()) -> Detection:
    """Detect the scheme of tags.

    Parameters
    ----------
    tags : sequence of str, or sequence of such sequences
        Tags of one sentence or many; more tags make the result more reliable.
    dialect : Dialect
        Spelling of tags.

    Returns
    -------
    Detection
        Of schemes with equally few violations, the first in :func:`schemes` is chosen; TOKEN is chosen only if the
        prefixes of most tags belong to no scheme.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.detect_scheme([["O", "I-PER", "I-PER"], ["I-LOC", "B-LOC"]]).scheme
    'IOB'
    """
    sentences = tags if is_batch(tags) else [tags]
    return _spanrs.detect(sentences, dialect)
