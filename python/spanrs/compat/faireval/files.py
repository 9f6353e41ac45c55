"""Messages, and the file that results are written to."""

from __future__ import annotations

import contextlib
import io
import os
import stat
from typing import TextIO

from spanrs.io import atomic_output


def say(text: str) -> None:
    """Print a message where FairEval prints its own: on standard output."""
    print(text)  # noqa: T201


class ReplacingFile(io.TextIOWrapper):
    """A text file that takes its place, and that of a file there, when it is closed."""

    def __init__(self, path: str) -> None:
        with contextlib.ExitStack() as output:
            super().__init__(output.enter_context(atomic_output(path)), encoding="utf-8")
            self._output = output.pop_all()

    def close(self) -> None:
        """Write the rest, and take the place."""
        if not self.closed:
            with self._output:
                super().close()

    def discard(self) -> None:
        """Close without taking the place: the file there stays."""
        if not self.closed:
            with contextlib.suppress(InterruptedError), self._output:
                super().close()
                raise InterruptedError


def open_results(path: str) -> TextIO:
    """Open a text file for results, which is whole or not there whatever happens before it is closed.

    Devices and pipes, and files in folders where no others can be made, are written to directly.
    """
    if not os.path.exists(path) or stat.S_ISREG(os.stat(path).st_mode):
        with contextlib.suppress(OSError):
            return ReplacingFile(path)
    return open(path, "w", encoding="utf-8")
