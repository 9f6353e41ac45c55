"""What all aggregators have in common."""

from __future__ import annotations

import itertools
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from spanrs.crf import CRF
from spanrs.errors import ModelError, SpanrsWarning
from spanrs.eval import score

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus


class Aggregator(ABC):
    """An estimate of the true labels of a corpus.

    Attributes
    ----------
    labels_ : list of list of str
        The labels of each sentence.
    confidence_ : list of arrays
        For each token of each sentence the probability of its label.
    reliability_ : dict of str to float
        Of each annotator, F1 of spans (accuracy of tokens where labels are not tags) against the estimated truth, on
        the sentences that they labelled; NaN without any, or where neither has a span.
    """

    labels_: list[list[str]]
    confidence_: list[npt.NDArray[np.float64]]
    reliability_: dict[str, float]

    #: Whether a CRF is trained on the probabilities of labels.
    _soft = False

    @abstractmethod
    def fit(self, corpus: Any) -> Self:
        """Estimate the truth.

        Parameters
        ----------
        corpus : CrowdCorpus, or what :func:`spanrs.crowd.crowd_corpus` takes
            The annotations.
        """

    def _set_truth(self, corpus: CrowdCorpus, probabilities: npt.NDArray[np.float64]) -> None:
        """Take the most probable label of each token, the lowest of equal ones; rows are tokens of all sentences."""
        import numpy as np

        best = probabilities.argmax(axis=1) if len(probabilities) else np.zeros(0, dtype=np.int64)
        ends = np.cumsum([0, *corpus.lengths])
        self._set_labels(corpus, [best[a:b].tolist() for a, b in itertools.pairwise(ends)], probabilities)

    def _set_labels(
        self, corpus: CrowdCorpus, labels: list[list[int]], probabilities: npt.NDArray[np.float64]
    ) -> None:
        """Take labels of each sentence; rows of probabilities are tokens of all sentences."""
        import numpy as np

        best = np.array([label for own in labels for label in own], dtype=np.int64)
        confidence = probabilities[np.arange(len(best)), best]
        ends = np.cumsum([0, *corpus.lengths])
        spans = list(itertools.pairwise(ends))
        self.labels_ = named(corpus, labels)
        self.confidence_ = [confidence[start:end] for start, end in spans]
        self.reliability_ = reliability(corpus, self.labels_)
        self._corpus, self._probabilities = corpus, probabilities

    def then_crf(self, **params: Any) -> CRF:
        """Train a CRF on the estimated truth.

        Parameters
        ----------
        **params
            Of :class:`spanrs.crf.CRF`; the default template is :meth:`CrowdCorpus.default_template`.

        Returns
        -------
        spanrs.crf.CRF
            Trained on the sentences that somebody labelled: on the labels with their probabilities where the aggregator
            has them, else on the labels.

        Raises
        ------
        spanrs.errors.ModelError
            If the aggregator is not fitted.
        """
        if not hasattr(self, "labels_"):
            raise ModelError("the aggregator is not fitted; call fit")
        targets, sentences = self._targets(), self._corpus.sentences
        labelled = self._corpus.labelled()
        params.setdefault("template", self._corpus.default_template())
        return CRF(**params).fit([sentences[at] for at in labelled], [targets[at] for at in labelled])

    def _targets(self) -> list[list[Any]]:
        """Labels to train on; of soft aggregators a distribution for each token, certain labels as they are."""
        if not self._soft:
            return [list(labels) for labels in self.labels_]
        names, targets = self._corpus.labels, []
        rows = iter(self._probabilities)
        for labels in self.labels_:
            own: list[Any] = []
            for _, row in zip(labels, rows, strict=False):
                share = {names[at]: float(row[at]) for at in row.nonzero()[0]}
                own.append(next(iter(share)) if len(share) == 1 else share)
            targets.append(own)
        return targets


class CRFAggregator(Aggregator):
    """An aggregator that trains a CRF, whose labels are the estimated truth.

    Attributes
    ----------
    crf_ : spanrs.crf.CRF
        The trained CRF.
    """

    crf_: CRF

    def predict(self, X: Iterable[Any]) -> list[list[str]]:  # noqa: N803  # scikit-learn's name
        """Give the best labels of sequences by the CRF.

        Raises
        ------
        spanrs.errors.ModelError
            If the aggregator is not fitted.
        """
        if not hasattr(self, "crf_"):
            raise ModelError(f"{type(self).__name__} is not trained; call fit")
        return self.crf_.predict(X)


def named(corpus: CrowdCorpus, labels: list[list[int]]) -> list[list[str]]:
    """Give the names of labels."""
    names = corpus.labels
    return [[names[label] for label in own] for own in labels]


def reliability(corpus: CrowdCorpus, truth: list[list[str]]) -> dict[str, float]:
    """Score each annotator against labels: F1 of spans, or accuracy of tokens where labels are not tags.

    Annotators who labelled nothing have NaN, and those who found no span where there is none. All are scored alike:
    under the scheme of the corpus.
    """
    import numpy as np

    votes, lengths, sizes = corpus.ordered_votes()
    # True labels may be others than those that annotators gave.
    ids = {name: at for at, name in enumerate(corpus.labels)}
    flat = [ids.setdefault(label, len(ids)) for own in truth for label in own]
    gold = np.array(flat, dtype=np.int64)[votes.token]
    scores = score_votes(corpus, gold=gold, pred=votes.label, lengths=lengths, sizes=sizes, names=list(ids))
    return dict(zip(corpus.annotators, scores, strict=True))


def score_votes(
    corpus: CrowdCorpus,
    *,
    gold: npt.NDArray[np.integer[Any]],
    pred: npt.NDArray[np.integer[Any]],
    lengths: npt.NDArray[np.int64],
    sizes: list[int],
    names: list[str] | None = None,
) -> list[float]:
    """Give the scores of annotators, as :func:`reliability` has them.

    Parameters
    ----------
    corpus : CrowdCorpus
        Of which the labels are; it gives scheme and names.
    gold, pred : arrays (votes)
        Numbers of true labels and votes, ordered by annotator.
    lengths : array (annotations)
        Tokens of each annotation.
    sizes : list of int
        Number of annotations of each annotator.
    names : list of str, optional
        Names of the labels, by default those of the corpus.
    """
    import numpy as np

    names = corpus.labels if names is None else names
    scheme = corpus.scheme()
    active = [size for size in sizes if size]
    if not active:
        return [float("nan")] * len(sizes)
    if scheme is None:
        annotator = np.repeat(np.repeat(np.arange(len(sizes)), sizes), lengths)
        right = np.bincount(annotator, gold == pred, len(sizes))
        tokens = np.bincount(annotator, minlength=len(sizes))
        shares = right / np.maximum(tokens, 1)
        return [float(share) if size else float("nan") for share, size in zip(shares, sizes, strict=True)]
    kind = np.int8 if len(names) < 128 else np.int64
    with warnings.catch_warnings():
        # Annotators may give illegal tags.
        warnings.simplefilter("ignore", SpanrsWarning)
        options: dict[str, Any] = {"scheme": scheme, "by": active, "vocabulary": names}
        rows = score(gold.astype(kind), pred.astype(kind), lengths=lengths, **options).documents
    found = iter([row.micro.f1 if any(row.totals) else float("nan") for row in rows])
    return [next(found) if size else float("nan") for size in sizes]
