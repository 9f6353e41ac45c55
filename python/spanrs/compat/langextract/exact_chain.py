"""Exact occurrences of extractions, chosen so that they follow each other as in the answer."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple


class _Chain(NamedTuple):
    """A last occurrence, and the chain before it."""

    extraction: int
    start: int
    before: _Chain | None


class _Frontier:
    """Chains that no other chain beats in both end and number of tokens; both increase along the lists."""

    def __init__(self) -> None:
        self.ends = [0]
        self.tokens = [0]
        self.chains: list[_Chain | None] = [None]

    def best(self, start: int) -> tuple[int, _Chain | None]:
        """Return the number of tokens and the last occurrence of the longest chain that ends before a token."""
        at = bisect_right(self.ends, start) - 1
        return self.tokens[at], self.chains[at]

    def add(self, end: int, tokens: int, chain: _Chain) -> None:
        """Add a chain and remove those that it beats; of equal chains the first stays."""
        at = bisect_right(self.ends, end)
        if self.tokens[at - 1] >= tokens:
            return
        first = bisect_left(self.ends, end)
        last = bisect_right(self.tokens, tokens, lo=at)
        self.ends[first:last] = [end]
        self.tokens[first:last] = [tokens]
        self.chains[first:last] = [chain]


def occurrences(source: Sequence[str], extractions: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return where extractions occur in a text.

    Only the places of the rarest token of an extraction are compared.

    Parameters
    ----------
    source : sequence of str
        Tokens of the text.
    extractions : sequence of sequence of str
        Tokens of each extraction.

    Returns
    -------
    list of list of int
        For each extraction the indices of the tokens at which it starts, from 0, increasing.
    """
    places: defaultdict[str, list[int]] = defaultdict(list)
    for index, token in enumerate(source):
        places[token].append(index)
    counts = Counter({token: len(indices) for token, indices in places.items()})
    found: dict[tuple[str, ...], list[int]] = {(): []}
    rows = []
    for extraction in extractions:
        key = tuple(extraction)
        if key not in found:
            offset = min(range(len(key)), key=lambda index: counts[key[index]])
            starts = (place - offset for place in places.get(key[offset], ()))
            found[key] = [
                start for start in starts if start >= 0 and tuple(source[start : start + len(key)]) == key
            ]
        rows.append(found[key])
    return rows


def select_occurrences(starts: Sequence[Sequence[int]], lengths: Sequence[int]) -> dict[int, int]:
    """Choose at most one occurrence of each extraction.

    The chosen occurrences follow each other in the order of the answer, do not overlap, and have the largest number of
    tokens. Of chains with equally many tokens, the one that ends first is chosen.

    Parameters
    ----------
    starts : sequence of sequence of int
        For each extraction the indices of the tokens at which it occurs, increasing.
    lengths : sequence of int
        The number of tokens of each extraction.

    Returns
    -------
    dict of int to int
        For the chosen extractions the index of the token at which the chosen occurrence starts.

    Examples
    --------
    >>> select_occurrences([[0, 5], [0, 5], [2]], [1, 1, 2])
    {0: 0, 2: 2}
    """
    frontier = _Frontier()
    for extraction, places in enumerate(starts):
        length = lengths[extraction]
        # An extraction is chosen once, so its chains start from those of the extractions before it.
        longer = [(start, *frontier.best(start)) for start in places]
        for start, tokens, chain in longer:
            frontier.add(start + length, tokens + length, _Chain(extraction, start, chain))
    chosen = {}
    link = frontier.chains[-1]
    while link is not None:
        chosen[link.extraction] = link.start
        link = link.before
    return dict(sorted(chosen.items()))
