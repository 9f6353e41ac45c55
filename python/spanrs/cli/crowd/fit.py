"""``spanrs crowd fit``."""

from __future__ import annotations

from typing import Any

import click

from spanrs.cli import console
from spanrs.cli.crowd import inputs
from spanrs.cli.crowd.aggregate import write_annotators
from spanrs.cli.output import Output, output_options
from spanrs.crowd.experiments import Settings, make_method
from spanrs.crowd.review import rank_annotators


@click.command()
@inputs.files
@inputs.annotators
@click.option(
    "-o",
    "--output",
    "model_path",
    type=click.Path(),
    required=True,
    help="The model file, for spanrs crf tag.",
)
@inputs.method_option("CRF-MA")
@inputs.crf_options
@output_options(file=False)
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    model_path: str,
    method: str,
    settings: Settings,
    output: Output,
) -> None:
    """Train a conditional random field on the labels of many annotators.

    Methods that have no CRF of their own estimate the truth, and a CRF is trained on it: on the probabilities of the
    labels where the method gives them. The table of annotators is printed as by spanrs crowd aggregate.
    """
    inputs.check_outputs([model_path], paths)
    output.check_format()
    corpus = inputs.read_corpus(paths, annotators)
    aggregator = make_method(method, settings, corpus, progress=None).fit(corpus)
    crf: Any = getattr(aggregator, "crf_", None)
    if crf is None:
        crf = aggregator.then_crf(scheme="auto", **settings.of_crf(corpus))
    crf.describe({"method": method, "columns": {"token": 0}, "sentences": len(corpus)})
    crf.save(console.standard_output() if console.is_standard_output(model_path) else model_path)
    rows = rank_annotators(corpus, aggregator, seed=settings.seed)
    write_annotators(output, corpus, rows, method, err=console.is_standard_output(model_path))
