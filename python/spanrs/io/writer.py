"""Writes corpora, and reports items that the format cannot represent."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import IO, Any, NamedTuple, Unpack

from spanrs import _spanrs
from spanrs.errors import FormatError, SpanrsWarning, warn
from spanrs.io import write_sentences
from spanrs.io.corpus import Corpus
from spanrs.io.losses import Losses
from spanrs.io.options import LayoutArguments
from spanrs.io.output import atomic_output
from spanrs.io.parts import Part
from spanrs.io.reader import read
from spanrs.io.write_documents import FORMATS as DOCUMENT_FORMATS
from spanrs.io.write_documents import write_documents
from spanrs.tags.types import is_auto

#: Number of documents between two reports of progress.
REPORTED = 100
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
    ".xmi": "uima-xmi",
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
    lossy: bool = True,
    progress: Callable[[int], None] | None = None,
    **options: Unpack[LayoutArguments],
) -> Written:
    r"""Write a corpus to a file, and list the items that the format cannot represent.

    Parameters
    ----------
    source : Corpus, or any source accepted by :func:`spanrs.read`
        The corpus to write.
    target : path or binary file object
        Output file, written atomically. For ``brat``, the .ann file; the text is written to a .txt file in the same
        directory. For ``uima-xmi``, the type system is written to the same directory. Formats with one document per
        file write several documents to a directory, which must be empty or not exist.
    to : str, optional
        The format, as for :func:`spanrs.read`, except ``raw`` and ``fake-xml-inline``. By default inferred from the
        suffix of the target.
    scheme : str, optional
        The scheme of the tags to write. By default the scheme of the corpus, or BIO for spans.
    lossy : bool
        Whether to write a corpus of which the format cannot represent everything, or of which something could not be
        read.
    progress : callable, optional
        Called with the number of documents read so far.
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
        If a token, type or name cannot be written in the format, the parts of the corpus have different layers, or
        something is lost without ``lossy``; nothing is written then.
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
    not_read: list[str] = []

    def accept(found: Sequence[Mapping[str, Any]]) -> None:
        losses.extend(found)
        messages = [*not_read, *losses.messages()]
        if messages and not lossy:
            refused = FormatError(_refusal(form, messages))
            refused.code, refused.left_out = "lossy", messages
            raise refused

    if form in write_sentences.FORMATS:
        written_scheme = _scheme(corpus, scheme)
        projected = ProjectedCorpus(
            corpus.parts, corpus.options, _spanrs.Projection(form), progress, not_read
        )
        with atomic_output(target) as out:
            counted, read_options = write_sentences.FORMATS[form](projected, out, written_scheme, losses)
            accept(projected.projection.losses())
        written = Written(form, counted, 0, losses.messages(), {"format": form} | read_options)
    else:
        documents = reporting(
            (document for part in corpus.parts for document in corpus.layered_documents(part, not_read)),
            progress,
        )
        count, read_options = write_documents(
            documents, target, form, accept, has_relations=form == "doccano" and _have_relations(corpus)
        )
        written = Written(form, 0, count, losses.messages(), {"format": form} | read_options)
    warn([*not_read, *(f"not written to {form}: {message}" for message in written.left_out)])
    return written


def _have_relations(corpus: Corpus) -> bool:
    """Return whether a document of a corpus has relations; reads the documents up to the first one that does."""
    with warnings.catch_warnings():
        # The documents are read again.
        warnings.simplefilter("ignore", SpanrsWarning)
        documents = (document for part in corpus.parts for document in corpus.layered_documents(part))
        return any(document.has_relations for document in documents)


def reporting(
    documents: Iterable[_spanrs.Document], progress: Callable[[int], None] | None
) -> Iterator[_spanrs.Document]:
    """Yield documents, and report their number."""
    for count, document in enumerate(documents, start=1):
        if progress is not None and count % REPORTED == 0:
            progress(count)
        yield document


@dataclass(frozen=True)
class ProjectedCorpus(Corpus):
    """A corpus whose documents are reduced to what a format can represent."""

    projection: _spanrs.Projection
    progress: Callable[[int], None] | None = None
    not_read: list[str] = field(default_factory=list)

    def core_documents(self, part: Part, *, drop_root: bool = True) -> Iterator[_spanrs.Document]:
        """Yield the documents of a part, reduced."""
        del drop_root  # Root elements are never written.
        for at, document in enumerate(
            reporting(self.layered_documents(part, self.not_read), self.progress)
        ):
            place = f"document {at if document.id is None else document.id}"
            projected = self.projection.project(document, place)
            if projected is not None:
                yield projected


def _refusal(form: str, messages: Sequence[str]) -> str:
    """Return the message about items that are not written."""
    listed = "; ".join(messages)
    return f"{form} cannot represent everything; to write without it, pass lossy=True (--lossy): {listed}"


def _format(target: Any, to: str | None) -> str:
    """Return the format to write."""
    formats = (*write_sentences.FORMATS, *DOCUMENT_FORMATS)
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
