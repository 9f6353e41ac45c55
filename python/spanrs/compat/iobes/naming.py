"""Sample tags of each encoding for the examples of generated functions, and ``__all__`` of the modules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: Three tokens, a span of two of them, in each encoding.
SAMPLES = {
    "bilou": ["B-PER", "L-PER", "O"],
    "bio": ["B-PER", "I-PER", "O"],
    "bmeow": ["B-PER", "E-PER", "O"],
    "bmewo": ["B-PER", "E-PER", "O"],
    "iob": ["I-PER", "I-PER", "O"],
    "iobes": ["B-PER", "E-PER", "O"],
    "token": ["NN", "VB", "."],
}


def export(module: dict[str, Any], also: Iterable[str] = (), without: Iterable[str] = ()) -> None:
    """Set ``__all__`` of a module to what this package defines.

    iobes has no ``__all__``: a star import of any of its modules gives imported functions and classes too.
    """
    own = {name for name, value in module.items() if _is_ours(value) and not name.startswith("_")}
    module["__all__"] = sorted({*own, *also}.difference(without))


def _is_ours(value: object) -> bool:
    return str(getattr(value, "__module__", "")).startswith("spanrs.compat.iobes")
