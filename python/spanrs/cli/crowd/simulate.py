"""``spanrs crowd simulate``."""

from __future__ import annotations

from collections.abc import Callable

import click

from spanrs.cli import _generated, console, options
from spanrs.cli.crowd import inputs
from spanrs.cli.output_files import check_outputs
from spanrs.crowd import CrowdCorpus, NoisyCRFs, flip_labels, write_columns
from spanrs.crowd.experiments import Data, Settings
from spanrs.io.columns import Columns


def simulation(
    gold: Data, variances: list[float] | None, flips: list[float] | None, alone: bool, settings: Settings
) -> Callable[[int], CrowdCorpus]:
    """Return a function that simulates annotators with a given seed."""
    if (variances is None) == (flips is None):
        raise click.UsageError("use either --noise or --flip")
    if flips is not None:
        probabilities = flips
        return lambda seed: flip_labels(
            gold.sentences, gold.labels, probabilities, repeated=not alone, seed=seed
        )
    assert variances is not None
    corpus = CrowdCorpus(gold.sentences, [{"gold": labels} for labels in gold.labels], missing=None)
    annotators = NoisyCRFs(gold.sentences, gold.labels, **settings.of_crf(corpus))
    return lambda seed: annotators.simulate(variances, repeated=not alone, seed=seed)


@_generated.crowd_simulate
@inputs.crf_options
@options.columns
def command(
    gold: str,
    output_path: str,
    noise: list[float] | None,
    flip: list[float] | None,
    alone: bool,
    features: tuple[int | str, ...],
    settings: Settings,
    columns: Columns,
) -> None:
    """Simulate annotators for GOLD, a file with one token and its label per line.

    The simulation follows Rodrigues, Pereira and Ribeiro (2013, section 4.1): with --noise, a CRF is trained on GOLD,
    and each annotator is this CRF with noise added to its weights; with --flip, each annotator replaces labels at
    random.
    """
    check_outputs([("-o", output_path)], [gold])
    data = inputs.read_gold(gold, columns, features)
    corpus = simulation(data, noise, flip, alone, settings)(settings.seed)
    if features:
        words = [[token[0] for token in sentence] for sentence in corpus.sentences]
        corpus = corpus.replaced(sentences=words)
    write_columns(corpus, console.target(output_path))
