"""A metric for Hugging Face evaluate with the same arguments and results as the metric ``poseval``.

>>> import evaluate
>>> from spanrs.integrations import hf
>>> metric = evaluate.load(hf.metric_path("poseval"))  # doctest: +SKIP
"""

from typing import Any

import evaluate

from spanrs.integrations.hf.metric_info import metric_info
from spanrs.integrations.hf.token_metric import poseval

INPUTS = """\
Args:
    predictions: sentences of predicted tags
    references: sentences of gold tags
    zero_division: "warn", 0, 1 or nan: value of a measure whose denominator is 0
Returns:
    a dictionary that maps each tag, "macro avg" and "weighted avg" to precision, recall, f1-score and support, and
    contains accuracy
"""


class SpanrsPoseval(evaluate.Metric):  # type: ignore[misc]
    """The metric, computed by spanrs."""

    def _info(self) -> Any:
        return metric_info(
            "Precision, recall and F1 of the tags of tokens, as in the metric poseval.", INPUTS
        )

    def _compute(self, predictions: Any, references: Any, zero_division: Any = "warn") -> dict[str, Any]:
        return poseval(predictions, references, zero_division)
