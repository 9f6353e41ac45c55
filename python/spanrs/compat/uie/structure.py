"""Reads the structured extraction language: marked types and spans, with marked roles and their spans inside."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from spanrs.compat.uie.unknown_words import complete

#: Begins a type or role, ends it, separates it from its span, and marks a rejected span.
START, END, SPAN, NULL_SPAN = (f"<extra_id_{number}>" for number in (0, 1, 5, 6))

_MARKER = re.compile(r"<extra_id_\d>")
# Markers become brackets, so that brackets in spans are structure, too; this is a trap of the original.
_OPEN, _CLOSE = "【", "】"
_TOKEN = re.compile(f"{_OPEN}\\s*(?P<label>[^\\s{_OPEN}{_CLOSE}]+)?|{_CLOSE}|[^\\s{_OPEN}{_CLOSE}]+")


class Schema(NamedTuple):
    """Types and roles that are kept.

    Parameters
    ----------
    types : collection of str
        Types of spots: of entities, and of event triggers.
    roles : collection of str
        Types of associations: of relations, and roles of event arguments.
    """

    types: Collection[str] = ()
    roles: Collection[str] = ()


class Spot(NamedTuple):
    """A typed span with its associations.

    Parameters
    ----------
    type : str
        The type of the span.
    span : str
        The span, its tokens separated by single blanks.
    roles : list of (str, str)
        Roles and spans of the associations.
    """

    type: str
    span: str
    roles: list[tuple[str, str]]


class _Tree:
    """A pair of brackets: a label, words, and pairs of brackets."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.words: list[str] = []
        self.trees: list[_Tree] = []

    def __len__(self) -> int:
        return len(self.words) + len(self.trees)

    def labelled_span(self) -> tuple[str, str]:
        """Return type and span; types may consist of several words if the marker of spans occurs once."""
        span = " ".join(self.words)
        parts = f"{self.label} {span}".split(SPAN)
        return (parts[0].strip(), parts[1].strip()) if len(parts) == 2 else (self.label, span)


def _bracketed(answer: str) -> str:
    """Return the answer from the first marker on, with brackets for the markers."""
    first = _MARKER.search(answer)
    if first is None:
        return ""
    spaced = _MARKER.sub(lambda marker: f" {marker.group()} ", answer[first.start() :])
    return spaced.replace(START, _OPEN).replace(END, _CLOSE)


def _cut(words: list[str]) -> list[str]:
    """Return the words up to the one that closes the first bracket."""
    level = 0
    for at, word in enumerate(words):
        level += (word == _OPEN) - (word == _CLOSE)
        if level == 0 and word in (_OPEN, _CLOSE):
            return words[: at + 1]
    return words


def _closed(words: list[str]) -> list[str]:
    """Add missing closing brackets; brackets within words do not count."""
    return words + [_CLOSE] * (words.count(_OPEN) - words.count(_CLOSE))


def _tree(text: str) -> _Tree:
    """Return the tree of a text, or raise ValueError if the text is not exactly one tree."""
    root = None
    stack: list[_Tree] = []
    for token in _TOKEN.finditer(text):
        if token.group()[0] == _OPEN:
            tree = _Tree(token.group("label") or "")
            if stack:
                stack[-1].trees.append(tree)
            elif root is None:
                root = tree
            else:
                raise ValueError("more than one tree")
            stack.append(tree)
        elif not stack:
            raise ValueError("text outside of the tree")
        elif token.group() == _CLOSE:
            stack.pop()
        else:
            stack[-1].words.append(token.group())
    if root is None or stack:
        raise ValueError("unclosed brackets, or none")
    return root


def _gold_tree(answer: str, counter: Counter[str]) -> _Tree:
    text = _bracketed(answer)
    try:
        tree = _tree(text)
    except ValueError:
        try:
            tree = _tree(" ".join(_closed(text.split())))
        except ValueError as error:
            raise ValueError(f"the gold answer {answer[:80]!r} is not well-formed: {error}") from None
        counter["gold_tree add_bracket"] += 1
    counter["gold_tree"] += len(tree)
    return tree


def _pred_tree(answer: str, counter: Counter[str]) -> _Tree:
    words = _cut(_bracketed(answer).split())
    text = " ".join(words)
    if text.count(_OPEN) != text.count(_CLOSE):
        text = " ".join(_closed(words))
        counter["fixed"] += 1
    try:
        tree = _tree(text)
    except ValueError:
        counter["ill-formed"] += 1
        return _Tree("")
    counter["pred_tree"] += len(tree)
    counter["well-formed"] += 1
    return tree


def _spots(tree: _Tree, schema: Schema, text: str | None) -> list[Spot]:
    types, roles = frozenset(schema.types), frozenset(schema.roles)
    found = []
    for spot_tree in tree.trees:
        spot = _kept(spot_tree, types, text)
        if spot is not None:
            fillers = (_kept(role_tree, roles, text) for role_tree in spot_tree.trees)
            found.append(Spot(*spot, [filler for filler in fillers if filler is not None]))
    return found


def _kept(tree: _Tree, labels: Collection[str], text: str | None) -> tuple[str, str] | None:
    """Return label and span of a tree, or None if it is dropped."""
    label, span = tree.labelled_span()
    if not len(tree) or label not in labels or span == NULL_SPAN:
        return None
    if text is not None:
        span = complete(span, text)
        if span not in text:
            return None
    return label, span


def read_gold(
    answer: str, schema: Schema, text: str | None = None, counter: Counter[str] | None = None
) -> list[Spot]:
    """Read a gold answer.

    Parameters
    ----------
    answer : str
        The answer in the structured extraction language.
    schema : Schema
        The types and roles that are kept.
    text : str, optional
        The text; spans that do not occur in the text are dropped.
    counter : Counter, optional
        Is updated with the number of trees, and whether brackets had to be added.

    Returns
    -------
    list of Spot
        The spans with their associations.

    Raises
    ------
    ValueError
        If the answer is not well-formed, even with closing brackets at the end.

    Examples
    --------
    >>> answer = "<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_1> <extra_id_1>"
    >>> read_gold(answer, Schema(types=["person"]))
    [Spot(type='person', span='Anna', roles=[])]
    """
    return _spots(_gold_tree(answer, Counter() if counter is None else counter), schema, text)


def read_pred(
    answer: str, schema: Schema, text: str | None = None, counter: Counter[str] | None = None
) -> list[Spot]:
    """Read a predicted answer.

    Parameters
    ----------
    answer : str
        Any text. Text before the first marker, and after the bracket that closes the first one, is ignored; missing
        closing brackets are added.
    schema : Schema
        The types and roles that are kept.
    text : str, optional
        The text; spans that do not occur in the text are dropped.
    counter : Counter, optional
        Is updated with the number of trees, and whether the answer was ``well-formed``, ``ill-formed`` or ``fixed``.

    Returns
    -------
    list of Spot
        The spans with their associations; empty if the answer is not well-formed.

    Examples
    --------
    >>> schema = Schema(types=["person"], roles=["work for"])
    >>> answer = "So: <extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_0> work for <extra_id_5> Acme"
    >>> read_pred(answer, schema)
    [Spot(type='person', span='Anna', roles=[('work for', 'Acme')])]
    """
    return _spots(_pred_tree(answer, Counter() if counter is None else counter), schema, text)


def items(
    answer: str, schema: Schema, text: str | None = None
) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """Return the items of a gold answer that are compared.

    Parameters
    ----------
    answer : str
        The answer in the structured extraction language.
    schema : Schema
        The types and roles that are kept.
    text : str, optional
        The text; spans that do not occur in the text are dropped.

    Returns
    -------
    list of (str, str), list of (str, str, str)
        Types and spans; types, roles and spans of the associations.

    Raises
    ------
    ValueError
        If the answer is not well-formed, even with closing brackets at the end.

    Examples
    --------
    >>> answer = "<extra_id_0> <extra_id_0> person <extra_id_5> Anna <extra_id_1> <extra_id_1>"
    >>> items(answer, Schema(types=["person"]))
    ([('person', 'Anna')], [])
    """
    return spots_and_roles(read_gold(answer, schema, text))


def spots_and_roles(spots: Iterable[Spot]) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """Return types and spans, and types, roles and spans of the associations."""
    spots = list(spots)
    roles = [(spot.type, role, span) for spot in spots for role, span in spot.roles]
    return [(spot.type, spot.span) for spot in spots], roles
