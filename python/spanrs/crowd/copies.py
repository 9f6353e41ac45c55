"""Annotators who gave nearly the same labels."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import Votes

    Numbers = npt.NDArray[np.int64]

#: Annotators whose labels differ at less than this share of tokens, and this many times less than from the labels of
#: all other annotators, give nearly the same labels. Tokens that both label ``O`` do not count.
COPIED, COPIED_RATIO = 0.02, 50.0
#: Least numbers of tokens and sentences for a comparison of two annotators, and of differences that would be expected
#: if they differed as much as from the others.
LEAST_SHARED, LEAST_SENTENCES, LEAST_DIFFERENCES = 50, 10, 10.0
#: Least number of differences from each of the others.
LEAST_DIFFERENT = 5


def copies(
    votes: Votes, sentence: Numbers, annotators: int, background: int | None
) -> npt.NDArray[np.bool_]:
    """Return which pairs differ far less than either of them differs from every other annotator.

    Tokens that both label ``background`` are left out: even annotators with different spans agree at most tokens. By
    default it is the most frequent label.
    """
    import numpy as np

    if background is None:
        background = int(np.bincount(votes.label, minlength=1).argmax())
    given = np.full((annotators, len(sentence)), -1, dtype=np.int64)
    given[votes.annotator, votes.token] = votes.label
    differ, both, sentences = np.zeros((3, annotators, annotators))
    for a, b in itertools.combinations(range(annotators), 2):
        shared = (given[a] >= 0) & (given[b] >= 0) & ((given[a] != background) | (given[b] != background))
        both[a, b] = both[b, a] = shared.sum()
        differ[a, b] = differ[b, a] = (shared & (given[a] != given[b])).sum()
        sentences[a, b] = sentences[b, a] = len(np.unique(sentence[shared]))
    rates = differ / np.maximum(both, 1.0)
    compared = (both >= LEAST_SHARED) & (sentences >= LEAST_SENTENCES)
    linked = np.zeros((annotators, annotators), dtype=bool)
    for group in components(compared & (rates < COPIED)):
        others = np.setdiff1d(np.arange(annotators), group)
        inside, outside = np.ix_(group, group), np.ix_(np.array(group), others)
        near, far = compared[inside], compared[outside]
        pairs = len(group) * (len(group) - 1)
        # Most pairs must be compared; of these, the group has at least one, and the others may have none.
        if near.sum() <= pairs / 2 or not far.any() or far.sum() <= far.size / 2:
            continue
        least = rates[outside][far].min()
        linked[inside] = (
            least > COPIED_RATIO * rates[inside][near].max()
            and differ[outside][far].min() >= LEAST_DIFFERENT
            and least * both[inside][near].min() >= LEAST_DIFFERENCES
        )
    np.fill_diagonal(linked, val=False)
    return linked


def components(linked: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Return the connected components with at least two members."""
    left, groups = set(range(len(linked))), []
    while left:
        waiting, group = [left.pop()], []
        while waiting:
            at = waiting.pop()
            group.append(at)
            near = [other for other in left if linked[at, other]]
            left -= set(near)
            waiting += near
        if len(group) > 1:
            groups.append(sorted(group))
    return sorted(groups)
