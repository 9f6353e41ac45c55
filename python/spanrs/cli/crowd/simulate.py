"""``spanrs crowd simulate``."""

from __future__ import annotations

from collections.abc import Callable

import click

from spanrs.cli import console, options
from spanrs.cli.crf.features import feature_columns
from spanrs.cli.crowd import inputs
from spanrs.crowd import CrowdCorpus, NoisyCRFs, flip_labels, write_columns
from spanrs.crowd.experiments import Data, Settings
from spanrs.io.columns import Columns


def numbers(value: str | list[float]) -> list[float]:
    """Read numbers with commas between them."""
    if isinstance(value, list):
        return value
    try:
        return [float(part) for part in value.split(",")]
    except ValueError:
        message = f"{value!r} is not numbers with commas between them, such as 0.1,0.3"
        raise click.BadParameter(message) from None


noise = click.option(
    "--noise",
    type=numbers,
    metavar="V,V,...",
    help="An annotator for each variance of the noise on the weights of a CRF.",
)
flip = click.option(
    "--flip",
    type=numbers,
    metavar="P,P,...",
    help="An annotator for each probability that a label is replaced by another one.",
)
alone = click.option(
    "--no-repeats",
    "alone",
    is_flag=True,
    help="Each sentence is labelled by one annotator. By default all label all.",
)


def simulation(
    gold: Data, variances: list[float] | None, flips: list[float] | None, alone: bool, settings: Settings
) -> Callable[[int], CrowdCorpus]:
    """Give a function that makes annotators for a seed."""
    if (variances is None) == (flips is None):
        raise click.UsageError("give either --noise or --flip")
    if flips is not None:
        probabilities = flips
        return lambda seed: flip_labels(
            gold.sentences, gold.labels, probabilities, repeated=not alone, seed=seed
        )
    assert variances is not None
    corpus = CrowdCorpus(gold.sentences, [{"gold": own} for own in gold.labels], missing=None)
    annotators = NoisyCRFs(gold.sentences, gold.labels, **settings.of_crf(corpus))
    return lambda seed: annotators.simulate(variances, repeated=not alone, seed=seed)


@click.command()
@click.argument("gold")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    required=True,
    help="The file of annotations; - is standard output.",
)
@noise
@flip
@alone
@feature_columns
@inputs.crf_options
@options.file_format
@options.places
def command(
    gold: str,
    output: str,
    noise: list[float] | None,
    flip: list[float] | None,
    alone: bool,
    features: tuple[int | str, ...],
    settings: Settings,
    columns: Columns,
) -> None:
    """Make annotators for GOLD, a file with one token and its label per line.

    As Rodrigues, Pereira and Ribeiro (2013, section 4.1): with --noise a CRF is trained on GOLD, and each annotator is
    this CRF with noise; with --flip each annotator replaces labels at random.
    """
    inputs.check_outputs([output], [gold])
    data = inputs.read_gold(gold, columns, features)
    corpus = simulation(data, noise, flip, alone, settings)(settings.seed)
    if features:
        words = [[token[0] for token in sentence] for sentence in corpus.sentences]
        corpus = corpus.replaced(sentences=words)
    write_columns(corpus, console.standard_output() if output == "-" else output)
