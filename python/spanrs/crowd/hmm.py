"""HMM-crowd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.annotators import (
    Annotators,
    chain_scores,
    expected_logs,
    independent_pairs,
    legality,
    vote_shares,
)
from spanrs.crowd.reading import crowd_corpus
from spanrs.errors import ModelError, with_code

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus


class HMMCrowd(Aggregator):
    """HMM-crowd (Nguyen et al. 2017): a hidden Markov model of words, and a confusion matrix for each annotator.

    Variational Bayes, beginning with the shares of votes. The true labels are a Markov chain that emits the words; an
    annotator's answer depends on the true label of the token only.

    Parameters
    ----------
    iterations : int
        Number of iterations.
    scheme : str, optional
        ``auto`` finds the scheme of the tags, so that illegal transitions of the truth are nearly impossible; None for
        labels that are not tags.
    agreement : float
        Added to the pseudo-count 1 of an answer that equals the true label.
    word_count : float
        Pseudo-count of each word for each label.

    Attributes
    ----------
    confusion_ : array (annotators, labels, labels)
        Expected probability of an answer (last axis), given the true label (axis 1).

    Examples
    --------
    >>> from spanrs.crowd import CrowdCorpus, HMMCrowd
    >>> votes = {"ann": ["B-PER", "I-PER"], "ben": ["B-PER", "I-PER"], "eve": ["O", "O"]}
    >>> HMMCrowd().fit(CrowdCorpus([["Ada", "Li"]], [votes])).labels_
    [['B-PER', 'I-PER']]
    """

    _soft = True

    def __init__(
        self,
        iterations: int = 30,
        scheme: str | None = "auto",
        agreement: float = 1.0,
        word_count: float = 0.1,
    ) -> None:
        self.iterations = iterations
        self.scheme = scheme
        self.agreement = agreement
        self.word_count = word_count

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth; labels are the best sequence, and confidence is their marginal probability.

        Raises
        ------
        ValueError
            For fewer than one iteration, an agreement below 0, or a pseudo-count of words that is not above 0.
        spanrs.errors.ModelError
            If the corpus has no annotations, or tokens that are neither strings nor tuples that begin with one.
        spanrs.errors.SchemeError
            If a label is not a tag of the scheme.
        spanrs.errors.LimitError
            For so many labels, words or annotators that tables would fill the memory.
        """
        corpus = crowd_corpus(corpus)
        import numpy as np

        if self.iterations < 1 or not self.agreement >= 0 or not self.word_count > 0:
            raise ValueError("iterations must be at least 1, agreement at least 0, word_count above 0")
        corpus.check_labelled()
        annotators, legal = Annotators(corpus), legality(corpus, self.scheme)
        labels = len(corpus.labels)
        word, words = _words(corpus)
        corpus.check_table(words, labels)
        shares = vote_shares(corpus)
        prior = 1.0 + self.agreement * np.eye(labels)
        start, transitions = chain_scores(corpus, shares, independent_pairs(corpus, shares), legal)
        for _ in range(self.iterations):
            # Answers do not depend on the answer before.
            answers = prior + annotators.counts(shares).sum(axis=2)
            log_answers = np.repeat(expected_logs(answers)[:, :, None, :], labels, axis=2)
            emitted = np.full((labels, words), self.word_count)
            for label in range(labels):
                emitted[label] += np.bincount(word, shares[:, label], words)
            scores = expected_logs(emitted).T[word]
            shares, pairs = annotators.posterior(log_answers, start, transitions, scores)
            start, transitions = chain_scores(corpus, shares, pairs, legal)
        self.confusion_ = answers / answers.sum(axis=2, keepdims=True)
        self._set_labels(corpus, annotators.best(log_answers, start, transitions, scores), shares)
        return self


def _words(corpus: CrowdCorpus) -> tuple[npt.NDArray[np.int64], int]:
    """Give the number of the word of each token of all sentences, and how many words there are."""
    import numpy as np

    known: dict[str, int] = {}
    numbers = []
    for at, sentence in enumerate(corpus.sentences):
        for place, token in enumerate(sentence):
            word = token[0] if isinstance(token, tuple) and token else token
            if not isinstance(word, str):
                message = f"sentence {at}, token {place}: {type(token).__name__} is not a word, which HMMCrowd needs"
                raise with_code(ModelError(message), "bad_value")
            numbers.append(known.setdefault(word, len(known)))
    return np.array(numbers, dtype=np.int64), len(known)
