""":func:`spanrs.read`: any source of labelled text becomes a corpus."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any, NoReturn, Unpack

from spanrs import _spanrs
from spanrs.errors import SpanrsError
from spanrs.io.corpus import Corpus
from spanrs.io.docbin import is_doc
from spanrs.io.document import Document
from spanrs.io.options import ReadArguments, ReadOptions, read_options
from spanrs.io.parts import Part, recognised
from spanrs.io.paths import find_files, is_several
from spanrs.io.tables import is_one_shot, is_table


def read(source: Any, /, **options: Unpack[ReadArguments]) -> Corpus:
    r"""Read labelled text: a file, a directory, a pattern, an open file, a table, documents.

    Nothing but the beginnings of files is read until the corpus is gone through.

    Parameters
    ----------
    source : path, binary file object, table, document, or list of them
        - A path of a file, a directory (searched with its subdirectories) or a pattern such as ``"gold/*.conll"``;
          plain, gzip or zstd.
        - A binary file object. What is read of it is kept for the next time.
        - A table of pyarrow, Polars (lazy too), pandas, DuckDB or Hugging Face datasets, with a row for each sentence
          (columns of lists) or for each token (long form).
        - :class:`spanrs.io.Document` or a Doc of spaCy, or a list of them.
        - A list of paths, which are one corpus in this order.
    format : str
        ``auto``: what the first bytes of a file look like. Else ``columns`` (a token a line), ``conllu``, ``stacked``
        (columns with tags such as ``I-S|B-NP``), ``spans`` (a span a line), ``mat-json``, ``xml-inline``,
        ``fake-xml-inline``, ``raw``, ``brat``, ``doccano``, ``prodigy``, ``label-studio``, ``spacy`` (DocBin),
        ``parquet``, ``arrow`` or ``csv``.
    tokens : int or str, optional
        Column of the tokens: its number, from 0, negative from the last, or in CoNLL-U, tables and CSV files its name.
        The first one of a column file; of others the one with a usual name, if there is one.
    tags : int, str, or tuple of them, optional
        Column of the tags, the last one of a column file if not given; several are layers of nested annotations.
    gold, pred : int or str, optional
        Columns of the two sides, where one file holds both.
    position : str, optional
        For long form: column of the places of tokens in their sentence; rows are then in any order within it.
    documents : str, optional
        For tables: column that names the document of a sentence or token.
    annotator : int or str, optional
        Of Label Studio and Prodigy: whose annotations are read, a name, an e-mail address or an id as the file has
        them. Where no annotator is called by a number, a number is a place from 0.
    layer : str, optional
        Of DocBin and spaCy Docs: ``ents``, or a span group by its name; the entities if not given.
    missing : str
        The tag that means "not answered" in files of several annotators.
    scheme : str
        IOB, BIO, IOE1, IOE2, IOBES, BILOU, BMEWO, BMES, IO or TOKEN, in any usual spelling, or ``auto``: the one that
        the tags violate least; never TOKEN.
    reading : str
        What malformed tags mean, as for :func:`spanrs.tags.tags_to_spans`.
    dialect : Dialect
        How tags are spelt.
    separator : str
        Of column files: ``auto`` (tabs if the first token line has one, else white space), ``whitespace``, ``tab``,
        ``space``, or one ASCII character.
    comments : str
        Of column files: ``auto`` (lines that begin with ``#`` before the first token of a sentence and have another
        number of columns than token lines; also ``# newdoc`` and ``# key = value``), a prefix, or ``none``.
    encoding : str, optional
        Of XML, raw text and CSV, as Python names it; if not given, what XML declares, else UTF-8.
    punct_column : int or str, optional
        Of files with stacked tags: column of the parts of speech. Tokens that are punctuation in STTS, UPOS or PTB are
        left out, and what is left of their spans counts.
    elements : sequence of str, or "all", optional
        Of XML: which elements are annotations. All but the one around the whole text, if not given.
    overlay : bool
        Of XML with ``elements``: the other elements stay in the text as they are written.
    tokenizer : callable, optional
        Finds the tokens of a text: takes a str, gives (start, end) in characters. If not given, the tokens that the
        file has, else :func:`spanrs.io.tokenizer.tokenize`.
    vocabulary : sequence of str or mapping, optional
        The tag of each id, for integers; label2id and id2label will do. Those of Hugging Face's ``ClassLabel`` are
        known.
    ignore_index, lengths, mask
        For ids in memory, as for :func:`spanrs.score`.
    limits : Limits
        Limits of sizes.

    Returns
    -------
    Corpus

    Raises
    ------
    OSError
        Where a file cannot be opened.
    spanrs.errors.FormatError
        For formats that are recognised and cannot be read, with what to do.
    TypeError
        For what is no source, with what to pass instead.
    ValueError
        For unknown formats and schemes.

    Examples
    --------
    >>> import io, spanrs
    >>> corpus = spanrs.read(io.BytesIO(b"EU\tB-ORG\nrejects\tO\n"))
    >>> corpus.parts[0].format, corpus.layers, corpus.scheme
    ('columns', ['tags'], 'BIO')
    """
    if isinstance(source, Corpus):
        if options:
            raise TypeError("the corpus is read already; give its options to spanrs.read")
        return source
    corpus = _read(source, options)
    check_used(options, [corpus])
    return corpus


def read_stream(source: Any, arguments: Mapping[str, Any]) -> Corpus:
    """Read a one-shot stream of batches without collecting it; anything else as :func:`read`."""
    if not is_one_shot(source):
        return read(source, **arguments)
    corpus = Corpus((Part("", source, "table"),), read_options(arguments))
    check_used(arguments, [corpus])
    return corpus


def _read(source: Any, arguments: Mapping[str, Any]) -> Corpus:
    found = read_options(arguments)
    return Corpus(tuple(_parts(source, found)), found)


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
        For an option that does not apply to the formats of both sides.
    """
    both = [
        source if isinstance(source, Corpus) else _read(source, arguments)
        for source, arguments in (gold, pred)
    ]
    check_used({**gold[1], **pred[1]}, both)
    return both[0], both[1]


#: Options that apply to every kind of part.
_EVERYWHERE = frozenset({"format", "limits"})
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
    "csv": frozenset(("separator", "encoding")),
    "documents": frozenset(("tokenizer", "scheme", "reading")),
    "xml-inline": frozenset(("encoding", "elements", "overlay")),
    "fake-xml-inline": frozenset(("encoding", "elements", "overlay")),
    "raw": frozenset(("encoding", "elements", "overlay")),
    "label-studio": frozenset(("annotator",)),
    "prodigy": frozenset(("annotator",)),
    "spacy": frozenset(("layer",)),
}


def check_used(arguments: Mapping[str, Any], corpora: Iterable[Corpus]) -> None:
    """Refuse options that do not apply to any of the formats.

    Raises
    ------
    TypeError
        With the option and the formats.
    """
    parts = [part for corpus in corpora for part in corpus.parts if part.format != "unreadable"]
    used = _EVERYWHERE.union(
        *(_USED.get(name, frozenset()) for part in parts for name in (part.kind, part.format))
    )
    given = read_options(arguments).given() if parts and arguments else {}
    unused = next((name for name in given if name not in used), None)
    if unused is not None:
        formats = " and ".join(dict.fromkeys(part.format for part in parts))
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
            raise ValueError("there is no source in the list")
        first = source[0]
        if isinstance(first, (str, PathLike)):
            return _several_paths(source, options)
        if _is_document(first):
            return [_document_part(source)]
        if hasattr(first, "read") or isinstance(first, _spanrs.Source) or is_table(first):
            return [
                replace(part, name=f"{at}/{part.name}" if part.name else str(at))
                for at, one in enumerate(source)
                for part in _parts(one, options)
            ]
    return refuse(source)


def _stream(source: Any) -> _spanrs.Source:
    """Return a stream that buffers what is read, so that it can be read again."""
    if isinstance(source, io.TextIOBase):
        raise TypeError("the file is open as text; open it in binary mode ('rb')")
    return source if isinstance(source, _spanrs.Source) else _spanrs.Source(source, True)


def _path_parts(path: str | bytes, options: ReadOptions) -> list[Part]:
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not is_several(path):
        return [_file_part("", path, options)]
    files = find_files(path)
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
            raise FileNotFoundError(2, "there is no file of brat (.ann) in it", path)
    return [_part_of_several(name, file, options) for name, file in files.items()]


def _file_part(name: str, path: str, options: ReadOptions) -> Part:
    return recognised(Part(name, path, "", path), options.format)


def _part_of_several(name: str, path: str, options: ReadOptions) -> Part:
    """Return a file of a directory; errors are deferred until it is read, so that it can be skipped."""
    try:
        return _file_part(name, path, options)
    except (OSError, SpanrsError) as error:
        return Part(name, error, "unreadable", path)


def _several_paths(paths: Sequence[str | PathLike[str]], options: ReadOptions) -> list[Part]:
    """Return the parts of several paths, each a file, a directory or a pattern; streams may be among them."""
    parts: list[Part] = []
    for path in paths:
        if not (isinstance(path, (str, PathLike, _spanrs.Source)) or hasattr(path, "read")):
            raise TypeError(f"a list of paths has {type(path).__name__} in it")
        own = list(_parts(path, options))
        is_listed = [part.name for part in own] == [""]
        parts += [
            replace(part, name=part.name or os.path.basename(part.shown), is_listed=is_listed)
            for part in own
        ]
    if len({part.name for part in parts}) < len(parts):
        # Files of equal names in several directories are distinguished by their paths.
        parts = [replace(part, name=str(part.path)) for part in parts]
    return parts


def _is_document(source: object) -> bool:
    """Return whether a value is a :class:`Document` or a spaCy ``Doc``."""
    return isinstance(source, Document) or is_doc(source)


def _document_part(documents: Sequence[Any]) -> Part:
    """Return Documents or spaCy Docs as a part; Docs are converted when the part is read."""
    for one in documents:
        if not _is_document(one):
            raise TypeError(f"a list of documents has {type(one).__name__} in it")
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
        f"a source is a path, a binary file object, a table, documents or a list of paths, not {kind}; tags in memory "
        "go to spanrs.score"
    )
