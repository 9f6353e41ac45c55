"""Hugging Face: a metric for ``evaluate.load``, and ``compute_metrics`` for the Trainer.

Nothing of Hugging Face is imported here; ``evaluate`` loads the metric's file itself.
"""

from spanrs.integrations.hf.metric_scores import metric_path
from spanrs.integrations.hf.trainer import compute_metrics

__all__ = ["compute_metrics", "metric_path"]
