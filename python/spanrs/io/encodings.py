"""Reads files in encodings other than UTF-8."""

from __future__ import annotations

import codecs

from spanrs import _spanrs
from spanrs.errors import FormatError


def is_utf8(encoding: str) -> bool:
    """Return whether an encoding is UTF-8.

    Raises
    ------
    ValueError
        If the name is not a text encoding.
    """
    try:
        # Codecs from str to str or from bytes to bytes (rot13, hex) are not text encodings.
        b" ".decode(encoding, "ignore")
        name = codecs.lookup(encoding).name
    except LookupError:
        raise ValueError(f"unknown encoding {encoding!r}") from None
    except UnicodeError:
        name = "idna"
    if name in ("idna", "punycode"):
        raise ValueError(f"{encoding} is an encoding for host names, not text")
    return name == "utf-8"


def as_declared(data: bytes, path: str) -> bytes:
    """Convert XML from its declared encoding to UTF-8."""
    encoding = _spanrs.declared_encoding(data)
    if encoding is None:
        return data
    try:
        utf8 = is_utf8(encoding)
    except ValueError as error:
        raise _not_in(path, f"the XML declaration does not name a text encoding: {error}") from None
    # A declaration that is readable as ASCII is not encoded in two or four bytes per character.
    if data.startswith((b"<?xml", b"\xef\xbb\xbf")) and codecs.lookup(encoding).name.startswith(
        ("utf-16", "utf-32")
    ):
        raise _not_in(
            path,
            f"the file is not in {encoding}, the encoding in its XML declaration; pass the actual encoding=",
        )
    return data if utf8 else recoded(data, path, encoding)


def _not_in(path: str, message: str) -> FormatError:
    error = FormatError(f"{path}:1: {message}")
    error.code, error.path, error.line = "encoding", path, 1
    return error


def recoded(data: bytes, path: str, encoding: str) -> bytes:
    """Convert the bytes of a file to UTF-8."""
    try:
        return data.decode(encoding).encode()
    except UnicodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1 if isinstance(wrong, UnicodeDecodeError) else None
        place = path if line is None else f"{path}:{line}"
        error = FormatError(f"{place}: the file is not {encoding}: {wrong}")
        error.code, error.path, error.line = "encoding", path, line
        raise error from None
