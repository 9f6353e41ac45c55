"""What FairEval prints while it works."""

from __future__ import annotations


def say(text: str) -> None:
    """Print a message where FairEval prints its own: on standard output."""
    print(text)  # noqa: T201
