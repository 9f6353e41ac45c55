"""Scores of answers such as ``{"person": ["Anna Lee"]}``, as in EuroEval's task of named entities.

Source: EuroEval at commit f37841c (18.0.0.dev, MIT licence), with the ``seqeval`` metric of evaluate at commit a7dd338
(Apache-2.0 licence) and seqeval 1.2.2; reproduced from recorded outputs.
"""

from spanrs.compat.euroeval.scores import evaluate
from spanrs.compat.euroeval.tags import KEYS, extract_tags, items

__all__ = ["KEYS", "evaluate", "extract_tags", "items"]
