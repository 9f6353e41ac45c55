"""``spanrs compare``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from spanrs.cli import _generated, console, matchers, options
from spanrs.cli.output import Output, table_output
from spanrs.cli.run import explained
from spanrs.cli.score.bounds import misses_bounds
from spanrs.cli.score.show import base_names
from spanrs.eval import Comparison, Measure, Result, compare, score
from spanrs.eval import comparison_tables as tables
from spanrs.eval.corpora import default_unit
from spanrs.io import Corpus, atomic_output
from spanrs.io import read as read_corpus
from spanrs.io.reader import read_both
from spanrs.report.plots import interval_plot, plot_format
from spanrs.threads import thread_count


@_generated.compare
@options.read_arguments
@table_output
def command(
    gold: str,
    preds: tuple[str, ...],
    matcher: str,
    read: dict[str, Any],
    unit: str | None,
    by_type: bool,
    plot: str | None,
    threads: int,
    fail_under: tuple[tuple[str, float], ...],
    output: Output,
    **given: Any,
) -> None:
    """Test which differences between systems are significant.

    GOLD and the systems are the same inputs as in spanrs score. All pairs of systems are tested. p-values are
    two-sided; p Holm is corrected for the number of pairs. McNemar's test counts the gold spans that only one of two
    systems predicted correctly.
    """
    if len(preds) < 2:
        raise click.UsageError("a comparison needs at least two systems")
    if len(set(preds)) < len(preds):
        raise click.UsageError("a system is given twice")
    if "-" in preds:
        raise click.UsageError("only GOLD can be standard input; systems must be files")
    if given["align"] == "characters" and unit == "sentence":
        raise click.UsageError("--align characters compares documents; leave out --unit sentence")
    output.check([gold, *preds], ("--plot", plot))
    part = {name: given.pop(name) for name in ("average", "part", "criterion")}
    chosen = matchers.take_matcher(matcher, given)
    if part["criterion"] is not None and part["criterion"] not in chosen.criteria:
        criteria = ", ".join(chosen.criteria)
        raise click.UsageError(
            f"the matcher {matcher} has no criterion {part['criterion']!r}; expected one of {criteria}"
        )
    ty = given.pop("ty")
    measure = Measure(part.pop("part"), type=ty, **part)
    measure.compiled(chosen)
    bounds = _bounds(fail_under, measure)
    test = {name: given.pop(name) for name in ("samples", "seed", "level")}
    test["test"] = given.pop("significance_test")
    results: dict[str, Result] = {}
    with explained():
        sources = read_corpus(console.source(gold), **read)
    for name in preds:
        # Each system has its own progress bar.
        with console.quiet(), console.files_bar(gold, name) as bar, explained():
            pair = read_both((sources, {}), (name, read))
            by = unit or default_unit(pair, given["align"])
            results[name] = score(*pair, matcher=chosen, errors=True, by=by, progress=bar, **given)
    console.print_warnings(results, gold)
    if ty is not None:
        console.require_types([ty], {name for result in results.values() for name in result.per_type})
    _require_two_documents(gold, sources, results)
    pairs = math.comb(len(results), 2) if test["test"] == "randomisation" else 0
    rounds = test["samples"] * (1 + pairs)
    documents = len(next(iter(results.values())).counts)
    with console.resampling_bar(rounds, documents) as bar:
        threads = thread_count(threads)
        comparison = compare(base_names(results), measure=measure, threads=threads, progress=bar, **test)
    output.write(
        {
            "text": lambda: tables.shown_parts(comparison, by_type=by_type),
            "markdown": lambda: tables.shown_parts(comparison, by_type=by_type, titles=False),
            "latex": lambda: tables.shown_parts(comparison, by_type=by_type, titles=False),
            "csv": lambda: tables.csv_text(comparison),
            "json": comparison.to_json,
            "html": lambda: comparison.to_html(title=f"Systems against {Path(gold).name}"),
        }
    )
    if plot is not None:
        _write_plot(comparison, plot)
    values = comparison.systems.items()
    title = measure.title
    if misses_bounds(
        (f"{name}: {title}", system.value, least) for name, system in values for least in bounds
    ):
        click.get_current_context().exit(1)


def _bounds(fail_under: tuple[tuple[str, float], ...], measure: Measure) -> list[float]:
    """Return the lower bounds of the measure that is compared; refuse bounds of other measures."""
    for name, _ in fail_under:
        if name != measure.name:
            raise click.UsageError(
                f"--fail-under {name}: the measure compared is {measure.name}; choose another with --part"
            )
    return [least for _, least in fail_under]


def _require_two_documents(name: str, gold: Corpus, results: dict[str, Result]) -> None:
    """Refuse a comparison by document if gold is a single document.

    Raises
    ------
    click.UsageError
    """
    if all(result.by_sentence or len(result.counts) > 1 for result in results.values()):
        return
    message = f"{name} is one document, but a test needs at least two"
    if gold.parts[0].kind == "rows":
        message += ": there are no -DOCSTART- lines, which begin documents; use --unit sentence"
        message += (
            ", without --align characters"
            if any("align" in result.settings for result in results.values())
            else ""
        )
    raise click.UsageError(message)


def _write_plot(comparison: Comparison, path: str) -> None:
    values = {name: (system.value, *system.interval) for name, system in comparison.systems.items()}
    picture = interval_plot(values, comparison.measure.title, plot_format(path))
    with atomic_output(path) as out:
        out.write(picture)
