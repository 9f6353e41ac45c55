"""The characters of a text that count for masks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

#: Punctuation and symbols of ASCII, Latin-1, the general block, and of Chinese and Japanese, for a set in a pattern.
PUNCTUATION = (
    r"!-/:-@\[-`{-~\u00a1-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    r"\u2010-\u205e\u20a0-\u20cf\u3001-\u3003\u3008-\u3020\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
#: A word without the punctuation at its ends.
_WORD = re.compile(rf"[^\s{PUNCTUATION}](?:\S*[^\s{PUNCTUATION}])?")
#: White space or anything else, for texts all of whose characters count.
_ANY = re.compile(r"\s+|\S+")

#: A span in the form of the compiled module.
Plain = tuple[Any, ...]


def normalised_word(word: str) -> str:
    """Return a word in lower case and without the punctuation at its ends; a word of punctuation is kept."""
    core = _WORD.search(word)
    return (word if core is None else core[0]).casefold()


# Both sides of a document have the same text.
@lru_cache(maxsize=2)
def counted_text(text: str, skip: tuple[str, ...], count: str) -> CountedText:
    """Return the characters of a text that count; the last texts are remembered."""
    return CountedText(text, skip, count)


class CountedText:
    """Numbers the characters of a text that count, so that spans consist of these characters only.

    Parameters
    ----------
    text : str
        The text.
    skip : collection of str
        Words that do not count, normalised with :func:`normalised_word`.
    count : str
        ``words`` or ``all``, as for :class:`spanrs.Characters`.

    Examples
    --------
    >>> from spanrs.eval.counted_text import CountedText
    >>> counted = CountedText("Call Mr. John Smith!", ["mr"])
    >>> counted.number(0), counted.number(9), counted.number(19), counted.number(20)
    (0, 4, 13, 13)
    >>> counted.bounds(4, 13)
    (9, 19)
    """

    def __init__(self, text: str, skip: Collection[str] = (), count: str = "words") -> None:
        pattern = _WORD if count == "words" else _ANY
        if skip:
            skipped = set(skip)
            found = pattern.finditer(text)
            runs = [match.span() for match in found if normalised_word(match[0]) not in skipped]
        else:
            runs = [match.span() for match in pattern.finditer(text)]
        self._set_runs(runs)

    @classmethod
    def of_runs(cls, runs: Iterable[tuple[int, int]]) -> CountedText:
        """Return the numbering of the positions in ranges (start, exclusive end), which may overlap."""
        joined: list[tuple[int, int]] = []
        for start, end in sorted(runs):
            if joined and start <= joined[-1][1]:
                joined[-1] = joined[-1][0], max(end, joined[-1][1])
            else:
                joined.append((start, end))
        counted = cls("")
        counted._set_runs(joined)
        return counted

    def _set_runs(self, runs: Sequence[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in runs]
        self._lengths = [end - start for start, end in runs]
        self._before = [0, *accumulate(self._lengths)]

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The ranges (start, exclusive end) of characters that count, ascending."""
        return [(start, start + length) for start, length in zip(self._starts, self._lengths, strict=True)]

    def number(self, at: int) -> int:
        """Return the number of characters before an offset that count."""
        run = bisect_right(self._starts, at) - 1
        if run < 0:
            return 0
        return self._before[run] + min(at - self._starts[run], self._lengths[run])

    def offset(self, number: int) -> int:
        """Return the offset of a character that counts, by its number."""
        run = bisect_right(self._before, number) - 1
        return self._starts[run] + number - self._before[run]

    def bounds(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets (start, exclusive end) of a range of numbers, which is not empty."""
        return self.offset(start), self.offset(end - 1) + 1

    def spans(self, spans: Iterable[Plain]) -> list[Plain]:
        """Return spans with numbers instead of offsets, without those that have no character that counts."""
        numbered: list[Plain] = []
        for span in spans:
            if len(span) > 3:
                positions = self._positions(span[3])
                if positions:
                    numbered.append((span[0], positions[0], positions[-1] + 1, positions))
                continue
            start, end = self.number(span[1]), self.number(span[2])
            if start < end:
                numbered.append((span[0], start, end))
        return numbered

    def _positions(self, offsets: Iterable[int]) -> list[int]:
        return [self.number(at) for at in sorted(set(offsets)) if self.number(at + 1) > self.number(at)]
