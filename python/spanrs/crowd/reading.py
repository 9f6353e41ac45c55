"""Crowd annotations from any source."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any

from spanrs.crowd.corpus import MISSING, CrowdCorpus
from spanrs.crowd.documents import Project, join_documents, project_of_corpus, project_of_texts
from spanrs.crowd.files import TABLE, read_columns, read_files, read_table
from spanrs.crowd.gold_documents import (
    documents_with_known,
    documents_with_known_annotator,
    sentences_with_known,
    sentences_with_known_annotator,
)
from spanrs.crowd.projects import is_export, texts_of_export, texts_of_sources
from spanrs.errors import AlignmentError, FormatError, warn, with_code
from spanrs.io import Corpus, Document, read, tables
from spanrs.io.documents import ANNOTATED, LAYERED
from spanrs.io.training import tagged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanrs.crowd.projects import SharedText
    from spanrs.io.parts import Part
    from spanrs.io.texts import Tokenizer


def crowd_corpus(
    source: Any,
    *,
    annotators: Sequence[str] | None = None,
    missing: str = MISSING,
    partial: str = "error",
    known: Any = None,
    known_annotator: str | None = None,
) -> CrowdCorpus:
    r"""Return the annotations of a corpus in any format.

    Parameters
    ----------
    source : CrowdCorpus, Corpus, or a source that :func:`spanrs.read` accepts
        - A column file with one token per line and a column of labels for each annotator.
        - A list of files, directories or corpora of any formats, one for each annotator, named after the files; or a
          mapping from names of annotators to files, directories or corpora. A single directory contains a subdirectory
          or a file for each annotator. Sources with tokens must have the same sentences. Text documents (doccano, brat,
          ...) are paired by id, otherwise by text, otherwise by order; not every annotator needs to have every
          document.
        - A table or CSV file in long form with the columns ``annotator``, ``document``, ``token`` and ``label``.
        - An export of Label Studio or Prodigy, whose annotators are layers. Text is split into sentences at line breaks
    annotators : sequence of str, optional
        Names of the columns or files, or the annotators of an export to use; by default all annotators.
    missing : str
        Placeholder for "not labelled by this annotator" in columns and tables.
    partial : str
        Handling of sentences that an annotator only partly labelled: ``error`` or ``drop``.
    known : source, optional
        The true annotations of some documents or sentences: any source of :func:`spanrs.read`. Documents are paired by
        id or name, otherwise by text; sentences by order if gold has all sentences, otherwise by their tokens. A gold
        document without annotations means that nothing is to be annotated; ``missing`` marks sentences whose true
        labels are unknown.
    known_annotator : str, optional
        An annotator whose answers are the true annotations: an annotator of ``known``, or without ``known``, of
        ``source``.

    Returns
    -------
    CrowdCorpus

    Raises
    ------
    spanrs.errors.FormatError
        If there are no annotators, and in the same cases as in :func:`read_columns`, :func:`read_files` and
        :func:`read_table`.
    spanrs.errors.AlignmentError
        If the tokens of a text differ between annotators, no two annotators have a document in common, no document or
        sentence is known, or the text of a known document differs from that of the document with the same id.
    spanrs.errors.SchemeError
        If only the known labels or only the labels of the annotators are tags.

    Warns
    -----
    spanrs.SpanrsWarning
        If known documents or sentences are not in the source.

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> from spanrs.crowd import crowd_corpus
    >>> records = [
    ...     {"text": "Ada met Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}], "_annotator_id": "ann"},
    ...     {"text": "Ada met Bob", "spans": [{"start": 8, "end": 11, "label": "PER"}], "_annotator_id": "ben"},
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "export.jsonl")
    ...     _ = path.write_text("\n".join(map(json.dumps, records)))
    ...     crowd_corpus(path).annotators
    ['ann', 'ben']
    """
    if isinstance(source, CrowdCorpus) and known is None and known_annotator is None:
        return source
    found = read_crowd(
        source,
        annotators=annotators,
        missing=missing,
        partial=partial,
        known=known,
        known_annotator=known_annotator,
    )
    if isinstance(found, CrowdCorpus):
        return found
    corpus = join_documents(found)
    check_overlap(corpus, found.sources)
    return corpus


def read_crowd(
    source: Any,
    *,
    annotators: Sequence[str] | None,
    missing: str,
    partial: str,
    known: Any,
    known_annotator: str | None,
) -> CrowdCorpus | Project:
    """Return the documents of a source, or for sources with tokens, the sentences; see :func:`crowd_corpus`."""
    in_source = known_annotator if known is None else None
    if annotators is not None and in_source is not None and in_source not in annotators:
        annotators = [*annotators, in_source]
    found = _read_crowd(source, annotators, missing, partial)
    if in_source is not None:
        if isinstance(found, Project):
            return documents_with_known_annotator(found, in_source)
        return sentences_with_known_annotator(found, in_source)
    if known is None:
        return found
    gold = _read(known)
    if known_annotator is not None:
        gold = _of_annotator(gold, known_annotator)
    if isinstance(found, Project):
        return documents_with_known(found, gold)
    return sentences_with_known(found, gold, missing)


def _of_annotator(gold: Corpus, name: str) -> Corpus:
    """Return gold restricted to an annotator, or to a column."""
    part = gold.parts[0]
    if part.kind == "documents" and part.format not in (*ANNOTATED, *LAYERED):
        message = f"{part.shown}: {part.format} does not contain names of annotators; omit known_annotator"
        raise with_code(FormatError(message), "annotators", part.path)
    if part.kind == "documents":
        return gold.of_layer(name)
    try:
        return gold[name]
    except KeyError as error:
        raise with_code(FormatError(str(error.args[0])), "annotators", gold.parts[0].path) from None


def _read_crowd(
    source: Any, annotators: Sequence[str] | None, missing: str, partial: str
) -> CrowdCorpus | Project:
    """Read the annotations of a source, without known answers."""
    if isinstance(source, CrowdCorpus):
        return project_of_corpus(source) or source
    if _is_table(source):
        return read_table(source, missing=missing, partial=partial)
    corpus = _sources(source, annotators)
    if not isinstance(corpus, Corpus):
        return _of_sources(corpus, missing, partial)
    parts = corpus.parts
    if parts[0].kind == "documents":
        return _of_layers(corpus, annotators)
    if parts[0].kind == "table":
        if annotators:
            raise ValueError("a table contains the names of annotators; omit annotators")
        return read_table(_table(parts[0]), missing=missing, partial=partial)
    if parts[0].kind in ("spans", "records"):
        message = (
            f"{parts[0].shown}: spans and records have no labels of several annotators; pass columns, a table or an "
            "export"
        )
        raise with_code(FormatError(message), "wrong_format", parts[0].path)
    return read_columns(parts[0].opened(keep=True), annotators=annotators, missing=missing, partial=partial)


def _is_table(source: Any) -> bool:
    """Return whether a source is a table in long form: a mapping of its columns."""
    return isinstance(source, Mapping) and source.keys() >= set(TABLE)


def _sources(source: Any, annotators: Sequence[str] | None) -> Corpus | dict[str, Corpus]:
    """Return a source that contains all annotators, or the sources of annotators by name."""
    if isinstance(source, Mapping):
        return _by_annotator([_read(part) for part in source.values()], list(source))
    if isinstance(source, (list, tuple)) and len(source) > 1 and not _is_document(source[0]):
        return _by_annotator([_read(part) for part in source], list(annotators or _names(source)))
    corpus = _read(source)
    if is_export(corpus):
        return corpus
    sources, names = _of_directory(corpus)
    return _by_annotator(sources, list(annotators or names))


def _read(source: Any) -> Corpus:
    return source if isinstance(source, Corpus) else read(source)


def _is_document(source: object) -> bool:
    """Return whether a value is a document or a spaCy Doc; a list of documents is one source."""
    return isinstance(source, Document) or hasattr(source, "ents")


def _table(part: Part) -> Any:
    """Return a table in long form for :func:`read_table`: the path of a CSV file, or a table of pyarrow."""
    if part.format == "csv":
        if part.path is None:
            raise TypeError("a CSV table in long form must be a path, not a stream")
        return part.path
    names = list(tables.column_types(part))
    lacking = [name for name in TABLE if name not in names]
    if lacking:
        message = (
            f"{part.shown}: no column {', '.join(lacking)} among {', '.join(names)}; rename the columns"
        )
        raise with_code(FormatError(message), "no_column", part.path)
    import pyarrow

    return pyarrow.Table.from_batches(
        [
            part
            for batch in tables.batches(part, TABLE)
            for part in (batch.to_batches() if hasattr(batch, "to_batches") else [batch])
        ]
    )


def _of_sources(by_annotator: dict[str, Corpus], missing: str, partial: str) -> CrowdCorpus | Project:
    """Return the annotations of several sources, one for each annotator."""
    names, sources = list(by_annotator), list(by_annotator.values())
    parts = [part for corpus in sources for part in corpus.parts]
    if all(part.kind == "documents" for part in parts):
        return project_of_texts(
            texts_of_sources(by_annotator),
            annotators=names,
            sources=[source.parts[0].shown for source in sources],
            tokenizer=sources[0].options.tokenizer,
        )
    is_plain = all(part.format == "columns" and part.path is not None for part in parts)
    if is_plain and len(parts) == len(sources) and not any(corpus.options.given() for corpus in sources):
        paths: dict[str, str | PathLike[str]] = {
            name: str(by_annotator[name].parts[0].path) for name in by_annotator
        }
        return read_files(paths, missing=missing, partial=partial)
    return _join_sentences(by_annotator, missing, partial)


def _by_annotator(sources: Sequence[Corpus], names: Sequence[str]) -> dict[str, Corpus]:
    """Return sources by name; raise an error unless there is a unique name for each."""
    paths = Counter(part.path for source in sources for part in source.parts if part.path is not None)
    twice = next((path for path, number in paths.items() if number > 1), None)
    if twice is not None:
        message = f"{twice} is given twice; each annotator needs a file or directory of their own"
        raise with_code(FormatError(message), "annotators", twice)
    if not sources:
        raise FormatError("there are no annotators: the mapping or list of sources is empty")
    first = sources[0].parts[0]
    if len(names) != len(sources) or len(set(names)) != len(names):
        message = (
            f"{first.shown}: each of {len(sources)} sources has one annotator, but the names of annotators are "
            f"{', '.join(names)}; specify a unique name for each source"
        )
        raise with_code(FormatError(message), "annotators", first.path)
    return dict(zip(names, sources, strict=True))


def _join_sentences(sources: dict[str, Corpus], missing: str, partial: str) -> CrowdCorpus:
    """Return the annotations of sources with the same sentences in the same order."""
    sentences: list[list[str]] = []
    given: list[dict[str, list[str] | None]] = []
    first = next(iter(sources.values())).parts[0].shown
    for name, corpus in sources.items():
        part = corpus.parts[0]
        tokens, labels = tagged(corpus)
        rows = [list(sentence) for sentence in tokens]
        if not sentences:
            sentences, given = rows, [{} for _ in rows]
        if rows != sentences:
            pairs = zip(rows, sentences, strict=False)
            at = next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(rows), len(sentences)))
            message = (
                f"{part.shown}: sentence {at} differs from sentence {at} of {first}; annotators must have the same "
                "sentences in the same order"
            )
            raise with_code(AlignmentError(message), "tokens", part.path)
        for at, tags in enumerate(labels):
            lacking = [tag for tag in tags if tag == missing]
            if lacking and len(lacking) < len(tags) and partial != "drop":
                message = f"{part.shown}: sentence {at}: {name} only labelled part of this sentence"
                raise with_code(FormatError(message), "partial", part.path)
            given[at][name] = None if lacking else tags
    return CrowdCorpus(sentences, given, annotators=list(sources), missing=None)


def check_overlap(corpus: CrowdCorpus, sources: Sequence[str]) -> None:
    """Raise an error if annotators with a source each share no document; warn if a document has a single annotator.

    Annotators without a document in common can be compared by known answers.
    """
    if not sources:
        return
    annotators = Counter(annotation.sentence for annotation in corpus.annotations)
    alone = sum(number == 1 for number in annotators.values())
    if alone and alone == len(annotators) and not corpus.known:
        message = f"{', '.join(sources)}: no two annotators have a document in common: neither ids nor texts are equal"
        raise with_code(AlignmentError(message), "documents")
    if alone:
        warn(
            [
                f"{alone} of {len(annotators)} sentences have one annotator, because no other source has the document"
            ]
        )


def _of_directory(corpus: Corpus) -> tuple[list[Corpus], list[str]]:
    """Return the sources of annotators and their names: the subdirectories of a directory, otherwise its files."""
    folders = [None if part.path is None else os.path.dirname(part.path) for part in corpus.parts]
    if None not in folders:
        known = [folder for folder in folders if folder is not None]
        root = os.path.commonpath(known)
        names = [os.path.relpath(folder, root).split(os.sep)[0] for folder in known]
        if os.curdir not in names and len(set(names)) > 1:
            groups: dict[str, list[Part]] = {name: [] for name in names}
            for name, part in zip(names, corpus.parts, strict=True):
                groups[name].append(part)
            return [replace(corpus, parts=tuple(parts)) for parts in groups.values()], list(groups)
    sources = [replace(corpus, parts=(part,)) for part in corpus.parts]
    return sources, _names(sources)


def _names(sources: Sequence[Any]) -> list[str]:
    """Return the names of annotators: names of files and directories, or numbers from 1."""
    if all(isinstance(source, (str, PathLike)) for source in sources):
        return source_names(sources)
    paths = [source.parts[0].path if isinstance(source, Corpus) else None for source in sources]
    if None in paths:
        return [str(at + 1) for at in range(len(paths))]
    return source_names([str(path) for path in paths])


def source_names(paths: Sequence[str | PathLike[str]]) -> list[str]:
    """Return a name for each path: the stem, or if stems are equal, the path without suffixes or the whole path.

    Examples
    --------
    >>> from spanrs.crowd.reading import source_names
    >>> source_names(["x/ann.jsonl", "x/ben.conll.gz"]), source_names(["ann/a.ann", "ben/a.ann"])
    (['ann', 'ben'], ['ann/a', 'ben/a'])
    """
    whole = [os.fspath(path) for path in paths]
    stems = [_without_suffixes(path) for path in whole]
    short = [os.path.basename(stem) for stem in stems]
    return next((names for names in (short, stems) if len(set(names)) == len(names)), whole)


def _without_suffixes(path: str) -> str:
    """Return a path without the suffixes that indicate format and compression."""
    path = path.rstrip("/")
    for suffix in (".gz", ".zst"):
        path = path.removesuffix(suffix)
    return path if os.path.isdir(path) else os.path.splitext(path)[0]


def _of_layers(corpus: Corpus, annotators: Sequence[str] | None) -> Project:
    """Return the annotations of an export with layers."""
    tokenizer = corpus.options.tokenizer
    return project_of_texts(texts_of_export(corpus, annotators), annotators=annotators, tokenizer=tokenizer)


def shared_texts(
    source: Any, annotators: Sequence[str] | None = None
) -> tuple[Iterator[SharedText], Tokenizer | None] | None:
    """Return the text documents of a source, and the tokenizer of its options; None for other sources.

    Parameters are those of :func:`crowd_corpus`.
    """
    if isinstance(source, CrowdCorpus) or _is_table(source):
        return None
    sources = _sources(source, annotators)
    if isinstance(sources, Corpus):
        is_text = sources.parts[0].kind == "documents"
        return (texts_of_export(sources, annotators), sources.options.tokenizer) if is_text else None
    if any(part.kind != "documents" for corpus in sources.values() for part in corpus.parts):
        return None
    return iter(texts_of_sources(sources)), next(iter(sources.values())).options.tokenizer
