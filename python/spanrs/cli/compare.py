"""``spanrs compare``."""

from __future__ import annotations

import math
import os
from glob import glob
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from spanrs.cli import _generated, console, matchers, options
from spanrs.cli.merge import read_counts
from spanrs.cli.output import Output, table_output
from spanrs.cli.run import explained
from spanrs.cli.score.bounds import misses_bounds
from spanrs.cli.score.inputs import check_both_several
from spanrs.cli.score.show import base_names
from spanrs.eval import Comparison, Measure, Result, compare, score
from spanrs.eval import comparison_tables as tables
from spanrs.eval.comparison_tables import whiskers_note
from spanrs.eval.corpora import default_unit
from spanrs.eval.matcher import Matcher
from spanrs.eval.stored import MAGIC
from spanrs.io import Corpus, atomic_output
from spanrs.io.reader import read_both, read_gold
from spanrs.report.plots import interval_plot, plot_format
from spanrs.threads import thread_count

#: Parameters that do not concern reading and scoring.
OF_COMPARISON = {
    *(
        "paths",
        "groups",
        "baseline",
        "average",
        "part",
        "criterion",
        "ty",
        "significance_test",
        "by_type",
        "level",
    ),
    *("samples", "seed", "threads", "plot", "fail_under", "to", "output_path", "as_json", "help_all"),
}


@_generated.compare
@options.read_arguments
@table_output
def command(
    paths: tuple[str, ...],
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

    GOLD and the systems are the same inputs as in spanrs score, or counts that spanrs score --by-sentence --save wrote;
    if all systems are counts, there is no GOLD. All pairs are tested; p-values are two-sided, and p Holm is corrected
    for the number of pairs.
    """
    gold, systems = _inputs(paths, _group_members(groups))
    files = [path for of_system in systems.values() for path in of_system]
    if given["align"] == "characters" and unit == "sentence":
        raise click.UsageError("--align characters compares documents; leave out --unit sentence")
    if baseline is not None:
        # The path of a system may be given instead of its name.
        named = {path: name for name, (path, *rest) in systems.items() if not rest}
        baseline = named.get(baseline, baseline)
    if baseline is not None and baseline not in systems:
        raise click.UsageError(
            f"--baseline {baseline}: there is no such system; there are {', '.join(systems)}"
        )
    output.check([*([gold] if gold else []), *files], ("--plot", plot))
    part = {name: given.pop(name) for name in ("average", "part", "criterion")}
    ty = given.pop("ty")
    measure = Measure(part.pop("part"), type=ty, **part)
    bounds = _bounds(fail_under, measure)
    test = {name: given.pop(name) for name in ("samples", "seed", "level")}
    test["test"] = given.pop("significance_test")
    if gold is None:
        _refuse_scoring_options()
        with explained():
            results = {path: read_counts(path) for path in files}
        _check_criterion(next(iter(results.values())).matcher, measure)
    else:
        chosen = matchers.take_matcher(matcher, given)
        _check_criterion(chosen, measure)
        results = _results(gold, files, read, unit, given | {"matcher": chosen})
    console.print_warnings(results, gold)
    if ty is not None:
        console.require_types([ty], {name for result in results.values() for name in result.per_type})
    compared = {name: [results[path] for path in of_system] for name, of_system in systems.items()}
    with console.resampling_bar(
        test["samples"] * (1 + _exchanged_pairs(systems, baseline, test["test"])),
        len(next(iter(results.values())).counts),
    ) as bar:
        options_of_test: dict[str, Any] = {"measure": measure, "baseline": baseline, **test}
        comparison = compare(compared, threads=thread_count(threads), progress=bar, **options_of_test)
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


def _inputs(
    paths: tuple[str, ...], members: dict[str, list[str]]
) -> tuple[str | None, dict[str, list[str]]]:
    """Return GOLD, which is None if all systems are counts, and the files of each system."""
    grouped = [path for of_group in members.values() for path in of_group]
    if all(_is_saved(path) for path in (*paths, *grouped)):
        gold, preds = None, paths
    elif paths:
        gold, *rest = paths
        preds = tuple(rest)
    else:
        raise click.UsageError("GOLD is missing; only counts (spanrs score --by-sentence --save) need none")
    systems = _systems(preds, members)
    if gold is not None and _is_saved(gold):
        raise click.UsageError(
            f"{gold} has counts, but not all systems are counts, so GOLD must come first"
        )
    files = [path for of_system in systems.values() for path in of_system]
    if len(systems) < 2:
        raise click.UsageError("a comparison needs at least two systems")
    if gold is not None and all(map(_is_saved, files)):
        raise click.UsageError(
            "all systems are counts, which have been scored against gold; leave out GOLD"
        )
    if "-" in files:
        raise click.UsageError("only GOLD can be standard input; systems must be files")
    if gold is not None and os.path.realpath(gold) in {os.path.realpath(path) for path in grouped}:
        raise click.UsageError(f"GOLD {gold} matches the pattern of a group")
    return gold, systems


def _group_members(groups: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the files that match the pattern of each group."""
    members: dict[str, list[str]] = {}
    for group in groups:
        name, equals, pattern = group.partition("=")
        if not (name and equals and pattern):
            raise click.UsageError(f"--group {group}: expected NAME=PATTERN")
        paths = sorted(glob(pattern, recursive=True))
        if not paths:
            raise click.UsageError(f"--group {group}: no file matches {pattern}")
        members.setdefault(name, []).extend(paths)
    return members


def _systems(preds: tuple[str, ...], members: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the files of each system: those of each group, and one for each argument."""
    files: set[str] = set()
    for path in (*preds, *(path for paths in members.values() for path in paths)):
        if os.path.realpath(path) in files:
            raise click.UsageError(f"a system is given twice: {path}")
        files.add(os.path.realpath(path))
    systems = dict(members)
    for name, path in base_names({path: path for path in preds}).items():
        if name in systems:
            raise click.UsageError(f"{path} has the same name as a group; rename one of them")
        systems[name] = [path]
    return systems


def _exchanged_pairs(systems: dict[str, list[str]], baseline: str | None, test: str) -> int:
    """Return the number of pairs of single results whose outputs are exchanged."""
    singles = [name for name, files in systems.items() if len(files) == 1]
    if test == "bootstrap":
        return 0
    return math.comb(len(singles), 2) if baseline is None else (len(singles) - 1) * (baseline in singles)


def _check_criterion(matcher: Matcher, measure: Measure) -> None:
    """Refuse a criterion or a measure that the matcher does not have."""
    if measure.criterion is not None and measure.criterion not in matcher.criteria:
        criteria = ", ".join(matcher.criteria)
        raise click.UsageError(
            f"the matcher {matcher.name} has no criterion {measure.criterion!r}; expected one of {criteria}"
        )
    measure.compiled(matcher)


def _refuse_scoring_options() -> None:
    """Refuse options of reading and scoring, which saved counts do not need."""
    context = click.get_current_context()
    for name in context.params:
        if name not in OF_COMPARISON and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            option = next(param.opts[0] for param in context.command.params if param.name == name)
            raise click.UsageError(f"{option} is an option of scoring, but counts have already been scored")


def _is_saved(path: str) -> bool:
    """Return whether a file has counts that spanrs score --save wrote."""
    if path == "-" or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def _results(
    gold: str, paths: list[str], read: dict[str, Any], unit: str | None, given: dict[str, Any]
) -> dict[str, Result]:
    """Score the systems against gold, and read those that are saved counts."""
    results: dict[str, Result] = {}
    for path in paths:
        if not _is_saved(path):
            check_both_several(gold, path)
    with explained():
        sources = read_gold(console.source(gold), read)
    for path in paths:
        if _is_saved(path):
            with explained():
                results[path] = read_counts(path)
            continue
        # Each system has its own progress bar.
        with console.quiet(), console.files_bar(gold, path) as bar, explained():
            pair = read_both((sources, {}), (path, read))
            by = unit or default_unit(pair, given["align"])
            results[path] = score(*pair, errors=True, by=by, progress=bar, **given)
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
    caption = whiskers_note(comparison).replace("Bars", "Points")
    picture = interval_plot(values, comparison.measure.title, plot_format(path), caption=caption)
    with atomic_output(path) as out:
        out.write(picture)
