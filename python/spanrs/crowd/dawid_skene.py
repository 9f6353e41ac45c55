"""The model of Dawid and Skene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.corpus import Votes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]

#: Least probability of a label, so that logarithms are finite.
LEAST = 1e-10


class DawidSkene(Aggregator):
    """Dawid and Skene (1979), on tokens: each annotator confuses labels in their own way, and tokens are independent.

    EM begins with the shares of votes. The E-step gives the distribution of each token's true label, the M-step the
    share of each label and a confusion matrix of each annotator.

    Parameters
    ----------
    max_iterations : int
        Largest number of iterations.
    tol : float
        Stop when the evidence lower bound, divided by the number of votes, rises by less.
    smoothing : float
        Added to each count of a confusion matrix and of the prior; 0 for maximum likelihood, as in the paper.

    Attributes
    ----------
    prior_ : array (labels)
        Share of each label.
    confusion_ : array (annotators, labels, labels)
        Probability that an annotator gives a label (last axis) where another one is true (axis 1).
    bound_ : list of float
        The evidence lower bound divided by the number of votes, after each iteration; it does not fall without
        smoothing.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, DawidSkene
    >>> votes = {"ann": ["A", "B"], "ben": ["A", "B"], "eve": ["B", "B"]}
    >>> DawidSkene().fit(CrowdCorpus([["x", "y"]], [votes])).estimated_truth_
    [['A', 'B']]
    """

    _soft = True

    def __init__(self, max_iterations: int = 100, tol: float = 1e-5, smoothing: float = 0.0) -> None:
        self.max_iterations = max_iterations
        self.tol = tol
        self.smoothing = smoothing

    def fit(self, corpus: CrowdCorpus) -> Self:
        """Estimate the truth. Tokens without a vote get the prior.

        Raises
        ------
        ValueError
            For options that are negative.
        spanrs.errors.ModelError
            If the corpus has no annotations.
        spanrs.errors.LimitError
            For so many labels that tables would fill the memory.
        """
        import numpy as np

        if self.max_iterations < 1 or not self.tol >= 0 or not self.smoothing >= 0:
            raise ValueError("max_iterations must be at least 1, tol and smoothing at least 0")
        corpus.check_labelled()
        votes = corpus.votes()
        labels = len(corpus.labels)
        corpus.check_table(len(corpus.annotators), labels, labels)
        # In the order of the tokens, so that sums of a token are sums of neighbours.
        order = np.argsort(votes.token, kind="stable")
        votes = Votes(*(column[order] for column in votes))
        shares = corpus.vote_counts().astype(float)
        voted = shares.sum(axis=1) > 0
        shares[voted] /= shares[voted].sum(axis=1, keepdims=True)
        # A row of a table for each (annotator, given label).
        rows = votes.annotator * labels + votes.label
        shape = len(corpus.annotators), labels, labels
        self.bound_: list[float] = []
        self._maximize(shares, voted, votes.token, rows, shape)
        for _ in range(self.max_iterations):
            shares = self._expect(votes.token, rows, voted)
            self._maximize(shares, voted, votes.token, rows, shape)
            self.bound_.append(self._bound(shares[voted]) / len(votes.token))
            if len(self.bound_) > 1 and self.bound_[-1] - self.bound_[-2] < self.tol:
                break
        self._set_truth(corpus, shares)
        return self

    def _maximize(
        self,
        shares: Array,
        voted: npt.NDArray[np.bool_],
        token: Numbers,
        rows: Numbers,
        shape: tuple[int, ...],
    ) -> None:
        """M-step (Dawid and Skene 1979, Eqs. 2.3 and 2.4)."""
        import numpy as np

        prior = shares[voted].sum(axis=0) + self.smoothing
        self.prior_ = np.maximum(prior / prior.sum(), LEAST)
        # Axis 1 is the given label here, so that a vote adds a whole row.
        size = shape[0] * shape[1]
        given = shares[token]
        sums = [np.bincount(rows, column, size) for column in given.T]
        self._counts = np.stack(sums, axis=1)
        counts = np.maximum(self._counts.reshape(shape) + self.smoothing, LEAST)
        self.confusion_ = (counts / counts.sum(axis=1, keepdims=True)).transpose(0, 2, 1)

    def _logs(self) -> Array:
        """Give logarithms of the confusion, a row for each (annotator, given label)."""
        import numpy as np

        logs: Array = np.log(self.confusion_).transpose(0, 2, 1).reshape(-1, len(self.prior_))
        return logs

    def _expect(self, token: Numbers, rows: Numbers, voted: npt.NDArray[np.bool_]) -> Array:
        """E-step (Eq. 2.5)."""
        import numpy as np

        logs = np.tile(np.log(self.prior_), (len(voted), 1))
        firsts = np.flatnonzero(np.diff(token, prepend=-1))
        logs[voted] += np.add.reduceat(self._logs()[rows], firsts, axis=0)
        logs -= logs.max(axis=1, keepdims=True)
        shares = np.exp(logs)
        normalised: Array = shares / shares.sum(axis=1, keepdims=True)
        return normalised

    def _bound(self, voted: Array) -> float:
        """Give the expected log-likelihood of votes and true labels, plus the entropy of the labels."""
        import numpy as np

        sum_of_votes = (self._counts * self._logs()).sum()
        logs = np.log(np.maximum(voted, np.finfo(float).tiny))
        return float(sum_of_votes + (voted * (np.log(self.prior_) - logs)).sum())
