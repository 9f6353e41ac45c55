"""Documents: texts with annotations at character offsets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from spanrs import _spanrs
from spanrs.errors import FormatError, check_name, warn, with_code
from spanrs.io.document import Document
from spanrs.io.encodings import as_declared, is_utf8, recoded
from spanrs.io.options import ReadOptions
from spanrs.io.parts import Part
from spanrs.io.sentence import LAYER, Sentence
from spanrs.io.sentences import sentences_of
from spanrs.io.texts import documents_of_sentences
from spanrs.tags.types import Reader

#: Formats that record annotators.
ANNOTATED = ("label-studio", "prodigy")
#: Formats with an ``encoding`` option; all other formats are UTF-8.
ENCODED = ("xml-inline", "fake-xml-inline", "raw")


def plain_document(document: _spanrs.Document) -> Document:
    """Convert a document of the compiled module to Python values."""
    plain = document.plain()
    return Document(**plain | {"relations": tuple(plain["relations"])})


def plain_documents(
    documents: Iterator[_spanrs.Document], part: Part, options: ReadOptions, losses: list[str]
) -> Iterator[Document]:
    """Convert documents of the compiled module to Python values.

    Parameters
    ----------
    documents : iterator
        Documents from :func:`core_documents`.
    part, options
        The source of the documents. The annotation of the XML root element is removed unless ``elements`` is given.
    losses : list of str
        After the last document, a message about items of the part that could not be read is appended.
    """
    left_out, first = 0, ""
    for document in documents:
        plain = plain_document(document)
        number, reports = document.left_out()
        number += max(len(plain.left_out) - len(reports), 0)
        if number and not left_out:
            first = plain.left_out[0]
        left_out += number
        if part.format == "xml-inline" and options.elements is None:
            plain = _without_root(plain)
        yield plain
    if left_out:
        more = f" and {left_out - 1} more" if left_out > 1 else ""
        losses.append(f"{part.shown}: skipped: {first}{more}")


def _without_root(document: Document) -> Document:
    """Return a document without the annotation of the XML root element."""
    annotations = list(document.annotations)
    root = next((a for a in annotations if (a.start, a.end) == (0, len(document.text))), None)
    if root is None:
        return document
    annotations.remove(root)
    return replace(document, annotations=annotations)


def core_documents(part: Part, options: ReadOptions) -> Iterator[_spanrs.Document]:
    """Yield the documents of a part as objects of the compiled module.

    Parameters
    ----------
    part : Part
        A part of any format. The tokens of column files and tables are joined into text. In a table, rows with the same
        document name are one document; without document names, the whole table is one document.
    options : ReadOptions
        Reading options; ``scheme`` must not be ``auto``.

    Raises
    ------
    OSError, spanrs.errors.SpanrsError
        If the part cannot be read.
    ValueError
        If an option does not apply to the format.
    """
    _check_options(part, options)
    if part.format == "documents":
        return iter(of_memory(part.source))
    if part.format == "spacy":
        from spanrs.io.docbin import read_docbin, read_docs

        if isinstance(part.source, list):
            return iter(of_memory(read_docs(part.source, options.layer, part.shown)))
        return iter(of_memory(read_docbin(part.opened(keep=True), options.layer, options.limits.expansion)))
    # Several named columns are merged into one document.
    has_layers = len(options.layers()) > 1
    if part.kind == "rows" and not has_layers and options.gold is None and options.pred is None:
        return _column_documents(part, options)
    if part.kind in ("rows", "table", "spans"):
        make = partial(Sentence, scheme=options.scheme, reading=options.reading, dialect=options.dialect)
        joined = documents_of_sentences(
            sentences_of(part, options, make), part.shown, merge_layers=has_layers
        )
        return (document for joined_document in joined for document in of_memory([joined_document]))
    has_elements = options.elements not in (None, "all")
    return _spanrs.read_documents(
        _source(part, options),
        {
            "format": part.format,
            "elements": {
                "declared": list(options.elements) if has_elements else None,
                "overlay": options.overlay and has_elements,
            },
            "annotator": None if options.annotator is None else str(options.annotator),
            "max_expansion": options.limits.expansion,
        },
    )


def layer_names(part: Part, options: ReadOptions) -> list[str]:
    """Return the names of the layers of documents, in the order in which they first occur.

    Layers are annotators of Label Studio and Prodigy, and the entities and span groups of a DocBin. Other formats have
    a single layer without a name.
    """
    if part.format == "spacy":
        from spanrs.io.docbin import docbin_layers

        source = part.source if isinstance(part.source, list) else part.opened(keep=True)
        return docbin_layers(source, options.limits.expansion)
    if part.format not in ANNOTATED:
        return [LAYER]
    source = part.opened(keep=True)
    reading = {"format": part.format, "all_layers": True, "max_expansion": options.limits.expansion}
    documents = _spanrs.read_documents(source, reading)
    names = dict.fromkeys(layer["name"] for document in documents for layer in document.layers())
    return [name for name in names if name is not None] or [LAYER]


def _check_options(part: Part, options: ReadOptions) -> None:
    """Refuse options that do not apply to a format."""
    if options.layer is not None:
        check_name(options.layer, "layer", "ents")
        if part.format != "spacy":
            raise ValueError(
                f"layer= applies to the format spacy, not to {part.format}; select a layer with corpus[...]"
            )
    if options.annotator is not None and part.format not in ANNOTATED:
        raise ValueError(
            f"annotator= applies to the formats {' and '.join(ANNOTATED)}, not to {part.format}"
        )


def _source(part: Part, options: ReadOptions) -> _spanrs.Source | tuple[bytes, str]:
    """Return a source of documents in UTF-8."""
    encoding, limit = options.encoding, options.limits.expansion
    source = part.opened(keep=True)
    if encoding is None and part.format == "xml-inline":
        # A pipe can be read only once.
        return as_declared(source.contents(limit), part.shown), part.shown
    if encoding is not None and not is_utf8(encoding) and part.format in ENCODED:
        return recoded(source.contents(limit), part.shown, encoding), part.shown
    return source


def _column_documents(part: Part, options: ReadOptions) -> Iterator[_spanrs.Document]:
    columns = options.columns(options.layers()[0])
    reader = Reader(options.scheme, options.reading, options.dialect)
    documents = _spanrs.read_conll_documents(part.opened(keep=True), columns, reader)
    yield from documents
    warn(documents.warnings())


def of_memory(documents: Sequence[Document]) -> list[_spanrs.Document]:
    """Build documents of the compiled module from Python values.

    Raises
    ------
    spanrs.errors.FormatError
        For an unpaired surrogate.
    ValueError
        For annotations outside the text, and relations between annotations that do not exist.
    """
    try:
        return _spanrs.documents_of(documents)
    except UnicodeEncodeError:
        for at, document in enumerate(documents):
            _check_surrogates(document, at)
        raise


def _check_surrogates(document: Document, at: int) -> None:
    """Refuse a document with an unpaired surrogate; the error contains the location."""
    try:
        _spanrs.documents_of([document])
    except UnicodeEncodeError as error:
        surrogate = ord(error.object[error.start])
        message = (
            f"document {at}: an unpaired surrogate, U+{surrogate:04X} at character {error.start} of "
            f"{error.object[:40]!r}; replace it, for example by text.encode('utf-8', 'replace').decode()"
        )
        raise with_code(FormatError(message), "bad_value") from None
