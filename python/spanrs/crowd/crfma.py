"""CRF-MA: a CRF and the reliabilities of annotators by EM (Rodrigues, Pereira and Ribeiro 2013, section 3)."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from spanrs.crowd import equations
from spanrs.crowd.aggregator import CRFAggregator, named, reliability
from spanrs.crowd.known import training_corpus
from spanrs.crowd.majority import MajorityVote
from spanrs.crowd.reading import crowd_corpus
from spanrs.crowd.weighted_crf import WeightedCRF
from spanrs.errors import SpanrsWarning, warn
from spanrs.report.progress import iteration_display

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

RESPONSIBILITIES = ("tempered", "sentence", "prior", "exact")
INITS = ("mv_token", "uniform", "random")
#: Responsibility above which an annotator is considered to have all the weight.
SATURATED = 1 - 1e-6


class EMIteration(NamedTuple):
    """One iteration of EM, after its M-step."""

    iteration: int
    """Number of the iteration, from 1."""
    expected: float
    """Expected complete-data log-likelihood (Eq. 14) under the responsibilities of this iteration."""
    log_likelihood: float
    """Log-likelihood of all annotations (Eq. 9)."""
    map_objective: float
    """Log-likelihood plus the logarithm of the prior, up to a constant (Eq. 19)."""
    objective_before: float
    """Objective of the M-step at its initial weights; NaN in the first iteration."""
    objective: float
    """Objective of the M-step (Eq. 16, negated, with the penalty) at its final weights."""
    pi: dict[str, float]
    """Reliability weight of each annotator (pi, Eq. 18)."""
    seconds: float
    """Seconds since the start of training."""


class CRFMA(CRFAggregator):
    """CRF-MA: a CRF trained on the labels of all annotators, weighted by their estimated reliability.

    EM alternates between estimating the responsibilities of the annotators (Eq. 15) and training a CRF on all
    labellings weighted by responsibility (Eq. 16). The reliabilities (Eq. 18) are computed from the best labellings of
    the CRF (Eq. 17). Weights are scaled so that they sum to the number of sentences.

    Sentences with known labels are trained with these labels, with weight 1; annotators' labels of these sentences are
    only used in their reliabilities.

    Parameters
    ----------
    template : str or path, optional
        Same as in :class:`spanrs.crf.CRF`; the default is :meth:`CrowdCorpus.default_template`.
    responsibility : str
        ``tempered``: pi times the exponential of the mean log-likelihood per token. ``sentence``: pi times the
        likelihood of the labelling, normalised for each sentence. ``prior``: pi. ``exact``: Eqs. 12 and 15, a product
        over all sentences, which nearly always gives one annotator all the weight; in this case there is a warning.
    squared_f1 : bool
        Square F1 in Eq. 18, as in the authors' experiments.
    alpha : float or sequence of float
        Parameters of the Dirichlet prior of pi, at least 1 (section 3.5); 1 means no prior.
    c2 : float
        L2 regularisation of the CRF, the factor of the sum of squared weights: 1 / (2 sigma^2) of the Gaussian prior.
    init : str
        Initial pi: ``mv_token`` (F1 against the token-level majority vote), ``uniform`` or ``random``.
    tol : float
        Stop when the relative change of Eq. 14, or the largest change of pi, is at most this value.
    max_iter : int
        Maximum number of EM iterations.
    crf_max_iter : int
        Maximum number of iterations in each M-step, which starts from the weights of the previous M-step.
    crf_tol : float
        Each M-step ends when the estimated distance of the CRF's objective to its minimum is this fraction of the
        objective.
    min_freq : float
        Same as in :class:`spanrs.crf.CRF`.
    scheme : str, optional
        Same as in :class:`spanrs.crf.CRF`; the estimated truth is legal.
    threads : int, optional
        Number of threads for training and decoding; None or 0 for all processors. Results do not depend on the number.
    seed : int
        Random seed for ``init="random"``.
    progress : bool, optional
        Show iterations on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    crf_ : spanrs.crf.CRF
        The trained CRF.
    pi_ : dict of str to float
        Reliability weight of each annotator.
    responsibilities_ : array (annotators) or array (annotations)
        Responsibilities of the last E-step: one for each annotator, or with ``sentence`` one for each item of
        ``corpus.annotations``, which sum to 1 in each sentence, and are 0 in sentences with known labels.
    history_ : list of EMIteration
        Statistics of each iteration.
    labels_, confidence_, reliability_
        Same as in all aggregators; reliability is F1 against the estimated truth.

    Examples
    --------
    >>> from spanrs.crowd import CRFMA, CrowdCorpus
    >>> right, wrong = ["B-PER", "O"], ["O", "O"]
    >>> sentences = [["Ada", "sleeps"], ["Bob", "wakes"], ["Eve", "sleeps"]]
    >>> corpus = CrowdCorpus(sentences, [{"ann": right, "ben": right, "cy": wrong}] * 3)
    >>> model = CRFMA(template="ner").fit(corpus)
    >>> model.predict([["Ada", "wakes"]]), model.pi_["cy"] < model.pi_["ann"]
    ([['B-PER', 'O']], True)
    """

    _choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"responsibility": RESPONSIBILITIES, "init": INITS}

    def __init__(
        self,
        *,
        template: str | PathLike[str] | None = None,
        responsibility: str = "tempered",
        squared_f1: bool = True,
        alpha: float | Sequence[float] = 1.0,
        c2: float = 1.0,
        init: str = "mv_token",
        tol: float = 1e-3,
        max_iter: int = 20,
        crf_max_iter: int = 50,
        crf_tol: float = 3e-3,
        min_freq: float = 0.0,
        scheme: str | None = "auto",
        threads: int | None = 1,
        seed: int = 0,
        progress: bool | None = None,
    ) -> None:
        self.template = template
        self.responsibility = responsibility
        self.squared_f1 = squared_f1
        self.alpha = alpha
        self.c2 = c2
        self.init = init
        self.tol = tol
        self.max_iter = max_iter
        self.crf_max_iter = crf_max_iter
        self.crf_tol = crf_tol
        self.min_freq = min_freq
        self.scheme = scheme
        self.threads = threads
        self.seed = seed
        self.progress = progress

    def fit(self, corpus: Any) -> Self:
        """Estimate the truth, the reliabilities and the CRF. Sentences without annotations are labelled by the CRF.

        Raises
        ------
        ValueError
            If a parameter is out of range.
        spanrs.errors.ModelError
            If the corpus has no annotations, or features are invalid.
        """
        corpus = crowd_corpus(corpus)
        self._check_params()
        corpus.check_labelled()
        alpha = self._alpha(corpus)
        em = _Problem(corpus, self)
        pi = self._initial_pi(corpus, alpha)
        began = time.perf_counter()
        self.history_: list[EMIteration] = []
        log_likelihoods: npt.NDArray[np.float64] | None = None
        with iteration_display(self.progress, "EM", self.max_iter) as show:
            for iteration in range(1, self.max_iter + 1):
                # E-step; before the first M-step there is no CRF, so only pi is used.
                gamma = em.responsibilities(pi, log_likelihoods, self.responsibility)
                weights = em.labelling_weights(gamma.annotations)
                before = float("nan")
                if log_likelihoods is not None:
                    before = em.crf.objective(weights, log_likelihoods)
                em.crf.train(weights)
                log_likelihoods = em.crf.log_likelihoods()
                labels = [list(corpus.known.get(at, row)) for at, row in enumerate(em.crf.best())]
                f1 = reliability(corpus, named(corpus, labels))
                used_pi, pi = pi, equations.pi(list(f1.values()), self.squared_f1, alpha)
                sums = em.sums(log_likelihoods)
                log_likelihood = equations.log_likelihood(used_pi, sums, em.random)
                step = EMIteration(
                    iteration,
                    em.expected(gamma, used_pi, log_likelihoods),
                    log_likelihood,
                    log_likelihood + equations.log_prior(used_pi, alpha, em.crf.squares(), self.c2),
                    before,
                    em.crf.objective(weights, log_likelihoods),
                    dict(zip(corpus.annotators, map(float, pi), strict=True)),
                    time.perf_counter() - began,
                )
                self.history_.append(step)
                show(iteration, f"expected log-likelihood {step.expected:.1f}")
                if self._converged(used_pi, pi):
                    break
        self.responsibilities_ = em.all_annotations(gamma) if gamma.annotators is None else gamma.annotators
        if gamma.annotators is not None:
            self._warn_if_saturated(corpus, gamma.annotators)
        self.pi_ = self.history_[-1].pi
        self.crf_ = em.crf.crf()
        self._set_labels(corpus, labels, em.crf.marginals())
        return self

    def _alpha(self, corpus: CrowdCorpus) -> npt.NDArray[np.float64]:
        """Return the parameters of the Dirichlet prior, one for each annotator."""
        import numpy as np

        annotators = len(corpus.annotators)
        given = np.asarray(self.alpha)
        if given.dtype.kind not in "iuf" or given.ndim > 1:
            raise TypeError(f"alpha must be a number, or one number for each annotator, not {self.alpha!r}")
        if given.ndim and len(given) != annotators:
            raise ValueError(f"alpha has {len(given)} numbers, but there are {annotators} annotators")
        if not (np.isfinite(given) & (given >= 1)).all():
            raise ValueError(f"alpha must be finite and at least 1, not {self.alpha!r}")
        return np.broadcast_to(given.astype(float), annotators)

    def _initial_pi(self, corpus: CrowdCorpus, alpha: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        import numpy as np

        annotators = len(corpus.annotators)
        if self.init == "uniform":
            return np.full(annotators, 1.0 / annotators)
        if self.init == "random":
            return np.random.default_rng(self.seed).dirichlet(np.ones(annotators))
        with warnings.catch_warnings():
            # The estimate of CRF-MA is checked later.
            warnings.simplefilter("ignore", SpanrsWarning)
            scores = MajorityVote().fit(corpus).reliability_
        return equations.pi(list(scores.values()), self.squared_f1, alpha)

    def _converged(self, before: npt.NDArray[np.float64], after: npt.NDArray[np.float64]) -> bool:
        if len(self.history_) < 2:
            return False
        last, now = (step.expected for step in self.history_[-2:])
        still = abs(after - before).max() <= self.tol
        change = abs(now - last) if math.isfinite(now) and math.isfinite(last) else math.inf
        return bool(still or change <= self.tol * abs(last))

    def _warn_if_saturated(self, corpus: CrowdCorpus, gamma: npt.NDArray[np.float64]) -> None:
        if self.responsibility == "exact" and len(corpus.annotators) > 1 and gamma.max() > SATURATED:
            name = corpus.annotators[int(gamma.argmax())]
            message = (
                f"the responsibilities are saturated: annotator {name} has all the weight, because Eq. 15 is a product "
                "over all sentences; try responsibility='tempered'"
            )
            warn([message])


class Responsibilities(NamedTuple):
    """Responsibilities of an E-step."""

    annotations: npt.NDArray[np.float64]
    """Responsibility of the annotator of each annotation."""
    annotators: npt.NDArray[np.float64] | None
    """Responsibility of each annotator; None if responsibilities differ between sentences."""


class _Problem:
    """State of EM: the CRF with the distinct labellings, and the annotators."""

    def __init__(self, corpus: CrowdCorpus, options: CRFMA) -> None:
        import numpy as np

        training = training_corpus(corpus)
        self.crf = WeightedCRF(
            training,
            template=options.template,
            c2=options.c2,
            max_iter=options.crf_max_iter,
            min_freq=options.min_freq,
            scheme=options.scheme,
            threads=options.threads,
            em_tol=options.crf_tol,
        )
        self.annotators = len(corpus.annotators)
        annotator = np.array([annotation.annotator for annotation in training.annotations], dtype=np.int64)
        #: Whether each annotation for the CRF is that of an annotator; others are known labels.
        self._annotated = annotator < self.annotators
        self._used = np.array(
            [annotation.sentence not in corpus.known for annotation in corpus.annotations], dtype=bool
        )
        #: Number of sentences with annotations but without known labels.
        self._labelled = len(np.unique(self.crf.sentence)) - len(corpus.known)
        #: Annotator and labelling of each annotation.
        self.annotator = annotator[self._annotated]
        self._labelling = self.crf.labelling[self._annotated]
        chosen = [
            annotation for annotation in corpus.annotations if annotation.sentence not in corpus.known
        ]
        lengths = np.array([len(annotation.labels) for annotation in chosen], dtype=float)
        #: Number of tokens that each annotator labelled.
        self.tokens = self._sum(lengths)
        #: Log-probability of each annotator's labels under the random model.
        self.random = equations.log_random(self.tokens, len(corpus.labels))
        self._random_of_annotations = equations.log_random(lengths, len(corpus.labels))

    def responsibilities(
        self,
        pi: npt.NDArray[np.float64],
        log_likelihoods: npt.NDArray[np.float64] | None,
        how: str,
    ) -> Responsibilities:
        """E-step: return a responsibility for each annotator, or for each annotation."""
        import numpy as np

        if how == "sentence":
            labelling = self._labelling
            logs = np.zeros(len(labelling)) if log_likelihoods is None else log_likelihoods[labelling]
            gamma = equations.sentence_responsibilities(
                pi, logs, self.annotator, self.crf.sentence[labelling]
            )
            return Responsibilities(gamma, None)
        if how == "prior" or log_likelihoods is None:
            gamma = pi
        elif how == "tempered":
            gamma = equations.tempered_responsibilities(pi, self.sums(log_likelihoods), self.tokens)
        else:
            gamma = equations.responsibilities(pi, self.sums(log_likelihoods), self.random)
        return Responsibilities(gamma[self.annotator], gamma)

    def expected(
        self, gamma: Responsibilities, pi: npt.NDArray[np.float64], log_likelihoods: npt.NDArray[np.float64]
    ) -> float:
        """Return the expected complete-data log-likelihood (Eq. 14)."""
        if gamma.annotators is not None:
            sums = self.sums(log_likelihoods)
            return equations.expected_log_likelihood(gamma.annotators, pi, sums, self.random)
        return equations.expected_sentence_log_likelihood(
            gamma.annotations,
            pi,
            log_likelihoods[self._labelling],
            self._random_of_annotations,
            self.annotator,
        )

    def labelling_weights(self, gamma: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return weights of labellings from weights of annotations; the sum is the number of labelled sentences.

        Known labels have weight 1.
        """
        import numpy as np

        if not gamma.sum() > 0:
            # Annotators without annotations have all the weight.
            gamma = np.ones(len(gamma))
        weights = np.ones(len(self._annotated))
        weights[self._annotated] = gamma * (self._labelled / gamma.sum()) if len(gamma) else gamma
        return self.crf.sums_of_annotations(weights)

    def all_annotations(self, gamma: Responsibilities) -> npt.NDArray[np.float64]:
        """Return the responsibilities of all annotations of the corpus; 0 in sentences with known labels."""
        import numpy as np

        values = np.zeros(len(self._used))
        values[self._used] = gamma.annotations
        return values

    def sums(self, log_likelihoods: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the log-likelihood of the labels of each annotator."""
        return self._sum(log_likelihoods[self._labelling])

    def _sum(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        import numpy as np

        sums: npt.NDArray[np.float64] = np.bincount(self.annotator, values, self.annotators).astype(float)
        return sums
