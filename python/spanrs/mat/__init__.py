"""MITRE's MATScore: annotations of documents scored by tag, token, pseudo-token and character.

- :func:`score`: files, directories or documents; a :class:`MatResult` with the tables.
- :func:`read_task`: a task.xml, which says what types there are.
"""

from spanrs.mat.result import Detail, MatResult, Skipped
from spanrs.mat.scoring import score
from spanrs.mat.tables import Confusability, Table
from spanrs.mat.task import Tag, Task, read_task

__all__ = ["Confusability", "Detail", "MatResult", "Skipped", "Table", "Tag", "Task", "read_task", "score"]
