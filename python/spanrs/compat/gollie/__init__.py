"""Scores of answers in Python notation, ``[Person(span="Anna")]``, as in GoLLIE's CoNLL 2003 task.

Source: GoLLIE at commit 164c611 (Apache-2.0 licence), ``utils_typing``, ``utils_scorer`` and the task ``conll03``;
reproduced from recorded outputs. The original executes answers; here they are parsed, and nothing is executed.
"""

from spanrs.compat.gollie.annotations import CONLL03, CONLL03_NO_MISC, Annotation, Reading, items, read
from spanrs.compat.gollie.scores import evaluate, filter_hallucinations

__all__ = [
    "CONLL03",
    "CONLL03_NO_MISC",
    "Annotation",
    "Reading",
    "evaluate",
    "filter_hallucinations",
    "items",
    "read",
]
