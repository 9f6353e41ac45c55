"""Everything that is done with labelled spans of text.

- :mod:`spanrs.tags`: tags to spans and back, validation, conversion, legal transitions.
- :func:`score`, :class:`Scorer`, :func:`score_files`: gold against pred.
- ``spanrs`` on the command line: ``score``, ``validate``, ``convert``, ``spans``.
"""

from spanrs import errors, io, tags
from spanrs._spanrs import __version__
from spanrs.errors import SpanrsError
from spanrs.eval import Result, Scorer, score, score_files
from spanrs.tags import Span

__all__ = [
    "Result",
    "Scorer",
    "Span",
    "SpanrsError",
    "__version__",
    "errors",
    "io",
    "score",
    "score_files",
    "tags",
]
