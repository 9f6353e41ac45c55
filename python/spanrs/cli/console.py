"""Console input and output of the commands: streams, progress, warnings, tables."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from spanrs.cli.run import explained, print_message
from spanrs.errors import SpanrsWarning, escaped_lines
from spanrs.io import Source
from spanrs.io.output import named_descriptor
from spanrs.io.sources import same_file

if TYPE_CHECKING:
    from spanrs.eval import Result

T = TypeVar("T")

#: Minimum size in bytes of files that get a progress bar.
LARGE = 64 << 20
#: Minimum product of resamples and documents for a progress bar.
MANY_DRAWS = 10**9


def source(path: str) -> Source:
    """Return the source for a path; ``-`` is standard input."""
    return standard_input() if path == "-" else path


def standard_input() -> IO[bytes]:
    """Return standard input as a binary stream."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.buffer


def standard_output() -> IO[bytes]:
    """Return standard output as a binary stream."""
    return sys.stdout.buffer


def target(path: str | None) -> str | IO[bytes]:
    """Return the target for a path; None and ``-`` are standard output."""
    return standard_output() if path is None or is_standard_output(path) else path


def is_standard_output(path: str | None) -> bool:
    """Return whether a path is standard output: ``-``, ``/dev/stdout``, or None."""
    return path in (None, "-") or named_descriptor(str(path)) == 1


@contextmanager
def progress_bar(size: int, least: int, *, in_bytes: bool = False) -> Iterator[Callable[..., None] | None]:
    """Show a progress bar for a job of at least ``least`` units, if standard error is a terminal.

    Yields a function to call with the number of finished units, or None.
    """
    if size < least or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = (BarColumn(), DownloadColumn() if in_bytes else MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=size)
        yield lambda done, *_: bar.update(task, completed=done)


@contextmanager
def resampling_bar(samples: int, documents: int) -> Iterator[Callable[..., None] | None]:
    """Show a progress bar for resampling that takes long."""
    with progress_bar(samples, 0 if samples * documents >= MANY_DRAWS else samples + 1) as bar:
        yield bar


def size_of(path: str) -> int:
    """Return the size of a file in bytes; 0 for standard input."""
    return Path(path).stat().st_size if Path(path).is_file() else 0


@contextmanager
def files_bar(*paths: str) -> Iterator[Callable[..., None] | None]:
    """Show a progress bar for reading large files."""
    with progress_bar(sum(map(size_of, paths)), LARGE, in_bytes=True) as bar:
        yield bar


def read_files(function: Callable[..., T], *paths: str, **options: Any) -> T:
    """Call a function that reads files, with a progress bar for large files."""
    with files_bar(*paths) as bar, explained():
        return function(*map(source, paths), progress=bar, **options)


@contextmanager
def counting_bar(unit: str) -> Iterator[Callable[[int], None] | None]:
    """Show the number of finished units of a job of unknown size, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn(f"{{task.completed:,}} {unit}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress the warnings of results; :func:`print_warnings` prints them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        yield


@contextmanager
def quiet_but_printed() -> Iterator[None]:
    """Print warnings on standard error, one line each."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SpanrsWarning)
        yield
    for warning in caught:
        print_message("warning", str(warning.message))


def print_warnings(results: Mapping[str, Result], gold: str | None = None) -> None:
    """Print the warnings and notes of results on standard error; warnings common to all systems are printed once.

    The keys are the files of pred. A note is printed if one of these files is the file ``gold``.
    """
    for name in results:
        if gold is not None and same_file(gold, name):
            print_message("note", f"gold and pred are the same file, {name}")
    warnings_of = {name: result.warnings for name, result in results.items()}
    first = next(iter(warnings_of.values()))
    common = [message for message in first if all(message in named for named in warnings_of.values())]
    for message in common:
        print_message("warning", message)
    for name, messages in warnings_of.items():
        for message in messages:
            if message not in common:
                print_message("warning", f"{name}: {message}")
    for result in results.values():
        for message in result.notes:
            print_message("note", message)


def print_skipped(results: Mapping[str, Result]) -> bool:
    """List skipped files on standard error and return whether there are any."""
    skipped = [part for result in results.values() for part in result.evidence.skipped]
    for part in skipped:
        print_message("error", f"{part.message}; skipping this file")
    return bool(skipped)


def require_types(wanted: Collection[str], existing: Collection[str]) -> None:
    """Raise an error if none of the types occurs; print a note for each type that does not occur."""
    missing = sorted(set(wanted) - set(existing))
    if wanted and len(missing) == len(set(wanted)):
        # The fair matcher discards other types while reading, so the existing types are unknown.
        types = f"; types of the files: {', '.join(sorted(existing)[:20])}" if existing else ""
        raise click.ClickException(f"no span has type {' or '.join(missing)}{types}")
    for name in missing:
        print_message("note", f"no span has type {name}")


def echo(text: str, *, err: bool = False) -> None:
    """Print lines that quote input, with control characters escaped."""
    click.echo(escaped_lines(text), err=err)


def echo_table(text: str) -> None:
    """Print a table, with hyphens as rules if the encoding has no line character."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    rule = "─".encode(encoding, "replace").decode(encoding)
    echo(text.replace("─", "-") if rule != "─" else text)
