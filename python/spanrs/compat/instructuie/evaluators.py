"""One evaluator for each task: pairs of answers are added, then the measures are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

from spanrs.compat.instructuie.answers import check_task, items
from spanrs.compat.instructuie.audits import AUDITS, Answered, option_types

_NA = ",na,"


class _Evaluator(ABC):
    """Evaluator of one task.

    Parameters
    ----------
    options : iterable of str
        The types of the task, which ``AuditInvalid`` needs; without them it is not counted.

    Attributes
    ----------
    last : list of int, or int
        TP, FN and FP of the last pair; for events and triggers, whether the answer was correct.
    sum : list of int
        TP, FN and FP of all pairs; for events and triggers, the numbers of correct and of all answers.
    """

    task: ClassVar[str]

    def __init__(self, options: Iterable[str] = ()) -> None:
        self._options = option_types(options)
        self._audit: Counter[str] = Counter()
        self.last: list[int] | int = 0
        self.sum: list[int] = [0, 0, 0]

    def add(self, gold: str | Sequence[str], pred: str | Sequence[str]) -> None:
        """Add a pair of answers.

        Parameters
        ----------
        gold, pred : str or sequence of str
            Gold and predicted answer. As in the original, only the first pair of two sequences is scored; add the
            pairs one by one.

        Raises
        ------
        TypeError
            If one side is a str and the other is not.
        """
        if isinstance(gold, str) != isinstance(pred, str):
            raise TypeError(
                "gold is one answer and pred is several, or vice versa; add the pairs one by one"
            )
        if isinstance(gold, str) and isinstance(pred, str):
            self._add(gold, pred)
        elif gold and pred:
            self._add(gold[0], pred[0])

    def _add(self, gold: str, pred: str) -> None:
        truth, found = items(gold, self.task), items(pred, self.task, gold=False)
        correct = self._score(truth, found)
        pair = Answered(self.task, pred, truth, found, correct, self._options)
        self._audit.update(name for name, applies in AUDITS.items() if applies(pair))

    @abstractmethod
    def _score(self, truth: set[str] | str, pred: set[str] | str) -> int:
        """Count a pair of answers, and return the number of correct items."""

    @abstractmethod
    def get_metric(self) -> float:
        """Return the main measure: F1, or accuracy for events and triggers."""

    def get_audit_report(self) -> dict[str, int]:
        """Return the number of pairs for each peculiarity that was found.

        Returns
        -------
        dict
            Name -> number of pairs, without zeros.
        """
        return {name: self._audit[name] for name in AUDITS if self._audit[name]}


class _ItemEvaluator(_Evaluator):
    """Evaluator that counts items."""

    def _score(self, truth: set[str] | str, pred: set[str] | str) -> int:
        assert not isinstance(truth, str)
        assert not isinstance(pred, str)
        self.last = last = self._count(truth, pred)
        self.sum = [total + new for total, new in zip(self.sum, last, strict=True)]
        return last[0]

    def _count(self, truth: set[str], pred: set[str]) -> list[int]:
        correct = len(truth & pred)
        return [correct, len(truth) - correct, len(pred) - correct]

    def get_precision(self) -> float:
        """Return the precision; the integer 0 if nothing was predicted."""
        tp, _, fp = self.sum
        return tp / (tp + fp) if tp + fp else 0

    def get_recall(self) -> float:
        """Return the recall; the integer 0 if there are no gold items."""
        tp, fn, _ = self.sum
        return tp / (tp + fn) if tp + fn else 0

    def get_metric(self) -> float:
        """Return F1; the integer 0 if nothing is correct."""
        precision, recall = self.get_precision(), self.get_recall()
        both = precision + recall
        return 2 * precision * recall / both if both else 0


class _AnswerEvaluator(_Evaluator):
    """Evaluator that compares whole answers."""

    def __init__(self, options: Iterable[str] = ()) -> None:
        super().__init__(options)
        self.sum = [0, 0]

    def _score(self, truth: set[str] | str, pred: set[str] | str) -> int:
        self.last = correct = int(truth == pred)
        self.sum = [self.sum[0] + correct, self.sum[1] + 1]
        return correct

    def get_metric(self) -> float:
        """Return the accuracy; the integer 0 without answers."""
        correct, total = self.sum
        return correct / total if total else 0


class EvaluatorNER(_ItemEvaluator):
    """Named entities: ``person: Anna; location: York``. Every piece is an item, also the empty one.

    Source: InstructUIE at commit 339ade6 (MIT licence).

    Examples
    --------
    >>> evaluator = EvaluatorNER()
    >>> evaluator.add("person: Anna", "person: anna;")
    >>> evaluator.add("", "")
    >>> evaluator.sum, evaluator.get_precision(), evaluator.get_recall()
    ([2, 0, 1], 0.6666666666666666, 1.0)
    """

    task = "NER"


class EvaluatorRE(_ItemEvaluator):
    """Relations: ``located in: Louvre, Paris``, or ``:Anna,na,York:`` for a pair without a relation.

    A gold pair without a relation is correct unless another relation of the same pair is predicted. Predicted pairs
    without a relation are not counted. Source: InstructUIE at commit 339ade6 (MIT licence).

    Examples
    --------
    >>> evaluator = EvaluatorRE()
    >>> evaluator.add("located in: Louvre, Paris; :Anna,NA,York:", "located in: Louvre, Paris")
    >>> evaluator.add(":Anna,NA,York:", ":Anna,works in,York:")
    >>> evaluator.sum
    [2, 1, 1]
    """

    task = "RE"

    def _count(self, truth: set[str], pred: set[str]) -> list[int]:
        empty = {item for item in truth if _NA in item}
        found = {item for item in pred if _NA not in item}
        correct, missed, spurious = super()._count(truth - empty, found)
        contradicted = sum(any(_contradicts(item, gold) for item in found) for gold in empty)
        return [correct + len(empty) - contradicted, missed + contradicted, spurious]


def _contradicts(item: str, gold: str) -> bool:
    """Return whether an item has another relation for the pair of a gold item without one."""
    first, _, second = gold.partition(_NA)
    start = len(first) + 1
    return item.startswith(f"{first},") and item.rfind(f",{second}", start) > start


class EvaluatorEE(_AnswerEvaluator):
    """Events: ``(event type: Die, trigger: shot, arguments: victim: Anna)``, in any order.

    Source: InstructUIE at commit 339ade6 (MIT licence).

    Examples
    --------
    >>> evaluator = EvaluatorEE()
    >>> evaluator.add("(event type: Die, trigger: shot)", "(trigger: shot, event type: die)")
    >>> evaluator.get_metric()
    1.0
    """

    task = "EE"


class EvaluatorEET(_AnswerEvaluator):
    """Types of event triggers; the whole answer is the type.

    Source: InstructUIE at commit 339ade6 (MIT licence).

    Examples
    --------
    >>> evaluator = EvaluatorEET()
    >>> evaluator.add("Die", "die.")
    >>> evaluator.get_metric(), evaluator.get_audit_report()
    (0.0, {'AuditRetard': 1})
    """

    task = "EET"


class EvaluatorEEA(_ItemEvaluator):
    """Event arguments: ``victim: Anna; place: York``. Pieces without a colon are ignored.

    Source: InstructUIE at commit 339ade6 (MIT licence).

    Examples
    --------
    >>> evaluator = EvaluatorEEA()
    >>> evaluator.add(["victim: Anna", "place: York"], ["victim: Anna", "place: Rome"])
    >>> evaluator.sum  # of the first pair only
    [1, 0, 0]
    """

    task = "EEA"


_EVALUATORS: dict[str, type[_Evaluator]] = {
    evaluator.task: evaluator
    for evaluator in (EvaluatorNER, EvaluatorRE, EvaluatorEE, EvaluatorEET, EvaluatorEEA)
}


def evaluator(task: str, options: Iterable[str] = ()) -> _Evaluator:
    """Return a new evaluator of a task.

    Parameters
    ----------
    task : {"NER", "RE", "EE", "EET", "EEA"}
        Named entities, relations, events, event triggers or event arguments.
    options : iterable of str
        The types of the task.

    Returns
    -------
    EvaluatorNER, EvaluatorRE, EvaluatorEE, EvaluatorEET or EvaluatorEEA
        The evaluator, without pairs.

    Raises
    ------
    ValueError
        If the task is unknown.

    Examples
    --------
    >>> ner = evaluator("NER", options=["person", "location"])
    >>> ner.add("person: Anna", "human: Anna")
    >>> ner.get_audit_report()
    {'AuditRetard': 1, 'AuditInvalid': 1}
    """
    return _EVALUATORS[check_task(task)](options)
