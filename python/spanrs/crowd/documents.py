"""Crowd annotations of text documents."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from spanrs.crowd.corpus import CrowdCorpus
from spanrs.crowd.projects import (
    Place,
    ProjectDocument,
    SharedText,
    answer_of,
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
    return ProjectDocument(document, answers, text.part)


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


def join_documents(
    documents: Iterable[ProjectDocument],
    *,
    annotators: Sequence[str] | None = None,
    tokenizer: Tokenizer | None = None,
) -> CrowdCorpus:
    """Return the annotations of text documents by several annotators as sentences with tags.

    Text is split into sentences at line breaks, and spans become BIO tags; of overlapping spans, the first to start is
    kept, and of spans with the same start, the longest.

    Parameters
    ----------
    documents : iterable of ProjectDocument
        The documents.
    annotators : sequence of str, optional
        Names of all annotators, in order.
    tokenizer : callable, optional
        Function that splits a text into tokens, by default the tokens of the document or
        :func:`spanrs.io.tokenizer.tokenize`.
    """
    sentences: list[list[str]] = []
    labels: list[dict[str, list[str] | None]] = []
    places: list[Place] = []
    texts: list[ProjectDocument] = []
    losses = Losses()
    for number, project in enumerate(documents):
        document = project.document
        lines = [line for line in tokens_of_lines(document, tokenizer) if line]
        shown = document.id if document.id is not None else repr(document.text[:40])
        tags = {
            name: _tags(answer, document, lines, losses, f"document {shown} of {name}")
            for name, answer in project.answers.items()
        }
        for at, line in enumerate(lines):
            sentences.append([document.text[start:end] for start, end in line])
            labels.append({name: lines_of_tags[at] for name, lines_of_tags in tags.items()})
            places.append(Place(number, line))
        texts.append(project)
    shown = ", ".join(dict.fromkeys(text.part.shown for text in texts))
    warn(f"{shown}: skipped: {message}" for message in losses.messages())
    corpus = CrowdCorpus(sentences, labels, annotators=annotators, missing=None)
    corpus.places, corpus.texts = places, texts
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
