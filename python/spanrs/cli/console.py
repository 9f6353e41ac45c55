"""Console input and output of the commands: streams, progress, warnings, tables."""

from __future__ import annotations

import errno
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
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

#: Files from this size on get a progress bar, where standard error is a terminal.
LARGE = 64 << 20
#: Samples times documents from which resampling gets one.
MANY_DRAWS = 10**9


def source(path: str) -> Source:
    """Give the file a user names; ``-`` is standard input."""
    return standard_input() if path == "-" else path


def standard_input() -> IO[bytes]:
    """Give standard input for bytes."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin.buffer


def standard_output() -> IO[bytes]:
    """Give standard output for bytes."""
    return sys.stdout.buffer


def is_standard_output(path: str | None) -> bool:
    """Say whether ``-o`` names standard output: ``-``, ``/dev/stdout``, or nothing."""
    return path in (None, "-") or named_descriptor(str(path)) == 1


@contextmanager
def progress_bar(size: int, least: int, *, in_bytes: bool = False) -> Iterator[Callable[..., None] | None]:
    """Show how much of a job is done, if it is a large one and standard error is a terminal.

    Gives the function that is called with what is done so far, or None.
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
    """Show how many samples are done, where there are many of many documents."""
    with progress_bar(samples, 0 if samples * documents >= MANY_DRAWS else samples + 1) as bar:
        yield bar


def size_of(path: str) -> int:
    """Give the bytes of a file; 0 for standard input."""
    return Path(path).stat().st_size if Path(path).is_file() else 0


@contextmanager
def files_bar(*paths: str) -> Iterator[Callable[..., None] | None]:
    """Show how much of large files is read."""
    with progress_bar(sum(map(size_of, paths)), LARGE, in_bytes=True) as bar:
        yield bar


def read_files(function: Callable[..., T], *paths: str, **options: Any) -> T:
    """Call a function that reads files, and show how far it is with large ones."""
    with files_bar(*paths) as bar, explained():
        return function(*map(source, paths), progress=bar, **options)


@contextmanager
def quiet() -> Iterator[None]:
    """Leave out the warnings of results, for :func:`print_warnings`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        yield


@contextmanager
def quiet_but_printed() -> Iterator[None]:
    """Print warnings on standard error as lines of the command."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SpanrsWarning)
        yield
    for warning in caught:
        print_message("warning", str(warning.message))


def overwritten(outputs: Iterable[Path], inputs: Iterable[Path]) -> Path | None:
    """Give an output that would be written over an input; None where there is none."""
    there = {_identity(path): path for path in outputs if path.exists()}
    found = (there.get(_identity(path)) for path in inputs if there and path.exists())
    return next(filter(None, found), None)


def check_output(output: str | None, inputs: Iterable[str]) -> None:
    """Refuse an output that would be written over an input; ``-`` is standard output, or input."""
    if output not in (None, "-"):
        files = [Path(path) for path in inputs if path != "-"]
        if overwritten([Path(str(output))], files) is not None:
            raise click.UsageError(f"-o {output} would overwrite an input")


def _identity(path: Path) -> tuple[int, int]:
    """Return the identity (device and inode) of a file."""
    stat = path.stat()
    return stat.st_dev, stat.st_ino


def print_warnings(results: Mapping[str, Result], gold: str | None = None) -> None:
    """Print the warnings and notes of results on standard error, warnings of all systems once.

    Results have the names of the files of pred. Where one of them is the file ``gold``, this is noted.
    """
    for name in results:
        if gold is not None and same_file(gold, name):
            print_message("note", f"gold and pred are the same file, {name}")
    found = {name: result.warnings for name, result in results.items()}
    first = next(iter(found.values()))
    common = [message for message in first if all(message in own for own in found.values())]
    for message in common:
        print_message("warning", message)
    for name, own in found.items():
        for message in own:
            if message not in common:
                print_message("warning", f"{name}: {message}")
    for result in results.values():
        for message in result.notes:
            print_message("note", message)


def print_skipped(results: Mapping[str, Result]) -> bool:
    """List skipped files on standard error and return whether there are any."""
    skipped = [one for result in results.values() for one in result.evidence.skipped]
    for one in skipped:
        print_message("error", f"{one.message}; it is left out")
    return bool(skipped)


def require_types(wanted: Collection[str], there: Collection[str]) -> None:
    """Refuse types none of which occurs, and say which of several do not."""
    missing = sorted(set(wanted) - set(there))
    if wanted and len(missing) == len(set(wanted)):
        # Fair matching does not read other types.
        known = f"; types of the files: {', '.join(sorted(there)[:20])}" if there else ""
        raise click.ClickException(f"no span has type {' or '.join(missing)}{known}")
    for name in missing:
        print_message("note", f"no span has type {name}")


def echo(text: str, *, err: bool = False) -> None:
    """Print lines that quote input, without characters that a terminal obeys."""
    click.echo(escaped_lines(text), err=err)


def echo_table(text: str) -> None:
    """Print a table; rules are the one thing in it that a narrow encoding may lack."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    rule = "─".encode(encoding, "replace").decode(encoding)
    echo(text.replace("─", "-") if rule != "─" else text)
