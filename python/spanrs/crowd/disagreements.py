"""Documents by the disagreement of their annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from spanrs.crowd.disputes import Dispute, find_disputes, mean_f1
from spanrs.crowd.marked_span import MarkedSpan
from spanrs.crowd.reviewed_texts import ReviewedText, as_layers, reviewed_texts

if TYPE_CHECKING:
    from spanrs.crowd.aggregator import Aggregator
    from spanrs.crowd.corpus import CrowdCorpus
    from spanrs.crowd.reviewed_texts import Estimates, Layers


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The disagreement of the annotators of a document.

    The document is a sentence if the corpus has no documents; its text consists of the tokens, joined by spaces. Labels
    that are not tags are spans of one token.

    Attributes
    ----------
    index : int
        Index of the document in ``corpus.texts``, or of the sentence; from 0.
    label : str
        Name of the document for users.
    id, name : str or None
        Id and name of the document in its file; None for sentences.
    text : str
        The text.
    disagreement : float
        1 - mean F1 of the spans of all pairs of annotators, from 0 to 1; two empty answers have F1 1.
    confidence : float
        Minimum confidence of the estimate in the disputes; without disputes, in the whole document.
    disputes : sequence of Dispute
        The disputes, in the order of the text.
    answers : mapping of str to frozenset of MarkedSpan
        The spans of each annotator who saw the document, widened to whole tokens.
    estimate : mapping of MarkedSpan to float, or None
        The spans of the estimate, with their confidence; None if the document has no estimate.
    tokens : sequence of (int, int)
        First character of each token in the text, and one past the last.
    """

    index: int
    label: str
    id: str | None
    name: str | None
    text: str
    disagreement: float
    confidence: float
    disputes: Sequence[Dispute]
    answers: Mapping[str, frozenset[MarkedSpan]]
    estimate: Mapping[MarkedSpan, float] | None
    tokens: Sequence[tuple[int, int]]

    @property
    def reasons(self) -> list[str]:
        """A description of each dispute."""
        return [dispute.reason for dispute in self.disputes]

    @property
    def priority(self) -> float:
        """Mean of the disagreement and of the uncertainty of the estimate (1 - confidence), from 0 to 1."""
        return (self.disagreement + 1 - self.confidence) / 2

    @property
    def is_contradicted(self) -> bool:
        """Whether the estimate differs from what all annotators marked, so that its confidence is not reliable."""
        return any(dispute.is_contradicted for dispute in self.disputes)


class Review(NamedTuple):
    """The documents of a corpus by disagreement."""

    disputed: list[Disagreement]
    """Documents with disputes, in the order of :func:`disagreements`."""
    agreed: list[Disagreement]
    """Documents on which at least two annotators and the estimate agree; those without spans are last."""
    single: list[Disagreement]
    """Documents with one annotator."""
    unseen: int
    """Number of documents without annotators."""


def disagreements(
    corpus: CrowdCorpus,
    aggregator: Aggregator | Layers,
    most: int | None = None,
    *,
    estimates: Estimates | None = None,
) -> list[Disagreement]:
    """Return the documents with disagreement, most disputed first.

    Documents in which the estimate contradicts an answer that all annotators gave come before all others, because their
    confidence is not to be trusted. The others are ordered by :attr:`Disagreement.priority`, rounded to two decimals,
    then by their number of disputes. For a corpus without documents, such as columns, sentences are the documents.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    aggregator : Aggregator, or sequence of (CrowdCorpus, Aggregator)
        An aggregator fitted to the corpus; or, if overlapping types are aggregated separately, corpora with the same
        sentences and their aggregators. The estimate consists of the spans of all of them.
    most : int, optional
        Maximum number of documents; by default all.
    estimates : sequence of iterables of (type, start, end, confidence), optional
        The spans of the estimate in each document, at character offsets, which are widened to whole tokens; None for a
        document without estimate. By default the spans of the aggregator, whose confidence is the minimum confidence of
        their tokens.

    Raises
    ------
    ValueError
        If the number of estimates is not the number of documents.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, MajorityVote, disagreements
    >>> corpus = CrowdCorpus([["Ada"], ["Bob"]], [{"a": ["O"], "b": ["O"]}, {"a": ["O"], "b": ["B-PER"]}])
    >>> [(row.label, row.reasons) for row in disagreements(corpus, MajorityVote().fit(corpus))]
    [('sentence 1', ['only b marked "Bob" as PER'])]
    """
    return review(corpus, as_layers(corpus, aggregator), estimates).disputed[:most]


def review(corpus: CrowdCorpus, layers: Layers, estimates: Estimates | None = None) -> Review:
    """Return the documents of a corpus by disagreement; arguments as for :func:`disagreements`."""
    found = Review([], [], [], 0)
    unseen = 0
    for text in reviewed_texts(corpus, layers, estimates):
        if not text.answers:
            unseen += 1
            continue
        document = _disagreement(text)
        if len(document.answers) == 1:
            found.single.append(document)
        elif document.disputes:
            found.disputed.append(document)
        else:
            found.agreed.append(document)
    found.disputed.sort(
        key=lambda row: (not row.is_contradicted, -round(row.priority, 2), -len(row.disputes), row.index)
    )
    found.agreed.sort(key=lambda row: not any(row.answers.values()))
    return found._replace(unseen=unseen)


def _disagreement(text: ReviewedText) -> Disagreement:
    disputes: list[Dispute] = []
    disagreement = 0.0
    if len(text.answers) > 1:
        disagreement = 1 - mean_f1(text.answers)
        for dispute in find_disputes(text.text, text.answers, text.estimate):
            lowest = min(dispute.confidence, text.confidence(dispute.start, dispute.end))
            disputes.append(replace(dispute, confidence=lowest))
    values = [dispute.confidence for dispute in disputes] if disputes else text.confidences
    return Disagreement(
        text.index,
        text.label,
        text.id,
        text.name,
        text.text,
        disagreement,
        min(values, default=1.0),
        disputes,
        text.answers,
        text.estimate,
        text.tokens,
    )
