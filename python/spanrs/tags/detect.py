"""Detection of schemes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spanrs import _spanrs
from spanrs.tags.types import Dialect, Tags, is_batch


class Detection(NamedTuple):
    """The detected scheme, and the evidence for it."""

    scheme: str
    """The scheme with the fewest violations."""
    statement: str
    """The evidence, as text."""
    violations: dict[str, int]
    """Number of illegal pairs of neighbouring tags under each scheme, fewest first."""


def detect_scheme(tags: Tags | Sequence[Tags], *, dialect: Dialect = Dialect()) -> Detection:
    """Detect the scheme of tags.

    Parameters
    ----------
    tags : sequence of str, or sequence of such sequences
        Tags of one sentence or many; more tags make the result more reliable.
    dialect : Dialect
        How tags are spelt.

    Returns
    -------
    Detection
        Of schemes with equally few violations the first of :func:`schemes`; TOKEN only if most tags have a prefix of
        no scheme.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.detect_scheme([["O", "I-PER", "I-PER"], ["I-LOC", "B-LOC"]]).scheme
    'IOB'
    """
    sentences = tags if is_batch(tags) else [tags]
    return _spanrs.detect(sentences, dialect)
