"""``spanrs crowd next``."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from spanrs.cli import _generated
from spanrs.cli.crowd import inputs
from spanrs.cli.output import Output, table_output
from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.corpus import CrowdCorpus
from spanrs.crowd.experiments import Settings, make_method, methods_with_tables
from spanrs.crowd.next import NextAnnotation, next_of_layers
from spanrs.report.page import Section, Sorted, render
from spanrs.report.table import Table

#: The default of ``--aggregator``.
AGGREGATOR = "BSC-seq"
#: Text output without assignments.
NOTHING = "no annotator can add information: all documents are labelled by all annotators, or their labels are certain"


@_generated.crowd_next
@inputs.crf_options
@table_output
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    known: str | None,
    known_annotator: str | None,
    aggregator: str | None,
    settings: Settings,
    most: int | None,
    per_annotator: int | None,
    min_annotators: int,
    output: Output,
) -> None:
    """Choose who should label which document of FILE next.

    A document is chosen for the annotator whose labels are expected to give the most information, per token, about the
    true labels. Files of sentences have no documents; a sentence is given by its index, from 0. The gain is in nats,
    and summed over the tokens of the document.
    """
    output.check([*paths, known])
    method = aggregator or AGGREGATOR
    if method not in methods_with_tables():
        raise click.UsageError(
            f"--aggregator {method} does not estimate the errors of annotators; use one of "
            f"{', '.join(methods_with_tables())}"
        )
    inputs.refuse_unused(method)
    layers = inputs.read_layers(paths, annotators, known, known_annotator)
    rows = next_of_layers(
        _fitted(layers, method, settings),
        most=most,
        per_annotator=per_annotator,
        min_annotators=min_annotators,
    )
    output.write(
        {
            "text": lambda: [_table(rows)] if rows else [NOTHING],
            "json": lambda: json.dumps(
                {"method": method, "next": [row._asdict() for row in rows]}, ensure_ascii=False
            ),
            "csv": lambda: [_table(rows, digits=6)],
            "html": lambda: _page(rows),
        }
    )


def _fitted(
    layers: list[CrowdCorpus], method: str, settings: Settings
) -> Iterator[tuple[CrowdCorpus, Aggregator]]:
    """Fit one layer after the other; layers are removed from the list, because corpora keep large tables."""
    aggregator = make_method(method, settings, layers[0], progress=None)
    for layer in layers:
        # Layers differ in labels only.
        layer.sentences = layers[0].sentences
    while layers:
        corpus = layers.pop(0)
        yield corpus, aggregator.fit(corpus)


def _table(rows: list[NextAnnotation], digits: int = 3) -> Table:
    table = Table(["document", "annotator", "expected gain", "annotators so far"])
    for row in rows:
        table.add_row(row.document, row.annotator, f"{row.gain:.{digits}f}", str(row.annotators))
    return table


def _page(rows: list[NextAnnotation]) -> str:
    sections: list[Section] = [Sorted("Assignments", _table(rows))]
    return render("Next annotations", sections)
