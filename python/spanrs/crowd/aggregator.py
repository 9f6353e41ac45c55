"""Base classes of aggregators."""

from __future__ import annotations

import itertools
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, Self

from spanrs.crf import CRF
from spanrs.crowd.correlation import warn_of_correlation
from spanrs.crowd.known import known_tokens, set_known
from spanrs.errors import ModelError, NotFittedError, SpanrsWarning
from spanrs.estimator import Estimator
from spanrs.eval import score

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus


#: Share of contradicted tokens, of all tokens with an estimate other than ``O``, above which a warning is issued.
MOST_CONTRADICTED = 0.01


class Aggregator(Estimator, ABC):
    """An estimate of the true labels of a corpus.

    Attributes
    ----------
    labels_ : list of list of str
        The labels of each sentence; known labels are unchanged, with confidence 1.
    confidence_ : list of arrays
        For each sentence, the probability of the label of each token.
    reliability_ : dict of str to float
        F1 of spans of each annotator against the estimated truth (token accuracy if labels are not tags), on the
        sentences that the annotator labelled; NaN if there are no sentences or spans.
    """

    labels_: list[list[str]]
    confidence_: list[npt.NDArray[np.float64]]
    reliability_: dict[str, float]

    #: Whether `then_crf` trains on probabilities of labels.
    _soft = False

    @abstractmethod
    def fit(self, corpus: Any) -> Self:
        """Estimate the truth.

        Parameters
        ----------
        corpus : CrowdCorpus, or a source that :func:`spanrs.crowd.crowd_corpus` accepts
            The annotations, or their source.
        """

    def _set_truth(self, corpus: CrowdCorpus, probabilities: npt.NDArray[np.float64]) -> None:
        """Set each token to its most probable label (ties: the lowest index); rows are the tokens of all sentences."""
        import numpy as np

        best = probabilities.argmax(axis=1) if len(probabilities) else np.zeros(0, dtype=np.int64)
        ends = np.cumsum([0, *corpus.lengths])
        self._set_labels(corpus, [best[a:b].tolist() for a, b in itertools.pairwise(ends)], probabilities)

    def _set_labels(
        self, corpus: CrowdCorpus, labels: list[list[int]], probabilities: npt.NDArray[np.float64]
    ) -> None:
        """Set the labels of each sentence; rows of probabilities are tokens of all sentences.

        Known labels replace the labels and probabilities of their sentences.
        """
        import numpy as np

        labels = [list(corpus.known.get(at, row)) for at, row in enumerate(labels)]
        probabilities = set_known(probabilities, known_tokens(corpus))
        best = np.array([label for row in labels for label in row], dtype=np.int64)
        confidence = probabilities[np.arange(len(best)), best]
        ends = np.cumsum([0, *corpus.lengths])
        spans = list(itertools.pairwise(ends))
        self.labels_ = named(corpus, labels)
        self.confidence_ = [confidence[start:end] for start, end in spans]
        self.reliability_ = reliability(corpus, self.labels_)
        self._corpus, self._probabilities = corpus, probabilities
        _warn_of_contradictions(corpus, best)
        warn_of_correlation(corpus)

    def answer_tables(self) -> npt.NDArray[np.float64]:
        """Return the estimated probabilities of the answers of each annotator to a token.

        Returns
        -------
        array (annotators, labels, labels)
            Probability of an answer (last axis), given the true label (axis 1).

        Raises
        ------
        spanrs.errors.NotFittedError
            If the aggregator is not fitted.
        spanrs.errors.ModelError
            If the aggregator does not estimate these probabilities.

        Examples
        --------
        >>> from spanrs.crowd import CrowdCorpus, OneCoinDawidSkene
        >>> corpus = CrowdCorpus([["x", "y"]] * 4, [{"ann": ["A", "B"], "ben": ["A", "B"]}] * 4)
        >>> OneCoinDawidSkene().fit(corpus).answer_tables().round(1).tolist()[0]
        [[0.9, 0.1], [0.1, 0.9]]
        """
        if not hasattr(self, "labels_"):
            raise NotFittedError(f"{type(self).__name__} is not fitted; call fit")
        tables = self._answer_tables()
        if tables is None:
            message = (
                f"{type(self).__name__} does not estimate the probabilities of answers; use DawidSkene, "
                "OneCoinDawidSkene, MACE, HMMCrowd, BSCSeq or CrossFitted"
            )
            raise ModelError(message)
        return tables

    def _answer_tables(self) -> npt.NDArray[np.float64] | None:
        return None

    def then_crf(self, **params: Any) -> CRF:
        """Train a CRF on the estimated truth.

        Parameters
        ----------
        **params
            Parameters of :class:`spanrs.crf.CRF`; the default template is :meth:`CrowdCorpus.default_template`.

        Returns
        -------
        spanrs.crf.CRF
            A CRF trained on the sentences with annotations or known labels: on probabilities of labels if the
            aggregator estimates probabilities, otherwise on labels.

        Raises
        ------
        spanrs.errors.ModelError
            If the aggregator is not fitted.
        """
        if not hasattr(self, "labels_"):
            raise NotFittedError(f"{type(self).__name__} is not fitted; call fit")
        targets, sentences = self._targets(), self._corpus.sentences
        labelled = self._corpus.labelled()
        params.setdefault("template", self._corpus.default_template())
        return CRF(**params).fit([sentences[at] for at in labelled], [targets[at] for at in labelled])

    def _targets(self) -> list[list[Any]]:
        """Return training targets: labels, or dicts of probabilities for uncertain tokens of soft aggregators."""
        if not self._soft:
            return [list(labels) for labels in self.labels_]
        names, targets = self._corpus.labels, []
        rows = iter(self._probabilities)
        for labels in self.labels_:
            target: list[Any] = []
            for _, row in zip(labels, rows, strict=False):
                share = {names[at]: float(row[at]) for at in row.nonzero()[0]}
                target.append(next(iter(share)) if len(share) == 1 else share)
            targets.append(target)
        return targets


def contradicted_tokens(corpus: CrowdCorpus, labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the tokens that all annotators, two or more, labelled alike, and the estimate otherwise, if not known.

    Parameters
    ----------
    corpus : CrowdCorpus
        The annotations.
    labels : array of int64, shape (tokens,)
        The estimated label of each token of all sentences.

    Returns
    -------
    array of int64
        Indices of tokens of all sentences.
    """
    import numpy as np

    votes = corpus.votes()
    number = np.bincount(votes.token, minlength=len(labels))
    lowest = np.full(len(labels), len(corpus.labels), dtype=np.int64)
    np.minimum.at(lowest, votes.token, votes.label)
    highest = np.full(len(labels), -1, dtype=np.int64)
    np.maximum.at(highest, votes.token, votes.label)
    contradicted = (number > 1) & (lowest == highest) & (lowest != labels)
    contradicted[known_tokens(corpus).token] = False
    return np.flatnonzero(contradicted)


def _warn_of_contradictions(corpus: CrowdCorpus, labels: npt.NDArray[np.int64]) -> None:
    """Warn if an estimate contradicts many unanimous answers, as methods with many parameters do on few sentences."""
    import numpy as np

    tokens = contradicted_tokens(corpus, labels)
    if len(tokens) <= MOST_CONTRADICTED * np.count_nonzero(labels != outside(corpus)):
        return
    votes = corpus.votes()
    first = int(tokens[0])
    answer = corpus.labels[int(votes.label[np.flatnonzero(votes.token == first)[0]])]
    sentence = int(np.searchsorted(np.cumsum(corpus.lengths), first, side="right"))
    at = first - sum(corpus.lengths[:sentence])
    warnings.warn(
        f"the estimate contradicts all annotators of {_counted(len(tokens))}, the first: "
        f"sentence {sentence} token {at}: {answer}, estimate {corpus.labels[int(labels[first])]}; with few sentences, "
        "compare with HMM-crowd or MVtoken, which have fewer parameters or none",
        SpanrsWarning,
        stacklevel=4,
    )


def _counted(number: int) -> str:
    return "a token" if number == 1 else f"{number} tokens"


def outside(corpus: CrowdCorpus) -> int:
    """Return the index of the label ``O``; -1 if there is none."""
    return corpus.labels.index("O") if "O" in corpus.labels else -1


class CRFAggregator(Aggregator):
    """An aggregator that trains a CRF whose predictions are the estimated truth.

    Attributes
    ----------
    crf_ : spanrs.crf.CRF
        The trained CRF.
    """

    crf_: CRF

    def predict(self, X: Iterable[Any]) -> list[list[str]]:  # noqa: N803  # scikit-learn's name
        """Return the most probable labellings of sequences under the CRF.

        Raises
        ------
        spanrs.errors.ModelError
            If the aggregator is not fitted.
        """
        return self._fitted_crf().predict(X)

    def _fitted_crf(self) -> CRF:
        if not hasattr(self, "crf_"):
            raise NotFittedError(f"{type(self).__name__} is not fitted; call fit")
        return self.crf_

    def save(self, target: str | PathLike[str] | IO[bytes]) -> None:
        """Write a model file with the CRF and the parameters of the aggregator; :meth:`CRF.load` also reads the file.

        Estimates for the training corpus, such as ``labels_``, are not saved; pickle the aggregator to keep them.
        """
        facts = {"name": type(self).__name__, "params": self._saved_params()}
        self._fitted_crf()._with_metadata(aggregator=facts).save(target)

    @classmethod
    def load(cls, source: str | PathLike[str] | bytes | IO[bytes]) -> Self:
        """Read a model file written by :meth:`save`.

        Returns
        -------
        aggregator
            An aggregator with the saved parameters, and ``crf_``.

        Raises
        ------
        spanrs.errors.ModelError
            If the file is damaged, or belongs to another estimator.
        """
        crf = CRF.load(source)
        facts = crf.metadata_.get("aggregator")
        if not isinstance(facts, dict) or facts.get("name") != cls.__name__:
            raise ModelError(f"the file is not a model of {cls.__name__}; CRF.load can read it")
        aggregator = cls._with_saved_params(facts.get("params"))
        aggregator.crf_ = crf
        return aggregator


def named(corpus: CrowdCorpus, labels: list[list[int]]) -> list[list[str]]:
    """Return the names of labels."""
    names = corpus.labels
    return [[names[label] for label in row] for row in labels]


def reliability(corpus: CrowdCorpus, truth: list[list[str]]) -> dict[str, float]:
    """Score each annotator against the given labels: F1 of spans, or token accuracy if labels are not tags.

    The score is NaN for annotators without sentences, and if neither side has spans. All annotators are scored under
    the scheme of the corpus.
    """
    import numpy as np

    votes, lengths, sizes = corpus.ordered_votes()
    # Annotators may not have used all true labels.
    ids = {name: at for at, name in enumerate(corpus.labels)}
    flat = [ids.setdefault(label, len(ids)) for row in truth for label in row]
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
    """Return the scores of :func:`reliability` from arrays.

    Parameters
    ----------
    corpus : CrowdCorpus
        The corpus, which determines the scheme and the names of labels.
    gold, pred : arrays (votes)
        Indices of true labels and of voted labels, ordered by annotator.
    lengths : array (annotations)
        Number of tokens of each annotation.
    sizes : list of int
        Number of annotations of each annotator.
    names : list of str, optional
        Names of the labels, by default ``corpus.labels``.
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
        # Tags of annotators may be illegal.
        warnings.simplefilter("ignore", SpanrsWarning)
        options: dict[str, Any] = {"scheme": scheme, "by": active, "vocabulary": names}
        rows = score(gold.astype(kind), pred.astype(kind), lengths=lengths, **options).documents
    scores = iter([row.micro.f1 if any(row.totals) else float("nan") for row in rows])
    return [next(scores) if size else float("nan") for size in sizes]
