"""Crowd annotations of text documents."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from spanrs.crowd.corpus import CrowdCorpus
from spanrs.crowd.projects import (
    Place,
    ProjectDocument,
    SharedText,
    answer_of,
    shown_sources,
    without_annotations,
)
from spanrs.errors import AlignmentError, warn, with_code
from spanrs.io import Annotation, Document
from spanrs.io.document import TOKEN
from spanrs.io.documents import plain_document
from spanrs.io.losses import Losses
from spanrs.io.sentence import LAYER
from spanrs.io.texts import Tokenizer, sentences_of_document, tokens_of_lines
from spanrs.io.write_sentences import flat
from spanrs.tags import spans_to_tags


def project_document(text: SharedText, tokenizer: Tokenizer | None = None) -> ProjectDocument:
    """Return a text with the annotations of each annotator, at offsets of the first annotator's text.

    Texts of annotators may differ in white space only.

    Raises
    ------
    spanrs.errors.AlignmentError
        If the tokens of a document differ between annotators.
    """
    document = without_annotations(plain_document(text.document))
    answers: dict[str, Sequence[Annotation]] = {}
    for name, (other, layer) in text.answers.items():
        answer = answer_of(other, layer)
        if other.text != document.text:
            answer = _moved(answer, plain_document(other), document, tokenizer, (name, text))
        answers[name] = answer
    has_relations = any(other.has_relations for other, _ in text.answers.values())
    return ProjectDocument(document, answers, text.part, text.not_answered, has_relations=has_relations)


def _moved(
    annotations: Sequence[Annotation],
    document: Document,
    other: Document,
    tokenizer: Tokenizer | None,
    where: tuple[str, SharedText],
) -> list[Annotation]:
    """Move annotations of one document to the same tokens of another document."""
    offsets, targets = (_tokens(text, tokenizer) for text in (document, other))
    words, other_words = (
        [text.text[start:end] for start, end in tokens]
        for text, tokens in ((document, offsets), (other, targets))
    )
    if words != other_words:
        name, shared = where
        shown = other.id if other.id is not None else repr(other.text[:40])
        first = next(iter(shared.answers))
        message = (
            f"{shared.part.shown}: document {shown}: the tokens of {name} differ from those of {first}; pass a "
            "separate file or directory for each annotator, with the same texts and the same tokens"
        )
        raise with_code(AlignmentError(message), "tokens", shared.part.path)
    starts, ends = [start for start, _ in offsets], [end for _, end in offsets]
    moved = []
    for annotation in annotations:
        pieces = []
        for begin, stop in annotation.pieces or [(annotation.start, annotation.end)]:
            first_token, last_token = bisect_right(ends, begin), bisect_left(starts, stop)
            if first_token < last_token:
                pieces.append((targets[first_token][0], targets[last_token - 1][1]))
        if pieces:
            holes = pieces if len(pieces) > 1 else ()
            moved.append(annotation._replace(start=pieces[0][0], end=pieces[-1][1], pieces=holes))
    return moved


def _tokens(document: Document, tokenizer: Tokenizer | None) -> list[tuple[int, int]]:
    return [token for line in tokens_of_lines(document, tokenizer) for token in line]


@dataclass(frozen=True)
class Project:
    """Documents with the annotations of several annotators.

    Attributes
    ----------
    documents : list of ProjectDocument
        The documents.
    lines : list of list of sequences of (int, int)
        For each document, the tokens of each line that has tokens: first character, from 0, and one past the last.
    annotators : list of str
        Names of all annotators, in order; may include annotators without documents.
    sources : sequence of str
        Names of the sources if each annotator has one; empty for an export with all annotators.
    """

    documents: list[ProjectDocument]
    lines: list[list[Sequence[tuple[int, int]]]]
    annotators: list[str]
    sources: Sequence[str] = ()

    @property
    def shown(self) -> str:
        """Names of the sources, for messages."""
        return shown_sources(text.part for text in self.documents)

    def __len__(self) -> int:
        """Return the number of sentences."""
        return sum(map(len, self.lines))


def project_of_texts(
    texts: Iterable[SharedText],
    *,
    annotators: Sequence[str] | None = None,
    sources: Sequence[str] = (),
    tokenizer: Tokenizer | None = None,
) -> Project:
    """Return a project: text is split into sentences at line breaks, and into tokens.

    Parameters
    ----------
    texts : iterable of SharedText
        The documents.
    annotators : sequence of str, optional
        Names of all annotators, in order; by default in the order of their first occurrence.
    sources : sequence of str
        Names of the sources if each annotator has one.
    tokenizer : callable, optional
        Function that splits a text into tokens, by default the tokens of the document or
        :func:`spanrs.io.tokenizer.tokenize`.
    """
    documents = [project_document(text, tokenizer) for text in texts]
    lines: list[list[Sequence[tuple[int, int]]]] = [
        [line for line in tokens_of_lines(project.document, tokenizer) if line] for project in documents
    ]
    names = annotators or dict.fromkeys(name for project in documents for name in project.answers)
    return Project(documents, lines, list(names), sources)


def project_of_corpus(corpus: CrowdCorpus) -> Project | None:
    """Return the documents of a corpus; None if it was not read from documents, or has other known labels than they."""
    if corpus.texts is None or corpus.places is None:
        return None
    known = {at for at, place in enumerate(corpus.places) if corpus.texts[place.document].known is not None}
    if known != corpus.known.keys():
        return None
    lines: list[list[Sequence[tuple[int, int]]]] = [[] for _ in corpus.texts]
    for place in corpus.places:
        lines[place.document].append(place.tokens)
    names = set(corpus.annotators)
    documents = [
        replace(text, answers={name: text.answers[name] for name in text.answers if name in names})
        for text in corpus.texts
    ]
    return Project(documents, lines, list(corpus.annotators))


#: Returns the tags of each line of a document, given annotations, the index of the document, and its name for messages.
Tagger: TypeAlias = Callable[[Sequence[Annotation], int, str], list[list[str]]]


def corpus_of_project(project: Project, tags_of: Tagger) -> CrowdCorpus:
    """Return the lines of the documents as sentences with tags."""
    sentences: list[list[str]] = []
    labels: list[dict[str, list[str] | None]] = []
    known: dict[int, list[str]] = {}
    places: list[Place] = []
    for number, (text, lines) in enumerate(zip(project.documents, project.lines, strict=True)):
        shown = f"document {text.label}"
        tags = {
            name: tags_of(answer, number, f"{shown} of {name}") for name, answer in text.answers.items()
        }
        if text.known is not None:
            rows = tags_of(text.known, number, f"{shown}, known annotations")
            known.update(enumerate(rows, start=len(sentences)))
        for at, line in enumerate(lines):
            sentences.append([text.document.text[start:end] for start, end in line])
            labels.append({name: lines_of_tags[at] for name, lines_of_tags in tags.items()})
            places.append(Place(number, line))
    corpus = CrowdCorpus(sentences, labels, annotators=project.annotators, missing=None, known=known)
    corpus.places, corpus.texts = places, project.documents
    return corpus


def join_documents(project: Project) -> CrowdCorpus:
    """Return the lines of the documents as sentences with BIO tags.

    Of overlapping spans, the first to start is kept, and of spans with the same start, the longest; a warning counts
    the others.
    """
    losses = Losses()

    def tags_of(annotations: Sequence[Annotation], number: int, place: str) -> list[list[str]]:
        return _tags(annotations, project.documents[number].document, project.lines[number], losses, place)

    corpus = corpus_of_project(project, tags_of)
    warn(f"{project.shown}: skipped: {message}" for message in losses.messages())
    return corpus


def _tags(
    annotations: Sequence[Annotation],
    document: Document,
    lines: Sequence[Sequence[tuple[int, int]]],
    losses: Losses,
    place: str,
) -> list[list[str]]:
    """Return the tags of each line."""
    tokens = [Annotation(TOKEN, start, end) for line in lines for start, end in line]
    answer = Document(document.text, [*tokens, *annotations], document.id)
    return [
        spans_to_tags(flat(sentence.spans[LAYER], losses, place), len(sentence))
        for sentence in sentences_of_document(answer, losses=losses)
    ]
