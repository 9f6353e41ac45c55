"""The scores of seqeval (seqeval.metrics)."""

from spanrs.compat._naming import export
from spanrs.compat.seqeval.metrics.sequence_labeling import accuracy_score as accuracy_score
from spanrs.compat.seqeval.metrics.sequence_labeling import classification_report as classification_report
from spanrs.compat.seqeval.metrics.sequence_labeling import f1_score as f1_score
from spanrs.compat.seqeval.metrics.sequence_labeling import performance_measure as performance_measure
from spanrs.compat.seqeval.metrics.sequence_labeling import precision_score as precision_score
from spanrs.compat.seqeval.metrics.sequence_labeling import recall_score as recall_score

export(globals())
