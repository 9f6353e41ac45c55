"""Majority votes, with explicit rules for ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.reading import crowd_corpus

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

UNITS = ("token", "sequence", "segment")
TIES = ("lowest", "random", "annotator")


class MajorityVote(Aggregator):
    """Majority voting (Rodrigues et al. 2013, section 4: MVtoken, MVseq and MVseg).

    Sentences with known labels get these labels; the votes on other sentences do not depend on known labels.

    Parameters
    ----------
    unit : str
        ``token``: the most frequent label of each token. ``sequence``: the most frequent labelling of each sentence.
        ``segment``: first a vote on whether a token is in a segment (any label but ``O``), then a vote on the label
        among the annotators who voted for a segment.
    ties : str
        ``lowest``: the first tied label in the order of ``corpus.labels`` (``O`` is first), for sequences in
        lexicographic order. ``random``: a random tied label, using ``seed``. ``annotator``: the answer of the first
        annotator, in the order of ``corpus.annotators``, who gave one of the tied answers. The rule can change F1 by
        several points.
    seed : int
        Random seed for ``ties="random"``.

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, MajorityVote
    >>> votes = {"ann": ["B-PER", "O"], "ben": ["B-PER", "O"], "eve": ["O", "O"]}
    >>> vote = MajorityVote().fit(CrowdCorpus([["Ada", "sleeps"]], [votes]))
    >>> vote.labels_, vote.confidence_[0].round(2).tolist(), vote.reliability_["eve"]
    ([['B-PER', 'O']], [0.67, 1.0], 0.0)
    """

    _choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"unit": UNITS, "ties": TIES}

    def __init__(self, *, unit: str = "token", ties: str = "lowest", seed: int = 0) -> None:
        self.unit = unit
        self.ties = ties
        self.seed = seed

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth; ``confidence_`` is the share of votes.

        Tokens without votes have the first label of ``corpus.labels``, with confidence 0.

        Raises
        ------
        ValueError
            If a parameter has an invalid value.
        spanrs.errors.ModelError
            If the corpus has no annotations.
        spanrs.errors.LimitError
            If tables of the labels would exceed the memory limit.
        """
        corpus = crowd_corpus(corpus)
        import numpy as np

        self._check_params()
        corpus.check_labelled()
        corpus.check_table(sum(corpus.lengths), len(corpus.labels))
        rng = np.random.default_rng(self.seed)
        shares = self._sequences(corpus, rng) if self.unit == "sequence" else self._tokens(corpus, rng)
        self._set_truth(corpus, shares)
        return self

    def _tokens(self, corpus: CrowdCorpus, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        import numpy as np

        counts = corpus.vote_counts().astype(float)
        size = counts.shape
        ranks = self._ranks(corpus, size, rng)
        allowed = np.ones(size, dtype=bool)
        if self.unit == "segment" and "O" in corpus.labels:
            outside = corpus.labels.index("O")
            inside = np.delete(np.arange(size[1]), outside)
            # Two options: outside, and the sum of all other labels with their best rank.
            sums = np.stack([counts[:, outside], counts[:, inside].sum(axis=1)], axis=1)
            best = np.where(counts > 0, ranks, np.inf)
            two_ranks = np.stack([ranks[:, outside], best[:, inside].min(axis=1, initial=np.inf)], axis=1)
            in_segment = _winner(sums, two_ranks) == 1
            allowed[:, outside] = ~in_segment
            allowed[np.ix_(~in_segment, inside)] = False
        winner = _winner(np.where(allowed, counts, -1.0), ranks)
        return _chosen(counts, winner)

    def _ranks(
        self, corpus: CrowdCorpus, size: tuple[int, int], rng: np.random.Generator
    ) -> npt.NDArray[np.float64]:
        """Return a rank of each label at each token; the lowest rank wins a tie."""
        import numpy as np

        if self.ties == "random":
            return rng.random(size)
        if self.ties == "lowest":
            return np.broadcast_to(np.arange(size[1], dtype=np.float64), size)
        ranks = np.full(size, np.inf)
        votes = corpus.votes()
        np.minimum.at(ranks, (votes.token, votes.label), votes.annotator.astype(np.float64))
        return ranks

    def _sequences(self, corpus: CrowdCorpus, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        import numpy as np

        by_sentence: list[list[tuple[int, ...]]] = [[] for _ in range(len(corpus))]
        for annotation in corpus.annotations:
            by_sentence[annotation.sentence].append(annotation.labels)
        starts = np.cumsum([0, *corpus.lengths])
        shares = np.zeros((sum(corpus.lengths), len(corpus.labels)))
        for start, labellings, length in zip(starts[:-1], by_sentence, corpus.lengths, strict=True):
            # Labellings are in the order of the annotators.
            counts = Counter(labellings)
            most = max(counts.values(), default=0)
            tied = [labelling for labelling, count in counts.items() if count == most]
            if not tied:
                continue
            if self.ties == "lowest":
                chosen: Any = min(tied)
            else:
                chosen = tied[int(rng.integers(len(tied)))] if self.ties == "random" else tied[0]
            # Confidence is the share of votes for the labelling, not for its labels.
            shares[np.arange(start, start + length), chosen] = most / len(labellings)
        return shares


def _winner(counts: npt.NDArray[np.float64], ranks: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the column with the largest count, for ties the column with the lowest rank."""
    import numpy as np

    tied = counts == counts.max(axis=1, keepdims=True, initial=-1.0)
    winner: npt.NDArray[np.int64] = np.where(tied, ranks, np.inf).argmin(axis=1)
    return winner


def _chosen(counts: npt.NDArray[np.float64], winner: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the share of votes for the winner, and 0 for other labels; tokens without votes have no winner."""
    import numpy as np

    totals = counts.sum(axis=1)
    rows = np.arange(len(counts))
    shares = np.zeros_like(counts)
    shares[rows, winner] = counts[rows, winner] / np.maximum(totals, 1.0)
    return shares
