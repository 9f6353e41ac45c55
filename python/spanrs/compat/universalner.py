"""Scores of lists of strings, one list per question, as in UniversalNER's ``src/eval/evaluate.py``.

Source: universal-ner at commit 844e0e1 (MIT licence); reproduced from recorded outputs. Every question asks for one
type, so items have no types: an item is a normalised string.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable

#: Added to each denominator; this is why equal answers have an F1 slightly below 1.
EPSILON = 1e-10

_LIST = re.compile(r"\[.*?\]")
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(s: str) -> str:
    """Return a string in lower case without ASCII punctuation, articles and redundant white space.

    Parameters
    ----------
    s : str
        One extracted string.

    Returns
    -------
    str
        The normalised string; empty if only punctuation and articles were given.

    Examples
    --------
    >>> normalize_answer("The  U.N.")
    'un'
    """
    return " ".join(_ARTICLE.sub(" ", s.lower().translate(_WITHOUT_PUNCTUATION)).split())


def parser(text: str) -> list[str]:
    """Read the items of an answer such as ``["Anna", "Acme"]``.

    Parameters
    ----------
    text : str
        The answer. The list must begin at its first character and ends at the first ``]``, even within a string; text
        after the list is ignored.

    Returns
    -------
    list of str
        Normalised items, of equal ones the first; empty if the answer cannot be read or an item is not a string.

    Examples
    --------
    >>> parser('["Anna", "the U.N.", "anna"] and nothing else')
    ['anna', 'un']
    >>> parser('The list is ["Anna"]')
    []
    """
    match = _LIST.match(text)
    if match is None:
        return []
    try:
        values = json.loads(match.group())
    except (ValueError, RecursionError):
        return []
    if not all(isinstance(value, str) for value in values):
        return []
    return list(dict.fromkeys(map(normalize_answer, values)))


def items(answer: str) -> list[str]:
    """Return the items of an answer that are compared.

    Parameters
    ----------
    answer : str
        A gold or predicted answer; both are read alike.

    Returns
    -------
    list of str
        The items, as :func:`parser` returns them.

    Examples
    --------
    >>> items('["Paris (Texas)"]')
    ['paris texas']
    """
    return parser(answer)


def evaluate(golds: Iterable[str], preds: Iterable[str]) -> dict[str, float]:
    """Score predicted answers; equal normalised strings match, and counts are summed over questions.

    Parameters
    ----------
    golds, preds : iterable of str
        One answer per question. As in the original, surplus answers of the longer side are ignored.

    Returns
    -------
    dict
        ``precision``, ``recall`` and ``f1``. They are 0 if both sides are empty, and slightly below 1 if both sides
        are equal.

    Raises
    ------
    TypeError
        If an answer is not a str.

    Notes
    -----
    The time is linear in the length of the answers. Source: universal-ner at commit 844e0e1 (MIT licence).

    Examples
    --------
    >>> evaluate(['["Anna"]', '["Acme", "York"]'], ['["anna"]', '["Acme"]'])
    {'precision': 0.99999999995, 'recall': 0.6666666666444444, 'f1': 0.79999999992}
    """
    correct = gold_total = pred_total = 0
    # The originals' zip: the longer side is cut.
    for gold, pred in zip(golds, preds, strict=False):
        gold_items, pred_items = parser(gold), parser(pred)
        correct += len(set(gold_items).intersection(pred_items))
        gold_total += len(gold_items)
        pred_total += len(pred_items)
    precision = correct / (pred_total + EPSILON)
    recall = correct / (gold_total + EPSILON)
    f1 = 2 * (precision * recall) / (precision + recall + EPSILON)
    return {"precision": precision, "recall": recall, "f1": f1}
