"""Counts by label, as MATScore lays them out, made from the cells of a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple

from spanrs.eval.matchers import Cell, criteria
from spanrs.mat.matcher import CLASHES, TABLES

#: What a clash seen from pred is, seen from gold.
MIRRORED = {
    "overmark": "undermark",
    "undermark": "overmark",
    "tagplusovermark": "tagplusundermark",
    "tagplusundermark": "tagplusovermark",
}

#: match, refclash, missing, hypclash, spurious
Counts = tuple[int, int, int, int, int]
NONE: Counts = (0, 0, 0, 0, 0)
#: By kind of clash, seen from ref and from hyp.
Kinds = tuple[list[int], list[int]]


class Spread(NamedTuple):
    """How far a measure lies apart over resampled corpora."""

    samples: int
    """Samples in which the label occurs."""
    mean: float
    """Mean over these samples."""
    variance: float
    """Variance of the population of these samples."""

    def parts(self, scale: float = 1.0) -> tuple[float | None, float | None, float | None]:
        """Give mean, variance and standard deviation of the measure times a factor."""
        if self.samples == 0:
            return None, None, None
        return self.mean * scale, self.variance * scale * scale, sqrt(self.variance) * scale


def add_counts(a: Counts, b: Counts) -> Counts:
    """Add two rows."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4])


@dataclass
class LabelCounts:
    """Counts of one document or of many, by label."""

    rows: dict[str, dict[str, Counts]] = field(default_factory=lambda: {table: {} for table in TABLES})
    kinds: dict[str, Kinds] = field(default_factory=dict)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    documents: int = 0
    misplaced: int = 0
    """Documents with an annotation boundary that is not a token boundary."""
    elements: list[int] = field(default_factory=lambda: [0] * len(TABLES))
    """Elements of the text, by table: tokens, tokens, pseudo-tokens, characters."""

    @classmethod
    def of_cells(cls, cells: Iterable[Cell]) -> LabelCounts:
        """Count the cells of a result by label: what a pair is to gold for gold's, what it is to pred for pred's."""
        counts = cls()
        rows: dict[str, dict[str, list[int]]] = {table: {} for table in TABLES}
        names = [(name, criterion.outcomes) for name, criterion in criteria("mat").items()]
        for at, outcome, gold, pred, number in cells:
            table, outcomes = names[at]
            name, n = outcomes[outcome], int(number)
            if table == "corpus":
                setattr(counts, name, getattr(counts, name) + n)
            elif name == "elements":
                counts.elements[TABLES.index(table)] += n
            else:
                counts._add(rows[table], table, name, (gold, pred), n)
        for table, found in rows.items():
            counts.rows[table] = {label: _row(row) for label, row in found.items()}
        return counts

    def _add(
        self, rows: dict[str, list[int]], table: str, name: str, pair: tuple[str | None, str | None], n: int
    ) -> None:
        """Count one cell of annotations or of their elements."""
        gold, pred = pair
        side, _, kind = name.rpartition("_")
        for label, counted in ((gold, side != "pred"), (pred, side != "gold")):
            if label is not None and counted:
                rows.setdefault(label, [0] * 5)
        if name == "present":
            return
        if kind == "match" and gold is not None:
            rows[gold][0] += n
        elif kind == "missing" and gold is not None:
            rows[gold][2] += n
        elif kind == "spurious" and pred is not None:
            rows[pred][4] += n
        else:
            if gold is not None and side != "pred":
                rows[gold][1] += n
                self._add_kind(table, gold, 0, MIRRORED.get(kind, kind), n)
            if pred is not None and side != "gold":
                rows[pred][3] += n
                self._add_kind(table, pred, 1, kind, n)
        # Annotations on the same span.
        if table == "tag" and name in ("match", "tagclash") and gold is not None and pred is not None:
            self.confusion[gold, pred] += n

    def _add_kind(self, table: str, label: str, side: int, kind: str, n: int) -> None:
        if table == "tag":
            kinds = self.kinds.setdefault(label, ([0] * len(CLASHES), [0] * len(CLASHES)))
            kinds[side][CLASHES.index(kind)] += n

    def total(self, table: str) -> Counts:
        """Give the counts of all labels of a table together."""
        total = NONE
        for counts in self.rows[table].values():
            total = add_counts(total, counts)
        return total

    def all_kinds(self) -> Kinds:
        """Give the clashes of all labels together."""
        gold, pred = [0] * 7, [0] * 7
        for sides in self.kinds.values():
            gold, pred = _sum(gold, sides[0]), _sum(pred, sides[1])
        return gold, pred

    def size(self, table: str) -> int:
        """Give the number of elements a table is about."""
        return self.elements[TABLES.index(table)]


def _row(row: list[int]) -> Counts:
    match, refclash, missing, hypclash, spurious = row
    return match, refclash, missing, hypclash, spurious


def measures(counts: Counts, elements: int) -> list[float]:
    """Give precision, recall, fmeasure; tag-sensitive accuracy and error rate; tag-blind accuracy and error rate.

    Parameters
    ----------
    counts : tuple of 5 int
        match, refclash, missing, hypclash, spurious.
    elements : int
        Elements of the text.

    Notes
    -----
    Precision without anything in hyp is 1, recall without anything in ref is 1; fmeasure is 0 where both are 0. The
    accuracy of nothing is 1. Where annotations of one side overlap, elements count more than once, and accuracy may
    fall below 0.

    Source: MITRE Annotation Toolkit 1.3, "Scoring Engine".
    """
    match, refclash, missing, hypclash, spurious = counts
    hyp, ref = match + hypclash + spurious, match + refclash + missing
    precision, recall = match / hyp if hyp else 1.0, match / ref if ref else 1.0
    both = precision + recall
    sensitive, blind = (
        (elements - wrong) / elements if elements else 1.0
        for wrong in (missing + spurious + refclash, missing + spurious)
    )
    fmeasure = 2.0 * (precision * recall / both) if both else 0.0
    return [precision, recall, fmeasure, sensitive, 1.0 - sensitive, blind, 1.0 - blind]


def _sum(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [x + y for x, y in zip(a, b, strict=True)]
