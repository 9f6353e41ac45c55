"""Expansion of directories and patterns to files."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from spanrs.io.sources import is_file_or_broken_link


def is_several(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a directory or a pattern.

    Examples
    --------
    >>> from spanrs.io.paths import is_several
    >>> is_several("gold/*.conll"), is_several("gold.conll")
    (True, False)
    """
    path = os.fspath(path)
    return os.path.isdir(path) or (glob.has_magic(path) and not os.path.exists(path))


def find_files(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the files of a directory or a pattern.

    Parameters
    ----------
    path : path
        A directory, which is searched recursively, or a pattern such as ``gold/*.conll``. Files and directories whose
        names begin with a dot are skipped, and links to directories are not followed.

    Returns
    -------
    dict of str to str
        The path of each file. The keys are the paths relative to the directory, or to the part of the pattern before
        the first wildcard, with forward slashes; sorted.

    Raises
    ------
    FileNotFoundError
        If no file is found.
    """
    path = os.fspath(path)
    is_directory = os.path.isdir(path)
    if is_directory:
        root, pattern = Path(path), ["**"]
    else:
        parts = Path(path).parts
        literal = list(takewhile(lambda part: not glob.has_magic(part), parts))
        root, pattern = Path(*literal), list(parts[len(literal) :])
    files = (file for file in _matches(root, pattern) if is_file_or_broken_link(file))
    names = {file.relative_to(root).as_posix(): str(file) for file in files}
    visible = {
        name: names[name] for name in sorted(names) if not any(p.startswith(".") for p in name.split("/"))
    }
    if not visible:
        raise FileNotFoundError(
            2, "the directory has no files" if is_directory else "no file matches", path
        )
    return visible


def _matches(root: Path, pattern: list[str]) -> Iterator[Path]:
    """Yield the paths below a directory that match the components of a pattern.

    Like ``glob.glob`` with ``recursive``, except that ``**`` does not follow links to directories, which may form
    cycles.
    """
    before = list(takewhile(lambda part: part != "**", pattern))
    starts = [root / name for name in glob.glob(os.path.join(*before), root_dir=root)] if before else [root]
    if before == pattern:
        yield from starts
        return
    after = pattern[len(before) + 1 :] or ["*"]
    for start in starts:
        for folder, folders, _ in os.walk(start):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from _matches(Path(folder), after)
