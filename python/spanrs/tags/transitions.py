"""Legal transitions between tags."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from spanrs import _spanrs
from spanrs.tags.types import Dialect, Vocabulary, as_vocabulary

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def tags_of(scheme: str, types: Iterable[str], *, dialect: Dialect = Dialect()) -> list[str]:
    """List every tag of a scheme.

    Parameters
    ----------
    scheme : str
        Name of the scheme.
    types : iterable of str
        Types of spans.
    dialect : Dialect
        Spelling of tags.

    Returns
    -------
    list of str
        ``O``, followed by the tags of each type, in the given order.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.tags_of("BIO", ["PER", "LOC"])
    ['O', 'B-PER', 'I-PER', 'B-LOC', 'I-LOC']
    """
    return _spanrs.tags_of(scheme, list(types), dialect)


class Transition(NamedTuple):
    """Whether one tag may follow another."""

    source: str
    """The first tag."""
    target: str
    """The next tag."""
    valid: bool
    """Whether the scheme allows the transition."""


def _tag_set(
    scheme: str, tags: Iterable[str] | None, types: Iterable[str] | None, dialect: Dialect
) -> list[str]:
    if (tags is None) == (types is None):
        message = "pass either types= or tags="
        raise TypeError(message)
    if tags is not None:
        return list(tags)
    return _spanrs.tags_of(scheme, list(types or ()), dialect)


def transitions(
    scheme: str,
    *,
    types: Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
    start: str = "<GO>",
    end: str = "<EOS>",
    dialect: Dialect = Dialect(),
) -> list[Transition]:
    """List which tags may follow each other.

    Parameters
    ----------
    scheme : str
        Name of the scheme.
    types : iterable of str, optional
        Types whose tags are all used.
    tags : iterable of str, optional
        Tags to use instead of ``types``.
    start, end : str
        Names of the sentence boundaries. No tag may precede the start or follow the end.
    dialect : Dialect
        Spelling of tags.

    Returns
    -------
    list of Transition
        All pairs of tags, start and end, in the given order.

    Raises
    ------
    spanrs.errors.SchemeError
        For tags unknown to the scheme.

    Notes
    -----
    Source: iobes, ``transitions_legality``.

    Examples
    --------
    >>> from spanrs import tags
    >>> [(t.source, t.target) for t in tags.transitions("BIO", types=["A"]) if not t.valid][:3]
    [('O', 'I-A'), ('O', '<GO>'), ('B-A', '<GO>')]
    """
    names = _tag_set(scheme, tags, types, dialect)
    legal = _spanrs.legal(scheme, names, dialect)
    side = len(names) + 1
    everything = [*names, start, end]
    rows = []
    for i, source in enumerate(everything):
        # The last row of the matrix is the sentence start, the last column is the sentence end.
        row = legal[i * side : (i + 1) * side] if i < side else [False] * side
        valid = [*row[:-1], False, row[-1]]
        rows += [Transition(source, t, v) for t, v in zip(everything, valid, strict=True)]
    return rows


def transition_map(
    scheme: str,
    *,
    types: Iterable[str] | None = None,
    tags: Iterable[str] | None = None,
    start: str = "<GO>",
    end: str = "<EOS>",
    dialect: Dialect = Dialect(),
) -> dict[str, dict[str, bool]]:
    """Return which tags may follow each other, as a dictionary of dictionaries.

    Parameters
    ----------
    scheme, types, tags, start, end, dialect
        Same as for :func:`transitions`.

    Returns
    -------
    dict of dict of bool
        ``result[tag][next tag]``.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.transition_map("IOBES", types=["A"])["B-A"]["O"]
    False
    """
    nested: dict[str, dict[str, bool]] = {}
    rows = transitions(scheme, types=types, tags=tags, start=start, end=end, dialect=dialect)
    for source, target, valid in rows:
        nested.setdefault(source, {})[target] = valid
    return nested


class TransitionMask(NamedTuple):
    """Legal transitions in the order of a vocabulary; True is legal."""

    between: npt.NDArray[np.bool_]
    """Legal transitions from row to column, shape (tags, tags)."""
    start: npt.NDArray[np.bool_]
    """Tags that are legal at the start of a sentence, shape (tags,)."""
    end: npt.NDArray[np.bool_]
    """Tags that are legal at the end of a sentence, shape (tags,)."""

    def scores(
        self, illegal: float = float("-inf")
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return penalties to add to the scores of a CRF: 0 if legal, ``illegal`` otherwise.

        Parameters
        ----------
        illegal : float
            The penalty. Use a large negative number if infinities would lead to NaN.

        Returns
        -------
        tuple of arrays of float64
            Penalties for transitions (shape (tags, tags)), starts (shape (tags,)) and ends (shape (tags,)).
        """
        import numpy as np

        between, start, end = (np.where(part, 0.0, illegal) for part in self)
        return between, start, end


def transition_mask(
    scheme: str,
    vocabulary: Vocabulary,
    *,
    start: str | None = None,
    end: str | None = None,
    dialect: Dialect = Dialect(),
) -> TransitionMask:
    """Return which tags may follow each other, as boolean arrays for a CRF.

    Parameters
    ----------
    scheme : str
        Name of the scheme.
    vocabulary : sequence of str, or mapping
        The tags in the order of the model's ids, or label2id or id2label.
    start, end : str, optional
        Entries of the vocabulary for the sentence boundaries, in models that include these among the tags.
    dialect : Dialect
        Spelling of tags.

    Returns
    -------
    TransitionMask
        The arrays, in the order of the vocabulary.

    Raises
    ------
    spanrs.errors.SchemeError
        For tags unknown to the scheme.

    Examples
    --------
    >>> from spanrs import tags
    >>> mask = tags.transition_mask("BIO", ["O", "B-A", "I-A"])
    >>> mask.between.astype(int).tolist()
    [[1, 1, 0], [1, 1, 1], [1, 1, 1]]
    >>> mask.scores(-1e4)[1].tolist()
    [0.0, 0.0, -10000.0]
    """
    import numpy as np

    names = as_vocabulary(vocabulary)
    inner = [i for i, name in enumerate(names) if name not in (start, end)]
    flat = _spanrs.legal(scheme, [names[i] for i in inner], dialect)
    legal = np.array(flat, dtype=bool).reshape(len(inner) + 1, len(inner) + 1)
    between = np.zeros((len(names), len(names)), dtype=bool)
    first = np.zeros(len(names), dtype=bool)
    last = np.zeros(len(names), dtype=bool)
    between[np.ix_(inner, inner)] = legal[:-1, :-1]
    first[inner] = legal[-1, :-1]
    last[inner] = legal[:-1, -1]
    if start in names:
        between[names.index(start)] = first
    if end in names:
        between[:, names.index(end)] = last
    if start in names and end in names:
        between[names.index(start), names.index(end)] = True
    return TransitionMask(between, first, last)
