"""Conversion between dependency trees and spaCy documents.

spaCy is imported only to create documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from spanrs.dep import Parse

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

__all__ = ["from_doc", "to_doc"]


def from_doc(doc: Doc) -> Iterator[Parse]:
    """Return the sentences of a document with their tags and trees.

    Parameters
    ----------
    doc : Doc
        A document; without sentence boundaries the document is one sentence. White-space tokens are removed, and their
        dependents are attached to the head of the removed token.

    Examples
    --------
    >>> import spacy
    >>> from spanrs.integrations.spacy_trees import from_doc, to_doc
    >>> from spanrs.dep import Parse
    >>> parse = Parse(["They", "ate"], [2, 0], ["nsubj", "root"], xpos=["PRP", "VBD"], upos=["PRON", "VERB"])
    >>> doc = to_doc([parse], spacy.blank("en").vocab)
    >>> list(from_doc(doc)) == [parse]
    True
    """
    has_trees = doc.has_annotation("DEP")
    for sentence in doc.sents if doc.has_annotation("SENT_START") else [doc[:]]:
        tokens = [token for token in sentence if not token.is_space]
        if not tokens:
            continue
        place = {token.i: at for at, token in enumerate(tokens, 1)}
        heads = []
        for token in tokens if has_trees else ():
            head = token.head
            while head.is_space and head.head.i != head.i:
                head = head.head
            heads.append(0 if head.i == token.i else place.get(head.i, 0))
        labels = ["root" if token.dep_ == "ROOT" else token.dep_ for token in tokens] if has_trees else []
        xpos, upos = [token.tag_ for token in tokens], [token.pos_ for token in tokens]
        yield Parse(
            [token.text for token in tokens],
            np.array(heads, np.int32),
            labels,
            xpos if any(xpos) else [],
            upos if any(upos) else [],
        )


def to_doc(parses: Iterable[Parse], vocab: Vocab) -> Doc:
    """Create a document from sentences; words are separated by spaces.

    Parameters
    ----------
    parses : iterable of Parse
        Sentences, with or without tags and trees.
    vocab : Vocab
        Vocabulary of a pipeline, for example ``nlp.vocab``.
    """
    from spacy.tokens import Doc

    sentences = [parse for parse in parses if len(parse)]
    words: list[str] = []
    heads: list[int] = []
    starts: list[bool] = []
    for parse in sentences:
        start = len(words)
        words += parse.words
        # In spaCy a root is its own head.
        heads += [start + (at if not head else int(head) - 1) for at, head in enumerate(parse.heads)]
        starts += [at == 0 for at in range(len(parse))]
    columns: dict[str, list[str] | list[int] | list[bool]] = {}
    for name, attribute in (("tags", "xpos"), ("pos", "upos")):
        if all(len(getattr(parse, attribute)) for parse in sentences):
            columns[name] = [tag for parse in sentences for tag in getattr(parse, attribute)]
    if sentences and all(len(parse.heads) for parse in sentences):
        columns["heads"] = heads
        columns["deps"] = [
            ("ROOT" if label == "root" else label) or "dep"
            for parse in sentences
            for label in (parse.labels or ["root" if not head else "dep" for head in parse.heads])
        ]
    else:
        columns["sent_starts"] = starts
    return Doc(vocab, words=words, **columns)  # type: ignore[arg-type]
