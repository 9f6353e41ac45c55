"""``spanrs score``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from spanrs import _spanrs
from spanrs.cli.options import (
    AMOUNT,
    COLUMNS,
    column_options,
    echo_table,
    note_same_file,
    print_warnings,
    progress,
    reading_option,
    require_types,
    scheme_option,
    source,
)
from spanrs.cli.run import describe
from spanrs.errors import AlignmentError, SpanrsError
from spanrs.eval import Fair, Matcher, Partial, Result, Scorer, fair_config
from spanrs.eval import tables as report
from spanrs.eval.files import score_with
from spanrs.eval.matchers import MATCHINGS, as_matcher
from spanrs.io import Columns
from spanrs.tags.types import Dialect, is_auto


@click.command()
@click.argument("gold")
@click.argument("preds", metavar="[PRED]...", nargs=-1)
@click.option(
    "--matcher",
    type=click.Choice(_spanrs.matchers()),
    default="exact",
    show_default=True,
    help="exact: spans of equal type and bounds; partial: spans that overlap; fair: near misses are counted as what "
    "they are.",
)
@scheme_option()
@click.option(
    "--pred-scheme",
    metavar="SCHEME",
    help="Scheme of pred, where it is another one than that of gold; spans are compared. Without it, where --scheme "
    "is auto, it is found out if pred is clearly in another one.",
)
@reading_option()
@column_options
@click.option(
    "--gold-column",
    type=COLUMNS,
    help="Column of the gold tags, where one file holds both or the two files differ.",
)
@click.option(
    "--pred-column",
    type=COLUMNS,
    help="Column of the pred tags, where one file holds both or the two files differ.",
)
@click.option(
    "--on-misaligned",
    type=click.Choice(["refuse", "report", "ignore"]),
    default="refuse",
    show_default=True,
    help="Where tokens of gold and pred differ: an error, counted, or not compared. Sentences must agree.",
)
@click.option("--by-document", is_flag=True, help="A row for each document of gold as well.")
@click.option(
    "--violations",
    "max_violations",
    type=AMOUNT,
    default=5,
    show_default=True,
    help="Violations to list a side.",
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
def command(
    gold: str,
    preds: tuple[str, ...],
    matcher: str,
    scheme: str,
    pred_scheme: str | None,
    reading: str,
    columns: Columns,
    dialect: Dialect,
    gold_column: Any,
    pred_column: Any,
    on_misaligned: str,
    by_document: bool,
    max_violations: int,
    maps: tuple[str, ...],
    kept: tuple[str, ...],
    untyped: bool,
    weights: str | None,
    focus: str | None,
    matching: str | None,
    min_overlap: float | None,
    as_json: bool,
) -> None:
    """Score PRED against GOLD, two files with one token a line; of several PRED each by itself.

    With GOLD alone the file holds both: gold tags in the last column but one, pred tags in the last, or
    where --gold-column and --pred-column say. "-" is standard input; gzip and zstd are read as they are.

    Measures are printed in per cent, in --json as fractions. Several PRED give a table with a row for
    each, and in --json an object by their names. A PRED that cannot be scored is reported on standard error
    and skipped; the exit status is then 1.
    """
    names = (gold, *preds)
    if names.count("-") > 1:
        raise click.UsageError("only one file can be standard input")
    if len(preds) > 1 and "-" in names[:1]:
        raise click.UsageError("GOLD is read for each PRED, so it cannot be standard input")
    doubled = sorted({name for name in preds if preds.count(name) > 1})
    if doubled:
        raise click.UsageError(f"{doubled[0]} is named twice")
    pred_named = bool(preds)
    columns, pred_columns = _columns(columns, pred_named, gold_column, pred_column)
    renames, types = _renames(maps), _types(kept)
    if matcher != "exact" and (maps or untyped):
        raise click.UsageError(f"--map and --untyped do not go with --matcher {matcher}")
    if types is not None and matcher not in ("exact", "fair"):
        raise click.UsageError(f"--types does not go with --matcher {matcher}")
    job = _Job(
        _matcher(
            matcher,
            types,
            {"weights": weights, "focus": focus},
            {"matching": matching, "min_overlap": min_overlap},
        ),
        scheme,
        pred_scheme,
        reading,
        columns,
        pred_columns,
        dialect,
        on_misaligned,
        max_violations,
        by_document,
    )

    def score(pred: str | None) -> Result:
        return job.score(gold, pred, renames)

    results = _score_all(score, gold, preds) if len(preds) > 1 else {}
    if len(preds) < 2:
        results[preds[0] if preds else gold] = score(preds[0] if preds else None)
    results = _keep_types(results, types)
    failed = len(results) < len(preds)
    for name in results:
        if columns == pred_columns and preds:
            note_same_file(gold, name)
    print_warnings(results)
    if len(preds) < 2:
        ((name, result),) = results.items()
        _show(result, (gold, name), max_violations, untyped=untyped, as_json=as_json)
    elif results:
        _show_all(results, untyped=untyped, as_json=as_json)
    if failed:
        click.get_current_context().exit(1 if results else 2)


def _matcher(
    name: str, types: list[str] | None, fair: dict[str, Any], partial_options: dict[str, Any]
) -> Matcher:
    """Give the matcher the options ask for; types are left out before, because they could take part in near misses."""
    for owner, options in (("fair", fair), ("partial", partial_options)):
        given = [f"--{option.replace('_', '-')}" for option, value in options.items() if value is not None]
        if given and name != owner:
            verb = "goes" if len(given) == 1 else "go"
            raise click.UsageError(f"{' and '.join(given)} {verb} with --matcher {owner}")
    if name == "fair":
        focus = fair_config.focus(fair["focus"] or "gold")
        return Fair(weights=fair["weights"] or "paper", focus=focus, types=types)
    if name == "partial":
        return Partial(
            matching=partial_options["matching"] or "greedy",
            min_overlap=partial_options["min_overlap"] or 0.0,
        )
    return as_matcher(name)


def _score_all(score: Callable[[str], Result], gold: str, preds: tuple[str, ...]) -> dict[str, Result]:
    """Give the result of each PRED that can be scored, and report the others."""
    results = {}
    for pred in preds:
        try:
            results[pred] = score(pred)
        except (SpanrsError, OSError) as error:
            # What is wrong with gold is wrong for every pred; only misaligned tokens are named by their place there.
            path = getattr(error, "path", None) or getattr(error, "filename", None)
            of_gold = path == gold and not isinstance(error, AlignmentError)
            if of_gold or str(error).startswith("gold: "):
                raise
            click.echo(f"spanrs: error: {describe(error)}; {pred} is left out", err=True)
    return results


class _Job(NamedTuple):
    """What is the same for all files that are scored."""

    matcher: Matcher
    scheme: str
    pred_scheme: str | None
    reading: str
    columns: Columns
    pred_columns: Columns
    dialect: Dialect
    on_misaligned: str
    max_violations: int
    by_document: bool

    def score(self, gold: str, pred: str | None, renames: dict[str, str | None]) -> Result:
        """Match, then rename types."""
        make = partial(
            Scorer,
            matcher=self.matcher,
            scheme=self.scheme,
            pred_scheme=self.pred_scheme,
            reading=self.reading,
            dialect=self.dialect,
            on_misaligned=self.on_misaligned,
            max_violations=self.max_violations,
            by_document=self.by_document,
        )
        with progress([gold] if pred is None else [gold, pred]) as bar:
            result = score_with(
                make,
                source(gold),
                None if pred is None else source(pred),
                columns=self.columns,
                pred_columns=self.pred_columns,
                rereads=is_auto(self.scheme)
                or (self.pred_scheme is not None and is_auto(self.pred_scheme)),
                progress=bar,
            )
        for name in sorted(set(renames) - set(result.per_type)):
            click.echo(f"spanrs: note: no span has type {name}", err=True)
        return result.with_types(renames) if renames else result


def _show(
    result: Result, names: tuple[str, str], max_violations: int, *, untyped: bool, as_json: bool
) -> None:
    """Print one result."""
    if as_json:
        click.echo(result.to_json(untyped=untyped, state=False))
    elif sys.stdout is not None and sys.stdout.isatty():
        from rich.console import Console

        report.show(Console(), result, names=names, max_violations=max_violations, untyped=untyped)
    else:
        echo_table(report.render(result, names=names, max_violations=max_violations, untyped=untyped))


def _show_all(results: dict[str, Result], *, untyped: bool, as_json: bool) -> None:
    """Print a row for each of several results."""
    if as_json:
        everything = {name: result.to_dict(untyped=untyped) for name, result in results.items()}
        click.echo(json.dumps(everything, ensure_ascii=False, allow_nan=False))
        return
    short = [Path(name).name for name in results]
    # The folder says nothing where the names are different without it.
    names = short if len(set(short)) == len(short) else list(results)
    echo_table(report.render_systems(dict(zip(names, results.values(), strict=True))))


def _columns(
    columns: Columns, pred_named: bool, gold_column: Any, pred_column: Any
) -> tuple[Columns, Columns]:
    """Give the columns of gold and of pred."""
    if not pred_named:
        # Where nothing is named score_files takes the last two columns.
        columns = columns._replace(
            tag=columns.tag if gold_column is None else gold_column,
            second=-1 if pred_column is None and gold_column is not None else pred_column,
        )
        return columns, columns
    return (
        columns if gold_column is None else columns._replace(tag=gold_column),
        columns if pred_column is None else columns._replace(tag=pred_column),
    )


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


def _keep_types(results: dict[str, Result], types: list[str] | None) -> dict[str, Result]:
    """Look at some types only, which one of the systems or gold must have."""
    if types is None or not results:
        return results
    require_types(types, {name for result in results.values() for name in result.per_type})
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
