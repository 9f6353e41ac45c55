"""``spanrs crowd fit``."""

from __future__ import annotations

from typing import Any

import click

from spanrs.cli import console
from spanrs.cli.crowd import inputs
from spanrs.cli.crowd.aggregate import print_annotators
from spanrs.crowd.experiments import Settings, make_method
from spanrs.crowd.review import rank_annotators


@click.command()
@inputs.files
@inputs.annotators
@click.option(
    "-o", "--output", type=click.Path(), required=True, help="The model file, for spanrs crf tag."
)
@inputs.method_option("CRF-MA")
@inputs.crf_options
@click.option("--json", "as_json", is_flag=True, help="The annotators as one JSON object; fractions.")
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    output: str,
    method: str,
    settings: Settings,
    as_json: bool,
) -> None:
    """Train a conditional random field on the labels of many annotators.

    Methods that have no CRF of their own estimate the truth, and a CRF is trained on it: on the probabilities of the
    labels where the method gives them.
    """
    inputs.check_outputs([output], paths)
    corpus = inputs.read_corpus(paths, annotators)
    aggregator = make_method(method, settings, corpus, progress=None).fit(corpus)
    crf: Any = getattr(aggregator, "crf_", None)
    if crf is None:
        crf = aggregator.then_crf(scheme="auto", **settings.of_crf(corpus))
    crf.describe({"method": method, "columns": {"token": 0}, "sentences": len(corpus)})
    crf.save(console.standard_output() if output == "-" else output)
    rows = rank_annotators(corpus, aggregator.estimated_truth_, seed=settings.seed)
    print_annotators(corpus, rows, method, as_json=as_json, err=output == "-")
