"""``spanrs compare``."""

from __future__ import annotations

import math
from glob import glob
from pathlib import Path
from typing import Any

import click

from spanrs.cli import _generated, console, matchers, options
from spanrs.cli.merge import read_counts
from spanrs.cli.output import Output, table_output
from spanrs.cli.run import explained
from spanrs.cli.score.bounds import misses_bounds
from spanrs.cli.score.show import base_names
from spanrs.eval import Comparison, Measure, Result, compare, score
from spanrs.eval import comparison_tables as tables
from spanrs.eval.corpora import default_unit
from spanrs.eval.stored import MAGIC
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
    groups: tuple[str, ...],
    baseline: str | None,
    threads: int,
    fail_under: tuple[tuple[str, float], ...],
    output: Output,
    **given: Any,
) -> None:
    """Test which differences between systems are significant.

    GOLD and the systems are the same inputs as in spanrs score: files, directories, tables. If GOLD is also a file of
    counts (spanrs score --by-sentence --save), all arguments are systems. All pairs of systems are tested. p-values are
    two-sided; p Holm is corrected for the number of pairs. McNemar's test counts the gold spans that only one of two
    systems predicted correctly.
    """
    if _is_saved(gold):
        # Counts have been scored against gold, so there is none here.
        gold, preds = "", (gold, *preds)
    systems = _systems(preds, groups)
    paths = [path for members in systems.values() for path in members]
    if len(systems) < 2:
        raise click.UsageError("a comparison needs at least two systems")
    if "-" in paths:
        raise click.UsageError("only GOLD can be standard input; systems must be files")
    if given["align"] == "characters" and unit == "sentence":
        raise click.UsageError("--align characters compares documents; leave out --unit sentence")
    if baseline is not None and baseline not in systems:
        raise click.UsageError(
            f"--baseline {baseline}: there is no such system; there are {', '.join(systems)}"
        )
    output.check([gold, *paths], ("--plot", plot))
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
    results = _results(gold, paths, read, unit, given | {"matcher": chosen})
    console.print_warnings(results, gold)
    if ty is not None:
        console.require_types([ty], {name for result in results.values() for name in result.per_type})
    several = any(len(members) > 1 for members in systems.values())
    if several and test["test"] != "randomisation":
        raise click.UsageError(
            "--significance-test bootstrap is for single results; seeds have a test of their own"
        )
    pairs = len(systems) - 1 if baseline is not None else math.comb(len(systems), 2)
    rounds = test["samples"] * (1 + (0 if several or test["test"] == "bootstrap" else pairs))
    documents = len(next(iter(results.values())).counts)
    compared = {name: [results[path] for path in members] for name, members in systems.items()}
    with console.resampling_bar(rounds, documents) as bar:
        threads = thread_count(threads)
        options_of_test: dict[str, Any] = {"measure": measure, "baseline": baseline, **test}
        comparison = compare(compared, threads=threads, progress=bar, **options_of_test)
    output.write(
        {
            "text": lambda: tables.shown_parts(comparison, by_type=by_type),
            "markdown": lambda: tables.shown_parts(comparison, by_type=by_type, titles=False),
            "latex": lambda: tables.shown_parts(comparison, by_type=by_type, titles=False),
            "csv": lambda: tables.csv_text(comparison),
            "json": comparison.to_json,
            "html": lambda: comparison.to_html(
                title=f"Systems against {Path(gold).name}" if gold else "Systems"
            ),
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


def _systems(preds: tuple[str, ...], groups: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the paths of each system: one for each argument, and those that match the pattern of a group."""
    systems: dict[str, list[str]] = {}
    for group in groups:
        name, equals, pattern = group.partition("=")
        if not (name and equals and pattern):
            raise click.UsageError(f"--group {group}: expected NAME=PATTERN")
        paths = sorted(glob(pattern, recursive=True))
        if not paths:
            raise click.UsageError(f"--group {group}: no file matches {pattern}")
        systems.setdefault(name, []).extend(paths)
    given = [*preds, *(path for paths in systems.values() for path in paths)]
    if len(set(given)) < len(given):
        raise click.UsageError("a system is given twice")
    for name, path in base_names({path: path for path in preds}).items():
        if name in systems:
            raise click.UsageError(f"{path} is called like a group; rename one of them")
        systems[name] = [path]
    return systems


def _is_saved(path: str) -> bool:
    """Return whether a file has counts that spanrs score --save wrote."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _results(
    gold: str, paths: list[str], read: dict[str, Any], unit: str | None, given: dict[str, Any]
) -> dict[str, Result]:
    """Score the systems against gold, and read those that are saved counts; gold is empty if all are."""
    results: dict[str, Result] = {}
    sources = None
    saved = [path for path in paths if _is_saved(path)]
    if gold and len(saved) == len(paths):
        raise click.UsageError("these counts have already been scored against gold; leave out GOLD")
    if not gold and len(saved) < len(paths):
        raise click.UsageError(
            f"{next(path for path in paths if path not in saved)} is not a file of counts, so GOLD must come first"
        )
    for path in paths:
        if path in saved:
            with explained():
                results[path] = read_counts(path)
            continue
        if sources is None:
            with explained():
                sources = read_corpus(console.source(gold), **read)
        # Each system has its own progress bar.
        with console.quiet(), console.files_bar(gold, path) as bar, explained():
            pair = read_both((sources, {}), (path, read))
            by = unit or default_unit(pair, given["align"])
            results[path] = score(*pair, errors=True, by=by, progress=bar, **given)
    if sources is not None:
        _require_two_documents(gold, sources, results)
    return results


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
