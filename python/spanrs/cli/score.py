"""``spanrs score``."""

from __future__ import annotations

import sys

import click

from spanrs.cli.options import (
    AMOUNT,
    COLUMN,
    column_options,
    progress,
    reading_option,
    scheme_option,
    source,
)
from spanrs.eval import score_files
from spanrs.io import Columns
from spanrs.tags.words import Dialect


@click.command()
@click.argument("gold")
@click.argument("pred", required=False)
@scheme_option()
@reading_option()
@column_options
@click.option(
    "--gold-column",
    type=COLUMN,
    help="Column of the gold tags, where one file holds both or the two files differ.",
)
@click.option(
    "--pred-column",
    type=COLUMN,
    help="Column of the pred tags, where one file holds both or the two files differ.",
)
@click.option("--by-document", is_flag=True, help="A row for each document of gold as well.")
@click.option(
    "--violations",
    "located",
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
@click.option("--json", "as_json", is_flag=True, help="One JSON object; fractions, not per cent.")
def command(
    gold: str,
    pred: str | None,
    scheme: str,
    reading: str,
    columns: Columns,
    dialect: Dialect,
    gold_column: int | None,
    pred_column: int | None,
    by_document: bool,
    located: int,
    maps: tuple[str, ...],
    kept: tuple[str, ...],
    untyped: bool,
    as_json: bool,
) -> None:
    """Score PRED against GOLD, two files with one token a line.

    With GOLD alone the file holds both: gold tags in the last column but one, pred tags in the last, or
    where --gold-column and --pred-column say. "-" is standard input; gzip and zstd are read as they are.

    Measures are printed in per cent, in --json as fractions.
    """
    columns, pred_columns = _columns(columns, gold, pred, gold_column, pred_column)
    views = _views(maps, kept)
    paths = [gold] if pred is None else [gold, pred]
    with progress(paths) as bar:
        result = score_files(
            source(gold),
            None if pred is None else source(pred),
            scheme,
            reading,
            columns=columns,
            pred_columns=pred_columns,
            dialect=dialect,
            located=located,
            by_document=by_document,
            progress=bar,
        )
    for view in views:
        for name in sorted(set(view) - set(result.per_type)):
            click.echo(f"spanrs: note: no span has type {name}", err=True)
        result = result.with_types(view)
    if as_json:
        click.echo(result.to_json(untyped=untyped))
        return
    from rich.console import Console

    from spanrs.report.text import render, show

    names = (gold, pred or gold)
    if sys.stdout is not None and sys.stdout.isatty():
        show(Console(), result, names=names, located=located, untyped=untyped)
    else:
        text = render(result, names=names, located=located, untyped=untyped)
        # Rules are the one thing in a table that a narrow encoding may lack.
        encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        rule = "─".encode(encoding, "replace").decode(encoding)
        click.echo(text.replace("─", "-") if rule != "─" else text)


def _columns(
    columns: Columns, gold: str, pred: str | None, gold_column: int | None, pred_column: int | None
) -> tuple[Columns, Columns]:
    """Give the columns of gold and of pred."""
    if pred is None:
        # Where nothing is named score_files takes the last two columns.
        columns = columns._replace(
            tag=columns.tag if gold_column is None else gold_column,
            second=-1 if pred_column is None and gold_column is not None else pred_column,
        )
        return columns, columns
    if gold == pred == "-":
        raise click.UsageError("GOLD and PRED cannot both be standard input")
    return (
        columns if gold_column is None else columns._replace(tag=gold_column),
        columns if pred_column is None else columns._replace(tag=pred_column),
    )


def _views(maps: tuple[str, ...], kept: tuple[str, ...]) -> list[dict[str, str | None] | list[str]]:
    """Give what `with_types` is to be asked for: first the map, then the types to keep."""
    views: list[dict[str, str | None] | list[str]] = []
    renames: dict[str, str | None] = {}
    for text in maps:
        old, equals, new = text.partition("=")
        if not (old and equals):
            raise click.UsageError(f"--map wants FROM=TO, or FROM= to leave FROM out, not {text!r}")
        if renames.setdefault(old, new or None) != (new or None):
            raise click.UsageError(f"--map gives two names to {old!r}: {renames[old] or ''!r} and {new!r}")
    names = [name.strip() for text in kept for name in text.split(",")]
    if "" in names:
        raise click.UsageError("--types wants names of types, separated by commas")
    if renames:
        views.append(renames)
    if names:
        views.append(list(dict.fromkeys(names)))
    return views
