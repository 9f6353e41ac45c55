"""``spanrs crowd aggregate``."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from spanrs.cli import _generated, console
from spanrs.cli.crowd import inputs
from spanrs.cli.options import given
from spanrs.cli.output import Output, records_csv, table_output
from spanrs.cli.run import print_message
from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.consensus import fit_layers
from spanrs.crowd.consensus_files import (
    CONFIDENCE,
    UNANNOTATED,
    Consensus,
    consensus_format,
    holds_confidence,
)
from spanrs.crowd.experiments import Settings
from spanrs.crowd.pooling import pooled
from spanrs.crowd.review import AnnotatorScore, interval_heading, rank_annotators
from spanrs.crowd.task_links import check_fields
from spanrs.io.write_documents import ONE_A_FILE
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
    known: str | None,
    known_annotator: str | None,
    aggregator: str | None,
    settings: Settings,
    output_path: str | None,
    output_format: str | None,
    min_annotators: int,
    lossy: bool,
    probabilities: bool,
    link: str | None,
    output: Output,
) -> None:
    """Estimate the true labels of FILE, and the reliability of its annotators.

    FILE is a column file with a column for each annotator, a table, an export of an annotation tool, or a file or
    directory for each annotator. With -o, the consensus is written in the format of FILE: the documents of an export
    with one annotator, tokens and labels for sentences. Overlapping spans of different types are estimated separately.

    Annotators are scored against the estimate: F1 of spans if labels are tags with prefixes, else accuracy of tokens;
    in JSON, scores are fractions. The 95 % intervals are for the score against the true labels; if fewer than three
    annotators labelled most sentences, the intervals assume that the estimate is correct. The table of annotators is
    printed (on standard error with -o -). CrossFitted also uses the words; it is the most accurate method for hundreds
    of sentences, and takes longest.
    """
    check_page(output)
    # Formats with one document per file are written to a directory.
    is_directory = output_path is not None and os.path.isdir(output_path)
    output.check([*paths, known], *([] if is_directory else [("-o", output_path)]))
    check_output_options(output_path, output_format=output_format, lossy=lossy, probabilities=probabilities)
    method = aggregator or AGGREGATOR
    inputs.refuse_unused(method)
    layers = inputs.read_layers(paths, annotators, known, known_annotator)
    if link is not None:
        check_fields(link, layers[0])
    if output_path is not None:
        form = check_format(layers[0], output_path, output_format)
    result = fit_layers(layers, method, min_annotators, settings)
    if output_path is not None:
        write_consensus(result, output_path, form, lossy=lossy, probabilities=probabilities)
    to_stdout = output_path is not None and console.is_standard_output(output_path)
    corpus, fitted = pooled(result)
    write_annotators(
        output, corpus, fitted, (method, settings.seed), paths, err=to_stdout, result=result, link=link
    )


def check_output_options(
    path: str | None, *, output_format: str | None, lossy: bool, probabilities: bool
) -> None:
    """Refuse options that need an output file."""
    given = {"--output-format": output_format, "--lossy": lossy, "--probabilities": probabilities}
    option = next((name for name, value in given.items() if value), None)
    if path is None and option is not None:
        raise click.UsageError(f"{option} needs an output file (-o)")


def check_format(corpus: CrowdCorpus, path: str, output_format: str | None) -> str:
    """Return the format of the output, and refuse an output that cannot be written in it."""
    target = "" if console.is_standard_output(path) else path
    try:
        form = consensus_format(corpus, target, output_format)
    except ValueError as error:
        raise click.UsageError(f"-o {error}" if target else str(error)) from None
    if os.path.isdir(path):
        if form not in ONE_A_FILE:
            raise click.UsageError(f"-o {path} is a directory; choose a file, because the format is {form}")
        if os.listdir(path):
            raise click.UsageError(
                f"-o {path} is not empty; choose another directory for the files of the documents"
            )
    return form


def write_consensus(result: Consensus, path: str, form: str, *, lossy: bool, probabilities: bool) -> None:
    """Write the consensus, and print on standard error what is not written."""
    if probabilities and (form != "columns" or len(result.corpora) > 1):
        raise click.UsageError(
            f"--probabilities is a column of columns without overlapping spans; in {form} annotations have a confidence"
        )
    result.write(console.target(path), form, lossy=lossy, probabilities=probabilities)
    left_out, unit = len(result.without_consensus), "sentence" if result.documents is None else "document"
    if left_out:
        number = len(result.corpora[0]) if result.documents is None else len(result.documents)
        written = "written without annotations" if form in UNANNOTATED else "not written"
        few = "no annotator answered" if result.min_annotators == 1 else "too few annotators answered"
        print_message("note", f"{left_out} of {number} {unit}s have no consensus, because {few}: {written}")
    has_spans = any(CONFIDENCE in a.attributes for d in result.documents or () for a in d.annotations)
    if result.documents is not None and has_spans and not (holds_confidence(form) or form == "columns"):
        print_message(
            "note", f"{form} has no place for the confidence of annotations, so it is not written"
        )


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
    result: Consensus | None = None,
    link: str | None = None,
) -> None:
    """Write the scores of annotators.

    ``how`` is (method, seed). With a consensus of several layers of types, the corpus contains each sentence once per
    layer.
    """
    method, seed = how
    measure = "accuracy" if corpus.scheme() is None else "f1"
    layers = [corpus] if result is None else result.corpora

    def rows() -> list[AnnotatorScore]:
        number = len(layers)
        return [
            row._replace(sentences=row.sentences // number, tokens=row.tokens // number)
            for row in rank_annotators(corpus, aggregator, seed=seed)
        ]

    def as_page() -> str:
        from spanrs.crowd.page import page

        title = f"{', '.join(Path(path).name for path in paths[:3])}: {method}"
        if result is None or result.documents is None:
            return page(corpus, aggregator, title=title, seed=seed, link=link)
        fitted = list(zip(result.corpora, result.aggregators, strict=True))
        return page(
            layers[0],
            fitted,
            title=title,
            seed=seed,
            link=link,
            estimates=result.estimates(),
            ranking=rows(),
        )

    output.write(
        {
            "text": lambda: _parts(layers, rows(), method, measure),
            "json": lambda: _json(layers, rows(), method, measure),
            "csv": lambda: records_csv(_records(rows(), measure)),
            "html": as_page,
        },
        err=err,
    )


def _json(layers: Sequence[CrowdCorpus], rows: list[AnnotatorScore], method: str, measure: str) -> str:
    corpus = layers[0]
    texts = corpus.texts
    content = {
        "method": method,
        "documents": None if texts is None else len(texts),
        "sentences": len(corpus),
        "annotations": len(corpus.annotations),
        "skipped_answers": None if texts is None else sum(len(text.not_answered) for text in texts),
        "known_sentences": len(corpus.known),
        "layers": None if texts is None else [types_of(layer) for layer in layers],
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


def types_of(corpus: CrowdCorpus) -> list[str]:
    """Return the types of the spans of a layer."""
    return sorted({label[2:] for label in corpus.labels if label != "O"})


def _parts(
    layers: Sequence[CrowdCorpus], rows: list[AnnotatorScore], method: str, measure: str
) -> list[Table | str]:
    table = Table(["annotator", "sentences", "tokens", measure.replace("f1", "F1"), interval_heading(rows)])
    for row in rows:
        interval = ""
        if row.interval is not None:
            interval = percent_range(*row.interval)
        shown = f"{100 * row.score:.2f}"
        if math.isnan(row.score):
            shown = "no spans" if row.sentences else "no labels"
        table.add_row(row.annotator, str(row.sentences), str(row.tokens), shown, interval)
    return [*_head(layers, method), "\n", table]


def _head(layers: Sequence[CrowdCorpus], method: str) -> list[str]:
    """Return lines with the numbers of documents, sentences, annotators and answers, and the layers of types."""
    corpus, texts = layers[0], layers[0].texts
    head = f"{len(corpus)} sentences, {len(corpus.annotations)} annotations, labels estimated by {method}"
    unlabelled = len(corpus) - len(corpus.labelled())
    others = {"unlabelled sentences": unlabelled, "known sentences": len(corpus.known)}
    if texts is None:
        return [head + "".join(f"; {what}: {number}" for what, number in others.items() if number)]
    others = {
        "skipped answers": sum(len(text.not_answered) for text in texts),
        "unanswered documents": sum(not text.answers and text.known is None for text in texts),
        "known documents": sum(text.known is not None for text in texts),
    }
    lines = [
        f"{len(texts)} documents, {head}",
        f"{len(corpus.annotators)} annotators"
        + "".join(f"; {what}: {number}" for what, number in others.items() if number),
    ]
    if len(layers) > 1:
        named = " | ".join(", ".join(types_of(layer)) for layer in layers)
        lines.append(f"types with overlapping spans are estimated separately: {named}")
    return lines
