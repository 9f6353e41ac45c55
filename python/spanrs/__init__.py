"""Read, score, compare, convert and predict labelled spans of text.

- :func:`read`: read files, directories, tables and documents of any format as a :class:`Corpus`.
- :func:`write`: write a corpus in any format that can represent the corpus.
- :func:`ground`, :func:`read_answer`: find the strings that a language model extracted; read its answers.
- :func:`score`: score pred against gold with a matcher: exact, :class:`Partial`, :class:`Fair`, :class:`Characters`,
  :class:`Strings`, :class:`spanrs.mat.Mat`.
- :func:`agreement`: measure the agreement of the annotators of a project.
- :func:`compare`: test the significance of differences between systems.
- :mod:`spanrs.tags`: conversion between tags and spans, validation, legal transitions.
- :mod:`spanrs.mat`: scores of annotated documents as computed by MATScore.
- :mod:`spanrs.crf`: conditional random fields for sequence labelling.
- :mod:`spanrs.dep`: from raw text to tags, lemmas and dependency trees.
- :mod:`spanrs.crowd`: true labels estimated from the annotations of many annotators.
- :mod:`spanrs.eval`, :mod:`spanrs.io`, :mod:`spanrs.errors`: all classes of results, corpora and errors.
- :mod:`spanrs.compat`: drop-in replacements for other packages; :mod:`spanrs.integrations`: Dask, Spark, spaCy, Hugging
  Face.
- The command ``spanrs``: ``score``, ``compare``, ``agreement``, ``merge``, ``read``, ``validate``, ``convert``,
  ``spans``, ``fair``, ``mat``, ``crf``, ``crowd``, ``dep``.
"""

import importlib
import os
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanrs import compat, crf, crowd, dep, errors, integrations, io, mat, tags
    from spanrs._spanrs import __version__
    from spanrs.crowd.agreement import agreement
    from spanrs.errors import SpanrsError, SpanrsWarning
    from spanrs.eval import Characters, Fair, Partial, Result, Scorer, Strings, compare, score
    from spanrs.io import Corpus, Document, Sentence, ground, read, read_answer, write
    from spanrs.tags import Span

__all__ = [
    "Characters",
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
    "Strings",
    "__version__",
    "agreement",
    "compare",
    "compat",
    "crf",
    "crowd",
    "dep",
    "errors",
    "ground",
    "integrations",
    "io",
    "mat",
    "read",
    "read_answer",
    "score",
    "tags",
    "write",
]


#: Module of each public name. Names are imported on first use, so that the command line starts quickly.
_SOURCES = {
    "Corpus": "spanrs.io",
    "Document": "spanrs.io",
    "Sentence": "spanrs.io",
    "Span": "spanrs.tags",
    "SpanrsError": "spanrs.errors",
    "SpanrsWarning": "spanrs.errors",
    "__version__": "spanrs._spanrs",
    "agreement": "spanrs.crowd.agreement",
    "ground": "spanrs.io",
    "read": "spanrs.io",
    "read_answer": "spanrs.io",
    "write": "spanrs.io",
}
#: Public modules. :mod:`spanrs.eval` is not in ``__all__``, because a star import would hide the built-in function.
_MODULES = ("compat", "crf", "crowd", "dep", "errors", "eval", "integrations", "io", "mat", "tags")

#: Held during the imports of public names. A process forked while another thread imports a module, or loads NumPy's C
#: API for the first array, would wait forever for a lock held by that thread, so the fork waits for the import instead.
_importing = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_importing.acquire, after_in_parent=_importing.release, after_in_child=_importing.release
    )


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in __all__ and name not in _MODULES:
        raise AttributeError(f"module 'spanrs' has no attribute {name!r}")
    with _importing:
        if name in _MODULES:
            value = importlib.import_module(f"spanrs.{name}")
        else:
            value = getattr(importlib.import_module(_SOURCES.get(name, "spanrs.eval")), name)
        if name not in _SOURCES:
            importlib.import_module("spanrs._spanrs").initialise_globals()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, *(name for name in globals() if name.startswith("__"))})
