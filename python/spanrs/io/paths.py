"""Files that one name means: directories and patterns."""

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
        A directory, which is searched with its subdirectories, or a pattern such as ``gold/*.conll``. Files and
        directories that begin with a dot are left out, and links to directories are not followed.

    Returns
    -------
    dict of str to str
        The path of each file by its path below the directory, or below the part of the pattern that has no wildcard,
        with forward slashes; sorted.

    Raises
    ------
    FileNotFoundError
        Where there is no file.
    """
    path = os.fspath(path)
    is_directory = os.path.isdir(path)
    if is_directory:
        root, pattern = Path(path), ["**"]
    else:
        parts = Path(path).parts
        literal = list(takewhile(lambda part: not glob.has_magic(part), parts))
        root, pattern = Path(*literal), list(parts[len(literal) :])
    found = (file for file in _matches(root, pattern) if is_file_or_broken_link(file))
    names = {file.relative_to(root).as_posix(): str(file) for file in found}
    visible = {
        name: names[name] for name in sorted(names) if not any(p.startswith(".") for p in name.split("/"))
    }
    if not visible:
        raise FileNotFoundError(2, "there is no file in it" if is_directory else "no file matches", path)
    return visible


def _matches(root: Path, pattern: list[str]) -> Iterator[Path]:
    """Yield what matches the parts of a pattern below a directory.

    As ``glob.glob`` with ``recursive``, except that ``**`` does not follow links to directories, which may be loops.
    """
    before = list(takewhile(lambda part: part != "**", pattern))
    starts = (
        [root / found for found in glob.glob(os.path.join(*before), root_dir=root)] if before else [root]
    )
    if before == pattern:
        yield from starts
        return
    after = pattern[len(before) + 1 :] or ["*"]
    for start in starts:
        for folder, folders, _ in os.walk(start):
            folders[:] = [name for name in folders if not name.startswith(".")]
            yield from _matches(Path(folder), after)
