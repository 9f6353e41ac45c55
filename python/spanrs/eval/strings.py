"""The matcher of strings, which compares extractions regardless of where they occur."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from spanrs import _spanrs
from spanrs.eval.matcher import Matcher

#: How often equal strings count.
COUNTINGS = ("multiset", "set")
#: When strings are equal.
NORMALIZATIONS = ("none", "case", "unicode", "squad")
#: The texts whose strings are compared.
WITHIN = ("text", "document")


@dataclass(frozen=True)
class Strings(Matcher):
    """Matching of strings: a pred string matches a gold string of the same text with the same type.

    For answers of generative models, whose mentions have no offsets, and for annotations of any other format.

    Parameters
    ----------
    counting : str
        ``multiset``: each gold string matches one pred string; ``set``: equal strings of one type count once.
    normalization : str
        When strings are equal: ``none`` (the same characters), ``case`` (white space and case are ignored), ``unicode``
        (also quotes, dashes, and other forms that NFKC makes equal), ``squad`` (lower case, without ASCII punctuation
        and the articles a, an and the, as for SQuAD).
    within : str
        ``text``: strings of the same sentence, if answers are about sentences, otherwise of the same document;
        ``document``: strings of the same document.

    Raises
    ------
    ValueError
        For unknown names.

    Examples
    --------
    >>> import spanrs
    >>> gold = [[("PER", "Anna"), ("LOC", "New York")]]
    >>> answers = ['{"PER": ["anna", "anna"], "LOC": ["New York"]}']
    >>> spanrs.score(gold, answers, matcher=spanrs.Strings()).totals
    Totals(tp=1, fp=2, fn=1)
    >>> spanrs.score(gold, answers, matcher=spanrs.Strings(counting="set", normalization="case")).micro.f1
    1.0
    """

    name: str = field(default="strings", init=False)
    counting: str = "multiset"
    normalization: str = "none"
    within: str = "text"

    def __post_init__(self) -> None:
        for name, names in (("counting", COUNTINGS), ("normalization", NORMALIZATIONS), ("within", WITHIN)):
            if getattr(self, name) not in names:
                raise ValueError(f"{name} must be one of {', '.join(names)}, not {getattr(self, name)!r}")

    def settings(self) -> dict[str, str]:
        """Return the settings of the matcher, for signatures."""
        return super().settings() | {
            "counting": self.counting,
            "normalization": self.normalization,
            "within": self.within,
        }

    def keys(self, strings: Iterable[tuple[str, str]]) -> list[tuple[str, str, str]]:
        """Return the type, the normalised string and the string of each pair of type and string.

        With ``counting="set"``, only the first of equal pairs is returned.
        """
        pairs = list(strings)
        normalised = _normalised([text for _, text in pairs], self.normalization)
        keys = [(ty, key, text) for (ty, text), key in zip(pairs, normalised, strict=True)]
        if self.counting == "multiset":
            return keys
        first: dict[tuple[str, str], tuple[str, str, str]] = {}
        for key in keys:
            first.setdefault(key[:2], key)
        return list(first.values())


#: Punctuation that the normalisation of SQuAD removes.
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


def _normalised(strings: list[str], normalization: str) -> list[str]:
    if normalization == "none":
        return strings
    if normalization == "squad":
        bare = (text.lower().translate(_PUNCTUATION) for text in strings)
        return [" ".join(_ARTICLES.sub(" ", text).split()) for text in bare]
    return _spanrs.normalized(strings, normalization == "case")


def is_strings(matcher: Any) -> bool:
    """Return whether a matcher, or the name of a matcher, compares strings."""
    return isinstance(matcher, Strings) or matcher == "strings"
