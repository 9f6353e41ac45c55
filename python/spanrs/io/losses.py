"""What a format cannot hold."""

from __future__ import annotations


class Losses:
    """Counts items that a format cannot hold, by kind, with the location of the first of each kind.

    Examples
    --------
    >>> from spanrs.io.losses import Losses
    >>> losses = Losses()
    >>> for place in ("sentence 0", "sentence 4"):
    ...     losses.add("spans that cross others", place)
    >>> losses.messages()
    ['2 spans that cross others, the first in sentence 0']
    """

    def __init__(self) -> None:
        self._found: dict[str, tuple[int, str]] = {}

    def add(self, kind: str, place: str) -> None:
        """Count one thing of a kind, in the plural, which is in this place."""
        number, first = self._found.get(kind, (0, place))
        self._found[kind] = number + 1, first

    def messages(self) -> list[str]:
        """Return a message for each kind."""
        return [
            f"{number} {kind}, the first in {first}" if number > 1 else f"1 of the {kind}, in {first}"
            for kind, (number, first) in self._found.items()
        ]
