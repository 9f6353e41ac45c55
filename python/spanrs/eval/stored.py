"""Results stored as bytes: the frame with a checksum, and type checks of the values in the header."""

from __future__ import annotations

import math
from typing import Any
from zlib import crc32

from spanrs.errors import FormatError, with_code

#: First bytes of a stored result, with the format version.
MAGIC = b"spanrs result\x01"
#: Number of bytes of the CRC-32 of the subsequent bytes, and of the header length.
CHECKSUM = 4
LENGTH = 8
#: Key in a description that stands for all other keys.
ANY = ""
NONE = type(None)


def check_stored(value: Any, kind: Any, name: str) -> None:
    """Raise an error if a stored value does not have the described type.

    Parameters
    ----------
    value : object
        A value of parsed JSON.
    kind : type, list, dict or tuple
        A type, a list with the kind of all items, a dictionary with the kind of each field (:data:`ANY` is the key for
        all other fields), or a tuple of alternatives. Booleans are not integers.
    name : str
        Name of the value in messages.

    Raises
    ------
    TypeError
        If the types differ, or a field is not described.
    ValueError
        For numbers that are not finite.

    Examples
    --------
    >>> from spanrs.eval.stored import check_stored
    >>> check_stored({"notes": ["x"]}, {"notes": [str]}, "evidence")
    >>> check_stored({"notes": [3]}, {"notes": [str]}, "evidence")
    Traceback (most recent call last):
    TypeError: evidence: notes is int, not str
    """
    kinds = kind if isinstance(kind, tuple) else (kind,)
    types = [alternative if isinstance(alternative, type) else type(alternative) for alternative in kinds]
    if type(value) not in types:
        names = " or ".join(alternative.__name__ for alternative in types)
        raise TypeError(f"{name} is {type(value).__name__}, not {names}")
    described: Any = kinds[types.index(type(value))]
    if isinstance(described, list):
        for item in value:
            check_stored(item, described[0], name)
    elif isinstance(described, dict):
        for key, item in value.items():
            if key not in described and ANY not in described:
                raise TypeError(f"{name} has no field {key!r}")
            check_stored(item, described[key] if key in described else described[ANY], f"{name}: {key}")
    elif described is float and not math.isfinite(value):
        raise ValueError(f"{name} is {value}")


def packed(header: bytes, body: bytes) -> bytes:
    """Return the magic bytes and a checksum, followed by a header and a body."""
    rest = len(header).to_bytes(LENGTH, "little") + header + body
    return MAGIC + crc32(rest).to_bytes(CHECKSUM, "little") + rest


def unpacked(stored: bytes) -> tuple[bytes, bytes]:
    """Return the header and the body from the output of :func:`packed`.

    Raises
    ------
    spanrs.errors.FormatError
        If the bytes are not a stored result, or the checksum is wrong.
    """
    if not isinstance(stored, (bytes, bytearray, memoryview)):
        raise TypeError(f"a stored result must be bytes, not {type(stored).__name__}")
    if bytes(stored[: len(MAGIC)]) != MAGIC:
        raise damaged("these are not the bytes of a spanrs result of this version")
    rest = len(MAGIC) + CHECKSUM
    if crc32(stored[rest:]) != int.from_bytes(stored[len(MAGIC) : rest], "little"):
        raise damaged("the bytes of the result are damaged: the checksum differs")
    start = rest + LENGTH
    end = start + int.from_bytes(stored[rest:start], "little")
    return bytes(stored[start:end]), bytes(stored[end:])


def damaged(message: str) -> FormatError:
    """Return the error for bytes that are not a stored result."""
    return with_code(FormatError(message), "damaged")
