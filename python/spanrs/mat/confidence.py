"""How far measures lie apart over resampled corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from spanrs._spanrs import Systems
from spanrs.eval.measures import Measure, Ratio
from spanrs.mat.label_counts import LabelCounts, Spread
from spanrs.mat.matcher import CLASHES, TABLES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.eval import Result

#: Samples of MATScore's confidence.
SAMPLES = 1000
#: Spreads of a table: of all labels together, and of each.
Spreads: TypeAlias = tuple[list[Spread], dict[str, list[Spread]]]
#: Of what occurs in no sample.
NOTHING = Spread(0, float("nan"), float("nan"))


def measures(table: str, label: str | None) -> list[Measure | Ratio]:
    """Give the measures of MATScore's columns, in order: of a label, or of all together."""
    found: list[Measure | Ratio] = [
        Measure(name, criterion=table, type=label) for name in ("precision", "recall", "f1")
    ]
    clashes = (*CLASHES, *(f"gold_{kind}" for kind in CLASHES)) if table == "tag" else ("clash",)
    for wrong in (("missing", "spurious", *clashes), ("missing", "spurious")):
        above = {"elements": 1.0} | dict.fromkeys(wrong, -1.0)
        found += [Ratio(above, {"elements": 1.0}, table, complement, label) for complement in (False, True)]
    return found


def spreads(
    result: Result, counts: LabelCounts, samples: int, seed: int, threads: int
) -> dict[str, Spreads]:
    """Draw samples of documents and give, by table, the spread of the measures. All tables share the samples."""
    import numpy as np

    keys = [(table, label) for table in TABLES for label in (None, *sorted(counts.rows[table]))]
    compiled = [measure.compiled(result.matcher) for key in keys for measure in measures(*key)]
    if not len(result.counts):
        return {table: ([NOTHING] * len(measures(table, None)), {}) for table in TABLES}
    systems = Systems([result.counts], ["the result"])
    values = systems.bootstrap(compiled, samples, seed, threads)[:, 0]
    # One block of columns for each label, after one for all labels.
    columns = dict(zip(keys, np.split(values, len(keys), axis=1), strict=True))
    found: dict[str, Spreads] = {}
    for table in TABLES:
        together = columns[table, None]
        by_label = {label: columns[table, label] for label in sorted(counts.rows[table])}
        # Samples without any annotation do not count for all labels together.
        empty = np.all([np.isnan(column[:, 0]) for column in by_label.values()], axis=0)
        together[empty] = np.nan
        found[table] = (_spreads(together), {label: _spreads(of) for label, of in by_label.items()})
    return found


def _spreads(columns: npt.NDArray[np.float64]) -> list[Spread]:
    """Give mean and variance of the values of each column that are numbers."""
    import numpy as np

    found = []
    for column in columns.T:
        known = column[~np.isnan(column)]
        if not len(known):
            found.append(NOTHING)
            continue
        # Values that lie close together lose no digits when their mean is near 0.
        apart = known - known[0]
        found.append(Spread(len(known), float(known[0] + apart.mean()), float(apart.var())))
    return found
