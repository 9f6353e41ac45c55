"""Counts by label, as MATScore lays them out, made from the cells of a result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple, TypeAlias

from spanrs.eval.matchers import Cell, criteria
from spanrs.mat.matcher import TABLES

#: What a clash seen from pred is, seen from gold.
MIRRORED = {
    "overmark": "undermark",
    "undermark": "overmark",
    "tagplusovermark": "tagplusundermark",
    "tagplusundermark": "tagplusovermark",
}

#: Outcomes that are no clashes, and the side whose label they count for; both labels of a match are the same.
COUNTED = {"match": "ref", "missing": "ref", "spurious": "hyp", "present": ""}
#: Numbers of a label by MATScore's names of the columns: match, refclash, refovermark and so on.
Counts: TypeAlias = Counter[str]


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


@dataclass
class LabelCounts:
    """Counts of one document or of many, by label."""

    rows: dict[str, defaultdict[str, Counts]] = field(
        default_factory=lambda: {table: defaultdict(Counter) for table in TABLES}
    )
    confusion: Counter[tuple[str | None, str | None]] = field(default_factory=Counter)
    documents: int = 0
    misplaced: int = 0
    """Documents with an annotation boundary that is not a token boundary."""
    elements: Counter[str] = field(default_factory=Counter)
    """Elements of the text, by table: tokens, tokens, pseudo-tokens, characters."""

    @classmethod
    def of_cells(cls, cells: Iterable[Cell]) -> LabelCounts:
        """Count the cells of a result by label: what a pair is to gold for gold's, what it is to pred for pred's."""
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
        """Count one cell of annotations or of their elements."""
        # A clash may count for one side only: gold_overlap, pred_overlap.
        only, _, kind = name.rpartition("_")
        kinds = {"ref": MIRRORED.get(kind, kind), "hyp": kind}
        for (side, seen), label, other in zip(kinds.items(), pair, ("pred", "gold"), strict=True):
            if label is None or only == other:
                continue
            row = self.rows[table][label]
            if kind not in COUNTED:
                row[f"{side}clash"] += n
                if table == "tag":
                    row[side + seen] += n
            elif COUNTED[kind] == side:
                row[kind] += n
        # Annotations on the same span.
        if table == "tag" and name in ("match", "tagclash"):
            self.confusion[pair] += n

    def total(self, table: str) -> Counts:
        """Give the counts of all labels of a table together."""
        return sum(self.rows[table].values(), Counter())


def measures(counts: Sequence[int], elements: int) -> list[float]:
    """Give precision, recall, fmeasure; tag-sensitive accuracy and error rate; tag-blind accuracy and error rate.

    Parameters
    ----------
    counts : sequence of 5 int
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
