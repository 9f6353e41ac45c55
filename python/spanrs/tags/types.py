"""Types of arguments and results."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from spanrs import _spanrs
from spanrs.errors import as_integer, check_text, warn

Tags: TypeAlias = Sequence[str]

#: The tag of each id: in order, or as label2id or id2label.
Vocabulary: TypeAlias = Sequence[str] | Mapping[str, int] | Mapping[int, str]

#: Id of tokens that are left out, as in Hugging Face and PyTorch.
IGNORE_INDEX = -100


def as_ignore_index(ignore_index: object) -> int:
    """Return ``ignore_index`` as an int.

    Raises
    ------
    TypeError
        For other values than integers.
    ValueError
        For integers below -2**63 or above 2**63 - 2. The largest 64-bit integer is reserved for larger ids.
    """
    return as_integer(ignore_index, "ignore_index", -(2**63), 2**63 - 2)


class Span(NamedTuple):
    """A labelled sequence of tokens."""

    type: str
    """The type."""
    start: int
    """First token, from 0."""
    end: int
    """One past the last token."""
    tokens: tuple[int, ...] | None = None
    """Indices of its tokens, only if the span is discontinuous."""


class Dialect(NamedTuple):
    """How tags are spelt.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.tags_to_spans(["PER_B", "PER_I"], dialect=tags.Dialect(separator="_", suffix=True))
    [Span(type='PER', start=0, end=2, tokens=None)]
    """

    separator: str = "-"
    """Separator between prefix and type: the first in the tag, with ``suffix`` the last."""
    suffix: bool = False
    """The prefix comes after the type: ``PER-B``."""
    bare_is_type: bool = False
    """``B`` without a type has the type ``B`` (as in iobes) instead of ``_``."""
    unknown_is_outside: bool = False
    """Tags with unknown prefixes are ``O`` and no violation (as in iobes)."""


class Reader(NamedTuple):
    """How tags are read."""

    scheme: str
    reading: str = "conlleval"
    dialect: Dialect = Dialect()
    pred_scheme: str | None = None
    """The scheme of pred, if it differs."""


class Converter(NamedTuple):
    """How tags are converted."""

    source: str
    target: str
    reading: str | None = None
    """None refuses malformed tags."""
    dialect: Dialect = Dialect()


#: How iobes spells tags.
IOBES_DIALECT = Dialect(bare_is_type=True, unknown_is_outside=True)


class Scheme(NamedTuple):
    """A tagging scheme: its prefixes, and where they put span boundaries."""

    name: str
    """Name of the scheme."""
    prefixes: tuple[tuple[str, str, str], ...]
    """(letter, begins, ends), each edge ``always``, ``never``, ``auto`` or ``contact``."""


def schemes() -> list[Scheme]:
    """All schemes.

    Returns
    -------
    list of Scheme
        In the order in which detection prefers them.

    Examples
    --------
    >>> from spanrs import tags
    >>> [scheme.name for scheme in tags.schemes()]
    ['BIO', 'IOB', 'IOE2', 'IOE1', 'IOBES', 'BILOU', 'BMES', 'BMEWO', 'IO', 'TOKEN']
    """
    return [Scheme(name, tuple(prefixes)) for name, prefixes in _spanrs.schemes()]


def is_auto(scheme: str) -> bool:
    """Return whether the scheme is to be detected."""
    return scheme.strip().lower() == "auto"


def as_vocabulary(vocabulary: Vocabulary) -> list[str]:
    """Return the tags in the order of their ids, from a list, label2id or id2label.

    Raises
    ------
    TypeError
        For other values, and items that are not str.
    ValueError
        For ids that are not 0, 1, 2, ...

    Warns
    -----
    spanrs.errors.SpanrsWarning
        If several ids have the same tag, which is rarely meant.
    """
    if isinstance(vocabulary, str):
        message = "a vocabulary must be a sequence of tags, not a str"
        raise TypeError(message)
    if isinstance(vocabulary, (set, frozenset)):
        message = "a vocabulary must be a sequence of tags, not a set, which has no order"
        raise TypeError(message)
    if not isinstance(vocabulary, Mapping):
        try:
            tags = list(vocabulary)
        except TypeError:
            message = (
                f"a vocabulary must be a sequence of tags or a mapping, not {type(vocabulary).__name__}"
            )
            raise TypeError(message + _names_advice(vocabulary)) from None
        return _checked_tags(tags)
    pairs = [(key, value) if isinstance(value, str) else (value, key) for key, value in vocabulary.items()]
    by_id = {_id(number): str(tag) for number, tag in pairs}
    if sorted(by_id) != list(range(len(pairs))):
        message = "the ids of a vocabulary must be 0, 1, 2, ... without gaps"
        raise ValueError(message)
    return _checked_tags([by_id[number] for number in range(len(by_id))])


def _names_advice(labels: object) -> str:
    """Return where the names are in a ``ClassLabel`` of Hugging Face datasets, or in a list of them."""
    for attribute in ("", ".feature", ".feature.feature"):
        try:
            names = operator.attrgetter(f"{attribute}.names".removeprefix("."))(labels)
        except AttributeError:
            continue
        if isinstance(names, (list, tuple)):
            return f"; pass its {attribute}.names"
    return ""


def _checked_tags(tags: list[str]) -> list[str]:
    """Return the tags of a vocabulary; refuse other items than str, and warn if two ids have the same tag."""
    ids: dict[str, int] = {}
    for number, tag in enumerate(tags):
        if not isinstance(tag, str):
            message = f"a vocabulary holds tags, each a str, and item {number} is {tag!r}"
            raise TypeError(message + _names_advice(tag))
        check_text(tag, f"item {number} of the vocabulary")
        first = ids.setdefault(tag, number)
        if first != number:
            warn([f"the vocabulary has the tag {tag!r} twice, for the ids {first} and {number}"])
    return tags


def _id(number: object) -> int:
    """Return the id of a tag; keys that are numbers become strings in JSON."""
    if isinstance(number, str) and number.strip().isdecimal():
        return int(number)
    try:
        return operator.index(number)  # type: ignore[arg-type]  # what has no index raises
    except TypeError:
        message = f"the ids of a vocabulary must be integers, not {number!r}"
        raise TypeError(message) from None


def is_batch(data: object) -> bool:
    """Return whether there are many sentences instead of one, whose first item is a str."""
    if isinstance(data, str):
        return False
    if not isinstance(data, Sequence):
        message = f"expected a list of tags or of lists of tags, not {type(data).__name__}"
        raise TypeError(message)
    return len(data) > 0 and not isinstance(data[0], str)
