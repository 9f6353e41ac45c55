"""Options that several commands take."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, Any, TypeVar

import click

from spanrs import _spanrs
from spanrs.cli.run import print_warning
from spanrs.io import Columns, Source
from spanrs.io.sources import same_file
from spanrs.tags.types import Dialect, schemes

F = TypeVar("F", bound=Callable[..., Any])

#: Numbers of things to list: what the core can count.
AMOUNT = click.IntRange(0, 10**9)
#: Numbers of columns.
MOST_COLUMNS = 10**6


class _Column(click.ParamType[Any]):
    """A column: its number, or its name in CoNLL-U; several with commas where that is allowed."""

    name = "column"

    def __init__(self, *, several: bool = False) -> None:
        self._several = several

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        parts = [part.strip() for part in value.split(",")]
        if "" in parts or (len(parts) > 1 and not self._several):
            self.fail(
                f"{value!r} is not a column: give its number from 0, or its name in CoNLL-U", param, ctx
            )
        columns = tuple(self._one(part, param, ctx) for part in parts)
        return columns[0] if len(columns) == 1 else columns

    def _one(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        try:
            number = int(text)
        except ValueError:
            return text
        if abs(number) > MOST_COLUMNS:
            self.fail(f"{number} is no number of a column", param, ctx)
        return number


COLUMN = _Column()
COLUMNS = _Column(several=True)

#: Files from this size on get a progress bar, where standard error is a terminal.
LARGE = 64 << 20


def scheme_option(name: str = "--scheme", default: str | None = "auto") -> Callable[[F], F]:
    """Give the option that names a scheme."""
    known = ", ".join(scheme.name for scheme in schemes())
    extra = "auto: the scheme the tags violate least; or " if default == "auto" else ""
    usual: dict[str, Any] = {"default": default, "show_default": True} if default else {"required": True}
    return click.option(name, metavar="SCHEME", help=f"{extra}{known}.", **usual)


def reading_option(default: str | None = "conlleval") -> Callable[[F], F]:
    """Give the option that names a reading."""
    return click.option(
        "--reading",
        type=click.Choice(_spanrs.readings()),
        default=default,
        show_default=default is not None,
        help="What malformed tags mean." + ("" if default else " Without it malformed tags are an error."),
    )


def format_option(function: F) -> F:
    """Add the option that says how a column file is laid out; it arrives as file_format."""
    return click.option(
        "--format",
        "file_format",
        type=click.Choice(["auto", "columns", "conllu"]),
        default="auto",
        show_default=True,
        help="Of column files. columns: one token a line, blank lines between sentences (CoNLL 2003 and others); "
        "conllu: CoNLL-U. auto finds out, and refuses JSON, XML and others.",
    )(function)


def column_options(function: F) -> F:
    """Add the options that say where things stand in a file; they arrive as columns and dialect."""

    @format_option
    @place_options
    @click.option(
        "--tag-separator", default="-", show_default=True, help="Between prefix and type of a tag."
    )
    @click.option("--suffix", is_flag=True, help="The prefix stands behind the type: PER-B.")
    @wraps(function)
    def wrapped(
        *args: Any, file_format: str, columns: Columns, tag_separator: str, suffix: bool, **kwargs: Any
    ) -> Any:
        dialect = Dialect(separator=tag_separator, suffix=suffix)
        return function(*args, columns=columns._replace(format=file_format), dialect=dialect, **kwargs)

    return wrapped  # type: ignore[return-value]  # click takes any callable


def place_options(function: F) -> F:
    """Add the options that say in which columns things stand; they arrive as columns."""

    @click.option(
        "--separator",
        default="auto",
        show_default=True,
        help="Between columns: auto, whitespace, tab, space, or one character.",
    )
    @click.option(
        "--column",
        type=COLUMNS,
        default=-1,
        show_default=True,
        help="Column of the tags, from 0; negative from the last. In CoNLL-U also the name of a column or a key of "
        "MISC. spanrs score takes several with commas: layers of nested annotations.",
    )
    @click.option("--token-column", type=COLUMN, default=0, show_default=True, help="Column of the tokens.")
    @click.option(
        "--comments",
        default="auto",
        show_default=True,
        help="Lines to skip: auto (# before a sentence), none, or what they begin with.",
    )
    @wraps(function)
    def wrapped(
        *args: Any, separator: str, column: Any, token_column: int | str, comments: str, **kwargs: Any
    ) -> Any:
        columns = Columns(separator=separator, comments=comments, token=token_column, tag=column)
        return function(*args, columns=columns, **kwargs)

    return wrapped  # type: ignore[return-value]  # click takes any callable


class _StandardInput:
    """Standard input under the name messages give it."""

    name = "<stdin>"

    def read(self, size: int = -1) -> bytes:
        if sys.stdin is None:
            raise OSError(errno.EBADF, "standard input is closed")
        return sys.stdin.buffer.read(size)


def source(path: str) -> Source:
    """Give the file a user names; ``-`` is standard input."""
    return _StandardInput() if path == "-" else path  # type: ignore[return-value]


@contextmanager
def progress(paths: list[str]) -> Iterator[Callable[[int], None] | None]:
    """Show how far the reading of large files is, where standard error is a terminal."""
    size = sum(Path(path).stat().st_size for path in paths if Path(path).is_file())
    if size < LARGE or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    bar = Progress(
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("reading", total=size)
        yield lambda done: bar.update(task, completed=done)


def standard_output() -> IO[bytes]:
    """Give standard output for bytes."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed")
    return sys.stdout.buffer


def print_warnings(results: Mapping[str, Any]) -> None:
    """Print the warnings and notes of results on standard error, those of all systems once."""
    found: dict[str, list[str]] = {name: result.warnings for name, result in results.items()}
    first = next(iter(found.values()), [])
    common = [message for message in first if all(message in own for own in found.values())]
    for message in common:
        print_warning(message)
    for name, own in found.items():
        for message in own:
            if message not in common:
                print_warning(message, name)
    for result in results.values():
        for message in result.notes:
            click.echo(f"spanrs: note: {message}", err=True)


def note_same_file(gold: str, pred: str) -> None:
    """Print a note where gold and pred are one file."""
    if same_file(gold, pred):
        click.echo(f"spanrs: note: gold and pred are the same file, {pred}", err=True)


def require_types(wanted: Collection[str], there: Collection[str]) -> None:
    """Refuse types none of which occurs, and say which of several do not."""
    missing = sorted(set(wanted) - set(there))
    if wanted and len(missing) == len(set(wanted)):
        # Fair matching does not read other types.
        known = f"; types of the files: {', '.join(sorted(there)[:20])}" if there else ""
        raise click.ClickException(f"no span has type {' or '.join(missing)}{known}")
    for name in missing:
        click.echo(f"spanrs: note: no span has type {name}", err=True)


def echo_table(text: str) -> None:
    """Print a table; rules are the one thing in it that a narrow encoding may lack."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    rule = "─".encode(encoding, "replace").decode(encoding)
    click.echo(text.replace("─", "-") if rule != "─" else text)
