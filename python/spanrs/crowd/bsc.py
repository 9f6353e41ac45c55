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
    token_answers,
    vote_shares,
)
from spanrs.crowd.reading import crowd_corpus
from spanrs.errors import ModelError, warn
from spanrs.report.progress import iteration_display

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus


#: Fraction of sentences with several annotators below which a warning is issued.
FEW = 0.2


class Variational(NamedTuple):
    """Variational parameters, which determine the distribution of the true labels."""

    answers: npt.NDArray[np.float64]
    """Dirichlet parameters (annotator, true label, previous answer, answer)."""
    log_answers: npt.NDArray[np.float64]
    """Expected logarithms of the answer probabilities."""
    start: npt.NDArray[np.float64]
    """Scores of first labels."""
    transitions: npt.NDArray[np.float64]
    """Scores of (label, next label)."""


class BSCSeq(Aggregator):
    """BSC-seq (Simpson and Gurevych 2019): an answer depends on the true label and the annotator's previous answer.

    The model is fitted by variational Bayes, initialised with the shares of votes. The hidden labels are a Markov
    chain, for which forward-backward is exact, because answers are independent given the true labels and the previous
    answers.

    The distribution of tokens with known labels is fixed. If known labels show that errors of annotators are
    correlated, the answer probabilities have exponents (:func:`spanrs.crowd.correlation.annotator_exponents`).

    Parameters
    ----------
    max_iter : int
        Number of iterations.
    scheme : str, optional
        Scheme in which illegal transitions of the truth are nearly impossible and illegal answers unlikely. ``auto``
        detects the scheme; None allows all transitions.
    agreement : float
        Added to the pseudo-count 1 of an answer that equals the true label.
    progress : bool, optional
        Show iterations on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    confusion_ : array (annotators, labels, labels, labels)
        Expected probability of an answer (last axis), given the true label (axis 1) and the previous answer (axis 2).

    Examples
    --------
    >>> from spanrs.crowd import BSCSeq, CrowdCorpus
    >>> votes = {"ann": ["B-PER", "I-PER"], "ben": ["B-PER", "I-PER"], "eve": ["O", "O"]}
    >>> BSCSeq().fit(CrowdCorpus([["Ada", "Li"]], [votes])).labels_
    [['B-PER', 'I-PER']]
    """

    _soft = True

    def __init__(
        self,
        *,
        max_iter: int = 30,
        scheme: str | None = "auto",
        agreement: float = 1.0,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.scheme = scheme
        self.agreement = agreement
        self.progress = progress

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth: ``labels_`` are the most probable sequences, ``confidence_`` the marginal probabilities.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        spanrs.errors.ModelError
            If the corpus has no annotations, or no sentence has several annotators.
        spanrs.errors.SchemeError
            If a label is not a tag of the scheme.
        spanrs.errors.LimitError
            If tables of labels and annotators would exceed the memory limit.
        """
        corpus = crowd_corpus(corpus)
        self._check_params()
        corpus.check_labelled()
        annotators = Annotators(corpus)
        parameters = self.fit_parameters(corpus, annotators)
        self.confusion_ = parameters.answers / parameters.answers.sum(axis=3, keepdims=True)
        scores = parameters.log_answers, parameters.start, parameters.transitions
        shares = annotators.posterior(*scores).shares
        self._token_answers = token_answers(self.confusion_, annotators.counts(shares))
        self._set_labels(corpus, annotators.best(*scores), shares)
        return self

    def _answer_tables(self) -> npt.NDArray[np.float64]:
        return self._token_answers

    def fit_parameters(self, corpus: CrowdCorpus, annotators: Annotators) -> Variational:
        """Return the variational parameters for the answers of a corpus."""
        check_compared(corpus)
        legal = legality(corpus, self.scheme)
        prior = annotators.prior(legal, self.agreement)
        shares = vote_shares(corpus)
        chain = chain_scores(corpus, shares, independent_pairs(corpus, shares), legal)
        parameters = Variational(prior, prior, *chain)
        with iteration_display(self.progress, "BSCSeq", self.max_iter) as show:
            for iteration in range(1, self.max_iter + 1):
                answers = prior + annotators.counts(shares)
                parameters = parameters._replace(answers=answers, log_answers=expected_logs(answers))
                shares, pairs = annotators.posterior(
                    parameters.log_answers, parameters.start, parameters.transitions
                )
                start, transitions = chain_scores(corpus, shares, pairs, legal)
                parameters = parameters._replace(start=start, transitions=transitions)
                show(iteration, "")
        return parameters


def check_compared(corpus: CrowdCorpus) -> None:
    """Raise an error if no sentence has several annotators, and warn if few sentences do.

    Unless some sentences have labels of several annotators, the likelihood cannot distinguish reliable annotators from
    unreliable ones.

    Raises
    ------
    spanrs.errors.ModelError
        If no sentence has several annotators.
    """
    # Annotators are also compared with known labels.
    sentences = [annotation.sentence for annotation in corpus.annotations]
    numbers = Counter([*sentences, *corpus.known])
    several = sum(number > 1 for number in numbers.values())
    message = (
        f"{several} of {len(numbers)} sentences have labels of several annotators; correct and wrong labels can only "
        "be distinguished by comparing annotators"
    )
    if not several:
        raise ModelError(f"{message}; use the labels unchanged, or CRF-MA")
    if several < FEW * len(numbers):
        warn([message])
