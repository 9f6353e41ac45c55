"""Model files owned by an estimator (sklearn_crfsuite._fileresource)."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Any

_CONTENT = "__FILE_RESOURCE_DATA__"


class FileResource:
    """A file; a file without a name is temporary, is pickled with its content, and is removed with the object."""

    def __init__(
        self, filename: str | None = None, keep_tempfiles: bool = False, suffix: str = "", prefix: str = ""
    ) -> None:
        self.name, self.auto, self.keep_tempfiles = filename, filename is None, keep_tempfiles
        self.suffix, self.prefix = suffix, prefix

    def ensure_name(self) -> str:
        """Return the name of the file; if there is no name, a temporary file is created."""
        if self.name is None:
            if not self.auto:
                raise ValueError("File name is not provided")
            descriptor, self.name = tempfile.mkstemp(self.suffix, self.prefix)
            os.close(descriptor)
        return self.name

    def cleanup(self) -> None:
        """Remove the temporary file unless temporary files are kept."""
        if self.auto and not self.keep_tempfiles and self.name is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.name)
            self.name = None

    def refresh(self) -> str:
        """Replace the temporary file by a new temporary file."""
        self.cleanup()
        return self.ensure_name()

    def __del__(self) -> None:
        # At interpreter shutdown, modules may already be unloaded.
        with contextlib.suppress(Exception):
            self.cleanup()

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if self.auto and self.name is not None:
            with contextlib.suppress(OSError), open(self.name, "rb") as file:
                state[_CONTENT] = file.read()
            state["name"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        content = state.get(_CONTENT)
        # "fd" is a file descriptor in pickles of sklearn-crfsuite.
        vars(self).update({name: value for name, value in state.items() if name not in (_CONTENT, "fd")})
        if content is not None:
            with open(self.ensure_name(), "wb") as file:
                file.write(content)
