"""The default tokenizer of langextract: runs of letters, of digits, and of one symbol.

The character classes are those of the package ``regex``, which langextract uses: letters include marks, letter numbers
and connectors except the underscore. The Unicode version is that of Python, so that characters which Python does not
know yet are symbols.
"""

from __future__ import annotations

import functools
import re
import unicodedata

LETTER, DIGIT, SPACE = "a", "0", " "
_TOKENS = re.compile(f"{LETTER}+|{DIGIT}+|([^{LETTER}{DIGIT}{SPACE}])\\1*")
#: Control characters that are white space; the separators U+001C to U+001F are not.
_SPACES = frozenset("\t\n\v\f\r\x85")
#: Joiners, and the first and last of circled and squared letters, which Unicode counts as alphabetic.
_JOINERS = frozenset((0x200C, 0x200D))
_SYMBOL_LETTERS = (
    (0x24B6, 0x24E9),
    (0x1F130, 0x1F149),
    (0x1F150, 0x1F169),
    (0x1F170, 0x1F189),
)
#: A plural `s` is only dropped from longer words.
_LONGEST_UNCHANGED = 3


class _CharacterClasses(dict[int, str]):
    """The class of each character for ``str.translate``; a symbol is its own class."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        found = character
        if category == "Nd":
            found = DIGIT
        elif category[0] == "Z" or character in _SPACES:
            found = SPACE
        elif character == "_":
            found = "_"
        elif _is_letter(code, category):
            found = LETTER
        self[code] = found
        return found


def _is_letter(code: int, category: str) -> bool:
    if category[0] in "LM" or category in ("Nl", "Pc") or code in _JOINERS:
        return True
    return any(first <= code <= last for first, last in _SYMBOL_LETTERS)


_CLASSES = _CharacterClasses()


def token_bounds(text: str) -> list[tuple[int, int]]:
    """Return the tokens of a text.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    list of (int, int)
        Offsets in characters of the start and the end of each token, from 0, ends exclusive.

    Examples
    --------
    >>> text = "St. Mary's -- 2nd"
    >>> [text[start:end] for start, end in token_bounds(text)]
    ['St', '.', 'Mary', "'", 's', '--', '2', 'nd']
    """
    return [match.span() for match in _TOKENS.finditer(text.translate(_CLASSES))]


def words(text: str) -> list[str]:
    """Return the lower-case tokens of a text."""
    return [text[start:end].lower() for start, end in token_bounds(text)]


@functools.lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """Return a lower-case word without a plural ``s``.

    Examples
    --------
    >>> [singular(word) for word in ("dogs", "gas", "glass")]
    ['dog', 'gas', 'glass']
    """
    if len(word) > _LONGEST_UNCHANGED and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
