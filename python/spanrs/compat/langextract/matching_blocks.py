"""The matching blocks of ``difflib`` that start at extractions."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher


def blocks_at(source: list[str], answer: list[str], starts: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Find the matching blocks of two sequences that begin at certain places of the second.

    ``difflib`` divides both sequences at their longest common block, and each part again. Only parts in which a block
    can begin at one of the places are divided.

    Parameters
    ----------
    source : list of str
        Tokens of the text.
    answer : list of str
        Tokens of all extractions, with a delimiter after each.
    starts : sequence of int
        Indices in ``answer``, increasing.

    Returns
    -------
    dict of int to (int, int)
        For the places at which a block begins, where it begins in ``source`` and how many tokens it has.

    Examples
    --------
    >>> blocks_at(list("abcd"), list("ab|d"), [0, 3])
    {0: (0, 2), 3: (3, 1)}
    """
    matcher = SequenceMatcher(None, source, answer, autojunk=False)
    found = {}
    parts = [(0, len(source), 0, len(answer))]
    while parts:
        low, high, answer_low, answer_high = parts.pop()
        if low == high or bisect_left(starts, answer_low) == bisect_left(starts, answer_high):
            continue
        at, answer_at, size = matcher.find_longest_match(low, high, answer_low, answer_high)
        if not size:
            continue
        place = bisect_left(starts, answer_at)
        if place < len(starts) and starts[place] == answer_at:
            found[answer_at] = (at, size)
        parts.append((low, at, answer_low, answer_at))
        parts.append((at + size, high, answer_at + size, answer_high))
    return dict(sorted(found.items()))
