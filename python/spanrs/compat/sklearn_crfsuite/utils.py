"""Lists of lists (sklearn_crfsuite.utils)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import TypeVar

T = TypeVar("T")


def flatten(y: Iterable[Iterable[T]]) -> list[T]:
    """Concatenate sequences.

    >>> flatten([["O"], ["B-PER", "O"]])
    ['O', 'B-PER', 'O']
    """
    return list(chain.from_iterable(y))
