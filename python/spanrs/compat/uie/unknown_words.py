"""Completes spans that contain unknown words from the text."""

from __future__ import annotations

from collections.abc import Iterator

UNKNOWN = "<unk>"


def complete(span: str, text: str) -> str:
    """Return the first part of the text that agrees with a span, each ``<unk>`` being a part of a word.

    Parameters
    ----------
    span : str
        The span. Blanks around ``<unk>`` may be missing in the text, or be more.
    text : str
        The text.

    Returns
    -------
    str
        The part of the text without surrounding white space; the span if it has no ``<unk>`` or does not agree.

    Notes
    -----
    The time is at most the product of the numbers of ``<unk>`` and of characters of the text and of its longest word.

    Examples
    --------
    >>> complete("<unk> colo", "Angola , Ícolo e Bengo")
    'Ícolo'
    >>> complete("a <unk> c", "a b")
    'a <unk> c'
    """
    if UNKNOWN not in span:
        return span
    pieces = [piece.strip() for piece in span.split(UNKNOWN)]
    # Each unknown word has at least one character.
    if len(pieces) - 1 > len(text):
        return span
    failed: set[tuple[int, int]] = set()
    for start in range(len(text) + 1):
        if text.startswith(pieces[0], start):
            end = _end(pieces, text, start + len(pieces[0]), failed)
            if end is not None:
                return text[start:end].strip()
    return span


def _end(pieces: list[str], text: str, at: int, failed: set[tuple[int, int]]) -> int | None:
    """Return where the pieces after the first one end, or None; longer unknown words are preferred.

    ``failed`` has the pairs of piece and position that are known to fail, which avoids exponential time.
    """
    stack = [(1, at, _starts(text, at))]
    while stack:
        piece, at, starts = stack[-1]
        if piece == len(pieces):
            return at
        for start in starts:
            end = start + len(pieces[piece])
            if text.startswith(pieces[piece], start) and (piece + 1, end) not in failed:
                stack.append((piece + 1, end, _starts(text, end)))
                break
        else:
            failed.add((piece, at))
            stack.pop()
    return None


def _starts(text: str, at: int) -> Iterator[int]:
    """Yield where the piece after an unknown word may begin: after all blanks, fewer, or within the word."""
    word = at
    while word < len(text) and text[word].isspace():
        word += 1
    end = word
    while end < len(text) and not text[end].isspace():
        end += 1
    blank = end
    while blank < len(text) and text[blank].isspace():
        blank += 1
    if end > word:
        yield from range(blank, word, -1)
