"""Output of ``spanrs score``."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from spanrs.cli import console
from spanrs.eval import Result, tables
from spanrs.eval.measures import Measure, f1_measures
from spanrs.eval.settings import parse_signature, short_signature
from spanrs.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanrs.cli.output import Output, Rendered


#: Default number of violations listed for each side.
LISTED = 5
#: Parameters without effect without --intervals.
INTERVAL_PARAMETERS = ("level", "interval_method", "samples", "seed")


class Shown(NamedTuple):
    """Settings of the output of a result."""

    max_violations: int
    untyped: bool
    errors: int | None
    intervals: IntervalOptions | None
    short_signature: bool
    documents: bool = True


class IntervalOptions(NamedTuple):
    """Settings for confidence intervals."""

    level: float
    interval_method: str
    samples: int
    seed: int
    threads: int


def base_names(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return results by the base names of their files, if the base names are unique."""
    short = [Path(name).name for name in results]
    names = short if len(set(short)) == len(short) else list(results)
    return dict(zip(names, results.values(), strict=True))


def show_several(results: Mapping[str, Result], gold: str, output: Output, *, untyped: bool) -> None:
    """Write a row for each system."""
    named = base_names(results)

    def as_page() -> str:
        # Lazy: rarely used.
        from spanrs.eval.systems_page import systems_page

        return systems_page(named, title=f"Systems against {Path(gold).name}")

    output.write(
        {
            "text": lambda: tables.systems_parts(named),
            "csv": lambda: tables.systems_csv(named),
            "json": lambda: systems_json(
                {name: result.to_dict(untyped=untyped) for name, result in results.items()}
            ),
            "html": as_page,
        }
    )


def systems_json(systems: Mapping[str, dict[str, Any]]) -> str:
    """Return results as JSON: an object with a list ``systems``, whose items contain the name of PRED."""
    rows = [{"name": name} | result for name, result in systems.items()]
    return json.dumps({"systems": rows}, ensure_ascii=False, allow_nan=False)


def show_one(result: Result, names: tuple[str, str], shown: Shown, output: Output) -> None:
    """Write the result of one system."""
    result_parts = _parts(result, names, shown)

    def as_json() -> str:
        everything = result.to_dict(untyped=shown.untyped)
        if shown.errors is not None and result.errors is not None:
            everything["errors"] = [
                json.loads(line) for line in result.errors.to_jsonl(shown.errors).splitlines()
            ]
        if shown.intervals is not None:
            everything["intervals"] = _intervals(result, shown.intervals)
        return systems_json({names[1]: everything})

    errors = result.errors
    formats: dict[str, Callable[[], Rendered]] = {
        "text": lambda: result_parts,
        "json": as_json,
        "csv": result.to_csv,
        "html": lambda: result.to_html(title=f"{names[1]} against {names[0]}"),
    }
    if errors is not None:
        formats["jsonl"] = lambda: errors.to_jsonl(shown.errors)
    output.write(formats)


def _parts(result: Result, names: tuple[str, str], shown: Shown) -> Iterator[Table | str]:
    parts = list(
        tables.shown_parts(
            result,
            names=names,
            max_violations=shown.max_violations,
            untyped=shown.untyped,
            documents=shown.documents,
        )
    )
    *body, signature = parts
    yield from body
    if shown.intervals is not None:
        yield ""
        yield intervals_table(result, shown.intervals)
    if shown.errors is not None and result.errors is not None:
        # Lazy: rarely used.
        from spanrs.eval.error_lines import error_lines

        yield ""
        yield from error_lines(result.errors, names[0], shown.errors)
    if shown.short_signature:
        signature = f"signature {short_signature(parse_signature(result.signature))}"
    yield signature


def _intervals(result: Result, options: IntervalOptions) -> dict[str, Any]:
    """Return the interval of each measure, by its title."""
    if len(result.counts) == 1:
        unit = "sentence" if result.by_sentence else "document"
        raise click.UsageError(
            f"--intervals resamples {unit}s and needs at least two, but there is 1 {unit}"
            + ("" if result.by_sentence else "; in column files, documents begin with -DOCSTART- lines")
        )
    measures = list(f1_measures(list(result.per_type)))
    with console.resampling_bar(options.samples, len(result.counts)) as bar:
        drawn = result.bootstrap(
            measures, samples=options.samples, seed=options.seed, threads=options.threads, progress=bar
        )
    intervals = {}
    for measure, value in zip(measures, map(float, drawn.estimates), strict=True):
        low, high = drawn.interval(measure, options.level, options.interval_method)
        intervals[measure.title] = {
            name: None if math.isnan(number) else number
            for name, number in (("value", value), ("low", low), ("high", high))
        }
    return {
        "level": options.level,
        "method": options.interval_method,
        "samples": options.samples,
        "seed": options.seed,
        "criterion": result.matcher.criterion,
        "unit": "sentence" if result.by_sentence else "document",
        "measures": intervals,
    }


def intervals_table(result: Result, options: IntervalOptions) -> Table:
    """Return the F1 of all spans and of each type with its interval."""
    unit = "sentences" if result.by_sentence else "documents"
    intervals = _intervals(result, options)
    head = f"{100 * options.level:g} % {options.interval_method} of {len(result.counts)} {unit}"
    # If there are several criteria, the heading contains the criterion.
    criterion = result.matcher.criterion if len(result.matcher.criteria) > 1 else None
    table = Table([head, Measure(criterion=criterion).title, "low", "high"], title="Intervals")
    for name, values in intervals["measures"].items():
        numbers = ("-" if value is None else f"{100 * value:.2f}" for value in values.values())
        table.add_row(name if criterion is None else f"{criterion} {name}", *numbers)
    return table


def show_readings(results: Mapping[str, Result], output: Output, names: tuple[str, str], most: int) -> None:
    """Write F1 under each reading, and the violations that cause the differences."""

    def as_json() -> str:
        everything = {name: result.to_dict() for name, result in results.items()}
        return json.dumps({"readings": everything}, ensure_ascii=False, allow_nan=False)

    output.write(
        {
            "text": lambda: _readings_parts(results, names, most),
            "csv": lambda: tables.systems_csv(results),
            "json": as_json,
        }
    )


def _readings_parts(
    results: Mapping[str, Result], names: tuple[str, str], most: int
) -> Iterator[Table | str]:
    yield tables.systems_table(results, "reading")
    first = next(iter(results.values()))
    number = sum(side.count for side in first.violations.values())
    if not number:
        yield "There are no violations, so all readings give the same result, and --reading refuse accepts the files."
    yield from tables.violation_lines(first, names, most)
    yield from dict.fromkeys(f"signature {result.signature}" for result in results.values())
