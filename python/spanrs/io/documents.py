"""Documents: texts with annotations that point into them."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from spanrs import _spanrs
from spanrs.errors import FormatError, check_name, warn
from spanrs.io.columns import Columns
from spanrs.io.document import Annotation, Document, Relation

#: All formats.
FORMATS = (
    "mat-json",
    "xml-inline",
    "fake-xml-inline",
    "raw",
    "brat",
    "doccano",
    "prodigy",
    "label-studio",
    "conll",
    "spacy",
)
#: Formats that say who annotated what.
ANNOTATED = ("label-studio", "prodigy")
#: Formats with layers of annotations.
LAYERED = ("spacy",)
#: Formats whose encoding can be named; the others are always UTF-8.
ENCODED = ("xml-inline", "fake-xml-inline", "raw")


def read_documents(
    path: str | PathLike[str],
    format: str,  # noqa: A002 - what it is called everywhere
    *,
    encoding: str | None = None,
    elements: Sequence[str] | None = None,
    overlay: bool = False,
    scheme: str = "auto",
    reading: str = "conlleval",
    columns: Columns = Columns(),
    annotator: str | int | None = None,
    layer: str | None = None,
    max_expansion: int | None = None,
) -> list[Document]:
    """Read the documents of a file. Files that gzip or zstd have compressed are decompressed.

    Parameters
    ----------
    path : path
        The file; for brat the .ann or the .txt, the other lies beside it.
    format : str
        ``mat-json``, ``xml-inline``, ``fake-xml-inline``, ``raw``, ``brat``, ``doccano``, ``prodigy``,
        ``label-studio``, ``conll`` or ``spacy``.
    encoding : str, optional
        Of XML and raw text, as Python names it; if not given, what XML declares, else UTF-8.
    elements : sequence of str, optional
        Which elements of XML are annotations; all if not given.
    overlay : bool
        The other elements of XML stay in the text as they are written.
    scheme, reading : str
        Of the tags of column files, as for :func:`spanrs.score_files`.
    columns : Columns
        Where things stand in column files.
    annotator : str or int, optional
        Of Label Studio and Prodigy, whose annotations are read: a name, an e-mail address or an id as the file
        has them. Where no annotator is called by a number, a number is a place from 0 in the order in which they
        first occur.
    layer : str, optional
        Of spaCy, which annotations are read: ``ents``, or a span group by its name. If not given these are the
        entities, with a warning where there are span groups.
    max_expansion : int, optional
        Maximum decompression ratio (100); applies once the output exceeds 16 MiB.

    Returns
    -------
    list of Document

    Raises
    ------
    OSError
        Where the file cannot be read.
    spanrs.errors.FormatError, spanrs.errors.LimitError
        Where it is not what it should be; with its place.
    ValueError
        For unknown formats and encodings.
    """
    documents = opened(
        Path(path),
        format,
        encoding=encoding,
        elements=None if elements is None else list(elements),
        overlay=overlay,
        scheme=scheme,
        reading=reading,
        columns=columns,
        annotator=annotator,
        layer=layer,
        max_expansion=max_expansion,
    )
    return [_document(document) for document in documents]


def _document(document: _spanrs.Document) -> Document:
    text, annotations, id_, left_out, relations = document.plain()
    kept = [Annotation(*annotation) for annotation in annotations]
    return Document(text, kept, id_, left_out, tuple(Relation(*relation) for relation in relations))


def opened(
    path: Path,
    format: str,  # noqa: A002 - as above
    *,
    encoding: str | None,
    elements: list[str] | None,
    overlay: bool,
    scheme: str,
    reading: str,
    columns: Columns,
    annotator: str | int | None,
    layer: str | None,
    max_expansion: int | None,
) -> Iterator[_spanrs.Document]:
    """Read documents one by one, as the core has them; the arguments are those of :func:`read_documents`."""
    if format not in FORMATS:
        raise ValueError(f"no format {format!r}; the formats are {', '.join(FORMATS)}")
    if layer is not None:
        check_name(layer, "layer", "ents")
        if format not in LAYERED:
            raise ValueError(f"a layer can be chosen in {' and '.join(LAYERED)}, not in {format}")
    if format == "spacy":
        from spanrs.io.docbin import read_docbin

        return iter(of_memory(read_docbin(path, layer, max_expansion)))
    if format == "conll":
        return _with_warnings(_spanrs.read_conll_documents(path, columns.as_options(), scheme, reading))
    if annotator is not None and format not in ANNOTATED:
        raise ValueError(f"an annotator can be chosen in {' and '.join(ANNOTATED)}, not in {format}")
    source: Path | tuple[bytes, str] = path
    if encoding is None and format == "xml-inline":
        # Read once, for a pipe cannot be read again.
        data = _spanrs.Source(path, False).contents(max_expansion)
        source = (_as_declared(data, path), str(path))
    elif encoding is not None and not _is_utf8(encoding) and format in ENCODED:
        source = (_decoded(_spanrs.Source(path, False).contents(max_expansion), path, encoding), str(path))
    named = None if annotator is None else str(annotator)
    return _spanrs.read_documents(source, format, elements, overlay, named, max_expansion)


def _with_warnings(documents: _spanrs.DocumentReader) -> Iterator[_spanrs.Document]:
    yield from documents
    warn(documents.warnings())


def conll_scheme(path: Path, columns: Columns, expected: str | None = None) -> str:
    """Give the scheme that the tags of a column file violate least, or the expected one if they can be in it."""
    return _spanrs.detect_file(path, columns.as_options(), ("-", False, False, False), None, expected)[0]


def of_memory(documents: Sequence[Document]) -> list[_spanrs.Document]:
    """Give documents of memory as the core has them."""
    return _spanrs.documents_of(
        [
            (
                document.text,
                document.id,
                [
                    (
                        a.type,
                        a.start,
                        a.end,
                        dict(a.attributes),
                        [(first, last) for first, last in a.pieces],
                    )
                    for a in document.annotations
                ],
                [(r.type, r.source, r.target) for r in document.relations],
                list(document.left_out),
            )
            for document in documents
        ]
    )


def _is_utf8(encoding: str) -> bool:
    try:
        # What is no encoding of text (rot13, hex) does not decode.
        b" ".decode(encoding, "ignore")
        name = codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f"unknown encoding {encoding!r}") from None
    except UnicodeError:
        name = "idna"
    if name in ("idna", "punycode"):
        raise ValueError(f"{encoding} is an encoding for host names, not text")
    return name == "utf-8"


def _as_declared(data: bytes, path: Path) -> bytes:
    """Give XML in UTF-8, from the encoding that it declares."""
    encoding = _spanrs.declared_encoding(data)
    if encoding is None:
        return data
    try:
        utf8 = _is_utf8(encoding)
    except ValueError as error:
        raise _not_in(path, f"the declaration names no encoding of text: {error}") from None
    # A declaration that can be read as ASCII is not in an encoding of two bytes a character.
    if data.startswith((b"<?xml", b"\xef\xbb\xbf")) and codecs.lookup(encoding).name.startswith(
        ("utf-16", "utf-32")
    ):
        raise _not_in(path, f"the declaration says {encoding}, which the file is not in; name its encoding")
    return data if utf8 else _decoded(data, path, encoding)


def _not_in(path: Path, message: str) -> FormatError:
    error = FormatError(f"{path}:1: {message}")
    error.code, error.path, error.line = "encoding", str(path), 1
    return error


def _decoded(data: bytes, path: Path, encoding: str) -> bytes:
    """Give the text of a file in UTF-8."""
    try:
        return data.decode(encoding).encode()
    except UnicodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1 if isinstance(wrong, UnicodeDecodeError) else None
        place = str(path) if line is None else f"{path}:{line}"
        error = FormatError(f"{place}: the file is not {encoding}: {wrong}")
        error.code, error.path, error.line = "encoding", str(path), line
        raise error from None
