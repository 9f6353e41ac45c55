"""Text documents of annotation projects, with the annotations of everyone who saw them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from spanrs import _spanrs
from spanrs.errors import FormatError, warn, with_code
from spanrs.io import Annotation, Corpus, Document
from spanrs.io.annotator_files import PROJECT
from spanrs.io.documents import ANNOTATED, plain_document
from spanrs.io.parts import Part

#: Answers that count: annotations, or an empty document.
SEEN = ("given", "empty")
#: Maximum number of sources in a message.
MOST_SHOWN = 3


class SharedText(NamedTuple):
    """A text, and the documents that contain the annotations of everyone who saw the text."""

    document: _spanrs.Document
    """The document of the first annotator."""
    answers: dict[str, tuple[_spanrs.Document, int | None]]
    """By annotator: a document, and the index of a layer; None for all annotations of the document."""
    part: Part
    """The source of the document."""
    not_answered: list[str]
    """Annotators who skipped or rejected the document."""


@dataclass(frozen=True)
class ProjectDocument:
    """A document of an annotation project.

    Attributes
    ----------
    document : Document
        Id, name, text, metadata and tokens, without the annotations of annotators.
    answers : mapping of str to sequence of Annotation
        The annotations of each annotator who saw the document; empty if the annotator left it without annotations.
        Offsets refer to the text of ``document``.
    part : Part
        The source of the document.
    not_answered : sequence of str
        Annotators who skipped or rejected the document, which is not an answer.
    known : sequence of Annotation, optional
        The true annotations, at offsets of ``document``; empty if it is known that nothing is to be annotated, None if
        the true annotations are unknown.
    has_relations : bool
        Whether an answer has relations between annotations.
    """

    document: Document
    answers: Mapping[str, Sequence[Annotation]]
    part: Part
    not_answered: Sequence[str] = ()
    known: Sequence[Annotation] | None = None
    has_relations: bool = False

    @property
    def label(self) -> str:
        """Name of the document for users: its name, its id, or the first characters of the text."""
        shown = self.document.name or self.document.id
        return repr(self.document.text[:40]) if shown is None else shown


class Place(NamedTuple):
    """Position of a sentence in the documents of a corpus."""

    document: int
    """Index of the document, from 0."""
    tokens: Sequence[tuple[int, int]]
    """First character of each token in the text of the document, from 0, and one past the last."""


def texts_of_export(corpus: Corpus, annotators: Sequence[str] | None = None) -> Iterator[SharedText]:
    """Yield the documents of an export whose layers are annotators; the export is read once.

    Skipped and rejected documents are not answers, nor are annotations by unknown annotators; a warning counts them.

    Parameters
    ----------
    corpus : Corpus
        The export.
    annotators : sequence of str, optional
        The annotators to use; by default all annotators.

    Raises
    ------
    spanrs.errors.FormatError
        If the export does not contain names of annotators, or not one of the given names.
    """
    shown = corpus.parts[0].shown
    found: dict[str, None] = {}
    not_answered = unnamed = 0
    for part in corpus.parts:
        if part.format not in (*ANNOTATED, "gate-xml", "documents"):
            raise _no_names(part)
        for document in corpus.layered_documents(part, unannotated=True):
            text = SharedText(document, {}, part, [])
            for at, layer in enumerate(document.layers()):
                if layer.name is None:
                    unnamed += layer.answer == "given"
                    continue
                found.setdefault(layer.name)
                if annotators is not None and layer.name not in annotators:
                    continue
                if layer.answer in SEEN:
                    text.answers[layer.name] = document, at
                else:
                    text.not_answered.append(layer.name)
            not_answered += len(text.not_answered)
            yield text
    if not found:
        raise _no_names(corpus.parts[0])
    unknown = [name for name in annotators or () if name not in found]
    if unknown:
        message = f"{shown}: no annotator {unknown[0]}; the annotators are {', '.join(found)}"
        raise with_code(FormatError(message), "annotators")
    messages = []
    if not_answered:
        messages.append(
            f"{shown}: skipped or rejected by annotators, which is not an answer: {not_answered}"
        )
    if unnamed:
        messages.append(
            f"{shown}: annotated documents without the name of the annotator, not used: {unnamed}"
        )
    warn(messages)


def _no_names(part: Part) -> FormatError:
    message = (
        f"{part.shown}: {part.format} does not contain names of annotators; pass a file or directory for "
        "each annotator"
    )
    return with_code(FormatError(message), "annotators", part.path)


def texts_of_sources(sources: Mapping[str, Corpus]) -> list[SharedText]:
    """Return the documents of annotators with a source each.

    Documents are paired by id; if ids are missing or inconsistent, by text, and if no text is shared, by order. Not
    every annotator needs to have every document.

    Parameters
    ----------
    sources : mapping of str to Corpus
        The documents of each annotator, by name.
    """
    documents = [list(identified(corpus)) for corpus in sources.values()]
    paired: dict[Hashable, SharedText] = {}
    for name, keys, items in zip(sources, _keys(documents), documents, strict=True):
        for key, (_, document, part) in zip(keys, items, strict=True):
            text = paired.setdefault(key, SharedText(document, {}, part, []))
            if was_seen(document):
                text.answers[name] = document, None
            else:
                text.not_answered.append(name)
    return list(paired.values())


def shown_sources(parts: Iterable[Part]) -> str:
    """Return the names of sources for messages, at most three.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from spanrs.crowd.projects import shown_sources
    >>> shown_sources(SimpleNamespace(shown=name) for name in ("a", "b", "a", "c", "d", "e"))
    'a, b, c and 2 more'
    """
    names = list(dict.fromkeys(part.shown for part in parts))
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return ", ".join(names[:MOST_SHOWN]) + more


def was_seen(document: _spanrs.Document) -> bool:
    """Return whether no answer of a document is skipped or rejected."""
    return all(layer.answer in SEEN for layer in document.layers())


class Identified(NamedTuple):
    """A document with its id, prefixed with the file name if an annotator has several files."""

    id: str | None
    document: _spanrs.Document
    part: Part


def identified(corpus: Corpus) -> Iterator[Identified]:
    """Yield the documents of a corpus with a single annotator.

    Raises
    ------
    spanrs.errors.FormatError
        If an export has several annotators.
    """
    decided = corpus.decided() if corpus.has_tags else corpus
    for part in decided.parts:
        stem = os.path.splitext(part.name)[0] if len(decided.parts) > 1 else None
        for document in _of_one_annotator(decided, part):
            id_ = document.id
            if stem is not None:
                id_ = stem if id_ is None else f"{stem} {id_}"
            yield Identified(id_, document, part)


def _of_one_annotator(corpus: Corpus, part: Part) -> Iterator[_spanrs.Document]:
    if part.format not in ANNOTATED or part.format == PROJECT:
        yield from corpus.core_documents(part, drop_root=True)
        return
    names: dict[str, None] = {}
    for document in corpus.layered_documents(part):
        names |= dict.fromkeys(layer.name for layer in document.layers() if layer.name is not None)
        if len(names) > 1:
            message = (
                f"{part.shown}: the export has several annotators ({', '.join(names)}); pass it alone to use all of "
                "them, or choose one with spanrs.read(..., annotator=NAME)"
            )
            raise with_code(FormatError(message), "annotators", part.path)
        yield document


def _keys(sources: Sequence[Sequence[Identified]]) -> list[list[Hashable]]:
    """Return a key for each document, equal for the same document of several annotators."""
    ids: list[list[Hashable]] = [[item.id for item in source] for source in sources]
    texts = [_numbered(item.document.text for item in source) for source in sources]
    by_text = Counter(key for keys in texts for key in keys)
    # Ids that no other annotator has may be generated by another annotation tool.
    number = Counter(key for keys in ids for key in set(keys))
    are_unique = all(None not in keys and len(set(keys)) == len(keys) for keys in ids)
    if are_unique and all(any(number[key] > 1 for key in keys) for keys in ids):
        # Ids may be the record numbers of each export, in which case one id occurs with several texts.
        of_id: dict[Hashable, set[str]] = {}
        for names, keys in zip(ids, texts, strict=True):
            for id_, (content, _) in zip(names, keys, strict=True):
                of_id.setdefault(id_, set()).add(content)
        unclear = [
            by_text[key]
            for names, keys in zip(ids, texts, strict=True)
            for id_, key in zip(names, keys, strict=True)
            if len(of_id[id_]) > 1
        ]
        if not unclear or 1 in unclear:
            return ids
    if set(by_text.values()) == {1} and len({len(source) for source in sources}) == 1:
        return [list(range(len(source))) for source in sources]
    return [list[Hashable](keys) for keys in texts]


def _numbered(texts: Iterable[str]) -> list[tuple[str, int]]:
    """Return each text with the number of its previous occurrences; repeated texts are separate documents."""
    seen: Counter[str] = Counter()
    numbered: list[tuple[str, int]] = []
    for text in texts:
        numbered.append((text, seen[text]))
        seen[text] += 1
    return numbered


def answer_of(document: _spanrs.Document, layer: int | None) -> list[Annotation]:
    """Return the annotations of one annotator, without tokens and administrative annotations."""
    return [
        a._replace(layer=0)
        for a in plain_document(document).annotations
        if a.is_content and layer in (None, a.layer)
    ]


def is_export(corpus: Corpus) -> bool:
    """Return whether the parts of a corpus are one export with several annotators, not an annotator each."""
    return len(corpus.parts) == 1 or all(part.format in (PROJECT, "gate-xml") for part in corpus.parts)


def without_annotations(document: Document) -> Document:
    """Return a document with its tokens, but without annotations, relations and layers."""
    tokens = [a._replace(layer=0) for a in document.annotations if not a.is_content]
    return replace(document, annotations=tokens, relations=(), layers=(), left_out=())
