"""``spanrs crowd aggregate``."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spanrs.cli import _generated, console
from spanrs.cli.crowd import inputs
from spanrs.cli.options import given
from spanrs.cli.output import Output, records_csv, table_output
from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.experiments import Settings, make_method
from spanrs.crowd.files import write_rows
from spanrs.crowd.review import AnnotatorScore, interval_heading, rank_annotators
from spanrs.crowd.task_links import check_fields
from spanrs.report.numbers import percent_range
from spanrs.report.table import Table

if TYPE_CHECKING:
    from spanrs.crowd.corpus import CrowdCorpus


#: The default of ``--aggregator``.
AGGREGATOR = "BSC-seq"


@_generated.crowd_aggregate
@inputs.crf_options
@table_output
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    aggregator: str | None,
    settings: Settings,
    output_path: str | None,
    probabilities: bool,
    link: str | None,
    output: Output,
) -> None:
    """Estimate the true labels of FILE, and the reliability of its annotators.

    Annotators are scored against the estimate: F1 of spans if labels are tags with prefixes, else accuracy of tokens;
    in JSON, scores are fractions. The 95 % intervals are for the score against the true labels; if fewer than three
    annotators labelled most sentences, the intervals assume that the estimate is correct. The table of annotators is
    printed (on standard error with -o -). CrossFitted also uses the words; it is the most accurate method for hundreds
    of sentences, and takes longest.
    """
    check_page(output)
    output.check(paths, ("-o", output_path))
    method = aggregator or AGGREGATOR
    inputs.refuse_unused(method)
    corpus = inputs.read_corpus(paths, annotators)
    if link is not None:
        check_fields(link, corpus)
    fitted = make_method(method, settings, corpus, progress=None).fit(corpus)
    if output_path is not None:
        _write(corpus, fitted, output_path, probabilities=probabilities)
    to_stdout = output_path is not None and console.is_standard_output(output_path)
    write_annotators(output, corpus, fitted, (method, settings.seed), paths, err=to_stdout, link=link)


def check_page(output: Output) -> None:
    """Raise an error before long work if a package for the HTML report is missing."""
    if output.to == "html":
        from spanrs.report.pages import template

        template("spanrs.crowd", "crowd.html")
    elif given("link"):
        raise click.UsageError("--link requires an HTML report; add --report FILE.html")


def write_annotators(
    output: Output,
    corpus: CrowdCorpus,
    aggregator: Aggregator,
    how: tuple[str, int],
    paths: Sequence[str],
    *,
    err: bool,
    link: str | None = None,
) -> None:
    """Write the scores of annotators; ``how`` is (method, seed)."""
    method, seed = how
    measure = "accuracy" if corpus.scheme() is None else "f1"

    def rows() -> list[AnnotatorScore]:
        return rank_annotators(corpus, aggregator, seed=seed)

    def as_page() -> str:
        from spanrs.crowd.page import page

        title = f"{', '.join(Path(path).name for path in paths[:3])}: {method}"
        return page(corpus, aggregator, title=title, seed=seed, link=link)

    output.write(
        {
            "text": lambda: _parts(corpus, rows(), method, measure),
            "json": lambda: _json(corpus, rows(), method, measure),
            "csv": lambda: records_csv(_records(rows(), measure)),
            "html": as_page,
        },
        err=err,
    )


def _json(corpus: CrowdCorpus, rows: list[AnnotatorScore], method: str, measure: str) -> str:
    content = {
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
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _records(rows: list[AnnotatorScore], measure: str) -> list[dict[str, Any]]:
    """Return the numbers of annotators as fractions, by column."""
    return [
        {
            "annotator": row.annotator,
            "sentences": row.sentences,
            "tokens": row.tokens,
            measure: row.score,
            "low": None if row.interval is None else row.interval[0],
            "high": None if row.interval is None else row.interval[1],
        }
        for row in rows
    ]


def _parts(corpus: CrowdCorpus, rows: list[AnnotatorScore], method: str, measure: str) -> list[Table | str]:
    table = Table(["annotator", "sentences", "tokens", measure.replace("f1", "F1"), interval_heading(rows)])
    for row in rows:
        interval = ""
        if row.interval is not None:
            interval = percent_range(*row.interval)
        shown = f"{100 * row.score:.2f}"
        if math.isnan(row.score):
            shown = "no spans" if row.sentences else "no labels"
        table.add_row(row.annotator, str(row.sentences), str(row.tokens), shown, interval)
    unlabelled = len(corpus) - len(corpus.labelled())
    head = f"{len(corpus)} sentences, {len(corpus.annotations)} annotations, labels estimated by {method}"
    if unlabelled:
        head += f"; unlabelled sentences: {unlabelled}"
    return [head, "\n", table]


def _write(corpus: CrowdCorpus, aggregator: Aggregator, path: str, *, probabilities: bool) -> None:
    rows = zip(corpus.sentences, aggregator.labels_, aggregator.confidence_, strict=True)
    columns = (
        [
            [token, label, *([f"{probability:.4f}"] * probabilities)]
            for token, label, probability in zip(*row, strict=True)
        ]
        for row in rows
    )
    write_rows(columns, console.target(path))
