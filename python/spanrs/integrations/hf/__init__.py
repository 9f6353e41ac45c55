"""Hugging Face: a metric for ``evaluate.load``, and ``compute_metrics`` for the Trainer.

No Hugging Face library is imported here; ``evaluate`` loads the file of the metric.
"""

from spanrs.integrations.hf.metric_scores import metric_path
from spanrs.integrations.hf.trainer import compute_metrics

__all__ = ["compute_metrics", "metric_path"]
