"""Extracts the tokens and tags of a corpus for training."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

from spanrs import _spanrs
from spanrs.errors import FormatError, warn, with_code
from spanrs.io.corpus import Corpus
from spanrs.io.document import Document
from spanrs.io.losses import Losses
from spanrs.io.reader import read
from spanrs.io.sentence import LAYER
from spanrs.io.tables import is_table
from spanrs.io.write_sentences import Tags


class Tagged(NamedTuple):
    """Sentences of tokens with tags."""

    tokens: Any
    """The tokens of each sentence."""
    tags: list[list[str]]
    """The tags of each sentence."""


def is_corpus(source: object) -> bool:
    """Return whether a value is a corpus or a source for :func:`spanrs.read`, as opposed to sequences in memory."""
    if isinstance(source, (Corpus, str, PathLike, Document, _spanrs.Source)):
        return True
    if isinstance(source, (list, tuple)):
        return bool(source) and isinstance(source[0], (PathLike, Document))
    return hasattr(source, "read") or is_table(source)


def tagged(source: Any) -> Tagged:
    """Return the tokens and tags of a corpus.

    Parameters
    ----------
    source : Corpus, or any source accepted by :func:`spanrs.read`
        A source with one layer. Spans are converted to BIO tags; of spans that share tokens, only the span that
        starts first (the longest of several) is kept, with a warning.

    Raises
    ------
    spanrs.errors.FormatError
        If there are several layers, no tokens, or no sentences.
    OSError, spanrs.errors.SpanrsError
        Same as :func:`spanrs.read`.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.io.training import tagged
    >>> tagged(spanrs.Document("Bob ate", [spanrs.io.Annotation("PER", 0, 3)]))
    Tagged(tokens=[['Bob', 'ate']], tags=[['B-PER', 'O']])
    """
    corpus = source if isinstance(source, Corpus) else read(source)
    part = corpus.parts[0]
    layers = [LAYER] if part.kind == "documents" else corpus.layers
    if len(layers) > 1:
        message = f"{part.shown} has several layers: {', '.join(layers)}; choose one: corpus[{layers[0]!r}]"
        raise with_code(FormatError(message), "layers", part.path)
    if len(corpus.parts) == 1 and part.kind == "rows":
        columns = corpus.options.columns(corpus.options.layers()[0])
        sentences = _spanrs.CrfSentences(part.opened(keep=True), columns, [], None)
        warn(sentences.facts()[4])
        return Tagged(sentences, sentences.tags())
    losses = Losses()
    tags = Tags(corpus, corpus.scheme if corpus.has_tags else "BIO", losses)
    found_tokens, found_tags = [], []
    for at, sentence in enumerate(corpus):
        place = f"{part.shown}, sentence {at}"
        if sentence.tokens is None:
            message = f"{place} has no tokens to train on; choose the column of tokens with tokens="
            raise with_code(FormatError(message), "no_tokens", part.path)
        found_tokens.append(list(sentence.tokens))
        found_tags.append(tags.of(sentence, sentence.layers[0], place))
    if not found_tokens:
        raise with_code(
            FormatError(f"{part.shown}: there are no sentences to train on"), "no_tokens", part.path
        )
    warn(f"{part.shown}: skipped: {message}" for message in losses.messages())
    return Tagged(found_tokens, found_tags)
