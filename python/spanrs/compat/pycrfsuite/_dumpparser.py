"""What a model consists of (pycrfsuite._dumpparser)."""

from __future__ import annotations


class ParsedDump:
    """Parameters of a model.

    Attributes
    ----------
    header : dict of str to str
        Fields of the file's header.
    labels, attributes : dict of str to str
        Name to number.
    transitions : dict of (str, str) to float
        (from, to) to weight.
    state_features : dict of (str, str) to float
        (attribute, label) to weight.
    """

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.transitions: dict[tuple[str, str], float] = {}
        self.state_features: dict[tuple[str, str], float] = {}
