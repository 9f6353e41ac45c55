"""Which tag may follow which.

The two borders of a sentence are named by ``start`` and ``end``: nothing may come before a start or follow
an end. Transitions are listed in the order of the tags, then start, then end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanrs import _spanrs
from spanrs.compat.iobes.formats import BILOU, BIO, BMEOW, IOB, IOBES, SpanFormat, TokenFunction
from spanrs.compat.iobes.naming import named
from spanrs.compat.iobes.utils import extract_function, extract_type
from spanrs.compat.iobes.words import SpanEncoding
from spanrs.tags import IOBES_DIALECT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "BILOU",
    "BIO",
    "BMEOW",
    "IOB",
    "IOBES",
    "SpanEncoding",
    "SpanFormat",
    "TokenFunction",
    "Transition",
    "TransitionsCallable",
    "bilou_transitions_legality",
    "bio_transitions_legality",
    "bmeow_transitions_legality",
    "bmewo_transitions_legality",
    "extract_function",
    "extract_type",
    "iob_transitions_legality",
    "iobes_transitions_legality",
    "token_transitions_legality",
    "transitions_legality",
    "transitions_to_map",
    "transitions_to_mask",
    "transitions_to_tuple_map",
    "with_end_transitions_legality",
]


class Transition(NamedTuple):
    """Whether one tag may follow another."""

    source: str
    """The tag before."""
    target: str
    """The tag behind."""
    valid: bool
    """Whether the encoding allows it."""


class TransitionsCallable(Protocol):
    """What lists the transitions of one encoding."""

    def __call__(
        self, tags: Iterable[str], start: str = TokenFunction.GO, end: str = TokenFunction.EOS
    ) -> list[Transition]:
        """List the transitions."""


_TAKES = """tags : iterable of str
    All tags; usually a set.
start, end : str
    How the two borders of a sentence are called."""
_GIVES = "list of Transition\n    In the order of the tags, then start, then end, on both sides."


def transitions_legality(
    tags: Iterable[str],
    span_type: SpanEncoding,
    start: str = TokenFunction.GO,
    end: str = TokenFunction.EOS,
) -> list[Transition]:
    """List which tag may follow which.

    Parameters
    ----------
    tags : iterable of str
        All tags; usually a set.
    span_type : SpanEncoding
        Their encoding.
    start, end : str
        How the two borders of a sentence are called.

    Returns
    -------
    list of Transition
        In the order of the tags, then start, then end, on both sides. For TOKEN see
        :func:`token_transitions_legality`.

    Raises
    ------
    ValueError
        For what is no encoding.

    Notes
    -----
    Source: iobes, ``transitions_legality``.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> found = iobes.transitions_legality(["O", "B-A", "I-A"], iobes.SpanEncoding.BIO)
    >>> [transition.target for transition in found if transition.source == "O" and transition.valid]
    ['O', 'B-A', '<EOS>']
    """
    listing = _BY_ENCODING.get(id(span_type))
    if listing is None:
        message = f"Unknown SpanEncoding Scheme, got: `{span_type}`"
        raise ValueError(message)
    return listing(tags, start, end)


def token_transitions_legality(
    tags: Iterable[str], start: str = TokenFunction.GO, end: str = TokenFunction.EOS
) -> list[Transition]:
    """List which tag may follow which where tags have no prefixes: any may follow any.

    Parameters
    ----------
    tags, start, end
        As for :func:`transitions_legality`.

    Returns
    -------
    list of Transition
        First all pairs of different tags, then for each tag: itself after itself, after the start, before
        the start, before the end, after the end. No pair has two borders.

    Examples
    --------
    >>> from spanrs.compat.iobes.transition import token_transitions_legality
    >>> [(t.source, t.target, t.valid) for t in token_transitions_legality(["NN"])][:3]
    [('NN', 'NN', True), ('<GO>', 'NN', True), ('NN', '<GO>', False)]
    """
    names = list(tags)
    found = [Transition(before, behind, True) for before, behind in permutations(names, 2)]
    for tag in names:
        found += [
            Transition(tag, tag, True),
            Transition(start, tag, True),
            Transition(tag, start, False),
            Transition(tag, end, True),
            Transition(end, tag, False),
        ]
    return found


def with_end_transitions_legality(
    tags: Iterable[str],
    span_format: type[SpanFormat],
    start: str = TokenFunction.GO,
    end: str = TokenFunction.EOS,
) -> list[Transition]:
    """List which tag may follow which in any format with prefixes for last and for only tokens.

    Parameters
    ----------
    tags, start, end
        As for :func:`transitions_legality`.
    span_format : subclass of SpanFormat
        The prefixes.

    Returns
    -------
    list of Transition
        In the order of the tags, then start, then end, on both sides.

    Examples
    --------
    >>> from spanrs.compat.iobes import transition
    >>> found = transition.with_end_transitions_legality(["O", "B-A"], transition.BILOU)
    >>> found[4]
    Transition(source='B-A', target='O', valid=False)
    """
    letters = (span_format.BEGIN, span_format.INSIDE, span_format.END, span_format.SINGLE)
    return _list("IOBES", letters, tags, start, end)


def _list(
    scheme: str, letters: tuple[str | None, ...], tags: Iterable[str], start: str, end: str
) -> list[Transition]:
    """List the transitions of a scheme whose own prefixes are written as `letters`.

    The names of the borders are read as tags, as iobes reads them: a span cannot end before an end called
    ``E-ND``.
    """
    names = [*tags, start, end]
    functions = [extract_function(name) for name in names]
    # Stand-ins with the letters of the scheme and with numbered types; the matrix knows no other text.
    own: dict[str | None, str] = {}
    for written, letter in zip(letters, _scheme_letters(scheme), strict=True):
        own.setdefault(written, letter)
    own.setdefault(TokenFunction.OUTSIDE, TokenFunction.OUTSIDE)
    numbers: dict[str, int] = {}
    types = [numbers.setdefault(extract_type(name), len(numbers)) for name in names]
    stand_ins = [f"{own.get(f, '?')}-{number}" for f, number in zip(functions, types, strict=True)]
    legal = _spanrs.legal(scheme, stand_ins, IOBES_DIALECT)
    side = len(names) + 1
    never = [False] * len(names)
    starts = [at for at, name in enumerate(names) if name == start]
    found: list[Transition] = []
    for at, name in enumerate(names):
        # The last row of the matrix is the start.
        row = len(names) if name == start else at
        valid = never.copy() if name == end else legal[row * side : row * side + side - 1]
        if scheme == "IOBES" and name not in (start, end):
            for place in _unclosed(stand_ins[at], names, functions, end):
                valid[place] = False
        for place in starts:
            valid[place] = False
        found += map(Transition, [name] * len(names), names, valid)
    return found


def _scheme_letters(scheme: str) -> tuple[str, ...]:
    """Give the prefixes of a scheme of spanrs."""
    return tuple(letter for letter, *_ in dict(_spanrs.schemes())[scheme])


def _unclosed(before: str, names: list[str], functions: list[str], end: str) -> list[int]:
    """Give the places of the ends that may not follow a tag, because it leaves a span open.

    Behind a first token iobes compares the end with the prefix of a tag, behind an inner one with the tag.
    """
    if before.startswith("B-"):
        return [at for at, function in enumerate(functions) if function == end]
    if before.startswith("I-"):
        return [at for at, name in enumerate(names) if name == end]
    return []


def _legality(name: str, scheme: str, letters: tuple[str | None, ...]) -> TransitionsCallable:
    def listing(
        tags: Iterable[str], start: str = TokenFunction.GO, end: str = TokenFunction.EOS
    ) -> list[Transition]:
        return _list(scheme, letters, tags, start, end)

    public = f"{name}_transitions_legality"
    return named(
        listing,
        public,
        f"List which {name.upper()} tag may follow which, as :func:`transitions_legality` does.",
        takes=_TAKES,
        gives=_GIVES,
        example=f"""
        >>> from spanrs.compat.iobes.transition import {public}
        >>> {public}(["O"])[0]
        Transition(source='O', target='O', valid=True)
        """,
    )


def _with_end(span_format: type[SpanFormat]) -> tuple[str | None, ...]:
    return span_format.BEGIN, span_format.INSIDE, span_format.END, span_format.SINGLE


iob_transitions_legality = _legality("iob", "IOB", ("B", "I"))
bio_transitions_legality = _legality("bio", "BIO", ("B", "I"))
iobes_transitions_legality = _legality("iobes", "IOBES", _with_end(IOBES))
bilou_transitions_legality = _legality("bilou", "IOBES", _with_end(BILOU))
bmeow_transitions_legality = bmewo_transitions_legality = _legality("bmeow", "IOBES", _with_end(BMEOW))

_BY_ENCODING: dict[int, TransitionsCallable] = {
    id(SpanEncoding.BILOU): bilou_transitions_legality,
    id(SpanEncoding.BIO): bio_transitions_legality,
    id(SpanEncoding.BMEOW): bmeow_transitions_legality,
    id(SpanEncoding.IOB): iob_transitions_legality,
    id(SpanEncoding.IOBES): iobes_transitions_legality,
    id(SpanEncoding.TOKEN): token_transitions_legality,
}


def transitions_to_tuple_map(transitions: Iterable[Transition]) -> dict[tuple[str, str], bool]:
    """Give transitions as a dictionary of pairs.

    Parameters
    ----------
    transitions : iterable of Transition
        What :func:`transitions_legality` gave.

    Returns
    -------
    dict of (str, str) to bool
        Whether the second may follow the first.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.transitions_to_tuple_map(iobes.bio_transitions_legality(["O", "I-A"]))["O", "I-A"]
    False
    """
    return {(source, target): valid for source, target, valid in transitions}


def transitions_to_map(transitions: Iterable[Transition]) -> dict[str, dict[str, bool]]:
    """Give transitions as a dictionary of dictionaries.

    Parameters
    ----------
    transitions : iterable of Transition
        What :func:`transitions_legality` gave.

    Returns
    -------
    dict of dict of bool
        ``result[before][behind]``.

    Examples
    --------
    >>> from spanrs.compat import iobes
    >>> iobes.transitions_to_map(iobes.bio_transitions_legality(["O", "I-A"]))["I-A"]["O"]
    True
    """
    nested: dict[str, dict[str, bool]] = {}
    for source, target, valid in transitions:
        nested.setdefault(source, {})[target] = valid
    return nested


def transitions_to_mask(
    transitions: Iterable[Transition], vocabulary: Mapping[str, int]
) -> npt.NDArray[np.float64]:
    """Give transitions as an array.

    Parameters
    ----------
    transitions : iterable of Transition
        What :func:`transitions_legality` gave.
    vocabulary : mapping of str to int
        The place of each tag, start and end.

    Returns
    -------
    array of float64, shape (tags, tags)
        1 where the tag of the column may follow the tag of the row, else 0.

    Raises
    ------
    KeyError
        For a tag that is not in the vocabulary and has a legal transition.

    Examples
    --------
    >>> from spanrs.compat.iobes.transition import bio_transitions_legality, transitions_to_mask
    >>> found = bio_transitions_legality(["O", "I-A"])
    >>> transitions_to_mask(found, {"O": 0, "I-A": 1, "<GO>": 2, "<EOS>": 3})[0].tolist()
    [1.0, 0.0, 0.0, 1.0]
    """
    import numpy as np

    mask = np.zeros((len(vocabulary), len(vocabulary)))
    for source, target, valid in transitions:
        if valid:
            mask[vocabulary[source], vocabulary[target]] = 1
    return mask
