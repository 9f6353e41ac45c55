"""Layers of a consensus as one corpus, to score annotators on all types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from spanrs.crowd.aggregator import Aggregator, reliability
from spanrs.crowd.consensus_files import Consensus
from spanrs.crowd.corpus import CrowdCorpus

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True)
class PooledEstimates:
    """The estimates of several layers, with the attributes of a fitted aggregator that tables and pages read."""

    labels_: list[list[str]]
    confidence_: list[npt.NDArray[np.float64]]
    reliability_: dict[str, float]


def pooled(consensus: Consensus) -> tuple[CrowdCorpus, Aggregator]:
    """Return a corpus with the sentences of all layers, one layer after the other, and the estimates of its labels.

    A consensus with one layer is returned as it is.

    Examples
    --------
    >>> from spanrs.crowd import consensus
    >>> from spanrs.crowd.pooling import pooled
    >>> from spanrs.io import Annotation, Document
    >>> document = Document("New York City Hall", [Annotation("ORG", 0, 18), Annotation("LOC", 0, 8)])
    >>> corpus, aggregator = pooled(consensus({"ann": document, "ben": document}, "MVtoken"))
    >>> len(corpus), aggregator.reliability_
    (2, {'ann': 1.0, 'ben': 1.0})
    """
    if len(consensus.corpora) == 1:
        return consensus.corpora[0], consensus.aggregators[0]
    corpus = pooled_corpus(consensus.corpora)
    labels = [row for layer in consensus.aggregators for row in layer.labels_]
    confidence = [row for layer in consensus.aggregators for row in layer.confidence_]
    estimates = PooledEstimates(labels, confidence, reliability(corpus, labels))
    return corpus, cast("Aggregator", estimates)


def pooled_corpus(corpora: Sequence[CrowdCorpus]) -> CrowdCorpus:
    """Return a corpus with the sentences of all layers, one layer after the other; a single layer is returned as it is.

    Parameters
    ----------
    corpora : sequence of CrowdCorpus
        The layers of :func:`spanrs.crowd.crowd_layers`.
    """
    if len(corpora) == 1:
        return corpora[0]
    size = len(corpora[0])
    answers: list[dict[str, list[str] | None]] = [{} for _ in range(size * len(corpora))]
    known = {}
    for number, corpus in enumerate(corpora):
        for annotation in corpus.annotations:
            labels = [corpus.labels[label] for label in annotation.labels]
            answers[number * size + annotation.sentence][corpus.annotators[annotation.annotator]] = labels
        for at, row in corpus.known.items():
            known[number * size + at] = [corpus.labels[label] for label in row]
    sentences = [sentence for corpus in corpora for sentence in corpus.sentences]
    joined = CrowdCorpus(sentences, answers, annotators=corpora[0].annotators, missing=None, known=known)
    joined.texts = corpora[0].texts
    joined.places = [place for corpus in corpora for place in corpus.places or ()]
    return joined
