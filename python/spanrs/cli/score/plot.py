"""Plots of ``spanrs score``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spanrs.cli.score.show import base_names
from spanrs.eval.measures import Measure, Ratio
from spanrs.eval.pages import default_criterion, draw_intervals, interval_note
from spanrs.io import atomic_output
from spanrs.report.plots import bar_plot, plot_format

if TYPE_CHECKING:
    from spanrs.cli.score.show import IntervalOptions
    from spanrs.eval import Result
    from spanrs.eval.resampling import Bootstrap
    from spanrs.report.plots import Interval


#: Maximum number of documents drawn for the intervals of a plot for which no intervals were requested.
MOST_DRAWS = 10**8


def write_plot(results: Mapping[str, Result], path: str, options: IntervalOptions | None) -> None:
    """Draw the F1 of each type and system, with bootstrap intervals if there are several documents or sentences.

    Parameters
    ----------
    results : mapping of str to Result
        The systems by name.
    path : str
        The plot file.
    options : IntervalOptions, optional
        Settings of the intervals that are also printed; by default 95 % percentile intervals, of as many resamples as
        take about a second.
    """
    named = base_names(results)
    types = sorted({name for result in results.values() for name in result.per_type})
    values = {
        name: [
            *(result.per_type[ty].f1 if ty in result.per_type else math.nan for ty in types),
            result.micro.f1,
        ]
        for name, result in named.items()
    }
    drawn = {name: _drawn(result, options) for name, result in named.items()}
    how = (0.95, "percentile") if options is None else (options.level, options.interval_method)
    name, first = next(iter(named.items()))
    picture = bar_plot(
        [*types, "micro"],
        values,
        Measure(criterion=default_criterion(first)).title,
        plot_format(path),
        intervals={name: _intervals(of_system, types, how) for name, of_system in drawn.items()},
        caption=interval_note(first, drawn[name], *how),
    )
    with atomic_output(path) as out:
        out.write(picture)


def _drawn(result: Result, options: IntervalOptions | None) -> Bootstrap | None:
    if options is None:
        return draw_intervals(result, _measures(result), MOST_DRAWS)
    return result.bootstrap(
        _measures(result), samples=options.samples, seed=options.seed, threads=options.threads
    )


def _measures(result: Result) -> list[Measure | Ratio]:
    return [*(Measure(type=ty) for ty in result.per_type), Measure()]


def _intervals(
    drawn: Bootstrap | None, types: Sequence[str], how: tuple[float, str]
) -> list[Interval | None]:
    """Return the interval of F1 for each type and for all spans; None if it is unknown."""
    if drawn is None:
        return [None] * (len(types) + 1)
    measures = [*(Measure(type=ty) for ty in types), Measure()]
    return [drawn.interval(measure, *how) if measure in drawn.measures else None for measure in measures]
