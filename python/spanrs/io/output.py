"""Atomic output: a file is written completely or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, cast

#: Directories whose entries are the open file descriptors of the process, on systems that have them.
DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
#: Output up to this size is buffered in memory, larger output in a temporary file.
SPOOLED = 1 << 20


def named_descriptor(path: str | PathLike[str]) -> int | None:
    """Return the open descriptor for a path such as ``/dev/stdout`` or ``/dev/fd/3``; None for other paths."""
    step = os.path.abspath(path)
    folders = {os.path.realpath(folder) for folder in DESCRIPTORS}
    # Links to the directory are followed; the entries of the directory are links that are not followed.
    for _ in range(8):
        folder, name = os.path.split(step)
        if os.path.realpath(folder) in folders:
            return int(name) if name.isdecimal() else None
        if not os.path.islink(step):
            return None
        step = os.path.join(folder, os.readlink(step))
    return None


def _opened_descriptor(descriptor: int, name: str) -> IO[bytes]:
    """Open a file object on a descriptor for writing; closing the file leaves the descriptor open."""
    if descriptor == 1:
        sys.stdout.flush()
    try:
        return os.fdopen(os.dup(descriptor), "wb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


@contextmanager
def atomic_output(target: str | PathLike[str] | IO[bytes] | None) -> Iterator[IO[bytes]]:
    """Open a binary file object whose content is written to the target only if no exception is raised.

    Parameters
    ----------
    target : path, binary file object or None
        For a path, a temporary file in the same directory is renamed at the end. For a file object, a pipe, a device or
        an open descriptor (``/dev/stdout``), the content is copied at the end. With None, the content can only be read
        back.
    """
    import shutil
    import tempfile

    if not isinstance(target, (str, PathLike)):
        with tempfile.SpooledTemporaryFile(max_size=SPOOLED) as spool:
            yield cast("IO[bytes]", spool)
            if target is not None:
                spool.seek(0)
                shutil.copyfileobj(spool, target)
                target.flush()
        return
    descriptor = named_descriptor(target)
    if descriptor is not None:
        # Writing continues at the current offset, because the target may be a pipe, or a file opened for appending.
        with _opened_descriptor(descriptor, str(target)) as device, atomic_output(device) as out:
            yield out
        return
    try:
        path = Path(target).resolve()
        looped = path.is_symlink()
    except RuntimeError:
        looped = True
    if looped:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(target))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a directory; give the name of a file", str(target))
    if path.exists() and not path.is_file():
        # A device or a pipe cannot be replaced by renaming.
        with path.open("wb") as device, atomic_output(device) as out:
            yield out
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such directory", str(Path(target).parent))
    with _renamed(path, str(target)) as out:
        yield out


@contextmanager
def _renamed(path: Path, shown: str) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces ``path`` at the end; ``shown`` is the name in error messages."""
    import secrets

    name = path.with_name(f".{secrets.token_hex(8)}.tmp")
    # A signal may arrive as soon as the file exists.
    try:
        try:
            out = name.open("xb")
        except OSError as error:
            raise type(error)(error.errno, error.strerror, shown) from None
        with out:
            yield out
        if path.exists():
            name.chmod(stat.S_IMODE(path.stat().st_mode))
        name.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            name.unlink()
        raise
