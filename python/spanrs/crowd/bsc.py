"""Bayesian sequence combination."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanrs import _spanrs
from spanrs.crowd.aggregator import Aggregator, check_table
from spanrs.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

#: Pseudo-count of an answer that is illegal after the answer before.
ILLEGAL = 1e-6
#: Logarithmic score of a transition that is illegal in the truth.
LOG_ILLEGAL = -30.0


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
        illegal answers unlikely; None for labels that are no tags.
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
    >>> BSCSeq().fit(CrowdCorpus([["Ada", "Li"]], [votes])).estimated_truth_
    [['B-PER', 'I-PER']]
    """

    def __init__(self, iterations: int = 30, scheme: str | None = "auto", agreement: float = 1.0) -> None:
        self.iterations = iterations
        self.scheme = scheme
        self.agreement = agreement

    def fit(self, corpus: CrowdCorpus) -> BSCSeq:
        """Estimate the truth; labels are the best sequence, and confidence is their marginal probability.

        Raises
        ------
        ValueError
            For fewer than one iteration, or an agreement below 0.
        spanrs.errors.ModelError
            If the corpus has no annotations.
        spanrs.errors.SchemeError
            If a label is no tag of the scheme.
        spanrs.errors.LimitError
            For so many labels or annotators that tables would fill the memory.
        """
        import numpy as np

        if self.iterations < 1 or not self.agreement >= 0:
            raise ValueError("iterations must be at least 1, agreement at least 0")
        if not corpus.annotations:
            raise ModelError("the corpus has no annotations")
        labels, annotators = len(corpus.labels), len(corpus.annotators)
        check_table(corpus, sum(corpus.lengths), labels)
        check_table(corpus, annotators, labels, labels, labels)
        outside = corpus.labels.index("O") if "O" in corpus.labels else 0
        answers = _spanrs.CrowdAnswers(
            labels,
            annotators,
            corpus.lengths,
            [(own.sentence, own.annotator, list(own.labels)) for own in corpus.annotations],
        )
        start, transitions = self._illegal(corpus)
        prior = self._prior(transitions == 0.0)
        votes = corpus.votes()
        shares = np.zeros((sum(corpus.lengths), labels))
        np.add.at(shares, (votes.token, votes.label), 1.0)
        shares = (shares + 1e-9) / (shares + 1e-9).sum(axis=1, keepdims=True)
        none = np.zeros(0)
        steps, log_start = transitions, start
        alpha, tables = prior[None], none
        for _ in range(self.iterations):
            counts = answers.counts(shares.ravel(), outside).reshape(annotators, labels, labels, labels)
            alpha = prior + counts
            tables = (digamma(alpha) - digamma(alpha.sum(axis=3, keepdims=True))).ravel()
            found, pairs, _ = answers.posterior(tables, log_start.ravel(), steps.ravel(), none, outside)
            shares = found.reshape(-1, labels)
            beta = 1.0 + pairs.reshape(labels, labels)
            steps = digamma(beta) - digamma(beta.sum(axis=1, keepdims=True)) + transitions
            firsts = 1.0 + self._firsts(corpus, shares)
            log_start = digamma(firsts) - digamma(firsts.sum()) + start
        self.confusion_ = alpha / alpha.sum(axis=3, keepdims=True)
        best = answers.best(tables, log_start.ravel(), steps.ravel(), none, outside)
        self._set_labels(corpus, best, shares)
        return self

    def _firsts(self, corpus: CrowdCorpus, shares: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Give the expected counts of the labels of first tokens."""
        import numpy as np

        starts = np.cumsum([0, *corpus.lengths])[:-1][np.array(corpus.lengths) > 0]
        counts: npt.NDArray[np.float64] = shares[starts].sum(axis=0)
        return counts

    def _illegal(self, corpus: CrowdCorpus) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Give scores of first labels and of transitions: 0, and :data:`LOG_ILLEGAL` for illegal ones."""
        import numpy as np

        from spanrs import tags

        scheme = self.scheme
        if scheme == "auto":
            scheme = corpus.scheme()
        if scheme is None:
            return np.zeros(len(corpus.labels)), np.zeros((len(corpus.labels),) * 2)
        mask = tags.transition_mask(scheme, corpus.labels)
        start = np.where(mask.start, 0.0, LOG_ILLEGAL)
        return start, np.where(mask.between, 0.0, LOG_ILLEGAL)

    def _prior(self, legal: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Give pseudo-counts (true label, answer before, answer): 1, more if right, hardly any if illegal."""
        import numpy as np

        labels = len(legal)
        prior = np.ones((labels, labels, labels))
        prior[np.arange(labels), :, np.arange(labels)] += self.agreement
        return np.where(legal[None], prior, ILLEGAL)

    def _targets(self) -> list[list[Any]]:
        return self._soft_targets()


def digamma(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give the derivative of the logarithm of the gamma function, for positive numbers (Bernardo 1976).

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.bsc import digamma
    >>> digamma(np.array([1.0, 2.0])).round(12).tolist()
    [-0.577215664902, 0.422784335098]
    """
    import numpy as np

    x = np.array(x, dtype=float)
    result = np.zeros_like(x)
    while (small := x < 8.0).any():
        # digamma(x) = digamma(x + 1) - 1 / x
        result[small] -= 1.0 / x[small]
        x[small] += 1.0
    inverse = 1.0 / (x * x)
    series = inverse * (
        1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse * (1 / 132))))
    )
    total: npt.NDArray[np.float64] = result + np.log(x) - 0.5 / x - series
    return total
