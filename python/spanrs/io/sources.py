"""Where bytes come from."""

from __future__ import annotations

import os
from os import PathLike
from typing import IO, TypeAlias

from spanrs import _spanrs

#: A path, an object with ``read(n) -> bytes``, or either of them prepared by :func:`open_source`. Plain, gzip or
#: zstd, as the first bytes tell.
Source: TypeAlias = str | PathLike[str] | IO[bytes] | _spanrs.Source


def source_name(source: Source) -> str:
    """Give the name that messages have for a source.

    The name of a file object may be the number of a descriptor, or empty.
    """
    name = source if isinstance(source, (str, PathLike)) else getattr(source, "name", None)
    return (os.fspath(name) if isinstance(name, (str, PathLike)) else "") or "<stream>"


def check_source(source: object) -> None:
    """Refuse what is neither a path nor a file object."""
    if not isinstance(source, (str, PathLike, _spanrs.Source)) and not hasattr(source, "read"):
        message = (
            f"a file is a path or a binary file object, not {type(source).__name__}; "
            "tags in memory are scored by spanrs.score"
        )
        raise TypeError(message)


def same_file(one: str, other: str) -> bool:
    """Say whether two names are those of one file, which is there."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def is_file_or_broken_link(path: str | PathLike[str]) -> bool:
    """Say whether a path is a file, or a link whose target cannot be reached: opening it tells why."""
    return os.path.isfile(path) or (os.path.islink(path) and not os.path.exists(path))


def open_source(source: Source, *, keep: bool = False) -> _spanrs.Source:
    """Prepare a path or binary file object for the compiled readers.

    Parameters
    ----------
    source : path, binary file object, or the result of another call
        What is to be read.
    keep : bool
        Whether it may be read more than once. A path is opened again; what is read of a stream is kept for
        the next time, in memory and beyond 16 MiB in an unnamed temporary file.

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
    """Read a small text file, plain, gzip or zstd, that must be UTF-8.

    Raises
    ------
    OSError
        Where it cannot be read.
    spanrs.errors.FormatError
        Where it is not UTF-8, with the line, or the compressed data is damaged.
    spanrs.errors.LimitError
        For more than 1 GiB, and compressed data that expands more than 100 times and beyond 16 MiB.
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
