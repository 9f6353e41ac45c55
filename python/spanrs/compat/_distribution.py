"""Metadata of an activated package, for ``importlib.metadata``."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path


class ActivatedDistribution(importlib.metadata.Distribution):
    """A package that spanrs replaces: its name and the version that is reproduced."""

    def __init__(self, package: str, version: str, name: str) -> None:
        self._package = package
        self._name = name
        self._version = version

    def read_text(self, filename: str) -> str | None:
        """Return the contents of a file of the metadata, or None."""
        if filename == "METADATA":
            return (
                f"Metadata-Version: 2.1\nName: {self._name}\nVersion: {self._version}\n"
                f"Summary: spanrs.compat.{self._package}\n"
            )
        return f"{self._package}\n" if filename == "top_level.txt" else None

    def locate_file(self, path: object) -> Path:
        """Return a path in the package."""
        return Path(__file__).parent / str(path)
