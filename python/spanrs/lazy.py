"""Lazy import of public names, so that importing a package is fast."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(
    package: str, sources: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package whose public names are imported on first use.

    Parameters
    ----------
    package : str
        The name of the package.
    sources : mapping of str to str
        The module of each public name, relative to the package.

    Examples
    --------
    >>> from spanrs.lazy import lazy_names
    >>> get, names = lazy_names("spanrs.tags", {"Span": "types"})
    >>> get("Span").__name__, "Span" in names()
    ('Span', True)
    """

    def get(name: str) -> Any:
        if name not in sources:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{sources[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*sources, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return get, names
