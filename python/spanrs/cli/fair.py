"""``spanrs fair``."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spanrs.cli import console, options
from spanrs.cli.output import ENDINGS, Output, output_options
from spanrs.cli.run import explained
from spanrs.compat.faireval import fair_config
from spanrs.compat.faireval.fair_config import FairConfig
from spanrs.eval import Fair, score, tables
from spanrs.eval.fair_weights import FAIR, formulas
from spanrs.io import Corpus
from spanrs.io.columns import Columns
from spanrs.io.reader import read_both
from spanrs.io.sources import read_text

if TYPE_CHECKING:
    from spanrs.eval import Result

#: Keys of a configuration file, and the arguments that say the same.
OPTIONS = {
    "target_in": "GOLD",
    "system_in": "PRED",
    "labels": "--types",
    "exclude": "--exclude",
    "ignore_punct": "--ignore-punct",
    "focus": "--focus",
    "eval_method": "--method",
    "weights": "--weights",
    "eval_out": "--output",
}


#: Errors of each kind that a page holds.
OF_A_KIND = 10_000


@click.command()
@click.argument("target_in", metavar="[GOLD]", required=False)
@click.argument("system_in", metavar="[PRED]", required=False)
@click.option("--config", metavar="FILE", help="Settings in FairEval's form; options go before them.")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["auto", "spans", "stacked"]),
    default="auto",
    help="Format of the files: one span a line, or one token a line with stacked tags.",
)
@options.places
@click.option(
    "--pos-column",
    type=options.column,
    default=1,
    help="Column of the parts of speech, for --ignore-punct.",
)
@click.option(
    "--ignore-punct/--keep-punct",
    default=None,
    help="Leave punctuation out of the spans of files with parts of speech (default), or not.",
)
@click.option("--types", "labels", metavar="TYPE,...", multiple=True, help="Types to look at. Repeatable.")
@click.option(
    "--exclude",
    metavar="TYPE,...",
    multiple=True,
    help="Types not to look at, besides NONE and EMPTY, which never are. Repeatable.",
)
@click.option(
    "--focus",
    metavar="gold|pred",
    help="Whose type LE and LBE are counted for (gold). FairEval's target and system will do.",
)
@click.option(
    "--method",
    "eval_method",
    metavar="NAME,...",
    help="Evaluations to show: traditional, fair, weighted, all.",
)
@click.option(
    "--weights",
    metavar="FORMULAS",
    help='paper, default, or formulas such as "LE = 0.5 FP + 0.5 FN, BE = 0.5 TP + 0.5 FN".',
)
@click.option("--by-document", is_flag=True, help="A row for each pair of files as well.")
@output_options()
@click.option("--compat", is_flag=True, help="Do and write what FairEval does, byte for byte.")
def command(config: str | None, columns: Columns, output: Output, compat: bool, **given: Any) -> None:
    """Evaluate PRED against GOLD fairly: every mistake once, as what it is.

    GOLD and PRED are two files or two directories, whose files are paired by name. Span files have a span
    a line (type, first token, last token, tokens; tabs between them, tokens from 1) and blank lines
    between sentences. Files with stacked tags have a token a line, the tag in the last column:
    I-S|B-NP. Tags of other schemes are for spanrs score --matcher fair.

    -o may be a directory: the result is the file eval.csv in it, or eval with the ending of --to.

    Measures are printed in per cent, in JSON and CSV they are fractions.
    """
    given["eval_out"] = output.path
    settings = _settings({key: given.pop(key) for key in OPTIONS})
    if compat:
        usual = {"file_format": "auto", "pos_column": 1, "by_document": False}
        if output.named or columns != Columns() or given != usual:
            raise click.UsageError(
                "--compat writes FairEval's text of FairEval's formats; leave the others out"
            )
        _compat(config, settings)
        return
    wanted = FairConfig() if config is None else fair_config.read_fair_config(config)
    apply(wanted, settings)
    if wanted.gold is None or wanted.pred is None:
        raise click.UsageError("name GOLD and PRED, or a --config with target_in and system_in")
    gold, pred = str(wanted.gold), str(wanted.pred)
    if gold == pred == "-":
        raise click.UsageError("GOLD and PRED cannot both be standard input")
    spare([wanted.gold, wanted.pred], wanted.out)
    output = _resolve(wanted, output)
    output.check_format()
    is_page = output.to == "html"
    if is_page:
        # Intervals of a page are of documents.
        given["by_document"] |= wanted.gold.is_dir() and wanted.pred.is_dir()
    matcher = Fair(weights=wanted.weights, focus=wanted.focus, types=wanted.types, exclude=wanted.exclude)
    corpora = _read(
        gold, pred, columns, given["file_format"], given["pos_column"] if wanted.ignore_punct else None
    )
    with console.quiet(), console.files_bar(gold, pred) as bar:
        result = score(
            *corpora,
            matcher=matcher,
            by="document" if given["by_document"] else None,
            errors=OF_A_KIND if is_page else False,
            progress=bar,
        )
    console.require_types(wanted.types or (), result.per_type)
    console.print_warnings({pred: result})
    write(result, wanted, output, f"{pred} against {gold}")


def _read(
    gold: str, pred: str, columns: Columns, file_format: str, punct_column: Any
) -> tuple[Corpus, Corpus]:
    """Read both sides as span files; a column file is read as stacked tags."""
    arguments = options.column_arguments(columns)
    if file_format != "auto":
        arguments["format"] = file_format
    with explained():
        both = read_both((console.source(gold), arguments), (console.source(pred), arguments))
    return tuple(_as_spans(corpus, punct_column) for corpus in both)  # type: ignore[return-value]  # of two


def _as_spans(corpus: Corpus, punct_column: Any) -> Corpus:
    parts = tuple(replace(part, format="stacked") if part.kind == "rows" else part for part in corpus.parts)
    column = punct_column if any(part.format == "stacked" for part in parts) else None
    return replace(corpus, parts=parts, options=replace(corpus.options, punct_column=column))


def _settings(given: dict[str, Any]) -> dict[str, str]:
    """Write the options that are given as a configuration file has them."""
    return {
        key: ",".join(value) if isinstance(value, tuple) else str(value)
        for key, value in given.items()
        if value not in (None, ())
    }


def apply(wanted: FairConfig, settings: dict[str, str]) -> None:
    """Set what options say."""
    for key, value in settings.items():
        try:
            fair_config.apply(wanted, key, value)
        except ValueError as error:
            raise click.UsageError(f"{OPTIONS[key]}: {error}") from None


def spare(inputs: list[Path], out: Path | None) -> None:
    """Refuse to write over what is read."""
    if out is not None and out.is_file():
        files = (file for path in inputs for file in (path.iterdir() if path.is_dir() else [path]))
        if console.overwritten([out], files):
            raise click.UsageError(f"{out} is read; name another file for the result")


def _resolve(wanted: FairConfig, output: Output) -> Output:
    """Give the format and the file of the result."""
    out = wanted.out
    if out is not None and wanted.into:
        to = output.to if output.named else "csv"
        ending = next(ending for ending, name in ENDINGS.items() if name == to)
        out = out / f"eval{ending}"
    return output.at(None if out is None else str(out))


def write(result: Result, wanted: FairConfig, output: Output, title: str) -> None:
    """Write a result to a file, into a directory, or to standard output."""
    criteria = wanted.methods
    if output.path is not None and not output.to_stdout:
        Path(output.path).parent.mkdir(parents=True, exist_ok=True)
    output.write(
        {
            "text": lambda: tables.shown_parts(result, criteria=criteria, documents=True),
            "csv": lambda: result.to_csv(criteria=criteria),
            "json": lambda: result.to_json(criteria=criteria, state=False),
            "html": lambda: result.to_html(title=title, criteria=criteria),
        },
        title=title,
    )


def _compat(config: str | None, given: dict[str, str]) -> None:
    """Evaluate as FairEval does; options go before the settings of a file, and are said in its words."""
    from spanrs.compat.faireval import command as faireval
    from spanrs.compat.faireval.config import read_items, resolve_settings

    asked = FairConfig()
    apply(asked, given)
    items: list[tuple[str, str, str]] = []
    folders: dict[str, str] = {}
    if config is not None:
        read_text(config)  # Says which file is not UTF-8, and where.
        items = list(read_items(config))
        folder = fair_config.base(config, {key: value for _, key, value in items})
        items = [item for item in items if item[1] not in given]
        folders = {key: str(folder) for _, key, _ in items}
    words = given | _words(asked, given)
    items += [(f"option {OPTIONS[key]}", key, value) for key, value in words.items() if value]
    paths = {key: Path(folders.get(key, ""), value) for _, key, value in items}
    out = paths.get("eval_out")
    inputs = [paths[key] for key in ("target_in", "system_in") if key in paths]
    spare(inputs, out / "eval.csv" if out is not None and out.is_dir() else out)
    status = faireval.evaluate(resolve_settings(items, folders))
    if status:
        raise click.exceptions.Exit(status)


def _words(asked: FairConfig, given: dict[str, str]) -> dict[str, str]:
    """Say what options ask for as FairEval does."""
    out = asked.out
    if out is not None and asked.into:
        out.mkdir(parents=True, exist_ok=True)
    words = {
        "focus": {"gold": "target", "pred": "system"}[asked.focus],
        "eval_method": ", ".join(asked.methods),
        "weights": "default" if asked.weights == FAIR else formulas(asked.weights),
        # A name without a folder is no path to FairEval.
        "eval_out": "" if out is None else os.path.join(out.parent, out.name),
    }
    return {key: value for key, value in words.items() if key in given}
