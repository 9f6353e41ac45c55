"""MITRE's MATScore: scores of annotations by tag, token, pseudo-token and character.

- :class:`Mat`: the matcher of :func:`spanrs.score` for documents; selects the annotations and labels to score.
- :func:`tables`: MATScore's tables of a result.
- :func:`read_task`: read a task.xml, which defines the annotation types.
"""

from spanrs.eval.evidence import Skipped
from spanrs.mat.details import AnnotationPair
from spanrs.mat.layout import MatTables
from spanrs.mat.matcher import Mat
from spanrs.mat.scoring import score_pairs
from spanrs.mat.tables import Confusability, ScoreTable
from spanrs.mat.task import Tag, Task, read_task
from spanrs.mat.views import tables

__all__ = [
    "AnnotationPair",
    "Confusability",
    "Mat",
    "MatTables",
    "ScoreTable",
    "Skipped",
    "Tag",
    "Task",
    "read_task",
    "score_pairs",
    "tables",
]
