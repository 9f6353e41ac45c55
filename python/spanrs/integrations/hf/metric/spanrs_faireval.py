"""A metric for Hugging Face evaluate with the same arguments and results as the metric ``hpi-dhc/FairEval``.

>>> import evaluate
>>> from spanrs.integrations import hf
>>> metric = evaluate.load(hf.metric_path("faireval"))  # doctest: +SKIP
"""

from typing import Any

import evaluate

from spanrs.integrations.hf.fair_metric import faireval
from spanrs.integrations.hf.metric_info import metric_info

INPUTS = """\
Args:
    predictions: sentences of predicted tags
    references: sentences of gold tags
    suffix: True if the prefix follows the type (PER-B)
    scheme: IOB1, IOB2, IOE1, IOE2, IOBES or BILOU; by default detected from the references
    mode: "fair", "traditional" or "weighted"
    weights: weights of the mode "weighted", by error
    error_format: "count", "error_ratio" or "entity_ratio"
    zero_division: ignored
Returns:
    a dictionary that maps each type to its scores and errors, and contains those of all types
"""


class SpanrsFairEval(evaluate.Metric):  # type: ignore[misc]
    """The metric, computed by spanrs."""

    def _info(self) -> Any:
        return metric_info(
            "Fair evaluation of labelled spans (Ortmann 2022), as in the metric hpi-dhc/FairEval.", INPUTS
        )

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, Any]:
        return faireval(predictions, references, **options)
