"""Names and docstrings of generated functions, and ``__all__`` of their modules."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., object])


def named(function: F, name: str, summary: str, example: str, gives: object) -> F:
    """Set the name and docstring of a function; its example has the arguments ``example`` and the result ``gives``."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary}\n\nExamples\n--------\n>>> {name}{example}\n{gives}\n"
    return function


def export(module: dict[str, Any], also: Iterable[str] = (), without: Iterable[str] = ()) -> None:
    """Set ``__all__`` to the public names defined in the subpackage of the module."""
    room = ".".join(module["__name__"].split(".")[:3])
    defined = {
        name for name, value in module.items() if str(getattr(value, "__module__", "")).startswith(room)
    }
    module["__all__"] = sorted({name for name in (*defined, *also) if name[0] != "_"}.difference(without))
