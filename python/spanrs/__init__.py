"""Everything that is done with labelled spans of text.

- :mod:`spanrs.tags`: tags to spans and back, validation, conversion, legal transitions.
- :func:`score`, :class:`Scorer`, :func:`score_files`: gold against pred.
- :func:`partial`, :class:`PartialScorer`: the same for spans that only overlap.
- ``spanrs`` on the command line: ``score``, ``validate``, ``convert``, ``spans``.
"""

from spanrs import errors, io, tags
from spanrs._spanrs import __version__
from spanrs.errors import SpanrsError
from spanrs.eval import PartialResult, PartialScorer, Result, Scorer, partial, score, score_files
from spanrs.tags import Span

__all__ = [
    "PartialResult",
    "PartialScorer",
    "Result",
    "Scorer",
    "Span",
    "SpanrsError",
    "__version__",
    "errors",
    "io",
    "partial",
    "score",
    "score_files",
    "tags",
]
