"""``spanrs crowd aggregate``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spanrs.cli import console
from spanrs.cli.crowd import inputs
from spanrs.cli.output import Output, output_options
from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.experiments import Settings, make_method
from spanrs.crowd.files import write_rows
from spanrs.crowd.review import AnnotatorScore, interval_heading, rank_annotators
from spanrs.io import atomic_output
from spanrs.report.page import Bar, Bars, Card, Cards, Section, Sorted, render
from spanrs.report.table import Table

if TYPE_CHECKING:
    from spanrs.crowd.corpus import CrowdCorpus


@click.command()
@inputs.files
@inputs.annotators
@inputs.method_option("BSC-seq")
@inputs.crf_options
@click.option(
    "-o",
    "--output",
    "labels_path",
    type=click.Path(),
    help="Where to write tokens and labels; - is standard output.",
)
@click.option("--confidence", is_flag=True, help="Write the probability of each label as third column.")
@click.option(
    "--html", type=click.Path(), help="A page: annotators with intervals, disagreements to review."
)
@output_options(file=False)
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    method: str,
    settings: Settings,
    labels_path: str | None,
    confidence: bool,
    html: str | None,
    output: Output,
) -> None:
    """Estimate the true labels of FILE, and how reliable its annotators are.

    Annotators are scored against the estimate: F1 of spans if labels are tags with prefixes, else accuracy of tokens;
    in JSON these are fractions. The 95 % intervals are those of the score against the true labels, or, where fewer than
    three annotators labelled most sentences, given that the estimate is right. The table of annotators is printed, with
    -o - on standard error. CrossFitted estimates best from words and takes longest.
    """
    inputs.check_outputs([labels_path, html], paths)
    output.check_format()
    if html is not None:
        from spanrs.crowd.page import page
        from spanrs.report.pages import template

        # An error, if it cannot be made, comes before the work.
        template("spanrs.crowd", "crowd.html")
    corpus = inputs.read_corpus(paths, annotators)
    inputs.say_unused(method)
    aggregator = make_method(method, settings, corpus, progress=None).fit(corpus)
    if labels_path is not None:
        _write(corpus, aggregator, labels_path, confidence=confidence)
    if html is not None:
        title = f"{', '.join(Path(path).name for path in paths[:3])}: {method}"
        with atomic_output(html) as out:
            out.write(page(corpus, aggregator, title=title, seed=settings.seed).encode())
    rows = rank_annotators(corpus, aggregator, seed=settings.seed)
    write_annotators(
        output,
        corpus,
        rows,
        method,
        err=labels_path is not None and console.is_standard_output(labels_path),
    )


def write_annotators(
    output: Output, corpus: CrowdCorpus, rows: list[AnnotatorScore], method: str, *, err: bool
) -> None:
    """Write the scores of annotators in the format of the output."""
    measure = "accuracy" if corpus.scheme() is None else "f1"
    output.write(
        {
            "text": lambda: _parts(corpus, rows, method, measure),
            "json": lambda: _json(corpus, rows, method, measure),
            "html": lambda: _page(corpus, rows, method, measure),
        },
        err=err,
    )


def _json(corpus: CrowdCorpus, rows: list[AnnotatorScore], method: str, measure: str) -> str:
    found = {
        "method": method,
        "sentences": len(corpus),
        "annotations": len(corpus.annotations),
        "measure": measure,
        "annotators": [
            {
                "annotator": row.annotator,
                "sentences": row.sentences,
                "tokens": row.tokens,
                measure: None if math.isnan(row.score) else row.score,
                "interval": row.interval,
                "interval_of": row.interval_of,
            }
            for row in rows
        ],
    }
    return json.dumps(found, ensure_ascii=False, allow_nan=False)


def _parts(corpus: CrowdCorpus, rows: list[AnnotatorScore], method: str, measure: str) -> list[Table | str]:
    table = Table(["annotator", "sentences", "tokens", measure.replace("f1", "F1"), interval_heading(rows)])
    for row in rows:
        interval = ""
        if row.interval is not None:
            interval = "{:.2f} to {:.2f}".format(*(100 * value for value in row.interval))
        shown = f"{100 * row.score:.2f}"
        if math.isnan(row.score):
            shown = "no spans" if row.sentences else "no labels"
        table.add_row(row.annotator, str(row.sentences), str(row.tokens), shown, interval)
    unlabelled = len(corpus) - len(corpus.labelled())
    head = f"{len(corpus)} sentences, {len(corpus.annotations)} annotations, truth by {method}"
    if unlabelled:
        head += f"; sentences nobody labelled: {unlabelled}"
    return [head, "\n", table]


def _page(corpus: CrowdCorpus, rows: list[AnnotatorScore], method: str, measure: str) -> str:
    """Give a report: numbers of the corpus, and the scores of annotators with intervals."""
    head, _, table = _parts(corpus, rows, method, measure)
    assert isinstance(head, str)
    assert isinstance(table, Table)
    cards = [
        Card("Sentences", str(len(corpus))),
        Card("Annotations", str(len(corpus.annotations))),
        Card("Annotators", str(len(rows))),
    ]
    bars = []
    for row in rows:
        low, high = row.interval or (None, None)
        bars.append(Bar(row.annotator, row.score, low, high, f"{row.sentences} sentences"))
    name = measure.replace("f1", "F1")
    sections: list[Section] = [
        Cards("Summary", cards),
        Bars(
            f"{name[:1].upper()}{name[1:]} of annotators",
            bars,
            note=f"Whiskers are those of the {interval_heading(rows)}.",
        ),
        Sorted("Annotators", table),
    ]
    return render("Annotators against the estimated truth", sections, subtitle=head)


def _write(corpus: CrowdCorpus, aggregator: Aggregator, path: str, *, confidence: bool) -> None:
    rows = zip(corpus.sentences, aggregator.labels_, aggregator.confidence_, strict=True)
    columns = (
        [
            [token, label, *([f"{probability:.4f}"] * confidence)]
            for token, label, probability in zip(*row, strict=True)
        ]
        for row in rows
    )
    write_rows(columns, console.standard_output() if path == "-" else path)
