"""MACE: annotators either know the label or guess."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from spanrs.crowd.annotators import expected_logs
from spanrs.crowd.dawid_skene import LEAST, DawidSkene, _Answers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


class MACE(DawidSkene):
    """MACE (Hovy et al. 2013): an answer either is the true label or is independent of the true label.

    The model is fitted by variational Bayes as in the paper (section 4), but initialised with the shares of votes
    instead of at random, so the estimate is deterministic and no restarts are needed. Known labels and exponents of
    annotators are used as in :class:`DawidSkene`.

    Parameters
    ----------
    max_iter : int
        Maximum number of iterations.
    tol : float
        Stop when :attr:`bound_` increases by less than this value.
    knowing : float
        Both parameters of the Beta prior of the probability of knowing the label; 0.5 in the paper.
    strategy : float
        Parameter of the Dirichlet prior of guessed labels; 10 in the paper.
    prior : str
        ``estimated`` estimates the frequencies of the true labels. ``uniform``, as in the paper, assumes equal
        frequencies, which fails for tags: if most tokens are ``O``, answers of ``O`` resemble guesses.
    progress : bool, optional
        Show iterations on standard error; None shows them only if standard error is a terminal.

    Attributes
    ----------
    competence_ : array (annotators)
        Expected probability that an annotator knows the label.
    strategy_ : array (annotators, labels)
        Expected probability of each guessed label.
    bound_ : list of float
        The evidence lower bound of the votes and the known labels, divided by the number of votes, at each E-step. An
        exponent multiplies all terms of an annotator. The bound does not decrease.

    Examples
    --------
    >>> from spanrs.crowd import MACE, CrowdCorpus
    >>> votes = {"ann": ["A", "B", "A"], "ben": ["A", "B", "A"], "eve": ["B", "B", "B"]}
    >>> found = MACE().fit(CrowdCorpus([["x", "y", "z"]], [votes]))
    >>> found.labels_, bool(found.competence_[2] < found.competence_[0])
    ([['A', 'B', 'A']], True)
    """

    _choices: ClassVar[Mapping[str, tuple[str, ...]]] = {"prior": ("estimated", "uniform")}

    def __init__(
        self,
        *,
        max_iter: int = 100,
        tol: float = 1e-5,
        knowing: float = 0.5,
        strategy: float = 10.0,
        prior: str = "estimated",
        progress: bool | None = None,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.knowing = knowing
        self.strategy = strategy
        self.prior = prior
        self.progress = progress

    def _start(self, annotators: int, labels: int) -> None:
        import numpy as np

        # Probabilities of known and of guessed answers.
        self._weights = np.full((annotators, 1), 0.5), np.full((annotators, labels), 0.5 / labels)

    def _answer_tables(self) -> Array:
        import numpy as np

        # The tables of the E-step are exponentials of expected logarithms, whose sums are below 1.
        labels = self.strategy_.shape[1]
        knowing = self.competence_[:, None, None]
        tables: Array = knowing * np.eye(labels) + (1.0 - knowing) * self.strategy_[:, None, :]
        return tables

    def _label_pseudo_count(self) -> float:
        return 0.0

    def _maximize(
        self, answers: _Answers, shares: Array, used: npt.NDArray[np.bool_] | None = None
    ) -> None:
        import numpy as np

        super()._maximize(answers, shares, used)
        if self.prior == "uniform":
            self.prior_ = np.full(answers.labels, 1.0 / answers.labels)

    def _confusion(self, counts: Array) -> Array:
        import numpy as np

        labels = counts.shape[1]
        # Only answers that equal the true label can be known.
        knowing, guessing = self._weights
        knew = counts.diagonal(axis1=1, axis2=2) * knowing / (knowing + guessing)
        competence = self.knowing + np.stack(
            [knew.sum(axis=1), counts.sum(axis=(1, 2)) - knew.sum(axis=1)], axis=1
        )
        strategies = self.strategy + counts.sum(axis=1) - knew
        self.competence_ = competence[:, 0] / competence.sum(axis=1)
        self.strategy_ = strategies / strategies.sum(axis=1, keepdims=True)
        chances = np.exp(expected_logs(competence))
        self._weights = chances[:, :1], chances[:, 1:] * np.exp(expected_logs(strategies))
        self._divergence = _divergence(competence, self.knowing) + _divergence(strategies, self.strategy)
        knowing, guessing = self._weights
        table: Array = knowing[:, :, None] * np.eye(labels) + guessing[:, None, :]
        return np.maximum(table, LEAST)

    def _log_prior(self, exponents: Array) -> float:
        return -float(exponents @ self._divergence)


def _divergence(parameters: Array, prior: float) -> Array:
    """Return the Kullback-Leibler divergence of each Dirichlet distribution (row) from a symmetric Dirichlet."""
    import numpy as np

    size = parameters.shape[1]
    constant = size * math.lgamma(prior) - math.lgamma(size * prior)
    gammas = [math.lgamma(sum(row)) - sum(map(math.lgamma, row)) for row in parameters.tolist()]
    sums = ((parameters - prior) * expected_logs(parameters)).sum(axis=1)
    divergences: Array = sums + np.array(gammas) + constant
    return divergences
