"""A self-contained HTML page made of sections: cards, tables, bars, heat maps, matrices, lines and examples."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs.report.examples import Example, data_block, look
from spanrs.report.numbers import percent_range
from spanrs.report.pages import template

if TYPE_CHECKING:
    from spanrs.report.table import Table


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
    bottom. The best numbers (:meth:`spanrs.report.table.Table.best_cells`) are bold.

    Parameters
    ----------
    title : str
        Heading of the section.
    table : Table
        The table.
    note : str
        A paragraph above the table.
    remarks : mapping of (int, int) to str
        Small text below the content of cells, such as intervals, by row and column.

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
    remarks: Mapping[tuple[int, int], str] = field(default_factory=dict)


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
class Difference:
    """A cell of a matrix of differences.

    Parameters
    ----------
    row, column : int
        Indices of the names.
    value : float
        The difference, which determines the colour.
    text : str
        The formatted difference.
    remark : str
        Small text below the difference, such as the p-value.
    is_marked : bool
        Whether the cell has a frame, for significant differences.
    about : str
        Description of the cell, for its tooltip.
    target : str
        Title of the section to which the cell links; empty if there is none.

    Examples
    --------
    >>> from spanrs.report.page import Difference
    >>> Difference(0, 1, 0.02, "+2.00", remark="p 0.0100").text
    '+2.00'
    """

    row: int
    column: int
    value: float
    text: str
    remark: str = ""
    is_marked: bool = False
    about: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """Differences between all pairs of names, coloured by sign and size.

    Parameters
    ----------
    title : str
        Heading of the section.
    names : sequence of str
        Names of rows and columns.
    cells : sequence of Difference
        The known differences.
    note : str
        A paragraph above the matrix.

    Examples
    --------
    >>> from spanrs.report.page import Difference, Matrix, render
    >>> cells = [Difference(0, 1, 0.02, "+2.00"), Difference(1, 0, -0.02, "-2.00")]
    >>> page = render("Result", [Matrix("Differences", ["a", "b"], cells)])
    >>> "+2.00" in page
    True
    """

    title: str
    names: Sequence[str]
    cells: Sequence[Difference]
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
        Total number of errors of each kind, if only some examples are given.
    is_folded : bool
        Whether the list is closed until it is opened by a click or a link.
    order : str
        Name of the order of ``examples``, in which they are then shown at first; by default the most frequent kinds
        are shown first.

    Notes
    -----
    The page contains the examples as one block of JSON and builds only the visible rows. Browsers limit the height of a
    list; 200,000 examples are below the limit.

    Examples
    --------
    >>> from spanrs.report.examples import Example, Mark
    >>> from spanrs.report.page import Examples, render
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
    is_folded: bool = False
    order: str = ""


Section = Cards | Sorted | Bars | Heatmap | Matrix | Lines | Examples


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
    anchors = {section.title: f"s{at}" for at, section in enumerate(sections, 1)}
    for section in sections:
        view = _matrix(section, anchors) if isinstance(section, Matrix) else _view(section, number)
        views.append((type(section).__name__, section, view))
        number += len(section.examples) if isinstance(section, Examples) else 0
    return template("spanrs.report", "page.html").render(
        title=title,
        subtitle=subtitle,
        signature=signature,
        language=language,
        sections=views,
        sortable=any(isinstance(section, Sorted) for section in sections),
        listed=number > 1,
        has_tables=not all(isinstance(section, (Cards, Lines)) for section in sections),
    )


def _view(section: Section, number: int) -> Any:
    """Prepare a section for its template; ``number`` is the number of the section's first example."""
    if isinstance(section, Bars):
        return [_bar(bar, section.unit) for bar in section.bars]
    if isinstance(section, Heatmap):
        return _heat(section)
    if isinstance(section, Examples):
        counts = Counter(kind for example in section.examples for kind in example.kinds)
        numbers = counts | Counter(section.numbers)
        names = [*section.kinds, *(kind for kind, _ in numbers.most_common() if kind not in section.kinds)]
        legend = [
            (kind, *look(kind), section.kinds.get(kind, ""), numbers[kind], counts[kind]) for kind in names
        ]
        data = data_block(section.examples, number, section.sides, section.order)
        several = any(len(example.kinds) > 1 for example in section.examples)
        return {"legend": legend, "data": data, "is_cut": numbers != counts, "has_several": several}
    return None


class _MatrixCell(NamedTuple):
    """A cell of a matrix of differences: its content, its colour and the anchor of its section."""

    cell: Difference
    heat: float
    style: str
    anchor: str | None


def _matrix(section: Matrix, anchors: Mapping[str, str]) -> dict[tuple[int, int], _MatrixCell]:
    """Return the cells by row and column; the colour is proportional to the difference."""
    largest = max((abs(cell.value) for cell in section.cells if not math.isnan(cell.value)), default=0.0)
    cells = {}
    for cell in section.cells:
        heat = 0.0 if math.isnan(cell.value) or not largest else round(abs(cell.value) / largest, 3)
        style = "higher" if cell.value > 0 else "lower" if cell.value < 0 else "equal"
        cells[cell.row, cell.column] = _MatrixCell(cell, heat, style, anchors.get(cell.target))
    return cells


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
    interval = percent_range(low, high)
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
