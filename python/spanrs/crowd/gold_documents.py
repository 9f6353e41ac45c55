"""True annotations of some documents or sentences of a project."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from spanrs import tags
from spanrs.crf.training import scheme_of
from spanrs.crowd.corpus import CrowdCorpus, is_missing
from spanrs.crowd.documents import Project
from spanrs.crowd.projects import (
    Identified,
    ProjectDocument,
    answer_of,
    identified,
    shown_sources,
    was_seen,
)
from spanrs.errors import AlignmentError, FormatError, ModelError, SchemeError, warn, with_code
from spanrs.io import Annotation, Corpus
from spanrs.io.documents import plain_document
from spanrs.io.training import tagged

if TYPE_CHECKING:
    from spanrs.io.parts import Part


def documents_with_known(project: Project, gold: Corpus) -> Project:
    """Return a project with the true annotations of the documents that occur in gold.

    A gold document is paired with the document that has its id or name and its text, otherwise with all documents that
    have its text; documents are never paired by order. White space is ignored in the comparison of texts. A gold
    document without annotations means that nothing is to be annotated; skipped and rejected documents are ignored.

    Parameters
    ----------
    project : Project
        The documents.
    gold : Corpus
        Documents of any format, or sentences, which are joined to documents; a subset of the documents suffices.

    Raises
    ------
    spanrs.errors.AlignmentError
        If no document is paired, the text of a gold document differs from that of the document with the same id, or
        a document has two different true annotations.
    """
    pairing = _Pairing(project.documents)
    shown = shown_sources(gold.parts)
    known: dict[int, Sequence[Annotation]] = {}
    unpaired = []
    number = 0
    for item in identified(gold):
        if not was_seen(item.document):
            continue
        number += 1
        places = pairing.find(item)
        if not places:
            unpaired.append(_label(item))
        for at in places:
            annotations = _moved(item, project.documents[at].document.text)
            if at in known and sorted(map(_key, known[at])) != sorted(map(_key, annotations)):
                message = (
                    f"{item.part.shown}: document {project.documents[at].label} has two different true annotations; "
                    "keep one of them"
                )
                raise with_code(AlignmentError(message), "documents", item.part.path)
            known[at] = annotations
    if not known:
        message = (
            f"{shown}: no document of {project.shown} is among the {number} known documents: neither ids nor texts are "
            "equal"
        )
        raise with_code(AlignmentError(message), "documents", gold.parts[0].path)
    if unpaired:
        warn(
            [
                f"{shown}: {len(unpaired)} of {number} known documents are not in {project.shown}, the first: "
                f"{unpaired[0]}"
            ]
        )
    used = {a.type for text in project.documents for answer in text.answers.values() for a in answer}
    unused = sorted({a.type for annotations in known.values() for a in annotations} - used)
    if unused:
        warn([f"{shown}: types of known annotations that no annotator used: {', '.join(unused)}"])
    documents = [
        replace(text, known=known[at]) if at in known else text for at, text in enumerate(project.documents)
    ]
    return replace(project, documents=documents)


def _key(annotation: Annotation) -> tuple[Any, ...]:
    return annotation.type, annotation.start, annotation.end, tuple(map(tuple, annotation.pieces))


def _label(item: Identified) -> str:
    """Return the name of a gold document for users."""
    return item.document.name or item.id or repr(item.document.text[:40])


def _squeezed(text: str) -> str:
    """Return a text without white space."""
    return "".join(text.split())


class _Pairing:
    """Finds the documents of a project by id or name, and by text."""

    def __init__(self, documents: Sequence[ProjectDocument]) -> None:
        self._documents = documents
        self._named: defaultdict[str, list[int]] = defaultdict(list)
        self._texts: defaultdict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(documents):
            for name in dict.fromkeys((text.document.id, text.document.name)):
                if name is not None:
                    self._named[name].append(at)
            self._texts[_squeezed(text.document.text)].append(at)

    def find(self, item: Identified) -> list[int]:
        """Return the indices of the documents paired with a gold document.

        Raises
        ------
        spanrs.errors.AlignmentError
            If only the id or name of a document is equal.
        """
        document, path = item.document, item.part.path
        same_text = self._texts.get(_squeezed(document.text), [])
        names = [name for name in (document.id, document.name) if name is not None]
        found = [at for name in names for at in self._named.get(name, ())]
        both = sorted({at for at in found if at in same_text})
        if both or same_text:
            return both or same_text
        if found:
            message = (
                f"{item.part.shown}: document {_label(item)}: its text differs from the text of "
                f"{self._documents[found[0]].label} in {self._documents[found[0]].part.shown}; known documents must "
                "have the same text"
            )
            raise with_code(AlignmentError(message), "texts_differ", path)
        return []


def _moved(item: Identified, text: str) -> list[Annotation]:
    """Return the annotations of a gold document at offsets of a text that differs in white space only."""
    annotations = answer_of(item.document, None)
    source = plain_document(item.document).text
    if source == text:
        return annotations
    before = list(accumulate((not mark.isspace() for mark in source), initial=0))
    targets = [at for at, mark in enumerate(text) if not mark.isspace()]

    def moved(start: int, end: int) -> tuple[int, int] | None:
        first, stop = before[start], before[end]
        return (targets[first], targets[stop - 1] + 1) if first < stop else None

    result = []
    for annotation in annotations:
        bounds = moved(annotation.start, annotation.end)
        pieces = [moved(*piece) for piece in annotation.pieces]
        if bounds is not None:
            kept = [piece for piece in pieces if piece is not None]
            result.append(annotation._replace(start=bounds[0], end=bounds[1], pieces=kept))
    return result


def documents_with_known_annotator(project: Project, name: str) -> Project:
    """Return a project in which the answers of an annotator are the true annotations."""
    if not any(name in text.answers for text in project.documents):
        raise _no_annotator(name, project.annotators)
    documents = []
    for text in project.documents:
        answers = dict(text.answers)
        known = answers.pop(name, text.known)
        documents.append(replace(text, answers=answers, known=known))
    annotators = [other for other in project.annotators if other != name]
    return replace(project, documents=documents, annotators=annotators)


def _no_annotator(name: str, names: Sequence[str]) -> FormatError:
    message = f"no annotator {name} with known answers; the annotators are {', '.join(names)}"
    return with_code(FormatError(message), "annotators")


def sentences_with_known_annotator(corpus: CrowdCorpus, name: str) -> CrowdCorpus:
    """Return a corpus in which the labels of an annotator are the true labels."""
    if name not in corpus.annotators:
        raise _no_annotator(name, corpus.annotators)
    known = {at: row for at, row in enumerate(corpus.labels_by(name)) if row is not None}
    number = corpus.annotators.index(name)
    kept = [
        annotation._replace(annotator=annotation.annotator - (annotation.annotator > number))
        for annotation in corpus.annotations
        if annotation.annotator != number
    ]
    annotators = [other for other in corpus.annotators if other != name]
    return corpus.replaced(annotations=kept, annotators=annotators).with_known(known)


def sentences_with_known(corpus: CrowdCorpus, gold: Corpus, missing: str) -> CrowdCorpus:
    """Return a corpus with the true labels of the sentences that occur in gold.

    If gold has all sentences of the corpus in the same order, sentences are paired by order, otherwise by their tokens.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    gold : Corpus
        Sentences with one layer of labels.
    missing : str
        Label of all tokens of a sentence whose true labels are unknown.

    Raises
    ------
    spanrs.errors.AlignmentError
        If no sentence is paired, or a sentence that occurs several times in gold has different labels.
    spanrs.errors.ModelError
        If only a part of a sentence is labelled.
    spanrs.errors.SchemeError
        If only one side has tags.
    """
    part = gold.parts[0]
    found_tokens, found_labels = tagged(gold)
    rows = [list(map(str, row)) for row in found_tokens]
    labels = [_labels(row, at, part, missing) for at, row in enumerate(found_labels)]
    sentences = [list(map(str, row)) for row in corpus.sentences]
    if rows == sentences:
        known = {at: row for at, row in enumerate(labels) if row is not None}
    else:
        known = _by_tokens(sentences, rows, labels, part)
    if not known:
        message = f"{part.shown}: no sentence of the annotations is among the known sentences"
        raise with_code(AlignmentError(message), "tokens", part.path)
    return corpus.with_known(_in_scheme(known, corpus, part))


def _labels(row: Sequence[str], at: int, part: Part, missing: str) -> list[str] | None:
    """Return the labels of a gold sentence; None if they are unknown."""
    gaps = [is_missing(label, missing) for label in row]
    if all(gaps):
        return None
    if any(gaps):
        message = f"{part.shown}: sentence {at}: only a part of the sentence is labelled; label all tokens or none"
        raise with_code(ModelError(message), "partial", part.path)
    return list(row)


def _by_tokens(
    sentences: Sequence[list[str]],
    rows: Sequence[list[str]],
    labels: Sequence[list[str] | None],
    part: Part,
) -> dict[int, list[str]]:
    """Pair sentences by their tokens; warn about gold sentences that do not occur."""
    of_tokens: dict[tuple[str, ...], tuple[int, list[str]]] = {}
    for at, (row, given) in enumerate(zip(rows, labels, strict=True)):
        if given is None:
            continue
        first, other = of_tokens.setdefault(tuple(row), (at, given))
        if other != given:
            message = (
                f"{part.shown}: sentences {first} and {at} have the same tokens and different labels, and known "
                "sentences are paired by their tokens; keep all sentences of the annotations, with "
                "? as the label of unknown sentences"
            )
            raise with_code(AlignmentError(message), "tokens", part.path)
    existing = {tuple(row) for row in sentences}
    absent = [at for row, (at, _) in of_tokens.items() if row not in existing]
    if absent and len(absent) < len(of_tokens):
        warn(
            [
                f"{part.shown}: {len(absent)} of {len(of_tokens)} known sentences are not among the annotated "
                f"sentences, the first: sentence {absent[0]}"
            ]
        )
    return {at: of_tokens[tuple(row)][1] for at, row in enumerate(sentences) if tuple(row) in of_tokens}


def _in_scheme(known: Mapping[int, list[str]], corpus: CrowdCorpus, part: Part) -> dict[int, list[str]]:
    """Convert known labels to the scheme of the annotations."""
    rows = list(known.values())
    names = sorted({label for row in rows for label in row})
    if names == ["O"]:
        return dict(known)
    theirs, given = corpus.scheme(), scheme_of(names, rows)
    if given == theirs or (theirs is not None and _is_legal(rows, theirs)):
        return dict(known)
    if given is None or theirs is None:
        true = "not tags of a scheme" if given is None else f"tags of {given}"
        labels = "not tags of a scheme" if theirs is None else f"tags of {theirs}"
        message = (
            f"{part.shown}: the known labels are {true}, but the labels of the annotators are {labels}"
        )
        raise with_code(SchemeError(message), "unknown_tag", part.path)
    return dict(zip(known, tags.convert(rows, given, theirs), strict=True))


def _is_legal(rows: list[list[str]], scheme: str) -> bool:
    """Return whether all labels are tags of a scheme, without violations; few labels may follow several schemes."""
    try:
        return not any(tags.validate(rows, scheme))
    except SchemeError:
        return False
