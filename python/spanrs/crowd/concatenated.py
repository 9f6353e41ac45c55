"""A CRF trained on the labels of all annotators equally."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Self

from spanrs.crowd.aggregator import CRFAggregator
from spanrs.crowd.known import training_corpus
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.weighted_crf import WeightedCRF

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus


class ConcatenatedCRF(CRFAggregator):
    """CRF-CONC (Rodrigues, Pereira and Ribeiro 2013, section 4): all labellings are training data.

    Sentences with known labels are trained with these labels only.

    Parameters
    ----------
    template, c2, min_freq, scheme, threads
        Same as in :class:`CRFMA`.
    normalized : bool
        Each sentence has the weight 1, divided among its annotators. Otherwise each labelling has the weight 1, so
        sentences are weighted by their number of annotators, and the prior of the CRF has less influence.
    max_iter : int
        Maximum number of iterations.

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
        max_iter: int = 1000,
        min_freq: float = 0.0,
        scheme: str | None = "auto",
        threads: int | None = 1,
    ) -> None:
        self.template = template
        self.normalized = normalized
        self.c2 = c2
        self.max_iter = max_iter
        self.min_freq = min_freq
        self.scheme = scheme
        self.threads = threads

    def fit(self, corpus: Any) -> Self:
        """Train the CRF; its predictions are the estimated truth.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        spanrs.errors.ModelError
            If the corpus has no annotations.
        """
        corpus = crowd_corpus(corpus)
        import numpy as np

        self._check_params()
        corpus.check_labelled()
        training = training_corpus(corpus)
        crf = WeightedCRF(
            training,
            template=self.template,
            c2=self.c2,
            max_iter=self.max_iter,
            min_freq=self.min_freq,
            scheme=self.scheme,
            threads=self.threads,
        )
        weights = crf.sums_of_annotations(_annotation_weights(corpus, training))
        if self.normalized:
            weights /= np.bincount(crf.sentence, weights)[crf.sentence]
        crf.train(weights)
        self.crf_ = crf.crf()
        self._set_labels(corpus, crf.best(), crf.marginals())
        return self


def _annotation_weights(corpus: CrowdCorpus, training: CrowdCorpus) -> npt.NDArray[np.float64]:
    """Return weights of the annotations: 1, or for known labels the number of annotators of the sentence, if any."""
    import numpy as np

    numbers = Counter(annotation.sentence for annotation in corpus.annotations)
    return np.array(
        [
            max(1.0, numbers[annotation.sentence]) if annotation.sentence in corpus.known else 1.0
            for annotation in training.annotations
        ]
    )
