"""Consensus of the annotators of documents or sentences."""

from __future__ import annotations

import copy
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.consensus_files import ANNOTATOR, CONFIDENCE, Consensus
from spanrs.crowd.experiments import GOLD, Settings, check_methods, make_method
from spanrs.crowd.layers import LineTokens, TokenSpan, crowd_layers
from spanrs.errors import as_integer, warn
from spanrs.io import Annotation, Document, Layer
from spanrs.io.annotator_files import PROJECT
from spanrs.io.documents import TYPED_LAYERS
from spanrs.tags import tags_to_spans

if TYPE_CHECKING:
    from spanrs.crowd.corpus import CrowdCorpus
    from spanrs.crowd.projects import ProjectDocument

#: Attribute of the annotations of UIMA: the layer.
LAYER = "layer"


def consensus(
    source: Any,
    aggregator: str | Aggregator = "BSC-seq",
    *,
    known: Any = None,
    known_annotator: str | None = None,
    min_annotators: int = 1,
    annotators: Sequence[str] | None = None,
    partial: str = "error",
    settings: Settings = Settings(),  # noqa: B008  # immutable
) -> Consensus:
    """Estimate the true annotations of documents, or the true labels of sentences, from those of several annotators.

    Parameters
    ----------
    source : CrowdCorpus, Corpus, or a source of :func:`crowd_corpus`
        An export with several annotators, or a source for each annotator.
    aggregator : str or Aggregator
        Name of a method (``spanrs.crowd.experiments.METHODS``), or an aggregator, which is copied for each layer.
    known : source, optional
        The true annotations of some documents or sentences, as in :func:`crowd_corpus`.
    known_annotator : str, optional
        The annotator whose answers are the true annotations, as in :func:`crowd_corpus`.
    min_annotators : int
        Documents (sentences if the source has no documents) with fewer annotators who answered, and without known
        answers, have no consensus.
    annotators : sequence of str, optional
        Names of the annotators, as in :func:`crowd_corpus`.
    partial : str
        Handling of sentences that an annotator only partly labelled: ``error`` or ``drop``.
    settings : Settings
        Options of CRFs, for a method given by name.

    Returns
    -------
    Consensus

    Raises
    ------
    ValueError
        If the method is unknown, or ``min_annotators`` is less than 1.
    spanrs.errors.SpanrsError
        Same as in :func:`crowd_corpus`, and same as for ``fit`` of the aggregator.

    Warns
    -----
    spanrs.SpanrsWarning
        Same as in :func:`crowd_layers`, and if answers have relations, which are not part of the consensus.

    Notes
    -----
    Each layer of types (:func:`crowd_layers`) is estimated separately, and the consensus is the union of the layers.
    The confidence of a span is the lowest probability of the label of one of its tokens under the aggregator
    (``confidence_``), which is an upper bound for the probability of the whole span; known spans have the confidence 1.

    If annotators marked exactly the tokens of a span of the consensus, it has the bounds, in characters, and the
    pieces that most of them gave it, and the attributes that more than half of them gave it; otherwise it begins and
    ends with a token. Skipped, rejected and missing answers do not count; an empty answer counts as one without spans.

    Examples
    --------
    >>> import spanrs
    >>> from spanrs.io import Annotation, Document
    >>> def answer(*spans):
    ...     return Document("Bob saw Rome", [Annotation(*span) for span in spans])
    >>> bob, rome = ("PER", 0, 3), ("LOC", 8, 12)
    >>> answers = {"ann": answer(bob, rome), "ben": answer(bob, rome), "cy": answer(bob)}
    >>> result = spanrs.crowd.consensus(answers, "MVtoken")
    >>> [(a.type, round(a.attributes["confidence"], 2)) for a in result.documents[0].annotations]
    [('PER', 1.0), ('LOC', 0.67)]
    """
    min_annotators = as_integer(min_annotators, "min_annotators", 1)
    if isinstance(aggregator, str):
        [aggregator] = check_methods([aggregator])
        if aggregator == GOLD:
            raise ValueError(f"{GOLD} is trained on true labels; choose a method that estimates them")
    corpora = crowd_layers(
        source, annotators=annotators, partial=partial, known=known, known_annotator=known_annotator
    )
    return fit_layers(corpora, aggregator, min_annotators, settings)


def fit_layers(
    corpora: list[CrowdCorpus], aggregator: str | Aggregator, min_annotators: int, settings: Settings
) -> Consensus:
    """Return the consensus of layers; see :func:`consensus`."""
    fitted = []
    for corpus in corpora:
        method = (
            make_method(aggregator, settings, corpus, progress=None)
            if isinstance(aggregator, str)
            else copy.deepcopy(aggregator)
        )
        fitted.append(method.fit(corpus))
    documents = consensus_documents(corpora, fitted, min_annotators)
    return Consensus(documents, corpora, fitted, min_annotators)


def consensus_documents(
    corpora: Sequence[CrowdCorpus], aggregators: Sequence[Aggregator], min_annotators: int = 1
) -> list[Document] | None:
    """Return the documents with the union of the estimates of all layers; None for corpora without documents.

    Parameters
    ----------
    corpora : sequence of CrowdCorpus
        The layers, from :func:`crowd_layers`.
    aggregators : sequence of Aggregator
        An aggregator fitted to each layer.
    min_annotators : int
        Minimum number of annotators of a document.
    """
    texts, places = corpora[0].texts, corpora[0].places
    if texts is None or places is None:
        return None
    lines: list[list[Sequence[tuple[int, int]]]] = [[] for _ in texts]
    for place in places:
        lines[place.document].append(place.tokens)
    with_relations = [text.label for text in texts if text.has_relations]
    if with_relations:
        warn(
            [
                f"{texts[0].part.shown}: relations are not part of the consensus; documents with relations: "
                f"{len(with_relations)}, the first: {with_relations[0]}"
            ]
        )
    estimates = [list(_estimated(aggregator)) for aggregator in aggregators]
    layers = _layer_names(texts)
    documents = []
    first = 0
    for text, tokens in zip(texts, lines, strict=True):
        end = first + len(tokens)
        seen = sum(name in corpora[0].annotators for name in text.answers)
        if text.known is not None:
            known = [_with_confidence(annotation, 1.0) for annotation in text.known]
            documents.append(_document(text, known))
        elif seen >= max(min_annotators, 1):
            rows = [estimate[first:end] for estimate in estimates]
            annotations = _annotations(text, LineTokens(tokens), rows, layers)
            documents.append(_document(text, annotations))
        else:
            documents.append(replace(text.document, layers=(Layer(ANNOTATOR, "skipped"),)))
        first = end
    return documents


#: Confidences of the estimated spans of a line, by type, first token and one past the last.
_Line = dict[tuple[str, int, int], float]


def _estimated(aggregator: Aggregator) -> Iterator[_Line]:
    """Yield the spans of each sentence."""
    for labels, confidence in zip(aggregator.labels_, aggregator.confidence_, strict=True):
        yield {
            (span.type, span.start, span.end): float(min(confidence[span.start : span.end]))
            for span in tags_to_spans(labels, "BIO")
        }


def _document(text: ProjectDocument, annotations: list[Annotation]) -> Document:
    """Return a document with its tokens and the annotations of the consensus."""
    ordered = sorted(annotations, key=lambda a: (a.start, -a.end, a.type))
    layer = Layer(ANNOTATOR, "given" if ordered else "empty")
    return replace(text.document, annotations=[*text.document.annotations, *ordered], layers=(layer,))


def _with_confidence(annotation: Annotation, confidence: float) -> Annotation:
    return annotation._replace(
        attributes={**annotation.attributes, CONFIDENCE: min(max(confidence, 0.0), 1.0)}
    )


def _annotations(
    text: ProjectDocument,
    tokens: LineTokens,
    layers: Sequence[Sequence[_Line]],
    layer_names: Mapping[str, str],
) -> list[Annotation]:
    """Return the annotations of a document: those of annotators with the same tokens, or whole tokens.

    ``layer_names`` are the attributes ``layer`` of types. Annotations of several lines precede others, so that their
    parts do not become annotations of one line.
    """
    left: dict[tuple[str, TokenSpan], float] = {
        (name, TokenSpan(line, start, end)): confidence
        for lines in layers
        for line, spans in enumerate(lines)
        for (name, start, end), confidence in spans.items()
    }
    _drop_other_types(left, text, tokens)
    marked: defaultdict[tuple[str, tuple[TokenSpan, ...]], list[Annotation]] = defaultdict(list)
    for answer in text.answers.values():
        for annotation in answer:
            if covered := tokens.covered(annotation):
                marked[annotation.type, covered].append(annotation)
    result = []
    for (name, covered), equal in sorted(marked.items(), key=lambda item: (-len(item[0][1]), item[0])):
        keys = [(name, span) for span in covered]
        if all(key in left for key in keys):
            confidence = min(left.pop(key) for key in keys)
            result.append(_with_confidence(_most_common(equal), confidence))
    for (name, span), confidence in left.items():
        attributes = {LAYER: layer_names[name]} if name in layer_names else {}
        annotation = Annotation(name, *tokens.characters(span), attributes)
        result.append(_with_confidence(annotation, confidence))
    return result


def _drop_other_types(
    left: dict[tuple[str, TokenSpan], float], text: ProjectDocument, tokens: LineTokens
) -> None:
    """Keep the most probable type of equal spans, unless an annotator gave both types to the span.

    Types in different layers are estimated separately, so that annotators who disagree on the type of a span may all be
    believed.
    """
    types: defaultdict[TokenSpan, list[str]] = defaultdict(list)
    for (name, span), _ in sorted(left.items(), key=lambda item: (-item[1], item[0])):
        types[span].append(name)
    disputed = {span: names for span, names in types.items() if len(names) > 1}
    if not disputed:
        return
    given: defaultdict[TokenSpan, set[tuple[str, str]]] = defaultdict(set)
    for answer in text.answers.values():
        of_span: defaultdict[TokenSpan, set[str]] = defaultdict(set)
        for annotation in answer:
            for span in tokens.covered(annotation) or ():
                of_span[span].add(annotation.type)
        for span, names in of_span.items():
            given[span] |= {(first, second) for first in names for second in names}
    for span, (best, *others) in disputed.items():
        for name in others:
            if (best, name) not in given[span]:
                del left[name, span]


def _layer_names(texts: Sequence[ProjectDocument]) -> dict[str, str]:
    """Return the layer of UIMA of each type, for formats with such layers, if all its annotations are in one layer."""
    names: defaultdict[str, set[Any]] = defaultdict(set)
    for text in texts:
        if text.part.format in (*TYPED_LAYERS, PROJECT):
            for annotation in (a for answer in text.answers.values() for a in answer):
                names[annotation.type].add(annotation.attributes.get(LAYER))
    return {name: layers.pop() for name, layers in names.items() if len(layers) == 1 and None not in layers}


def _most_common(annotations: Sequence[Annotation]) -> Annotation:
    """Return the annotation with the most frequent bounds, and the attributes of more than half of the annotations."""
    bounds = Counter((a.start, a.end, tuple((first, end) for first, end in a.pieces)) for a in annotations)
    # Ties: the bounds that come first.
    start, end, pieces = min(bounds, key=lambda key: (-bounds[key], key))
    # Values may be lists, which are not hashable.
    values = Counter((name, repr(value)) for a in annotations for name, value in a.attributes.items())
    attributes: dict[str, Any] = {}
    for annotation in annotations:
        for name, value in annotation.attributes.items():
            if 2 * values[name, repr(value)] > len(annotations):
                attributes.setdefault(name, value)
    return Annotation(annotations[0].type, start, end, attributes, pieces)
