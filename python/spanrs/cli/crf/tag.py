"""``spanrs crf tag``."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import click

from spanrs import _spanrs
from spanrs.cli import console, options
from spanrs.cli.crf.column_file import FORM, MISC, Chunk, ColumnFile, Place
from spanrs.cli.crf.features import (
    TrainedModel,
    feature_columns,
    feature_places,
    given,
    load_model,
    predictions,
    read_untagged,
    threads,
    tokens_of_model,
)
from spanrs.cli.run import print_message
from spanrs.io import Columns, atomic_output

#: Lines that are looked at to recognise running text.
LINES = 20
#: The key of MISC that --probabilities sets in CoNLL-U.
PROBABILITY_KEY = "TagProbability"


@click.command()
@click.argument("model_path", metavar="MODEL")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@options.output
@click.option(
    "--template", metavar="NAME|FILE", help="For models without a template, such as those of CRFsuite."
)
@feature_columns
@threads
@click.option(
    "--scheme",
    metavar="SCHEME",
    help="Give legal tags of this scheme only, for models without a scheme (those of CRFsuite); none for any tags.",
)
@click.option(
    "--posterior",
    is_flag=True,
    help="The most probable tag of each token, instead of the most probable sequence; tags may be illegal in sequence.",
)
@click.option(
    "--probabilities",
    is_flag=True,
    help="Add a column with the probability of each tag; in CoNLL-U the key TagProbability of MISC.",
)
@options.file_format
@options.places
def command(
    model_path: str,
    files: tuple[str, ...],
    output: str | None,
    template: str | None,
    features: tuple[int | str, ...],
    threads: int,
    scheme: str | None,
    columns: Columns,
    **how: bool,
) -> None:
    """Write FILE with the tags of MODEL as a new last column. MODEL or FILE may be "-" (standard input), but not both.

    With --column the tags replace what is in that column. CoNLL-U has no room for a new column: there the tags
    go to --column, which by default is that of the training data, if that was CoNLL-U. Comments, empty lines and
    all other columns stay as they are. Columns are by default those of the training data. Of several FILE the
    output is one after the other. Nothing is written if one of them cannot be tagged.
    """
    if (model_path, *files).count("-") > 1:
        raise click.UsageError("standard input can be read once")
    to_stdout = output in (None, "-")
    if not to_stdout and console.overwritten([Path(str(output))], [Path(model_path)]) is not None:
        raise click.UsageError(f"-o {output} would overwrite the model")
    model = load_model(model_path, template, features, threads, scheme)
    with atomic_output(console.standard_output() if to_stdout else output) as out:
        last = b"\n"
        for path in files:
            # Sentences of different files are different sentences.
            out.write(b"" if not last.strip() else b"\n" if last.endswith(b"\n") else b"\n\n")
            last = _tag(model, path, columns, out, **how)


def _tag(
    model: TrainedModel,
    path: str,
    columns: Columns,
    out: IO[bytes],
    *,
    posterior: bool,
    probabilities: bool,
) -> bytes:
    """Write a file with tags; give its last line."""
    replaced = given("tag")
    file = ColumnFile(path, tokens_of_model(model.card, columns), tagged=False)
    places: list[Place] = []
    last = b""
    for chunk in file.chunks():
        if not places and chunk.sentences:
            for message in file.warnings:
                print_message("warning", message)
            out.write(file.byte_order_mark)
            if not (replaced or model.features):
                _check_one_token_per_line(file, chunk, columns)
            places = feature_places(file, model.features)
            target = _target(model, file, columns.tag if replaced else None, places[0])
            model.warn_if_unrelated(read_untagged(file, chunk, places)[:100])
        if chunk.sentences:
            _tag_chunk(
                model, file, chunk, (places, target), posterior=posterior, probabilities=probabilities
            )
        out.writelines(chunk.lines)
        last = chunk.lines[-1] if chunk.lines else last
    return last


def _check_one_token_per_line(file: ColumnFile, chunk: Chunk, columns: Columns) -> None:
    """Refuse running text, whose lines look like sentences of one token in many columns."""
    several = any(len(sentence) > 1 for sentence in chunk.sentences)
    if several or file.count < 2 or file.separator is not None or columns.separator != "auto":
        return
    # The first word may be a token with its columns; those have no marks attached.
    rest = (chunk.lines[sentence[0]].partition(b" ")[2] for sentence in chunk.sentences[:LINES])
    running = _spanrs.running_text([line.decode() for line in rest])
    # One sentence may be one token.
    if running or file.count >= (5 if len(chunk.sentences) == 1 else 3):
        message = (
            f"every sentence has a single token, but its line has {file.count} columns; is this running text? Put one "
            "token on each line and an empty line after each sentence, or name the column separator with --separator"
        )
        raise file.error(chunk.before + chunk.sentences[0][0] + 1, message)


def _tag_chunk(
    model: TrainedModel,
    file: ColumnFile,
    chunk: Chunk,
    columns: tuple[list[Place], Place | None],
    *,
    posterior: bool,
    probabilities: bool,
) -> None:
    """Set the tags in the lines of a chunk."""
    places, target = columns
    sequences = read_untagged(file, chunk, places)
    labels = predictions(model, sequences, posterior)
    marginals = model.crf.predict_proba(sequences) if probabilities else []
    ids = {label: at for at, label in enumerate(model.crf.classes_)}
    for number, (own, tags) in enumerate(zip(chunk.sentences, labels, strict=True)):
        for token, (at, tag) in enumerate(zip(own, tags, strict=True)):
            line = file.with_field(chunk.lines[at], target, tag)
            if probabilities:
                key = Place(MISC, PROBABILITY_KEY) if file.conllu else None
                line = file.with_field(line, key, f"{marginals[number][token, ids[tag]]:.4f}")
            chunk.lines[at] = line


def _target(model: TrainedModel, file: ColumnFile, column: Any, token: Place) -> Place | None:
    """Find the column that gets the tags; None for a new one."""
    if column is None:
        if not file.conllu:
            return None
        trained = model.card.get("columns", {})
        if not trained.get("conllu"):
            raise click.UsageError(
                f"{file.name} is CoNLL-U: name the column that gets the tags with --column, such as UPOS, XPOS or a "
                "key of MISC"
            )
        column = trained["tag"]
    if isinstance(column, tuple):
        raise click.UsageError("--column wants one column")
    place = file.place(column)
    if place == token or (file.conllu and place.number <= FORM):
        raise click.UsageError(f"--column {column} is not a column of tags; it would overwrite the tokens")
    return place
