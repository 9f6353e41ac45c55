"""Texts of a corpus with the spans of annotators and of the estimate, at character offsets."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanrs.crowd.marked_span import MarkedSpan
from spanrs.tags import tags_to_spans

if TYPE_CHECKING:
    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus

    #: Corpora with the same sentences, one for each layer of types, and their aggregators.
    Layers = Sequence[tuple[CrowdCorpus, Aggregator]]
    #: For each text: type, first character, one past the last, and confidence of each span.
    #: None for a text without estimate.
    Estimates = Sequence[Iterable[tuple[str, int, int, float]] | None]


@dataclass(slots=True)
class ReviewedText:
    """A document or a sentence, with the spans of annotators and of the estimate."""

    index: int
    label: str
    id: str | None
    name: str | None
    text: str
    tokens: list[tuple[int, int]] = field(default_factory=list)
    """First character of each token and one past the last."""
    confidences: list[float] = field(default_factory=list)
    """Confidence of the label of each token; of several layers, the lowest."""
    answers: dict[str, frozenset[MarkedSpan]] = field(default_factory=dict)
    """The spans of each annotator who saw the text, widened to whole tokens."""
    estimate: dict[MarkedSpan, float] | None = field(default_factory=dict)
    """The spans of the estimate with their confidence; None if there is no estimate."""

    def confidence(self, start: int, end: int) -> float:
        """Return the lowest confidence of the tokens in a range of characters; 1 if there are none."""
        first = bisect_right(self.tokens, start, key=lambda token: token[1])
        stop = bisect_left(self.tokens, end, key=lambda token: token[0])
        return min(self.confidences[first:stop], default=1.0)

    def widen(self, span: MarkedSpan) -> MarkedSpan:
        """Return a span widened to whole tokens, as in the corpus; spans without tokens are unchanged."""
        pieces = [self._widened(*piece) for piece in span.pieces or ((span.start, span.end),)]
        return MarkedSpan(span.type, pieces[0][0], pieces[-1][1], tuple(pieces) if span.pieces else ())

    def _widened(self, start: int, end: int) -> tuple[int, int]:
        first = bisect_right(self.tokens, start, key=lambda token: token[1])
        last = bisect_left(self.tokens, end, key=lambda token: token[0]) - 1
        return (self.tokens[first][0], self.tokens[last][1]) if first <= last else (start, end)


def as_layers(corpus: CrowdCorpus, aggregator: Aggregator | Layers) -> Layers:
    """Return the layers of a corpus: one for a single aggregator."""
    return list(aggregator) if isinstance(aggregator, Sequence) else [(corpus, aggregator)]


def reviewed_texts(
    corpus: CrowdCorpus, layers: Layers, estimates: Estimates | None = None
) -> list[ReviewedText]:
    """Return the texts of a corpus: its documents, or its sentences if there are no documents.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    layers : sequence of (CrowdCorpus, Aggregator)
        Corpora with the same sentences, and the aggregators that were fitted to them. The spans of the estimate are
        those of all layers; the confidence of a span is the lowest confidence of its tokens.
    estimates : sequence of iterables of (type, start, end, confidence), optional
        The spans of the estimate in each document, in place of those of the layers; offsets are characters. They are
        widened to whole tokens, like those of annotators. None for a document without estimate.

    Raises
    ------
    ValueError
        If the number of estimates is not the number of documents.
    """
    texts = _sentences(corpus) if corpus.texts is None else _documents(corpus)
    if estimates is not None and len(estimates) != len(texts):
        message = f"estimates of {len(estimates)} documents, but the corpus has {len(texts)}"
        raise ValueError(message)
    places = _places(corpus, texts)
    for at, (text, tokens) in enumerate(places):
        text.tokens += tokens
        text.confidences += [
            min(map(float, values))
            for values in zip(*(aggregator.confidence_[at] for _, aggregator in layers), strict=True)
        ]
    _add_answers(corpus, layers, texts)
    if estimates is None:
        for layer, aggregator in layers:
            _add_estimate(layer, aggregator, places)
    else:
        for text, spans in zip(texts, estimates, strict=True):
            text.estimate = None if spans is None else _given(text, spans)
    for text in texts:
        if text.estimate is not None:
            text.estimate = _with_pieces(text, text.estimate)
    return texts


def _places(
    corpus: CrowdCorpus, texts: Sequence[ReviewedText]
) -> list[tuple[ReviewedText, Sequence[tuple[int, int]]]]:
    """Return the text of each sentence, and the offsets of its tokens."""
    if corpus.places is not None:
        return [(texts[place.document], place.tokens) for place in corpus.places]
    places: list[tuple[ReviewedText, Sequence[tuple[int, int]]]] = []
    for text, sentence in zip(texts, corpus.sentences, strict=True):
        offsets, start = [], 0
        for token in sentence:
            end = start + len(_word(token))
            offsets.append((start, end))
            start = end + 1
        places.append((text, offsets))
    return places


def _documents(corpus: CrowdCorpus) -> list[ReviewedText]:
    return [
        ReviewedText(at, text.label, text.document.id, text.document.name, text.document.text)
        for at, text in enumerate(corpus.texts or ())
    ]


def _sentences(corpus: CrowdCorpus) -> list[ReviewedText]:
    """Return sentences as texts: the words of their tokens, joined by spaces."""
    return [
        ReviewedText(at, f"sentence {at}", None, None, " ".join(map(_word, sentence)))
        for at, sentence in enumerate(corpus.sentences)
    ]


def _word(token: object) -> str:
    """Return the word of a token, which is the first of its columns."""
    return str(token[0]) if isinstance(token, tuple) and token else str(token)


def _add_answers(corpus: CrowdCorpus, layers: Layers, texts: Sequence[ReviewedText]) -> None:
    """Add the spans of all annotators, in the order of ``corpus.annotators``."""
    order = {name: at for at, name in enumerate(corpus.annotators)}
    if corpus.texts is not None:
        for text, project in zip(texts, corpus.texts, strict=True):
            for name in sorted(project.answers, key=lambda name: order.get(name, len(order))):
                marked = (
                    MarkedSpan(span.type, span.start, span.end, tuple(map(_pair, span.pieces)))
                    for span in project.answers[name]
                )
                text.answers[name] = frozenset(map(text.widen, marked))
        return
    for layer, _ in layers:
        decode = _Decoder(layer)
        for sentence, annotator, ids in layer.annotations:
            text, name = texts[sentence], layer.annotators[annotator]
            spans = decode([layer.labels[label] for label in ids], text.tokens)
            text.answers[name] = text.answers.get(name, frozenset()) | frozenset(spans)


def _pair(piece: Sequence[int]) -> tuple[int, int]:
    return piece[0], piece[1]


def _add_estimate(
    corpus: CrowdCorpus,
    aggregator: Aggregator,
    places: Iterable[tuple[ReviewedText, Sequence[tuple[int, int]]]],
) -> None:
    decode = _Decoder(corpus)
    for (text, tokens), labels, confidences in zip(
        places, aggregator.labels_, aggregator.confidence_, strict=True
    ):
        estimate = {} if text.estimate is None else text.estimate
        for first, end, span in decode.ranges(labels, tokens):
            estimate[span] = min(map(float, confidences[first:end]))
        text.estimate = estimate


class _Decoder:
    """Decodes labels to spans; labels that are not tags are spans of one token."""

    def __init__(self, corpus: CrowdCorpus) -> None:
        # Documents have BIO tags, even if nobody marked a span.
        self.scheme = corpus.scheme() or (None if corpus.texts is None else "BIO")
        self.known: dict[tuple[str, ...], list[tuple[str, int, int]]] = {}

    def __call__(self, labels: Sequence[str], tokens: Sequence[tuple[int, int]]) -> Iterator[MarkedSpan]:
        """Yield the spans of a sentence."""
        return (span for _, _, span in self.ranges(labels, tokens))

    def ranges(
        self, labels: Sequence[str], tokens: Sequence[tuple[int, int]]
    ) -> Iterator[tuple[int, int, MarkedSpan]]:
        """Yield first token, one past the last token, and the span."""
        key = tuple(labels)
        # Sentences without spans are frequent.
        spans = self.known.get(key)
        if spans is None:
            spans = self.known[key] = self._decoded(labels)
        for type_, first, end in spans:
            yield first, end, MarkedSpan(type_, tokens[first][0], tokens[end - 1][1])

    def _decoded(self, labels: Sequence[str]) -> list[tuple[str, int, int]]:
        if self.scheme is None:
            return [(label, at, at + 1) for at, label in enumerate(labels)]
        return [(span.type, span.start, span.end) for span in tags_to_spans(list(labels), self.scheme)]


def _given(text: ReviewedText, spans: Iterable[tuple[str, int, int, float]]) -> dict[MarkedSpan, float]:
    """Return a given estimate, widened to whole tokens; of equal spans, the highest confidence."""
    estimate: dict[MarkedSpan, float] = {}
    for type_, start, end, confidence in spans:
        span = text.widen(MarkedSpan(type_, start, end))
        estimate[span] = max(float(confidence), estimate.get(span, 0.0))
    return estimate


def _with_pieces(text: ReviewedText, estimate: dict[MarkedSpan, float]) -> dict[MarkedSpan, float]:
    """Return the estimate with the pieces of answers: estimates are contiguous, as tags have no discontinuous spans."""
    if not any(span.pieces for spans in text.answers.values() for span in spans):
        return estimate
    number: dict[MarkedSpan, dict[MarkedSpan, int]] = {}
    for spans in text.answers.values():
        for span in spans:
            variants = number.setdefault(span._replace(pieces=()), {})
            variants[span] = variants.get(span, 0) + 1
    return {
        max(sorted(number.get(span, {span: 1})), key=number.get(span, {span: 1}).__getitem__): value
        for span, value in estimate.items()
    }
