"""Fuzzy alignment: the tokens of the text that have enough of an extraction, in order."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher


class Places:
    """Positions of the tokens of a text.

    Parameters
    ----------
    source : sequence of str
        Tokens of the text, without plural endings.
    """

    def __init__(self, source: Sequence[str]) -> None:
        self.source = source
        self._indices: dict[str, list[int]] = {}
        for index, token in enumerate(source):
            self._indices.setdefault(token, []).append(index)

    def of(self, token: str) -> Sequence[int]:
        """Return the indices of a token, increasing."""
        return self._indices.get(token, ())

    def common(self, counts: Counter[str]) -> int:
        """Return how many tokens of an extraction the whole text has, each at most as often as it occurs."""
        return sum(min(number, len(self.of(token))) for token, number in counts.items())


def tightest_spans(source: Places, extraction: Sequence[str]) -> dict[int, tuple[int, int]]:
    """Find the shortest tokens of a text that have a number of tokens of an extraction, in order.

    Only tokens of the text that occur in the extraction are visited, in O(m²) each for m tokens of the extraction.

    Parameters
    ----------
    source : Places
        Tokens of the text.
    extraction : sequence of str
        Tokens of the extraction.

    Returns
    -------
    dict of int to (int, int)
        For each number of matched tokens that is reached, the first of the shortest spans: indices of tokens, ends
        exclusive.

    Examples
    --------
    >>> tightest_spans(Places("a x b x a b".split()), ["a", "b"])
    {1: (0, 1), 2: (4, 6)}
    """
    length = len(extraction)
    targets: dict[str, list[int]] = {}
    for index, token in enumerate(extraction):
        targets.setdefault(token, []).append(index)
    # starts[j][k]: the latest start of tokens up to here with k + 1 of the first j tokens of the extraction.
    starts = [[-1] * length for _ in range(length + 1)]
    tightest: dict[int, tuple[int, int]] = {}
    for index in sorted(index for token in targets for index in source.of(token)):
        matched = targets[source.source[index]]
        rows = [starts[row] for row in matched]
        changed: list[int] | None = None
        following = iter([*matched[1:], length])
        for row, before in zip(matched, rows, strict=True):
            longer = [index, *before[:-1]]
            changed = longer if changed is None else list(map(max, changed, longer))
            for later in range(row + 1, next(following) + 1):
                changed = starts[later] = list(map(max, starts[later], changed))
        for number, start in enumerate(starts[length], 1):
            if start < 0:
                break
            if number not in tightest or index + 1 - start < tightest[number][1] - tightest[number][0]:
                tightest[number] = (start, index + 1)
    return tightest


def lcs_span(
    source: Places, extraction: Sequence[str], threshold: float, min_density: float
) -> tuple[int, int] | None:
    """Find an extraction by its longest common subsequence with the text.

    Parameters
    ----------
    source : Places
        Tokens of the text.
    extraction : sequence of str
        Tokens of the extraction.
    threshold : float
        Share of the tokens of the extraction that must match.
    min_density : float
        Share of the tokens of the span that must match.

    Returns
    -------
    (int, int) or None
        Indices of tokens, end exclusive. The largest number of matched tokens that is dense enough decides.
    """
    needed = max(math.ceil(len(extraction) * threshold), 1)
    if source.common(Counter(extraction)) < needed:
        return None
    for number, span in sorted(tightest_spans(source, extraction).items(), reverse=True):
        if number < needed:
            return None
        if number / (span[1] - span[0]) >= min_density:
            return span
    return None


def legacy_span(source: Places, extraction: Sequence[str], threshold: float) -> tuple[int, int] | None:
    """Find an extraction in windows of the text, by the matching blocks of ``difflib``.

    Parameters
    ----------
    source : Places
        Tokens of the text.
    extraction : sequence of str
        Tokens of the extraction.
    threshold : float
        Share of the tokens of the extraction that must match.

    Returns
    -------
    (int, int) or None
        Indices of tokens, end exclusive: the first of the smallest windows with the most matched tokens, at least as
        long as the extraction.
    """
    counts = Counter(extraction)
    reachable = source.common(counts)
    if not extraction or reachable / len(extraction) < threshold:
        return None
    matcher: SequenceMatcher[str] = SequenceMatcher(None, b=list(extraction), autojunk=False)
    best, span = 0, None
    least = int(len(extraction) * threshold)
    for start, end in _windows(source, counts, len(extraction)):
        common = sum(
            min(number, bisect_left(source.of(token), end) - bisect_left(source.of(token), start))
            for token, number in counts.items()
        )
        if common <= best or common < least:
            continue
        matcher.set_seq1(source.source[start:end])
        matches = sum(block.size for block in matcher.get_matching_blocks())
        if matches > best:
            best, span = matches, (start, end)
            if best == reachable:
                break
    return span if best / len(extraction) >= threshold else None


def _windows(source: Places, counts: Counter[str], length: int) -> Iterator[tuple[int, int]]:
    """Return windows by size and start.

    A larger window matches as the window without its outer tokens that are not in the extraction, which comes before.
    """
    size = len(source.source)
    yield from ((start, start + length) for start in range(size - length + 1))
    relevant = sorted(index for token in counts for index in source.of(token))
    ends = set(relevant)
    for larger in range(length + 1, size + 1):
        yield from ((start, start + larger) for start in relevant if start + larger - 1 in ends)
