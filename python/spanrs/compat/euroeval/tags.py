"""Tags the tokens of a sentence by the names in an answer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from spanrs.compat.euroeval.lenient_json import decode

#: Key of an answer -> type of its tags, in EuroEval's English data sets.
KEYS = {"person": "per", "organization": "org", "location": "loc", "miscellaneous": "misc"}

_OBJECT = re.compile(r"\{[^{}]*\}")


def _decode(answer: str) -> dict[str, Any] | None:
    match = _OBJECT.search(answer)
    if match is None:
        return None
    try:
        return decode(match.group())
    except ValueError:
        return None


def items(answer: str, keys: Mapping[str, str] = KEYS) -> list[tuple[str, str]]:
    """Return the names in an answer, which are looked up in the tokens.

    Parameters
    ----------
    answer : str
        The answer. Its first object without inner braces is decoded leniently.
    keys : mapping of str to str
        Key -> type.

    Returns
    -------
    list of (str, str)
        Types and names; empty if the answer cannot be decoded.

    Examples
    --------
    >>> items("Sure: {'person': ['Anna Lee', 7], city: ['York'], 'location': 'Rome'}")
    [('per', 'Anna Lee'), ('per', '7')]
    """
    return _names(_decode(answer) or {}, keys)


def _names(decoded: Mapping[str, Any], keys: Mapping[str, str]) -> list[tuple[str, str]]:
    return [
        (keys[key], str(name))
        for key, names in decoded.items()
        if key in keys and isinstance(names, list)
        for name in names
    ]


class _Tokens:
    """Finds the tokens that contain a word."""

    def __init__(self, tokens: Sequence[str]) -> None:
        # Words have no white space, so no word is found across the end of a token.
        self._text = "\n".join(tokens)
        self._starts = [0, *accumulate(len(token) + 1 for token in tokens)]
        self._found: dict[str, list[int]] = {}

    def containing(self, word: str) -> list[int]:
        if word not in self._found:
            self._found[word] = list(self._search(word))
        return self._found[word]

    def _search(self, word: str) -> Iterator[int]:
        at = self._text.find(word)
        while at >= 0:
            token = bisect_right(self._starts, at) - 1
            yield token
            at = self._text.find(word, self._starts[token + 1])


def extract_tags(
    answer: str, tokens: Sequence[str], keys: Mapping[str, str] = KEYS
) -> tuple[list[str], bool]:
    """Tag the tokens of a sentence by the names in an answer.

    Parameters
    ----------
    answer : str
        The answer. Its first object without inner braces is decoded leniently.
    tokens : sequence of str
        The tokens.
    keys : mapping of str to str
        Key -> type.

    Returns
    -------
    list of str, bool
        One lower-case tag per token, and whether the answer could not be decoded, in which case all tags are ``o``.

    Notes
    -----
    Every token that contains the first word of a name gets a ``b-`` tag. Tokens that contain another word of the name
    get an ``i-`` tag if they have none and the previous token has the type; the last token counts as the previous one
    of the first. The tokens are searched once per distinct word. Source: EuroEval at commit f37841c (MIT licence).

    Examples
    --------
    >>> extract_tags('{"person": ["Anna Lee"]}', ["Anna", "Lee", "met", "Annabel"])
    (['b-per', 'i-per', 'o', 'b-per'], False)
    >>> extract_tags("none", ["Anna"])
    (['o'], True)
    """
    tags = ["o"] * len(tokens)
    decoded = _decode(answer)
    if decoded is None:
        return tags, True
    searched = _Tokens(tokens)
    for type_, name in _names(decoded, keys):
        first, inner = f"b-{type_}", f"i-{type_}"
        words = name.split()
        for word in words[:1]:
            for token in searched.containing(word):
                tags[token] = first
        for word in words[1:]:
            for token in searched.containing(word):
                # As in the original, -1 is the last token.
                if tags[token] == "o" and tags[token - 1] in (first, inner):
                    tags[token] = inner
    return tags, False
