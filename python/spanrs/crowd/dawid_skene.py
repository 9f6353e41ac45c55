"""Models of annotators whose answers to tokens are independent: Dawid and Skene's, and its one-coin form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.reading import crowd_corpus

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]

#: Least probability of a label, so that logarithms are finite.
LEAST = 1e-10


class _Answers(NamedTuple):
    """Votes in the order of the tokens, so that sums of a token are sums of neighbours."""

    token: Numbers
    """Place of the token of each vote among the tokens that have votes."""
    firsts: Numbers
    """First vote of each of these tokens."""
    rows: Numbers
    """Of each vote, row of a table for each (annotator, given label)."""
    annotators: int
    labels: int


class DawidSkene(Aggregator):
    """Dawid and Skene (1979), on tokens: each annotator confuses labels in their own way, and tokens are independent.

    EM begins with the shares of votes. The E-step gives the distribution of each token's true label, the M-step the
    share of each label and a confusion matrix of each annotator.

    Parameters
    ----------
    max_iterations : int
        Largest number of iterations.
    tol : float
        Stop when :attr:`bound_` rises by less.
    smoothing : float
        Added to each count of a confusion matrix and of the prior.
    agreement : float
        Added to each count of an answer that equals the true label. With 0 and smoothing 0 EM maximizes the likelihood,
        as in the paper: it is then overfitted where annotators give few answers of a label, and ends in worse places
        the longer it runs (benches/record/2026-11-24-crowd-dawid-skene.md).

    Attributes
    ----------
    prior_ : array (labels)
        Share of each label.
    confusion_ : array (annotators, labels, labels)
        Probability that an annotator gives a label (last axis) where another one is true (axis 1).
    bound_ : list of float
        What EM maximizes, divided by the number of votes, at each E-step: the log-likelihood, and the logarithm of the
        prior that smoothing and agreement are. It does not fall.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, DawidSkene
    >>> votes = {"ann": ["A", "B"], "ben": ["A", "B"], "eve": ["B", "B"]}
    >>> DawidSkene().fit(CrowdCorpus([["x", "y"]], [votes])).labels_
    [['A', 'B']]
    """

    _soft = True

    def __init__(
        self,
        max_iterations: int = 100,
        tol: float = 1e-5,
        smoothing: float = 2.0,
        agreement: float = 20.0,
    ) -> None:
        self.max_iterations = max_iterations
        self.tol = tol
        self.smoothing = smoothing
        self.agreement = agreement

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth. Tokens without a vote get the prior.

        Raises
        ------
        ValueError
            For options that are negative, or fewer than one iteration.
        spanrs.errors.ModelError
            If the corpus has no annotations.
        spanrs.errors.LimitError
            For so many labels that tables would fill the memory.
        """
        corpus = crowd_corpus(corpus)
        import numpy as np

        self._check_options()
        corpus.check_labelled()
        labels, annotators = len(corpus.labels), len(corpus.annotators)
        corpus.check_table(annotators, labels, labels)
        counts = corpus.vote_counts().astype(float)
        voted = counts.sum(axis=1) > 0
        shares = counts[voted] / counts[voted].sum(axis=1, keepdims=True)
        votes = corpus.votes()
        order = np.argsort(votes.token, kind="stable")
        token = (np.cumsum(voted) - 1)[votes.token[order]]
        rows = votes.annotator[order] * labels + votes.label[order]
        answers = _Answers(token, np.flatnonzero(np.diff(token, prepend=-1)), rows, annotators, labels)
        self._start(annotators, labels)
        self.bound_: list[float] = []
        self._maximize(answers, shares)
        for _ in range(self.max_iterations):
            shares, log_evidence = self._expect(answers)
            self.bound_.append((log_evidence + self._log_prior()) / len(token))
            self._maximize(answers, shares)
            if len(self.bound_) > 1 and self.bound_[-1] - self.bound_[-2] < self.tol:
                break
        probabilities = np.tile(self.prior_ / self.prior_.sum(), (len(voted), 1))
        probabilities[voted] = shares
        self._set_truth(corpus, probabilities)
        return self

    def _check_options(self) -> None:
        if self.max_iterations < 1 or not min(self.tol, self.smoothing, self.agreement) >= 0:
            raise ValueError("max_iterations must be at least 1, tol, smoothing and agreement at least 0")

    def _start(self, annotators: int, labels: int) -> None:
        """Set parameters that the first M-step needs."""

    def _expect(self, answers: _Answers) -> tuple[Array, float]:
        """E-step (Dawid and Skene 1979, Eq. 2.5); with the log-likelihood of the votes."""
        import numpy as np

        tables = np.log(self.confusion_).transpose(0, 2, 1).reshape(-1, answers.labels)
        logs = np.log(self.prior_) + np.add.reduceat(tables[answers.rows], answers.firsts, axis=0)
        most = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - most)
        sums = shares.sum(axis=1, keepdims=True)
        return shares / sums, float((most + np.log(sums)).sum())

    def _maximize(self, answers: _Answers, shares: Array) -> None:
        """M-step: prior (Eq. 2.4) and confusion matrices."""
        import numpy as np

        prior = shares.sum(axis=0) + self.smoothing
        self.prior_ = np.maximum(prior / prior.sum(), LEAST)
        size = answers.annotators * answers.labels
        sums = [np.bincount(answers.rows, column, size) for column in shares[answers.token].T]
        # (annotator, true label, given label)
        counts: Array = (
            np.stack(sums).astype(float).reshape(answers.labels, answers.annotators, answers.labels)
        )
        self.confusion_ = self._confusion(counts.transpose(1, 0, 2))

    def _confusion(self, counts: Array) -> Array:
        """Give confusion matrices from expected counts of answers (Eq. 2.3)."""
        import numpy as np

        counts = np.maximum(counts + self._pseudo_counts(counts.shape[1]), LEAST)
        confusion: Array = counts / counts.sum(axis=2, keepdims=True)
        return confusion

    def _pseudo_counts(self, labels: int) -> Array:
        import numpy as np

        counts: Array = self.smoothing + self.agreement * np.eye(labels)
        return counts

    def _log_prior(self) -> float:
        """Give the logarithm of the prior of all parameters, up to a constant."""
        import numpy as np

        logs = (self._pseudo_counts(len(self.prior_)) * np.log(self.confusion_)).sum()
        return float(logs + self.smoothing * np.log(self.prior_).sum())


class OneCoinDawidSkene(DawidSkene):
    """Dawid and Skene's model with one number for each annotator: the probability of the true label.

    All wrong labels are equally likely. Few answers of each annotator are enough for it, which have too little in them
    for a confusion matrix.

    Parameters
    ----------
    max_iterations, tol
        As in :class:`DawidSkene`.
    smoothing : float
        Added to the numbers of right and of wrong answers of each annotator, and to each count of the prior; 0 for
        maximum likelihood.

    Attributes
    ----------
    accuracy_ : array (annotators)
        Probability that an annotator gives the true label.
    prior_, confusion_, bound_
        As in :class:`DawidSkene`.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, OneCoinDawidSkene
    >>> votes = {"ann": ["A", "B"], "ben": ["A", "B"], "eve": ["B", "B"]}
    >>> OneCoinDawidSkene().fit(CrowdCorpus([["x", "y"]], [votes])).labels_
    [['A', 'B']]
    """

    def __init__(self, max_iterations: int = 100, tol: float = 1e-5, smoothing: float = 1.0) -> None:
        super().__init__(max_iterations, tol, smoothing, 0.0)

    def _confusion(self, counts: Array) -> Array:
        import numpy as np

        labels = counts.shape[1]
        right = np.trace(counts, axis1=1, axis2=2)
        total = counts.sum(axis=(1, 2)) + 2.0 * self.smoothing
        # Of annotators without answers nothing is known.
        accuracy = np.where(total > 0, (right + self.smoothing) / np.maximum(total, LEAST), 0.5)
        self.accuracy_ = accuracy.clip(LEAST, 1.0 - LEAST)
        wrong = (1.0 - self.accuracy_) / max(labels - 1, 1)
        own = np.eye(labels, dtype=bool)
        return np.where(own, self.accuracy_[:, None, None], wrong[:, None, None])

    def _log_prior(self) -> float:
        import numpy as np

        coins = np.log(self.accuracy_).sum() + np.log1p(-self.accuracy_).sum()
        return float(self.smoothing * (coins + np.log(self.prior_).sum()))
