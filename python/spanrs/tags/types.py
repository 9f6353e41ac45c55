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

#: Id of ignored tokens, as in Hugging Face and PyTorch.
IGNORE_INDEX = -100


def as_ignore_index(ignore_index: object) -> int:
    """Return ``ignore_index`` as an int.

    Raises
    ------
    TypeError
        For values other than integers.
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
    """Indices of the tokens if the span is discontinuous; otherwise None."""


class Dialect(NamedTuple):
    """Spelling of tags.

    Examples
    --------
    >>> from spanrs import tags
    >>> tags.tags_to_spans(["PER_B", "PER_I"], dialect=tags.Dialect(separator="_", suffix=True))
    [Span(type='PER', start=0, end=2, tokens=None)]
    """

    separator: str = "-"
    """Separator between prefix and type: the first occurrence in the tag, or the last occurrence with ``suffix``."""
    suffix: bool = False
    """Whether the prefix follows the type: ``PER-B``."""
    bare_is_type: bool = False
    """Whether ``B`` without a type has the type ``B`` (as in iobes) instead of ``_``."""
    unknown_is_outside: bool = False
    """Whether tags with unknown prefixes are read as ``O`` without a violation (as in iobes)."""


class Reader(NamedTuple):
    """Settings for reading tags."""

    scheme: str
    reading: str = "conlleval"
    dialect: Dialect = Dialect()
    pred_scheme: str | None = None
    """The scheme of pred, if it differs from the scheme of gold."""


class Converter(NamedTuple):
    """Settings for converting tags."""

    source: str
    target: str
    reading: str | None = None
    """How malformed tags are read; with None, malformed tags are an error."""
    dialect: Dialect = Dialect()


#: Spelling of tags in iobes.
IOBES_DIALECT = Dialect(bare_is_type=True, unknown_is_outside=True)


class Scheme(NamedTuple):
    """A tagging scheme: the prefixes, and the span boundaries that they imply."""

    name: str
    """Name of the scheme."""
    prefixes: tuple[tuple[str, str, str], ...]
    """(letter, begins, ends) of each prefix. A span ``always`` or ``never`` begins (ends) at the tag; with ``auto``, a
    span begins (ends) unless the neighbouring tag belongs to the same span; with ``contact``, a span always begins
    (ends), and the tag is legal only next to a span of the same type."""


def schemes() -> list[Scheme]:
    """Return all schemes.

    Returns
    -------
    list of Scheme
        The schemes, in the order of preference for detection.

    Examples
    --------
    >>> from spanrs import tags
    >>> [scheme.name for scheme in tags.schemes()]
    ['BIO', 'IOB', 'IOE2', 'IOE1', 'IOBES', 'BILOU', 'BMES', 'BMEWO', 'IO', 'TOKEN']
    """
    return [Scheme(name, tuple(prefixes)) for name, prefixes in _spanrs.schemes()]


def is_auto(scheme: str) -> bool:
    """Return whether the scheme should be detected."""
    return scheme.strip().lower() == "auto"


def as_vocabulary(vocabulary: Vocabulary) -> list[str]:
    """Return the tags in the order of their ids, from a list, label2id or id2label.

    Raises
    ------
    TypeError
        For values of other types, and for items that are not str.
    ValueError
        For ids that are not 0, 1, 2, ...

    Warns
    -----
    spanrs.errors.SpanrsWarning
        If several ids have the same tag, which is rarely intended.
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
    """Return advice if the labels are a ``ClassLabel`` of Hugging Face datasets, or a list of ``ClassLabel``."""
    for attribute in ("", ".feature", ".feature.feature"):
        try:
            names = operator.attrgetter(f"{attribute}.names".removeprefix("."))(labels)
        except AttributeError:
            continue
        if isinstance(names, (list, tuple)):
            return f"; pass its {attribute}.names"
    return ""


def _checked_tags(tags: list[str]) -> list[str]:
    """Return the tags of a vocabulary; refuse items that are not str, and warn if two ids have the same tag."""
    ids: dict[str, int] = {}
    for number, tag in enumerate(tags):
        if not isinstance(tag, str):
            message = f"a vocabulary must contain only str, but item {number} is {tag!r}"
            raise TypeError(message + _names_advice(tag))
        check_text(tag, f"item {number} of the vocabulary")
        first = ids.setdefault(tag, number)
        if first != number:
            warn([f"the vocabulary contains the tag {tag!r} twice, for the ids {first} and {number}"])
    return tags


def _id(number: object) -> int:
    """Return the id of a tag; in JSON, keys that are numbers become strings."""
    if isinstance(number, str) and number.strip().isdecimal():
        return int(number)
    try:
        return operator.index(number)  # type: ignore[arg-type]  # TypeError is handled
    except TypeError:
        message = f"the ids of a vocabulary must be integers, not {number!r}"
        raise TypeError(message) from None


def is_batch(data: object) -> bool:
    """Return whether the data is several sentences; the first item of a single sentence is a str."""
    if isinstance(data, str):
        return False
    if not isinstance(data, Sequence):
        message = f"expected a list of tags or of lists of tags, not {type(data).__name__}"
        raise TypeError(message)
    return len(data) > 0 and not isinstance(data[0], str)
