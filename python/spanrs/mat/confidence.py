"""How far measures lie apart over resampled corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

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
    average = "micro" if label is None else "type"
    found: list[Measure | Ratio] = [
        Measure(average, part, table, label) for part in ("precision", "recall", "f1")
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
    wanted = [
        (table, label, measure)
        for table in TABLES
        for label in (None, *sorted(counts.rows[table]))
        for measure in measures(table, label)
    ]
    if not counts.documents:
        return {table: ([NOTHING] * len(measures(table, None)), {}) for table in TABLES}
    compiled = [measure.compiled(result.matcher) for _, _, measure in wanted]
    values = result.counts.bootstrap(compiled, samples, seed, threads)
    assert values is not None  # There are documents.
    columns: dict[tuple[str, str | None], list[npt.NDArray[np.float64]]] = {}
    for at, (table, label, _) in enumerate(wanted):
        columns.setdefault((table, label), []).append(values[:, at])
    found: dict[str, Spreads] = {}
    for table in TABLES:
        labels = sorted(counts.rows[table])
        # Samples without any annotation do not count for all labels together.
        occurs = [~_is_nan(columns[table, label][0]) for label in labels]
        some = sum(occurs) > 0 if occurs else None
        together = [_spread(column if some is None else column[some]) for column in columns[table, None]]
        if some is None:
            together = [NOTHING for _ in together]
        found[table] = (
            together,
            {label: [_spread(column) for column in columns[table, label]] for label in labels},
        )
    return found


def _is_nan(values: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    import numpy as np

    return np.isnan(values)


def _spread(values: npt.NDArray[np.float64]) -> Spread:
    """Give mean and variance of the values that are numbers."""
    known = values[~_is_nan(values)]
    if not len(known):
        return NOTHING
    # Values that lie close together lose no digits when their mean is near 0.
    first = known[0]
    apart = known - first
    return Spread(len(known), float(first + apart.mean()), float(apart.var()))
