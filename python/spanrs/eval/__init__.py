"""Evaluation of pred against gold.

Counts are integers and can be added in any order; floats are computed from the counts on request.
"""

from typing import TYPE_CHECKING

from spanrs.lazy import lazy_names

if TYPE_CHECKING:
    from spanrs.eval.characters import Characters
    from spanrs.eval.comparison import Comparison, compare
    from spanrs.eval.details import ErrorList
    from spanrs.eval.evidence import Detail, Evidence, Violations
    from spanrs.eval.long_table import LongTable
    from spanrs.eval.matcher import Matcher
    from spanrs.eval.matchers import Fair, Partial
    from spanrs.eval.measures import Measure, Ratio
    from spanrs.eval.resampling import Bootstrap
    from spanrs.eval.result import Result
    from spanrs.eval.scorer import Scorer
    from spanrs.eval.scores import Confusion, CriterionResult, DocumentRow, Score, Totals, TypeScores
    from spanrs.eval.scoring import score

__all__ = [
    "Bootstrap",
    "Characters",
    "Comparison",
    "Confusion",
    "CriterionResult",
    "Detail",
    "DocumentRow",
    "ErrorList",
    "Evidence",
    "Fair",
    "LongTable",
    "Matcher",
    "Measure",
    "Partial",
    "Ratio",
    "Result",
    "Score",
    "Scorer",
    "Totals",
    "TypeScores",
    "Violations",
    "compare",
    "score",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Bootstrap": "resampling",
        "Characters": "characters",
        "Comparison": "comparison",
        "Confusion": "scores",
        "CriterionResult": "scores",
        "Detail": "evidence",
        "DocumentRow": "scores",
        "ErrorList": "details",
        "Evidence": "evidence",
        "Fair": "matchers",
        "LongTable": "long_table",
        "Matcher": "matcher",
        "Measure": "measures",
        "Partial": "matchers",
        "Ratio": "measures",
        "Result": "result",
        "Score": "scores",
        "Scorer": "scorer",
        "Totals": "scores",
        "TypeScores": "scores",
        "Violations": "evidence",
        "compare": "comparison",
        "score": "scoring",
    },
)
