"""Texts of a corpus to which answers belong: documents, or the sentences of column files and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, Self

from spanrs.io.document import Document
from spanrs.io.parts import Part
from spanrs.io.sentence import Sentence
from spanrs.io.texts import documents_of_sentences

#: Key of the metadata of a document that has the types and strings of its mentions without a place in the text.
UNPLACED = "ungrounded"


class TextCorpus(Protocol):
    """The part of :class:`spanrs.Corpus` that this module uses; importing the class would be circular."""

    @property
    def parts(self) -> Sequence[Part]:
        """The files."""

    @property
    def documents(self) -> Iterator[Document]:
        """The documents."""

    @property
    def has_tags(self) -> bool:
        """Whether there are tags in a scheme."""

    def __iter__(self) -> Iterator[Sentence]: ...

    def decided(self) -> Self:
        """Return the corpus with its scheme."""


class TextUnit(NamedTuple):
    """A text with its annotations."""

    document: Document
    """The text, without tokens; its id is unique in the corpus, or None."""
    group: str
    """Key of the document to which the text belongs."""


@dataclass
class UnitFacts:
    """What is known of the texts of a corpus before they are paired with answers."""

    number: int = 0
    ids: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    """Keys of the texts."""
    has_repeated_ids: bool = False


def text_key(text: str) -> str:
    """Return a text without white space, which differs between texts and joined tokens."""
    return "".join(text.split())


def has_sentences(corpus: TextCorpus) -> bool:
    """Return whether the texts of a corpus can be sentences, as well as documents."""
    return all(part.kind != "documents" for part in corpus.parts)


def text_units(corpus: TextCorpus, *, by_sentence: bool) -> Iterator[TextUnit]:
    """Yield the texts of a corpus.

    Parameters
    ----------
    corpus : TextCorpus
        The corpus.
    by_sentence : bool
        Whether each sentence is a text; only for corpora for which :func:`has_sentences` is true.
    """
    if not by_sentence:
        for at, document in enumerate(corpus.documents):
            content = [a for a in document.annotations if a.is_content]
            is_plain = len(content) == len(document.annotations)
            text = document if is_plain else replace(document, annotations=content)
            yield TextUnit(text, str(at) if document.id is None else document.id)
        return
    decided = corpus.decided() if corpus.has_tags else corpus
    documents = 0
    previous: str | None = None
    for at, sentence in enumerate(decided):
        if at == 0 or sentence.document != previous:
            documents += 1
            previous = sentence.document
        for document in documents_of_sentences([sentence], corpus.parts[0].shown):
            content = [a for a in document.annotations if a.is_content]
            group = str(documents - 1) if sentence.document is None else sentence.document
            yield TextUnit(replace(document, annotations=content, id=sentence.id), group)


def facts_of(corpus: TextCorpus, *, by_sentence: bool) -> UnitFacts:
    """Read a corpus once and return the facts about its texts."""
    facts = UnitFacts()
    for unit in text_units(corpus, by_sentence=by_sentence):
        facts.number += 1
        facts.types.update(a.type for a in unit.document.annotations)
        facts.types.update(ty for ty, _ in unit.document.metadata.get(UNPLACED, ()))
        facts.texts.add(text_key(unit.document.text))
        if unit.document.id is not None:
            facts.has_repeated_ids |= unit.document.id in facts.ids
            facts.ids.add(unit.document.id)
    return facts
