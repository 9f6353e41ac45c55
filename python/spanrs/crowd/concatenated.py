"""A CRF trained on the labels of all annotators alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from spanrs.crowd.aggregator import CRFAggregator
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.weighted_crf import WeightedCRF

if TYPE_CHECKING:
    from os import PathLike


class ConcatenatedCRF(CRFAggregator):
    """CRF-CONC (Rodrigues, Pereira and Ribeiro 2013, section 4): all labellings are training data, by whomever.

    Parameters
    ----------
    template, c2, min_freq, scheme, threads
        As in :class:`CRFMA`.
    normalized : bool
        Each sentence weighs 1, shared by its annotators. Otherwise each labelling weighs 1, so that sentences count by
        the number of their annotators, and the prior of the CRF less.
    max_iterations : int
        Largest number of iterations of L-BFGS.

    Attributes
    ----------
    crf_ : spanrs.crf.CRF
        The trained CRF.

    Examples
    --------
    >>> from spanrs.crowd import ConcatenatedCRF, CrowdCorpus
    >>> votes = {"ann": ["B-PER", "O"], "ben": ["B-PER", "O"], "eve": ["O", "O"]}
    >>> ConcatenatedCRF(template="ner").fit(CrowdCorpus([["Ada", "sleeps"]], [votes])).labels_
    [['B-PER', 'O']]
    """

    def __init__(
        self,
        *,
        template: str | PathLike[str] | None = None,
        normalized: bool = False,
        c2: float = 1.0,
        max_iterations: int = 1000,
        min_freq: float = 0.0,
        scheme: str | None = "auto",
        threads: int = 1,
    ) -> None:
        self.template = template
        self.normalized = normalized
        self.c2 = c2
        self.max_iterations = max_iterations
        self.min_freq = min_freq
        self.scheme = scheme
        self.threads = threads

    def fit(self, corpus: Any) -> Self:
        """Train the CRF, and take its labels as the truth.

        Raises
        ------
        spanrs.errors.ModelError
            If the corpus has no annotations.
        """
        corpus = crowd_corpus(corpus)
        import numpy as np

        corpus.check_labelled()
        crf = WeightedCRF(
            corpus,
            template=self.template,
            c2=self.c2,
            max_iterations=self.max_iterations,
            min_freq=self.min_freq,
            scheme=self.scheme,
            threads=self.threads,
        )
        weights = crf.sums_of_annotations(np.ones(len(corpus.annotations)))
        if self.normalized:
            weights /= np.bincount(crf.sentence, weights)[crf.sentence]
        crf.train(weights)
        self.crf_ = crf.crf()
        self._set_labels(corpus, crf.best(), crf.marginals())
        return self
