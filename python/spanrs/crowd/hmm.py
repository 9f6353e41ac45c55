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
from spanrs.report.progress import iteration_display

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus


class HMMCrowd(Aggregator):
    """HMM-crowd (Nguyen et al. 2017): a hidden Markov model of words, and a confusion matrix for each annotator.

    The model is fitted by variational Bayes, initialised with the shares of votes. The true labels are a Markov chain
    that emits the words; an answer only depends on the true label of the token.

    The distribution of tokens with known labels is fixed, and the first confusion matrices of annotators with enough
    known labels are estimated from these: shares of votes often lead to a worse optimum
    (benches/record/2026-11-28-crowd-known.md). If known labels show that errors of annotators are correlated, the
    answer probabilities have exponents (:func:`spanrs.crowd.correlation.annotator_exponents`).

    Parameters
    ----------
    max_iter : int
        Number of iterations.
    scheme : str, optional
        Scheme in which illegal transitions of the truth are nearly impossible. ``auto`` detects the scheme; None
        allows all transitions.
    agreement : float
        Added to the pseudo-count 1 of an answer that equals the true label.
    word_count : float
        Pseudo-count of each word for each label.
    progress : bool, optional
        Show iterations on standard error; None shows them only if standard error is a terminal.

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
        *,
        max_iter: int = 30,
        scheme: str | None = "auto",
        agreement: float = 1.0,
        word_count: float = 0.1,
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.scheme = scheme
        self.agreement = agreement
        self.word_count = word_count
        self.progress = progress

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth: ``labels_`` are the most probable sequences, ``confidence_`` the marginal probabilities.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        spanrs.errors.ModelError
            If the corpus has no annotations, or a token is neither a string nor a tuple that begins with a string.
        spanrs.errors.SchemeError
            If a label is not a tag of the scheme.
        spanrs.errors.LimitError
            If tables of labels, words and annotators would exceed the memory limit.
        """
        corpus = crowd_corpus(corpus)
        import numpy as np

        self._check_params()
        corpus.check_labelled()
        annotators, legal = Annotators(corpus), legality(corpus, self.scheme)
        labels = len(corpus.labels)
        word, words = _words(corpus)
        corpus.check_table(words, labels)
        shares = vote_shares(corpus)
        prior = 1.0 + self.agreement * np.eye(labels)
        start, transitions = chain_scores(corpus, shares, independent_pairs(corpus, shares), legal)
        with iteration_display(self.progress, "HMMCrowd", self.max_iter) as show:
            for iteration in range(1, self.max_iter + 1):
                # Answers do not depend on the previous answer.
                counts = annotators.counts(shares) if iteration > 1 else annotators.first_counts(shares)
                answers = prior + counts.sum(axis=2)
                log_answers = np.repeat(expected_logs(answers)[:, :, None, :], labels, axis=2)
                emitted = np.full((labels, words), self.word_count)
                for label in range(labels):
                    emitted[label] += np.bincount(word, shares[:, label], words)
                scores = expected_logs(emitted).T[word]
                shares, pairs = annotators.posterior(log_answers, start, transitions, scores)
                start, transitions = chain_scores(corpus, shares, pairs, legal)
                show(iteration, "")
        self.confusion_ = answers / answers.sum(axis=2, keepdims=True)
        self._set_labels(corpus, annotators.best(log_answers, start, transitions, scores), shares)
        return self

    def _answer_tables(self) -> npt.NDArray[np.float64]:
        tables: npt.NDArray[np.float64] = self.confusion_
        return tables


def _words(corpus: CrowdCorpus) -> tuple[npt.NDArray[np.int64], int]:
    """Return the index of the word of each token of all sentences, and the number of words."""
    import numpy as np

    ids: dict[str, int] = {}
    numbers = []
    for at, sentence in enumerate(corpus.sentences):
        for place, token in enumerate(sentence):
            word = token[0] if isinstance(token, tuple) and token else token
            if not isinstance(word, str):
                message = (
                    f"sentence {at}, token {place}: HMMCrowd requires words, not {type(token).__name__}"
                )
                raise with_code(ModelError(message), "bad_value")
            numbers.append(ids.setdefault(word, len(ids)))
    return np.array(numbers, dtype=np.int64), len(ids)
