"""Scores of answers such as ``person: Anna; location: York``, as in InstructUIE's ``evaluator.py``.

Source: InstructUIE at commit 339ade6 (MIT licence); reproduced from recorded outputs.
"""

from spanrs.compat.instructuie.answers import TASKS, items
from spanrs.compat.instructuie.evaluators import (
    EvaluatorEE,
    EvaluatorEEA,
    EvaluatorEET,
    EvaluatorNER,
    EvaluatorRE,
    evaluator,
)

__all__ = [
    "TASKS",
    "EvaluatorEE",
    "EvaluatorEEA",
    "EvaluatorEET",
    "EvaluatorNER",
    "EvaluatorRE",
    "evaluator",
    "items",
]
