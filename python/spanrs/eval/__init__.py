"""Evaluation: what gold and pred have in common.

Counts are integers and can be added in any order; every float is computed from them when it is asked for.
"""

from spanrs.eval.evidence import Detail, Evidence, LocatedViolation, Violations
from spanrs.eval.files import score_files
from spanrs.eval.long_table import LongTable
from spanrs.eval.matchers import Fair, Matcher, Partial
from spanrs.eval.measures import Bootstrap, Measure, Ratio
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer, score
from spanrs.eval.scores import Confusion, CriterionResult, DocumentRow, Score, Totals
from spanrs.eval.short_forms import fair, partial, score_table
from spanrs.eval.span_files import fair_files, score_span_files

__all__ = [
    "Bootstrap",
    "Confusion",
    "CriterionResult",
    "Detail",
    "DocumentRow",
    "Evidence",
    "Fair",
    "LocatedViolation",
    "LongTable",
    "Matcher",
    "Measure",
    "Partial",
    "Ratio",
    "Result",
    "Score",
    "Scorer",
    "Totals",
    "Violations",
    "fair",
    "fair_files",
    "partial",
    "score",
    "score_files",
    "score_span_files",
    "score_table",
]
