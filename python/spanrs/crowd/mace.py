"""MACE: annotators either know the label or guess."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from spanrs.crowd.annotators import expected_logs
from spanrs.crowd.dawid_skene import LEAST, DawidSkene, _Answers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


class MACE(DawidSkene):
    """MACE (Hovy et al. 2013): an annotator gives the true label, or one that does not depend on it.

    Variational Bayes as in the paper (section 4), which begins with shares of votes instead of at random, so that no
    restarts are needed and equal data give equal results.

    Parameters
    ----------
    max_iterations : int
        Largest number of iterations.
    tol : float
        Stop when :attr:`bound_` rises by less.
    knowing : float
        Both parameters of the Beta prior of the probability to give the true label; 0.5 in the paper.
    strategy : float
        Parameter of the Dirichlet prior of the labels that are given otherwise; 10 in the paper.
    prior : str
        ``estimated`` estimates how frequent the true labels are. ``uniform``, as in the paper, takes them to be equally
        frequent, which fails for tags: where most tokens are ``O``, answers of ``O`` look like guesses.

    Attributes
    ----------
    competence_ : array (annotators)
        Expected probability that an annotator gives the true label because they know it.
    strategy_ : array (annotators, labels)
        Expected probability of each label otherwise.
    bound_ : list of float
        The evidence lower bound divided by the number of votes, at each E-step; it does not fall.

    Examples
    --------
    >>> from spanrs.crowd import MACE, CrowdCorpus
    >>> votes = {"ann": ["A", "B", "A"], "ben": ["A", "B", "A"], "eve": ["B", "B", "B"]}
    >>> found = MACE().fit(CrowdCorpus([["x", "y", "z"]], [votes]))
    >>> found.labels_, bool(found.competence_[2] < found.competence_[0])
    ([['A', 'B', 'A']], True)
    """

    def __init__(
        self,
        max_iterations: int = 100,
        tol: float = 1e-5,
        knowing: float = 0.5,
        strategy: float = 10.0,
        prior: str = "estimated",
    ) -> None:
        super().__init__(max_iterations, tol, 0.0, 0.0)
        self.knowing = knowing
        self.strategy = strategy
        self.prior = prior

    def _check_options(self) -> None:
        if self.max_iterations < 1 or not self.tol >= 0 or not min(self.knowing, self.strategy) > 0:
            raise ValueError(
                "max_iterations must be at least 1, tol at least 0, knowing and strategy above 0"
            )
        if self.prior not in ("estimated", "uniform"):
            raise ValueError(f"prior is estimated or uniform, not {self.prior!r}")

    def _start(self, annotators: int, labels: int) -> None:
        import numpy as np

        # Probability of answers that annotators know, or give by their strategy.
        self._weights = np.full((annotators, 1), 0.5), np.full((annotators, labels), 0.5 / labels)

    def _maximize(self, answers: _Answers, shares: Array) -> None:
        import numpy as np

        super()._maximize(answers, shares)
        if self.prior == "uniform":
            self.prior_ = np.full(answers.labels, 1.0 / answers.labels)

    def _confusion(self, counts: Array) -> Array:
        import numpy as np

        labels = counts.shape[1]
        # Answers that equal the true label may have been known.
        known, guessed = self._weights
        knew = counts.diagonal(axis1=1, axis2=2) * known / (known + guessed)
        competence = self.knowing + np.stack(
            [knew.sum(axis=1), counts.sum(axis=(1, 2)) - knew.sum(axis=1)], axis=1
        )
        strategies = self.strategy + counts.sum(axis=1) - knew
        self.competence_ = competence[:, 0] / competence.sum(axis=1)
        self.strategy_ = strategies / strategies.sum(axis=1, keepdims=True)
        chances = np.exp(expected_logs(competence))
        self._weights = chances[:, :1], chances[:, 1:] * np.exp(expected_logs(strategies))
        self._divergence = _divergence(competence, self.knowing) + _divergence(strategies, self.strategy)
        known, guessed = self._weights
        table: Array = known[:, :, None] * np.eye(labels) + guessed[:, None, :]
        return np.maximum(table, LEAST)

    def _log_prior(self) -> float:
        return -self._divergence


def _divergence(parameters: Array, prior: float) -> float:
    """Give the sum of the Kullback-Leibler divergences of Dirichlet distributions (rows) from a symmetric one."""
    size = parameters.shape[1]
    total = float(((parameters - prior) * expected_logs(parameters)).sum())
    for row in parameters.tolist():
        total += math.lgamma(sum(row)) - sum(map(math.lgamma, row))
        total += size * math.lgamma(prior) - math.lgamma(size * prior)
    return total
