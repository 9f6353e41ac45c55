"""The three Python packages and scripts that are imported as ``conlleval``.

This module replaces the package from PyPI; separate modules replace the two scripts:

- this module: the PyPI package 0.2, ``evaluate(lines)`` and ``report(summary)``;
- :mod:`~spanrs.compat.conlleval.spyysalo`: conlleval.py, ``evaluate(iterable, options)`` and
  ``report(counts, out)``;
- :mod:`~spanrs.compat.conlleval.sighsmile`: ``evaluate(true_seqs, pred_seqs, verbose)``.

:func:`evaluate` and :func:`report` select one of the three by their arguments if possible. The other names of all three
are also available in this module. :mod:`~spanrs.compat.conlleval.perl` formats the report of the Perl script, which
``spanrs conlleval`` prints.
"""

from spanrs.compat._naming import export
from spanrs.compat.conlleval.conlleval import Statistics as Statistics
from spanrs.compat.conlleval.conlleval import evaluate as evaluate
from spanrs.compat.conlleval.conlleval import report as report
from spanrs.compat.conlleval.conlleval import summarize as summarize
from spanrs.compat.conlleval.conlleval import summarize_all as summarize_all
from spanrs.compat.conlleval.rules import FormatError as FormatError
from spanrs.compat.conlleval.rules import end_of_chunk as end_of_chunk
from spanrs.compat.conlleval.rules import parse_tag as parse_tag
from spanrs.compat.conlleval.rules import start_of_chunk as start_of_chunk
from spanrs.compat.conlleval.sighsmile import calc_metrics as calc_metrics
from spanrs.compat.conlleval.sighsmile import count_chunks as count_chunks
from spanrs.compat.conlleval.sighsmile import evaluate_conll_file as evaluate_conll_file
from spanrs.compat.conlleval.sighsmile import get_result as get_result
from spanrs.compat.conlleval.sighsmile import is_chunk_end as is_chunk_end
from spanrs.compat.conlleval.sighsmile import is_chunk_start as is_chunk_start
from spanrs.compat.conlleval.sighsmile import split_tag as split_tag
from spanrs.compat.conlleval.spyysalo import ANY_SPACE as ANY_SPACE
from spanrs.compat.conlleval.spyysalo import EvalCounts as EvalCounts
from spanrs.compat.conlleval.spyysalo import Metrics as Metrics
from spanrs.compat.conlleval.spyysalo import calculate_metrics as calculate_metrics
from spanrs.compat.conlleval.spyysalo import main as main
from spanrs.compat.conlleval.spyysalo import metrics as metrics
from spanrs.compat.conlleval.spyysalo import parse_args as parse_args
from spanrs.compat.conlleval.spyysalo import report_notprint as report_notprint
from spanrs.compat.conlleval.spyysalo import return_report as return_report

__version__ = "0.2"

export(globals(), also=("ANY_SPACE",))
