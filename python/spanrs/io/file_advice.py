"""Advice on column files that are probably misread."""

from __future__ import annotations

from collections.abc import Sequence

from spanrs.errors import Violation

#: Minimum number of tokens for a warning that a file is a single sentence.
MIN_LONG_SENTENCE = 1000
#: Minimum number of lines for a warning that comments seem to be read as tokens.
MIN_COMMENTS = 2
#: Minimum number of sentences for a warning that all sentences have one token.
MIN_SHORT_SENTENCES = 20


def odd_sentences(path: str, sentences: int, tokens: int) -> list[str]:
    """Return a warning if the blank lines of a file seem to be missing or to follow every token."""
    if sentences == 1 and tokens >= MIN_LONG_SENTENCE:
        return [f"{path}: all {tokens} tokens are one sentence; are blank lines between sentences missing?"]
    if sentences == tokens >= MIN_SHORT_SENTENCES:
        return [
            f"{path}: each of {sentences} sentences has one token; are there blank lines between tokens?"
        ]
    return []


def comments_advice(places: Sequence[tuple[int | None, Violation]]) -> str | None:
    """Return advice if the first violations of a file look like comments that were read as tokens.

    A comment with as many words as there are columns, such as ``# comment`` before ``Rio B-LOC``, looks like a token
    line with an unknown tag at the beginning of a sentence, or after other such lines. In contrast, unknown tags caused
    by a wrong column or scheme occur anywhere.

    Parameters
    ----------
    places : sequence of (int, Violation)
        The first violations in order, with their lines; None for data in memory.

    Returns
    -------
    str or None
        The advice; None if a violation cannot be due to a comment, or there is only one violation, which may have any
        cause.
    """
    before = None
    for line, violation in places:
        follows = violation.index == 0 or (line is not None and before == line - 1)
        # A comment precedes a token or is surrounded by blank lines.
        ends = violation.next is None and violation.index > 0
        if line is None or violation.kind != "Unknown Tag" or not follows or ends:
            return None
        before = line
    if len(places) < MIN_COMMENTS:
        return None
    return (
        "if the lines that begin these sentences are comments, give the prefix of comments: --comments '# ', in "
        "Python comments='# '"
    )
