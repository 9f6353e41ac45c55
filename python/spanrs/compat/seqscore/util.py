"""Comparison of files line by line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import zip_longest
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

PathType: TypeAlias = str | Path | PathLike[str]


def file_fields_match(path1: PathType, path2: PathType, *, debug: bool = False) -> bool:
    """Return whether all lines have the same fields, which are separated by white space.

    ``debug`` prints the first lines that differ.
    """
    for number, first, second in _differing(path1, path2, str.split):
        if debug:
            print(f"Failed to match at line {number}:", repr(first), repr(second), sep="\n")  # noqa: T201
        return False
    return True


def file_lines_match(path1: PathType, path2: PathType, debug: bool = False) -> bool:
    """Return whether all lines are equal, apart from their ends.

    ``debug`` prints the first lines that differ.
    """
    for _, *lines in _differing(path1, path2, lambda line: line.rstrip("\r\n")):
        if debug:
            print("Lines differ:", *(line and line.strip() for line in lines), sep="\n")  # noqa: T201
        return False
    return True


def _differing(
    path1: PathType, path2: PathType, compared: Callable[[str], Any]
) -> Iterator[tuple[int, str | None, str | None]]:
    """Yield the number of each pair of lines that differ, from 1, and the lines; None is after the end."""
    with open(path1, encoding="utf8") as first, open(path2, encoding="utf8") as second:
        for number, (one, other) in enumerate(zip_longest(first, second), 1):
            if one is None or other is None or compared(one) != compared(other):
                yield number, one, other


def normalize_str_with_path(s: str) -> str:
    """Replace the path separator of the operating system by ``/``."""
    return s.replace(os.path.sep, "/")
