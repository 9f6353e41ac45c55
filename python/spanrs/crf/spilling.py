"""Where the features of a corpus go that is larger than memory."""

from __future__ import annotations

import re
import tempfile
from os import PathLike, fspath
from pathlib import Path

from spanrs.errors import as_integer

#: Number of bytes by unit: powers of 1000, and of 1024 with an i.
_UNITS = {
    f"{letter}{binary}": (1024 if binary else 1000) ** power
    for power, letter in enumerate(("", "K", "M", "G", "T"))
    for binary in ("", "I")
    if letter or not binary
}


def as_bytes(size: int | str, argument: str) -> int:
    """Return a size in bytes, which may have a unit such as ``"500 MB"``.

    Raises
    ------
    TypeError
        If the size is neither an integer nor a string.
    ValueError
        If the size is negative, or a string that is not a size.

    Examples
    --------
    >>> as_bytes("1.5GB", "max_memory"), as_bytes(100, "max_memory")
    (1500000000, 100)
    """
    if not isinstance(size, str):
        return as_integer(size, argument)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*((?:[KMGT]i?)?)B?\s*", size, re.IGNORECASE | re.ASCII)
    if match is None:
        raise ValueError(
            f"{argument} must be a size in bytes, kB, MB, GB, MiB or GiB such as '500 MB', not {size!r}"
        )
    return int(float(match[1]) * _UNITS[match[2].upper()])


def spill_options(
    max_memory: int | str | None, directory: str | PathLike[str] | None
) -> tuple[int, str] | None:
    """Return the size above which features are moved to a temporary file, and its directory; None for memory only.

    Raises
    ------
    TypeError, ValueError
        If the size or the directory is invalid.
    """
    if directory is not None and not isinstance(directory, (str, PathLike)):
        raise TypeError(f"spill_dir must be a path, not {directory!r}")
    if max_memory is None:
        if directory is not None:
            raise ValueError("spill_dir has no effect without max_memory")
        return None
    size = as_bytes(max_memory, "max_memory")
    if directory is not None and not Path(directory).is_dir():
        raise ValueError(f"spill_dir must be a directory that exists, not {fspath(directory)!r}")
    return size, tempfile.gettempdir() if directory is None else fspath(directory)
