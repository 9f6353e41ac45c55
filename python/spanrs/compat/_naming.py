"""Name and docstring of functions that are made by a factory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


def named(function: F, name: str, summary: str, *, example: str, gives: object) -> F:
    """Set name and docstring of a function; ``example`` is what follows the name in a call."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{summary}\n\nExamples\n--------\n>>> {name}{example}\n{gives}\n"
    return function
