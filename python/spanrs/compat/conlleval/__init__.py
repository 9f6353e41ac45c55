"""The three Python packages and scripts that are imported as ``conlleval``.

Each has a module of its own, and this module is the package from PyPI:

- this module: the PyPI package 0.2, ``evaluate(lines)`` and ``report(summary)``;
- :mod:`~spanrs.compat.conlleval.spyysalo`: conlleval.py, ``evaluate(iterable, options)`` and
  ``report(counts, out)``;
- :mod:`~spanrs.compat.conlleval.sighsmile`: ``evaluate(true_seqs, pred_seqs, verbose)``.

:func:`evaluate` and :func:`report` choose among the three by their arguments, where that is possible. The
other names of all three are here too. The report of the Perl script, which ``spanrs conlleval`` prints, is
in :mod:`~spanrs.compat.conlleval.perl`.
"""

from spanrs.compat.conlleval.conlleval import Statistics, evaluate, report, summarize, summarize_all
from spanrs.compat.conlleval.rules import FormatError, end_of_chunk, parse_tag, start_of_chunk
from spanrs.compat.conlleval.sighsmile import (
    calc_metrics,
    count_chunks,
    evaluate_conll_file,
    get_result,
    is_chunk_end,
    is_chunk_start,
    split_tag,
)
from spanrs.compat.conlleval.spyysalo import ANY_SPACE, EvalCounts, main, parse_args

__version__ = "0.2"

__all__ = [
    "ANY_SPACE",
    "EvalCounts",
    "FormatError",
    "Statistics",
    "calc_metrics",
    "count_chunks",
    "end_of_chunk",
    "evaluate",
    "evaluate_conll_file",
    "get_result",
    "is_chunk_end",
    "is_chunk_start",
    "main",
    "parse_args",
    "parse_tag",
    "report",
    "split_tag",
    "start_of_chunk",
    "summarize",
    "summarize_all",
]
