"""Legal transitions between tags.

``start`` and ``end`` are the names of the sentence boundaries: nothing may precede a start or follow an end.
Transitions are listed in the order of the tags, then start, then end.
"""

# ruff: noqa: F403, F405 (iobes has those names here too)
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from spanrs import _spanrs
from spanrs.compat._naming import export, named
from spanrs.compat.iobes.spans import *
from spanrs.compat.iobes.utils import extract_function, extract_type
from spanrs.tags import IOBES_DIALECT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


_Tags: TypeAlias = Iterable[str]
_GO, _EOS = TokenFunction.GO, TokenFunction.EOS


class Transition(NamedTuple):
    """Whether ``target`` may follow ``source``."""

    source: str
    target: str
    valid: bool


class TransitionsCallable(Protocol):
    """Type of the functions that list the transitions of one encoding."""

    def __call__(self, tags: _Tags, start: str = _GO, end: str = _EOS) -> list[Transition]:
        """List the transitions."""


def transitions_legality(
    tags: _Tags, span_type: SpanEncoding, start: str = _GO, end: str = _EOS
) -> list[Transition]:
    """List the legality of all transitions; for TOKEN see :func:`token_transitions_legality`.

    Examples
    --------
    >>> found = transitions_legality(["O", "B-A", "I-A"], SpanEncoding.BIO)
    >>> [transition.target for transition in found if transition.source == "O" and transition.valid]
    ['O', 'B-A', '<EOS>']
    """
    listing = _BY_ENCODING.get(id(span_type))
    if listing is None:
        raise ValueError(f"Unknown SpanEncoding Scheme, got: `{span_type}`")
    return listing(tags, start, end)


def token_transitions_legality(tags: _Tags, start: str = _GO, end: str = _EOS) -> list[Transition]:
    """List the legality of transitions between tags without prefixes: any tag may follow any other.

    Pairs of different tags are listed first, then for each tag the pairs with itself and with the boundaries. Pairs of
    two boundaries are not listed.
    """
    names = list(tags)
    transitions = [(before, behind, True) for before, behind in permutations(names, 2)]
    for tag in names:
        transitions += [(tag, tag, True), (start, tag, True), (tag, start, False)]
        transitions += [(tag, end, True), (end, tag, False)]
    return [Transition(*row) for row in transitions]


def with_end_transitions_legality(
    tags: _Tags, span_format: type[SpanFormat], start: str = _GO, end: str = _EOS
) -> list[Transition]:
    """List the legality of transitions in any format with prefixes for last tokens and for single tokens."""
    letters = (span_format.BEGIN, span_format.INSIDE, span_format.END, span_format.SINGLE)
    return _list("IOBES", letters, tags, start, end)


def _list(
    scheme: str, letters: Sequence[str | None], tags: _Tags, start: str, end: str
) -> list[Transition]:
    """List the transitions of a scheme whose prefixes are replaced by ``letters``.

    The names of the boundaries are parsed as tags, as in iobes: no span can end before an end called ``E-ND``.
    """
    names = [*tags, start, end]
    functions = [extract_function(name) for name in names]
    # The matrix only accepts tags with the letters of the scheme and numbered types.
    replacements: dict[str | None, str] = {}
    for written, (letter, *_) in zip(letters, dict(_spanrs.schemes())[scheme], strict=True):
        replacements.setdefault(written, letter)
    replacements.setdefault(TokenFunction.OUTSIDE, TokenFunction.OUTSIDE)
    numbers: dict[str, int] = {}
    types = [numbers.setdefault(extract_type(name), len(numbers)) for name in names]
    plain = [f"{replacements.get(f, '?')}-{number}" for f, number in zip(functions, types, strict=True)]
    legal = _spanrs.legal(scheme, plain, IOBES_DIALECT)
    side = len(names) + 1
    transitions: list[Transition] = []
    for at, name in enumerate(names):
        # The last row of the matrix contains the transitions from the start.
        row = len(names) if name == start else at
        valid = [False] * len(names) if name == end else legal[row * side : row * side + side - 1]
        # After a first token, iobes compares the name of the end with the prefix of the next tag; after an inner token,
        # with the whole next tag.
        open_at = {"B": functions, "I": names}.get(plain[at][0], [])
        open_at = open_at if scheme == "IOBES" and name not in (start, end) else []
        for place, behind in enumerate(open_at):
            valid[place] = valid[place] and behind != end
        for behind, is_valid in zip(names, valid, strict=True):
            transitions.append(Transition(name, behind, is_valid and behind != start))
    return transitions


#: Identity of an encoding -> the function that lists its transitions.
_BY_ENCODING: dict[int, TransitionsCallable] = {id(SpanEncoding.TOKEN): token_transitions_legality}


def _legality(name: str, scheme: str, letters: str) -> TransitionsCallable:
    def listing(tags: _Tags, start: str = _GO, end: str = _EOS) -> list[Transition]:
        return _list(scheme, letters, tags, start, end)

    _BY_ENCODING[id(SpanEncoding[name.upper()])] = listing
    summary = f"List the legality of {name.upper()} transitions, like :func:`transitions_legality`."
    gives = "Transition(source='O', target='O', valid=True)"
    return named(listing, f"{name}_transitions_legality", summary, '(["O"])[0]', gives)


iob_transitions_legality = _legality("iob", "IOB", "BI")
bio_transitions_legality = _legality("bio", "BIO", "BI")
iobes_transitions_legality = _legality("iobes", "IOBES", "BIES")
bilou_transitions_legality = _legality("bilou", "IOBES", "BILU")
bmeow_transitions_legality = bmewo_transitions_legality = _legality("bmeow", "IOBES", "BMEW")


def transitions_to_tuple_map(transitions: Iterable[Transition]) -> dict[tuple[str, str], bool]:
    """Return transitions as a dictionary from (source, target) to validity."""
    return {(source, target): valid for source, target, valid in transitions}


def transitions_to_map(transitions: Iterable[Transition]) -> dict[str, dict[str, bool]]:
    """Return transitions as a dictionary of dictionaries: ``result[source][target]``."""
    nested: dict[str, dict[str, bool]] = {}
    for source, target, valid in transitions:
        nested.setdefault(source, {})[target] = valid
    return nested


def transitions_to_mask(
    transitions: Iterable[Transition], vocabulary: Mapping[str, int]
) -> npt.NDArray[np.float64]:
    """Return a matrix with 1 where the tag of the column may follow the tag of the row, else 0."""
    import numpy as np

    mask = np.zeros((len(vocabulary), len(vocabulary)))
    for source, target, valid in transitions:
        if valid:
            mask[vocabulary[source], vocabulary[target]] = 1
    return mask


export(globals())
