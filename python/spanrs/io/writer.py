"""Writes corpora, and reports items that the format cannot represent."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, Unpack

from spanrs import _spanrs
from spanrs.errors import FormatError, warn, with_code
from spanrs.io import write_documents, write_sentences
from spanrs.io.losses import Losses
from spanrs.io.options import LayoutArguments
from spanrs.io.output import atomic_output
from spanrs.io.reader import read
from spanrs.tags.types import is_auto

#: Formats by file suffix; the suffixes of other formats are ambiguous.
ENDINGS = {
    ".conll": "columns",
    ".bio": "columns",
    ".iob": "columns",
    ".conllu": "conllu",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".spacy": "spacy",
    ".ann": "brat",
    ".xml": "xml-inline",
}


class Written(NamedTuple):
    """Summary of the output of :func:`spanrs.write`."""

    format: str
    """The format."""
    sentences: int
    """Number of sentences, for formats of sentences."""
    documents: int
    """Number of documents, for formats of documents."""
    left_out: list[str]
    """Items that the format cannot represent: one message per kind, with count and first location."""
    options: dict[str, Any]
    """Options with which :func:`spanrs.read` reads the file as the same corpus."""


def write(
    source: Any,
    target: str | PathLike[str] | IO[bytes],
    /,
    *,
    to: str | None = None,
    scheme: str | None = None,
    **options: Unpack[LayoutArguments],
) -> Written:
    r"""Write a corpus to a file, and list the items that the format cannot represent.

    Parameters
    ----------
    source : Corpus, or any source accepted by :func:`spanrs.read`
        The corpus to write.
    target : path or binary file object
        Output file, written atomically. For ``brat``, the .ann file; the text is written to a .txt file in the same
        directory. Formats with one document per file write several documents to a directory, which must be empty or not
        exist.
    to : str, optional
        The format, as for :func:`spanrs.read`, except ``raw`` and ``fake-xml-inline``. By default inferred from the
        suffix of the target.
    scheme : str, optional
        The scheme of the tags to write. By default the scheme of the corpus, or BIO for spans.
    **options
        Options of :func:`spanrs.read`, for a source that is not a corpus.

    Returns
    -------
    Written
        Includes the items that could not be written, and the options for reading the file.

    Raises
    ------
    OSError
        If a file cannot be read or written.
    ValueError
        If the format cannot be written or cannot be inferred.
    spanrs.errors.FormatError
        If a token, type or name cannot be written in the format, or the parts of the corpus have different layers;
        nothing is written then.
    spanrs.errors.SpanrsError
        Same as :func:`spanrs.read`.

    Warns
    -----
    spanrs.SpanrsWarning
        If items could not be written.

    Examples
    --------
    >>> import pathlib, tempfile, spanrs
    >>> document = spanrs.Document("Bob saw Rome", [spanrs.io.Annotation("PER", 0, 3)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "gold.conll")
    ...     written = spanrs.write(document, path)
    ...     path.read_text()
    'Bob\tB-PER\nsaw\tO\nRome\tO\n\n'
    """
    form = _format(target, to)
    corpus = read(source, **options)
    losses = Losses()
    if form in write_sentences.FORMATS:
        written_scheme = _scheme(corpus, scheme)
        with atomic_output(target) as out:
            counted, read_options = write_sentences.FORMATS[form](corpus, out, written_scheme, losses)
        written = Written(form, counted, 0, losses.messages(), {"format": form} | read_options)
    else:
        documents, read_options = _write_documents(corpus, target, form, losses)
        written = Written(form, 0, documents, losses.messages(), {"format": form} | read_options)
    warn(f"not written to {form}: {message}" for message in written.left_out)
    return written


def _format(target: Any, to: str | None) -> str:
    """Return the format to write."""
    formats = (*write_sentences.FORMATS, *write_documents.FORMATS)
    if to is None:
        name = os.fspath(target) if isinstance(target, (str, PathLike)) else ""
        to = ENDINGS.get(os.path.splitext(name)[1].lower())
        if to is None:
            raise ValueError(
                f"cannot infer the format from {name!r}; pass to= with one of {', '.join(formats)}"
            )
    if to not in formats:
        raise ValueError(f"cannot write the format {to!r}; pass to= with one of {', '.join(formats)}")
    return to


def _scheme(corpus: Any, scheme: str | None) -> str:
    """Return the scheme of the tags to write."""
    if scheme is not None and not is_auto(scheme):
        return _spanrs.scheme_name(scheme)
    return corpus.scheme if corpus.has_tags else "BIO"


def _write_documents(corpus: Any, target: Any, form: str, losses: Losses) -> tuple[int, dict[str, Any]]:
    """Write all documents to one file, or each to a separate file in a directory."""
    documents = iter(write_documents.placed(corpus.documents))
    if form not in write_documents.ONE_A_FILE:
        with atomic_output(target) as out:
            return write_documents.FORMATS[form](documents, out, losses)
    first = list(islice(documents, 2))
    is_path = isinstance(target, (str, PathLike))
    if len(first) == 1 and not (is_path and os.path.isdir(target)):
        return 1, _write_one(first[0], target, form, losses)
    if not is_path:
        message = f"{form} has one document per file, but there are several; pass a directory"
        raise with_code(FormatError(message), "documents")
    return _write_folder(chain(first, documents), Path(target), form, losses)


def _write_folder(
    documents: write_documents.Placed, folder: Path, form: str, losses: Losses
) -> tuple[int, dict[str, Any]]:
    """Write each document to a file in a directory; if any document cannot be written, nothing is written."""
    from tempfile import TemporaryDirectory

    is_new = not folder.is_dir()
    folder.mkdir(exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(17, "the directory is not empty; choose another directory", str(folder))
    suffix = write_documents.ONE_A_FILE[form]
    suffixes = (suffix, ".txt") if form == "brat" else (suffix,)
    ids: list[str | None] = []
    options: dict[str, Any] = {}
    try:
        with TemporaryDirectory(prefix=".", suffix=".tmp", dir=folder) as unfinished:
            for at, (place, document) in enumerate(documents):
                ids.append(document.id)
                file_options = _write_one(
                    (place, document), Path(unfinished, f"{at}{suffix}"), form, losses
                )
                # Reading the XML files requires the elements of all files.
                elements = {*options.get("elements", ()), *file_options.get("elements", ())}
                options |= file_options | ({"elements": sorted(elements)} if elements else {})
            for at, name in enumerate(_file_names(ids)):
                for ending in suffixes:
                    Path(unfinished, f"{at}{ending}").rename(folder / f"{name}{ending}")
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):
                folder.rmdir()
        raise
    return len(ids), options


def _write_one(document: tuple[str, Any], target: Any, form: str, losses: Losses) -> dict[str, Any]:
    write = write_documents.FORMATS[form]
    if form != "brat":
        with atomic_output(target) as out:
            return write([document], out, losses)[1]
    if not isinstance(target, (str, PathLike)) or not os.fspath(target).endswith(".ann"):
        raise ValueError(
            "brat needs a target that ends in .ann; the text is written to a .txt file in the same directory"
        )
    with (
        atomic_output(f"{os.fspath(target).removesuffix('.ann')}.txt") as text,
        atomic_output(target) as out,
    ):
        text.write(document[1].text.encode())
        return write([document], out, losses)[1]


def _file_names(ids: Sequence[str | None]) -> list[str]:
    """Return names of files for documents: their ids if these are distinct file names, otherwise numbers."""
    names = [
        name for name in ids if name and "/" not in name and "\0" not in name and not name.startswith(".")
    ]
    if len(set(map(str.lower, names))) == len(ids):
        return names
    width = len(str(len(ids)))
    return [str(at).zfill(width) for at in range(len(ids))]
