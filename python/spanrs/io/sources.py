"""Where bytes come from."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import IO, TypeAlias

#: A path, or an object with ``read(n) -> bytes``. Plain, gzip or zstd, as the first bytes tell.
Source: TypeAlias = str | PathLike[str] | IO[bytes]


def source_name(source: Source) -> str:
    """Give the name that messages have for a source.

    The name of a file object may be the number of a descriptor, or empty.
    """
    name = source if isinstance(source, (str, PathLike)) else getattr(source, "name", None)
    return (os.fspath(name) if isinstance(name, (str, PathLike)) else "") or "<stream>"


def check_source(source: object) -> None:
    """Refuse what is neither a path nor a file object."""
    if not isinstance(source, (str, PathLike)) and not hasattr(source, "read"):
        message = (
            f"a file is a path or a binary file object, not {type(source).__name__}; "
            "tags in memory are scored by spanrs.score"
        )
        raise TypeError(message)


def same_file(one: str, other: str) -> bool:
    """Say whether two names are those of one file, which is there."""
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


@contextmanager
def rereadable(source: Source, *, needed: bool = True) -> Iterator[Callable[[], Source]]:
    """Give a function that gives the source from its beginning, as often as it is called.

    A path is simply opened again. A file object that cannot go back, as standard input, is copied to
    an unnamed temporary file first, so that memory does not grow with it.

    Parameters
    ----------
    source : path or binary file object
        What is to be read.
    needed : bool
        False where it is read only once, and no copy is wanted.
    """
    check_source(source)
    if not needed:
        yield lambda: source
        return
    if isinstance(source, (str, PathLike)):
        try:
            again_openable = not stat.S_ISFIFO(os.stat(source).st_mode)
        except OSError:
            again_openable = True  # The reader says it better.
        if again_openable:
            yield lambda: source
            return
        # A named pipe, or a shell's <(...): what was read is gone.
        with open(source, "rb") as pipe, rereadable(pipe) as again:
            yield again
        return
    seekable = getattr(source, "seekable", None)
    if seekable is not None and seekable():
        start = source.tell()

        def from_start() -> Source:
            source.seek(start)
            return source

        yield from_start
        return
    import shutil
    import tempfile

    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(source, copy)
        named = _Named(copy, source_name(source))

        def rewound() -> Source:
            copy.seek(0)
            return named  # type: ignore[return-value]  # has all that is used of IO[bytes]

        yield rewound


class _Named:
    """A file object that goes by the name of what it was copied from."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self.name = name

    def read(self, size: int = -1) -> bytes:
        return self._file.read(size)


def read_text(path: str | PathLike[str]) -> str:
    """Read a small text file that must be UTF-8.

    Raises
    ------
    OSError
        Where it cannot be read.
    spanrs.errors.FormatError
        Where it is not UTF-8, with the line.
    """
    from pathlib import Path

    from spanrs.errors import FormatError

    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        error = FormatError(f"{path}:{line}: the file is not UTF-8; convert it")
        error.code, error.path, error.line = "encoding", str(path), line
        raise error from None
