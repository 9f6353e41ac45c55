"""MITRE's MATScore: annotations of documents scored by tag, token, pseudo-token and character.

- :func:`score`: files, directories or documents; a :class:`spanrs.Result`.
- :func:`tables`: MATScore's tables of such a result.
- :class:`Mat`: which annotations are scored, and under which labels; :class:`InputFormat`, :class:`Pairing`: how files
  are read and paired.
- :func:`read_task`: a task.xml, which says what types there are.
"""

from spanrs.eval.evidence import Skipped
from spanrs.mat.details import Detail
from spanrs.mat.files import InputFormat, Pairing
from spanrs.mat.layout import MatTables
from spanrs.mat.matcher import Mat
from spanrs.mat.scoring import score
from spanrs.mat.tables import Confusability, ScoreTable
from spanrs.mat.task import Tag, Task, read_task
from spanrs.mat.views import tables

__all__ = [
    "Confusability",
    "Detail",
    "InputFormat",
    "Mat",
    "MatTables",
    "Pairing",
    "ScoreTable",
    "Skipped",
    "Tag",
    "Task",
    "read_task",
    "score",
    "tables",
]
