"""Annotations of documents of text that several annotators made."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from spanrs.crowd.corpus import CrowdCorpus
from spanrs.errors import AlignmentError, warn, with_code
from spanrs.io import Corpus, Document
from spanrs.io.losses import Losses
from spanrs.io.sentence import LAYER
from spanrs.io.texts import sentences_of_document
from spanrs.io.write_sentences import flat
from spanrs.tags import Span, spans_to_tags

#: A document with its id, qualified by the name of its file where an annotator has several files.
_Identified: TypeAlias = tuple[str | None, Document]


def join_documents(sources: Mapping[str, Corpus]) -> CrowdCorpus:
    """Return the annotations of the documents of several annotators.

    Documents are paired by id; where ids are missing or number other texts, by text, and if no text is shared, by
    order. Documents that an annotator lacks are those that he did not annotate. Text is cut at line breaks into
    sentences; spans are written as tags in BIO, of spans that share tokens the first and longest.

    Parameters
    ----------
    sources : mapping of str to Corpus
        The documents by the name of the annotator.

    Raises
    ------
    spanrs.errors.AlignmentError
        Where annotators have other tokens for one document.
    """
    documents = [_identified(corpus) for corpus in sources.values()]
    sentences: list[list[str]] = []
    labels: list[dict[str, list[str] | None]] = []
    places: dict[Hashable, tuple[str, range]] = {}
    losses = Losses()
    for (name, corpus), keys, own in zip(sources.items(), _keys(documents), documents, strict=True):
        for key, (id_, document) in zip(keys, own, strict=True):
            shown = repr(document.text[:40]) if id_ is None else id_
            cut = [
                (list(sentence.tokens or ()), sentence.spans[LAYER])
                for sentence in sentences_of_document(document, corpus.options.tokenizer, losses=losses)
            ]
            if key not in places:
                places[key] = name, range(len(sentences), len(sentences) + len(cut))
                sentences += [tokens for tokens, _ in cut]
                labels += [{} for _ in cut]
            first, numbers = places[key]
            if [tokens for tokens, _ in cut] != [sentences[at] for at in numbers]:
                path = corpus.parts[0].shown
                message = (
                    f"{path}: document {shown}: the tokens of {name} differ from those of {first}; annotators have "
                    "the same texts, cut into the same tokens, each in a file or directory of their own"
                )
                raise with_code(AlignmentError(message), "tokens", path)
            for at, (tokens, spans) in zip(numbers, cut, strict=True):
                labels[at][name] = _tags(spans, len(tokens), losses, f"document {shown} of {name}")
    paths = ", ".join(dict.fromkeys(corpus.parts[0].shown for corpus in sources.values()))
    warn(f"{paths}: left out: {message}" for message in losses.messages())
    return CrowdCorpus(sentences, labels, annotators=list(sources), missing=None)


def _tags(spans: Sequence[Span], length: int, losses: Losses, place: str) -> list[str]:
    return spans_to_tags(flat(spans, losses, place), length)


def _identified(corpus: Corpus) -> list[_Identified]:
    """Return the documents of a corpus with their ids."""
    if len(corpus.parts) == 1:
        return [(document.id, document) for document in corpus.documents]
    found: list[_Identified] = []
    for part in corpus.parts:
        stem = os.path.splitext(part.name)[0]
        for document in replace(corpus, parts=(part,)).documents:
            found.append((stem if document.id is None else f"{stem} {document.id}", document))
    return found


def _keys(sources: Sequence[Sequence[_Identified]]) -> list[list[Hashable]]:
    """Return a key for each document, equal for the same document of several annotators."""
    ids: list[list[Hashable]] = [[id_ for id_, _ in own] for own in sources]
    texts: list[list[Hashable]] = [_numbered(document.text for _, document in own) for own in sources]
    by_text = Counter(key for own in texts for key in own)
    # An annotator whose ids nobody else has is in a format with other ids.
    number = Counter(key for own in ids for key in set(own))
    are_unique = all(None not in own and len(set(own)) == len(own) for own in ids)
    if are_unique and all(any(number[key] > 1 for key in own) for own in ids):
        # Ids may be record numbers of each export, so that one id occurs with several texts.
        of_id: dict[Hashable, set[str]] = {}
        for id_, document in (one for own in sources for one in own):
            of_id.setdefault(id_, set()).add(document.text)
        unclear = [
            by_text[key]
            for own, keys in zip(ids, texts, strict=True)
            for id_, key in zip(own, keys, strict=True)
            if len(of_id[id_]) > 1
        ]
        if not unclear or 1 in unclear:
            return ids
    if set(by_text.values()) == {1} and len({len(own) for own in sources}) == 1:
        return [list(range(len(own))) for own in sources]
    return texts


def _numbered(texts: Iterable[str]) -> list[Hashable]:
    """Return texts with the number of times they occurred before; a text that is there twice is two documents."""
    seen: Counter[str] = Counter()
    found: list[Hashable] = []
    for text in texts:
        found.append((text, seen[text]))
        seen[text] += 1
    return found
