"""The file that results are written to."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
from typing import BinaryIO, TextIO


class ReplacingFile(io.TextIOWrapper):
    """A text file that takes its place, and that of a file there, when it is closed.

    Parameters
    ----------
    part : binary file
        What is written until then, open for writing.
    place : str
        Where it belongs.
    """

    def __init__(self, part: BinaryIO, place: str) -> None:
        super().__init__(part, encoding="utf-8")
        self._part = part.name
        self._place = place

    def close(self) -> None:
        """Write what is left, and take the place."""
        if self.closed:
            return
        try:
            super().close()
            if os.path.exists(self._place):
                shutil.copymode(self._place, self._part)
            os.replace(self._part, self._place)
        except OSError:
            os.unlink(self._part)
            raise

    def discard(self) -> None:
        """Close without taking the place: what was there stays."""
        if not self.closed:
            super().close()
            os.unlink(self._part)


def open_results(path: str) -> TextIO:
    """Open a file for results, which is whole or not there whatever happens before it is closed.

    Parameters
    ----------
    path : str
        Devices and pipes, and files in folders where no others can be made, are written to directly.

    Returns
    -------
    file
        Open for text in UTF-8.

    Raises
    ------
    OSError
        Where it cannot be written to.
    """
    if not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode):
        place = os.path.realpath(path)
        with contextlib.suppress(OSError):
            part = open(f"{place}.{os.getpid()}.part", "xb")  # noqa: SIM115
            return ReplacingFile(part, place)
    return open(path, "w", encoding="utf-8")
