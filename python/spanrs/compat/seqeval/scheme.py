"""Schemes, and the spans of strict mode (seqeval.scheme).

The classes are the interface of seqeval, which supports custom schemes: a :class:`Token` and three sets of patterns.
For the schemes defined here, scoring uses the tables of the compiled module instead, with the same result.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from spanrs import _spanrs
from spanrs.compat._naming import export
from spanrs.tags.types import Dialect, Reader


class Prefix(enum.Flag):
    """The prefixes of all schemes."""

    I = enum.auto()  # noqa: E741
    O = enum.auto()  # noqa: E741
    B = enum.auto()
    E = enum.auto()
    S = enum.auto()
    U = enum.auto()
    L = enum.auto()
    ANY = I | O | B | E | S | U | L


#: Letter to prefix.
Prefixes: dict[str, Prefix] = dict(Prefix.__members__)


class Tag(enum.Flag):
    """Required relation between the types of adjacent tags."""

    SAME = enum.auto()
    DIFF = enum.auto()
    ANY = SAME | DIFF


Sequences: TypeAlias = Iterable[Iterable[str]]
Pattern: TypeAlias = tuple[Prefix, Prefix, Tag]


def _letters(letters: str) -> Prefix:
    """Return the prefixes for a string of letters; ``*`` means any prefix."""
    prefix = Prefix(0)
    for letter in letters:
        prefix |= Prefix.ANY if letter == "*" else Prefixes[letter]
    return prefix


_TYPES = {"=": Tag.SAME, "!": Tag.DIFF, ".": Tag.ANY}


def _patterns(words: str) -> set[Pattern]:
    """Parse patterns such as ``BI=``: the previous letter, the current letter, and the relation of their types."""
    return {(_letters(word[0]), _letters(word[1]), _TYPES[word[2]]) for word in words.split()}


class Token:
    """A tag with its prefix, which is the first character (with ``suffix`` the last), and its type.

    ``delimiter`` is stripped from both ends of the type. A subclass is a scheme: the allowed prefixes, and the patterns
    of adjacent tags between which a span begins, continues or ends.
    """

    allowed_prefix: Prefix = None  # type: ignore[assignment]
    start_patterns: Collection[Pattern] = None  # type: ignore[assignment]
    inside_patterns: Collection[Pattern] = None  # type: ignore[assignment]
    end_patterns: Collection[Pattern] = None  # type: ignore[assignment]

    def __init_subclass__(cls, allowed: str = "", start: str = "", inside: str = "", end: str = "") -> None:
        """Set the class attributes of a scheme given as text; see :func:`_patterns`."""
        super().__init_subclass__()
        if allowed:
            cls.allowed_prefix = _letters(allowed)
            cls.start_patterns, cls.inside_patterns, cls.end_patterns = map(_patterns, (start, inside, end))

    def __init__(self, token: str, suffix: bool = False, delimiter: str = "-") -> None:
        self.token = token
        letter, rest = (token[-1], token[:-1]) if suffix else (token[0], token[1:])
        self.prefix = Prefixes[letter]
        self.tag = rest.strip(delimiter) or "_"

    def __repr__(self) -> str:
        return self.token

    def is_valid(self) -> bool:
        """Return True, or raise ValueError if the prefix is not in the scheme."""
        if self.prefix in self.allowed_prefix:
            return True
        allowed = str(self.allowed_prefix).replace("Prefix.", "")
        raise ValueError(f"Invalid token is found: {self.token}. Allowed prefixes are: {allowed}.")

    def is_start(self, prev: Token) -> bool:
        """Return whether a span begins at this token."""
        return self.check_patterns(prev, self.start_patterns)

    def is_inside(self, prev: Token) -> bool:
        """Return whether the span of the previous token continues."""
        return self.check_patterns(prev, self.inside_patterns)

    def is_end(self, prev: Token) -> bool:
        """Return whether the span of the previous token ended at the previous token."""
        return self.check_patterns(prev, self.end_patterns)

    def check_tag(self, prev: Token, cond: Tag) -> bool:
        """Return whether the types of this token and the previous token satisfy a relation."""
        return cond in (Tag.ANY, Tag.SAME if prev.tag == self.tag else Tag.DIFF)

    def check_patterns(self, prev: Token, patterns: Iterable[Pattern]) -> bool:
        """Return whether any of the patterns matches."""
        return any(
            prev.prefix in before and self.prefix in here and self.check_tag(prev, types)
            for before, here, types in patterns
        )


class IOB1(
    Token, allowed="IOB", start="OI. II! BI. IB= BB=", inside="BI= II=", end="II! IO. IB. BO. BI! BB="
):
    """``I`` for all tokens, except ``B`` at the start of a span directly after a span of the same type."""


class IOE1(Token, allowed="IOE", start="OI. II! EI. EE=", inside="II= IE=", end="II! IO. IE! EI= EE="):
    """``I`` for all tokens, except ``E`` at the end of a span directly before a span of the same type."""


class IOB2(Token, allowed="IOB", start="*B.", inside="BI= II=", end="IO. II! IB. BO. BI! BB."):
    """``B`` begins every span."""


class IOE2(Token, allowed="IOE", start="OI. OE. EI. EE. II! IE!", inside="IE= II=", end="E*."):
    """``E`` ends every span."""


class IOBES(Token, allowed="IOBES", start="*B. *S.", inside="BI= BE= II= IE=", end="S*. E*."):
    """``B`` begins, ``E`` ends, ``S`` is a span of one token."""


class BILOU(Token, allowed="BILOU", start="*B. *U.", inside="BI= BL= II= IL=", end="U*. L*."):
    """``B`` begins, ``L`` ends, ``U`` is a span of one token."""


#: The schemes that the compiled module supports, by their names in that module.
CORE_SCHEMES: dict[str, type[Token]] = {"IOB": IOB1, "BIO": IOB2, "IOE1": IOE1, "IOE2": IOE2}
CORE_SCHEMES |= {"IOBES": IOBES, "BILOU": BILOU}


def core_name(scheme: object) -> str | None:
    """Return the name of a scheme in the compiled module; None for custom schemes, including subclasses."""
    return next((name for name, core_scheme in CORE_SCHEMES.items() if core_scheme is scheme), None)


def own_scheme(scheme: Any) -> Any:
    """Replace a scheme class of the original seqeval by the class of this module; return other values unchanged.

    A library imported before ``activate`` may pass seqeval's class to these functions.
    """
    if isinstance(scheme, type) and scheme.__module__ == "seqeval.scheme":
        return next((ours for ours in CORE_SCHEMES.values() if ours.__name__ == scheme.__name__), scheme)
    return scheme


def core_reads(tags: Iterable[str], scheme: type[Token], suffix: bool) -> bool:
    """Return whether the compiled module and seqeval read these tags in the same way.

    In the compiled module the prefix is everything before the separator, and types must not begin or end with a
    separator; other tags are read as ``O``, whereas strict mode raises.
    """
    letters = {name for name, prefix in Prefixes.items() if prefix in scheme.allowed_prefix and name != "O"}
    for tag in tags:
        if tag == "O":
            continue
        letter, rest = (tag[-1:], tag[:-1]) if suffix else (tag[:1], tag[1:])
        type_ = rest.strip("-")
        if letter not in letters or rest not in ("", f"{type_}-" if suffix else f"-{type_}"):
            return False
    return True


@dataclass(eq=False, repr=False)
class Entity:
    """A span in a sentence: ``start`` from 0, ``end`` exclusive, and the type ``tag``."""

    sent_id: int | None
    start: int
    end: int
    tag: str

    def __repr__(self) -> str:
        return f"({self.sent_id}, {self.tag}, {self.start}, {self.end})"

    def __eq__(self, other: object) -> bool:
        return self.to_tuple() == other.to_tuple() if isinstance(other, Entity) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_tuple())

    def to_tuple(self) -> tuple[int | None, str, int, int]:
        """Return sentence, type, start and end."""
        return self.sent_id, self.tag, self.start, self.end


class Tokens:
    """The tags of a sentence in a scheme; ``suffix`` and ``delimiter`` are the same as for :class:`Token`."""

    def __init__(
        self,
        tokens: Iterable[str],
        scheme: type[Token],
        suffix: bool = False,
        delimiter: str = "-",
        sent_id: int | None = None,
    ) -> None:
        self.outside_token = scheme("O", suffix=suffix, delimiter=delimiter)
        self.tokens = [scheme(token, suffix=suffix, delimiter=delimiter) for token in tokens]
        self.extended_tokens = [*self.tokens, self.outside_token]
        self.sent_id = sent_id

    @property
    def entities(self) -> list[Entity]:
        """The well-formed spans; raises ValueError for a prefix that is not in the scheme."""
        row, spans = self.extended_tokens, []
        at, before = 0, self.outside_token
        while at < len(row):
            here, end = row[at], at + 1
            here.is_valid()
            if here.is_start(before):
                while end < len(row) and row[end].is_inside(row[end - 1]):
                    end += 1
                # If a custom pattern matches `O` inside a span, the span never ends.
                end = end if end < len(row) else len(self.tokens) - 1
                if row[end].is_end(row[end - 1]):
                    spans.append(Entity(self.sent_id, at, end, here.tag))
            at = max(end, at + 1)
            before = row[at - 1]
        return spans


class Entities:
    """The spans of many sentences, as lists in ``entities``.

    Examples
    --------
    >>> Entities([["B-PER", "I-PER"], ["O", "B-LOC"]], IOB2).entities
    [[(0, PER, 0, 2)], [(1, LOC, 1, 2)]]
    """

    def __init__(
        self, sequences: Sequences, scheme: type[Token], suffix: bool = False, delimiter: str = "-"
    ) -> None:
        read = _read(sequences, scheme, suffix) if delimiter == "-" else None
        if read is None:
            rows = enumerate(sequences)
            self.entities = [Tokens(row, scheme, suffix, delimiter, at).entities for at, row in rows]
        else:
            sentences = enumerate(read)
            self.entities = [
                [Entity(at, start, end, tag) for tag, start, end in row] for at, row in sentences
            ]

    def filter(self, tag_name: str) -> set[Entity]:
        """Return the spans of a type."""
        return {entity for entity in chain(*self.entities) if entity.tag == tag_name}

    @property
    def unique_tags(self) -> set[str]:
        """The types of all spans."""
        return {entity.tag for entity in chain(*self.entities)}


def _read(sequences: Any, scheme: type[Token], suffix: bool) -> list[list[tuple[str, int, int]]] | None:
    """Read sentences in the compiled module; None if the result may differ from the result of :class:`Tokens`."""
    name = core_name(scheme)
    if name is None or not _spanrs.same_shape(sequences, sequences):
        return None
    # Token raises the error for tags that are not strings or not valid text.
    with contextlib.suppress(TypeError, ValueError):
        if core_reads(_spanrs.distinct_tags(sequences), scheme, suffix):
            reader = Reader(name, "seqeval-strict", Dialect(suffix=bool(suffix)))
            return _spanrs.read_spans_batch(sequences, reader)
    return None


#: Scheme, required prefixes, further allowed prefixes. If all spans in a corpus have one token, only the prefix for
#: single tokens occurs.
_DETECTED: tuple[tuple[type[Token], str, str], ...] = (
    (IOB2, "B", "IO"),
    (IOE2, "E", "IO"),
    (IOBES, "BE", "IOS"),
    (IOBES, "S", ""),
    (BILOU, "BL", "IOU"),
    (BILOU, "U", ""),
)


def auto_detect(sequences: Sequences, suffix: bool = False, delimiter: str = "-") -> type[Token]:
    """Detect the scheme of tags from the set of their prefixes: IOB2, IOE2, IOBES or BILOU."""
    prefixes: set[Prefix] = set()
    tags: Iterable[str] = chain.from_iterable(sequences)
    if _spanrs.same_shape(sequences, sequences):
        # The distinct tags are in the order of their first occurrence.
        with contextlib.suppress(TypeError, ValueError):
            tags = _spanrs.distinct_tags(sequences)
    for token in tags:
        try:
            prefixes.add(Token(token, suffix=suffix, delimiter=delimiter).prefix)
        except KeyError:
            raise ValueError(f"This scheme is not supported: {token}") from None
    for scheme, needed, allowed in _DETECTED:
        must = {Prefixes[letter] for letter in needed}
        if must <= prefixes <= must | {Prefixes[letter] for letter in allowed}:
            return scheme
    raise ValueError(f"This scheme is not supported: {prefixes}")


export(globals(), also=("Prefixes",))
