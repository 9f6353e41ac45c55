"""Hugging Face: metrics for ``evaluate.load`` and as functions, and ``compute_metrics`` for the Trainer.

No Hugging Face library is imported here; ``evaluate`` loads the file of a metric.
"""

from spanrs.integrations.hf.fair_metric import faireval
from spanrs.integrations.hf.metric_scores import metric_path
from spanrs.integrations.hf.token_metric import poseval
from spanrs.integrations.hf.trainer import compute_metrics

__all__ = ["compute_metrics", "faireval", "metric_path", "poseval"]
