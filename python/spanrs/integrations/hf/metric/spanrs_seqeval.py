"""A metric for Hugging Face evaluate with the same arguments and results as the metric ``seqeval``.

>>> import evaluate
>>> from spanrs.integrations import hf
>>> metric = evaluate.load(hf.metric_path())  # doctest: +SKIP
"""

from typing import Any

import evaluate

from spanrs.integrations.hf.metric_info import metric_info
from spanrs.integrations.hf.metric_scores import compute

DESCRIPTION = """\
Precision, recall and F1 of labelled spans, and accuracy of tokens, as in the metric seqeval.
"""

INPUTS = """\
Args:
    predictions: sentences of predicted tags
    references: sentences of gold tags
    suffix: True if the prefix follows the type (PER-B)
    scheme: name of the scheme in strict mode
    mode: None reads tags like conlleval, "strict" reads tags according to the scheme; "fair", "weighted" and
        "traditional" are the criteria of fair evaluation (Ortmann 2022)
    sample_weight: ignored, as in seqeval
    zero_division: "warn", 0 or 1: value of a measure whose denominator is 0
    weights: weights of the mode "weighted", as for spanrs.Fair
Returns:
    a dictionary that maps each type to precision, recall, f1 and number, and contains overall_precision,
    overall_recall, overall_f1 and overall_accuracy
"""


class SpanrsSeqeval(evaluate.Metric):  # type: ignore[misc]
    """The metric, computed by spanrs."""

    def _info(self) -> Any:
        return metric_info(DESCRIPTION, INPUTS)

    def _compute(  # noqa: PLR0917
        self,
        predictions: Any,
        references: Any,
        suffix: bool = False,
        scheme: str | None = None,
        mode: str | None = None,
        sample_weight: Any = None,  # noqa: ARG002
        zero_division: Any = "warn",
        weights: Any = "paper",
    ) -> dict[str, Any]:
        return compute(
            predictions,
            references,
            suffix=suffix,
            scheme=scheme,
            mode=mode,
            zero_division=zero_division,
            weights=weights,
        )
