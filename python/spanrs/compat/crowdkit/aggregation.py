"""Aggregation of answers in frames of ``task``, ``worker`` and ``label``, with the calls of crowd-kit.

For sequences of tags and for texts with spans use :mod:`spanrs.crowd`, whose methods know which tags may be adjacent.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from spanrs.compat.crowdkit.answers import LEAST, Answers

if TYPE_CHECKING:
    from typing import Self

    import pandas as pd

    from spanrs.compat.crowdkit.answers import Array

__all__ = ["DawidSkene", "MajorityVote", "OneCoinDawidSkene"]


class _Aggregator(ABC):
    """Base class; ``fit`` sets ``labels_`` and ``probas_``."""

    labels_: pd.Series[Any]
    probas_: pd.DataFrame

    @abstractmethod
    def fit(self, data: pd.DataFrame, *args: Any, **kwargs: Any) -> Self:
        """Estimate the labels of the tasks."""

    def fit_predict(self, data: pd.DataFrame, *args: Any, **kwargs: Any) -> pd.Series[Any]:
        """Return the most probable label of each task, as a series indexed by ``task``."""
        return self.fit(data, *args, **kwargs).labels_

    def fit_predict_proba(self, data: pd.DataFrame, *args: Any, **kwargs: Any) -> pd.DataFrame:
        """Return the probability of each label, as a frame of tasks and labels."""
        return self.fit(data, *args, **kwargs).probas_


class MajorityVote(_Aggregator):
    """The most frequent label of each task; the first in sorted order if there are several.

    ``probas_`` are the shares of votes, ``skills_`` the shares of answers of each worker that are the chosen labels.

    >>> import pandas as pd
    >>> from spanrs.compat.crowdkit.aggregation import MajorityVote
    >>> rows = [("t1", "ann", "cat"), ("t1", "bob", "dog"), ("t1", "eve", "dog"), ("t2", "ann", "cat")]
    >>> MajorityVote().fit_predict(pd.DataFrame(rows, columns=["task", "worker", "label"])).to_dict()
    {'t1': 'dog', 't2': 'cat'}
    """

    skills_: pd.Series[Any]

    def fit(self, data: pd.DataFrame) -> Self:
        """Count the answers; raises KeyError for a frame without the columns, ValueError for missing values."""
        answers = Answers(data)
        shares = answers.votes()
        self.probas_ = answers.frame(shares, sort=True)
        self.labels_ = _most_probable(self.probas_)
        self.skills_ = answers.accuracy(shares.argmax(axis=1))
        return self


class DawidSkene(_Aggregator):
    """The model of Dawid and Skene (1979): a confusion matrix for each worker, by EM from the shares of votes.

    Parameters
    ----------
    n_iter : int
        Maximum number of iterations.
    tol : float
        Training ends if ``loss_history_`` increases by less.

    ``probas_``, ``labels_``, ``priors_``, ``errors_`` (probabilities of the answers of a worker, for each true label)
    and ``loss_history_`` have the values of crowd-kit 1.4.2; its bound counts the prior of a task once for each answer.
    """

    priors_: pd.Series[Any]
    errors_: pd.DataFrame
    loss_history_: list[float]

    def __init__(self, n_iter: int = 100, tol: float = 1e-5) -> None:
        self.n_iter, self.tol = n_iter, tol

    def fit(self, data: pd.DataFrame, true_labels: pd.Series[Any] | None = None) -> Self:
        """Train; ``true_labels`` are known labels, indexed by ``task``."""
        import numpy as np

        answers = Answers(data)
        known = _known(answers, true_labels)
        shares = answers.votes()
        shares[known[0]] = known[1]
        before, self.loss_history_ = -math.inf, []
        if not len(answers.task):
            self._set(answers, shares, np.zeros(0), np.zeros((0, 0)))
            return self
        priors, errors = shares.mean(axis=0), self._m_step(answers, shares)
        for _ in range(self.n_iter):
            shares = _e_step(answers, priors, errors)
            shares[known[0]] = known[1]
            priors, errors = shares.mean(axis=0), self._m_step(answers, shares)
            bound = _bound(answers, shares, priors, errors) / len(answers.task)
            self.loss_history_.append(bound)
            if bound - before < self.tol:
                break
            before = bound
            shares = np.maximum(shares, LEAST)
        self._set(answers, np.maximum(shares, LEAST) if self.loss_history_ else shares, priors, errors)
        return self

    def _m_step(self, answers: Answers, shares: Array) -> Array:
        """Return the probability of each pair of worker and answer, for each true label; shape (pairs, labels)."""
        import numpy as np

        errors = np.maximum(answers.sums_of_pairs(shares), LEAST)
        sums = np.zeros((len(answers.workers), errors.shape[1]))
        np.add.at(sums, answers.pair_worker, errors)
        normalised: Array = errors / sums[answers.pair_worker]
        return normalised

    def _set(self, answers: Answers, shares: Array, priors: Array, errors: Array) -> None:
        import pandas as pd

        columns = pd.Index(answers.labels, name="label")
        self.probas_ = answers.frame(shares, sort=not self.loss_history_)
        self.labels_ = _most_probable(self.probas_)
        self.priors_ = pd.Series(priors, index=columns, name="prior")
        pairs = [answers.workers[answers.pair_worker], answers.labels[answers.pair_label]]
        index = pd.MultiIndex.from_arrays(pairs, names=["worker", "label"])
        self.errors_ = pd.DataFrame(errors, index=index, columns=columns)


class OneCoinDawidSkene(DawidSkene):
    """:class:`DawidSkene` with one probability of the true label for each worker, ``skills_``."""

    skills_: pd.Series[Any]

    def fit(self, data: pd.DataFrame) -> Self:  # type: ignore[override]
        """Train."""
        return super().fit(data)

    def _m_step(self, answers: Answers, shares: Array) -> Array:
        import numpy as np

        right = shares[answers.task, answers.label]
        worker = answers.pair_worker[answers.pair]
        number = len(answers.workers)
        skills = np.bincount(worker, weights=right, minlength=number) / np.bincount(
            worker, minlength=number
        )
        self._skills = skills
        labels = shares.shape[1]
        own = skills[answers.pair_worker]
        wrong = (1 - own) / (labels - 1) if labels > 1 else own
        errors = np.repeat(wrong[:, None], labels, axis=1)
        errors[np.arange(len(own)), answers.pair_label] = own
        clipped: Array = np.clip(errors, LEAST, 1 - LEAST)
        return clipped

    def _set(self, answers: Answers, shares: Array, priors: Array, errors: Array) -> None:
        import pandas as pd

        super()._set(answers, shares, priors, errors)
        self.skills_ = pd.Series(
            self._skills if len(answers.task) else [],
            index=pd.Index(answers.workers, name="worker"),
            name="skill",
        )


def _most_probable(probas: pd.DataFrame) -> pd.Series[Any]:
    """Return the label with the largest probability of each task, the first one if there are several."""
    import pandas as pd

    if not len(probas):
        return pd.Series([], dtype="O")
    return probas.idxmax(axis="columns")


def _known(answers: Answers, true_labels: pd.Series[Any] | None) -> tuple[Array, Array]:
    """Return the numbers of tasks with known labels, and their shares of labels."""
    import numpy as np

    if true_labels is None:
        return np.zeros(0, dtype=int), np.zeros((0, len(answers.labels)))
    tasks, labels = answers.tasks.get_indexer(true_labels.index), answers.labels.get_indexer(true_labels)
    if (labels[tasks >= 0] < 0).any():
        unknown = true_labels[(tasks >= 0) & (labels < 0)].iloc[0]
        raise ValueError(f"the known label {unknown!r} is no answer of a worker")
    shares = np.zeros((len(tasks), len(answers.labels)))
    shares[np.arange(len(tasks)), labels] = 1
    return tasks[tasks >= 0], shares[tasks >= 0]


def _e_step(answers: Answers, priors: Array, errors: Array) -> Array:
    """Return the probability of each label of each task, shape (tasks, labels)."""
    import numpy as np

    logs = np.log2(errors)[answers.pair]
    sums = np.array(
        [np.bincount(answers.task, weights=column, minlength=len(answers.tasks)) for column in logs.T]
    ).T
    sums = np.log2(np.maximum(priors, LEAST)) + sums
    shares = np.exp2(sums - sums.max(axis=1, keepdims=True))
    normalised: Array = shares / shares.sum(axis=1, keepdims=True)
    return normalised


def _bound(answers: Answers, shares: Array, priors: Array, errors: Array) -> float:
    """Return the bound that ends the training, with the prior of a task once for each answer as in crowd-kit."""
    import numpy as np

    joint = np.log(errors)[answers.pair] + np.log(np.maximum(priors, LEAST))
    expectation = (shares[answers.task] * joint).sum()
    kept = np.maximum(shares, LEAST)
    return float(expectation - (np.log(kept) * kept).sum())
