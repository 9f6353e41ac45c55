"""Evaluation: what gold and pred have in common.

Counts are integers and can be added in any order; every float is computed from them when it is asked for.
"""

from spanrs.eval.files import score_files
from spanrs.eval.result import Counts, DocumentRow, LocatedViolation, Result, Score, Violations
from spanrs.eval.scorer import Scorer, score

__all__ = [
    "Counts",
    "DocumentRow",
    "LocatedViolation",
    "Result",
    "Score",
    "Scorer",
    "Violations",
    "score",
    "score_files",
]
