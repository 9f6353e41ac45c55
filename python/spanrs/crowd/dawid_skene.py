"""The model of Dawid and Skene for independent tokens, and its one-coin variant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.correlation import annotator_exponents
from spanrs.crowd.known import ENOUGH_KNOWN, KnownTokens, known_scores, known_tokens, set_known
from spanrs.crowd.reading import crowd_corpus
from spanrs.report.progress import iteration_display

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int64]

#: Minimum probability of a label, so that logarithms are finite.
LEAST = 1e-10


class _Answers(NamedTuple):
    """Votes ordered by token, so that sums over a token are sums over a slice."""

    token: Numbers
    """Index of the token of each vote among the tokens with votes."""
    firsts: Numbers
    """Index of the first vote of each token with votes."""
    rows: Numbers
    """Row of each vote in a table of (annotator, given label)."""
    annotators: int
    labels: int
    known: KnownTokens
    """Known labels of tokens with votes."""
    first: npt.NDArray[np.bool_] | None
    """Votes that are used in the first M-step; None for all votes."""
    unvoted: Numbers
    """Number of tokens without votes with each label as known label."""
    exponents: Array
    """Exponent of the answer probabilities of each annotator."""


class DawidSkene(Aggregator):
    """The model of Dawid and Skene (1979): a confusion matrix for each annotator, and independent tokens.

    EM is initialised with the shares of votes. The E-step estimates the true label of each token, and the M-step
    estimates the probability of each label and the confusion matrix of each annotator.

    The distribution of a token with a known label is fixed, and the first confusion matrices of annotators with enough
    known labels are estimated from these. If known labels show that errors of annotators are correlated, the answer
    probabilities have exponents (:func:`spanrs.crowd.correlation.annotator_exponents`).

    Parameters
    ----------
    max_iter : int
        Maximum number of iterations.
    tol : float
        Stop when :attr:`bound_` increases by less than this value.
    smoothing : float
        Added to each count of a confusion matrix and of the prior.
    agreement : float
        Added to each count of an answer that equals the true label. If agreement and smoothing are 0, EM maximises the
        likelihood, as in the paper, and overfits if annotators rarely use a label
        (benches/record/2026-11-24-crowd-dawid-skene.md).
    progress : bool, optional
        Show iterations on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    prior_ : array (labels)
        Estimated probability of each label.
    confusion_ : array (annotators, labels, labels)
        Probability of an answer (last axis), given the true label (axis 1).
    bound_ : list of float
        Objective of EM at each E-step, divided by the number of votes: the log-likelihood of the votes and the known
        labels plus the log prior of smoothing and agreement. An exponent multiplies all terms of an annotator. The
        objective does not decrease.

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
        *,
        max_iter: int = 100,
        tol: float = 1e-5,
        smoothing: float = 2.0,
        agreement: float = 20.0,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.smoothing = smoothing
        self.agreement = agreement
        self.progress = progress

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth. For tokens without votes, the probabilities of labels are the prior.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        spanrs.errors.ModelError
            If the corpus has no annotations.
        spanrs.errors.LimitError
            If tables of the labels would exceed the memory limit.
        """
        corpus = crowd_corpus(corpus)
        import numpy as np

        self._check_params()
        corpus.check_labelled()
        labels, annotators = len(corpus.labels), len(corpus.annotators)
        corpus.check_table(annotators, labels, labels)
        counts = corpus.vote_counts().astype(float)
        voted = counts.sum(axis=1) > 0
        answers = _answers(corpus, voted)
        shares = set_known(counts[voted] / counts[voted].sum(axis=1, keepdims=True), answers.known)
        self._start(annotators, labels)
        self.bound_: list[float] = []
        self._maximize(answers, shares, answers.first)
        with iteration_display(self.progress, type(self).__name__, self.max_iter) as show:
            for iteration in range(1, self.max_iter + 1):
                shares, log_evidence = self._expect(answers)
                log_evidence += float(answers.unvoted @ np.log(self.prior_))
                bound = log_evidence + self._log_prior(answers.exponents)
                self.bound_.append(bound / len(answers.token))
                self._maximize(answers, shares)
                show(iteration, f"bound {self.bound_[-1]:.5f}")
                if len(self.bound_) > 1 and self.bound_[-1] - self.bound_[-2] < self.tol:
                    break
        probabilities = np.tile(self.prior_ / self.prior_.sum(), (len(voted), 1))
        probabilities[voted] = shares
        self._set_truth(corpus, probabilities)
        return self

    def _answer_tables(self) -> Array:
        return self.confusion_

    def _start(self, annotators: int, labels: int) -> None:
        """Set initial parameters for the first M-step."""

    def _expect(self, answers: _Answers) -> tuple[Array, float]:
        """E-step (Dawid and Skene 1979, Eq. 2.5): return label probabilities and the log-likelihood of the votes.

        The likelihood of a token with a known label is that of the votes and this label.
        """
        import numpy as np

        tables = answers.exponents[:, None, None] * np.log(self.confusion_)
        tables = tables.transpose(0, 2, 1).reshape(-1, answers.labels)
        logs = np.log(self.prior_) + np.add.reduceat(tables[answers.rows], answers.firsts, axis=0)
        known = answers.known
        if len(known.token):
            logs += known_scores(known, *logs.shape)
        most = logs.max(axis=1, keepdims=True)
        shares = np.exp(logs - most)
        sums = shares.sum(axis=1, keepdims=True)
        return shares / sums, float((most + np.log(sums)).sum())

    def _maximize(
        self, answers: _Answers, shares: Array, used: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """M-step: prior (Eq. 2.4) and confusion matrices, from the votes ``used``, by default from all."""
        import numpy as np

        prior = shares.sum(axis=0) + answers.unvoted + self._label_pseudo_count()
        self.prior_ = np.maximum(prior / prior.sum(), LEAST)
        size = answers.annotators * answers.labels
        token, rows = answers.token, answers.rows
        if used is not None:
            token, rows = token[used], rows[used]
        sums = [np.bincount(rows, column, size) for column in shares[token].T]
        # (annotator, true label, given label)
        counts: Array = (
            np.stack(sums).astype(float).reshape(answers.labels, answers.annotators, answers.labels)
        )
        self.confusion_ = self._confusion(counts.transpose(1, 0, 2))

    def _confusion(self, counts: Array) -> Array:
        """Return confusion matrices from expected counts of answers (Eq. 2.3)."""
        import numpy as np

        counts = np.maximum(counts + self._pseudo_counts(counts.shape[1]), LEAST)
        confusion: Array = counts / counts.sum(axis=2, keepdims=True)
        return confusion

    def _label_pseudo_count(self) -> float:
        """Return the pseudo-count of each label in the prior of the labels."""
        return self.smoothing

    def _pseudo_counts(self, labels: int) -> Array:
        import numpy as np

        counts: Array = self.smoothing + self.agreement * np.eye(labels)
        return counts

    def _log_prior(self, exponents: Array) -> float:
        """Return the logarithm of the prior of all parameters, up to a constant, given the exponents of annotators."""
        import numpy as np

        by_annotator = (self._pseudo_counts(len(self.prior_)) * np.log(self.confusion_)).sum(axis=(1, 2))
        return float(exponents @ by_annotator + self.smoothing * np.log(self.prior_).sum())


def _answers(corpus: CrowdCorpus, voted: npt.NDArray[np.bool_]) -> _Answers:
    """Return the votes of a corpus, ordered by token; ``voted`` are the tokens with votes."""
    import numpy as np

    votes, labels, annotators = corpus.votes(), len(corpus.labels), len(corpus.annotators)
    order = np.argsort(votes.token, kind="stable")
    place = np.cumsum(voted) - 1
    token, annotator = place[votes.token[order]], votes.annotator[order]
    rows = annotator * labels + votes.label[order]
    known = known_tokens(corpus)
    with_votes = voted[known.token]
    unvoted = np.bincount(known.label[~with_votes], minlength=labels)
    known = KnownTokens(place[known.token[with_votes]], known.label[with_votes])
    first = None
    if len(known.token):
        is_known = np.zeros(int(voted.sum()), dtype=bool)
        is_known[known.token] = True
        enough = np.bincount(annotator, is_known[token], annotators) >= ENOUGH_KNOWN
        first = is_known[token] | ~enough[annotator]
    exponents = annotator_exponents(corpus)
    firsts = np.flatnonzero(np.diff(token, prepend=-1))
    return _Answers(
        token,
        firsts,
        rows,
        annotators,
        labels,
        known,
        first,
        unvoted,
        np.ones(annotators) if exponents is None else exponents,
    )


class OneCoinDawidSkene(DawidSkene):
    """The one-coin variant of :class:`DawidSkene`: each annotator has one probability of giving the true label.

    All wrong labels are equally likely, so a few answers of each annotator suffice.

    Parameters
    ----------
    max_iter, tol, progress
        Same as in :class:`DawidSkene`.
    smoothing : float
        Added to the numbers of correct and of wrong answers of each annotator, and to each count of the prior; 0 means
        maximum likelihood.

    Attributes
    ----------
    accuracy_ : array (annotators)
        Probability that an annotator gives the true label.
    prior_, confusion_, bound_
        Same as in :class:`DawidSkene`.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, OneCoinDawidSkene
    >>> votes = {"ann": ["A", "B"], "ben": ["A", "B"], "eve": ["B", "B"]}
    >>> OneCoinDawidSkene().fit(CrowdCorpus([["x", "y"]], [votes])).labels_
    [['A', 'B']]
    """

    def __init__(
        self,
        *,
        max_iter: int = 100,
        tol: float = 1e-5,
        smoothing: float = 1.0,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.smoothing = smoothing
        self.progress = progress

    def _confusion(self, counts: Array) -> Array:
        import numpy as np

        labels = counts.shape[1]
        right = np.trace(counts, axis1=1, axis2=2)
        total = counts.sum(axis=(1, 2)) + 2.0 * self.smoothing
        # The accuracy of an annotator without answers is undefined.
        accuracy = np.where(total > 0, (right + self.smoothing) / np.maximum(total, LEAST), 0.5)
        self.accuracy_ = accuracy.clip(LEAST, 1.0 - LEAST)
        wrong = (1.0 - self.accuracy_) / max(labels - 1, 1)
        is_right = np.eye(labels, dtype=bool)
        return np.where(is_right, self.accuracy_[:, None, None], wrong[:, None, None])

    def _log_prior(self, exponents: Array) -> float:
        import numpy as np

        coins = exponents @ (np.log(self.accuracy_) + np.log1p(-self.accuracy_))
        return float(self.smoothing * (coins + np.log(self.prior_).sum()))
