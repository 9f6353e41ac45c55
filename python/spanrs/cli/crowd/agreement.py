"""``spanrs crowd agreement``."""

from __future__ import annotations

import click

from spanrs.cli import console
from spanrs.cli.crowd import inputs
from spanrs.crowd.agreement import Agreement
from spanrs.report.table import as_text

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
@click.option("--json", "as_json", is_flag=True, help="One JSON object; fractions, null where not defined.")
def command(
    paths: tuple[str, ...],
    annotators: tuple[str, ...],
    plot: str | None,
    measure: str | None,
    as_json: bool,
) -> None:
    """Measure how far annotators agree.

    F1 of spans and Cohen's kappa of tokens by pair of annotators, Fleiss' kappa and Krippendorff's alpha of tokens for
    all, Krippendorff's alpha for unitizing of spans over the sentences that all labelled.
    """
    if plot is not None:
        from spanrs.report.plots import plot_format

        inputs.check_outputs([plot], paths)
        plot_format(plot)
    agreement = Agreement(inputs.read_corpus(paths, annotators))
    if plot is not None:
        agreement.plot(plot, measure)
    if as_json:
        click.echo(agreement.to_json())
    else:
        console.echo_table(as_text(agreement.tables(MOST_PAIRS)))
