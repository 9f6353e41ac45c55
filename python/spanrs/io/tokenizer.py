"""Between text and tokens: a small tokenizer that keeps offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Letters, digits and underscores, with apostrophes, hyphens and points inside; or one other character.
_TOKEN = re.compile(r"\w+(?:[-'’.,]\w+)*|[^\w\s]")


def tokenize(text: str) -> list[tuple[int, int]]:
    """Return the tokens of a text.

    Returns
    -------
    list of (int, int)
        First character and one past the last of each token, from 0, in order. White space is in no token.

    Examples
    --------
    >>> from spanrs.io.tokenizer import tokenize
    >>> text = "Bob's 3.5 cars (red)."
    >>> [text[start:end] for start, end in tokenize(text)]
    ["Bob's", '3.5', 'cars', '(', 'red', ')', '.']
    """
    return [match.span() for match in _TOKEN.finditer(text)]


def lines(text: str) -> Iterable[tuple[int, int]]:
    """Yield the lines of a text that are not blank, as (start, end): each is a sentence."""
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield start, start + len(line)
        start += len(line)
