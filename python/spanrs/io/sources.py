"""Input sources: paths and binary file objects."""

from __future__ import annotations

import os
from os import PathLike
from typing import IO, TypeAlias

from spanrs import _spanrs

#: A path, an object with ``read(n) -> bytes``, or the result of :func:`open_source`. Compression (gzip, zstd) is
#: detected from the first bytes.
Source: TypeAlias = str | PathLike[str] | IO[bytes] | _spanrs.Source


def source_name(source: Source) -> str:
    """Return the name of a source for messages.

    The name of a file object may be a descriptor number, or empty.
    """
    name = source if isinstance(source, (str, PathLike)) else getattr(source, "name", None)
    return (os.fspath(name) if isinstance(name, (str, PathLike)) else "") or "<stream>"


def check_source(source: object) -> None:
    """Refuse a value that is not a path or a binary file object."""
    if not isinstance(source, (str, PathLike, _spanrs.Source)) and not hasattr(source, "read"):
        raise TypeError(f"a file must be a path or a binary file object, not {type(source).__name__}")


def same_file(first: str, second: str) -> bool:
    """Return whether two paths refer to the same existing file."""
    return os.path.exists(first) and os.path.exists(second) and os.path.samefile(first, second)


def is_file_or_broken_link(path: str | PathLike[str]) -> bool:
    """Return whether a path is a file or a broken link; opening a broken link raises an error with the reason."""
    return os.path.isfile(path) or (os.path.islink(path) and not os.path.exists(path))


def open_source(source: Source, *, keep: bool = False) -> _spanrs.Source:
    """Prepare a path or binary file object for the compiled readers.

    Parameters
    ----------
    source : path, binary file object, or the result of another call
        The source to read.
    keep : bool
        Whether the source may be read more than once. A path is opened again; the content of a stream is kept in
        memory up to 16 MiB, otherwise in an unnamed temporary file.

    Returns
    -------
    spanrs._spanrs.Source

    Raises
    ------
    TypeError
        If ``source`` is neither a path nor a file object.
    """
    check_source(source)
    return source if isinstance(source, _spanrs.Source) else _spanrs.Source(source, keep)


def read_text(path: str | PathLike[str]) -> str:
    """Read a small UTF-8 text file, plain, gzip or zstd.

    Raises
    ------
    OSError
        If the file cannot be read.
    spanrs.errors.FormatError
        If the file is not UTF-8 (with the line), or the compressed data is damaged.
    spanrs.errors.LimitError
        If the file has more than 1 GiB, or compressed data expands by a factor of more than 100 and beyond 16 MiB.
    """
    from spanrs.errors import FormatError

    data = _spanrs.Source(path, False).contents()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        error = FormatError(f"{path}:{line}: the file is not UTF-8; convert it")
        error.code, error.path, error.line = "encoding", str(path), line
        raise error from None
