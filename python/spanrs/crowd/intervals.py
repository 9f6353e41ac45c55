"""Intervals of annotators' scores with estimated true labels.

A score against estimated labels has three sources of error: the sample of sentences, the uncertainty of their labels,
and the estimation of the parameters from the same annotations. For each bootstrap resample of sentences, the model of
:class:`spanrs.crowd.BSCSeq` is refitted with a few variational Bayes steps, starting from the parameters fitted to the
whole corpus; true labels are drawn from the posterior, and annotators are scored against the drawn labels. Scores
against the most probable labels would favour the annotators from whom these labels were estimated.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

from spanrs.crowd.aggregator import score_votes
from spanrs.crowd.annotators import Annotators, Legality, Posterior, expected_logs, legality
from spanrs.crowd.bsc import BSCSeq, Variational
from spanrs.report.progress import iteration_display

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]

#: Number of tokens above which resamples are drawn from a random part of the sentences.
MOST_TOKENS = 200_000
#: Number of times true labels of a large corpus are drawn for the middle of the intervals.
CENTRAL = 5
#: Variational Bayes steps on a resample; more steps change coverage by less than the standard error of coverage.
STEPS = 5


def truth_intervals(
    corpus: CrowdCorpus,
    *,
    samples: int = 100,
    level: float = 0.95,
    seed: int = 0,
    progress: bool | None = None,
) -> list[tuple[float, float] | None]:
    """Return an interval of each annotator's score against the true labels, independent of the aggregation method.

    Of more than :data:`MOST_TOKENS` tokens, resamples are drawn from a random part of the sentences, and their standard
    deviation is multiplied by the square root of the part's share (m out of n bootstrap; Bickel, Götze and van Zwet
    1997); the middle of the intervals is that of all sentences.

    Parameters
    ----------
    corpus : CrowdCorpus
        A corpus in which some sentences have several annotators.
    samples : int
        Number of bootstrap resamples of the sentences.
    level : float
        Level of the intervals, which are normal in the logit of the score.
    seed : int
        Random seed for resamples and drawn labels.
    progress : bool, optional
        Show the number of resamples on standard error; None shows it only if standard error is a terminal.

    Returns
    -------
    list
        An interval for each annotator; None for annotators with fewer than two sentences or without a score.

    Raises
    ------
    spanrs.errors.ModelError
        If no sentence has several annotators.

    Examples
    --------
    >>> from spanrs.crowd import flip_labels
    >>> from spanrs.crowd.intervals import truth_intervals
    >>> gold = [["B-PER", "O", "O"], ["O", "B-PER", "O"]] * 50
    >>> corpus = flip_labels([["a", "b", "c"]] * 100, gold, [0.05, 0.05, 0.2], seed=1)
    >>> [interval[1] - interval[0] < 0.3 for interval in truth_intervals(corpus)]
    [True, True, True]
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    part = _part(corpus, rng)
    resampling = _Resampling(part, rng)
    with iteration_display(progress, "intervals", samples) as show:
        draws = []
        for done in range(samples):
            draws.append(resampling.scores())
            show(done + 1, "")
    values = np.array(draws)
    *_, sizes = corpus.ordered_votes()
    *_, drawn_sizes = part.ordered_votes()
    centres = values
    if part is not corpus:
        whole = _Resampling(corpus, rng)
        centres = np.array([whole.scores_without_resampling() for _ in range(CENTRAL)])
    intervals: list[tuple[float, float] | None] = []
    for column, centre, size, drawn in zip(values.T, centres.T, sizes, drawn_sizes, strict=True):
        column, centre = (item[~np.isnan(item)] for item in (column, centre))  # noqa: PLW2901
        if min(size, drawn, len(column), len(centre)) < 2:
            intervals.append(None)
            continue
        middle = _logits(centre, size).mean()
        # Standard errors are inversely proportional to the square root of the number of sentences.
        spread = _logits(column, drawn).std(ddof=1) * math.sqrt(drawn / size)
        intervals.append(_interval(middle, spread, size, level))
    return intervals


def _part(corpus: CrowdCorpus, rng: np.random.Generator) -> CrowdCorpus:
    """Return the corpus, or a random part of its sentences if it is large."""
    tokens = sum(corpus.lengths)
    if tokens <= MOST_TOKENS:
        return corpus
    number = max(len(corpus) * MOST_TOKENS // tokens, 2)
    chosen = sorted(rng.choice(len(corpus), number, replace=False).tolist())
    place = {sentence: at for at, sentence in enumerate(chosen)}
    annotations = [
        annotation._replace(sentence=place[annotation.sentence])
        for annotation in corpus.annotations
        if annotation.sentence in place
    ]
    part = corpus.replaced(sentences=[corpus.sentences[at] for at in chosen], annotations=annotations)
    part.known = {place[at]: labels for at, labels in corpus.known.items() if at in place}
    return part


def _logits(values: Array, size: int) -> Array:
    """Return logits of scores; half a sentence is added so that logits of 0 and 1 are finite."""
    import numpy as np

    shares = (values * size + 0.5) / (size + 1.0)
    logits: Array = np.log(shares / (1.0 - shares))
    return logits


def _interval(middle: float, spread: float, size: int, level: float) -> tuple[float, float]:
    """Return a normal interval on the logit scale."""
    import numpy as np

    reach = NormalDist().inv_cdf((1.0 + level) / 2.0) * spread
    ends = 1.0 / (1.0 + np.exp(-(middle + np.array([-reach, reach]))))
    low, high = np.clip((ends * (size + 1.0) - 0.5) / size, 0.0, 1.0)
    return float(low), float(high)


class _Resampling:
    """Resampling of the sentences of a corpus, with drawn true labels."""

    def __init__(self, corpus: CrowdCorpus, rng: np.random.Generator) -> None:
        import numpy as np

        self._corpus, self._rng = corpus, rng
        self._annotators, model = Annotators(corpus), BSCSeq(progress=False)
        self._legal: Legality = legality(corpus, corpus.scheme())
        self._prior = self._annotators.prior(self._legal, model.agreement)
        self._fit = model.fit_parameters(corpus, self._annotators)
        # The first step of each resample starts from the same distribution of labels.
        self._posterior = self._expect(self._fit)
        lengths = np.array(corpus.lengths, dtype=np.int64)
        self._sentence = np.repeat(np.arange(len(corpus)), lengths)
        self._starts = np.cumsum(lengths) - lengths
        votes, sizes, _ = corpus.ordered_votes()
        annotations = sorted(corpus.annotations, key=lambda annotation: annotation.annotator)
        self._votes, self._lengths = votes, sizes
        self._of_sentence = np.array([annotation.sentence for annotation in annotations], dtype=np.int64)
        self._of_annotator = np.array([annotation.annotator for annotation in annotations], dtype=np.int64)
        self._first_votes = np.cumsum(sizes) - sizes

    def scores(self) -> list[float]:
        """Draw a resample and return the score of each annotator."""
        import numpy as np

        number = len(self._corpus)
        weights = np.bincount(self._rng.integers(0, number, number), minlength=number)
        fit, posterior = self._fit, self._posterior
        for step in range(STEPS):
            posterior = self._expect(fit) if step else posterior
            fit = self._maximize(posterior, weights.astype(float))
        labels = self._annotators.draw(fit.log_answers, fit.start, fit.transitions, self._rng)
        # Annotations occur once for each time their sentence was drawn.
        times = weights[self._of_sentence]
        drawn = np.repeat(np.arange(len(times)), times)
        lengths = self._lengths[drawn]
        shift = np.repeat(self._first_votes[drawn] - (np.cumsum(lengths) - lengths), lengths)
        votes = np.arange(len(shift)) + shift
        sizes = np.bincount(self._of_annotator, times, len(self._corpus.annotators)).astype(int).tolist()
        gold, pred = labels[self._votes.token[votes]], self._votes.label[votes]
        return score_votes(self._corpus, gold=gold, pred=pred, lengths=lengths, sizes=sizes)

    def scores_without_resampling(self) -> list[float]:
        """Draw true labels of all sentences and return the score of each annotator."""
        fit = self._fit
        labels = self._annotators.draw(fit.log_answers, fit.start, fit.transitions, self._rng)
        *_, sizes = self._corpus.ordered_votes()
        gold, pred = labels[self._votes.token], self._votes.label
        return score_votes(self._corpus, gold=gold, pred=pred, lengths=self._lengths, sizes=sizes)

    def _expect(self, fit: Variational) -> Posterior:
        return self._annotators.posterior(fit.log_answers, fit.start, fit.transitions, by_sentence=True)

    def _maximize(self, posterior: Posterior, weights: Array) -> Variational:
        """Return variational parameters for weighted sentences."""
        import numpy as np

        shares = posterior.shares * weights[self._sentence][:, None]
        answers = self._prior + self._annotators.counts(shares)
        nonempty = np.array(self._corpus.lengths) > 0
        firsts = 1.0 + shares[self._starts[nonempty]].sum(axis=0)
        pairs = 1.0 + np.tensordot(weights, posterior.pairs, 1)
        start, transitions = expected_logs(firsts), expected_logs(pairs)
        return Variational(
            answers,
            expected_logs(answers),
            start + self._legal.start,
            transitions + self._legal.transitions,
        )
