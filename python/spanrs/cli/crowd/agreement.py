"""``spanrs crowd agreement``."""

from __future__ import annotations

import click

from spanrs.cli.crowd import inputs
from spanrs.cli.output import Output, output_options
from spanrs.crowd.agreement import Agreement

#: Pairs of annotators in the table.
MOST_PAIRS = 100


@click.command()
@inputs.files
@inputs.annotators
@click.option("--plot", type=click.Path(), help="A heat map of all pairs: .png, .svg or .pdf.")
@click.option(
    "--measure",
    type=click.Choice(["f1", "kappa"]),
    help="Measure shown in the heat map. [default: f1, or kappa where labels are no tags]",
)
@output_options()
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    plot: str | None,
    measure: str | None,
    output: Output,
) -> None:
    """Measure how far annotators agree.

    F1 of spans and Cohen's kappa of tokens by pair of annotators, Fleiss' kappa and Krippendorff's alpha of tokens for
    all, Krippendorff's alpha for unitizing of spans over the sentences that all labelled. In JSON, F1 is a fraction and
    what is not defined is null.
    """
    inputs.check_outputs([plot, output.path], paths)
    if plot is not None:
        from spanrs.report.plots import plot_format

        plot_format(plot)
    agreement = Agreement(inputs.read_corpus(paths, annotators))
    if plot is not None:
        agreement.plot(plot, measure)
    output.write(
        {
            "text": lambda: agreement.tables(MOST_PAIRS),
            "csv": agreement.tables,
            "json": agreement.to_json,
        },
        inputs=paths,
    )
