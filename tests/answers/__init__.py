"""Answers of a package in the form of the recordings.

The functions run with the peers for recording, and with spanrs for comparison. Every function takes the package, a
class or a function of it, because a peer and its drop-in replacement have the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def attempt(function: Callable[..., Any], *args: Any, cut: int | None = None, **options: Any) -> Any:
    """Call `function` and return its result, or its error with the message cut after `cut` characters."""
    try:
        return function(*args, **options)
    except Exception as error:  # whatever it is, it is compared
        return {"err": type(error).__name__, "msg": str(error)[:cut]}
