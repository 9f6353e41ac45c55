"""``spanrs conlleval``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import click

from spanrs import _spanrs
from spanrs.cli import console
from spanrs.compat.conlleval import perl
from spanrs.errors import FormatError

#: Number of bytes read at a time.
PIECE = 1 << 20

#: Exit status of the Perl script when it calls ``die``.
DIED = 255


class _DiedError(Exception):
    """The Perl script would stop with this message."""

    def __init__(self, words: str | bytes, status: int = DIED) -> None:
        super().__init__(words)
        self.words = os.fsencode(words)
        self.status = status


class _Filter(click.Command):
    """A command that parses options like the Perl script: ``-lr`` is unknown, ``-d -l`` sets the delimiter ``-l``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] in ("-h", "--help"):
            return super().parse_args(ctx, args)
        ctx.params["arguments"] = tuple(args)
        return []


@click.command(cls=_Filter, add_help_option=True)
@click.argument("arguments", nargs=-1, metavar="[-l] [-r] [-d DELIMITER] [-o TAG] [FILE]")
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    """Reproduce the output of conlleval.pl (2004-01-26), byte for byte.

    Reads FILE, or standard input: one token per line, the gold tag in the second to last column, the pred tag in
    the last column, empty lines between sentences.

    \b
    -l            print a LaTeX table
    -r            tags are types without prefixes, and each token is a span
    -d DELIMITER  separator of columns, a Perl pattern; a space by default
    -o TAG        tag of tokens outside spans with -r; O by default

    Exit status 1 if the number of columns differs between lines, 255 for errors at which the script dies.
    """  # noqa: D301  # \b tells click to keep line breaks
    try:
        output = _evaluate(*_settings(arguments))
    except _DiedError as died:
        _print(died.words + b"\n", err=True)
        ctx.exit(died.status)
    _print(output)


def _print(output: bytes, *, err: bool = False) -> None:
    """Print the output of the script; control characters are escaped on a terminal."""
    if (sys.stderr if err else sys.stdout).isatty():
        console.echo(output.decode(errors="surrogateescape").removesuffix("\n"), err=err)
    else:
        click.echo(output, nl=False, err=err)


def _settings(arguments: Sequence[str]) -> tuple[dict[str, Any], str]:
    """Return the options of the script and the file, which is the first argument that is not an option."""
    settings: dict[str, Any] = {"-l": False, "-r": False, "-d": b" ", "-o": b"O"}
    rest = list(arguments)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option not in settings:
            raise _DiedError(f"conlleval: unknown argument {option}")
        if option in ("-l", "-r"):
            settings[option] = True
        elif rest:
            settings[option] = os.fsencode(rest.pop(0))
        else:
            raise _DiedError(f"conlleval: {option} requires delimiter character")
    if len(rest) > 1:
        raise _DiedError("conlleval: unexpected command line argument")
    return settings, rest[0] if any(rest) else "-"


def _evaluate(settings: dict[str, Any], name: str) -> bytes:
    """Return the output of the script."""
    delimiter = settings["-d"]
    try:
        counter = _spanrs.Conlleval("perl", delimiter, b"-X-", settings["-o"], settings["-r"], False)
    except FormatError:
        message = b"conlleval: the delimiter " + delimiter + b" is not a valid pattern; write \\ before it"
        raise _DiedError(message) from None
    try:
        console.read_files(partial(_feed, counter), name)
    except FormatError as error:
        if error.code == "no_column":
            line: bytes = error.text  # type: ignore[attr-defined]  # set for this code
            raise _DiedError(b"conlleval: unexpected number of features in line " + line) from None
        raise _DiedError(str(error), 1) from None
    tokens, equal, types, _ = counter.counts()
    rows = dict(types)
    return perl.latex(rows) if settings["-l"] else perl.text(tokens, equal, rows)


def _feed(counter: _spanrs.Conlleval, source: Any, progress: Callable[[int], None] | None) -> None:
    """Count a file piece by piece; Ctrl-C is handled between pieces."""
    with open(source, "rb", buffering=0) if isinstance(source, str) else nullcontext(source) as file:
        read = 0
        while piece := file.read(PIECE):
            counter.feed(piece)
            read += len(piece)
            if progress is not None:
                progress(read)
    counter.end()
