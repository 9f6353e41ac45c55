"""Evaluation: what gold and pred have in common.

Counts are integers and can be added in any order; every float is computed from them when it is asked for.
"""

from spanrs.eval.comparison import Comparison, compare
from spanrs.eval.details import ErrorList
from spanrs.eval.evidence import Detail, Evidence, LocatedViolation, Violations
from spanrs.eval.files import score_files
from spanrs.eval.long_table import LongTable
from spanrs.eval.matchers import Fair, Matcher, Partial
from spanrs.eval.measures import Measure, Ratio
from spanrs.eval.readings import score_readings
from spanrs.eval.resampling import Bootstrap
from spanrs.eval.result import Result
from spanrs.eval.scorer import Scorer, score
from spanrs.eval.scores import Confusion, CriterionResult, DocumentRow, Score, Totals
from spanrs.eval.shards import score_shards
from spanrs.eval.short_forms import fair, partial, score_table
from spanrs.eval.span_files import fair_files, score_span_files
from spanrs.eval.table_files import score_table_files

__all__ = [
    "Bootstrap",
    "Comparison",
    "Confusion",
    "CriterionResult",
    "Detail",
    "DocumentRow",
    "ErrorList",
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
    "compare",
    "fair",
    "fair_files",
    "partial",
    "score",
    "score_files",
    "score_readings",
    "score_shards",
    "score_span_files",
    "score_table",
    "score_table_files",
]
