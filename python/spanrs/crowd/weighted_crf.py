"""A CRF that is trained repeatedly with different weights of the labellings of a corpus."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

from spanrs import _spanrs
from spanrs.crf import CRF
from spanrs.crf.templates import template_name, template_text
from spanrs.crf.training import allows_single_token_sentences
from spanrs.threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from spanrs._spanrs import CrfModel
    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]


class WeightedCRF:
    """A CRF and the distinct labellings of each sentence of a corpus.

    Equal labellings of a sentence are merged, and all labellings of a sentence share one forward-backward pass. Each
    training starts from the weights of the previous training.

    Parameters
    ----------
    corpus : CrowdCorpus
        The corpus; sentences without annotations are not used in training.
    template, c2, min_freq, scheme, threads
        Same as in :class:`spanrs.crf.CRF`; the default template is :meth:`CrowdCorpus.default_template`.
    max_iter : int
        Maximum number of iterations in each training.
    features_of_all_labels : bool
        Generate features for every attribute with every label, not only for combinations that occur in annotations.
    min_attribute_freq : float
        Minimum frequency of an attribute.
    em_tol : float, optional
        Train to the precision that EM needs: each training continues where the previous one stopped, and ends when the
        estimated distance to the minimum is this fraction of the objective. By default training converges.

    Attributes
    ----------
    labelling : array (annotations)
        Index of the labelling of each annotation, counted over all sentences.
    sentence : array (labellings)
        Index of the sentence of each labelling.
    weights : array
        Weights of the features; 0 before the first training.
    state : CrowdCrfState or None
        Dual variables for ``weights``; None without ``em_tol``. For trainings on other sentences, replace both.
    """

    def __init__(
        self,
        corpus: CrowdCorpus,
        *,
        template: str | PathLike[str] | None,
        c2: float = 1.0,
        max_iter: int | None = None,
        min_freq: float = 0.0,
        scheme: str | None = "auto",
        threads: int | None = 1,
        features_of_all_labels: bool = False,
        min_attribute_freq: float = 0.0,
        em_tol: float | None = None,
    ) -> None:
        import numpy as np

        corpus.check_table(sum(corpus.lengths), len(corpus.labels))
        self.corpus, self.c2, self.threads = corpus, c2, thread_count(threads)
        template = corpus.default_template() if template is None else template
        self.template = None if template is None else template_text(template)
        estimator = CRF(
            c2=c2,
            tol=1e-4 if em_tol is None else em_tol,
            max_iter=max_iter,
            min_freq=min_freq,
            scheme=scheme,
            all_possible_states=features_of_all_labels,
        )
        self.options = estimator._options(min_attribute_freq=min_attribute_freq)
        if scheme == "auto":
            # The corpus detects the scheme only once.
            detected = corpus.scheme()
            legal = detected is not None and allows_single_token_sentences(detected, corpus.labels)
            self.scheme = detected if legal else None
        else:
            names = [
                [corpus.labels[label] for label in annotation.labels] for annotation in corpus.annotations
            ]
            self.scheme = estimator._scheme(corpus.labels, names)
        numbers, labels = self._merge()
        self._core = _spanrs.CrowdCrf(
            self.template, corpus.labels, corpus.sentences, numbers, labels, self.options
        )
        self.weights = np.zeros(self._core.sizes()[2])
        self.state = None if em_tol is None else _spanrs.CrowdCrfState()

    def _merge(self) -> tuple[list[int], npt.NDArray[np.uint32]]:
        """Index the distinct labellings; return the number of labellings of each sentence, and all their labels."""
        import numpy as np

        labelling: list[int] = []
        sentence: list[int] = []
        labels: list[int] = []
        numbers = [0] * len(self.corpus)
        groups = itertools.groupby(self.corpus.annotations, key=lambda annotation: annotation.sentence)
        for at, group in groups:
            distinct: dict[tuple[int, ...], int] = {}
            first = len(sentence)
            for annotation in group:
                number = distinct.setdefault(annotation.labels, first + len(distinct))
                labelling.append(number)
            for labels_of_sentence in distinct:
                labels.extend(labels_of_sentence)
                sentence.append(at)
            numbers[at] = len(distinct)
        self.labelling = np.array(labelling, dtype=np.int64)
        self.sentence = np.array(sentence, dtype=np.int64)
        return numbers, np.array(labels, dtype=np.uint32)

    def sums_of_annotations(self, values: Array) -> Array:
        """Return the sum of the values of the annotations of each labelling."""
        import numpy as np

        sums: Array = np.bincount(self.labelling, values, len(self.sentence)).astype(float)
        return sums

    def train(self, weights: Array) -> None:
        """Train on weighted labellings, starting from :attr:`weights`."""
        self._core.set_weights(weights)
        self.train_again()

    def set_expected(self, sentences: list[int], labels: Array, pairs: Array) -> None:
        """Replace the labellings of some sentences by distributions.

        Parameters
        ----------
        sentences : list of int
            Indices of the sentences.
        labels : array (tokens, labels)
            Probabilities of the labels of all tokens of these sentences.
        pairs : array (sentences, labels, labels)
            Expected counts of (label, next label).
        """
        self._core.set_expected(sentences, labels.ravel(), pairs.ravel())

    def set_active(self, active: list[bool]) -> None:
        """Set which sentences are used in training."""
        self._core.set_active(active)

    def train_again(self, max_iter: int | None = None) -> None:
        """Train with the current labellings and weights, starting from :attr:`weights`."""
        options = self.options
        if max_iter is not None:
            options = {**options, "max_iter": max_iter}
        self.weights, _ = self._core.train(self.weights, options, self.threads, self.state)

    def scores(self, sentences: Sequence[int]) -> tuple[Array, Array]:
        """Return the scores of labels (token of these sentences, label) and of (label, next label)."""
        labels = len(self.corpus.labels)
        scores, transitions = self._core.scores(self.weights, sentences, self.threads)
        return scores.reshape(-1, labels), transitions.reshape(labels, labels)

    def squares(self) -> float:
        """Return the sum of squared feature weights."""
        import numpy as np

        # Avoids BLAS, whose thread start-up costs more than the sum.
        return float(np.square(self.weights).sum())

    def objective(self, weights: Array, log_likelihoods: Array) -> float:
        """Return the training objective for weights of labellings, at the current feature weights."""
        return self.c2 * self.squares() - float((weights * log_likelihoods).sum())

    def log_likelihoods(self) -> Array:
        """Return the log-probability of each labelling (Eq. 1) without the constraint of the scheme."""
        return self._core.log_likelihoods(self.weights, self.threads)

    def best(self, weights: Array | None = None) -> list[list[int]]:
        """Return the most probable legal labels of each sentence."""
        best = self._core.best(self.weights if weights is None else weights, self.scheme, self.threads)
        return self._split(best)

    def marginals(self) -> Array:
        """Return marginal probabilities (token of all sentences, label) under the constraint of the scheme."""
        rows = self._core.marginals(self.weights, self.scheme, self.threads)
        return rows.reshape(-1, len(self.corpus.labels))

    def _split(self, labels: npt.NDArray[np.int64]) -> list[list[int]]:
        flat, ends = labels.tolist(), itertools.accumulate(self.corpus.lengths, initial=0)
        return [flat[start:end] for start, end in itertools.pairwise(ends)]

    def model(self) -> CrfModel:
        """Return the CRF as a model."""
        facts = {"template": self.template, "scheme": self.scheme}
        metadata = json.dumps({name: value for name, value in facts.items() if value})
        return self._core.model(self.weights, metadata)

    def crf(self) -> CRF:
        """Return the CRF as an estimator."""
        template = None if self.template is None else template_name(self.template)
        crf = CRF(template=template, c2=self.c2, scheme=self.scheme, threads=self.threads)
        crf._model = self.model()
        return crf
