"""FairEval (a6172f2): traditional and fair counts of errors in labelled spans.

Names, arguments, results and texts are the same as in FairEval, including its terms: *target* for gold, *system* for
pred, *label* for type. A span is a list ``[label, begin, end, tokens]``; indices start at 1, ends are inclusive, and
tokens are a set. docs/compare.md lists the differences. The command is ``python -m spanrs.compat.faireval --config
FILE``.

>>> from spanrs.compat import faireval
>>> target = [["PER", 1, 2, {1, 2}], ["LOC", 4, 4, {4}]]
>>> system = [["PER", 1, 1, {1}], ["ORG", 4, 4, {4}]]
>>> counts = faireval.compare_spans(target, system)["overall"]
>>> faireval.recall(counts["traditional"]), faireval.recall(counts["fair"], "weighted", {
...     "TP": {"TP": 1}, "FN": {"FN": 1}, "LE": {"FN": 0.5}, "BES": {"TP": 0.5, "FN": 0.5}})
(0.0, 0.3333333333333333)
"""

from spanrs.compat._naming import export
from spanrs.compat.faireval.command import main as main
from spanrs.compat.faireval.config import read_config as read_config
from spanrs.compat.faireval.output import output_results as output_results
from spanrs.compat.faireval.readers import annotation_stats as annotation_stats
from spanrs.compat.faireval.readers import get_sentences as get_sentences
from spanrs.compat.faireval.readers import get_spans as get_spans
from spanrs.compat.faireval.scores import add_dict as add_dict
from spanrs.compat.faireval.scores import calculate_results as calculate_results
from spanrs.compat.faireval.scores import compare_spans as compare_spans
from spanrs.compat.faireval.scores import fscore as fscore
from spanrs.compat.faireval.scores import overlap_type as overlap_type
from spanrs.compat.faireval.scores import precision as precision
from spanrs.compat.faireval.scores import recall as recall

export(globals())
