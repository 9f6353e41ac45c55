"""Documents: texts with annotations at character offsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from spanrs import _spanrs
from spanrs.errors import FormatError, check_name, warn, with_code
from spanrs.io.annotator_files import PROJECT, read_annotators
from spanrs.io.document import Document
from spanrs.io.encodings import as_declared, is_utf8, recoded
from spanrs.io.options import ReadOptions
from spanrs.io.parts import TAGGED, Part
from spanrs.io.sentence import LAYER, Sentence
from spanrs.io.sentences import sentences_of
from spanrs.io.texts import documents_of_sentences
from spanrs.tags.types import Reader

#: Number of documents of a stream that are converted at once.
BATCH = 256
#: Formats with one document per file.
ONE_A_FILE = tuple(facts["name"] for facts in _spanrs.document_formats() if facts["suffix"] is not None)
#: Formats that record annotators.
ANNOTATED = (
    "label-studio",
    "label-studio-min",
    "label-studio-csv",
    "prodigy",
    "bioc-xml",
    "bioc-json",
    "csv-spans",
    PROJECT,
)
#: Formats with layers of annotations: sets, groups, or types of annotations.
LAYERED = ("spacy", "gate-xml", "webanno-tsv", "uima-xmi")
#: Formats whose layers are types of annotations.
TYPED_LAYERS = ("webanno-tsv", "uima-xmi")
#: Formats with an ``encoding`` option; all other formats are UTF-8.
ENCODED = ("xml-inline", "fake-xml-inline", "raw", "gate-xml", "csv-spans", "label-studio-csv")


def plain_document(document: _spanrs.Document) -> Document:
    """Convert a document of the compiled module to Python values."""
    plain = document.plain()
    return Document(**plain | {"relations": tuple(plain["relations"]), "layers": tuple(plain["layers"])})


def plain_documents(
    documents: Iterable[_spanrs.Document], part: Part, losses: list[str]
) -> Iterator[Document]:
    """Convert documents of the compiled module to Python values.

    Parameters
    ----------
    documents : iterable
        Documents from :func:`core_documents`.
    part
        The source of the documents.
    losses : list of str
        After the last document, a message about items of the part that could not be read is appended.
    """
    return map(plain_document, counted_documents(documents, part, losses))


def counted_documents(
    documents: Iterable[_spanrs.Document], part: Part, losses: list[str]
) -> Iterator[_spanrs.Document]:
    """Yield documents; after the last one, append a message about items that could not be read to ``losses``."""
    left_out, first = 0, ""
    for at, document in enumerate(documents):
        number, reports, relations = document.left_out()
        if (number or relations) and not left_out:
            name = document.name or document.id
            several = name is not None and part.format not in ONE_A_FILE
            first = (reports or relations)[0] + (
                f" (document {name})" if several else f" (document {at})" * (at > 0)
            )
        left_out += number + len(relations)
        yield document
    if left_out:
        more = f" and {left_out - 1} more" if left_out > 1 else ""
        losses.append(f"{part.shown}: not read: {first}{more}")


def core_documents(
    part: Part,
    options: ReadOptions,
    *,
    all_layers: bool = False,
    drop_root: bool = False,
    unannotated: bool = False,
) -> Iterator[_spanrs.Document]:
    """Yield the documents of a part as objects of the compiled module.

    Parameters
    ----------
    part : Part
        A part of any format. The tokens of column files and tables are joined into text. In a table, rows with the same
        document name are one document; without document names, the whole table is one document.
    options : ReadOptions
        Reading options; ``scheme`` must not be ``auto``.
    all_layers : bool
        Whether to read all annotators or sets of annotations, unless the options select one.
    drop_root : bool
        Whether to remove the annotation of the root element of XML, unless ``elements`` is given.
    unannotated : bool
        Whether to read the tasks of Label Studio without annotations, as documents without layers; with ``all_layers``.

    Raises
    ------
    OSError, spanrs.errors.SpanrsError
        If the part cannot be read.
    ValueError
        If an option does not apply to the format.
    """
    _check_options(part, options)
    if part.format == "documents":
        return _in_batches(part.source)
    if part.format == "generated":
        from spanrs.io.generated_documents import generated_documents

        return _in_batches(generated_documents(part, options))
    if part.format == "spacy":
        from spanrs.io.docbin import ALL, read_docbin, read_docs

        layer = ALL if all_layers and options.layer is None else options.layer
        if isinstance(part.source, list):
            return iter(of_memory(read_docs(part.source, layer, part.shown)))
        return iter(of_memory(read_docbin(part.opened(keep=True), layer, options.limits.expansion)))
    if part.format == PROJECT:
        read = partial(_plain_file, options=replace(options, annotator=None))
        annotator = None if options.annotator is None else str(options.annotator)
        return iter(of_memory(read_annotators(part, annotator, read, all_layers=all_layers)))
    # Several named columns are merged into one document.
    has_layers = len(options.layers()) > 1
    if part.kind == "rows" and not has_layers and options.gold is None and options.pred is None:
        return _column_documents(part, options)
    if part.kind in (*TAGGED, "spans"):
        make = partial(Sentence, scheme=options.scheme, reading=options.reading, dialect=options.dialect)
        joined = documents_of_sentences(
            sentences_of(part, options, make), part.shown, merge_layers=has_layers
        )
        return (document for joined_document in joined for document in of_memory([joined_document]))
    return _file_documents(
        part, options, all_layers=all_layers, drop_root=drop_root, unannotated=unannotated
    )


def _plain_file(part: Part, options: ReadOptions) -> Iterator[Document]:
    return map(plain_document, core_documents(part, options, drop_root=True))


def _file_documents(
    part: Part, options: ReadOptions, *, all_layers: bool, drop_root: bool, unannotated: bool
) -> Iterator[_spanrs.Document]:
    """Yield the documents of a file, then warn about what users should know."""
    has_elements = options.elements not in (None, "all")
    # The layers of these formats are types of annotations; other formats have layers of the same text.
    has_types = part.format in TYPED_LAYERS
    layer = options.layer if has_types else None
    chosen = options.annotator if options.layer is None or has_types else options.layer
    documents = _spanrs.read_documents(
        _source(part, options),
        {
            "format": part.format,
            "elements": {
                "declared": list(options.elements) if has_elements else None,
                "overlay": options.overlay and has_elements,
            },
            "drop_root": drop_root and options.elements is None,
            "annotator": None if chosen is None else str(chosen),
            "all_layers": all_layers,
            "unannotated": unannotated,
            "layer": layer,
            "quirks": {
                "trim": options.trim,
                "offsets": options.offsets,
                "inclusive_ends": options.inclusive_ends,
            },
            "max_expansion": options.limits.expansion,
        },
        part.companion_source(),
    )
    yield from documents
    warn(f"{part.shown}: {notice}" for notice in documents.warnings())


def layer_names(part: Part, options: ReadOptions) -> list[str]:
    """Return the names of the layers of documents, in the order in which they first occur.

    Layers are annotators, the annotation sets of GATE, and the entities and span groups of a DocBin. Other formats have
    a single layer without a name.
    """
    if part.format == "spacy":
        from spanrs.io.docbin import docbin_layers

        source = part.source if isinstance(part.source, list) else part.opened(keep=True)
        return docbin_layers(source, options.limits.expansion)
    if part.format not in (*ANNOTATED, "gate-xml"):
        return [LAYER]
    documents = core_documents(part, replace(options, annotator=None, layer=None), all_layers=True)
    names = dict.fromkeys(layer.name for document in documents for layer in document.layers())
    return [name for name in names if name is not None] or [LAYER]


def _check_options(part: Part, options: ReadOptions) -> None:
    """Refuse options that do not apply to a format."""
    if options.layer is not None:
        check_name(options.layer, "layer", "ents")
        if part.format not in (*LAYERED, PROJECT):
            raise ValueError(
                f"layer= applies to the formats {_listed(LAYERED)}, not to {part.format}; select a layer with "
                "corpus[...]"
            )
    if options.annotator is not None and part.format not in ANNOTATED:
        raise ValueError(f"annotator= applies to the formats {_listed(ANNOTATED)}, not to {part.format}")


def _listed(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _source(part: Part, options: ReadOptions) -> _spanrs.Source | tuple[bytes, str]:
    """Return a source of documents in UTF-8."""
    encoding, limit = options.encoding, options.limits.expansion
    source = part.opened(keep=True)
    if encoding is None and part.format in ("xml-inline", "gate-xml"):
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


def _in_batches(documents: Iterable[Document]) -> Iterator[_spanrs.Document]:
    """Build documents of the compiled module; only a few of a stream are in memory at once."""
    if isinstance(documents, (list, tuple)):
        return iter(of_memory(documents))
    stream = iter(documents)
    return (
        document for some in iter(lambda: list(islice(stream, BATCH)), []) for document in of_memory(some)
    )


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
