"""Simulated annotators (Rodrigues, Pereira and Ribeiro 2013, section 4.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spanrs.crowd.corpus import CrowdCorpus
from spanrs.crowd.weighted_crf import WeightedCRF
from spanrs.errors import ModelError

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt


class NoisyCRFs:
    """Simulated annotators that label with noisy CRFs, so that each annotator makes consistent errors.

    A CRF is trained on the gold labels. Each annotator is a copy of the CRF with Gaussian noise added to the weights,
    and gives the most probable labels.

    Parameters
    ----------
    sentences : sequence of sequences
        Tokens or features, as accepted by :class:`spanrs.crf.CRF`.
    labels : sequence of sequences of str
        The gold labels.
    template, c2, min_freq, scheme, threads
        Same as in :class:`spanrs.crf.CRF`.

    Raises
    ------
    spanrs.errors.ModelError
        If there are no sentences.

    Examples
    --------
    >>> from spanrs.crowd import NoisyCRFs
    >>> sentences, labels = [["Ada", "sleeps"], ["Bob", "wakes"]], [["B-PER", "O"], ["B-PER", "O"]]
    >>> corpus = NoisyCRFs(sentences, labels, template="ner").simulate([0.0, 100.0], seed=1)
    >>> corpus.labels_by("1") == labels, corpus.labels_by("2") == labels
    (True, False)
    """

    def __init__(
        self,
        sentences: Sequence[Sequence[Any]],
        labels: Sequence[Sequence[str]],
        *,
        template: str | PathLike[str] | None = None,
        c2: float = 1.0,
        min_freq: float = 0.0,
        scheme: str | None = "auto",
        threads: int | None = 1,
    ) -> None:
        import numpy as np

        self._gold = _gold(sentences, labels)
        self._crf = WeightedCRF(
            self._gold, template=template, c2=c2, min_freq=min_freq, scheme=scheme, threads=threads
        )
        self._crf.train(np.ones(len(self._crf.sentence)))

    def simulate(self, variances: Sequence[float], *, repeated: bool = True, seed: int = 0) -> CrowdCorpus:
        """Return the sentences with labels of one annotator for each variance.

        Parameters
        ----------
        variances : sequence of float
            Variance of the noise on each weight, for each annotator; 0 means the CRF itself.
        repeated : bool
            All annotators label all sentences; otherwise the sentences are divided among the annotators at random.
        seed : int
            Random seed for noise and division.

        Returns
        -------
        CrowdCorpus
            Annotators are named ``1``, ``2``, ....

        Raises
        ------
        ValueError
            If there are no variances, or a variance is negative, infinite or NaN.
        """
        import numpy as np

        if not variances or not all(0 <= variance < np.inf for variance in variances):
            message = f"variances must be finite and at least 0, not {list(variances)}"
            raise ValueError(message)
        rng = np.random.default_rng(seed)

        def label(variance: float) -> list[list[int]]:
            noise = rng.normal(0.0, np.sqrt(variance), len(self._crf.weights))
            return self._crf.best(self._crf.weights + noise)

        return _corpus(self._gold, variances, label, repeated, rng)


def flip_labels(
    sentences: Sequence[Sequence[Any]],
    labels: Sequence[Sequence[str]],
    probabilities: Sequence[float],
    *,
    repeated: bool = True,
    seed: int = 0,
) -> CrowdCorpus:
    """Simulate annotators who replace each label, with a given probability, by a random other label.

    Parameters
    ----------
    sentences : sequence of sequences
        Tokens or features.
    labels : sequence of sequences of str
        The gold labels, with at least two different labels.
    probabilities : sequence of float
        Probability of replacing a label, from 0 to 1, for each annotator.
    repeated, seed
        Same as in :meth:`NoisyCRFs.simulate`.

    Returns
    -------
    CrowdCorpus
        Annotators are named ``1``, ``2``, .... Tags may be illegal.

    Raises
    ------
    ValueError
        If there are no probabilities, or a probability is out of range.
    spanrs.errors.ModelError
        If there are fewer than two labels.

    Examples
    --------
    >>> from spanrs.crowd import flip_labels
    >>> flip_labels([["a", "b"]], [["X", "Y"]], [0.0, 1.0]).labels_by("2")
    [['Y', 'X']]
    """
    import numpy as np

    if not probabilities or not all(0 <= probability <= 1 for probability in probabilities):
        message = f"probabilities must be from 0 to 1, not {list(probabilities)}"
        raise ValueError(message)
    gold = _gold(sentences, labels)
    if len(gold.labels) < 2:
        raise ModelError(
            f"the only label is {gold.labels[0] if gold.labels else 'none'}; it cannot be replaced"
        )
    rng = np.random.default_rng(seed)
    flat = np.array(
        [label for annotation in gold.annotations for label in annotation.labels], dtype=np.int64
    )

    def label(probability: float) -> list[list[int]]:
        # Adding 1 to n - 1, modulo n, gives all other labels with equal probability.
        other = (flat + rng.integers(1, len(gold.labels), len(flat))) % len(gold.labels)
        noisy = np.where(rng.random(len(flat)) < probability, other, flat)
        ends = np.cumsum(gold.lengths)
        return [part.tolist() for part in np.split(noisy, ends[:-1])]

    return _corpus(gold, probabilities, label, repeated, rng)


def share_errors(
    corpus: CrowdCorpus, groups: Sequence[Sequence[str]], probability: float, *, seed: int = 0
) -> CrowdCorpus:
    """Simulate groups of annotators with correlated errors, such as prompts of one language model.

    Parameters
    ----------
    corpus : CrowdCorpus
        Annotators with independent errors, for example of :func:`flip_labels`.
    groups : sequence of sequences of str
        Names of the annotators of each group.
    probability : float
        Probability, from 0 to 1, that an annotator of a group repeats the labels of the first annotator of the group in
        a sentence that both labelled.
    seed : int
        Random seed.

    Returns
    -------
    CrowdCorpus
        The corpus with changed labels.

    Raises
    ------
    ValueError
        If the probability is out of range.
    spanrs.errors.ModelError
        If a name is unknown.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, share_errors
    >>> corpus = CrowdCorpus([["a"]], [{"x": ["A"], "y": ["B"], "z": ["B"]}])
    >>> share_errors(corpus, [["x", "y"]], 1.0).labels_by("y")
    [['A']]
    """
    import numpy as np

    if not 0 <= probability <= 1:
        raise ValueError(f"probability must be from 0 to 1, not {probability}")
    unknown = [name for group in groups for name in group if name not in corpus.annotators]
    if unknown:
        raise ModelError(f"no annotator {unknown[0]!r}; the annotators are {', '.join(corpus.annotators)}")
    first = {
        corpus.annotators.index(name): corpus.annotators.index(group[0])
        for group in groups
        for name in group
    }
    labels = {(row.sentence, row.annotator): row.labels for row in corpus.annotations}
    draws = np.random.default_rng(seed).random(len(corpus.annotations))
    annotations = []
    for row, draw in zip(corpus.annotations, draws.tolist(), strict=True):
        repeated = labels.get((row.sentence, first.get(row.annotator, row.annotator)), row.labels)
        annotations.append(row._replace(labels=repeated) if draw < probability else row)
    return corpus.replaced(annotations=annotations)


def _gold(sentences: Sequence[Sequence[Any]], labels: Sequence[Sequence[str]]) -> CrowdCorpus:
    if not len(sentences):
        raise ModelError("there are no sentences")
    return CrowdCorpus(sentences, [{"gold": row} for row in labels], missing=None)


def _corpus(
    gold: CrowdCorpus,
    levels: Sequence[float],
    label: Callable[[float], list[list[int]]],
    repeated: bool,
    rng: np.random.Generator,
) -> CrowdCorpus:
    """Return the sentences with the labels of one annotator for each noise level."""
    import numpy as np

    answers: list[dict[str, list[str]]] = [{} for _ in range(len(gold))]
    owners: npt.NDArray[np.int64] = rng.permutation(np.arange(len(gold)) % len(levels))
    for number, level in enumerate(levels):
        for at, row in enumerate(label(level)):
            if repeated or owners[at] == number:
                answers[at][str(number + 1)] = [gold.labels[label] for label in row]
    annotators = [str(number + 1) for number in range(len(levels))]
    # The scheme cannot be detected from noisy labels.
    return CrowdCorpus(gold.sentences, answers, annotators=annotators, scheme=gold.scheme(), missing=None)
