"""``spanrs fair``."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spanrs.cli.options import (
    COLUMN,
    echo_table,
    note_same_file,
    place_options,
    print_warnings,
    progress,
    require_types,
    source,
    standard_output,
)
from spanrs.errors import SpanrsWarning
from spanrs.eval import Fair, fair_config, score_span_files, tables
from spanrs.eval.fair_config import FairConfig
from spanrs.eval.fair_weights import FAIR, formulas
from spanrs.eval.span_files import FORMATS
from spanrs.io import Columns, atomic_output
from spanrs.io.sources import read_text

if TYPE_CHECKING:
    from spanrs.eval import Result

#: Formats of the result, and the endings of files that mean them.
TO = ("text", "json", "csv", "html")
ENDINGS = {".json": "json", ".csv": "csv", ".html": "html", ".htm": "html"}

#: Keys that are paths.
PATHS = ("target_in", "system_in", "eval_out")
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


@click.command()
@click.argument("gold", required=False)
@click.argument("pred", required=False)
@click.option("--config", metavar="FILE", help="Settings in FairEval's form; options go before them.")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(FORMATS),
    default="auto",
    show_default=True,
    help="Format of the files: one span a line, or one token a line with stacked tags.",
)
@place_options
@click.option(
    "--pos-column",
    type=COLUMN,
    default=1,
    show_default=True,
    help="Column of the parts of speech, for --ignore-punct.",
)
@click.option(
    "--ignore-punct/--keep-punct",
    default=None,
    help="Leave punctuation out of the spans of files with parts of speech (default), or not.",
)
@click.option("--types", metavar="TYPE,...", multiple=True, help="Types to look at. Repeatable.")
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
    "methods",
    metavar="NAME,...",
    help="Evaluations to show: traditional, fair, weighted, all.",
)
@click.option(
    "--weights",
    metavar="FORMULAS",
    help='paper, default, or formulas such as "LE = 0.5 FP + 0.5 FN, BE = 0.5 TP + 0.5 FN".',
)
@click.option("--by-document", is_flag=True, help="A row for each pair of files as well.")
@click.option("--to", type=click.Choice(TO), help="Format of the result; by the ending of -o, or text.")
@click.option("--json", "as_json", is_flag=True, help="Short for --to json.")
@click.option("-o", "--output", metavar="FILE", help="Write there: a file, a directory, or - (default).")
@click.option("--compat", is_flag=True, help="Do and write what FairEval does, byte for byte.")
def command(
    gold: str | None,
    pred: str | None,
    config: str | None,
    file_format: str,
    columns: Columns,
    pos_column: int,
    ignore_punct: bool | None,
    types: tuple[str, ...],
    exclude: tuple[str, ...],
    focus: str | None,
    methods: str | None,
    weights: str | None,
    by_document: bool,
    to: str | None,
    as_json: bool,
    output: str | None,
    compat: bool,
) -> None:
    """Evaluate PRED against GOLD fairly: every mistake once, as what it is.

    GOLD and PRED are two files or two directories, whose files are paired by name. Span files have a span
    a line (type, first token, last token, tokens; tabs between them, tokens from 1) and blank lines
    between sentences. Files with stacked tags have a token a line, the tag in the last column:
    I-S|B-NP. Tags of other schemes are for spanrs score --matcher fair.

    Measures are printed in per cent, in JSON and CSV they are fractions.
    """
    settings = {
        "target_in": gold,
        "system_in": pred,
        "labels": ",".join(types) if types else None,
        "exclude": ",".join(exclude) if exclude else None,
        "ignore_punct": None if ignore_punct is None else str(ignore_punct),
        "focus": focus,
        "eval_method": methods,
        "weights": weights,
        "eval_out": output,
    }
    if compat:
        others = (file_format != "auto", columns != Columns(), pos_column != 1)
        if by_document or to or as_json or any(others):
            raise click.UsageError(
                "--compat writes FairEval's text of FairEval's formats; leave the others out"
            )
        _compat(config, {key: value for key, value in settings.items() if value is not None})
        return
    if as_json and to not in (None, "json"):
        raise click.UsageError(f"--json and --to {to} are two formats; name one")
    made = FairConfig() if config is None else fair_config.read_fair_config(config)
    apply(made, settings)
    golds, preds = made.gold, made.pred
    if golds is None or preds is None:
        raise click.UsageError("name GOLD and PRED, or a --config with target_in and system_in")
    if str(golds) == str(preds) == "-":
        raise click.UsageError("GOLD and PRED cannot both be standard input")
    spare([golds, preds], made.out)
    with progress([str(golds), str(preds)]) as bar, warnings.catch_warnings():
        # The result holds the same warnings, which are printed below.
        warnings.simplefilter("ignore", SpanrsWarning)
        result = score_span_files(
            source(str(golds)),
            source(str(preds)),
            matcher=Fair(weights=made.weights, focus=made.focus, types=made.types, exclude=made.exclude),
            file_format=file_format,
            columns=columns,
            pos_column=pos_column,
            ignore_punct=made.ignore_punct,
            by_document=by_document,
            progress=bar,
        )
    if made.types:
        require_types(made.types, result.per_type)
    note_same_file(str(golds), str(preds))
    print_warnings({str(preds): result})
    write(result, made, "json" if as_json else to, f"{preds} against {golds}")


def apply(made: FairConfig, settings: dict[str, str | None]) -> None:
    """Set what options say."""
    for key, value in settings.items():
        if value is not None:
            try:
                fair_config.apply(made, key, value)
            except ValueError as error:
                raise click.UsageError(f"{OPTIONS[key]}: {error}") from None


def spare(inputs: list[Path], out: Path | None) -> None:
    """Refuse to write over what is read."""
    if out is None or not out.is_file():
        return
    for path in inputs:
        files = path.iterdir() if path.is_dir() else [path]
        if any(file.is_file() and file.samefile(out) for file in files):
            raise click.UsageError(f"{out} is read; name another file for the result")


def write(result: Result, made: FairConfig, to: str | None, title: str) -> None:
    """Write a result to a file, into a directory, or to standard output."""
    out = made.out
    if out is not None and made.into:
        to = to or "csv"
        out = out / f"eval.{'txt' if to == 'text' else to}"
    if to is None:
        to = "text" if out is None else ENDINGS.get(out.suffix.lower(), "text")
    text = _rendered(result, to, made.methods, title)
    if out is None:
        if to == "text":
            echo_table(text)
        else:
            standard_output().write((text.rstrip("\n") + "\n").encode())
        return
    out.parent.mkdir(parents=True, exist_ok=True)
    with atomic_output(out) as file:
        file.write((text.rstrip("\n") + "\n").encode())


def _rendered(result: Result, to: str, criteria: list[str], title: str) -> str:
    if to == "html":
        try:
            return result.to_html(title=title, criteria=criteria)
        except ImportError as error:
            raise click.UsageError(str(error)) from None
    if to == "json":
        return result.to_json(criteria=criteria, state=False)
    if to == "csv":
        return result.to_csv(criteria=criteria)
    return tables.render(result, criteria=criteria)


def _compat(config: str | None, options: dict[str, str]) -> None:
    """Evaluate as FairEval does; options go before the settings of a file, and are said in its words."""
    from spanrs.compat.faireval import command as faireval
    from spanrs.compat.faireval.config import read_items, resolve_settings

    asked = FairConfig()
    apply(asked, dict(options))
    items: list[tuple[str, str, str]] = []
    folder = Path()
    if config is not None:
        read_text(config)  # Says which file is not UTF-8, and where.
        items = list(read_items(config))
        folder = fair_config.base(config, {key: value for _, key, value in items})
        items = [item for item in items if item[1] not in options]
    folders = {key: str(folder) for _, key, _ in items}
    words = options | _words(asked, options)
    items += [(f"option {OPTIONS[key]}", key, value) for key, value in words.items() if value]
    paths = {key: Path(folders.get(key, ""), value) for _, key, value in items if key in PATHS}
    out = paths.pop("eval_out", None)
    spare(list(paths.values()), out / "eval.csv" if out is not None and out.is_dir() else out)
    status = faireval.evaluate(resolve_settings(items, folders))
    if status:
        raise click.exceptions.Exit(status)


def _words(asked: FairConfig, options: dict[str, str]) -> dict[str, str]:
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
    return {key: value for key, value in words.items() if key in options}
