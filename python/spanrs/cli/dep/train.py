"""``spanrs dep train``."""

from __future__ import annotations

import json
import time
from typing import Any

import click
from click.core import ParameterSource

from spanrs.cli import console
from spanrs.cli.run import print_message
from spanrs.dep import Parser, Tagger
from spanrs.dep.tagger import save
from spanrs.dep.training import Epoch


@click.command()
@click.argument("gold")
@click.option(
    "--dev",
    metavar="FILE",
    help="Development data, scored after each pass; UAS and LAS are those of spanrs dep eval, without subtypes.",
)
@click.option("-o", "--output", type=click.Path(), required=True, help="The model file.")
@click.option("--tagger-only", is_flag=True, help="Train no parser; GOLD needs no trees.")
@click.option(
    "--published",
    is_flag=True,
    help="Train exactly as parser.py: its features, oracle and passes; no labels.",
)
@click.option(
    "--features",
    default="rich",
    metavar="rich|published|FILE",
    help="Feature templates of the parser (spanrs dep templates prints the rich ones).",
)
@click.option("--labelled/--unlabelled", default=True, help="Learn the labels of arcs.")
@click.option("--single-root/--any-roots", default=True, help="Attach one word of a sentence to the root.")
@click.option(
    "--epochs", type=click.IntRange(1), help="Passes of the parser. [default: 6; 15 with --published]"
)
@click.option("--tagger-epochs", type=click.IntRange(1), default=12, help="Passes of the tagger.")
@click.option(
    "--models",
    type=click.IntRange(1, 100),
    default=10,
    help="Train the parser with this many seeds and add up the weights: one model, as fast, half a point better.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, help="Order of sentences.")
@click.option(
    "--explore-from", type=click.IntRange(1), default=2, help="First pass that follows its own guesses."
)
@click.option(
    "--aggressiveness",
    type=click.FloatRange(0),
    default=0,
    help="Limit of a passive-aggressive update, such as 0.01; 0 for perceptron updates.",
)
@click.option(
    "--jackknife",
    type=click.IntRange(0),
    default=10,
    help="Parts of GOLD that are tagged by taggers of the others, for the parser to learn from; 0: the tags of GOLD.",
)
@click.option(
    "--patience",
    type=click.IntRange(1),
    metavar="N",
    help="Stop after N passes without a better score on --dev, and keep the best weights.",
)
@click.option("-q", "--quiet", is_flag=True, help="Do not show the passes on standard error.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")
def command(
    gold: str,
    dev: str | None,
    output: str,
    tagger_only: bool,
    published: bool,
    quiet: bool,
    as_json: bool,
    patience: int | None,
    **given: Any,
) -> None:
    """Train a tagger and a dependency parser on GOLD, a treebank in CoNLL-U.

    Trees that are not projective are made so first (their number is in the summary). The parser learns from the tags
    of a tagger that has not seen the sentence, and is scored on --dev with predicted tags.
    """
    if gold == dev == "-":
        raise click.UsageError("standard input can be read once")
    if patience is not None and dev is None:
        raise click.UsageError("--patience needs --dev")
    _check_options(tagger_only=tagger_only, published=published)
    console.check_output(output, tuple(path for path in (gold, dev) if path is not None))
    started = time.monotonic()
    trained = _make(tagger_only, published, not quiet, given)
    held_out = None if dev is None else console.source(dev)
    trained.fit(console.source(gold), held_out, patience=patience)
    save(trained.compiled, output)
    _summary(trained, output, time.monotonic() - started, as_json=as_json)


#: Options of the parser.
_OF_PARSER = (
    "features",
    "labelled",
    "single_root",
    "epochs",
    "models",
    "explore_from",
    "aggressiveness",
    "jackknife",
)
#: Options without effect on the training of parser.py.
_NOT_PUBLISHED = ("dev", "patience", "tagger_epochs", *(name for name in _OF_PARSER if name != "epochs"))


def _check_options(*, tagger_only: bool, published: bool) -> None:
    """Refuse options without effect."""
    if tagger_only and published:
        raise click.UsageError("--tagger-only and --published exclude each other; choose one")
    context = click.get_current_context()
    without = (_OF_PARSER if tagger_only else ()) + (_NOT_PUBLISHED if published else ())
    for name in without:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            mode = "--tagger-only" if tagger_only else "--published"
            raise click.UsageError(f"--{name.replace('_', '-')} has no effect with {mode}")


def _make(tagger_only: bool, published: bool, progress: bool, given: dict[str, Any]) -> Parser | Tagger:
    """Give what is trained."""
    tagger = Tagger(epochs=given["tagger_epochs"], seed=given["seed"], progress=progress)
    if tagger_only:
        return tagger
    if published:
        return Parser.published(epochs=given["epochs"] or 15, seed=given["seed"], progress=progress)
    if given["jackknife"] == 1:
        raise click.UsageError("--jackknife needs 2 parts or more; 0 learns from the tags of GOLD")
    return Parser(
        features=given["features"],
        labelled=given["labelled"],
        single_root=given["single_root"],
        epochs=given["epochs"] or 6,
        models=given["models"],
        seed=given["seed"],
        explore_from=given["explore_from"],
        aggressiveness=given["aggressiveness"] or None,
        jackknife=given["jackknife"],
        tagger=tagger,
        progress=progress,
    )


def _summary(trained: Parser | Tagger, output: str, seconds: float, *, as_json: bool) -> None:
    """Say what was trained."""
    last: Epoch | None = trained.history_[-1] if trained.history_ else None
    tagger, parser = trained.compiled.sizes()
    # Tagger alone: the scores of its last pass; its patience keeps the best one.
    dev = trained.dev_ if isinstance(trained, Parser) else (last.dev if last is not None else {})
    facts: dict[str, Any] = {
        "model": output,
        "tagger_features": tagger,
        "parser_features": parser,
        "lifted": list(getattr(trained, "lifted_", (0, 0))),
        "passes": len(trained.history_),
        "train": None if last is None else last.accuracy,
        "dev": dev,
        "seconds": round(seconds, 1),
    }
    if as_json:
        console.echo(json.dumps(facts))
        return
    if facts["lifted"][0]:
        words, sentences = facts["lifted"]
        print_message(
            "note",
            f"{words} words of {sentences} sentences got other heads, so that their trees are projective",
        )
    console.echo(
        f"{output}: tagger with {tagger} features"
        + (f", parser with {parser}" if parser else "")
        + f"; {facts['passes']} passes in {seconds:.0f} s"
    )
    if dev:
        scores = ", ".join(f"{name.upper()} {100 * value:.2f}" for name, value in dev.items())
        console.echo(f"dev: {scores}")
