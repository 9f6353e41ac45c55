"""Counts by label in MATScore's layout, computed from the cells of a result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple, TypeAlias

from spanrs.eval.matcher import Cell, criteria
from spanrs.mat.matcher import TABLES

#: The kind of a clash from the perspective of gold, by its kind from the perspective of pred.
MIRRORED = {
    "overmark": "undermark",
    "undermark": "overmark",
    "tagplusovermark": "tagplusundermark",
    "tagplusundermark": "tagplusovermark",
}

#: Outcomes other than clashes, with the side that gives the label; both labels of a match are equal.
COUNTED = {"match": "ref", "missing": "ref", "spurious": "hyp", "present": ""}
#: Counts of a label by MATScore's column names: match, refclash, refovermark and so on.
Counts: TypeAlias = Counter[str]


class Spread(NamedTuple):
    """Spread of a measure over bootstrap resamples."""

    samples: int
    """Number of samples in which the label occurs."""
    mean: float
    """Mean over these samples."""
    variance: float
    """Population variance over these samples."""

    def parts(self, scale: float = 1.0) -> tuple[float | None, float | None, float | None]:
        """Return the mean, variance and standard deviation of the scaled measure."""
        if self.samples == 0:
            return None, None, None
        return self.mean * scale, self.variance * scale * scale, sqrt(self.variance) * scale


@dataclass
class LabelCounts:
    """Counts by label in one or more documents."""

    rows: dict[str, defaultdict[str, Counts]] = field(
        default_factory=lambda: {table: defaultdict(Counter) for table in TABLES}
    )
    confusion: Counter[tuple[str | None, str | None]] = field(default_factory=Counter)
    documents: int = 0
    misplaced: int = 0
    """Number of documents with an annotation boundary that is not a token boundary."""
    elements: Counter[str] = field(default_factory=Counter)
    """Number of elements of the text by table: tokens (also for the table of tags), pseudo-tokens, characters."""

    @classmethod
    def of_cells(cls, cells: Iterable[Cell]) -> LabelCounts:
        """Sum the cells of a result by label.

        A clash is counted for each side under its kind from the perspective of that side.
        """
        counts = cls()
        names = [(name, criterion.outcomes) for name, criterion in criteria("mat").items()]
        for at, outcome, gold, pred, number in cells:
            table, outcomes = names[at]
            name, n = outcomes[outcome], int(number)
            if table == "corpus":
                setattr(counts, name, getattr(counts, name) + n)
            elif name == "elements":
                counts.elements[table] += n
            else:
                counts._add(table, name, (gold, pred), n)
        return counts

    def _add(self, table: str, name: str, pair: tuple[str | None, str | None], n: int) -> None:
        """Add one cell of annotations or of their elements."""
        # Some clashes are counted for one side only: gold_overlap, pred_overlap.
        only, _, kind = name.rpartition("_")
        kinds = {"ref": MIRRORED.get(kind, kind), "hyp": kind}
        for (side, seen), label, opposite in zip(kinds.items(), pair, ("pred", "gold"), strict=True):
            if label is None or only == opposite:
                continue
            row = self.rows[table][label]
            if kind not in COUNTED:
                row[f"{side}clash"] += n
                if table == "tag":
                    row[side + seen] += n
            elif COUNTED[kind] == side:
                row[kind] += n
        # The confusion matrix counts pairs of annotations with the same span.
        if table == "tag" and name in ("match", "tagclash"):
            self.confusion[pair] += n

    def total(self, table: str) -> Counts:
        """Return the sum of the counts of all labels in a table."""
        return sum(self.rows[table].values(), Counter())


def measures(counts: Sequence[int], elements: int) -> list[float]:
    """Return precision, recall, fmeasure; tag-sensitive accuracy and error rate; tag-blind accuracy and error rate.

    Parameters
    ----------
    counts : sequence of 5 int
        match, refclash, missing, hypclash, spurious.
    elements : int
        Number of elements of the text.

    Notes
    -----
    Precision is 1 if hyp is empty, and recall is 1 if ref is empty; fmeasure is 0 if both are 0. Accuracy is 1 if there
    are no elements. If annotations of one side overlap, elements are counted more than once, and accuracy may be
    negative.

    Source: MITRE Annotation Toolkit 1.3, "Scoring Engine".
    """
    match, refclash, missing, hypclash, spurious = counts
    hyp, ref = match + hypclash + spurious, match + refclash + missing
    precision, recall = match / hyp if hyp else 1.0, match / ref if ref else 1.0
    total = precision + recall
    sensitive, blind = (
        (elements - wrong) / elements if elements else 1.0
        for wrong in (missing + spurious + refclash, missing + spurious)
    )
    fmeasure = 2.0 * (precision * recall / total) if total else 0.0
    return [precision, recall, fmeasure, sensitive, 1.0 - sensitive, blind, 1.0 - blind]
