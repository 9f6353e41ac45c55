""":func:`spanrs.read`: read labelled text from any source."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, NoReturn, Unpack

from spanrs import _spanrs
from spanrs.errors import FormatError, SpanrsError
from spanrs.io.annotator_files import PROJECT, annotator_of
from spanrs.io.archives import archive_parts, is_archive
from spanrs.io.corpus import Corpus
from spanrs.io.docbin import is_doc
from spanrs.io.document import Document
from spanrs.io.documents import ANNOTATED, LAYERED
from spanrs.io.options import DOCUMENT_FORMATS, ReadArguments, ReadOptions, read_options
from spanrs.io.parts import Part, is_type_system, recognised
from spanrs.io.paths import find_files, is_several
from spanrs.io.tables import is_one_shot, is_table


def read(source: Any, /, **options: Unpack[ReadArguments]) -> Corpus:
    r"""Read labelled text from files, directories, tables or documents.

    Only the beginnings of files are read, to detect their formats, until the corpus is iterated over.

    Parameters
    ----------
    source : path, binary file object, table, document, or list of them
        - A path of a file, a directory (searched recursively) or a pattern such as ``"gold/*.conll"``; plain, gzip or
          zstd.
        - A binary file object. Its content is kept for further iterations.
        - A table of pyarrow, Polars (lazy too), pandas, DuckDB or Hugging Face datasets, with a row for each sentence
          (columns of lists) or for each token (long form).
        - A :class:`spanrs.io.Document` or a spaCy Doc, or a list of these.
        - A list of paths, which form one corpus in this order.
    format : str
        ``auto`` (detected from the first bytes of each file), ``columns`` (one token per line), ``conllu``, ``stacked``
        (columns with tags such as ``I-S|B-NP``), ``spans`` (one span per line), ``mat-json``, ``xml-inline``,
        ``fake-xml-inline``, ``raw``, ``brat``, ``doccano``, ``prodigy``, ``label-studio`` (JSON and JSON_MIN),
        ``label-studio-csv``, ``webanno-tsv``, ``uima-xmi``, ``gate-xml``, ``bioc-xml``, ``bioc-json``, ``pubtator``,
        ``jsonl-tags`` (tokens and tags), ``jsonl-spans`` (tokens and spans, GLiNER), ``csv-spans`` (a row for each span
        of characters), ``spacy`` (DocBin), ``parquet``, ``arrow``, ``csv``, or ``generated`` (answers of generative
        models, whose mentions are found in the texts).
    tokens : int or str, optional
        Column of the tokens: its index (from 0; negative values count from the end) or, in CoNLL-U, tables and CSV
        files, its name. By default the first column of a column file, and the column with a usual name in other files.
    tags : int, str, or tuple of them, optional
        Column of the tags, by default the last column of a column file; several columns are layers of nested
        annotations.
    gold, pred : int or str, optional
        Columns of the two sides, if one file contains both.
    position : str, optional
        Tables in long form: column of the token positions; the rows of a sentence may then be in any order.
    documents : str, optional
        Tables: column with the document name of each sentence or token.
    annotator : int or str, optional
        Formats with several annotators: the annotator whose annotations are read, given by the name, e-mail address or
        id in the file. A number that is not the name of an annotator is an index, from 0.
    layer : str, optional
        DocBin and spaCy Docs: ``ents`` (default) or the name of a span group; GATE: the name of an annotation set;
        WebAnno TSV and UIMA XMI: the type of annotations to read, by its full or its short name.
    missing : str
        The tag that means "not answered" in files of several annotators.
    scheme : str
        IOB, BIO, IOE1, IOE2, IOBES, BILOU, BMEWO, BMES, IO or TOKEN, in any usual spelling, or ``auto``: the scheme
        with the fewest violations; TOKEN is never detected.
    reading : str
        How malformed tags are converted to spans, as for :func:`spanrs.tags.tags_to_spans`.
    dialect : Dialect
        Spelling of tags.
    separator : str
        Column files: ``auto`` (tabs if the first token line contains one, else white space), ``whitespace``, ``tab``,
        ``space``, or one ASCII character.
    comments : str
        Column files: ``auto`` (lines before the first token of a sentence that begin with ``#`` and differ from token
        lines in the number of columns; also ``# newdoc`` and ``# key = value``), a prefix, or ``none``.
    encoding : str, optional
        XML, raw text and CSV: a Python encoding name. By default the encoding in the XML declaration, otherwise UTF-8.
    punct_column : int or str, optional
        Files with stacked tags: column of the parts of speech. Punctuation tokens (in STTS, UPOS or PTB) are removed
        from the spans.
    elements : sequence of str, or "all", optional
        XML: the elements that are annotations. By default all except the root element.
    overlay : bool
        XML with ``elements``: keep the markup of all other elements as part of the text.
    trim : str
        Documents: characters to remove from both ends of annotations: ``nothing``, ``spaces``, or ``punctuation``
        (spaces, too). The number of trimmed annotations is a warning.
    offsets : str
        Documents: the unit of offsets, if the file does not follow its format: ``format``, ``utf-16`` or ``bytes``. A
        warning tells if offsets probably count another unit.
    inclusive_ends : bool
        Documents: whether the end of an annotation is its last character. A warning tells if this is probably so.
    tokenizer : callable, optional
        Function that splits a text into tokens: takes a str and returns pairs (start, end) of character offsets. By
        default the tokens in the file are used, if there are any, otherwise :func:`spanrs.io.tokenizer.tokenize`.
    vocabulary : sequence of str or mapping, optional
        The tag of each integer id; ``label2id`` and ``id2label`` mappings are accepted. Not needed for the
        ``ClassLabel`` of Hugging Face datasets.
    ignore_index, lengths, mask
        For ids in memory, as for :func:`spanrs.score`.
    limits : Limits
        Limits on the size of the input.
    texts : path or other source, optional
        Answers: the corpus of the texts, if the records of answers do not contain them. Records are paired with its
        documents or sentences by id, otherwise by text, otherwise by order.
    answers : AnswerOptions
        Answers: the schema, and how mentions are found.

    Returns
    -------
    Corpus

    Raises
    ------
    OSError
        If a file cannot be opened.
    spanrs.errors.FormatError
        If a format is recognised but not supported; the message suggests an alternative.
    TypeError
        If the source is of an unsupported type; the message suggests what to pass instead.
    ValueError
        If the format or the scheme is unknown.

    Examples
    --------
    >>> import io, spanrs
    >>> corpus = spanrs.read(io.BytesIO(b"EU\tB-ORG\nrejects\tO\n"))
    >>> corpus.parts[0].format, corpus.layers, corpus.scheme
    ('columns', ['tags'], 'BIO')
    """
    if isinstance(source, Corpus):
        if options:
            raise TypeError("the source is already a Corpus; pass the options to spanrs.read")
        return source
    corpus = _read(source, options)
    check_used(options, [corpus])
    return corpus


def read_stream(source: Any, arguments: Mapping[str, Any]) -> Corpus:
    """Read a one-shot stream of batches without collecting the batches; read other sources as :func:`read` does."""
    if not is_one_shot(source):
        return read(source, **arguments)
    corpus = Corpus((Part("", source, "table"),), read_options(arguments))
    check_used(arguments, [corpus])
    return corpus


def _read(source: Any, arguments: Mapping[str, Any]) -> Corpus:
    options = read_options(arguments)
    if options.texts is not None:
        options = replace(options, texts=read(options.texts))
    parts = tuple(_parts(source, options))
    if options.texts is not None and len(parts) > 1 and all(part.format == "generated" for part in parts):
        # All files together are about the texts.
        parts = (Part("", list(parts), "generated"),)
    projects = [part for part in parts if part.format == PROJECT]
    if projects and options.annotator is not None:
        options = replace(options, annotator=annotator_of(projects, str(options.annotator)))
    return Corpus(parts, options)


def read_both(
    gold: tuple[Any, Mapping[str, Any]], pred: tuple[Any, Mapping[str, Any]]
) -> tuple[Corpus, Corpus]:
    """Read two sides with shared options; each option must apply to at least one side.

    Parameters
    ----------
    gold, pred : (source, mapping)
        A source or a corpus, and its options.

    Raises
    ------
    TypeError
        If an option applies to neither side.
    """
    corpora = read_gold(*gold), pred[0] if isinstance(pred[0], Corpus) else _read(*pred)
    check_used({**gold[1], **pred[1]}, corpora)
    return corpora


def read_gold(source: Any, arguments: Mapping[str, Any]) -> Corpus:
    """Read gold with options that may be meant for pred.

    With ``format="generated"``, gold consists of answers only if its own format is not recognised. Options that do not
    apply to gold are not refused.
    """
    if isinstance(source, Corpus):
        return source
    if arguments.get("format") != "generated" or not isinstance(source, (str, PathLike)):
        return _read(source, arguments)
    of_gold = {name: value for name, value in arguments.items() if name not in ("format", "tags")}
    try:
        return _read(source, of_gold)
    except FormatError:
        return _read(source, arguments)


#: Options that apply to every kind of part.
_EVERYWHERE = frozenset({"format", "limits"})
#: Options for the bounds of annotations.
_BOUNDS = frozenset(("offsets", "inclusive_ends", "trim"))
#: Formats of documents that the compiled module reads.
FILE_FORMATS = tuple(name for name in DOCUMENT_FORMATS if name != "spacy")
#: Options by kind of part, and by format if only one format has them.
_USED: dict[str, frozenset[str]] = {
    "rows": frozenset(
        (
            "tokens",
            "tags",
            "gold",
            "pred",
            "scheme",
            "reading",
            "dialect",
            "separator",
            "comments",
            "missing",
        )
    ),
    "spans": frozenset(("scheme",)),
    "stacked": frozenset(("tokens", "tags", "separator", "comments", "punct_column")),
    "table": frozenset(
        ("tokens", "tags", "gold", "pred", "documents", "position", "annotator", "missing", "vocabulary")
    ).union(("scheme", "reading", "dialect", "ignore_index")),
    "records": frozenset(
        ("tokens", "tags", "gold", "pred", "documents", "vocabulary", "scheme", "reading", "dialect")
    ),
    "csv": frozenset(("separator", "encoding")),
    "documents": frozenset(("tokenizer", "scheme", "reading")),
    **dict.fromkeys(FILE_FORMATS, frozenset(("trim",))),
    "xml-inline": frozenset(("encoding", "elements", "overlay", "trim")),
    "fake-xml-inline": frozenset(("encoding", "elements", "overlay", "trim")),
    "raw": frozenset(("encoding", "elements", "overlay")),
    **dict.fromkeys(ANNOTATED, frozenset(("annotator", "trim"))),
    **dict.fromkeys(LAYERED, frozenset(("layer", "trim"))),
    "spacy": frozenset(("layer",)),
    PROJECT: frozenset(("annotator", "layer", "trim")),
    # Other formats quote the texts of annotations, or have no offsets in characters.
    **dict.fromkeys(("mat-json", "doccano"), _BOUNDS),
    **dict.fromkeys(("prodigy", "csv-spans"), _BOUNDS.union(("annotator", "encoding"))),
    "label-studio-csv": frozenset(("annotator", "trim", "encoding")),
    "generated": frozenset(("answers", "texts", "tags", "encoding")),
    "gate-xml": frozenset(("layer", "trim", "encoding")),
}


def check_used(arguments: Mapping[str, Any], corpora: Iterable[Corpus]) -> None:
    """Refuse options that do not apply to any of the formats.

    Raises
    ------
    TypeError
        If there is such an option; the message contains the option and the formats.
    """
    parts = [part for corpus in corpora for part in corpus.parts if part.format != "unreadable"]
    used = _EVERYWHERE.union(
        *(_USED.get(name, frozenset()) for part in parts for name in (part.kind, part.format))
    )
    given = read_options(arguments).given() if parts and arguments else {}
    unused = next((name for name in given if name not in used), None)
    if unused is not None:
        formats = " and ".join(dict.fromkeys(part.format for part in parts))
        if unused == "answers":
            raise TypeError(f"options for answers of models do not apply to {formats}")
        raise TypeError(f"{unused} does not apply to {formats}; omit it or choose another format")


def _parts(source: Any, options: ReadOptions) -> Iterable[Part]:
    """Return the parts of a source."""
    if isinstance(source, (str, PathLike)):
        return _path_parts(os.fspath(source), options)
    if hasattr(source, "read") or isinstance(source, _spanrs.Source):
        return [recognised(Part("", _stream(source), ""), options.format)]
    if is_table(source):
        # A corpus is re-iterable; a stream of batches is not.
        return [Part("", source.read_all() if is_one_shot(source) else source, "table")]
    if _is_document(source):
        return [_document_part([source])]
    if isinstance(source, (list, tuple)):
        if not source:
            raise ValueError("the list of sources is empty")
        first = source[0]
        if options.format == "generated" and _are_answers(first):
            return [Part("", source, "generated")]
        if isinstance(first, (str, PathLike)):
            return _several_paths(source, options)
        if _is_document(first):
            return [_document_part(source)]
        if hasattr(first, "read") or isinstance(first, _spanrs.Source) or is_table(first):
            return [
                replace(part, name=f"{at}/{part.name}" if part.name else str(at))
                for at, item in enumerate(source)
                for part in _parts(item, options)
            ]
    return refuse(source)


def _stream(source: Any) -> _spanrs.Source:
    """Return a stream that buffers its content, so that it can be read again."""
    if isinstance(source, io.TextIOBase):
        raise TypeError("the file is open as text; open it in binary mode ('rb')")
    return source if isinstance(source, _spanrs.Source) else _spanrs.Source(source, True)


def _path_parts(path: str | bytes, options: ReadOptions) -> list[Part]:
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not is_several(path):
        if is_archive(path):
            return archive_parts(path, options.format, options.limits)
        return [_file_part("", path, options)]
    files = find_files(path)
    if any(".xmi" in os.path.basename(name) for name in files):
        # The type systems of UIMA are read with the files that need them.
        files = {name: file for name, file in files.items() if not is_type_system(name)}
    if options.format in ("auto", "brat"):
        # The .txt file of a brat document is not a separate document.
        annotated = {name.removesuffix(".ann") for name in files if name.endswith(".ann")}
        files = {
            name: file
            for name, file in files.items()
            if not (name.endswith(".txt") and name.removesuffix(".txt") in annotated)
            and (options.format == "auto" or name.endswith(".ann"))
        }
        if not files:
            raise FileNotFoundError(2, "the directory has no brat files (.ann)", path)
    return [part for name, file in files.items() for part in _parts_of_several(name, file, options)]


def _file_part(name: str, path: str, options: ReadOptions) -> Part:
    return recognised(Part(name, path, "", path), options.format)


def _parts_of_several(name: str, path: str, options: ReadOptions) -> list[Part]:
    """Return a file of a directory as a part, an archive as several parts.

    Errors are deferred until reading, so that the file can be skipped.
    """
    try:
        if is_archive(path):
            parts = archive_parts(path, options.format, options.limits)
            return [replace(part, name=f"{name}/{part.name}") for part in parts]
        return [_file_part(name, path, options)]
    except (OSError, SpanrsError) as error:
        return [Part(name, error, "unreadable", path)]


def _several_paths(paths: Sequence[str | PathLike[str]], options: ReadOptions) -> list[Part]:
    """Return the parts of several paths (files, directories or patterns) and streams."""
    parts: list[Part] = []
    for path in paths:
        if not (isinstance(path, (str, PathLike, _spanrs.Source)) or hasattr(path, "read")):
            raise TypeError(f"a list of paths must not contain {type(path).__name__}")
        path_parts = list(_parts(path, options))
        is_listed = [part.name for part in path_parts] == [""]
        parts += [
            replace(part, name=part.name or os.path.basename(part.shown), is_listed=is_listed)
            for part in path_parts
        ]
    if len({part.name for part in parts}) < len(parts):
        # Files with equal names in several directories are distinguished by their paths.
        parts = [replace(part, name=part.shown) for part in parts]
    return parts


def _are_answers(first: object) -> bool:
    """Return whether a list that begins with a value has answers, as opposed to paths of files of answers."""
    if isinstance(first, str):
        return not os.path.exists(first)
    return first is None or isinstance(first, (Mapping, list))


def _is_document(source: object) -> bool:
    """Return whether a value is a :class:`Document` or a spaCy ``Doc``."""
    return isinstance(source, Document) or is_doc(source)


def _document_part(documents: Sequence[Any]) -> Part:
    """Return Documents or spaCy Docs as a part; Docs are converted when the part is read."""
    for document in documents:
        if not _is_document(document):
            raise TypeError(f"a list of documents must not contain {type(document).__name__}")
    return Part("", list(documents), "spacy" if any(map(is_doc, documents)) else "documents")


def refuse(source: object) -> NoReturn:
    """Raise the error for an unsupported source, with advice.

    Raises
    ------
    TypeError
    """
    kind = type(source).__name__
    if isinstance(source, (bytes, bytearray)):
        raise TypeError("bytes are not a path; pass file contents as io.BytesIO(content)")
    if isinstance(source, (set, frozenset)):
        raise TypeError("a set has no order; pass a list")
    if hasattr(source, "keys") and hasattr(source, "column_names"):
        names = ", ".join(map(str, source.keys()))
        raise TypeError(f"this is a {kind}; pass one of its splits ({names})")
    if isinstance(source, Mapping):
        raise TypeError(
            "a mapping is not a source; pass systems by name to spanrs.compare(gold, {name: pred}) and columns as a "
            "table of pyarrow, Polars or pandas"
        )
    raise TypeError(
        f"a source must be a path, a binary file object, a table, documents or a list of paths, not {kind}; pass tags "
        "in memory to spanrs.score, and labels of several annotators as a spanrs.crowd.CrowdCorpus"
    )
