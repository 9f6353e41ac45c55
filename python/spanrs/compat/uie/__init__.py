"""Scores of answers in the structured extraction language of UIE.

Source: UIE at commit c88dd08 (CC BY-NC-SA 4.0 licence), its scorer, predict_parser and sel2record; reproduced from
recorded outputs.
"""

from spanrs.compat.uie.answer_scores import evaluate
from spanrs.compat.uie.metrics import Metric
from spanrs.compat.uie.record_scores import evaluate_records, gold_items
from spanrs.compat.uie.records import TaskSchema, read_record
from spanrs.compat.uie.structure import Schema, Spot, items, read_gold, read_pred

__all__ = [
    "Metric",
    "Schema",
    "Spot",
    "TaskSchema",
    "evaluate",
    "evaluate_records",
    "gold_items",
    "items",
    "read_gold",
    "read_pred",
    "read_record",
]
