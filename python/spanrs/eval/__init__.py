"""Evaluation: what gold and pred have in common.

Counts are integers and can be added in any order; every float is computed from them when it is asked for.
"""

from spanrs.eval.fair_config import FairConfig, read_fair_config
from spanrs.eval.fair_files import fair_files
from spanrs.eval.fair_result import FairCounts, FairDocument, FairError, FairResult, FairScores
from spanrs.eval.fair_scorer import FairScorer, fair
from spanrs.eval.files import score_files
from spanrs.eval.partial_result import Instances, PartialCounts, PartialResult, PartialScore
from spanrs.eval.partial_scorer import PartialScorer, partial
from spanrs.eval.result import Counts, DocumentRow, LocatedViolation, Result, Score, Violations
from spanrs.eval.scorer import Scorer, score

__all__ = [
    "Counts",
    "DocumentRow",
    "FairConfig",
    "FairCounts",
    "FairDocument",
    "FairError",
    "FairResult",
    "FairScorer",
    "FairScores",
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
    "fair",
    "fair_files",
    "partial",
    "read_fair_config",
    "score",
    "score_files",
]
