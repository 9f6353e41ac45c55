"""Drawings of dependency trees, as text and as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from html import escape
from typing import NamedTuple, Protocol

from spanrs.errors import escaped


class Tree(Sized, Protocol):
    """A tree that can be drawn, such as :class:`spanrs.dep.Parse`."""

    @property
    def words(self) -> Sequence[str]:
        """The forms."""

    @property
    def heads(self) -> Iterable[int]:
        """The head of each word, from 1; 0 for the root."""

    @property
    def labels(self) -> Sequence[str]:
        """The labels of the arcs; empty if there are none."""

    @property
    def xpos(self) -> Sequence[str]:
        """The tags of the treebank; empty if there are none."""

    @property
    def upos(self) -> Sequence[str]:
        """The universal tags; empty if there are none."""

    @property
    def arcs(self) -> list[tuple[int, str, int]]:
        """The arcs as (head, label, dependent)."""


class Arc(NamedTuple):
    """An arc between two words, which are numbered from 0."""

    head: int
    dependent: int
    label: str
    level: int
    """Height: 1 plus the maximum height of the arcs below this arc."""

    @property
    def first(self) -> int:
        """The left end."""
        return min(self.head, self.dependent)

    @property
    def last(self) -> int:
        """The right end."""
        return max(self.head, self.dependent)


def _arcs(parse: Tree) -> list[Arc]:
    """Return the arcs between words with their heights; an arc is above the arcs that it spans."""
    words = [(head - 1, at - 1, label) for head, label, at in parse.arcs if head]
    words.sort(key=lambda arc: (abs(arc[0] - arc[1]), min(arc[:2])))
    # Height of the arcs placed so far, above each gap between words.
    heights = [0] * len(parse)
    arcs = []
    for head, dependent, label in words:
        first, last = min(head, dependent), max(head, dependent)
        level = 1 + max(heights[first:last])
        heights[first:last] = [level] * (last - first)
        arcs.append(Arc(head, dependent, label, level))
    return arcs


def draw(parse: Tree) -> str:
    """Draw a tree as text: a line for each word, with its dependents' arcs on the left.

    Parameters
    ----------
    parse : Parse
        A sentence with a tree.

    Raises
    ------
    ValueError
        If there is no tree.

    Examples
    --------
    >>> from spanrs.dep import Parse, draw
    >>> print(draw(Parse(["They", "ate", "the", "pizza"], [2, 0, 4, 2], ["nsubj", "root", "det", "obj"])))
      ┌─▶ They   nsubj
    ┌─┴── ate    root
    │ ┌─▶ the    det
    └─┴─▶ pizza  obj
    """
    _check(parse)
    arcs = _arcs(parse)
    depth = max((arc.level for arc in arcs), default=0)
    width = 2 * depth
    # Cells of two characters per level, the highest arcs on the left.
    grid = [[" "] * width for _ in parse.words]
    for arc in sorted(arcs, key=lambda arc: -arc.level):
        column = 2 * (depth - arc.level)
        for row in range(arc.first, arc.last + 1):
            cells = grid[row]
            end = row in (arc.first, arc.last)
            if end:
                corner = "┌" if row == arc.first else "└"
                before = cells[column]
                joined = {"─": "┬" if corner == "┌" else "┴", " ": corner, "└": "├", "┌": "├"}
                cells[column] = joined.get(before, "┼")
                for at in range(column + 1, width):
                    cells[at] = "─"
            else:
                cells[column] = "│" if cells[column] == " " else "┼"
    columns = [list(map(escaped, parse.words))]
    if parse.xpos or parse.upos:
        columns.append(list(map(escaped, parse.xpos or parse.upos)))
    labels = parse.labels or ("root" if not head else "" for head in parse.heads)
    columns.append(list(map(escaped, labels)))
    widths = [max(map(len, column), default=0) for column in columns]
    heads = {arc.dependent for arc in arcs}
    lines = []
    for at, cells in enumerate(grid):
        arrow = "▶ " if at in heads else "─ " if "─" in cells else "  "
        text = "  ".join(column[at].ljust(size) for column, size in zip(columns, widths, strict=True))
        lines.append(f"{''.join(cells)}{arrow}{text}".rstrip())
    return "\n".join(lines)


#: Sizes of the SVG in pixels.
_WORD, _LEVEL, _CHARACTER, _GAP = 18, 26, 8.2, 22


def to_svg(parse: Tree) -> str:
    """Draw a tree as an SVG image with arcs above the words.

    Parameters
    ----------
    parse : Parse
        A sentence with a tree.

    Returns
    -------
    str
        A complete ``<svg>`` element. Colours follow the text colour of the page.

    Raises
    ------
    ValueError
        If there is no tree.

    Examples
    --------
    >>> from spanrs.dep import Parse, to_svg
    >>> to_svg(Parse(["They", "ate"], [2, 0], ["nsubj", "root"])).startswith("<svg ")
    True
    """
    _check(parse)
    arcs = _arcs(parse)
    # XML does not allow control characters.
    words = list(map(escaped, parse.words))
    tags = list(map(escaped, parse.xpos or parse.upos or ("",) * len(parse)))
    labels = {arc.dependent: escaped(arc.label) for arc in arcs}
    widths = [
        _CHARACTER * max(len(word), len(tag), len(labels.get(at, "")) * 0.8) + _GAP
        for at, (word, tag) in enumerate(zip(words, tags, strict=True))
    ]
    centres, right = [], _GAP / 2
    for width in widths:
        centres.append(right + width / 2)
        right += width
    height = _LEVEL * (max((arc.level for arc in arcs), default=0) + 1.4)
    parts = []
    for arc in arcs:
        # Arcs of a word start next to each other; arcs to the right start to the right of the word's middle.
        side = 1 if arc.dependent > arc.head else -1
        start, end = centres[arc.head] + 4 * side, centres[arc.dependent] - 4 * side
        top = height - _LEVEL * (arc.level + 0.2)
        parts.append(
            f'<path d="M{start:.1f},{height:.1f} C{start:.1f},{top:.1f} {end:.1f},{top:.1f} {end:.1f},{height:.1f}" '
            'fill="none" stroke="currentColor" opacity="0.6" marker-end="url(#dep-arrow)"/>'
        )
        middle, above = (start + end) / 2, height - (height - top) * 0.75 - 4
        parts.append(
            f'<text x="{middle:.1f}" y="{above:.1f}" class="label">{escape(labels[arc.dependent])}</text>'
        )
    for head, label, at in parse.arcs:
        if not head:
            x, name = centres[at - 1], escape(escaped(label) or "root")
            parts.append(
                f'<path d="M{x:.1f},4 L{x:.1f},{height:.1f}" stroke="currentColor" opacity="0.25" '
                'stroke-dasharray="3 3" marker-end="url(#dep-arrow)"/>'
                f'<text x="{x + 4:.1f}" y="12" class="label" text-anchor="start">{name}</text>'
            )
    for word, tag, x in zip(words, tags, centres, strict=True):
        parts.append(f'<text x="{x:.1f}" y="{height + _WORD:.1f}" direction="auto">{escape(word)}</text>')
        parts.append(f'<text x="{x:.1f}" y="{height + 2 * _WORD:.1f}" class="label">{escape(tag)}</text>')
    total = height + 2.6 * _WORD
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {right + _GAP / 2:.0f} {total:.0f}" '
        f'width="{right + _GAP / 2:.0f}" height="{total:.0f}" role="img" fill="currentColor" '
        f'font-family="sans-serif" font-size="14" text-anchor="middle">'
        f"<title>{escape(' '.join(words))}</title>"
        "<style>.label{font-size:11px;opacity:.75}</style>"
        '<defs><marker id="dep-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" '
        'orient="auto"><path d="M0,0 L8,4 L0,8 z"/></marker></defs>'
        f"{''.join(parts)}</svg>"
    )


def _check(parse: Tree) -> None:
    if len(parse) and not list(parse.heads):
        raise ValueError("the sentence has no tree; parse it first")
