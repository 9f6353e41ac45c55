"""Annotator model in which an answer depends on the true label and the previous answer (Simpson and Gurevych 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from spanrs import _spanrs
from spanrs.crowd.correlation import annotator_exponents
from spanrs.crowd.known import ENOUGH_KNOWN, known_scores, known_tokens, set_known

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]

#: Pseudo-count of an answer that is illegal after the previous answer.
ILLEGAL = 1e-6
#: If more than this fraction of the answers is illegal, annotators are assumed not to follow the scheme, and illegal
#: answers have the same pseudo-counts as legal answers: otherwise each illegal answer would be evidence for the rarest
#: label.
ILLEGAL_SHARE = 0.01
#: Shift of the argument of the digamma function before the asymptotic series.
SHIFT = 8
#: Log score of a transition that is illegal in the truth.
LOG_ILLEGAL = -30.0


class Legality(NamedTuple):
    """Log scores of transitions of true labels: 0, or :data:`LOG_ILLEGAL` if illegal."""

    start: Array
    """Scores of first labels."""
    transitions: Array
    """Scores of (label, next label)."""


class Posterior(NamedTuple):
    """Distribution of the true labels of some sentences."""

    shares: Array
    """Probability of each label: an array (tokens of these sentences, labels)."""
    pairs: Array
    """Expected counts of (label, next label) in all sentences, or of (sentence, label, next label)."""


def legality(corpus: CrowdCorpus, scheme: str | None) -> Legality:
    """Return log scores of first labels and of transitions; ``auto`` means the scheme of the corpus.

    Raises
    ------
    spanrs.errors.SchemeError
        If a label is not a tag of the scheme.
    """
    import numpy as np

    from spanrs import tags

    if scheme == "auto":
        scheme = corpus.scheme()
    if scheme is None:
        return Legality(np.zeros(len(corpus.labels)), np.zeros((len(corpus.labels),) * 2))
    mask = tags.transition_mask(scheme, corpus.labels)
    return Legality(np.where(mask.start, 0.0, LOG_ILLEGAL), np.where(mask.between, 0.0, LOG_ILLEGAL))


class Annotators:
    """Answers for some sentences, and tables of (annotator, true label, previous answer, answer).

    The previous answer of the first token is ``O``, or the first label if there is no ``O``. Posteriors of tokens with
    known labels are fixed, and log probabilities of answers are multiplied by the exponents of the annotators
    (:func:`spanrs.crowd.correlation.annotator_exponents`).

    Parameters
    ----------
    corpus : CrowdCorpus
        The corpus.
    sentences : sequence of int, optional
        Indices of the sentences; by default all sentences.
    fixed : bool
        Fix the posteriors of tokens with known labels.

    Raises
    ------
    spanrs.errors.LimitError
        If tables of labels and annotators would exceed the memory limit.
    """

    def __init__(
        self, corpus: CrowdCorpus, sentences: Sequence[int] | None = None, *, fixed: bool = True
    ) -> None:
        import numpy as np

        labels, annotators = len(corpus.labels), len(corpus.annotators)
        corpus.check_table(sum(corpus.lengths), labels)
        corpus.check_table(annotators, labels, labels, labels)
        lengths = corpus.lengths
        chosen = list(range(len(corpus)) if sentences is None else sentences)
        place = {sentence: at for at, sentence in enumerate(chosen)}
        self._answers = _spanrs.CrowdAnswers(
            labels,
            annotators,
            [lengths[sentence] for sentence in chosen],
            [
                (place[annotation.sentence], annotation.annotator, list(annotation.labels))
                for annotation in corpus.annotations
                if annotation.sentence in place
            ],
            corpus.labels.index("O") if "O" in corpus.labels else 0,
        )
        self._shape = (annotators, labels, labels, labels)
        self._none = np.zeros(0)
        self._tokens = sum(lengths[sentence] for sentence in chosen)
        self._known = known_tokens(corpus, chosen if fixed else [])
        self._exponents = annotator_exponents(corpus)
        self.sentences = chosen

    def prior(self, legal: Legality, agreement: float) -> Array:
        """Return pseudo-counts (true label, previous answer, answer): 1, plus ``agreement`` if correct.

        The pseudo-count of illegal answers is :data:`ILLEGAL`, unless more than :data:`ILLEGAL_SHARE` of all answers
        are illegal.
        """
        import numpy as np

        labels = self._shape[1]
        prior = np.ones((labels, labels, labels))
        prior[np.arange(labels), :, np.arange(labels)] += agreement
        allowed = legal.transitions == 0.0
        # True labels are assumed to be uniform, so that each answer is counted once.
        given = self.counts(np.full((self._tokens, labels), 1.0 / labels)).sum(axis=(0, 1))
        if given[~allowed].sum() > ILLEGAL_SHARE * given.sum():
            return prior
        return np.where(allowed[None], prior, ILLEGAL)

    def counts(self, shares: Array) -> Array:
        """Return expected counts of answers, given probabilities of the true labels."""
        return self._answers.counts(shares.ravel()).reshape(self._shape)

    def first_counts(self, shares: Array) -> Array:
        """Return expected counts of answers for the first update, given shares of votes (token, label).

        Counts of annotators with enough answers at known tokens are those at these tokens: shares of votes favour
        annotators who agree with the majority.
        """
        import numpy as np

        counts = self.counts(set_known(shares, self._known))
        if not len(self._known.token):
            return counts
        known = self.counts(set_known(np.zeros_like(shares), self._known))
        enough = known.sum(axis=(1, 2, 3), keepdims=True) >= ENOUGH_KNOWN
        return np.where(enough, known, counts)

    def draw(
        self, log_answers: Array, start: Array, transitions: Array, rng: np.random.Generator
    ) -> npt.NDArray[np.uint32]:
        """Draw the true labels of all tokens from the posterior; arrays are passed as to :meth:`posterior`."""
        tables = self._tables(log_answers, start, transitions, None)
        return self._answers.draw(tables, rng.random(self._tokens))

    def posterior(
        self,
        log_answers: Array,
        start: Array,
        transitions: Array,
        tokens: Array | None = None,
        *,
        by_sentence: bool = False,
    ) -> Posterior:
        """Return the distribution of the true labels.

        Parameters
        ----------
        log_answers : array (annotators, labels, labels, labels)
            Logarithms of probabilities of answers.
        start, transitions : arrays (labels) and (labels, labels)
            Scores of first labels and of transitions.
        tokens : array (tokens, labels), optional
            Additional scores of labels.
        by_sentence : bool
            Return expected counts of pairs for each sentence.
        """
        tables = self._tables(log_answers, start, transitions, tokens)
        labels, pairs, _ = self._answers.posterior(tables, by_sentence)
        size = self._shape[1]
        shape = (-1, size, size) if by_sentence else (size, size)
        return Posterior(labels.reshape(-1, size), pairs.reshape(shape))

    def best(
        self, log_answers: Array, start: Array, transitions: Array, tokens: Array | None = None
    ) -> list[list[int]]:
        """Return the most probable true labels of each sentence (Viterbi)."""
        return self._answers.best(self._tables(log_answers, start, transitions, tokens))

    def _tables(
        self, log_answers: Array, start: Array, transitions: Array, tokens: Array | None
    ) -> tuple[Array, Array, Array, Array]:
        if len(self._known.token):
            scores = known_scores(self._known, self._tokens, self._shape[1])
            tokens = scores if tokens is None else scores + tokens
        if self._exponents is not None and log_answers.size:
            log_answers = log_answers * self._exponents[:, None, None, None]
        more = self._none if tokens is None else tokens.ravel()
        return log_answers.ravel(), start, transitions.ravel(), more


def token_answers(confusion: Array, counts: Array) -> Array:
    """Return probabilities of answers without their dependence on the previous answer.

    Parameters
    ----------
    confusion : array (annotators, labels, labels, labels)
        Probability of an answer (last axis), given the true label (axis 1) and the previous answer (axis 2).
    counts : array (annotators, labels, labels, labels)
        Expected counts of answers; the distribution of the previous answer is that of all annotators.

    Returns
    -------
    array (annotators, labels, labels)
        Probability of an answer (last axis), given the true label (axis 1).
    """
    import numpy as np

    # The pseudo-count matters only for true labels that do not occur.
    previous = counts.sum(axis=(0, 3)) + 1e-3
    previous /= previous.sum(axis=1, keepdims=True)
    tables: Array = np.einsum("rzpy,zp->rzy", confusion, previous)
    return tables


def vote_shares(corpus: CrowdCorpus) -> Array:
    """Return shares of votes (token of all sentences, label), smoothed so that tokens without votes are uniform.

    The share of a known label is 1.
    """
    counts = corpus.vote_counts() + 1e-9
    shares: Array = counts / counts.sum(axis=1, keepdims=True)
    return set_known(shares, known_tokens(corpus))


def chain_scores(corpus: CrowdCorpus, shares: Array, pairs: Array, legal: Legality) -> Legality:
    """Return scores of first labels and of (label, next label) from their expected counts.

    Parameters
    ----------
    corpus : CrowdCorpus
        The sentences.
    shares : array (tokens, labels)
        Probabilities of the labels of all tokens.
    pairs : array (labels, labels)
        Expected counts of (label, next label).
    legal : Legality
        Added to the scores, so that illegal transitions are nearly impossible.
    """
    import numpy as np

    starts = np.cumsum([0, *corpus.lengths])[:-1][np.array(corpus.lengths) > 0]
    firsts = shares[starts].sum(axis=0)
    return Legality(
        expected_logs(1.0 + firsts) + legal.start, expected_logs(1.0 + pairs) + legal.transitions
    )


def independent_pairs(corpus: CrowdCorpus, shares: Array) -> Array:
    """Return expected counts of (label, next label), assuming that the labels of tokens are independent."""
    import numpy as np

    ends = np.cumsum(corpus.lengths)
    inside = np.ones(len(shares), dtype=bool)
    inside[ends[ends > 0] - 1] = False
    before = np.flatnonzero(inside)
    pairs: Array = shares[before].T @ shares[before + 1]
    return pairs


def expected_logs(counts: Array) -> Array:
    """Return the expected log-probabilities (last axis) under Dirichlet distributions with these parameters."""
    logs: Array = digamma(counts) - digamma(counts.sum(axis=-1, keepdims=True))
    return logs


def digamma(x: Array) -> Array:
    """Return the derivative of the logarithm of the gamma function, for positive numbers (Bernardo 1976).

    Examples
    --------
    >>> import numpy as np
    >>> from spanrs.crowd.annotators import digamma
    >>> digamma(np.array([1.0, 2.0])).round(12).tolist()
    [-0.577215664902, 0.422784335098]
    """
    import numpy as np

    result = np.zeros(np.shape(x))
    # digamma(x) = digamma(x + 1) - 1 / x shifts the argument to a range in which the series is accurate.
    for step in range(SHIFT):
        result -= 1.0 / (x + step)
    x = x + float(SHIFT)
    inverse = 1.0 / (x * x)
    series = inverse * (
        1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse * (1 / 240 - inverse * (1 / 132))))
    )
    total: Array = result + np.log(x) - 0.5 / x - series
    return total
