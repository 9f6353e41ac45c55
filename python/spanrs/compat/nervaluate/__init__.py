"""nervaluate 1.2.1, with the same public names; :mod:`~spanrs.compat.nervaluate.v0` is 0.2.0.

Names, arguments, results and texts are the same as in nervaluate, including its terms and conventions: *true* for gold,
*label* and *tag* for type, and inclusive ends. docs/compare.md lists the differences.

Examples
--------
>>> from spanrs.compat.nervaluate import Evaluator
>>> evaluator = Evaluator([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]], tags=["PER"], loader="list")
>>> evaluator.evaluate()["overall"]["partial"].f1
0.5
"""

from spanrs.compat.nervaluate.evaluator import Evaluator
from spanrs.compat.nervaluate.utils import collect_named_entities, conll_to_spans, list_to_spans, split_list

__all__ = ["Evaluator", "collect_named_entities", "conll_to_spans", "list_to_spans", "split_list"]
