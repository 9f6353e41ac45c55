"""Tables of scores: rows, columns and values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spanrs.mat.label_counts import Counts, Spread, measures
from spanrs.mat.matcher import CLASHES
from spanrs.report.frames import Frames

#: Name of the row for all labels together.
ALL = "<all>"
#: Columns for the kinds of clashes, for ref and for hyp.
KINDS = tuple(side + kind for side in ("ref", "hyp") for kind in CLASHES)
#: Columns of counts shared by all tables, and the column of unpaired annotations of each side.
COUNTS = ("match", "refclash", "missing", "hypclash", "spurious")
ALONE = {"ref": "missing", "hyp": "spurious"}
#: Name of the column with the number of elements of the text, by table.
ELEMENTS = {
    "tag": "test toks",
    "token": "test toks",
    "pseudo_token": "test pseudo-toks",
    "character": "test chars",
}
#: Measures in all tables, then additional measures in the tables of elements.
MEASURES = ("precision", "recall", "fmeasure")
ACCURACIES = (
    "tag_sensitive_accuracy",
    "tag_sensitive_error_rate",
    "tag_blind_accuracy",
    "tag_blind_error_rate",
)
SPREAD = ("mean", "variance", "stddev")


@dataclass(frozen=True)
class Row:
    """A row of a table of scores.

    Attributes
    ----------
    tag : str
        The label; ``<all>`` for all labels.
    counts : Counter
        Counts by column name; the columns in ``KINDS`` occur only in the table of annotations.
    documents : int
        Number of scored documents.
    elements : int
        Number of elements of the text: tokens, pseudo-tokens or characters.
    spread : sequence of Spread or None
        Mean and variance of each measure, if confidence was requested and is defined.
    file : str or None
        The file, for rows of single files.
    block : int or None
        Index of the document, from 0, for rows of single files, whose names may be equal.
    together : bool
        Whether the row is for all labels together; a label may also be called ``<all>``.
    """

    tag: str
    counts: Counts
    documents: int
    elements: int
    spread: Sequence[Spread] | None = None
    file: str | None = None
    block: int | None = None
    together: bool = False

    def values(self, table: str, percent: bool = False) -> dict[str, Any]:
        """Return the values of all columns by name; unknown values are omitted."""
        values: dict[str, Any] = {
            "file": ALL if self.file is None else self.file,
            "tag": self.tag,
            "test docs": self.documents,
            ELEMENTS[table]: self.elements,
        }
        values |= {name: self.counts[name] for name in COUNTS + KINDS}
        for side, alone in ALONE.items():
            only = values[f"{side}clash"] + values[alone]
            values |= {f"{side}only": only, f"{side}total": only + values["match"]}
        scale = 100.0 if percent else 1.0
        measured = measures([self.counts[name] for name in COUNTS], self.elements)
        for place, (name, value) in enumerate(zip(MEASURES + ACCURACIES, measured, strict=True)):
            values[name] = value * scale
            if self.spread is not None:
                parts = zip(SPREAD, self.spread[place].parts(scale), strict=True)
                values |= {f"{name}_{part}": of for part, of in parts}
        return values


@dataclass(frozen=True, repr=False)
class ScoreTable(Frames):
    """A table of scores in MATScore's layout.

    Attributes
    ----------
    name : str
        ``tag``, ``token``, ``pseudo_token`` or ``character``.
    columns : tuple of str
        MATScore's column names, in order.
    lines : list of Row
        Data of the rows: labels sorted by name, then ``<all>``; if rows of files were requested, one such block for
        each file precedes them.
    percent : bool
        Whether measures are in per cent.
    """

    name: str
    columns: tuple[str, ...]
    lines: list[Row]
    percent: bool = False

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The values of each row as a tuple."""
        return [tuple(row.values()) for row in self.dicts()]

    def dicts(self) -> Iterator[dict[str, Any]]:
        """Return each row as a mapping by column name."""
        return map(self._dict, self.lines)

    def _dict(self, line: Row) -> dict[str, Any]:
        values = line.values(self.name, self.percent)
        return {name: values.get(name) for name in self.columns}

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.dicts()

    def __repr__(self) -> str:
        return f"<ScoreTable {self.name}, {len(self)} rows>"

    def __getitem__(self, tag: str) -> dict[str, Any]:
        """Return the row of a label, or the row ``<all>``, over all files."""
        # The row for all labels is the last row, so this row takes precedence over a label called ``<all>``.
        lines = {line.tag: line for line in self.lines if line.file is None}
        return self._dict(lines[tag])


def columns(table: str, *, kinds: bool, confidence: bool, files: bool) -> tuple[str, ...]:
    """Return the names of the columns of a table."""
    names = ["file"] if files else []
    names += ["tag", "test docs", ELEMENTS[table], "match"]
    for side, alone in ALONE.items():
        if kinds and table == "tag":
            names += [side + kind for kind in CLASHES]
        names += [f"{side}clash", alone, f"{side}only", f"{side}total"]
    for measure in MEASURES if table == "tag" else MEASURES + ACCURACIES:
        names.append(measure)
        if confidence:
            names += [f"{measure}_{part}" for part in SPREAD]
    return tuple(names)


@dataclass(frozen=True)
class Confusability(Frames):
    """Number of pairs with the same span, by gold and pred label.

    Attributes
    ----------
    labels : tuple of str
        The labels, sorted.
    counts : list of list of int
        ``counts[p][g]``: one row per pred label, one column per gold label.
    """

    labels: tuple[str, ...]
    counts: list[list[int]]

    @property
    def columns(self) -> tuple[str, ...]:
        """MATScore's header."""
        return ("", *(f"{label} (ref)" for label in self.labels))

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows, each beginning with its label."""
        return [(f"{label} (hyp)", *row) for label, row in zip(self.labels, self.counts, strict=True)]
