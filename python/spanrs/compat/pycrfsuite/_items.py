"""Features of the tokens of a sequence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from spanrs._spanrs import CrfItems


class ItemSequence:
    """Features of a sequence, converted once for any number of calls.

    Parameters
    ----------
    pyseq : iterable
        For each token a dict of features, whose values are numbers, bools, strings, or nested dicts, lists and
        sets; or a collection of strings.

    Examples
    --------
    >>> from spanrs.compat.pycrfsuite import ItemSequence
    >>> ItemSequence([["foo"], {"bar": {"baz": 1, "word": "x"}}]).items()
    [{'foo': 1.0}, {'bar:baz': 1.0, 'bar:word:x': 1.0}]
    """

    _items: CrfItems

    def __init__(self, pyseq: Iterable[Any] | ItemSequence) -> None:
        self._items = crf_items(pyseq)

    def items(self) -> list[dict[str, float]]:
        """Return the features of each token, by name."""
        return self._items.items()

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def crf_items(sequence: Iterable[Any] | ItemSequence) -> CrfItems:
    """Convert features, unless they were converted already."""
    return sequence._items if isinstance(sequence, ItemSequence) else CrfItems(sequence)
