"""Inputs and options that the commands of ``spanrs crowd`` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from spanrs.cli import console
from spanrs.cli.crf.features import find_template, read_tagged
from spanrs.cli.options import column_arguments, flag, given
from spanrs.crowd import CrowdCorpus, crowd_corpus, crowd_layers, read_table
from spanrs.crowd.experiments import Data, Settings, methods_with
from spanrs.crowd.reading import source_names
from spanrs.errors import AlignmentError, with_code
from spanrs.io import read
from spanrs.io.columns import Columns
from spanrs.threads import thread_count

F = TypeVar("F", bound=Callable[..., Any])

#: Suffixes of tables.
TABLES = (".csv", ".csv.gz", ".csv.zst", ".parquet", ".arrow", ".feather")


def read_corpus(
    paths: Sequence[str],
    annotators: Sequence[str],
    known: str | None = None,
    known_annotator: str | None = None,
) -> CrowdCorpus:
    """Read annotations: a table, a column file, an export, or a file or directory for each annotator."""
    source, names = sources(paths, annotators)
    return crowd_corpus(
        source,
        annotators=names,
        partial="drop",
        known=None if known is None else console.source(known),
        known_annotator=known_annotator,
    )


def read_layers(
    paths: Sequence[str], annotators: Sequence[str], known: str | None, known_annotator: str | None
) -> list[CrowdCorpus]:
    """Read annotations like :func:`read_corpus`, with a corpus for each layer of types if spans overlap."""
    source, names = sources(paths, annotators)
    return crowd_layers(
        source,
        annotators=names,
        partial="drop",
        known=None if known is None else console.source(known),
        known_annotator=known_annotator,
    )


def sources(paths: Sequence[str], annotators: Sequence[str]) -> tuple[Any, Sequence[str] | None]:
    """Return the source for :func:`spanrs.crowd.crowd_corpus`, and the names of annotators if they are given."""
    repeated = next((name for name in annotators if annotators.count(name) > 1), None)
    if repeated is not None:
        raise click.UsageError(f"--annotator-name {repeated} is given twice")
    if len(paths) > 1:
        names = list(annotators) or source_names(paths)
        if len(names) != len(paths) or len(set(names)) != len(names):
            raise click.UsageError(
                f"{len(paths)} files are read as one annotator each; repeat --annotator-name for each of them"
            )
        return {name: console.source(path) for name, path in zip(names, paths, strict=True)}, None
    [path] = paths
    if path.lower().endswith(TABLES) and read(path).parts[0].kind == "table":
        if annotators:
            raise click.UsageError(
                "--annotator-name does not apply to tables, which contain the names of annotators"
            )
        return read_table(path, partial="drop"), None
    return console.source(path), list(annotators) or None


def crf_options(function: F) -> F:
    """Pass the options for CRFs as ``settings``."""

    @wraps(function)
    def wrapped(*args: Any, template: str | None, **parameters: Any) -> Any:
        crf = {name: parameters.pop(name) for name in ("c2", "min_freq", "seed")}
        threads = thread_count(parameters.pop("threads"))
        text = None if template is None else find_template(template).text
        return function(*args, settings=Settings(text, threads=threads, **crf), **parameters)

    return wrapped  # type: ignore[return-value]  # click takes any callable


def read_gold(path: str, columns: Columns, features: Sequence[int | str] = ()) -> Data:
    """Read a file with true labels."""
    form = {} if columns.format == "auto" else {"format": columns.format}
    data = read_tagged(path, column_arguments(columns) | form, features)
    return Data(data.X, data.y)


def aligned_labels(corpus: CrowdCorpus, gold: Data, path: str) -> list[list[str]]:
    """Return the gold labels, split into the sentences of the corpus.

    Raises
    ------
    spanrs.errors.AlignmentError
        If the tokens differ.
    """
    sides = [[token for sentence in data.sentences for token in sentence] for data in (corpus, gold)]
    if sides[0] != sides[1]:
        pairs = zip(*sides, strict=False)
        place = next((at for at, (a, b) in enumerate(pairs) if a != b), min(map(len, sides)))
        shown = (repr(side[place]) if place < len(side) else "the end" for side in sides)
        message = "{}: token {} of the annotations is {}, but the gold token is {}".format(
            path, place + 1, *shown
        )
        raise with_code(AlignmentError(message), "tokens", path)
    # Gold may have other sentence breaks.
    labels = iter(label for sentence in gold.labels for label in sentence)
    return [[next(labels) for _ in sentence] for sentence in corpus.sentences]


def refuse_unused(method: str) -> None:
    """Refuse options of CRFs that were given but that a method does not have."""
    for name in ("template", "c2", "min_freq"):
        methods = methods_with(name)
        if method not in methods and given(name):
            raise click.UsageError(f"{flag(name)} requires --aggregator {', '.join(methods)}")
