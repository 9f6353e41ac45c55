"""A cross-fitted CRF as the prior of the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from spanrs.crowd.aggregator import Aggregator
from spanrs.crowd.annotators import Annotators, expected_logs, legality
from spanrs.crowd.bsc import BSCSeq
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.weighted_crf import WeightedCRF
from spanrs.errors import ModelError
from spanrs.report.progress import iteration_display
from spanrs.threads import thread_count

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]

#: Features of words; column 1 says whether the sentence is in capitals, column 2 whether it has at most two tokens.
WORD_FEATURES = """\
U:bias
U:w[0]=%x[0,0]
U:lower[-2]=%lower[-2,0]
U:lower[-1]=%lower[-1,0]
U:lower[0]=%lower[0,0]
U:lower[1]=%lower[1,0]
U:lower[2]=%lower[2,0]
U:lower[-1..0]=%lower[-1,0]|%lower[0,0]
U:lower[0..1]=%lower[0,0]|%lower[1,0]
U:shape[-1]=%short_shape[-1,0]
U:shape[0]=%short_shape[0,0]
U:shape[1]=%short_shape[1,0]
U:shape[-1..0]=%short_shape[-1,0]|%short_shape[0,0]
U:shape[0..1]=%short_shape[0,0]|%short_shape[1,0]
U:shape[-1..1]=%short_shape[-1,0]|%short_shape[0,0]|%short_shape[1,0]
U:prefix2=%prefix[0,0,2]
U:prefix3=%prefix[0,0,3]
U:prefix4=%prefix[0,0,4]
U:suffix2=%suffix[0,0,2]
U:suffix3=%suffix[0,0,3]
U:suffix4=%suffix[0,0,4]
U:capitals=%x[0,1]
U:capitals|shape=%x[0,1]|%short_shape[0,0]
U:short=%x[0,2]
B
"""


class CrossFitted(Aggregator):
    """A CRF over features as the prior of the true labels, with the annotators of :class:`BSCSeq`.

    Variational EM. A CRF that was trained on its own guess of a sentence confirms this guess; so sentences are divided
    into folds, and the prior of each fold is a CRF trained on the present distribution of the others' labels. The
    distribution of a sentence is proportional to the CRF to the power of ``crf_weight`` times the annotators to the
    power of ``annotator_weight``.

    Parameters
    ----------
    template : str or path, optional
        As in :class:`spanrs.crf.CRF`. By default features of words where all tokens are strings, else
        :meth:`CrowdCorpus.default_template`.
    folds : int
        Number of folds. Neighbouring sentences with the same annotators, which are most likely of one document, are in
        the same fold.
    rounds : int
        Number of trainings of each CRF.
    updates : int
        Number of updates of annotators and labels after each training.
    crf_weight, annotator_weight : float
        Exponents. Above 1 trusts more than the model says, below 1 less: annotators' errors are not independent.
    bsc_iterations : int
        Iterations of :class:`BSCSeq`, whose distribution is the start.
    first_crf_iterations, crf_iterations : int
        L-BFGS iterations of the first training, and of the others, which begin with the weights of the one before.
    c2 : float
        Coefficient of the squared weights of the CRF.
    min_attribute_freq : float
        Leave out attributes that occur less often.
    scheme : str, optional
        As in :class:`BSCSeq`.
    agreement : float
        As in :class:`BSCSeq`.
    seed : int
        Of the folds.
    threads : int
        Threads of training and decoding; results do not depend on it.
    progress : bool, optional
        Show rounds on standard error; by default if it is a terminal.

    Attributes
    ----------
    confusion_ : array (annotators, labels, labels, labels)
        As in :class:`BSCSeq`.

    Examples
    --------
    >>> from spanrs.crowd import CrossFitted, CrowdCorpus
    >>> right, wrong = ["B-PER", "O"], ["O", "O"]
    >>> sentences = [["Ada", "sleeps"], ["Bob", "wakes"], ["Eve", "sleeps"], ["Ada", "wakes"]]
    >>> corpus = CrowdCorpus(sentences, [{"ann": right, "ben": right, "cy": wrong}] * 4)
    >>> CrossFitted(folds=2).fit(corpus).labels_[0]
    ['B-PER', 'O']
    """

    _soft = True

    def __init__(
        self,
        *,
        template: str | PathLike[str] | None = None,
        folds: int = 3,
        rounds: int = 4,
        updates: int = 3,
        crf_weight: float = 1.3,
        annotator_weight: float = 0.7,
        bsc_iterations: int = 30,
        first_crf_iterations: int = 40,
        crf_iterations: int = 15,
        c2: float = 0.5,
        min_attribute_freq: float = 2.0,
        scheme: str | None = "auto",
        agreement: float = 1.0,
        seed: int = 0,
        threads: int = 1,
        progress: bool | None = None,
    ) -> None:
        self.template = template
        self.folds = folds
        self.rounds = rounds
        self.updates = updates
        self.crf_weight = crf_weight
        self.annotator_weight = annotator_weight
        self.bsc_iterations = bsc_iterations
        self.first_crf_iterations = first_crf_iterations
        self.crf_iterations = crf_iterations
        self.c2 = c2
        self.min_attribute_freq = min_attribute_freq
        self.scheme = scheme
        self.agreement = agreement
        self.seed = seed
        self.threads = threads
        self.progress = progress

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth; labels are the best sequence, and confidence is their marginal probability.

        Raises
        ------
        ValueError
            For options that are out of range.
        spanrs.errors.ModelError
            If the corpus has no annotations, fewer sentences than folds, or no sentence with several annotators.
        spanrs.errors.SchemeError
            If a label is not a tag of the scheme.
        spanrs.errors.LimitError
            For so many labels or annotators that tables would fill the memory.
        """
        corpus = crowd_corpus(corpus)
        self._check(corpus)
        problem = _Problem(corpus, self)
        total, done = self.rounds * self.folds, 0
        with iteration_display(self.progress, "CrossFitted", total) as show:
            for number in range(self.rounds):
                for fold in problem.folds:
                    problem.train(fold, self.crf_iterations if number else self.first_crf_iterations)
                    for _ in range(self.updates):
                        problem.update(fold)
                    done += 1
                    show(done, f"round {number + 1} of {self.rounds}")
        answers = problem.answers()
        self.confusion_ = answers / answers.sum(axis=3, keepdims=True)
        self._set_labels(corpus, *problem.finish(expected_logs(answers)))
        return self

    def _check(self, corpus: CrowdCorpus) -> None:
        whole = (self.rounds, self.updates, self.first_crf_iterations, self.crf_iterations)
        thread_count(self.threads)
        if any(number != int(number) for number in (self.folds, *whole)):
            raise ValueError("folds, rounds, updates and iterations must be whole numbers")
        if self.folds < 2 or min(whole) < 1:
            raise ValueError("folds must be at least 2, rounds, updates and iterations at least 1")
        if not (self.crf_weight > 0 and self.annotator_weight > 0):
            raise ValueError("crf_weight and annotator_weight must be above 0")
        corpus.check_labelled()


class _Fold:
    """Sentences whose labels get their prior from a CRF that was trained on all others."""

    def __init__(self, corpus: CrowdCorpus, sentences: list[int], starts: npt.NDArray[np.int64]) -> None:
        import numpy as np

        self.annotators = Annotators(corpus, sentences)
        self.sentences = sentences
        #: Numbers of their tokens.
        own = [np.arange(starts[at], starts[at + 1]) for at in sentences]
        self.tokens = np.concatenate([np.zeros(0, dtype=np.int64), *own])
        #: Weights of the CRF's features, and its scores.
        self.weights: Array | None = None
        self.scores = self.transitions = np.zeros(0)


class _Problem:
    """The distribution of the labels, with what it depends on."""

    def __init__(self, corpus: CrowdCorpus, options: CrossFitted) -> None:
        import numpy as np

        self.options = options
        with_features, template = corpus, options.template
        if template is None and corpus.has_words():
            with_features, template = _with_sentence_features(corpus), WORD_FEATURES
        self.crf = WeightedCRF(
            with_features,
            template=template,
            c2=options.c2,
            scheme=None,
            threads=options.threads,
            features_of_all_labels=True,
            min_attribute_freq=options.min_attribute_freq,
            memory=10,
        )
        self._zeros = self.crf.weights
        corpus.check_table(len(corpus), len(corpus.labels), len(corpus.labels))
        starts = np.cumsum([0, *corpus.lengths])
        self.folds = [_Fold(corpus, own, starts) for own in _folds(corpus, options.folds, options.seed)]
        self._labelled = np.zeros(len(corpus), dtype=bool)
        self._labelled[[own.sentence for own in corpus.annotations]] = True
        legal = legality(corpus, options.scheme)
        everyone = Annotators(corpus)
        self._prior, self._legal = everyone.prior(legal, options.agreement), legal
        bsc = BSCSeq(options.bsc_iterations, options.scheme, options.agreement).fit_parameters(
            corpus, everyone
        )
        self.shares = np.zeros((int(starts[-1]), len(corpus.labels)))
        for fold in self.folds:
            found = fold.annotators.posterior(bsc.log_answers, bsc.start, bsc.transitions, by_sentence=True)
            self._set(fold, found.shares, found.pairs)

    def _set(self, fold: _Fold, shares: Array, pairs: Array) -> None:
        """Set the distribution of the labels of a fold."""
        self.shares[fold.tokens] = shares
        self.crf.set_expected(fold.sentences, shares, pairs)

    def answers(self) -> Array:
        """Dirichlet parameters of the annotators, from the distribution of all labels."""
        counts = (fold.annotators.counts(self.shares[fold.tokens]) for fold in self.folds)
        return self._prior + sum(counts)

    def train(self, fold: _Fold, iterations: int) -> None:
        """Train the CRF of a fold on the labels of the others."""
        active = self._labelled.copy()
        active[fold.sentences] = False
        self.crf.set_active(active.tolist())
        self.crf.weights = self._zeros if fold.weights is None else fold.weights
        self.crf.train_again(iterations)
        fold.weights = self.crf.weights
        scores, transitions = self.crf.scores()
        weight = self.options.crf_weight
        fold.scores, fold.transitions = weight * scores[fold.tokens], weight * transitions

    def update(self, fold: _Fold) -> None:
        """Update the annotators, then the labels of a fold."""
        tables = self._tables(fold, expected_logs(self.answers()))
        found = fold.annotators.posterior(*tables, by_sentence=True)
        self._set(fold, found.shares, found.pairs)

    def finish(self, log_answers: Array) -> tuple[list[list[int]], Array]:
        """Give the best labels of each sentence, and the distribution of all labels."""
        best: dict[int, list[int]] = {}
        for fold in self.folds:
            tables = self._tables(fold, log_answers)
            best.update(zip(fold.sentences, fold.annotators.best(*tables), strict=True))
            self.shares[fold.tokens] = fold.annotators.posterior(*tables).shares
        return [best[at] for at in range(len(best))], self.shares

    def _tables(self, fold: _Fold, log_answers: Array) -> tuple[Array, Array, Array, Array]:
        return (
            self.options.annotator_weight * log_answers,
            self._legal.start,
            fold.transitions + self._legal.transitions,
            fold.scores,
        )


def _with_sentence_features(corpus: CrowdCorpus) -> CrowdCorpus:
    """Give the corpus with the columns that :data:`WORD_FEATURES` needs."""
    sentences = []
    for tokens in corpus.sentences:
        text = "".join(tokens)
        capitals = "1" if text.upper() == text != text.lower() else "0"
        short = "1" if len(tokens) <= 2 else "0"
        sentences.append([(token, capitals, short) for token in tokens])
    return corpus.replaced(sentences=sentences)


#: A run of sentences with the same annotators is cut into pieces of a fold's share of the corpus divided by this.
PIECES_OF_FOLD = 10


def _folds(corpus: CrowdCorpus, folds: int, seed: int) -> list[list[int]]:
    """Divide the sentences into folds, at random, by pieces of neighbours with the same annotators."""
    import numpy as np

    if folds > len(corpus):
        raise ModelError(
            f"CrossFitted needs a sentence for each of its {folds} folds, but there are {len(corpus)}"
        )
    pieces = corpus.documents(max(1, len(corpus) // (folds * PIECES_OF_FOLD)))
    order = np.random.default_rng(seed).permutation(len(pieces))
    return [sorted(at for number in order[own::folds] for at in pieces[number]) for own in range(folds)]
