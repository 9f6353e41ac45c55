"""Results get out whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import IO, cast

#: Results up to this size wait in memory, larger ones in a temporary file.
SPOOLED = 1 << 20


@contextmanager
def atomic_output(target: str | PathLike[str] | IO[bytes] | None) -> Iterator[IO[bytes]]:
    """Give a binary file object whose content reaches the target only if nothing is raised.

    Parameters
    ----------
    target : path, binary file object or None
        A path is written under a temporary name beside it and renamed; a file object gets a copy at the
        end; with None the content is only for reading back.
    """
    import secrets
    import shutil
    import tempfile
    from pathlib import Path

    if not isinstance(target, (str, PathLike)):
        with tempfile.SpooledTemporaryFile(max_size=SPOOLED) as spool:
            yield cast("IO[bytes]", spool)
            if target is not None:
                spool.seek(0)
                shutil.copyfileobj(spool, target)
                target.flush()
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
    name = path.with_name(f".{secrets.token_hex(8)}.tmp")
    # A signal may come as soon as the file is there.
    try:
        try:
            out = name.open("xb")
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(target)) from None
        with out:
            yield out
        if path.exists():
            name.chmod(stat.S_IMODE(path.stat().st_mode))
        name.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            name.unlink()
        raise
