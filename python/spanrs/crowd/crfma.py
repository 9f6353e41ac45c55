"""CRF-MA: a CRF and the reliabilities of annotators by EM (Rodrigues, Pereira and Ribeiro 2013, section 3)."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from spanrs import _spanrs
from spanrs.crf import CRF
from spanrs.crf.options import check_threads, complete
from spanrs.crf.templates import template_text
from spanrs.crowd import equations
from spanrs.crowd.aggregator import Aggregator, reliability
from spanrs.crowd.majority import MajorityVote
from spanrs.errors import ModelError, warn

if TYPE_CHECKING:
    from os import PathLike

    import numpy as np
    import numpy.typing as npt

    from spanrs.crowd.corpus import CrowdCorpus

RESPONSIBILITIES = ("tempered", "sentence", "prior", "exact")
INITS = ("mv_token", "uniform", "random")
#: Keeps the features of labellings without weight, so that all iterations maximise over the same parameters.
LEAST_WEIGHT = 1e-300
#: A responsibility above this is called saturated.
SATURATED = 1 - 1e-6


class EMIteration(NamedTuple):
    """One iteration of EM, after its M-step."""

    iteration: int
    """Its number, from 1."""
    expected: float
    """Expected complete-data log-likelihood (Eq. 14) under the responsibilities of this iteration."""
    log_likelihood: float
    """Log-likelihood of all annotations (Eq. 9)."""
    map_objective: float
    """Log-likelihood plus the logarithm of the prior, up to a constant (Eq. 19)."""
    objective_before: float
    """What the M-step minimises, at the weights it began with; NaN in the first iteration."""
    objective: float
    """What the M-step minimises (Eq. 16, negated, with the penalty), after it."""
    pi: dict[str, float]
    """Probability of each annotator (Eq. 18)."""
    seconds: float
    """Since training began."""


class CRFMA(Aggregator):
    """CRF-MA: a CRF trained on the labels of all annotators, each weighted by how much they are trusted.

    EM alternates between the responsibilities of the annotators (Eq. 15) and a CRF trained on their labellings with
    these weights (Eq. 16), whose best labellings (Eq. 17) give the reliabilities (Eq. 18). Weights are scaled so that
    they sum to the number of sentences.

    Parameters
    ----------
    template : str or path, optional
        As in :class:`spanrs.crf.CRF`: needed where tokens are strings or tuples.
    responsibility : str
        ``tempered``: pi times the exponential of the mean log-likelihood per token. ``sentence``: a distribution for
        each sentence, pi times the likelihood of its labelling. ``prior``: pi. ``exact``: Eqs. 12 and 15, a product
        over all sentences, which nearly always puts all weight on one annotator, and then warns.
    squared_f1 : bool
        Square F1 in Eq. 18, as the authors do.
    alpha : float or sequence of float
        Parameters of the Dirichlet prior of pi, at least 1 (section 3.5); 1 is no prior.
    c2 : float
        Coefficient of the squared weights of the CRF: 1 / (2 sigma^2) of its Gaussian prior.
    init : str
        Where pi begins: ``mv_token``, F1 against the token-level majority vote; ``uniform``; ``random``, by ``seed``.
    tol : float
        Stop when Eq. 14 changes by less, relatively, or no pi by more.
    max_iterations : int
        Largest number of EM iterations.
    crf_iterations : int
        Largest number of L-BFGS iterations in each M-step, which begins with the weights of the last one.
    min_freq : float
        As in :class:`spanrs.crf.CRF`.
    scheme : str, optional
        As in :class:`spanrs.crf.CRF`: ``auto`` by default, so that the estimated truth has legal tags only.
    threads : int
        Threads of training and decoding; results do not depend on it.
    seed : int
        Seed of ``init="random"``.

    Attributes
    ----------
    crf_ : spanrs.crf.CRF
        The trained CRF.
    pi_ : dict of str to float
        Probability of each annotator.
    responsibilities_ : array (annotators) or list of arrays
        Of the last E-step; for ``sentence`` an array (annotators) for each sentence.
    history_ : list of EMIteration
        The course of EM.
    estimated_truth_, confidence_, reliability_
        As in all aggregators; reliability is F1 against the estimated truth.

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
        max_iterations: int = 20,
        crf_iterations: int = 50,
        min_freq: float = 0.0,
        scheme: str | None = "auto",
        threads: int = 1,
        seed: int = 0,
    ) -> None:
        self.template = template
        self.responsibility = responsibility
        self.squared_f1 = squared_f1
        self.alpha = alpha
        self.c2 = c2
        self.init = init
        self.tol = tol
        self.max_iterations = max_iterations
        self.crf_iterations = crf_iterations
        self.min_freq = min_freq
        self.scheme = scheme
        self.threads = threads
        self.seed = seed

    def fit(self, corpus: CrowdCorpus) -> CRFMA:
        """Estimate the truth, the reliabilities and the CRF. Sentences that nobody labelled get the labels of the CRF.

        Raises
        ------
        ValueError
            For options that are not as above.
        spanrs.errors.ModelError
            If the corpus has no annotations, or for features that the CRF cannot use.
        """
        alpha = self._check(corpus)
        em = Problem(corpus, self)
        pi = self._initial_pi(corpus, alpha)
        began = time.perf_counter()
        self.history_: list[EMIteration] = []
        likelihoods: list[npt.NDArray[np.float64]] | None = None
        for iteration in range(1, self.max_iterations + 1):
            # E-step; before the first M-step there is no CRF, and pi is all that is known.
            gamma = em.responsibilities(pi, likelihoods, self.responsibility)
            weights = em.weights(gamma)
            before = float("nan") if likelihoods is None else em.objective(weights, likelihoods)
            em.maximize(weights)
            likelihoods = em.likelihoods()
            truth = em.model.tag(corpus.sentences, False, None, self.threads)
            f1 = reliability(corpus, truth)
            used_pi, pi = pi, equations.pi(list(f1.values()), self.squared_f1, alpha)
            sums = em.sums(likelihoods)
            log_likelihood = equations.log_likelihood(used_pi, sums, em.random)
            self.history_.append(
                EMIteration(
                    iteration,
                    equations.expected_log_likelihood(
                        em.annotator_weights(gamma), used_pi, sums, em.random
                    ),
                    log_likelihood,
                    log_likelihood + equations.log_prior(used_pi, alpha, em.squares(), self.c2),
                    before,
                    em.objective(weights, likelihoods),
                    dict(zip(corpus.annotators, map(float, pi), strict=True)),
                    time.perf_counter() - began,
                )
            )
            if self._converged(used_pi, pi):
                break
        self._finish(corpus, em, gamma, truth)
        return self

    def predict(self, X: Iterable[Any]) -> list[list[str]]:  # noqa: N803  # scikit-learn's name
        """Give the best labels of sequences by the CRF."""
        if not hasattr(self, "crf_"):
            raise ModelError("CRFMA is not trained; call fit")
        return self.crf_.predict(X)

    def _check(self, corpus: CrowdCorpus) -> npt.NDArray[np.float64]:
        """Check options; give the parameters of the Dirichlet prior."""
        import numpy as np

        for value, known in ((self.responsibility, RESPONSIBILITIES), (self.init, INITS)):
            if value not in known:
                message = f"{value!r} is not one of {', '.join(known)}"
                raise ValueError(message)
        if self.max_iterations < 1 or self.crf_iterations < 1 or not self.tol >= 0:
            raise ValueError("max_iterations and crf_iterations must be at least 1, tol at least 0")
        check_threads(self.threads)
        if not corpus.annotations:
            raise ModelError("the corpus has no annotations")
        annotators = len(corpus.annotators)
        alpha = np.broadcast_to(np.asarray(self.alpha, dtype=float), annotators)
        if not (np.isfinite(alpha) & (alpha >= 1)).all():
            message = f"alpha is {self.alpha!r}; it must be finite and at least 1"
            raise ValueError(message)
        return alpha

    def _initial_pi(self, corpus: CrowdCorpus, alpha: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        import numpy as np

        annotators = len(corpus.annotators)
        if self.init == "uniform":
            return np.full(annotators, 1.0 / annotators)
        if self.init == "random":
            return np.random.default_rng(self.seed).dirichlet(np.ones(annotators))
        scores = MajorityVote().fit(corpus).reliability_
        return equations.pi(list(scores.values()), self.squared_f1, alpha)

    def _converged(self, before: npt.NDArray[np.float64], after: npt.NDArray[np.float64]) -> bool:
        if len(self.history_) < 2:
            return False
        last, now = (step.expected for step in self.history_[-2:])
        still = abs(after - before).max() <= self.tol
        return bool(still or abs(now - last) <= self.tol * abs(last))

    def _finish(
        self,
        corpus: CrowdCorpus,
        em: Problem,
        gamma: npt.NDArray[np.float64] | list[npt.NDArray[np.float64]],
        truth: list[list[str]],
    ) -> None:
        import numpy as np

        self.responsibilities_ = gamma
        if self.responsibility == "exact" and len(corpus.annotators) > 1 and np.max(gamma) > SATURATED:
            name = corpus.annotators[int(np.argmax(gamma))]
            message = (
                f"the responsibilities are saturated: annotator {name} has all the weight, because Eq. 15 is a product "
                "over all sentences; try responsibility='tempered'"
            )
            warn([message])
        self.pi_ = self.history_[-1].pi
        self.crf_ = em.crf()
        self._set_model_truth(corpus, em.model, truth, self.threads)


def _number(known: dict[tuple[int, ...], int], labels: tuple[int, ...]) -> int:
    """Give the number of a labelling, which is added if it is new."""
    return known.setdefault(labels, len(known))


class Problem:
    """A corpus as EM sees it: the distinct labellings of each sentence, and who gave them."""

    def __init__(self, corpus: CrowdCorpus, options: CRFMA) -> None:
        import numpy as np

        self.corpus, self.threads = corpus, options.threads
        self.text = None if options.template is None else template_text(options.template)
        found: list[dict[tuple[int, ...], int]] = [{} for _ in range(len(corpus))]
        #: Of each annotation, the place of its labelling among those of the sentence.
        self.place = [
            found[own.sentence].setdefault(own.labels, len(found[own.sentence]))
            for own in corpus.annotations
        ]
        self.labelled = [at for at, own in enumerate(found) if own]
        self.labellings = [
            [[corpus.labels[label] for label in labels] for labels in found[at]] for at in self.labelled
        ]
        self.sentences = [corpus.sentences[at] for at in self.labelled]
        row = {at: number for number, at in enumerate(self.labelled)}
        #: Of each annotation, the row of its sentence.
        self.row = np.array([row[own.sentence] for own in corpus.annotations])
        self.annotator = np.array([own.annotator for own in corpus.annotations])
        lengths = np.array([len(own.labels) for own in corpus.annotations], dtype=float)
        #: Number of tokens that each annotator labelled.
        self.tokens = self._by_annotator(lengths)
        #: Log-probability of each annotator's labels under the random model.
        self.random = equations.log_random(self.tokens, len(corpus.labels))
        self.options = complete(
            "lbfgs",
            CRF(c2=options.c2, max_iterations=options.crf_iterations, min_freq=options.min_freq)._options(),
        )
        self.c2 = options.c2
        self.trainer = _spanrs.CrfTrainer(self.text)
        self.trainer.extend(self.sentences, [own[0] for own in self.labellings], None)
        self.trainer.set_labellings(self.labellings)
        flat = [labels for own in self.labellings for labels in own]
        self.scheme = CRF(scheme=options.scheme)._scheme(self.trainer.labels(), flat)
        self._model: _spanrs.CrfModel | None = None
        self._free: _spanrs.CrfModel | None = None

    @property
    def model(self) -> _spanrs.CrfModel:
        """The CRF after the last M-step, which decodes legal tags only."""
        if self._model is None:
            raise ModelError("there was no M-step")
        return self._model

    def responsibilities(
        self,
        pi: npt.NDArray[np.float64],
        likelihoods: list[npt.NDArray[np.float64]] | None,
        how: str,
    ) -> npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]:
        """E-step: one distribution of the annotators, or one for each sentence that has labels."""
        import numpy as np

        if how == "sentence":
            own = np.zeros(len(self.row)) if likelihoods is None else self._of_annotations(likelihoods)
            return equations.sentence_responsibilities(
                pi, own, self.annotator, self.row, len(self.labelled)
            )
        if how == "prior" or likelihoods is None:
            return pi
        sums = self.sums(likelihoods)
        if how == "tempered":
            return equations.tempered_responsibilities(pi, sums, self.tokens)
        return equations.responsibilities(pi, sums, self.random)

    def annotator_weights(
        self, gamma: npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]
    ) -> npt.NDArray[np.float64]:
        """Responsibilities of annotators, averaged over sentences where they differ."""
        import numpy as np

        return np.mean(gamma, axis=0) if isinstance(gamma, list) else gamma

    def weights(
        self, gamma: npt.NDArray[np.float64] | list[npt.NDArray[np.float64]]
    ) -> list[npt.NDArray[np.float64]]:
        """Weight of each distinct labelling of each sentence; they sum to the number of sentences."""
        import numpy as np

        if isinstance(gamma, list):
            own = np.array([gamma[row][who] for row, who in zip(self.row, self.annotator, strict=True)])
        else:
            own = gamma[self.annotator]
        total = own.sum()
        # Where those who have all weight labelled nothing, nobody is known better.
        own = (
            own * (len(self.labelled) / total)
            if total > 0
            else np.full(len(own), len(self.labelled) / len(own))
        )
        weights = [np.full(len(labellings), LEAST_WEIGHT) for labellings in self.labellings]
        for row, place, weight in zip(self.row, self.place, own, strict=True):
            weights[row][place] += weight
        return weights

    def maximize(self, weights: list[npt.NDArray[np.float64]]) -> None:
        """M-step (Eq. 16): train the CRF on weighted labellings, from the weights of the last M-step."""
        self.trainer.set_weights([own.tolist() for own in weights])
        self._free, _ = self.trainer.train(
            "lbfgs", self.options, self.threads, self._free, None, None, None, False, True
        )
        facts = {"template": self.text, "scheme": self.scheme}
        metadata = json.dumps({name: value for name, value in facts.items() if value})
        self._model = self._free.with_metadata(metadata)
        # Likelihoods are those of the CRF without the constraint of the scheme, which some annotators violate.
        del facts["scheme"]
        self._free = self._free.with_metadata(json.dumps({name: own for name, own in facts.items() if own}))

    def likelihoods(self) -> list[npt.NDArray[np.float64]]:
        """Log-likelihoods (Eq. 1) of the distinct labellings of each sentence."""
        import numpy as np

        if self._free is None:
            raise ModelError("there was no M-step")
        return [
            np.array(own)
            for own in self._free.log_likelihoods(self.sentences, self.labellings, self.threads)
        ]

    def _of_annotations(self, likelihoods: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
        import numpy as np

        return np.array([likelihoods[row][place] for row, place in zip(self.row, self.place, strict=True)])

    def sums(self, likelihoods: list[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
        """Log-likelihood of all labels of each annotator."""
        return self._by_annotator(self._of_annotations(likelihoods))

    def _by_annotator(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        import numpy as np

        sums = np.zeros(len(self.corpus.annotators))
        np.add.at(sums, self.annotator, values)
        return sums

    def squares(self) -> float:
        """Sum of the squared weights of the CRF."""
        return float(
            sum(weight**2 for *_, weight in self.model.states())
            + sum(weight**2 for *_, weight in self.model.transitions())
        )

    def objective(
        self, weights: list[npt.NDArray[np.float64]], likelihoods: list[npt.NDArray[np.float64]]
    ) -> float:
        """Negative weighted log-likelihood plus the penalty, at the present weights of the CRF."""
        pairs = zip(weights, likelihoods, strict=True)
        return self.c2 * self.squares() - float(sum(own @ logs for own, logs in pairs))

    def crf(self) -> CRF:
        """Give the CRF as an estimator."""
        crf = CRF(template=self.text, c2=self.c2, scheme=self.scheme, threads=self.threads)
        crf._model = self.model
        return crf
