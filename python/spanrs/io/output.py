"""Results get out whole or not at all."""

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

#: Directories whose entries are the open descriptors of the process, where there are such.
DESCRIPTORS = ("/dev/fd", "/proc/self/fd")
#: Results up to this size wait in memory, larger ones in a temporary file.
SPOOLED = 1 << 20


def named_descriptor(path: str | PathLike[str]) -> int | None:
    """Give the open descriptor that a path such as ``/dev/stdout`` or ``/dev/fd/3`` names; None for other paths."""
    step = os.path.abspath(path)
    folders = {os.path.realpath(folder) for folder in DESCRIPTORS}
    # Links lead to the directory; an entry of it is a link that is not followed.
    for _ in range(8):
        folder, name = os.path.split(step)
        if os.path.realpath(folder) in folders:
            return int(name) if name.isdecimal() else None
        if not os.path.islink(step):
            return None
        step = os.path.join(folder, os.readlink(step))
    return None


def _opened_descriptor(descriptor: int, name: str) -> IO[bytes]:
    """Open an open descriptor for writing; closing the file leaves the descriptor open."""
    if descriptor == 1:
        sys.stdout.flush()
    try:
        return os.fdopen(os.dup(descriptor), "wb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None


@contextmanager
def atomic_output(target: str | PathLike[str] | IO[bytes] | None) -> Iterator[IO[bytes]]:
    """Give a binary file object whose content reaches the target only if nothing is raised.

    Parameters
    ----------
    target : path, binary file object or None
        A path is written under a temporary name beside it and renamed; a file object, a pipe, a device and an open
        descriptor (``/dev/stdout``) get a copy at the end; with None the content is only for reading back.
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
        # Writing continues at the current offset: it may be a pipe, or a file opened for appending.
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
        raise IsADirectoryError(errno.EISDIR, "is a directory; name a file", str(target))
    if path.exists() and not path.is_file():
        # A device or a pipe cannot be renamed over.
        with path.open("wb") as device, atomic_output(device) as out:
            yield out
        return
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "no such directory", str(Path(target).parent))
    with _renamed(path, str(target)) as out:
        yield out


@contextmanager
def _renamed(path: Path, shown: str) -> Iterator[IO[bytes]]:
    """Give a temporary file beside a path, which takes its place at the end; errors name it as ``shown``."""
    import secrets

    name = path.with_name(f".{secrets.token_hex(8)}.tmp")
    # A signal may come as soon as the file is there.
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
