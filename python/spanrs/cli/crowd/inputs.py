"""Inputs and options that the commands of ``spanrs crowd`` share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from spanrs.cli import console
from spanrs.cli.crf.features import find_template, read_tagged
from spanrs.cli.options import column_arguments, flag, given
from spanrs.crowd import CrowdCorpus, crowd_corpus, read_table
from spanrs.crowd.corpus import MISSING
from spanrs.crowd.experiments import Data, Settings, methods_with
from spanrs.crowd.reading import source_names
from spanrs.errors import AlignmentError, ModelError, with_code
from spanrs.io import read
from spanrs.io.columns import Columns
from spanrs.io.training import tagged
from spanrs.threads import thread_count

F = TypeVar("F", bound=Callable[..., Any])

#: Suffixes of tables.
TABLES = (".csv", ".csv.gz", ".csv.zst", ".parquet", ".arrow", ".feather")


def read_corpus(paths: Sequence[str], annotators: Sequence[str]) -> CrowdCorpus:
    """Read annotations: a table, a column file, an export, or a file or directory for each annotator."""
    repeated = next((name for name in annotators if annotators.count(name) > 1), None)
    if repeated is not None:
        raise click.UsageError(f"--annotator-name {repeated} is given twice")
    if len(paths) > 1:
        names = list(annotators) or source_names(paths)
        if len(names) != len(paths) or len(set(names)) != len(names):
            raise click.UsageError(
                f"{len(paths)} files are read as one annotator each; repeat --annotator-name for each of them"
            )
        return crowd_corpus(
            {name: console.source(path) for name, path in zip(names, paths, strict=True)}, partial="drop"
        )
    [path] = paths
    if path.lower().endswith(TABLES) and read(path).parts[0].kind == "table":
        if annotators:
            raise click.UsageError(
                "--annotator-name does not apply to tables, which contain the names of annotators"
            )
        return read_table(path, partial="drop")
    return crowd_corpus(console.source(path), annotators=annotators or None, partial="drop")


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


def with_known(corpus: CrowdCorpus, path: str | None) -> CrowdCorpus:
    """Return the corpus with the known labels of a file; its sentences are found by their tokens, in order.

    Raises
    ------
    spanrs.errors.AlignmentError
        If a sentence of the file is not in the corpus.
    """
    if path is None:
        return corpus
    tokens, labels = tagged(read(console.source(path)))
    places: dict[tuple[Any, ...], list[int]] = {}
    for at, sentence in enumerate(corpus.sentences):
        places.setdefault(tuple(sentence), []).append(at)
    known: dict[int, Sequence[str]] = {}
    for number, (words, row) in enumerate(zip(tokens, labels, strict=True)):
        equal = places.get(tuple(words))
        if not equal:
            shown = " ".join(map(str, words[:5]))
            message = f"{path}: sentence {number} ({shown}) has no sentence with the same tokens in the annotations"
            raise with_code(AlignmentError(message), "tokens", path)
        at = equal.pop(0)
        gaps = row.count(MISSING)
        if 0 < gaps < len(row):
            message = (
                f"{path}: sentence {number} is only partly labelled; label all tokens of a sentence or none"
            )
            raise with_code(ModelError(message), "bad_value", path)
        if not gaps:
            known[at] = row
    return corpus.with_known(known)


def refuse_unused(method: str) -> None:
    """Refuse options of CRFs that were given but that a method does not have."""
    for name in ("template", "c2", "min_freq"):
        methods = methods_with(name)
        if method not in methods and given(name):
            raise click.UsageError(f"{flag(name)} requires --aggregator {', '.join(methods)}")
