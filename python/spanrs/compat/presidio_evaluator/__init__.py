"""The span evaluator of presidio-evaluator 0.3.2, which compares masks on tokens.

:class:`SpanEvaluator` gives the counts, measures, confusion and errors of the package. The matcher
:class:`spanrs.Characters` answers the same question without its special cases, and also for overlapping spans.
"""

from spanrs.compat.presidio_evaluator.span_evaluator import (
    EvaluationResult,
    ModelError,
    PIIEvaluationMetrics,
    SpanEvaluator,
)

__all__ = ["EvaluationResult", "ModelError", "PIIEvaluationMetrics", "SpanEvaluator"]
