"""A text to which strings are appended, so that strings without a place in the text are spans as well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable


class AppendedStrings:
    r"""Appends strings to a text, each on a line of its own; equal keys share a line.

    Two sides that use the same table have equal spans for equal strings.

    Parameters
    ----------
    text : str
        The text; may be empty.

    Examples
    --------
    >>> from spanrs.io.appended_strings import AppendedStrings
    >>> table = AppendedStrings("Anna left.")
    >>> gold = table.places([("PER", "Ben", "Ben")])
    >>> pred = table.places([("PER", "Ben", "Ben"), ("PER", "Ben", "Ben")])
    >>> gold, pred, table.text
    ([('PER', 11, 14)], [('PER', 11, 14), ('PER', 15, 18)], 'Anna left.\nBen\nBen')
    """

    def __init__(self, text: str) -> None:
        self._lines = [text] if text else []
        self._end = len(text)
        self._places: dict[Hashable, tuple[int, int]] = {}

    @property
    def text(self) -> str:
        """The text, followed by the strings."""
        return "\n".join(self._lines)

    def places(self, strings: Iterable[tuple[str, Hashable, str]]) -> list[tuple[str, int, int]]:
        """Return a span for each string of one side.

        Parameters
        ----------
        strings : iterable of (str, hashable, str)
            Type, key and string. The n-th string of one type and key has the same place as the n-th of another side.

        Returns
        -------
        list of (str, int, int)
            Type, first character, one past the last.
        """
        seen: Counter[tuple[str, Hashable]] = Counter()
        spans = []
        for ty, key, string in strings:
            spans.append((ty, *self._place((key, seen[ty, key]), string)))
            seen[ty, key] += 1
        return spans

    def _place(self, key: Hashable, string: str) -> tuple[int, int]:
        if key not in self._places:
            start = self._end + (1 if self._lines else 0)
            self._end = start + len(string)
            self._lines.append(string)
            self._places[key] = start, self._end
        return self._places[key]
