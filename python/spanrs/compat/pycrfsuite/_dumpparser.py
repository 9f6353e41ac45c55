"""Content of model dumps (pycrfsuite._dumpparser), and the header of CRFsuite's model files."""

from __future__ import annotations

import re
import struct
from itertools import accumulate

#: The first bytes of CRFsuite's files.
MAGIC = b"lCRF"
_HEADER = struct.Struct("<4sI4s9I")
HEADER_SIZE = _HEADER.size
_NUMBERS = ("version", "num_features", "num_labels", "num_attrs")
#: Pattern of a line with a weight: kind, names and value.
_WEIGHT = r"\(\d+\) (.+) --> (.+): ([+-]?\d+\.\d+)"
_OFFSETS = ("off_features", "off_labels", "off_attrs", "off_labelrefs", "off_attrrefs")


class ParsedDump:
    """The fields of the header, labels and attributes with their numbers, and weights by pairs of names."""

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.transitions: dict[tuple[str, str], float] = {}
        self.state_features: dict[tuple[str, str], float] = {}


def header_fields(header: bytes) -> dict[str, str]:
    """Return the header fields of a CRFsuite file in the format of dumps."""
    magic, size, kind, *numbers = _HEADER.unpack(header)
    fields = {"magic": magic.decode("latin-1"), "size": str(size), "type": kind.decode("latin-1")}
    fields |= zip(_NUMBERS, map(str, numbers), strict=False)
    return fields | {name: f"0x{at:X}" for name, at in zip(_OFFSETS, numbers[len(_NUMBERS) :], strict=True)}


def empty_model() -> bytes:
    """Return the CRFsuite file of a model without labels, the result of training without sequences."""
    features = struct.pack("<4s2I", b"FEAT", 12, 0)
    # Byte order mark of the database, no keys, and 256 empty tables.
    names = struct.pack("<4s5I", b"CQDB", 24 + 8 * 256, 0, 0x62445371, 0, 0) + bytes(8 * 256)
    transitions = struct.pack("<4s4I", b"LFRF", 20, 2, 0, 0)
    states = struct.pack("<4s2I", b"AFRF", 12, 0)
    parts = (features, names, names, transitions, states)
    *offsets, size = accumulate(map(len, parts), initial=HEADER_SIZE)
    return _HEADER.pack(MAGIC, size, b"FOMC", 100, 0, 0, 0, *offsets) + b"".join(parts)


class CRFsuiteDumpParser:
    r"""Reads the lines of a dump into ``result``.

    >>> parser = CRFsuiteDumpParser()
    >>> for line in ["LABELS = {\n", "      0: B-PER\n", "}\n"]:
    ...     parser.feed(line)
    >>> parser.result.labels
    {'B-PER': '0'}
    """

    def __init__(self) -> None:
        self.state: str | None = None
        self.result = ParsedDump()

    def feed(self, line: str) -> None:
        """Read a line; raises AttributeError for lines that do not belong to a dump."""
        # Names may end with spaces.
        line = line.lstrip().rstrip("\r\n")
        if head := re.match(r"(FILEHEADER|LABELS|ATTRIBUTES|TRANSITIONS|STATE_FEATURES) = {", line):
            self.state = head[1]
        elif line == "}":
            self.state = None
        elif line:
            getattr(self, f"parse_{self.state}")(line)

    def parse_FILEHEADER(self, line: str) -> None:  # noqa: N802
        """Read a field of the header."""
        name, value = _groups(r"(\w+): (.*)", line)
        self.result.header[name] = value

    def parse_LABELS(self, line: str) -> None:  # noqa: N802
        """Read the number and the name of a label."""
        number, name = _groups(r"(\d+): (.*)", line)
        self.result.labels[name] = number

    def parse_ATTRIBUTES(self, line: str) -> None:  # noqa: N802
        """Read the number and the name of an attribute."""
        number, name = _groups(r"(\d+): (.*)", line)
        self.result.attributes[name] = number

    def parse_TRANSITIONS(self, line: str) -> None:  # noqa: N802
        """Read the weight of a label and the next label; raises AssertionError for undefined labels."""
        source, target, weight = _groups(_WEIGHT, line)
        assert source in self.result.labels
        assert target in self.result.labels
        self.result.transitions[source, target] = float(weight)

    def parse_STATE_FEATURES(self, line: str) -> None:  # noqa: N802
        """Read the weight of an attribute and a label; raises AssertionError for undefined names."""
        attribute, label, weight = _groups(_WEIGHT, line)
        assert attribute in self.result.attributes
        assert label in self.result.labels
        self.result.state_features[attribute, label] = float(weight)


def _groups(pattern: str, line: str) -> tuple[str, ...]:
    match = re.match(pattern, line)
    if match is None:
        raise AttributeError(f"not a line of a dump: {line!r}")
    return match.groups()
