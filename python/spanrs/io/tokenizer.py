"""A simple tokenizer that keeps character offsets."""

from __future__ import annotations

from collections.abc import Iterable

from spanrs import _spanrs


def tokenize(text: str) -> list[tuple[int, int]]:
    """Return the tokens of a text: words, and single other characters that are not white space.

    Words consist of letters, marks, digits and underscores, with apostrophes, hyphens, full stops and commas inside. In
    scripts without spaces between words, such as Chinese, Japanese and Thai, each character is a token.

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
    return _spanrs.tokenize(text)


def lines(text: str) -> Iterable[tuple[int, int]]:
    """Yield (start, end) of each line that is not blank; a line is a sentence."""
    start = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            yield start, start + len(line)
        start += len(line)
