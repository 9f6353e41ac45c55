"""Annotations of text documents by several annotators."""

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

#: A document with its id, prefixed with the file name if an annotator has several files.
_Identified: TypeAlias = tuple[str | None, Document]


def join_documents(sources: Mapping[str, Corpus]) -> CrowdCorpus:
    """Return the annotations of text documents by several annotators.

    Documents are paired by id; if ids are missing or inconsistent, by text, and if no text is shared, by order. Not
    every annotator needs to have every document. Text is split into sentences at line breaks; spans become BIO tags,
    and of overlapping spans the first and longest is kept.

    Parameters
    ----------
    sources : mapping of str to Corpus
        The documents of each annotator, by name.

    Raises
    ------
    spanrs.errors.AlignmentError
        If the tokens of a document differ between annotators.
    """
    documents = [_identified(corpus) for corpus in sources.values()]
    sentences: list[list[str]] = []
    labels: list[dict[str, list[str] | None]] = []
    places: dict[Hashable, tuple[str, range]] = {}
    losses = Losses()
    for (name, corpus), keys, pairs in zip(sources.items(), _keys(documents), documents, strict=True):
        for key, (id_, document) in zip(keys, pairs, strict=True):
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
                    f"{path}: document {shown}: the tokens of {name} differ from those of {first}; pass a separate "
                    "file or directory for each annotator, with the same texts and the same tokens"
                )
                raise with_code(AlignmentError(message), "tokens", path)
            for at, (tokens, spans) in zip(numbers, cut, strict=True):
                labels[at][name] = _tags(spans, len(tokens), losses, f"document {shown} of {name}")
    paths = ", ".join(dict.fromkeys(corpus.parts[0].shown for corpus in sources.values()))
    warn(f"{paths}: skipped: {message}" for message in losses.messages())
    return CrowdCorpus(sentences, labels, annotators=list(sources), missing=None)


def _tags(spans: Sequence[Span], length: int, losses: Losses, place: str) -> list[str]:
    return spans_to_tags(flat(spans, losses, place), length)


def _identified(corpus: Corpus) -> list[_Identified]:
    """Return the documents of a corpus with their ids."""
    if len(corpus.parts) == 1:
        return [(document.id, document) for document in corpus.documents]
    identified: list[_Identified] = []
    for part in corpus.parts:
        stem = os.path.splitext(part.name)[0]
        for document in replace(corpus, parts=(part,)).documents:
            identified.append((stem if document.id is None else f"{stem} {document.id}", document))
    return identified


def _keys(sources: Sequence[Sequence[_Identified]]) -> list[list[Hashable]]:
    """Return a key for each document, equal for the same document of several annotators."""
    ids: list[list[Hashable]] = [[id_ for id_, _ in source] for source in sources]
    texts: list[list[Hashable]] = [_numbered(document.text for _, document in source) for source in sources]
    by_text = Counter(key for keys in texts for key in keys)
    # Ids that only one annotator has may be ids of another format.
    number = Counter(key for keys in ids for key in set(keys))
    are_unique = all(None not in keys and len(set(keys)) == len(keys) for keys in ids)
    if are_unique and all(any(number[key] > 1 for key in keys) for keys in ids):
        # Ids may be the record numbers of each export, in which case one id occurs with several texts.
        of_id: dict[Hashable, set[str]] = {}
        for id_, document in (pair for source in sources for pair in source):
            of_id.setdefault(id_, set()).add(document.text)
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
    return texts


def _numbered(texts: Iterable[str]) -> list[Hashable]:
    """Return each text with the number of its previous occurrences; repeated texts are separate documents."""
    seen: Counter[str] = Counter()
    numbered: list[Hashable] = []
    for text in texts:
        numbered.append((text, seen[text]))
        seen[text] += 1
    return numbered
