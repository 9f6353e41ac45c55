"""``spanrs score``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from spanrs import _spanrs
from spanrs.cli import console, options
from spanrs.cli.run import describe, print_message
from spanrs.errors import AlignmentError, SpanrsError
from spanrs.eval import Fair, Result, score_files
from spanrs.eval import tables as report
from spanrs.eval.matchers import MATCHINGS, from_dict
from spanrs.io import Columns

#: Matchers that take options, and which.
OPTIONS = {"fair": ("weights", "focus"), "partial": ("matching", "min_overlap")}


def _side_columns(function: options.F) -> options.F:
    """Add the options that say in which columns the tags of gold and of pred stand."""
    for side in ("pred", "gold"):
        function = click.option(
            f"--{side}-column",
            type=options.several_columns,
            metavar="COLUMN",
            help=f"Column of the {side} tags, where one file holds both or the two files differ.",
        )(function)
    return function


@click.command()
@click.argument("gold")
@click.argument("preds", metavar="[PRED]...", nargs=-1)
@click.option(
    "--matcher",
    type=click.Choice(_spanrs.matchers()),
    default="exact",
    help="exact: spans of equal type and bounds; partial: spans that overlap; fair: near misses are counted as what "
    "they are.",
)
@options.scheme()
@click.option(
    "--pred-scheme",
    metavar="SCHEME",
    help="Scheme of pred, where it is another one than that of gold; spans are compared. Without it, where --scheme "
    "is auto, it is found out if pred is clearly in another one.",
)
@options.reading()
@options.columns
@_side_columns
@click.option(
    "--on-misaligned",
    type=click.Choice(["refuse", "report", "ignore"]),
    default="refuse",
    help="Where tokens of gold and pred differ: an error, counted, or not compared. Sentences must agree.",
)
@click.option("--by-document", is_flag=True, help="A row for each document of gold as well.")
@click.option(
    "--violations", "max_violations", type=options.COUNT, default=5, help="Violations to list a side."
)
@click.option(
    "--map",
    "maps",
    metavar="FROM=TO",
    multiple=True,
    help="Count spans of type FROM as of type TO; FROM= leaves them out. Repeatable.",
)
@click.option(
    "--types",
    "kept",
    metavar="TYPE,...",
    multiple=True,
    help="Count these types only, by the names --map gives them. Repeatable.",
)
@click.option("--untyped", is_flag=True, help="A row for spans by their bounds alone as well.")
@click.option(
    "--weights",
    metavar="FORMULAS",
    help="With --matcher fair: paper (the default), default, or formulas, as for spanrs fair.",
)
@click.option("--focus", metavar="gold|pred", help="With --matcher fair: whose type LE and LBE count for.")
@click.option(
    "--matching", type=click.Choice(MATCHINGS), help="With --matcher partial: how pairs are made (greedy)."
)
@click.option(
    "--min-overlap",
    type=click.FloatRange(0, 1),
    help="With --matcher partial: the share of the gold span that a pair needs.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object; fractions, not per cent.")
@click.pass_context
def command(
    context: click.Context,
    /,
    gold: str,
    preds: tuple[str, ...],
    matcher: str,
    columns: Columns,
    gold_column: Any,
    pred_column: Any,
    maps: tuple[str, ...],
    kept: tuple[str, ...],
    untyped: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Score PRED against GOLD, two files with one token a line; of several PRED each by itself.

    With GOLD alone the file holds both: gold tags in the last column but one, pred tags in the last, or
    where --gold-column and --pred-column say. "-" is standard input; gzip and zstd are read as they are.

    Measures are printed in per cent, in --json as fractions. Several PRED give a table with a row for
    each, and in --json an object by their names. A PRED that cannot be scored is reported on standard error
    and skipped; the exit status is then 1.
    """
    if (gold, *preds).count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    if len(preds) > 1 and gold == "-":
        raise click.UsageError("GOLD is read for each PRED, so it cannot be standard input")
    doubled = sorted({name for name in preds if preds.count(name) > 1})
    if doubled:
        raise click.UsageError(f"{doubled[0]} is named twice")
    if len(preds) > 1 and not as_json and (untyped or given["by_document"]):
        raise click.UsageError("of several PRED --by-document and --untyped are shown in --json alone")
    pred_columns = columns if pred_column is None else columns._replace(tag=pred_column)
    if gold_column is not None:
        columns = columns._replace(tag=gold_column)
    if not preds:
        # By default score_files uses the last two columns.
        columns = columns._replace(
            second=-1 if pred_column is None and gold_column is not None else pred_column
        )
        pred_columns = columns
    renames, types = _renames(maps), _types(kept)
    if matcher != "exact" and (maps or untyped):
        raise click.UsageError(f"--map and --untyped do not go with --matcher {matcher}")
    if types is not None and matcher not in ("exact", "fair"):
        raise click.UsageError(f"--types does not go with --matcher {matcher}")
    own = _own_options(matcher, given)
    if matcher == "fair":
        # Types are left out before, because they could take part in near misses.
        own["types"] = types
    given["matcher"] = from_dict({"name": matcher} | own)
    results = _score_all(gold, preds, renames, columns=columns, pred_columns=pred_columns, **given)
    if not results:
        context.exit(2)
    if types is not None:
        results = _keep_types(results, types)
    console.print_warnings(results, gold if preds and columns == pred_columns else None)
    most: int = given["max_violations"]
    _show(results, gold, most, several=len(preds) > 1, untyped=untyped, as_json=as_json)
    if len(results) < len(preds):
        context.exit(1)


def _own_options(matcher: str, given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of a matcher out of all that are given; refuse those of others."""
    found: dict[str, Any] = {}
    for owner, names in OPTIONS.items():
        own = {name: given.pop(name) for name in names}
        named = [f"--{name.replace('_', '-')}" for name, value in own.items() if value is not None]
        if named and matcher != owner:
            verb = "goes" if len(named) == 1 else "go"
            raise click.UsageError(f"{' and '.join(named)} {verb} with --matcher {owner}")
        # Empty values are the defaults.
        found |= {name: value for name, value in own.items() if value}
    if "focus" in found:
        from spanrs.compat.faireval import fair_config

        found["focus"] = fair_config.focus(found["focus"])
    return found


def _score_all(
    gold: str, preds: tuple[str, ...], renames: dict[str, str | None], **given: Any
) -> dict[str, Result]:
    """Give the result of each PRED; of several, report those that cannot be scored."""
    results = {}
    for name in preds or (gold,):
        try:
            result = console.score_quietly(score_files, *((gold, name) if preds else (gold,)), **given)
            for absent in sorted(set(renames) - set(result.per_type)):
                print_message("note", f"no span has type {absent}")
            results[name] = result.with_types(renames) if renames else result
        except (SpanrsError, OSError) as error:
            # What is wrong with gold is wrong for every pred; only misaligned tokens are named by their place there.
            path = getattr(error, "path", None) or getattr(error, "filename", None)
            of_gold = path == gold and not isinstance(error, AlignmentError)
            if len(preds) < 2 or of_gold or str(error).startswith("gold: "):
                raise
            print_message("error", f"{describe(error)}; {name} is left out")
    return results


def _show(
    results: dict[str, Result], gold: str, most: int, *, several: bool, untyped: bool, as_json: bool
) -> None:
    """Print the result of a file, with at most so many violations; of several a row for each."""
    if several:
        if as_json:
            everything = {name: result.to_dict(untyped=untyped) for name, result in results.items()}
            click.echo(json.dumps(everything, ensure_ascii=False, allow_nan=False))
            return
        short = [Path(name).name for name in results]
        # Base names are enough if they are unique.
        names = short if len(set(short)) == len(short) else list(results)
        console.echo_table(report.render_systems(dict(zip(names, results.values(), strict=True))))
        return
    ((name, result),) = results.items()
    layout: dict[str, Any] = {"names": (gold, name), "max_violations": most, "untyped": untyped}
    if as_json:
        click.echo(result.to_json(untyped=untyped, state=False))
    elif sys.stdout.isatty():
        from rich.console import Console

        report.show(Console(), result, **layout)
    else:
        console.echo_table(report.render(result, **layout))


def _renames(maps: tuple[str, ...]) -> dict[str, str | None]:
    """Give the new name of each type that --map names; None leaves it out."""
    renames: dict[str, str | None] = {}
    for text in maps:
        old, equals, new = text.partition("=")
        if not (old and equals):
            raise click.UsageError(f"--map wants FROM=TO, or FROM= to leave FROM out, not {text!r}")
        if renames.setdefault(old, new or None) != (new or None):
            raise click.UsageError(f"--map gives two names to {old!r}: {renames[old] or ''!r} and {new!r}")
    return renames


def _keep_types(results: dict[str, Result], types: list[str]) -> dict[str, Result]:
    """Look at some types only, which one of the systems or gold must have."""
    console.require_types(types, {name for result in results.values() for name in result.per_type})
    # Fair matching has left out the others already, because they could take part in near misses.
    return {
        name: result if isinstance(result.matcher, Fair) else result.with_types(types)
        for name, result in results.items()
    }


def _types(kept: tuple[str, ...]) -> list[str] | None:
    """Give the types to keep, each once; None for all."""
    names = [name.strip() for text in kept for name in text.split(",")]
    if "" in names:
        raise click.UsageError("--types wants names of types, separated by commas")
    return list(dict.fromkeys(names)) or None
