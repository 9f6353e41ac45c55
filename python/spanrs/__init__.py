"""Read, score, compare, convert and predict labelled spans of text.

- :func:`read`: files, directories, tables and documents, whatever their format, as a :class:`Corpus`.
- :func:`write`: a corpus in any format that can hold it.
- :func:`score`: gold against pred, with any matcher: exact, :class:`Partial`, :class:`Fair`, :class:`spanrs.mat.Mat`.
- :func:`compare`: which differences between systems are significant.
- :mod:`spanrs.tags`: tags to spans and back, validation, conversion, legal transitions.
- :mod:`spanrs.mat`: documents of text with annotations, scored as MATScore does.
- :mod:`spanrs.crf`: conditional random fields that write tags.
- :mod:`spanrs.dep`: taggers and dependency parsers.
- :mod:`spanrs.crowd`: labels estimated from the annotations of many annotators.
- :mod:`spanrs.eval`, :mod:`spanrs.io`, :mod:`spanrs.errors`: all results, corpora and errors.
- :mod:`spanrs.compat`: drop-in replacements of other packages; :mod:`spanrs.integrations`: Dask, Spark, spaCy, Hugging
  Face.
- ``spanrs`` on the command line: ``score``, ``compare``, ``merge``, ``read``, ``validate``, ``convert``, ``spans``,
  ``fair``, ``mat``, ``crf``, ``crowd``, ``dep``.
"""

import importlib
import os
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanrs import compat, crf, crowd, dep, errors, integrations, io, mat, tags
    from spanrs._spanrs import __version__
    from spanrs.errors import SpanrsError, SpanrsWarning
    from spanrs.eval import Fair, Partial, Result, Scorer, compare, score
    from spanrs.io import Corpus, Document, Sentence, read, write
    from spanrs.tags import Span

__all__ = [
    "Corpus",
    "Document",
    "Fair",
    "Partial",
    "Result",
    "Scorer",
    "Sentence",
    "Span",
    "SpanrsError",
    "SpanrsWarning",
    "__version__",
    "compare",
    "compat",
    "crf",
    "crowd",
    "dep",
    "errors",
    "integrations",
    "io",
    "mat",
    "read",
    "score",
    "tags",
    "write",
]


#: Modules of the names that are not in :mod:`spanrs.eval`. They are imported at first use, so that `import spanrs` and
#: the command line start fast.
_SOURCES = {
    "Corpus": "spanrs.io",
    "Document": "spanrs.io",
    "Sentence": "spanrs.io",
    "Span": "spanrs.tags",
    "SpanrsError": "spanrs.errors",
    "SpanrsWarning": "spanrs.errors",
    "__version__": "spanrs._spanrs",
    "read": "spanrs.io",
    "write": "spanrs.io",
}
#: Public modules. :mod:`spanrs.eval` is not in ``__all__``, because a star import would hide the built-in function.
_MODULES = ("compat", "crf", "crowd", "dep", "errors", "eval", "integrations", "io", "mat", "tags")

#: Held during an import. A process forked while another thread imports a module, or loads NumPy's C interface for
#: the first array, waits forever for what that thread had locked, so the fork waits for the import instead.
_importing = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release
    )


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in __all__ and name not in _MODULES:
        raise AttributeError(f"module 'spanrs' has no attribute {name!r}")
    with _importing:
        if name in _MODULES:
            value = importlib.import_module(f"spanrs.{name}")
        else:
            value = getattr(importlib.import_module(_SOURCES.get(name, "spanrs.eval")), name)
        if name not in _SOURCES:
            importlib.import_module("spanrs._spanrs").load_numpy()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})
