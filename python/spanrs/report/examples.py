"""Entries of the error lists of a page, their JSON for ``page.js``, and the appearance of kinds of errors."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

#: Appearance (a class of ``page.css``) and sign of the kinds of errors; other kinds are neutral.
LOOKS: Mapping[str, tuple[str, str]] = {
    "match": ("ok", ""),
    "tp": ("ok", ""),
    "fn": ("lost", "−"),
    "missed": ("lost", "−"),
    "mistyped": ("label", "≠"),
    "leaked": ("lost", "−"),
    "over_masked": ("extra", "+"),
    "missed_type": ("label", "≠"),
    "extra_type": ("label", "≠"),
    "fixed": ("ok", "✓"),
    "broken": ("lost", "✗"),
    "removed": ("ok", "−"),
    "added": ("extra", "+"),
    "missing": ("lost", "−"),
    "bounds": ("bounds", "∩"),
    "type and bounds": ("two", "≠∩"),
    "estimate": ("other", "!"),
    "fp": ("extra", "+"),
    "spurious": ("extra", "+"),
    "le": ("label", "≠"),
    "type": ("label", "≠"),
    "tagclash": ("label", "≠"),
    "incorrect": ("label", "≠"),
    "bel": ("bounds", "⊃"),
    "overmark": ("bounds", "⊃"),
    "bes": ("bounds", "⊂"),
    "undermark": ("bounds", "⊂"),
    "beo": ("bounds", "∩"),
    "overlap": ("bounds", "∩"),
    "partial": ("bounds", "∩"),
    "boundary": ("bounds", "∩"),
    "lbe": ("two", "≠∩"),
    "tagplusovermark": ("two", "≠⊃"),
    "tagplusundermark": ("two", "≠⊂"),
    "tagplusoverlap": ("two", "≠∩"),
    "head": ("bounds", "↷"),
    "label": ("label", "≠"),
    "both": ("two", "≠↷"),
}
#: Characters that would end the script element with the data, or that some parsers treat as line ends.
_ESCAPED = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A span of one side of an example.

    Parameters
    ----------
    side : str
        "gold", "pred" or the name of a system.
    type : str
        Type of the span.
    start, end : int
        Token indices in the sentence; the end is exclusive.
    kind : str
        Outcome of the span, if it differs from the kind of the example. Marks of kind "match" are context: they are
        shown faintly and ignored by the filters by type.
    tokens : sequence of int, optional
        Tokens of a discontinuous span.
    note : str
        Note shown after the type, such as the head of a word; ignored by the filters by type.

    Examples
    --------
    >>> from spanrs.report.examples import Mark
    >>> Mark("gold", "PER", 3, 5).kind
    ''
    """

    side: str
    type: str
    start: int
    end: int
    kind: str = ""
    tokens: Sequence[int] | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """An entry of a list of errors: one error or several overlapping errors, with the tokens around them.

    Parameters
    ----------
    kind : str
        Kind of the error; of several errors, the kind of the first.
    sentence : int
        Number of the sentence, from 0; the page counts from 1.
    tokens : sequence of str
        The tokens to show.
    marks : sequence of Mark
        The spans of all sides.
    first : int
        Index in the sentence of the first token shown.
    line : int, optional
        Line of the file, from 1.
    document : str, optional
        Name of the document.
    sentence_tokens : int, optional
        Number of tokens in the sentence.
    outcomes : sequence of str
        The kind of each error of the entry, if it has several.
    starts : sequence of int
        Character offsets of the pieces in ``tokens``, if the marks are in characters; pieces are shown without spaces
        between them.

    Examples
    --------
    >>> from spanrs.report.examples import Example, Mark
    >>> marks = [Mark("gold", "PER", 0, 2), Mark("pred", "ORG", 0, 2)]
    >>> Example("le", 0, ["Ann", "Lee", "ran"], marks).first
    0
    """

    kind: str
    sentence: int
    tokens: Sequence[str]
    marks: Sequence[Mark]
    first: int = 0
    line: int | None = None
    document: str | None = None
    sentence_tokens: int | None = None
    outcomes: Sequence[str] = ()
    starts: Sequence[int] = ()

    @property
    def kinds(self) -> Sequence[str]:
        """The kind of each error of the entry."""
        return self.outcomes or (self.kind,)


def look(kind: str) -> tuple[str, str]:
    """Return the appearance and the sign of a kind of error, as in :data:`LOOKS`.

    Examples
    --------
    >>> from spanrs.report.examples import look
    >>> look("FN"), look("unknown")
    (('lost', '−'), ('other', ''))
    """
    return LOOKS.get(kind.lower(), ("other", ""))


def data_block(
    examples: Sequence[Example], number: int = 1, sides: Sequence[str] = (), order: str = ""
) -> str:
    r"""Return examples as JSON without characters that could end the script element.

    Parameters
    ----------
    examples : sequence of Example
        The examples.
    number : int
        Number of the first example.
    sides : sequence of str
        Sides that are listed first.
    order : str
        Name of the order of the examples, if they are shown in it at first.

    Returns
    -------
    str
        ``strings`` lists each distinct string, ``kinds`` is a list of ``[string, appearance, sign]``. An example is
        ``[kind, sentence, first, sentence tokens, line, document, tokens, marks]``, optionally followed by the offsets
        of its pieces; ``kind`` is a list if the example has several errors. A mark is ``[side, type, start, end,
        kind]``, optionally followed by its tokens and its note. Strings are given by their index in ``strings``; -1
        means None.

    Examples
    --------
    >>> from spanrs.report.examples import Example, data_block
    >>> print(data_block([Example("fn", 0, ["</script>"], [])]))
    {"number":1,"strings":["fn","\u003c/script\u003e"],"kinds":[[0,"lost","−"]],"examples":[[0,0,0,-1,-1,-1,[1],[]]]}
    """
    strings = StringTable()
    intern, intern_kind = strings.intern, strings.intern_kind

    def mark_fields(mark: Mark, kind: str) -> list[Any]:
        fields: list[Any] = [
            intern(mark.side),
            intern(mark.type),
            mark.start,
            mark.end,
            intern_kind(mark.kind or kind),
        ]
        if mark.tokens is not None or mark.note:
            fields.append(-1 if mark.tokens is None else list(mark.tokens))
        return [*fields, intern(mark.note)] if mark.note else fields

    rows = [
        [
            intern_kind(example.kind) if len(example.kinds) == 1 else list(map(intern_kind, example.kinds)),
            example.sentence,
            example.first,
            _or_minus_one(example.sentence_tokens),
            _or_minus_one(example.line),
            -1 if example.document is None else intern(example.document),
            [intern(token) for token in example.tokens],
            [mark_fields(mark, example.kind) for mark in example.marks],
            *([list(example.starts)] if example.starts else []),
        ]
        for example in examples
    ]
    content: dict[str, Any] = {
        "number": number,
        **strings.content(),
        "examples": rows,
    }
    occurring = {mark.side for example in examples for mark in example.marks} if sides else ()
    if occurring:
        content["sides"] = [intern(side) for side in sides if side in occurring]
    if order:
        content["order"] = order
    return escaped_json(content)


class StringTable:
    """The distinct strings of a block of data, which refers to them by index.

    Examples
    --------
    >>> from spanrs.report.examples import StringTable
    >>> strings = StringTable()
    >>> strings.intern_kind("fn"), strings.intern("Ann"), strings.intern("fn")
    (0, 1, 0)
    >>> strings.content()
    {'strings': ['fn', 'Ann'], 'kinds': [(0, 'lost', '−')]}
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._kinds: dict[int, tuple[int, str, str]] = {}

    def intern(self, text: str) -> int:
        """Return the index of a string."""
        return self._places.setdefault(text, len(self._places))

    def intern_kind(self, kind: str) -> int:
        """Return the index of the name of a kind, whose appearance becomes part of the data."""
        place = self.intern(kind)
        if place not in self._kinds:
            self._kinds[place] = (place, *look(kind))
        return place

    def content(self) -> dict[str, Any]:
        """Return ``strings`` and ``kinds`` of :func:`data_block`."""
        return {"strings": list(self._places), "kinds": list(self._kinds.values())}


def escaped_json(content: object) -> str:
    r"""Return JSON without characters that could end a script element.

    Examples
    --------
    >>> from spanrs.report.examples import escaped_json
    >>> print(escaped_json("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    for character, escape in _ESCAPED.items():
        text = text.replace(character, escape)
    # A UTF-8 file cannot contain lone surrogates, but JSON can escape them.
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _or_minus_one(number: int | None) -> int:
    return -1 if number is None else number
