"""Everything that is done with labelled spans of text.

- :mod:`spanrs.tags`: tags to spans and back, validation, conversion, legal transitions.
- :func:`score`, :class:`Scorer`, :func:`score_files`: gold against pred.
- :func:`partial`, :class:`PartialScorer`: the same for spans that only overlap.
- :func:`fair`, :class:`FairScorer`, :func:`fair_files`: every mistake once, as what it is.
- :mod:`spanrs.mat`: documents of text with annotations, scored as MATScore does.
- ``spanrs`` on the command line: ``score``, ``validate``, ``convert``, ``spans``, ``fair``, ``mat``.
"""

from typing import TYPE_CHECKING, Any

from spanrs import errors, io, tags
from spanrs._spanrs import __version__
from spanrs.errors import SpanrsError
from spanrs.eval import (
    FairResult,
    FairScorer,
    PartialResult,
    PartialScorer,
    Result,
    Scorer,
    fair,
    fair_files,
    partial,
    score,
    score_files,
)
from spanrs.tags import Span

if TYPE_CHECKING:
    from spanrs import mat

__all__ = [
    "FairResult",
    "FairScorer",
    "PartialResult",
    "PartialScorer",
    "Result",
    "Scorer",
    "Span",
    "SpanrsError",
    "__version__",
    "errors",
    "fair",
    "fair_files",
    "io",
    "mat",
    "partial",
    "score",
    "score_files",
    "tags",
]


def __getattr__(name: str) -> Any:
    """Import rooms that not everybody needs when they are looked at."""
    if name == "mat":
        import importlib

        return importlib.import_module("spanrs.mat")
    raise AttributeError(f"module 'spanrs' has no attribute {name!r}")
