"""A simple tokenizer that keeps character offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Letters, digits and underscores, with apostrophes, hyphens, full stops and commas inside; or one other character.
_TOKEN = re.compile(r"\w+(?:[-'’.,]\w+)*|[^\w\s]")


def tokenize(text: str) -> list[tuple[int, int]]:
    """Return the tokens of a text.

    Returns
    -------
    list of (int, int)
        First character and one past the last of each token, from 0, in order. Tokens contain no white space.

    Examples
    --------
    >>> from spanrs.io.tokenizer import tokenize
    >>> text = "Bob's 3.5 cars (red)."
    >>> [text[start:end] for start, end in tokenize(text)]
    ["Bob's", '3.5', 'cars', '(', 'red', ')', '.']
    """
    return [match.span() for match in _TOKEN.finditer(text)]


def lines(text: str) -> Iterable[tuple[int, int]]:
    """Yield (start, end) of each line that is not blank; a line is a sentence."""
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield start, start + len(line)
        start += len(line)
