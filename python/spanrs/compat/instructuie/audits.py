"""Counts peculiar answers: empty ones, ones without any correct item, types that are no options."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from spanrs.compat.instructuie.answers import format_answer

#: Answers that are accepted for "no items".
_NOTHING = {"", "none", "no relation", "na", "[]"}


class Answered(NamedTuple):
    """One scored pair of answers.

    Parameters
    ----------
    task : str
        The task.
    answer : str
        The predicted answer as it is.
    truth, pred : set of str, or str
        The items of both sides.
    correct : int
        The number of correct items, or 1 if the whole answer is correct.
    options : set of str
        The types of the task.
    """

    task: str
    answer: str
    truth: set[str] | str
    pred: set[str] | str
    correct: int
    options: set[str]


def _has_nothing_correct(pair: Answered) -> bool:
    if pair.task in {"EE", "EET"}:
        return not pair.correct
    return bool(pair.truth and pair.pred) and not pair.correct


def _has_other_type(pair: Answered) -> bool:
    if pair.task not in {"NER", "RE"} or not pair.options:
        return False
    return any(item.partition(":")[0] not in pair.options for item in pair.pred if ":" in item)


#: The names are those of the original.
AUDITS: dict[str, Callable[[Answered], bool]] = {
    "AuditVoid": lambda pair: not pair.answer,
    "AuditBothEmpty": lambda pair: not pair.truth and not pair.pred,
    "AuditLabelEmptyOnly": lambda pair: not pair.truth and bool(pair.pred),
    "AuditPredEmptyOnly": lambda pair: bool(pair.truth) and not pair.pred,
    "AuditInsane": lambda pair: not pair.pred and pair.answer.strip().lower() not in _NOTHING,
    "AuditRetard": _has_nothing_correct,
    "AuditInvalid": _has_other_type,
    "AuditNA": lambda pair: pair.task == "RE" and any(",na," in item for item in pair.pred),
    "AuditGoldenlabelFault": lambda pair: (
        pair.task == "RE" and any(item[0] == item[-1] == ":" for item in pair.truth)
    ),
}


def option_types(options: Iterable[str]) -> set[str]:
    """Return options in the form of types; their case is kept, so that capital letters never match."""
    return {format_answer(option, lower=False) for option in options}
