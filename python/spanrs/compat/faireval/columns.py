"""Spans of tokens in columns, with BIO tags in levels."""

from __future__ import annotations

from collections.abc import Sequence

from spanrs.compat.faireval.compare import Span

PUNCTUATION = frozenset(
    ["$.", "$,", "$(", "PUNCT", "PUNKT", "KOMMA", "COMMA", "KLAMMER", *'.,:()"', "‘", "“", "’", "”"]
)


def conll_spans(lines: Sequence[str]) -> list[Span]:
    """Read the spans of a sentence, one token a line, the tags its last field.

    Parameters
    ----------
    lines : list of str
        Tags of several levels have ``|`` between them, the outermost first.

    Returns
    -------
    list of list
        Spans ``[label, begin, end, tokens]`` in the order in which they are closed.

    Raises
    ------
    IndexError
        For an ``I-`` at a level where nothing is open, for a blank line.
    """
    spans: list[Span] = []
    levels: list[Span] = []
    for token, line in enumerate(lines, 1):
        tags = line.split()[-1]
        if tags in ("O", "_", ""):
            _close_all(levels, spans)
            continue
        annotations = tags.split("|")
        while len(levels) > len(annotations):
            spans.append(levels.pop())
        for level, annotation in enumerate(annotations):
            if annotation.startswith("B-"):
                if level == 0:
                    _close_all(levels, spans)
                while len(levels) > level:
                    spans.append(levels.pop())
                levels.append([annotation.split("-")[1], token, token, {token}])
            elif annotation.startswith("I-"):
                span = levels[level]
                span[2] = token
                span[3].add(token)
    _close_all(levels, spans)
    return spans


def _close_all(levels: list[Span], spans: list[Span]) -> None:
    """Close from the outermost level on, which is the order of the spans in the result."""
    spans += levels
    levels.clear()


def drop_punctuation(spans: list[Span], lines: Sequence[str]) -> list[Span]:
    """Take tokens whose part of speech, the second field, is punctuation out of spans.

    Parameters
    ----------
    spans : list of list
        They are changed.
    lines : list of str
        The sentence.

    Returns
    -------
    list of list
        The spans that have tokens left.

    Raises
    ------
    IndexError
        For lines without a second field.
    """
    for token, line in enumerate(lines, 1):
        if line.split(" ")[1] in PUNCTUATION:
            for span in spans:
                _drop_token(span, token)
            spans = [span for span in spans if span[1] is not None and span[2] is not None and span[3]]
    return spans


def _drop_token(span: Span, token: int) -> None:
    """Move a bound that is the token by one; of several at the end, all but the last stay in the bounds."""
    span[3].discard(token)
    if span[1] == token:
        span[1] = token + 1 if span[2] is not None and span[2] > token else None
    if span[2] == token:
        span[2] = token - 1 if span[1] is not None and span[1] < token else None
