"""MultiCRF and MultiCRF-MAX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from spanrs.crowd.aggregator import CRFAggregator
from spanrs.crowd.annotators import Annotators
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
    """A CRF learnt from several possible labels of each token (Dredze, Talukdar and Crammer 2009).

    Each token has a prior of its labels, at first the shares of votes. In turn the CRF is trained on the distribution
    of the labels, and this distribution becomes the product of the CRF and the priors, whose marginals are the new
    priors.

    Parameters
    ----------
    template, c2, min_freq, scheme, threads
        As in :class:`CRFMA`.
    most_likely : bool
        MultiCRF-MAX: train on the most likely labels of each sentence instead of on the distribution.
    iterations : int
        Number of trainings.
    crf_iterations : int
        Largest number of L-BFGS iterations in each training, which begins with the weights of the last one.
    progress : bool, optional
        Show iterations on standard error; by default if it is a terminal.

    Attributes
    ----------
    crf_ : spanrs.crf.CRF
        The trained CRF; its labels are the estimated truth.

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
        iterations: int = 5,
        crf_iterations: int = 50,
        min_freq: float = 0.0,
        scheme: str | None = "auto",
        threads: int = 1,
        progress: bool | None = None,
    ) -> None:
        self.template = template
        self.most_likely = most_likely
        self.c2 = c2
        self.iterations = iterations
        self.crf_iterations = crf_iterations
        self.min_freq = min_freq
        self.scheme = scheme
        self.threads = threads
        self.progress = progress

    def fit(self, corpus: Any) -> Self:
        """Train the CRF, and take its labels as the truth.

        Raises
        ------
        ValueError
            For fewer than one iteration.
        spanrs.errors.ModelError
            If the corpus has no annotations.
        spanrs.errors.LimitError
            For so many labels that tables would fill the memory.
        """
        corpus = crowd_corpus(corpus)
        import numpy as np

        if self.iterations < 1 or self.crf_iterations < 1:
            raise ValueError("iterations and crf_iterations must be at least 1")
        corpus.check_labelled()
        truth = _Truth(corpus)
        crf = WeightedCRF(
            corpus,
            template=self.template,
            c2=self.c2,
            max_iterations=self.crf_iterations,
            min_freq=self.min_freq,
            scheme=self.scheme,
            threads=self.threads,
        )
        labels = len(corpus.labels)
        scores, transitions = np.zeros((sum(corpus.lengths), labels)), np.zeros((labels, labels))
        with iteration_display(self.progress, "MultiCRF", self.iterations) as show:
            for iteration in range(1, self.iterations + 1):
                expected = truth.expected(scores, transitions)
                counts = truth.most_likely(scores, transitions) if self.most_likely else expected
                truth.priors = expected[0]
                crf.set_expected(truth.sentences, *counts)
                crf.train_again()
                scores, transitions = crf.scores()
                show(iteration, "")
        self.crf_ = crf.crf()
        self._set_labels(corpus, crf.best(), crf.marginals())
        return self


class _Truth:
    """The distribution of the labels of all sentences that somebody labelled."""

    def __init__(self, corpus: CrowdCorpus) -> None:
        import numpy as np

        self.sentences = corpus.labelled()
        self._labels = len(corpus.labels)
        corpus.check_table(len(self.sentences), self._labels, self._labels)
        counts = corpus.vote_counts()
        known = np.zeros(len(corpus), dtype=bool)
        known[self.sentences] = True
        #: Of each token of all sentences, whether somebody labelled it.
        self._known = np.repeat(known, corpus.lengths)
        counts = counts[self._known]
        #: Of the labels of each token of these sentences.
        self.priors = counts / counts.sum(axis=1, keepdims=True)
        # The priors stand for the answers.
        self._chain = Annotators(corpus.replaced(annotations=[], annotators=[]), self.sentences)
        self._lengths = [corpus.lengths[at] for at in self.sentences]

    def _tables(self, scores: Array, transitions: Array) -> tuple[Array, Array, Array, Array]:
        import numpy as np

        with np.errstate(divide="ignore"):
            scores = scores[self._known] + np.log(self.priors)
        return np.zeros(0), np.zeros(self._labels), transitions, scores

    def expected(self, scores: Array, transitions: Array) -> tuple[Array, Array]:
        """Give expected counts under the product of the CRF and the priors."""
        found = self._chain.posterior(*self._tables(scores, transitions), by_sentence=True)
        return found.shares, found.pairs

    def most_likely(self, scores: Array, transitions: Array) -> tuple[Array, Array]:
        """Give counts of the most likely labels of each sentence."""
        import numpy as np

        best = self._chain.best(*self._tables(scores, transitions))
        shares = np.zeros((sum(self._lengths), self._labels))
        shares[np.arange(len(shares)), [label for own in best for label in own]] = 1.0
        pairs = np.zeros((len(best), self._labels, self._labels))
        for at, own in enumerate(best):
            np.add.at(pairs[at], (own[:-1], own[1:]), 1.0)
        return shares, pairs
