"""nervaluate 0.2.0, whose ``evaluate`` returns four dictionaries and sorts spans before the comparison.

Examples
--------
>>> from spanrs.compat.nervaluate import v0
>>> true = [[{"label": "PER", "start": 2, "end": 4}]]
>>> pred = [[{"label": "PER", "start": 3, "end": 4}]]
>>> results, by_tag, indices, indices_by_tag = v0.Evaluator(true, pred, tags=["PER"]).evaluate()
>>> results["partial"]["partial"], by_tag["PER"]["strict"]["incorrect"]
(1, 1)
"""

from spanrs.compat.nervaluate.v0.evaluate import (
    Evaluator,
    compute_actual_possible,
    compute_metrics,
    compute_precision_recall,
    compute_precision_recall_wrapper,
    summary_report_ent,
    summary_report_ents_indices,
    summary_report_overall,
    summary_report_overall_indices,
)
from spanrs.compat.nervaluate.v0.utils import (
    collect_named_entities,
    conll_to_spans,
    find_overlap,
    list_to_spans,
    split_list,
)

__all__ = [
    "Evaluator",
    "collect_named_entities",
    "compute_actual_possible",
    "compute_metrics",
    "compute_precision_recall",
    "compute_precision_recall_wrapper",
    "conll_to_spans",
    "find_overlap",
    "list_to_spans",
    "split_list",
    "summary_report_ent",
    "summary_report_ents_indices",
    "summary_report_overall",
    "summary_report_overall_indices",
]
