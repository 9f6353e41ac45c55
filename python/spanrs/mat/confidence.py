"""Spread of measures over bootstrap resamples."""

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

#: MATScore's default number of samples.
SAMPLES = 1000
#: Spreads of the measures in a table: for all labels together, and for each label.
Spreads: TypeAlias = tuple[list[Spread], dict[str, list[Spread]]]
#: Spread of a measure that is undefined in every sample.
NOTHING = Spread(0, float("nan"), float("nan"))


def measures(table: str, label: str | None) -> list[Measure | Ratio]:
    """Return the measures in the order of MATScore's columns, for one label or for all labels together."""
    columns: list[Measure | Ratio] = [
        Measure(name, criterion=table, type=label) for name in ("precision", "recall", "f1")
    ]
    clashes = (*CLASHES, *(f"gold_{kind}" for kind in CLASHES)) if table == "tag" else ("clash",)
    for wrong in (("missing", "spurious", *clashes), ("missing", "spurious")):
        above = {"elements": 1.0} | dict.fromkeys(wrong, -1.0)
        columns += [
            Ratio(above, {"elements": 1.0}, table, complement, label) for complement in (False, True)
        ]
    return columns


def spreads(
    result: Result, counts: LabelCounts, samples: int, seed: int, threads: int
) -> dict[str, Spreads]:
    """Return the spread of the measures in each table over resamples of documents; all tables share the resamples."""
    import numpy as np

    keys = [(table, label) for table in TABLES for label in (None, *sorted(counts.rows[table]))]
    compiled = [measure.compiled(result.matcher) for key in keys for measure in measures(*key)]
    if not len(result.counts):
        return {table: ([NOTHING] * len(measures(table, None)), {}) for table in TABLES}
    systems = Systems([result.counts], ["the result"])
    values = systems.bootstrap(compiled, samples, seed, threads)[:, 0]
    # One block of columns for all labels together, then one for each label.
    columns = dict(zip(keys, np.split(values, len(keys), axis=1), strict=True))
    spreads_by_table: dict[str, Spreads] = {}
    for table in TABLES:
        together = columns[table, None]
        by_label = {label: columns[table, label] for label in sorted(counts.rows[table])}
        # For all labels together, resamples without annotations are excluded.
        empty = np.all([np.isnan(column[:, 0]) for column in by_label.values()], axis=0)
        together[empty] = np.nan
        spreads_by_table[table] = (
            _spreads(together),
            {label: _spreads(of) for label, of in by_label.items()},
        )
    return spreads_by_table


def _spreads(columns: npt.NDArray[np.float64]) -> list[Spread]:
    """Return the mean and variance of each column, ignoring NaN."""
    import numpy as np

    column_spreads = []
    for column in columns.T:
        defined = column[~np.isnan(column)]
        if not len(defined):
            column_spreads.append(NOTHING)
            continue
        # Values are shifted by the first value, to avoid loss of precision if the variance is small.
        shifted = defined - defined[0]
        column_spreads.append(
            Spread(len(defined), float(defined[0] + shifted.mean()), float(shifted.var()))
        )
    return column_spreads
