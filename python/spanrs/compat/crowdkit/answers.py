"""The answers in a frame of tasks, workers and labels, as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    Array = npt.NDArray[Any]

#: Probabilities are at least this value.
LEAST = 1e-10


class Answers:
    """Answers by number.

    Parameters
    ----------
    data : pandas.DataFrame
        The columns ``task``, ``worker`` and ``label``, with a row for each answer.

    Attributes
    ----------
    tasks : Index
        Tasks in the order of their first answer.
    workers : Index
        Workers in the order of their first answer.
    labels : Index
        Labels, sorted.
    task, label : ndarray of int, shape (answers,)
        Numbers of the task and of the label of each answer.
    pair : ndarray of int, shape (answers,)
        For each answer the number of its pair of worker and label.
    pair_worker, pair_label : ndarray of int, shape (pairs,)
        Worker and label of each pair, in the order of first answers.
    """

    def __init__(self, data: pd.DataFrame) -> None:
        import numpy as np
        import pandas as pd

        missing = [name for name in ("task", "worker", "label") if name not in data.columns]
        if missing:
            raise KeyError(f"the frame has no column {missing[0]!r}; it needs task, worker and label")
        self.task, self.tasks = pd.factorize(data["task"])
        worker, self.workers = pd.factorize(data["worker"])
        self.label, self.labels = pd.factorize(data["label"], sort=True)
        for name, codes in (("task", self.task), ("worker", worker), ("label", self.label)):
            if (codes < 0).any():
                raise ValueError(f"row {int(np.argmax(codes < 0))} of the frame has no {name}")
        self.pair, pairs = pd.factorize(worker * len(self.labels) + self.label)
        self.pair_worker, self.pair_label = np.divmod(pairs, max(len(self.labels), 1))

    def votes(self) -> Array:
        """Return the share of each label among the answers of a task, shape (tasks, labels)."""
        import numpy as np

        labels = len(self.labels)
        counts = np.bincount(self.task * labels + self.label, minlength=len(self.tasks) * labels)
        counts = counts.reshape(len(self.tasks), labels)
        shares: Array = counts / counts.sum(axis=1, keepdims=True)
        return shares

    def sums_of_pairs(self, shares: Array) -> Array:
        """Return the sum over the answers of each pair of the shares of their tasks, shape (pairs, labels)."""
        import numpy as np

        columns = [
            np.bincount(self.pair, weights=column[self.task], minlength=len(self.pair_label))
            for column in shares.T
        ]
        return np.array(columns).T.reshape(len(self.pair_label), shares.shape[1])

    def frame(self, shares: Array, *, sort: bool) -> pd.DataFrame:
        """Return shares as a frame of tasks and labels."""
        import pandas as pd

        index, columns = pd.Index(self.tasks, name="task"), pd.Index(self.labels, name="label")
        frame = pd.DataFrame(shares, index=index, columns=columns)
        return frame.sort_index() if sort else frame

    def accuracy(self, found: Array) -> pd.Series[Any]:
        """Return the share of answers of each worker that are the found labels; repeated answers count once."""
        import numpy as np
        import pandas as pd

        _, first = np.unique(self.task * len(self.pair_label) + self.pair, return_index=True)
        worker = self.pair_worker[self.pair[first]]
        right = found[self.task[first]] == self.label[first]
        shares = np.bincount(worker, weights=right) / np.bincount(worker)
        return pd.Series(shares, index=pd.Index(self.workers, name="worker"), name="skill").sort_index()
