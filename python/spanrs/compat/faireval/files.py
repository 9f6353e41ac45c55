"""Messages, and the file that results are written to."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import stat
from typing import BinaryIO, TextIO


def say(text: str) -> None:
    """Print a message where FairEval prints its own: on standard output."""
    print(text)  # noqa: T201


class ReplacingFile(io.TextIOWrapper):
    """A text file, ``part``, that takes its place, and that of a file there, when it is closed."""

    def __init__(self, part: BinaryIO, place: str) -> None:
        super().__init__(part, encoding="utf-8")
        self._part, self._place = part.name, place

    def close(self) -> None:
        """Write the rest, and take the place."""
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
        """Close without taking the place: the file there stays."""
        if not self.closed:
            super().close()
            os.unlink(self._part)


def open_results(path: str) -> TextIO:
    """Open a text file for results, which is whole or not there whatever happens before it is closed.

    Devices and pipes, and files in folders where no others can be made, are written to directly.

    >>> import os
    >>> from spanrs.compat.faireval.files import open_results
    >>> with open_results(os.devnull) as file:
    ...     file.write("gone")
    4
    """
    if not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode):
        place = os.path.realpath(path)
        with contextlib.suppress(OSError):
            part = open(f"{place}.{os.getpid()}.part", "xb")  # noqa: SIM115
            return ReplacingFile(part, place)
    return open(path, "w", encoding="utf-8")
