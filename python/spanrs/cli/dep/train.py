"""``spanrs dep train``."""

from __future__ import annotations

import json
import time
from typing import Any

import click

from spanrs.cli import _generated, console
from spanrs.cli.options import refuse, refuse_without
from spanrs.cli.output import Output, table_output
from spanrs.cli.output_files import check_model_output
from spanrs.cli.run import print_message
from spanrs.dep import Parser, Pipeline, Tagger
from spanrs.dep.training import Epoch


@_generated.dep_train
@table_output
def command(
    gold: str,
    dev: str | None,
    output_path: str,
    tagger_only: bool,
    without: tuple[str, ...],
    published: bool,
    quiet: bool,
    output: Output,
    patience: int | None,
    **given: Any,
) -> None:
    """Train a model on GOLD, a treebank in CoNLL-U: a segmenter of raw text, a tagger, morphology and a parser.

    The segmenter learns from the spaces between tokens (SpaceAfter=No in MISC), the morphology from FEATS and LEMMA;
    they are left out if GOLD has no such annotation. Non-projective trees are made projective first (the summary gives
    the number of changed heads). Morphology and parser are trained on tags predicted by a tagger that was trained
    without the sentence, and the parser is scored on --dev with predicted tags. --without parser needs no trees.
    """
    if gold == dev == "-":
        raise click.UsageError("standard input can be read once")
    _check_options(tagger_only=tagger_only, published=published, without=without)
    output.check([gold, dev], ("-o", output_path))
    check_model_output(output_path)
    started = time.monotonic()
    trained = _make(tagger_only, published, not quiet, without, given)
    held_out = None if dev is None else console.source(dev)
    trained.fit(console.source(gold), held_out, patience=patience)
    trained.save(console.target(output_path))
    _write_summary(trained, output_path, time.monotonic() - started, output)


#: Options of the parser.
_OF_PARSER = (
    "features",
    "unlabelled",
    "any_roots",
    "epochs",
    "models",
    "max_weights",
    "beam",
    "explore_from",
    "aggressiveness",
)
#: Options without effect with --published.
_NOT_PUBLISHED = (
    "dev",
    "patience",
    "tagger_epochs",
    "jackknife",
    *(name for name in _OF_PARSER if name != "epochs"),
)


def _check_options(*, tagger_only: bool, published: bool, without: tuple[str, ...]) -> None:
    """Refuse options without effect."""
    if tagger_only and published:
        raise click.UsageError("--tagger-only and --published exclude each other; choose one")
    if without and (tagger_only or published):
        raise click.UsageError("--without has no effect without the other components; omit it")
    if tagger_only:
        refuse((*_OF_PARSER, "jackknife"), "--tagger-only")
    if "parser" in without:
        refuse(_OF_PARSER, "--without parser")
    if published:
        refuse(_NOT_PUBLISHED, "--published")
    refuse_without("dev", ["patience"])


def _make(
    tagger_only: bool, published: bool, progress: bool, without: tuple[str, ...], given: dict[str, Any]
) -> Pipeline | Parser | Tagger:
    """Return the untrained pipeline, or the untrained component."""
    tagger = Tagger(epochs=given["tagger_epochs"], seed=given["seed"], progress=progress)
    if tagger_only:
        return tagger
    # Without the option, the default of the parser applies.
    epochs = {} if given["epochs"] is None else {"epochs": given["epochs"]}
    if published:
        return Parser.published(seed=given["seed"], progress=progress, **epochs)
    if given["jackknife"] == 1:
        raise click.UsageError("--jackknife must be at least 2, or 0 to train on the tags of GOLD")
    parser = Parser(
        features=given["features"],
        labelled=not given["unlabelled"],
        single_root=not given["any_roots"],
        models=given["models"],
        max_weights=given["max_weights"],
        beam=given["beam"],
        seed=given["seed"],
        explore_from=given["explore_from"],
        aggressiveness=given["aggressiveness"],
        jackknife=given["jackknife"],
        tagger=tagger,
        progress=progress,
        **epochs,
    )
    return Pipeline(parser=parser, without=without, seed=given["seed"], progress=progress)


def _write_summary(trained: Pipeline | Parser | Tagger, path: str, seconds: float, output: Output) -> None:
    """Write a summary of the training."""
    last: Epoch | None = trained.history_[-1] if trained.history_ else None
    skipped: dict[str, str] = getattr(trained, "skipped_", {})
    for name, reason in skipped.items():
        print_message("note", f"no {name}: {reason}")
    tagger, parser = trained._compiled.sizes()
    words, sentences = getattr(trained, "lifted_", (0, 0))
    facts: dict[str, Any] = {
        "model": path,
        "components": Pipeline._of(trained._compiled).components,
        "skipped": skipped,
        "tagger_features": tagger,
        "parser_features": parser,
        "lifted": [words, sentences],
        "passes": len(trained.history_),
        "train": None if last is None else last.accuracy,
        "dev": trained.dev_,
        "seconds": round(seconds, 1),
    }
    if words and output.to == "text":
        print_message(
            "note",
            f"to make all trees projective, {words} words in {sentences} sentences were given other heads",
        )
    lines = [
        f"{path}: {', '.join(facts['components'])}; tagger with {tagger} features"
        + (f", parser with {parser}" if parser else "")
        + f"; {facts['passes']} passes in {seconds:.0f} s"
    ]
    if trained.dev_:
        lines.append(
            "dev: " + ", ".join(f"{name.upper()} {100 * value:.2f}" for name, value in trained.dev_.items())
        )
    output.write(
        {"text": lambda: "\n".join(lines), "json": lambda: json.dumps(facts)},
        err=console.is_standard_output(path),
    )
