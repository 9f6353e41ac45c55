"""Tables of comparisons."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING

from spanrs.eval.measures import Measure
from spanrs.report.numbers import percent, safe_cell
from spanrs.report.table import Table

if TYPE_CHECKING:
    from spanrs.eval.paired import Interval, PairedComparison

#: Marks of corrected p-values, each with the largest p-value that has this mark.
STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def signed(value: float) -> str:
    """Return a difference in per cent with its sign."""
    return "-" if math.isnan(value) else f"{100 * value:+.2f}"


def interval_text(interval: Interval, *, signs: bool = False) -> str:
    """Return both bounds of an interval in per cent; ``-`` if they are unknown."""
    if math.isnan(interval.low):
        return "-"
    show = signed if signs else percent
    return f"{show(interval.low)} to {show(interval.high)}"


def p_text(p: float) -> str:
    """Return a p-value with four decimal places; values below 0.0001 are shown as ``<0.0001``."""
    if math.isnan(p):
        return "-"
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def stars(p: float) -> str:
    """Return the mark of a corrected p-value: ``*`` for at most 0.05, ``**`` for 0.01, ``***`` for 0.001."""
    return next((mark for most, mark in STARS if p <= most), "")


def systems_table(comparison: PairedComparison) -> Table:
    """Return the measure of each system with its interval."""
    heads = ["system", comparison.measure.title, f"{100 * comparison.level:g} % interval"]
    if comparison.has_seeds:
        heads += ["seeds", "deviation"]
    # A ratio may be an error rate, for which smaller is better.
    ranked = heads[1:2] if isinstance(comparison.measure, Measure) else ()
    table = Table(heads, title="Systems", ranked=ranked)
    for name, system in comparison.systems.items():
        cells = [percent(system.value), interval_text(system.interval)]
        if comparison.has_seeds:
            cells += [str(len(system.seeds)), percent(system.deviation)]
        table.add_row(name, *cells)
    return table


def pairs_table(comparison: PairedComparison) -> Table:
    """Return the differences between all pairs of systems."""
    interval = f"{100 * comparison.level:g} % interval"
    heads = ["a", "b", "a - b", interval, "p", "p Holm", "", "only a", "only b", "McNemar p"]
    shown = len(heads) if any(pair.mcnemar for pair in comparison.pairs) else 7
    table = Table(heads[:shown], left=2, title="Differences")
    for pair in comparison.pairs:
        cells = [pair.a, pair.b, signed(pair.difference), interval_text(pair.interval, signs=True)]
        cells += [p_text(pair.p_value), p_text(pair.p_holm), stars(pair.p_holm)]
        test = pair.mcnemar
        cells += ["-"] * 3 if test is None else [str(test.only_a), str(test.only_b), p_text(test.p_value)]
        table.add_row(*cells[:shown])
    return table


def types_table(comparison: PairedComparison) -> Table:
    """Return the measure for each type and each system."""
    names = list(comparison.systems)
    table = Table(["type", *names], title="Types", ranks_rows=isinstance(comparison.measure, Measure))
    types = next(iter(comparison.systems.values())).per_type
    for ty in types:
        table.add_row(ty, *(percent(comparison.systems[name].per_type[ty]) for name in names))
    return table


def type_differences_table(comparison: PairedComparison) -> Table:
    """Return the differences for each type between all pairs of systems."""
    heads = ["a", "b", "type", "a - b", f"{100 * comparison.level:g} % interval", "p", "p Holm", ""]
    table = Table(heads, left=3, title="Differences by type")
    for pair in comparison.pairs:
        for ty, difference in pair.per_type.items():
            interval = interval_text(difference.interval, signs=True)
            cells = [p_text(difference.p_value), p_text(difference.p_holm), stars(difference.p_holm)]
            table.add_row(pair.a, pair.b, ty, signed(difference.difference), interval, *cells)
    return table


def tables(comparison: PairedComparison, *, by_type: bool = False) -> list[Table]:
    """Return the tables of a comparison; ``by_type`` adds the differences for each type."""
    shown = [systems_table(comparison), pairs_table(comparison)]
    if next(iter(comparison.systems.values())).per_type:
        shown.append(types_table(comparison))
        if by_type:
            shown.append(type_differences_table(comparison))
    return shown


def shown_parts(
    comparison: PairedComparison, *, by_type: bool = False, titles: bool = True
) -> Iterator[Table | str]:
    """Yield the tables of a comparison, their titles as lines, and the lines below the tables."""
    for at, table in enumerate(tables(comparison, by_type=by_type)):
        if at and titles:
            yield f"\n{table.title}"
        yield table
    unit = "sentences" if "sentences" in comparison.settings else "documents"
    yield f"\n{unit} {comparison.documents}; {explanation(comparison)}"
    yield f"signature {comparison.signature}"


def explanation(comparison: PairedComparison) -> str:
    """Explain the test, the marks of p-values, and the columns of McNemar's test."""
    words = {
        "randomisation": "approximate randomisation",
        "bootstrap": "paired bootstrap",
        "seeds": "a t-test over seeds and documents (at least three seeds of both systems)",
    }
    test = " and ".join(words[name] for name in comparison.settings["test"].split(","))
    samples = comparison.settings["samples"]
    untested = [f"{pair.a} and {pair.b}" for pair in comparison.pairs if math.isnan(pair.p_value)]
    untested_words = f"; not tested: {', '.join(untested)}" if untested else ""
    return (
        f"p-values are two-sided, by {test} with {samples} samples; "
        "* p Holm <= 0.05, ** <= 0.01, *** <= 0.001" + untested_words
    ) + (
        "; only a, only b: gold spans without an error only in a, only in b"
        if any(pair.mcnemar for pair in comparison.pairs)
        else ""
    )


def whiskers_note(comparison: PairedComparison) -> str:
    """Explain the intervals of the systems."""
    level = f"{100 * comparison.level:g}"
    if comparison.has_seeds:
        return f"Bars are means over seeds, whiskers {level} % intervals over seeds and documents."
    samples = comparison.settings["samples"]
    unit = "sentences" if "sentences" in comparison.settings else "documents"
    return (
        f"Whiskers are {level} % percentile intervals of {samples} bootstrap resamples of "
        f"{comparison.documents} {unit}."
    )


def csv_text(comparison: PairedComparison) -> str:
    """Return the pairs as CSV, with a row for each pair, and for each pair and type; differences are fractions."""
    text = StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(
        [
            "a",
            "b",
            "type",
            "difference",
            "low",
            "high",
            "p_value",
            "p_holm",
            "only_a",
            "only_b",
            "p_mcnemar",
        ]
    )
    for pair in comparison.pairs:
        test = pair.mcnemar
        mcnemar = ["", "", ""] if test is None else [test.only_a, test.only_b, test.p_value]
        names = [safe_cell(pair.a), safe_cell(pair.b)]
        numbers = [pair.difference, *pair.interval, pair.p_value, pair.p_holm]
        out.writerow([*names, "", *("" if math.isnan(n) else n for n in numbers), *mcnemar])
        for ty, difference in pair.per_type.items():
            numbers_of_type = [
                difference.difference,
                *difference.interval,
                difference.p_value,
                difference.p_holm,
            ]
            out.writerow(
                [*names, safe_cell(ty), *("" if math.isnan(n) else n for n in numbers_of_type), "", "", ""]
            )
    return text.getvalue()
