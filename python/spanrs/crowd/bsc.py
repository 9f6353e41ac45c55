"""Bayesian sequence combination."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.annotators import (
    Annotators,
    chain_scores,
    expected_logs,
    independent_pairs,
    legality,
    vote_shares,
)
from spanrs.crowd.reading import crowd_corpus
from spanrs.errors import ModelError, warn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus


#: Below this share of sentences with several annotators there is a warning.
FEW = 0.2


class Variational(NamedTuple):
    """Variational parameters: what decides the distribution of the true labels."""

    answers: npt.NDArray[np.float64]
    """Dirichlet parameters (annotator, true label, answer before, answer)."""
    log_answers: npt.NDArray[np.float64]
    """Their expected logarithms."""
    start: npt.NDArray[np.float64]
    """Scores of first labels."""
    transitions: npt.NDArray[np.float64]
    """Scores of (label, next label)."""


class BSCSeq(Aggregator):
    """BSC-seq (Simpson and Gurevych 2019): annotators whose answer depends on the true label and their answer before.

    Variational Bayes, beginning with the shares of votes. The hidden labels are a Markov chain; its forward-backward
    pass is exact, because an annotator's answers are independent given the true labels and their own answers before.

    Parameters
    ----------
    iterations : int
        Number of iterations.
    scheme : str, optional
        ``auto`` finds the scheme of the tags, so that illegal transitions of the truth are nearly impossible and
        illegal answers unlikely; None for labels that are not tags.
    agreement : float
        Added to the pseudo-count 1 of an answer that equals the true label.

    Attributes
    ----------
    confusion_ : array (annotators, labels, labels, labels)
        Expected probability of an answer (last axis), given the true label (axis 1) and the answer before (axis 2).

    Examples
    --------
    >>> from spanrs.crowd import BSCSeq, CrowdCorpus
    >>> votes = {"ann": ["B-PER", "I-PER"], "ben": ["B-PER", "I-PER"], "eve": ["O", "O"]}
    >>> BSCSeq().fit(CrowdCorpus([["Ada", "Li"]], [votes])).labels_
    [['B-PER', 'I-PER']]
    """

    _soft = True

    def __init__(self, iterations: int = 30, scheme: str | None = "auto", agreement: float = 1.0) -> None:
        self.iterations = iterations
        self.scheme = scheme
        self.agreement = agreement

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth; labels are the best sequence, and confidence is their marginal probability.

        Raises
        ------
        ValueError
            For fewer than one iteration, or an agreement below 0.
        spanrs.errors.ModelError
            If the corpus has no annotations, or no sentence has several annotators.
        spanrs.errors.SchemeError
            If a label is not a tag of the scheme.
        spanrs.errors.LimitError
            For so many labels or annotators that tables would fill the memory.
        """
        corpus = crowd_corpus(corpus)
        corpus.check_labelled()
        annotators = Annotators(corpus)
        found = self.fit_parameters(corpus, annotators)
        self.confusion_ = found.answers / found.answers.sum(axis=3, keepdims=True)
        scores = found.log_answers, found.start, found.transitions
        self._set_labels(corpus, annotators.best(*scores), annotators.posterior(*scores).shares)
        return self

    def fit_parameters(self, corpus: CrowdCorpus, annotators: Annotators) -> Variational:
        """Give the variational parameters of a corpus, of which ``annotators`` are the answers."""
        if self.iterations < 1 or not self.agreement >= 0:
            raise ValueError("iterations must be at least 1, agreement at least 0")
        check_compared(corpus)
        legal = legality(corpus, self.scheme)
        prior = annotators.prior(legal, self.agreement)
        shares = vote_shares(corpus)
        chain = chain_scores(corpus, shares, independent_pairs(corpus, shares), legal)
        found = Variational(prior, prior, *chain)
        for _ in range(self.iterations):
            answers = prior + annotators.counts(shares)
            found = found._replace(answers=answers, log_answers=expected_logs(answers))
            shares, pairs = annotators.posterior(found.log_answers, found.start, found.transitions)
            start, transitions = chain_scores(corpus, shares, pairs, legal)
            found = found._replace(start=start, transitions=transitions)
        return found


def check_compared(corpus: CrowdCorpus) -> None:
    """Refuse a corpus in which no sentence has several annotators, and warn where few sentences have.

    That an annotator labels well, and that all is ``O`` and the annotator invents spans, are then equally likely.

    Raises
    ------
    spanrs.errors.ModelError
        If each sentence has one annotator at most.
    """
    numbers = Counter(own.sentence for own in corpus.annotations)
    several = sum(number > 1 for number in numbers.values())
    message = (
        f"{several} of {len(numbers)} sentences have labels of several annotators; without comparison nobody can tell "
        "right labels from wrong ones"
    )
    if not several:
        raise ModelError(f"{message}: take the labels as they are, or CRF-MA")
    if several < FEW * len(numbers):
        warn([message])
