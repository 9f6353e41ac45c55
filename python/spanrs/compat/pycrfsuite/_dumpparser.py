"""Content of a model (pycrfsuite._dumpparser)."""

from __future__ import annotations


class ParsedDump:
    """The header's fields, labels and attributes with their numbers, and weights by pairs of names."""

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.transitions: dict[tuple[str, str], float] = {}
        self.state_features: dict[tuple[str, str], float] = {}
