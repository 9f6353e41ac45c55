"""A cross-fitted CRF as the prior of the truth."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Self

from spanrs._spanrs import CrowdCrfState
from spanrs.crowd.aggregator import Aggregator, outside
from spanrs.crowd.annotators import Annotators, Legality, expected_logs, legality, token_answers
from spanrs.crowd.bsc import BSCSeq
from spanrs.crowd.known import known_tokens
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.weighted_crf import WeightedCRF
from spanrs.errors import ModelError
from spanrs.report.progress import iteration_display

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

    Array = npt.NDArray[np.float64]

#: Exponents that known labels choose from; that of the annotators is not 0.
WEIGHTS = 0.0, 0.3, 0.7, 1.0, 1.3
#: Minimum number of tokens with known labels other than ``O`` in this choice.
LEAST_KNOWN = 15
#: Maximum ratio of both exponents in this choice; a few known labels can favour a CRF that is useless elsewhere.
MOST_CRF = 2.0
#: Features of words. Column 1 is 1 if the sentence is in capitals, and column 2 if it has at most two tokens.
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
    """A CRF over features as the prior of the true labels, with the annotator model of :class:`BSCSeq`.

    The model is fitted by variational EM. A CRF overfits its training labels, so the prior of each fold of the
    sentences is a CRF trained on the current label distributions of all other folds. The label distribution of a
    sentence is proportional to the probability under the CRF to the power of ``crf_weight`` times the probability of
    the answers to the power of ``annotator_weight``. Known labels and exponents of annotators are used as in
    :class:`BSCSeq`.

    Parameters
    ----------
    template : str or path, optional
        Same as in :class:`spanrs.crf.CRF`; by default features of words if all tokens are strings, otherwise
        :meth:`CrowdCorpus.default_template`.
    folds : int
        Number of folds. Adjacent sentences with the same annotators, which most likely belong to one document, are in
        the same fold.
    rounds : int
        Number of times that each CRF is trained.
    updates : int
        Number of updates of annotators and labels after each training.
    crf_weight, annotator_weight : float
        Exponents of the two factors. A value below 1 corrects overconfidence, for example because errors of annotators
        are not independent. If ``crf_weight`` is below 1, the Markov chain of the labels of :class:`BSCSeq` has the
        remaining exponent. If labels of enough tokens are known, both exponents are chosen after each round: those
        with the highest expected F1 of tokens at known labels, under CRFs that were not trained on these labels.
    bsc_max_iter : int
        Number of iterations of :class:`BSCSeq`, which initialises the distribution of labels.
    first_crf_max_iter, crf_max_iter : int
        Maximum number of iterations in the first round, and in all other rounds, which start from the previous weights.
    crf_tol : float
        Each training ends when the estimated distance of the CRF's objective to its minimum is this fraction of the
        objective.
    c2 : float
        L2 regularisation of the CRF: the coefficient of the sum of squared weights.
    min_attribute_freq : float
        Minimum frequency of an attribute. Unlike ``min_freq`` of :class:`spanrs.crf.CRF`, which counts an attribute
        with one label, this counts an attribute with any label: the labels are not known, so the CRFs have a feature
        for every attribute with every label.
    scheme : str, optional
        Same as in :class:`BSCSeq`.
    agreement : float
        Same as in :class:`BSCSeq`.
    seed : int
        Random seed for the assignment to folds.
    threads : int, optional
        Number of threads for training and decoding; None or 0 for all processors. Results do not depend on the number.
    progress : bool, optional
        Show rounds on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    weights_ : tuple of float
        Exponents of the CRF and of the annotators in the last estimate.
    confusion_ : array (annotators, labels, labels, labels)
        Same as in :class:`BSCSeq`.

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
        bsc_max_iter: int = 30,
        first_crf_max_iter: int = 30,
        crf_max_iter: int = 10,
        crf_tol: float = 3e-3,
        c2: float = 0.5,
        min_attribute_freq: float = 2.0,
        scheme: str | None = "auto",
        agreement: float = 1.0,
        seed: int = 0,
        threads: int | None = 1,
        progress: bool | None = None,
    ) -> None:
        self.template = template
        self.folds = folds
        self.rounds = rounds
        self.updates = updates
        self.crf_weight = crf_weight
        self.annotator_weight = annotator_weight
        self.bsc_max_iter = bsc_max_iter
        self.first_crf_max_iter = first_crf_max_iter
        self.crf_max_iter = crf_max_iter
        self.crf_tol = crf_tol
        self.c2 = c2
        self.min_attribute_freq = min_attribute_freq
        self.scheme = scheme
        self.agreement = agreement
        self.seed = seed
        self.threads = threads
        self.progress = progress

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth: ``labels_`` are the most probable sequences, ``confidence_`` the marginal probabilities.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        spanrs.errors.ModelError
            If the corpus has no annotations, fewer sentences than folds, or no sentence with several annotators.
        spanrs.errors.SchemeError
            If a label is not a tag of the scheme.
        spanrs.errors.LimitError
            If tables of labels and annotators would exceed the memory limit.
        """
        corpus = crowd_corpus(corpus)
        self._check_params()
        corpus.check_labelled()
        problem = _Problem(corpus, self)
        total, done = self.rounds * self.folds, 0
        with iteration_display(self.progress, "CrossFitted", total) as show:
            for number in range(self.rounds):
                for fold in problem.folds:
                    problem.train(fold, self.crf_max_iter if number else self.first_crf_max_iter)
                    for _ in range(self.updates):
                        problem.update(fold)
                    done += 1
                    show(done, f"round {number + 1} of {self.rounds}")
                problem.choose_weights()
        self.weights_ = problem.weights
        answers = problem.answers()
        self.confusion_ = answers / answers.sum(axis=3, keepdims=True)
        self._token_answers = token_answers(self.confusion_, problem.counts())
        self._set_labels(corpus, *problem.finish(expected_logs(answers)))
        return self

    def _answer_tables(self) -> Array:
        return self._token_answers


class _Fold:
    """Sentences whose prior is a CRF trained on all other folds."""

    def __init__(self, corpus: CrowdCorpus, sentences: list[int], starts: npt.NDArray[np.int64]) -> None:
        import numpy as np

        self.annotators = Annotators(corpus, sentences)
        self.held_out = _HeldOut(corpus, sentences)
        self.sentences = sentences
        #: Indices of the tokens of these sentences.
        places = [np.arange(starts[at], starts[at + 1]) for at in sentences]
        self.tokens = np.concatenate([np.zeros(0, dtype=np.int64), *places])
        #: Expected answers of the annotators, given the distribution of the labels.
        self.counts: Array = np.zeros(0)
        #: Feature weights of the CRF, the state of its training, and its scores.
        self.weights: Array | None = None
        self.state = CrowdCrfState()
        self.scores = self.transitions = np.zeros(0)


class _HeldOut:
    """Annotated sentences of a fold with known labels, whose posterior is not fixed."""

    def __init__(self, corpus: CrowdCorpus, sentences: list[int]) -> None:
        import numpy as np

        annotated = {annotation.sentence for annotation in corpus.annotations}
        chosen = [at for at in sentences if at in corpus.known and at in annotated]
        self.annotators = Annotators(corpus, chosen, fixed=False)
        self.known = known_tokens(corpus, chosen)
        #: Indices of the tokens among those of the fold.
        lengths = [corpus.lengths[at] for at in sentences]
        self.tokens = np.flatnonzero(np.repeat(np.isin(sentences, chosen), lengths))


class _Problem:
    """State of variational EM: the distribution of the labels, CRFs and annotators."""

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
            em_tol=options.crf_tol,
        )
        self._zeros = self.crf.weights
        self._outside = outside(corpus)
        #: Exponents of the CRF and of the annotators.
        self.weights = options.crf_weight, options.annotator_weight
        corpus.check_table(len(corpus), len(corpus.labels), len(corpus.labels))
        starts = np.cumsum([0, *corpus.lengths])
        self.folds = [
            _Fold(corpus, sentences, starts) for sentences in _folds(corpus, options.folds, options.seed)
        ]
        self._labelled = np.zeros(len(corpus), dtype=bool)
        self._labelled[corpus.labelled()] = True
        legal = legality(corpus, options.scheme)
        everyone = Annotators(corpus)
        self._prior, self._legal = everyone.prior(legal, options.agreement), legal
        start = BSCSeq(
            max_iter=options.bsc_max_iter,
            scheme=options.scheme,
            agreement=options.agreement,
            progress=False,
        )
        bsc = start.fit_parameters(corpus, everyone)
        #: The Markov chain of labels of BSC-seq, without the scores of illegal transitions.
        self._chain = Legality(bsc.start - legal.start, bsc.transitions - legal.transitions)
        for fold in self.folds:
            posterior = fold.annotators.posterior(
                bsc.log_answers, bsc.start, bsc.transitions, by_sentence=True
            )
            self._set(fold, posterior.shares, posterior.pairs)

    def _set(self, fold: _Fold, shares: Array, pairs: Array) -> None:
        """Set the distribution of the labels of a fold."""
        fold.counts = fold.annotators.counts(shares)
        self.crf.set_expected(fold.sentences, shares, pairs)

    def counts(self) -> Array:
        """Return the expected counts of answers from the distribution of all labels."""
        counts: Array = sum(fold.counts for fold in self.folds)  # type: ignore[assignment]
        return counts

    def answers(self) -> Array:
        """Return the Dirichlet parameters of the annotators from the distribution of all labels."""
        return self._prior + self.counts()

    def train(self, fold: _Fold, max_iter: int) -> None:
        """Train the CRF of a fold on the labels of all other folds."""
        active = self._labelled.copy()
        active[fold.sentences] = False
        self.crf.set_active(active.tolist())
        self.crf.weights = self._zeros if fold.weights is None else fold.weights
        self.crf.state = fold.state
        self.crf.train_again(max_iter)
        fold.weights = self.crf.weights
        fold.scores, fold.transitions = self.crf.scores(fold.sentences)

    def choose_weights(self) -> None:
        """Set the weights to those with the highest expected F1 at tokens with known labels, if these are enough.

        The CRF of a fold is not trained on the known labels of the fold.
        """
        known = [fold.held_out.known.label for fold in self.folds]
        if sum(int((labels != self._outside).sum()) for labels in known) < LEAST_KNOWN:
            return
        log_answers = expected_logs(self.answers())
        choices = [
            pair for pair in itertools.product(WEIGHTS, WEIGHTS[1:]) if pair[0] <= MOST_CRF * pair[1]
        ]
        self.weights = max(choices, key=lambda weights: self._expected_f1(log_answers, weights))

    def _expected_f1(self, log_answers: Array, weights: tuple[float, float]) -> float:
        """Return F1 of tokens with labels other than ``O``, from expected counts; without ``O``, accuracy."""
        right = pred = gold = 0.0
        for fold in self.folds:
            held_out = fold.held_out
            if len(held_out.known.token):
                scores = fold.scores[held_out.tokens]
                tables = self._tables(fold, log_answers, scores, weights)
                shares = held_out.annotators.posterior(*tables).shares
                known = held_out.known
                inside = known.label != self._outside
                right += float(shares[known.token, known.label][inside].sum())
                gold += float(inside.sum())
                pred += len(shares) if self._outside < 0 else float((1.0 - shares[:, self._outside]).sum())
        return 2.0 * right / max(pred + gold, 1e-9)

    def update(self, fold: _Fold) -> None:
        """Update the annotators, then the labels of a fold."""
        tables = self._tables(fold, expected_logs(self.answers()), fold.scores, self.weights)
        posterior = fold.annotators.posterior(*tables, by_sentence=True)
        self._set(fold, posterior.shares, posterior.pairs)

    def finish(self, log_answers: Array) -> tuple[list[list[int]], Array]:
        """Return the most probable labels of each sentence, and the distribution of all labels."""
        import numpy as np

        best: dict[int, list[int]] = {}
        shares = np.zeros((sum(len(fold.tokens) for fold in self.folds), len(self._legal.start)))
        for fold in self.folds:
            tables = self._tables(fold, log_answers, fold.scores, self.weights)
            best.update(zip(fold.sentences, fold.annotators.best(*tables), strict=True))
            shares[fold.tokens] = fold.annotators.posterior(*tables).shares
        return [best[at] for at in range(len(best))], shares

    def _tables(
        self, fold: _Fold, log_answers: Array, scores: Array, weights: tuple[float, float]
    ) -> tuple[Array, Array, Array, Array]:
        crf_weight, annotator_weight = weights
        # With a small weight of the CRF, frequencies of labels would otherwise have no prior.
        rest = max(0.0, 1.0 - crf_weight)
        return (
            annotator_weight * log_answers,
            self._legal.start + rest * self._chain.start,
            crf_weight * fold.transitions + self._legal.transitions + rest * self._chain.transitions,
            crf_weight * scores,
        )


def _with_sentence_features(corpus: CrowdCorpus) -> CrowdCorpus:
    """Return the corpus with the columns that :data:`WORD_FEATURES` needs."""
    sentences = []
    for tokens in corpus.sentences:
        text = "".join(tokens)
        capitals = "1" if text.upper() == text != text.lower() else "0"
        short = "1" if len(tokens) <= 2 else "0"
        sentences.append([(token, capitals, short) for token in tokens])
    return corpus.replaced(sentences=sentences)


#: Minimum number of pieces per fold into which long runs of sentences with the same annotators are divided.
PIECES_OF_FOLD = 10


def _folds(corpus: CrowdCorpus, folds: int, seed: int) -> list[list[int]]:
    """Assign the sentences to folds at random, in runs of adjacent sentences with the same annotators."""
    import numpy as np

    if folds > len(corpus):
        raise ModelError(
            f"CrossFitted needs a sentence for each of its {folds} folds, but there are {len(corpus)} sentences"
        )
    pieces = corpus.documents(max(1, len(corpus) // (folds * PIECES_OF_FOLD)))
    order = np.random.default_rng(seed).permutation(len(pieces))
    return [sorted(at for number in order[fold::folds] for at in pieces[number]) for fold in range(folds)]
