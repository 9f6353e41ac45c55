"""Content of a model (pycrfsuite._dumpparser), and the header of CRFsuite's model files."""

from __future__ import annotations

import struct
from itertools import accumulate

#: The first bytes of CRFsuite's files.
MAGIC = b"lCRF"
_HEADER = struct.Struct("<4sI4s9I")
HEADER_SIZE = _HEADER.size
_NUMBERS = ("version", "num_features", "num_labels", "num_attrs")
_OFFSETS = ("off_features", "off_labels", "off_attrs", "off_labelrefs", "off_attrrefs")


class ParsedDump:
    """The header's fields, labels and attributes with their numbers, and weights by pairs of names."""

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.labels: dict[str, str] = {}
        self.attributes: dict[str, str] = {}
        self.transitions: dict[tuple[str, str], float] = {}
        self.state_features: dict[tuple[str, str], float] = {}


def header_fields(header: bytes) -> dict[str, str]:
    """Return the fields of a CRFsuite file's header as they are dumped."""
    magic, size, kind, *numbers = _HEADER.unpack(header)
    fields = {"magic": magic.decode("latin-1"), "size": str(size), "type": kind.decode("latin-1")}
    fields |= zip(_NUMBERS, map(str, numbers), strict=False)
    return fields | {name: f"0x{at:X}" for name, at in zip(_OFFSETS, numbers[len(_NUMBERS) :], strict=True)}


def empty_model() -> bytes:
    """Return CRFsuite's file of a model without labels, which training without sequences writes."""
    features = struct.pack("<4s2I", b"FEAT", 12, 0)
    # Mark of the byte order, no keys, and 256 empty tables.
    names = struct.pack("<4s5I", b"CQDB", 24 + 8 * 256, 0, 0x62445371, 0, 0) + bytes(8 * 256)
    transitions = struct.pack("<4s4I", b"LFRF", 20, 2, 0, 0)
    states = struct.pack("<4s2I", b"AFRF", 12, 0)
    parts = (features, names, names, transitions, states)
    *offsets, size = accumulate(map(len, parts), initial=HEADER_SIZE)
    return _HEADER.pack(MAGIC, size, b"FOMC", 100, 0, 0, 0, *offsets) + b"".join(parts)
