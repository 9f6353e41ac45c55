"""Which files belong together, and how documents are read from them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from spanrs import _spanrs
from spanrs.eval.documents import document_name
from spanrs.io.columns import Columns
from spanrs.io.document import Document
from spanrs.io.documents import conll_scheme, of_memory, opened
from spanrs.io.sources import is_file_or_broken_link
from spanrs.mat.details import first_names

if TYPE_CHECKING:
    from spanrs.mat.task import Task

#: A file, a directory, a document, or several documents.
Side: TypeAlias = str | PathLike[str] | Document | Sequence[Document]


@dataclass(frozen=True)
class InputFormat:
    """How the files of a side are read.

    Parameters
    ----------
    format : str
        ``mat-json``, ``xml-inline``, ``fake-xml-inline``, ``raw``, ``brat``, ``doccano``, ``prodigy``,
        ``label-studio``, ``conll`` or ``spacy``.
    encoding : str, optional
        Of XML and raw text, as Python names it; if not given, what XML declares, else UTF-8.
    overlay, translate_all : bool
        For XML with a task: what the task does not declare stays in the text, or is annotated as well.
    scheme, reading, columns
        Of column files (``conll``), as for :func:`spanrs.score_files`.
    annotator : str or int, optional
        Whose annotations are read of Label Studio's and Prodigy's files, as for :func:`spanrs.io.read_documents`.
    layer : str, optional
        Which annotations are read of spaCy's files: ``ents``, or a span group by its name.
    max_expansion : int, optional
        How much compressed files may expand, as for :func:`spanrs.io.read_documents`.
    """

    format: str = "mat-json"
    encoding: str | None = None
    overlay: bool = False
    translate_all: bool = False
    scheme: str = "auto"
    reading: str = "conlleval"
    columns: Columns = Columns()
    annotator: str | int | None = None
    layer: str | None = None
    max_expansion: int | None = None

    def read(self, path: Path, task: Task | None) -> Iterator[_spanrs.Document]:
        """Read the documents of a file one by one; raises what :func:`spanrs.io.read_documents` does."""
        # The other fields are the arguments of `opened`.
        options = dict(vars(self))
        translate_all = options.pop("translate_all")
        elements = None if task is None or translate_all else task.declared()
        options["overlay"] = self.overlay and elements is not None
        return opened(path, elements=elements, **options)


@dataclass(frozen=True)
class Pairing:
    """Which files of two directories belong together.

    Parameters
    ----------
    file_re : str, optional
        A regular expression for the whole base name of pred's files in a directory.
    suffix_off, suffix_on : str, optional
        What is taken from the end of the name of pred's file, and what is put there, to get the name of
        gold's.
    """

    file_re: str | None = None
    suffix_off: str | None = None
    suffix_on: str | None = None


@dataclass(frozen=True)
class FilePair:
    """Two files, or two lists of documents, that belong together.

    Attributes
    ----------
    name : str
        What the details call it: the base name of pred's file.
    gold, pred : str
        What messages call the two.
    read_gold, read_pred : callable
        Give the documents one by one.
    """

    name: str
    gold: str
    pred: str
    read_gold: Callable[[], Iterator[_spanrs.Document]]
    read_pred: Callable[[], Iterator[_spanrs.Document]]


def file_pairs(
    gold: Side,
    pred: Side,
    formats: tuple[InputFormat, InputFormat],
    task: Task | None,
    pairing: Pairing = Pairing(),
) -> Iterator[FilePair]:
    """Give what belongs together, by the base names of pred's files, sorted.

    Raises
    ------
    ValueError
        Where one side is a directory and the other is not, or ``file_re`` is no regular expression.
    OSError
        Where a directory cannot be listed.
    """
    if not isinstance(gold, (str, PathLike)) or not isinstance(pred, (str, PathLike)):
        yield FilePair("", "gold", "pred", _reader(gold, formats[0], task), _reader(pred, formats[1], task))
        return
    golds, preds = Path(gold), Path(pred)
    if not preds.is_dir() and not golds.is_dir():
        yield file_pair(golds, preds, formats, task)
        return
    if not preds.is_dir() or not golds.is_dir():
        one, other = (golds, preds) if golds.is_dir() else (preds, golds)
        raise ValueError(f"{one} is a directory and {other} is not; name two files or two directories")
    for file in _listed(preds, formats[1], pairing.file_re):
        name = file.name.removesuffix(pairing.suffix_off or "") + (pairing.suffix_on or "")
        yield file_pair(golds / name, file, formats, task)


def without_hypothesis(
    gold: Side, pairs: Sequence[FilePair], gold_format: InputFormat, pairing: Pairing
) -> list[str]:
    """Say which files of gold's directory have no partner; nothing where gold is no directory, or all have."""
    if not isinstance(gold, (str, PathLike)) or not Path(gold).is_dir():
        return []
    # With a pattern somebody has chosen, and with brat texts lie beside annotations.
    if pairing.file_re is not None or gold_format.format == "brat":
        return []
    # Looked up by name: a directory knows what its entries are, and asking each again takes long.
    paired = {os.path.basename(pair.gold) for pair in pairs}
    with os.scandir(gold) as entries:
        alone = sorted(entry.name for entry in entries if entry.name not in paired and _is_file(entry))
    return [f"Reference files without a hypothesis are not scored: {first_names(alone)}."] if alone else []


def _listed(folder: Path, input_format: InputFormat, file_re: str | None) -> list[Path]:
    try:
        fits = re.compile(file_re or ".*", re.DOTALL).fullmatch
    except re.error as error:
        raise ValueError(f"file_re {file_re!r} is no regular expression: {error}") from None
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if fits(entry.name) and _is_file(entry))
    # The text beside a file of brat is no document of its own.
    return [folder / name for name in names if input_format.format != "brat" or Path(name).suffix == ".ann"]


def _is_file(entry: os.DirEntry[str]) -> bool:
    # What cannot be opened is said later; a pipe would wait for somebody to write into it.
    return entry.is_file(follow_symlinks=False) or is_file_or_broken_link(entry)


def file_pair(
    gold: Path, pred: Path, formats: tuple[InputFormat, InputFormat], task: Task | None
) -> FilePair:
    """Give two files as a pair."""
    of_gold, of_pred = formats

    def read_pred() -> Iterator[_spanrs.Document]:
        scheme = of_pred.scheme
        if of_gold.format == of_pred.format == "conll" and scheme == "auto":
            # As for scores: gold says how both are written, unless pred is clearly in another scheme.
            scheme = conll_scheme(pred, of_pred.columns, conll_scheme(gold, of_gold.columns))
        return replace(of_pred, scheme=scheme).read(pred, task)

    name = document_name(pred.name)
    return FilePair(name, str(gold), str(pred), _reader(gold, of_gold, task), read_pred)


def _reader(
    side: Side, input_format: InputFormat, task: Task | None
) -> Callable[[], Iterator[_spanrs.Document]]:
    if isinstance(side, (str, PathLike)):
        path = Path(side)
        return lambda: input_format.read(path, task)
    documents = [side] if isinstance(side, Document) else list(side)
    for document in documents:
        if not isinstance(document, Document):
            raise TypeError(
                f"a side is a path or spanrs.io.Document objects, not {type(document).__name__}"
            )
    return lambda: iter(of_memory(documents))
