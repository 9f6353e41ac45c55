"""Annotations of a project, passed to the compiled measures of agreement."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.crowd.documents import project_document
from spanrs.crowd.reading import crowd_corpus, shared_texts
from spanrs.errors import SpanrsWarning
from spanrs.io import Document
from spanrs.io.documents import of_memory
from spanrs.io.texts import tokens_of_lines

if TYPE_CHECKING:
    from spanrs.crowd.corpus import CrowdCorpus
    from spanrs.crowd.gamma import GammaOptions
    from spanrs.crowd.projects import ProjectDocument, SharedText
    from spanrs.io.texts import Tokenizer

#: Positions of kappa and alpha.
POSITIONS = ("tokens", "characters")


class Project:
    """Documents with answers of annotators, in compiled form.

    Attributes
    ----------
    compiled : AgreementProject
        Statistics of the documents.
    labels : list of str
        Name of each document for users.
    positions : str
        ``tokens`` or ``characters``.
    gamma : GammaOptions or None
        Options of gamma, if it is requested; the units of all documents are then kept.
    has_spans : bool
        Whether annotations are spans, as opposed to labels that are not tags.
    sorts_annotators : bool
        Whether annotators are shown by name, because their order in an export has no meaning.
    """

    def __init__(self, annotators: Iterable[str], positions: str, gamma: GammaOptions | None) -> None:
        self.compiled = _spanrs.AgreementProject(gamma is not None)
        self.gamma = gamma
        self._numbers = {name: at for at, name in enumerate(annotators)}
        self.labels: list[str] = []
        self.positions = positions
        self.has_spans = True
        self.sorts_annotators = False

    @property
    def annotators(self) -> list[str]:
        """Names of annotators, by the numbers in ``compiled``."""
        return list(self._numbers)

    def number(self, annotator: str) -> int:
        """Return the number of an annotator."""
        return self._numbers.setdefault(annotator, len(self._numbers))

    def add_texts(self, texts: Iterable[SharedText], tokenizer: Tokenizer | None) -> None:
        """Add text documents."""
        for text in texts:
            content = text.document.text
            if any(document.text != content for document, _ in text.answers.values()):
                self.add_documents([project_document(text, tokenizer)], tokenizer)
                continue
            answers = [
                (self.number(name), document, layer) for name, (document, layer) in text.answers.items()
            ]
            tokens: bool | list[tuple[int, int]] = self.positions == "tokens"
            if tokens and tokenizer is not None:
                tokens = list(tokenizer(content))
            self.compiled.add_document(text.document, tokens, answers)
            shown = text.document.name or text.document.id
            self.labels.append(repr(content[:40]) if shown is None else shown)

    def add_documents(self, documents: Iterable[ProjectDocument], tokenizer: Tokenizer | None) -> None:
        """Add documents in memory."""
        for project in documents:
            document = project.document
            tokens: bool | list[tuple[int, int]] = False
            if self.positions == "tokens":
                lines = tokens_of_lines(document, tokenizer)
                tokens = list(itertools.chain.from_iterable(lines))
            marked = [Document(document.text, annotations) for annotations in project.answers.values()]
            [shared, *compiled] = of_memory([document, *marked])
            answers = [
                (self.number(name), answer, None)
                for name, answer in zip(project.answers, compiled, strict=True)
            ]
            self.compiled.add_document(shared, tokens, answers)
            self.labels.append(project.label)

    def add_sentences(self, corpus: CrowdCorpus) -> None:
        """Add sentences with labels; spans are those of the tags."""
        from spanrs import tags

        scheme = corpus.scheme()
        self.has_spans = scheme is not None
        named = [[corpus.labels[label] for label in annotation.labels] for annotation in corpus.annotations]
        answers: list[list[tuple[int, Any]]] = [[] for _ in range(len(corpus))]
        if scheme is None:
            for annotation, labels in zip(corpus.annotations, named, strict=True):
                answers[annotation.sentence].append((annotation.annotator, labels))
        elif named:
            with warnings.catch_warnings():
                # Tags may be illegal.
                warnings.simplefilter("ignore", SpanrsWarning)
                spans = tags.tags_to_spans(named, scheme)
            for annotation, marked in zip(corpus.annotations, spans, strict=True):
                tuples = [(span.type, span.start, span.end, ()) for span in marked]
                answers[annotation.sentence].append((annotation.annotator, tuples))
        add = self.compiled.add_labels if scheme is None else self.compiled.add_spans
        for at, (length, given) in enumerate(zip(corpus.lengths, answers, strict=True)):
            add(length, given)
            self.labels.append(f"sentence {at}")


def read_project(
    source: Any, annotators: Sequence[str] | None, positions: str, gamma: GammaOptions | None
) -> Project:
    """Read the annotations of a project; texts are not kept in memory.

    Raises
    ------
    ValueError
        If positions are characters, and the source has tokens instead of text.
    """
    shared = shared_texts(source, annotators)
    if shared is not None:
        texts, tokenizer = shared
        project = Project(annotators or (), positions, gamma)
        project.sorts_annotators = annotators is None and not isinstance(source, (list, tuple, Mapping))
        project.add_texts(texts, tokenizer)
        return project
    corpus = crowd_corpus(source, annotators=annotators)
    project = Project(corpus.annotators, positions, gamma)
    if corpus.texts is not None:
        project.add_documents(corpus.texts, None)
        return project
    if positions == "characters":
        raise ValueError("positions='characters' needs documents of text; this source has tokens")
    project.add_sentences(corpus)
    return project
