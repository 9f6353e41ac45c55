"""MultiCRF and MultiCRF-MAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from spanrs.crowd.aggregator import CRFAggregator
from spanrs.crowd.annotators import Annotators
from spanrs.crowd.known import known_tokens, set_known, training_corpus
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.weighted_crf import WeightedCRF
from spanrs.report.progress import iteration_display

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]


class MultiCRF(CRFAggregator):
    """A CRF trained on several possible labels of each token (Dredze, Talukdar and Crammer 2009).

    Each token has a prior over labels, initialised with the shares of votes. The method alternates between training the
    CRF on the distribution of the labels, and replacing this distribution by the product of the CRF and the priors. The
    marginals of the product are the new priors. Known labels have the prior 1.

    Parameters
    ----------
    template, c2, min_freq, scheme, threads
        Same as in :class:`CRFMA`.
    most_likely : bool
        Train on the most probable labels of each sentence instead of the distribution (MultiCRF-MAX).
    max_iter : int
        Number of times that the CRF is trained.
    crf_max_iter : int
        Maximum number of iterations in each training, which starts from the weights of the previous training.
    crf_tol : float
        Each training ends when the estimated distance of the CRF's objective to its minimum is this fraction of the
        objective.
    progress : bool, optional
        Show iterations on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    crf_ : spanrs.crf.CRF
        The trained CRF; its predictions are the estimated truth.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, MultiCRF
    >>> votes = {"ann": ["B-PER", "O"], "ben": ["B-PER", "O"], "eve": ["O", "O"]}
    >>> MultiCRF(template="ner").fit(CrowdCorpus([["Ada", "sleeps"]], [votes])).labels_
    [['B-PER', 'O']]
    """

    def __init__(
        self,
        *,
        template: str | PathLike[str] | None = None,
        most_likely: bool = False,
        c2: float = 1.0,
        max_iter: int = 5,
        crf_max_iter: int = 50,
        crf_tol: float = 3e-3,
        min_freq: float = 0.0,
        scheme: str | None = "auto",
        threads: int | None = 1,
        progress: bool | None = None,
    ) -> None:
        self.template = template
        self.most_likely = most_likely
        self.c2 = c2
        self.max_iter = max_iter
        self.crf_max_iter = crf_max_iter
        self.crf_tol = crf_tol
        self.min_freq = min_freq
        self.scheme = scheme
        self.threads = threads
        self.progress = progress

    def fit(self, corpus: Any) -> Self:
        """Train the CRF; its predictions are the estimated truth.

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
        truth = _Truth(corpus)
        crf = WeightedCRF(
            training_corpus(corpus),
            template=self.template,
            c2=self.c2,
            max_iter=self.crf_max_iter,
            min_freq=self.min_freq,
            scheme=self.scheme,
            threads=self.threads,
            em_tol=self.crf_tol,
        )
        labels = len(corpus.labels)
        scores, transitions = np.zeros((sum(corpus.lengths), labels)), np.zeros((labels, labels))
        with iteration_display(self.progress, "MultiCRF", self.max_iter) as show:
            for iteration in range(1, self.max_iter + 1):
                expected = truth.expected(scores, transitions)
                counts = truth.most_likely(scores, transitions) if self.most_likely else expected
                truth.priors = expected[0]
                crf.set_expected(truth.sentences, *counts)
                crf.train_again()
                scores, transitions = crf.scores(range(len(corpus)))
                show(iteration, "")
        self.crf_ = crf.crf()
        self._set_labels(corpus, crf.best(), crf.marginals())
        return self


class _Truth:
    """The distribution of the labels of all labelled sentences."""

    def __init__(self, corpus: CrowdCorpus) -> None:
        import numpy as np

        self.sentences = corpus.labelled()
        self._labels = len(corpus.labels)
        corpus.check_table(len(self.sentences), self._labels, self._labels)
        counts = corpus.vote_counts()
        labelled = np.zeros(len(corpus), dtype=bool)
        labelled[self.sentences] = True
        #: Whether each token of all sentences has votes or a known label.
        self._labelled = np.repeat(labelled, corpus.lengths)
        counts = counts[self._labelled]
        #: Priors of the labels of each token of the labelled sentences.
        shares = set_known(
            counts / np.maximum(counts.sum(axis=1, keepdims=True), 1), known_tokens(corpus, self.sentences)
        )
        self.priors = shares
        # The priors are used in place of the answers.
        self._chain = Annotators(corpus.replaced(annotations=[], annotators=[]), self.sentences)
        self._lengths = [corpus.lengths[at] for at in self.sentences]

    def _tables(self, scores: Array, transitions: Array) -> tuple[Array, Array, Array, Array]:
        import numpy as np

        with np.errstate(divide="ignore"):
            scores = scores[self._labelled] + np.log(self.priors)
        return np.zeros(0), np.zeros(self._labels), transitions, scores

    def expected(self, scores: Array, transitions: Array) -> tuple[Array, Array]:
        """Return expected counts under the product of the CRF and the priors."""
        posterior = self._chain.posterior(*self._tables(scores, transitions), by_sentence=True)
        return posterior.shares, posterior.pairs

    def most_likely(self, scores: Array, transitions: Array) -> tuple[Array, Array]:
        """Return counts of the most probable labels of each sentence."""
        import numpy as np

        best = self._chain.best(*self._tables(scores, transitions))
        shares = np.zeros((sum(self._lengths), self._labels))
        shares[np.arange(len(shares)), [label for row in best for label in row]] = 1.0
        pairs = np.zeros((len(best), self._labels, self._labels))
        for at, row in enumerate(best):
            np.add.at(pairs[at], (row[:-1], row[1:]), 1.0)
        return shares, pairs
