"""A self-contained HTML page made of sections: cards, tables, bars, heat maps, lines and examples."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.report.pages import template

if TYPE_CHECKING:
    from spanrs.report.table import Table

#: Appearance (a class of ``page.css``) and sign of the kinds of errors; other kinds are neutral.
LOOKS: Mapping[str, tuple[str, str]] = {
    "match": ("ok", ""),
    "tp": ("ok", ""),
    "fn": ("lost", "−"),
    "missed": ("lost", "−"),
    "mistyped": ("label", "≠"),
    "fixed": ("ok", "✓"),
    "broken": ("lost", "✗"),
    "removed": ("ok", "−"),
    "added": ("extra", "+"),
    "missing": ("lost", "−"),
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
class Card:
    """A number with its name.

    Parameters
    ----------
    label : str
        Name of the value.
    value : str
        The formatted number.
    note : str
        A short note, for example the interval.

    Examples
    --------
    >>> from spanrs.report.page import Card
    >>> Card("F1", "91.20", "90.1 to 92.3").value
    '91.20'
    """

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cards:
    """The summary: the most important numbers.

    Examples
    --------
    >>> from spanrs.report.page import Card, Cards, render
    >>> "91.20" in render("Result", [Cards("Summary", [Card("F1", "91.20")])])
    True
    """

    title: str
    cards: Sequence[Card]


@dataclass(frozen=True, slots=True)
class Sorted:
    """A table that can be sorted by clicking on a column head.

    Columns of numbers are sorted numerically. The rows of the last section of the table are totals, which stay at the
    bottom.

    Examples
    --------
    >>> from spanrs.report.page import Sorted, render
    >>> from spanrs.report.table import Table
    >>> table = Table(["type", "F1"])
    >>> table.add_row("PER", "50.00")
    >>> "<td>50.00</td>" in render("Result", [Sorted("Types", table)])
    True
    """

    title: str
    table: Table
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value with its interval.

    Parameters
    ----------
    name : str
        Name of the value.
    value : float, optional
        A fraction from 0 to 1; None or NaN if undefined.
    low, high : float, optional
        Limits of the interval, as fractions.
    note : str
        A short note.

    Examples
    --------
    >>> from spanrs.report.page import Bar
    >>> Bar("PER", 0.9, low=0.85, high=0.93).value
    0.9
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Bars:
    """Horizontal bars from 0 to 100 per cent, with intervals.

    Examples
    --------
    >>> from spanrs.report.page import Bar, Bars, render
    >>> "90.00 %" in render("Result", [Bars("F1 of types", [Bar("PER", 0.9)])])
    True
    """

    title: str
    bars: Sequence[Bar]
    unit: str = "%"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Counts of pairs of names, coloured by the square root of the count.

    Parameters
    ----------
    title : str
        Heading of the section.
    rows, columns : sequence of str
        Names.
    cells : sequence of (int, int, float)
        Row, column and count of the pairs that occur. Pairs of equal names have a separate colour scale.
    row_axis, column_axis : str
        Names of rows and columns.
    note : str
        A paragraph above the table.

    Examples
    --------
    >>> from spanrs.report.page import Heatmap, render
    >>> section = Heatmap("Confusion", ["PER"], ["PER", "ORG"], [(0, 0, 12), (0, 1, 3)])
    >>> 'title="gold PER, pred ORG: 3"' in render("Result", [section])
    True
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[tuple[int, int, float]]
    row_axis: str = "gold"
    column_axis: str = "pred"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of text, such as violations or notes.

    Examples
    --------
    >>> from spanrs.report.page import Lines, render
    >>> "3 violations" in render("Result", [Lines("Notes", ["gold: 3 violations"])])
    True
    """

    title: str
    lines: Sequence[str]
    note: str = ""


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
    >>> from spanrs.report.page import Mark
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
    """An error with the tokens around it.

    Parameters
    ----------
    kind : str
        Kind of the error.
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

    Examples
    --------
    >>> from spanrs.report.page import Example, Mark
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


@dataclass(frozen=True, slots=True)
class Examples:
    """A list of errors with filters, search and keyboard navigation.

    Parameters
    ----------
    title : str
        Heading of the section.
    examples : sequence of Example
        The errors, which are numbered in this order across all sections of the page.
    note : str
        A paragraph above the list.
    kinds : mapping of str to str
        Description of each kind, in the order of the legend.
    sides : sequence of str
        The sides in the order in which they are shown below gold; further sides follow in the order of occurrence.
    numbers : mapping of str to int
        Total number of examples of each kind, if only some examples are given.

    Notes
    -----
    The page contains the examples as one block of JSON and builds only the visible rows. Browsers limit the height of a
    list; 200,000 examples are below the limit.

    Examples
    --------
    >>> from spanrs.report.page import Example, Examples, Mark, render
    >>> error = Example("fn", 0, ["Ann", "ran"], [Mark("gold", "PER", 0, 1)])
    >>> page = render("Result", [Examples("Errors", [error], kinds={"fn": "gold without pred"})])
    >>> "gold without pred" in page
    True
    """

    title: str
    examples: Sequence[Example]
    note: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict)
    sides: Sequence[str] = ()
    numbers: Mapping[str, int] = field(default_factory=dict)


Section = Cards | Sorted | Bars | Heatmap | Lines | Examples


def render(
    title: str,
    sections: Sequence[Section],
    *,
    subtitle: str = "",
    signature: str = "",
    language: str = "en",
) -> str:
    """Render a self-contained HTML page.

    Parameters
    ----------
    title : str
        Title and first heading.
    sections : sequence of Section
        The sections of the page, in order.
    subtitle : str
        A paragraph below the first heading.
    signature : str
        Settings with which the numbers were computed; the last line of the page.
    language : str
        Language of titles and notes, a BCP 47 tag.

    Returns
    -------
    str
        The page. Text is shown literally, with escapes for invisible control characters.

    Raises
    ------
    ImportError
        If jinja2 is not installed (``pip install spanrs[html]``).

    Examples
    --------
    >>> from spanrs.report.page import Lines, render
    >>> page = render("A <b> title", [Lines("Notes", ["one"])])
    >>> page.startswith("<!DOCTYPE html>"), "A &lt;b&gt; title" in page
    (True, True)
    """
    views, number = [], 1
    for section in sections:
        views.append((type(section).__name__, section, _view(section, number)))
        number += len(section.examples) if isinstance(section, Examples) else 0
    return template("spanrs.report", "page.html").render(
        title=title,
        subtitle=subtitle,
        signature=signature,
        language=language,
        sections=views,
        sortable=any(isinstance(section, Sorted) for section in sections),
        listed=number > 1,
    )


def _view(section: Section, number: int) -> Any:
    """Prepare a section for its template; ``number`` is the number of the section's first example."""
    if isinstance(section, Bars):
        return [_bar(bar, section.unit) for bar in section.bars]
    if isinstance(section, Heatmap):
        return _heat(section)
    if isinstance(section, Examples):
        counts = Counter(example.kind for example in section.examples)
        numbers = counts | Counter(section.numbers)
        names = [*section.kinds, *(kind for kind, _ in numbers.most_common() if kind not in section.kinds)]
        legend = [
            (kind, *look(kind), section.kinds.get(kind, ""), numbers[kind], counts[kind]) for kind in names
        ]
        data = data_block(section.examples, number, section.sides)
        return {"legend": legend, "data": data, "is_cut": numbers != counts}
    return None


def look(kind: str) -> tuple[str, str]:
    """Return the appearance and the sign of a kind of error, as in :data:`LOOKS`.

    Examples
    --------
    >>> from spanrs.report.page import look
    >>> look("FN"), look("unknown")
    (('lost', '−'), ('other', ''))
    """
    return LOOKS.get(kind.lower(), ("other", ""))


class _BarView(NamedTuple):
    """A bar: its text, and its positions in per cent."""

    bar: Bar
    text: str
    interval: str
    place: float | None
    ends: tuple[float, float] | None


def _bar(bar: Bar, unit: str) -> _BarView:
    value, low, high = (
        None if number is None or math.isnan(number) else float(number)
        for number in (bar.value, bar.low, bar.high)
    )
    text = "undefined" if value is None else f"{100 * value:.2f} {unit}".rstrip()
    if low is None or high is None:
        return _BarView(bar, text, "", _place(value), None)
    interval = f"{100 * low:.2f} to {100 * high:.2f}"
    return _BarView(bar, text, interval, _place(value), (_clamp(low), _clamp(high)))


def _place(value: float | None) -> float | None:
    return None if value is None else _clamp(value)


def _clamp(value: float) -> float:
    """Return a fraction in per cent, clipped to the range of a bar."""
    return round(100 * min(max(value, 0.0), 1.0), 3)


class _Cell(NamedTuple):
    """A cell of a heat map."""

    text: str
    heat: float
    same: bool


def _heat(section: Heatmap) -> dict[tuple[int, int], _Cell]:
    """Return the cells by row and column.

    Counts span orders of magnitude, so the colour follows their square root; on a common scale, matches would hide the
    errors.
    """
    counts = {(row, column): count for row, column, count in section.cells if count}
    same = {(row, column): section.rows[row] == section.columns[column] for row, column in counts}
    largest = {
        kind: max((abs(count) for at, count in counts.items() if same[at] == kind), default=1.0)
        for kind in (False, True)
    }
    return {
        at: _Cell(_count(count), round(math.sqrt(abs(count) / largest[same[at]]), 3), same[at])
        for at, count in counts.items()
    }


def _count(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{number:.2f}"


def data_block(examples: Sequence[Example], number: int = 1, sides: Sequence[str] = ()) -> str:
    r"""Return examples as JSON without characters that could end the script element.

    Parameters
    ----------
    examples : sequence of Example
        The examples.
    number : int
        Number of the first example.
    sides : sequence of str
        Sides that are listed first.

    Returns
    -------
    str
        ``strings`` lists each distinct string, ``kinds`` is a list of ``[string, appearance, sign]``. An example is
        ``[kind, sentence, first, sentence tokens, line, document, tokens, marks]``; a mark is ``[side, type, start,
        end, kind]``, optionally followed by its tokens and its note. Strings are given by their index in ``strings``;
        -1 means None.

    Examples
    --------
    >>> from spanrs.report.page import Example, data_block
    >>> print(data_block([Example("fn", 0, ["</script>"], [])]))
    {"number":1,"strings":["fn","\u003c/script\u003e"],"kinds":[[0,"lost","−"]],"examples":[[0,0,0,-1,-1,-1,[1],[]]]}
    """
    places: dict[str, int] = {}
    kinds: dict[int, tuple[int, str, str]] = {}

    def intern(text: str) -> int:
        return places.setdefault(text, len(places))

    def intern_kind(kind: str) -> int:
        place = intern(kind)
        if place not in kinds:
            kinds[place] = (place, *look(kind))
        return place

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
            intern_kind(example.kind),
            example.sentence,
            example.first,
            _or_minus_one(example.sentence_tokens),
            _or_minus_one(example.line),
            -1 if example.document is None else intern(example.document),
            [intern(token) for token in example.tokens],
            [mark_fields(mark, example.kind) for mark in example.marks],
        ]
        for example in examples
    ]
    content: dict[str, Any] = {
        "number": number,
        "strings": list(places),
        "kinds": list(kinds.values()),
        "examples": rows,
    }
    occurring = {mark.side for example in examples for mark in example.marks} if sides else ()
    if occurring:
        content["sides"] = [places[side] for side in sides if side in occurring]
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    for character, escape in _ESCAPED.items():
        text = text.replace(character, escape)
    # A UTF-8 file cannot contain lone surrogates, but JSON can escape them.
    return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _or_minus_one(number: int | None) -> int:
    return -1 if number is None else number
