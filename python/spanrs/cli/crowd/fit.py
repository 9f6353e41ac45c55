"""``spanrs crowd fit``."""

from __future__ import annotations

from typing import Any

from spanrs.cli import _generated, console
from spanrs.cli.crowd import inputs
from spanrs.cli.crowd.aggregate import check_page, write_annotators
from spanrs.cli.output import Output, table_output
from spanrs.cli.output_files import check_model_output
from spanrs.crowd.experiments import Settings, make_method

#: The default of ``--aggregator``.
AGGREGATOR = "CRF-MA"


@_generated.crowd_fit
@inputs.crf_options
@table_output
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    known: str | None,
    known_annotator: str | None,
    output_path: str,
    aggregator: str | None,
    settings: Settings,
    output: Output,
) -> None:
    """Train a conditional random field on the labels of many annotators.

    Methods without a CRF estimate the true labels, and a CRF is then trained on this estimate: on the probabilities of
    the labels if the method estimates probabilities. The table of annotators is printed as by spanrs crowd aggregate.
    """
    check_page(output)
    output.check([*paths, known], ("-o", output_path))
    check_model_output(output_path)
    method = aggregator or AGGREGATOR
    corpus = inputs.read_corpus(paths, annotators, known, known_annotator)
    fitted = make_method(method, settings, corpus, progress=None).fit(corpus)
    crf: Any = getattr(fitted, "crf_", None)
    if crf is None:
        crf = fitted.then_crf(scheme="auto", **settings.of_crf(corpus))
    crf.describe({"method": method, "columns": {"token": 0}, "sentences": len(corpus)})
    crf.save(console.target(output_path))
    to_stdout = console.is_standard_output(output_path)
    write_annotators(output, corpus, fitted, (method, settings.seed), paths, err=to_stdout)
