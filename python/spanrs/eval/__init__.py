"""Evaluation: what gold and pred have in common.

Counts are integers and can be added in any order; every float is computed from them when it is asked for.
"""

from spanrs.eval.files import score_files
from spanrs.eval.partial_result import Instances, PartialCounts, PartialResult, PartialScore
from spanrs.eval.partial_scorer import PartialScorer, partial
from spanrs.eval.result import Counts, DocumentRow, LocatedViolation, Result, Score, Violations
from spanrs.eval.scorer import Scorer, score

__all__ = [
    "Counts",
    "DocumentRow",
    "Instances",
    "LocatedViolation",
    "PartialCounts",
    "PartialResult",
    "PartialScore",
    "PartialScorer",
    "Result",
    "Score",
    "Scorer",
    "Violations",
    "partial",
    "score",
    "score_files",
]
