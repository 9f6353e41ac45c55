"""What is counted, as plain values that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple

from spanrs.mat.rules import TABLES

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
class Tallies:
    """Counts of one document or of many."""

    rows: dict[str, dict[str, Counts]] = field(default_factory=lambda: {table: {} for table in TABLES})
    kinds: dict[str, Kinds] = field(default_factory=dict)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    documents: int = 0
    tokens: int = 0
    elements: list[int] = field(default_factory=lambda: [0, 0, 0])

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Tallies:
        """Take what the core has counted."""
        confusion = Counter({(gold, pred): n for gold, pred, n in state["confusion"]})
        return cls(
            state["rows"],
            state["kinds"],
            confusion,
            state["documents"],
            state["tokens"],
            state["elements"],
        )

    def add(self, other: Tallies) -> None:
        """Add other counts."""
        for table, rows in other.rows.items():
            mine = self.rows[table]
            for label, counts in rows.items():
                mine[label] = add_counts(mine.get(label, NONE), counts)
        for label, sides in other.kinds.items():
            known = self.kinds.get(label, ([0] * 7, [0] * 7))
            self.kinds[label] = (_sum(known[0], sides[0]), _sum(known[1], sides[1]))
        self.confusion += other.confusion
        self.documents += other.documents
        self.tokens += other.tokens
        self.elements = _sum(self.elements, other.elements)

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
        return self.tokens if table == "tag" else self.elements[TABLES.index(table) - 1]


def _sum(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [x + y for x, y in zip(a, b, strict=True)]
