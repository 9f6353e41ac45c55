"""``spanrs fair``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spanrs.cli import _generated, console, options
from spanrs.cli.output import ENDINGS, Output, table_output
from spanrs.cli.run import explained
from spanrs.compat.faireval import fair_config
from spanrs.compat.faireval.fair_config import FairConfig
from spanrs.eval import Fair, score, tables
from spanrs.io import Corpus
from spanrs.io.columns import Columns
from spanrs.io.reader import read_both

if TYPE_CHECKING:
    from spanrs.eval import Result

#: Maximum number of errors of each kind in an HTML report.
OF_A_KIND = 10_000
#: Column in which FairEval expects the parts of speech.
PUNCT_COLUMN = 1


@_generated.fair
@table_output
def command(
    target_in: str | None,
    system_in: str | None,
    config: str | None,
    format_name: str,
    punct_column: Any,
    output: Output,
    **layout: Any,
) -> None:
    """Evaluate as specified by a configuration file of FairEval (--config).

    GOLD and PRED replace the files of the configuration: two files or two directories, whose files are paired by name.
    Span files have one span per line (type, first token, last token, tokens, separated by tabs; tokens are numbered
    from 1) and blank lines between sentences; column files have stacked tags (I-S|B-NP).

    For settings as options, and for other formats, use spanrs score --matcher fair.
    """
    settings = FairConfig() if config is None else fair_config.read_fair_config(config)
    for key, value in {"target_in": target_in, "system_in": system_in, "eval_out": output.path}.items():
        if value is not None:
            fair_config.apply(settings, key, value)
    if settings.gold is None or settings.pred is None:
        raise click.UsageError("give GOLD and PRED, or a --config with target_in and system_in")
    gold, pred = str(settings.gold), str(settings.pred)
    if gold == pred == "-":
        raise click.UsageError("GOLD and PRED cannot both be standard input")
    output = _resolve(settings, output)
    if output.path is not None and not output.to_stdout:
        Path(output.path).parent.mkdir(parents=True, exist_ok=True)
    output.check([gold, pred])
    is_page = output.to == "html"
    # Confidence intervals in an HTML report are computed by resampling documents.
    by_document = is_page and settings.gold.is_dir() and settings.pred.is_dir()
    matcher = Fair(
        weights=settings.weights, focus=settings.focus, types=settings.types, exclude=settings.exclude
    )
    arguments = options.column_arguments(Columns(**layout))
    if format_name != "auto":
        arguments["format"] = format_name
    if punct_column is None:
        punct_column = PUNCT_COLUMN
    corpora = _read(gold, pred, arguments, punct_column if settings.ignore_punct else None)
    with console.quiet(), console.files_bar(gold, pred) as bar:
        result = score(
            *corpora,
            matcher=matcher,
            by="document" if by_document else None,
            errors=OF_A_KIND if is_page else False,
            progress=bar,
        )
    console.require_types(settings.types or (), result.per_type)
    console.print_warnings({pred: result})
    write(result, settings, output, f"{pred} against {gold}")


def _read(gold: str, pred: str, arguments: dict[str, Any], punct_column: Any) -> tuple[Corpus, Corpus]:
    """Read both sides as span files; a column file is read as stacked tags."""
    with explained():
        both = read_both((console.source(gold), arguments), (console.source(pred), arguments))
    return tuple(_as_spans(corpus, punct_column) for corpus in both)  # type: ignore[return-value]  # of two


def _as_spans(corpus: Corpus, punct_column: Any) -> Corpus:
    parts = tuple(replace(part, format="stacked") if part.kind == "rows" else part for part in corpus.parts)
    column = punct_column if any(part.format == "stacked" for part in parts) else None
    return replace(corpus, parts=parts, options=replace(corpus.options, punct_column=column))


def _resolve(settings: FairConfig, output: Output) -> Output:
    """Return the output with the format and the file of the result."""
    out = settings.out
    if out is not None and settings.into:
        to = output.to if output.named else "csv"
        ending = next(ending for ending, name in ENDINGS.items() if name == to)
        out = out / f"eval{ending}"
    return output.at(None if out is None else str(out))


def write(result: Result, settings: FairConfig, output: Output, title: str) -> None:
    """Write a result to a file, into a directory, or to standard output."""
    criteria = settings.methods
    output.write(
        {
            "text": lambda: tables.shown_parts(result, criteria=criteria, documents=True),
            "csv": lambda: result.to_csv(criteria=criteria),
            "json": lambda: result.to_json(criteria=criteria, state=False),
            "html": lambda: result.to_html(title=title, criteria=criteria),
        },
        title=title,
    )
