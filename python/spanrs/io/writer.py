"""Writing corpora; items that the format cannot hold are reported."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, Unpack

from spanrs.errors import FormatError, warn, with_code
from spanrs.io import write_documents, write_sentences
from spanrs.io.losses import Losses
from spanrs.io.options import LayoutArguments
from spanrs.io.output import atomic_output
from spanrs.io.reader import read
from spanrs.tags.types import is_auto

#: Formats by the ending of a name; others have endings in common, or none.
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
    """What :func:`spanrs.write` wrote."""

    format: str
    """The format."""
    sentences: int
    """Sentences, for formats that have such."""
    documents: int
    """Documents, for formats that have such."""
    left_out: list[str]
    """What the format cannot hold, each kind once, with numbers and the first place."""
    options: dict[str, Any]
    """Options of :func:`spanrs.read` by which the file is read as the same corpus."""


def write(
    source: Any,
    target: str | PathLike[str] | IO[bytes],
    /,
    *,
    to: str | None = None,
    scheme: str | None = None,
    **options: Unpack[LayoutArguments],
) -> Written:
    r"""Write a corpus to a file; what the format cannot hold is listed.

    Parameters
    ----------
    source : Corpus, or what :func:`spanrs.read` takes
        What is written.
    target : path or binary file object
        A file, which is whole or not there. For ``brat`` the .ann, beside which the .txt is written; several documents
        of formats that have one a file go to a directory that does not exist or is empty.
    to : str, optional
        The format, by the names of :func:`spanrs.read`; what the ending of the name says if not given. ``raw`` and
        ``fake-xml-inline`` are not written.
    scheme : str, optional
        The scheme of tags that are written: that of the corpus, and BIO for spans.
    **options
        Those of :func:`spanrs.read` for a source that is not read yet.

    Returns
    -------
    Written
        Among others what was left out, and the options to read the file with.

    Raises
    ------
    OSError
        Where a file cannot be read or written.
    ValueError
        For a format that is not written, and a name that does not tell one.
    spanrs.errors.FormatError
        Where a token or a name cannot be written in the format; nothing is written then.
    spanrs.errors.SpanrsError
        As :func:`spanrs.read`.

    Warns
    -----
    spanrs.SpanrsWarning
        Where something was left out.

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
        found = Written(form, counted, 0, losses.messages(), {"format": form} | read_options)
    else:
        documents, read_options = _write_documents(corpus, target, form, losses)
        found = Written(form, 0, documents, losses.messages(), {"format": form} | read_options)
    warn(f"left out of {form}: {message}" for message in found.left_out)
    return found


def _format(target: Any, to: str | None) -> str:
    """Return the format to write."""
    known = (*write_sentences.FORMATS, *write_documents.FORMATS)
    if to is None:
        name = os.fspath(target) if isinstance(target, (str, PathLike)) else ""
        to = ENDINGS.get(os.path.splitext(name)[1].lower())
        if to is None:
            raise ValueError(
                f"the name {name!r} does not tell the format; name it with to=: {', '.join(known)}"
            )
    if to not in known:
        raise ValueError(f"no format {to!r} to write; the formats are {', '.join(known)}")
    return to


def _scheme(corpus: Any, scheme: str | None) -> str:
    """Return the scheme to write tags in."""
    if scheme is not None and not is_auto(scheme):
        return scheme
    return corpus.scheme if corpus.has_tags else "BIO"


def _write_documents(corpus: Any, target: Any, form: str, losses: Losses) -> tuple[int, dict[str, Any]]:
    """Write all documents to one file, or each to a separate file."""
    documents = corpus.documents
    write_all = write_documents.FORMATS[form]
    if form in write_documents.ONE_A_FILE:
        return _write_each(list(documents), target, form, losses)
    with atomic_output(target) as out:
        return write_all(documents, out, losses)


def _write_each(documents: list[Any], target: Any, form: str, losses: Losses) -> tuple[int, dict[str, Any]]:
    """Write documents of a format that has one a file: one to the target, several to files in a directory."""
    ending = write_documents.ONE_A_FILE[form]
    if len(documents) == 1 and not (isinstance(target, (str, PathLike)) and os.path.isdir(target)):
        found = _write_one(documents[0], target, form, losses)
        return 1, found
    if not isinstance(target, (str, PathLike)):
        message = f"{form} has one document a file, and there are {len(documents)}; name a directory"
        raise with_code(FormatError(message), "documents")
    folder = Path(target)
    folder.mkdir(exist_ok=True)
    if any(folder.iterdir()):
        raise FileExistsError(17, "the directory is not empty; name another one", str(folder))
    names = _file_names(documents)
    options: dict[str, Any] = {}
    for document, name in zip(documents, names, strict=True):
        own = _write_one(document, folder / f"{name}{ending}", form, losses)
        # The elements of XML are those of all files.
        elements = {*options.get("elements", ()), *own.get("elements", ())}
        options |= own | ({"elements": sorted(elements)} if elements else {})
    return len(documents), options


def _write_one(document: Any, target: Any, form: str, losses: Losses) -> dict[str, Any]:
    if form == "brat":
        if not isinstance(target, (str, PathLike)) or not os.fspath(target).endswith(".ann"):
            raise ValueError("brat has two files a document; name the .ann")
        with atomic_output(f"{os.fspath(target).removesuffix('.ann')}.txt") as text:
            text.write(document.text.encode())
    with atomic_output(target) as out:
        _, options = write_documents.FORMATS[form](iter([document]), out, losses)
    return options


def _file_names(documents: list[Any]) -> list[str]:
    """Return names for the files of documents: their ids where these are names of files and differ, else numbers."""
    width = len(str(len(documents)))
    names = [str(at).zfill(width) for at in range(len(documents))]
    ids = [document.id for document in documents]
    usable = all(one and "/" not in one and "\0" not in one and not one.startswith(".") for one in ids)
    return ids if usable and len(set(map(str.lower, ids))) == len(ids) else names
