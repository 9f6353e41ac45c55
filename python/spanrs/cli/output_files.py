"""Checks of output files before any work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import TypeAlias

import click

from spanrs.cli import console
from spanrs.io.output import named_descriptor
from spanrs.io.paths import find_files, is_several

#: A file named by an option; None and ``-`` are standard output or standard input.
Named: TypeAlias = str | PathLike[str] | None
#: Suffixes of compressed files, which cannot be outputs.
COMPRESSED = (".gz", ".zst")


def check_outputs(outputs: Iterable[tuple[str, Named]], inputs: Iterable[Named] = ()) -> None:
    """Refuse outputs that cannot be written, that are also inputs, or that are the same file.

    Parameters
    ----------
    outputs : iterable of (str, path)
        The option that names the file, and the file.
    inputs : iterable of path
        Files, directories and patterns that are read.

    Raises
    ------
    click.UsageError
        The message names the option.
    ImportError
        If a plot is requested and matplotlib is not installed.
    """
    written: dict[Path, str] = {}
    existing: dict[tuple[int, int], str] = {}
    for option, name in outputs:
        if name is None:
            continue
        if option == "--plot":
            _check_plot(str(name))
        if str(name) == "-" and option == "--save":
            raise click.UsageError("--save needs a file; counts are binary and cannot be printed")
        if str(name) == "-" or named_descriptor(name) is not None:
            continue
        path = Path(name)
        _check_writable(option, path)
        if (other := written.setdefault(Path(os.path.realpath(path)), option)) != option:
            raise click.UsageError(
                f"{other} and {option} are the same file, {name}; choose different files"
            )
        if path.is_file():
            existing[_identity(path)] = f"{option} {name}"
    for path in _files(inputs) if existing else ():
        if path.is_file() and (output := existing.get(_identity(path))) is not None:
            raise click.UsageError(f"{output} is also an input; choose another output file")


def check_model_output(path: str) -> None:
    """Refuse to print a model on a terminal."""
    if console.is_standard_output(path) and console.standard_output().isatty():
        raise click.UsageError("a model is binary and cannot be printed; choose a file with -o")


def _check_plot(name: str) -> None:
    # Lazy: rarely used.
    from spanrs.report.plots import plot_format

    try:
        plot_format(name)
    except ValueError as error:
        raise click.UsageError(f"--plot {error}") from None


def _check_writable(option: str, path: Path) -> None:
    """Refuse a file that cannot be written."""
    if path.is_dir():
        raise click.UsageError(f"{option} {path} is a directory; choose a file")
    if path.suffix.lower() in COMPRESSED:
        raise click.UsageError(
            f"{option} {path}: outputs are not compressed; remove the suffix {path.suffix}"
        )
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise click.UsageError(f"{option} {path}: its directory does not exist")
    # Devices and pipes are not replaced.
    if (path.is_file() or not path.exists()) and not os.access(folder, os.W_OK):
        raise click.UsageError(f"{option} {path}: its directory is not writable")


def _files(inputs: Iterable[Named]) -> Iterator[Path]:
    """Yield the files among the inputs, and those of directories and patterns."""
    for name in inputs:
        if name is None or str(name) == "-":
            continue
        if not is_several(name):
            yield Path(name)
            continue
        # A missing file is reported when the files are read.
        with suppress(FileNotFoundError):
            yield from map(Path, find_files(name).values())


def _identity(path: Path) -> tuple[int, int]:
    """Return the identity (device and inode) of a file."""
    stat = path.stat()
    return stat.st_dev, stat.st_ino
