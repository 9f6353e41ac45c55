"""The command ``spanrs score``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple, TypeAlias

import click

from spanrs.cli import _generated, console, matchers, options
from spanrs.cli.described import Command
from spanrs.cli.output import Output, table_output
from spanrs.cli.run import explained, print_message
from spanrs.cli.score import plot as plots
from spanrs.cli.score import show
from spanrs.cli.score.bounds import misses_bounds
from spanrs.cli.score.inputs import check_pattern, read_sides, score_all
from spanrs.cli.score.signature import FOUND, Like, read_like
from spanrs.eval import Fair, Result, score
from spanrs.eval.settings import parse_signature
from spanrs.io import AnswerOptions, Pairing
from spanrs.io.paths import is_several
from spanrs.tags.types import Dialect
from spanrs.threads import thread_count

#: Reading options for gold and for pred.
Sides: TypeAlias = tuple[options.SideOptions, options.SideOptions]
#: Maximum number of errors of each kind in an HTML report.
OF_A_KIND = 10_000
#: Parameters without effect with --all-readings.
_NOT_ALL_READINGS = (
    *("kept", "maps", "untyped", "like", "reading", "by_document", "by_sentence", "errors", "fail_under"),
    *("plot", "save", "short_signature", "intervals", "threads"),
)
#: Parameters without effect with --all-settings.
_NOT_ALL_SETTINGS = (
    *("matcher", "align", "all_readings", "pred_scheme", "max_violations", "on_error"),
    *(name for name in _NOT_ALL_READINGS if name not in ("reading", "threads")),
)


class _Command(Command):
    """A command that rejects ``--errors=-1`` as an invalid value; click would parse ``-1`` as an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments."""
        for arg in takewhile(lambda arg: arg != "--", args):
            if arg.startswith("--errors=-"):
                errors = next(param for param in self.params if param.name == "errors")
                errors.type.convert(arg.partition("=")[2], errors, ctx)
        return super().parse_args(ctx, args)


@partial(_generated.score, cls=_Command)
@options.read_arguments
@table_output
@click.pass_context
def command(
    context: click.Context,
    /,
    gold: str,
    preds: tuple[str, ...],
    matcher: str,
    read: dict[str, Any],
    gold_column: Any,
    pred_column: Any,
    gold_annotator: str | None,
    pred_annotator: str | None,
    maps: tuple[str, ...],
    kept: tuple[list[str], ...],
    untyped: bool,
    like: str | None,
    plot: str | None,
    output: Output,
    **given: Any,
) -> None:
    """Score PRED against GOLD; several PRED are scored separately.

    GOLD and PRED are files, directories or quoted patterns ("gold/*.conll"), whose files are paired by name, in any
    format known to spanrs read; "-" is standard input. Without PRED, GOLD contains both sides. Exit status 1: a PRED
    could not be scored, or a measure is lower than --fail-under.
    """
    sides = (
        options.SideOptions(gold_column, gold_annotator),
        options.SideOptions(pred_column, pred_annotator),
    )
    preds = preds or _preds_of_export(gold, sides)
    _check_options(matcher, preds, output)
    _check_files(gold, preds)
    output.check([gold, *preds], ("--save", given["save"]), ("--plot", plot))
    _complete(given)
    if matcher == "mat":
        # Lazy: spanrs.mat is rarely needed.
        from spanrs.cli.score.mat import score_mat

        types = _types(kept), _renames(maps)
        read = options.with_reading(read | {"scheme": given["scheme"]}, given["reading"])
        context.exit(score_mat((gold, preds), sides, read, types, output, given))
    if given["save"] is not None and (maps or kept):
        raise click.UsageError("--save stores all types and cannot be combined with --map or --types")
    wanted = (
        Like()
        if like is None
        else _apply_like(context, read_like(like), given, read.get("dialect", Dialect()))
    )
    matcher = wanted.options.get("matcher", matcher)
    _read_like(read, wanted)
    looks = _looks(matcher, maps, kept, wanted, untyped=untyped)
    # The fair matcher excludes types before matching, because their spans could take part in near misses.
    fair_types = {"types": looks.types, "exclude": wanted.exclude} if matcher == "fair" else {}
    given["matcher"] = matchers.take_matcher(matcher, given, **fair_types)
    bounds = given.pop("fail_under")
    if given.pop("all_settings"):
        _all_settings(gold, preds, sides, output, given | {"read": read})
        return
    if given.pop("all_readings"):
        _all_readings(gold, preds, sides, output, given | {"read": read})
        return
    several = len(preds) > 1
    shown = _shown(given, output, untyped=untyped, several=several, named_documents="documents" in read)
    rows_of_plot = plot is not None and _add_rows_of_plot(given)
    results = score_all(gold, preds, looks.renames, sides, read=read, **given)
    if not results:
        context.exit(2)
    if looks.types is not None:
        results = _keep_types(results, looks.types)
    for step in looks.steps:
        results = {name: result.with_types(step) for name, result in results.items()}
    console.print_warnings(results, gold if preds and sides[0] == sides[1] else None)
    if like is not None:
        _compare_signatures(like, results)
    _write(results, gold, preds, shown, output, plot, untyped=untyped, rows_of_plot=rows_of_plot)
    skipped = console.print_skipped(results)
    if misses_bounds(_bounded(results, bounds)) or skipped or len(results) < len(preds):
        context.exit(1)


def _bounded(
    results: dict[str, Result], bounds: tuple[tuple[str, float], ...]
) -> Iterator[tuple[str, float, float]]:
    """Yield each measure that has a bound, its value and the bound."""
    for name, result in results.items():
        for measure, bound in bounds:
            value = result.accuracy if measure == "accuracy" else getattr(result.micro, measure)
            yield f"{name}: {measure}", value, bound


def _complete(given: dict[str, Any]) -> None:
    """Replace parameters of the command by arguments of the library."""
    given["threads"] = thread_count(given["threads"])
    given["pairing"] = Pairing(*(given.pop(name) for name in ("file_re", "suffix_off", "suffix_on")))
    if given["max_violations"] is None:
        given["max_violations"] = show.LISTED


def _preds_of_export(gold: str, sides: Sides) -> tuple[str, ...]:
    """Return GOLD as PRED if two annotators of an export are specified; otherwise return an empty tuple.

    Raises
    ------
    click.UsageError
        If only one annotator is specified.
    """
    named = [side.annotator for side in sides if side.annotator is not None]
    if len(named) == 1:
        raise click.UsageError("for a single export specify both --gold-annotator and --pred-annotator")
    return (gold,) if named else ()


def _check_options(matcher: str, preds: tuple[str, ...], output: Output) -> None:
    """Refuse options that exclude each other, or that would have no effect."""
    if len(preds) > 1:
        options.refuse(["save", "errors", "intervals", "short_signature"], "several PRED; give one")
        if output.to != "json":
            options.refuse(["by_document", "untyped"], "several PRED without --json")
    if options.given("all_readings"):
        options.refuse(_NOT_ALL_READINGS, "--all-readings")
    if options.given("all_settings"):
        options.refuse(_NOT_ALL_SETTINGS, "--all-settings")
    if options.given("by_document"):
        options.refuse(["by_sentence"], "--by-document")
    if matcher != "mat":
        options.refuse_without("intervals", show.INTERVAL_PARAMETERS)
    options.refuse_without("save", ["shard_name"])
    if output.to == "jsonl" and not options.given("errors"):
        raise click.UsageError("--to jsonl writes errors; add --errors")


def _check_files(gold: str, preds: tuple[str, ...]) -> None:
    """Refuse files that cannot be read together."""
    if (gold, *preds).count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    check_pattern(gold, preds)
    if len(preds) > 1 and gold == "-":
        raise click.UsageError("GOLD is read for each PRED, so it cannot be standard input")
    repeated = sorted({name for name in preds if preds.count(name) > 1})
    if repeated:
        raise click.UsageError(f"{repeated[0]} is given twice")
    if options.given("all_readings") and (len(preds) > 1 or is_several(gold)):
        raise click.UsageError(
            "--all-readings needs one pair of column files, or one column file with both sides"
        )


def _apply_like(context: click.Context, like: Like, given: dict[str, Any], dialect: Dialect) -> Like:
    """Set the options recorded in a signature; refuse options that contradict it."""
    for name, value in like.options.items():
        source = context.get_parameter_source(name)
        current = context.params.get(name)
        if source == click.core.ParameterSource.COMMANDLINE and str(current) != str(value):
            raise click.UsageError(
                f"--like has {name} {value}, but --{name.replace('_', '-')} is {current}"
            )
        if name != "matcher":
            given[name] = value
    if like.dialect and dialect not in (Dialect(), Dialect(**like.dialect)):
        raise click.UsageError("--like contradicts --tag-separator or --suffix")
    return like


def _read_like(read: dict[str, Any], wanted: Like) -> None:
    """Set the reading options recorded in a signature; refuse options of answers that it has already."""
    if wanted.columns is not None:
        read["tags"] = wanted.columns if len(wanted.columns) > 1 else wanted.columns[0]
    if wanted.dialect:
        read["dialect"] = Dialect(**wanted.dialect)
    if wanted.answers:
        if "answers" in read:
            raise click.UsageError("--like already has the options of answers")
        read["answers"] = AnswerOptions(**wanted.answers)


def _compare_signatures(like: str, results: dict[str, Result]) -> None:
    """Warn if the signature of a result differs from the given signature."""
    wanted = {name: value for name, value in parse_signature(like).items() if name not in FOUND}
    for result in results.values():
        settings = {name: value for name, value in result.settings.items() if name not in FOUND}
        if settings != wanted:
            print_message(
                "warning", f"the signature of the result, {result.signature}, differs from --like"
            )


def _add_rows_of_plot(given: dict[str, Any]) -> bool:
    """Keep counts by document or sentence for the intervals of a plot; return whether only the plot needs them.

    A plot does not change the counts that --save writes.
    """
    if given["save"] is not None or given["by"] is not None or given["needs_rows"]:
        return False
    given["needs_rows"] = True
    return True


def _shown(
    given: dict[str, Any], output: Output, *, untyped: bool, several: bool, named_documents: bool
) -> show.Shown:
    """Return the settings of the output; an HTML report has intervals, and errors if there is one system."""
    errors: int | None = given.pop("errors")
    names = ("level", "interval_method", "samples", "seed")
    intervals = show.IntervalOptions(**{name: given.pop(name) for name in names}, threads=given["threads"])
    wanted = given.pop("intervals")
    page = output.to == "html"
    by_document, by_sentence = given.pop("by_document"), given.pop("by_sentence")
    given["by"] = "document" if by_document or named_documents else "sentence" if by_sentence else None
    given["needs_rows"] = bool(wanted or page)
    if output.to == "csv" and (wanted or errors):
        raise click.UsageError(
            "CSV contains only the measures; use text, JSON or HTML for --intervals and --errors"
        )
    # All listed errors may be of the same kind.
    given["errors"] = OF_A_KIND if page else errors if errors is not None else False
    if errors == 0 or several:
        given["errors"] = False
    return show.Shown(
        given["max_violations"],
        untyped,
        errors,
        intervals if wanted else None,
        given.pop("short_signature"),
        documents=given["by"] == "document",
    )


def _write(
    results: dict[str, Result],
    gold: str,
    preds: tuple[str, ...],
    shown: show.Shown,
    output: Output,
    plot: str | None,
    *,
    untyped: bool,
    rows_of_plot: bool,
) -> None:
    """Write the result of a single PRED, or a row for each of several, and then the plot.

    If the counts of each document are only needed for the plot (``rows_of_plot``), the output has no documents, like
    that of results by sentence.
    """
    written = results
    if rows_of_plot:
        written = {name: replace(result, by_sentence=True) for name, result in results.items()}
    if len(preds) > 1:
        show.show_several(written, gold, output, untyped=untyped)
    else:
        ((name, result),) = written.items()
        show.show_one(result, (gold, name), shown, output)
    if plot is not None:
        plots.write_plot(results, plot, shown.intervals)


def _all_readings(
    gold: str,
    preds: tuple[str, ...],
    sides: Sides,
    output: Output,
    given: dict[str, Any],
) -> None:
    """Score under every reading."""
    names = ("scheme", "pred_scheme", "matcher", "max_violations", "align")
    taken = {name: given[name] for name in names}
    with console.quiet(), console.files_bar(gold, *preds) as bar, explained():
        corpora = read_sides(gold, preds[0] if preds else None, sides, given["read"])
        results = score(*corpora, reading="all", progress=bar, **taken)
    if isinstance(results, Result):
        raise TypeError("a single reading returned several results")
    name = preds[0] if preds else gold
    console.print_warnings({name: next(iter(results.values()))})
    show.show_readings(results, output, (gold, name), given["max_violations"])


def _all_settings(
    gold: str, preds: tuple[str, ...], sides: Sides, output: Output, given: dict[str, Any]
) -> None:
    """Score answers under every setting."""
    # Lazy: rarely used.
    from spanrs.cli.score.settings import score_all_settings, show_settings

    if len(preds) != 1:
        raise click.UsageError("--all-settings needs GOLD and one PRED with answers of a model")
    with console.quiet(), explained():
        gold_corpus, pred_corpus = read_sides(gold, preds[0], sides, given["read"])
        if pred_corpus is None:
            raise TypeError("a file with both sides has no answers of a model")
        taken = {name: given[name] for name in ("scheme", "reading", "pairing", "threads")}
        rows = score_all_settings(gold_corpus, pred_corpus, **taken)
    show_settings(rows, output)


class Looks(NamedTuple):
    """Renamed and selected types for showing results."""

    renames: dict[str, str | None]
    """New names of types."""
    types: list[str] | None
    """Types to keep, by their new names."""
    steps: tuple[list[str] | dict[str, str | None], ...]
    """The same settings from a signature, in order."""


def _looks(
    matcher: str, maps: tuple[str, ...], kept: tuple[list[str], ...], wanted: Like, *, untyped: bool
) -> Looks:
    """Return the renamed and selected types; refuse options that the matcher does not support."""
    renames, types, steps = _renames(maps), _types(kept), tuple(wanted.types)
    if steps and (renames or types):
        raise click.UsageError(
            "--like already selects or renames types; it cannot be combined with --map or --types"
        )
    if matcher != "exact" and (maps or untyped):
        raise click.UsageError(f"--map and --untyped cannot be combined with --matcher {matcher}")
    if types is not None and matcher not in ("exact", "fair"):
        raise click.UsageError(f"--types cannot be combined with --matcher {matcher}")
    if matcher == "fair" and steps:
        types, steps = list(steps[0]), ()
    return Looks(renames, types, steps)


def _renames(maps: tuple[str, ...]) -> dict[str, str | None]:
    """Return the new name of each type in --map, or None for types to be removed."""
    renames: dict[str, str | None] = {}
    for text in maps:
        old, equals, new = text.partition("=")
        if not (old and equals):
            raise click.UsageError(f"--map needs FROM=TO, or FROM= to remove FROM, not {text!r}")
        if renames.setdefault(old, new or None) != (new or None):
            raise click.UsageError(f"--map renames {old!r} twice, to {renames[old] or ''!r} and {new!r}")
    return renames


def _keep_types(results: dict[str, Result], types: list[str]) -> dict[str, Result]:
    """Keep only some types; each must occur in gold or in a system."""
    console.require_types(types, {name for result in results.values() for name in result.per_type})
    # The fair matcher has already excluded other types, because their spans could take part in near misses.
    return {
        name: result if isinstance(result.matcher, Fair) else result.with_types(types)
        for name, result in results.items()
    }


def _types(kept: tuple[list[str], ...]) -> list[str] | None:
    """Return the distinct types to keep; None for all."""
    return list(dict.fromkeys(matchers.flattened(kept))) or None
