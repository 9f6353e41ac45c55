"""iobes has one function for each encoding: they are made from one, and get name and documentation here."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

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


def named(
    function: F, name: str, summary: str, *, takes: str, gives: str, example: str, raises: str = ""
) -> F:
    """Give a function that was made by another one its name and documentation."""
    parts = [summary]
    sections = {"Parameters": takes, "Returns": gives, "Raises": raises}
    for title, text in (*sections.items(), ("Examples", inspect.cleandoc(example))):
        if text:
            parts.append(f"{title}\n{'-' * len(title)}\n{text}")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "\n\n".join(parts)
    return function
