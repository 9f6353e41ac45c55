"""Pairs files and reads their documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from spanrs import _spanrs
from spanrs.eval.documents import document_name
from spanrs.io import Corpus, Pairing, pair_parts
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.io.sources import is_file_or_broken_link
from spanrs.mat.details import first_names
from spanrs.tags.types import is_auto

if TYPE_CHECKING:
    from spanrs.mat.task import Task


@dataclass(frozen=True)
class FilePair:
    """Two files, or two lists of documents, to score against each other.

    Attributes
    ----------
    name : str
        Name in the details: the base name of the pred file.
    gold, pred : str
        Names of the two sides in messages.
    read_gold, read_pred : callable
        Iterate over the documents.
    """

    name: str
    gold: str
    pred: str
    read_gold: Callable[[], Iterator[_spanrs.Document]]
    read_pred: Callable[[], Iterator[_spanrs.Document]]


def corpus_pairs(
    gold: Corpus, pred: Corpus, task: Task | None, pairing: Pairing = Pairing()
) -> tuple[list[FilePair], list[str]]:
    """Return the pairs of files, sorted by the names of the pred files, and the unpaired gold files.

    An unpaired pred file is paired with the missing gold file, which is then reported as a file that cannot be opened.
    """
    gold, pred = (_with_task(corpus, task) for corpus in (gold, pred))
    paired = pair_parts(gold.parts, pred.parts, pairing)
    pairs = [file_pair((gold, pred), parts) for parts in paired.pairs]
    for part in paired.preds:
        name = pairing.gold_name(part.name)
        pairs.append(
            FilePair(part.name, name, part.shown, partial(_missing, name, _shown(gold)), lambda: iter(()))
        )
    return sorted(pairs, key=lambda pair: pair.name), [part.name for part in paired.golds]


def _shown(corpus: Corpus) -> str:
    part = corpus.parts[0]
    return part.shown.removesuffix(part.name) if part.path is not None else part.shown


def _missing(name: str, folder: str) -> Iterator[_spanrs.Document]:
    raise FileNotFoundError(2, "no such file", f"{folder}{name}")


def _with_task(corpus: Corpus, task: Task | None) -> Corpus:
    """Return a corpus whose XML elements are the types of a task, unless the reading options specify elements."""
    options = corpus.options
    if task is None or options.elements is not None:
        return corpus
    return replace(corpus, options=replace(options, elements=task.declared()))


def file_pair(corpora: tuple[Corpus, Corpus], parts: tuple[Part, Part]) -> FilePair:
    """Pair two parts of corpora."""
    gold, pred = parts
    in_memory = isinstance(gold.source, list) and isinstance(pred.source, list)
    names = ("gold", "pred") if in_memory else (gold.shown, pred.shown)

    def read_pred() -> Iterator[_spanrs.Document]:
        corpus = corpora[1]
        if gold.kind == pred.kind == "rows" and is_auto(corpus.options.scheme):
            # As in spanrs.score, pred is read in the scheme of gold unless pred clearly follows another scheme.
            expected = replace(corpora[0], parts=(gold,)).scheme
            scheme = replace(corpus, parts=(pred,)).likely_scheme(expected)
            corpus = replace(corpus, options=replace(corpus.options, scheme=scheme))
        return replace(corpus, parts=(pred,)).core_documents(pred)

    def read_gold() -> Iterator[_spanrs.Document]:
        return replace(corpora[0], parts=(gold,)).core_documents(gold)

    name = "" if in_memory else document_name((pred.path or pred.shown).rpartition("/")[2])
    return FilePair(name, *names, read_gold, read_pred)


class Side(NamedTuple):
    """A file or a directory to score, with the reading options."""

    path: Path
    format: str
    options: ReadOptions

    def part(self, path: Path) -> Part:
        """Return a file of this side as a part; if the file does not exist, the error is raised on opening."""
        return Part(path.name, str(path), self.format, str(path))

    def corpus(self, task: Task | None) -> Corpus:
        """Return an empty corpus with the reading options."""
        return _with_task(Corpus((), self.options), task)


def two_files(gold: Side, pred: Side, task: Task | None) -> FilePair:
    """Pair two files."""
    parts = gold.part(gold.path), pred.part(pred.path)
    return file_pair((gold.corpus(task), pred.corpus(task)), parts)


def two_directories(
    gold: Side, pred: Side, task: Task | None, pairing: Pairing = Pairing()
) -> tuple[list[FilePair], list[str]]:
    """Pair the files of two directories as MATScore does; see :func:`corpus_pairs` for the return value.

    MATScore ignores subdirectories, includes hidden files, and pairs by the whole name only.
    """
    corpora = gold.corpus(task), pred.corpus(task)
    names = [name for name in _file_names(pred.path) if pairing.selects(name)]
    if pred.format == "brat":
        # The .txt file of a brat document is not a separate document.
        names = [name for name in names if name.endswith(".ann")]
    golds = [pairing.gold_name(name) for name in names]
    pairs = [
        file_pair(corpora, (gold.part(gold.path / of_gold), pred.part(pred.path / name)))
        for name, of_gold in zip(names, golds, strict=True)
    ]
    # With ``file_re``, files are left unpaired deliberately; directories of brat also contain the texts.
    if pairing.file_re is not None or gold.format == "brat":
        return pairs, []
    return pairs, sorted(set(_file_names(gold.path)).difference(golds))


def _file_names(folder: Path) -> list[str]:
    # Files are not opened here: errors are reported later, and opening a pipe would block.
    with os.scandir(folder) as entries:
        names = [
            entry.name
            for entry in entries
            if entry.is_file(follow_symlinks=False) or is_file_or_broken_link(entry)
        ]
    return sorted(names)


def without_hypothesis(alone: list[str]) -> list[str]:
    """Return a message about unpaired gold files, if there are any."""
    return [f"Reference files without a hypothesis are not scored: {first_names(alone)}."] if alone else []
