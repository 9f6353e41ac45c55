"""``spanrs conlleval``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click

from spanrs import _spanrs
from spanrs.cli.options import progress, source, standard_output
from spanrs.errors import FormatError
from spanrs.report import conlleval as report

#: Bytes read at a time.
PIECE = 1 << 20

#: Exit status of the script where it dies.
DIED = 255


class _Settings:
    """What the arguments of the script say; it reads them from left to right until one is no option."""

    def __init__(self) -> None:
        self.latex = False
        self.raw = False
        self.delimiter = b" "
        self.outside = b"O"
        self.file: str | None = None

    def read(self, arguments: Sequence[str]) -> None:
        rest = list(arguments)
        while rest and rest[0].startswith("-") and rest[0] != "-":
            option = rest.pop(0)
            if option == "-l":
                self.latex = True
            elif option == "-r":
                self.raw = True
            elif option in ("-d", "-o"):
                if not rest:
                    raise _DiedError(f"conlleval: {option} requires delimiter character")
                value = os.fsencode(rest.pop(0))
                if option == "-d":
                    self.delimiter = value
                else:
                    self.outside = value
            else:
                raise _DiedError(f"conlleval: unknown argument {option}")
        if len(rest) > 1:
            raise _DiedError("conlleval: unexpected command line argument")
        self.file = rest[0] if rest else None


class _DiedError(Exception):
    """The script would stop with these words."""

    def __init__(self, words: str | bytes, status: int = DIED) -> None:
        super().__init__(words)
        self.words = os.fsencode(words) if isinstance(words, str) else words
        self.status = status


class _Filter(click.Command):
    """A command that takes its options as the script does: ``-lr`` is unknown, ``-d -l`` a delimiter."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] in ("-h", "--help"):
            return super().parse_args(ctx, args)
        ctx.params["arguments"] = tuple(args)
        return []


@click.command(cls=_Filter, add_help_option=True)
@click.argument("arguments", nargs=-1, metavar="[-l] [-r] [-d DELIMITER] [-o TAG] [FILE]")
@click.pass_context
def command(ctx: click.Context, arguments: tuple[str, ...]) -> None:
    r"""Write what conlleval.pl (2004-01-26) writes, byte for byte.

    Reads FILE, or standard input: one token a line, gold tag in the last column but one, pred tag in the
    last, empty lines between sentences.

    \b
    -l            a LaTeX table
    -r            tags are types without prefixes, each token a span of its own
    -d DELIMITER  between columns; one blank if not given, a pattern as in the script
    -o TAG        the tag of tokens outside where tags are raw; O if not given

    Exit status 1 where a line has another number of columns than the first, 255 where the script dies.
    """
    settings = _Settings()
    try:
        settings.read(arguments)
        output = _evaluate(settings)
    except _DiedError as died:
        stderr = getattr(sys.stderr, "buffer", None)
        if stderr is None:
            click.echo(os.fsdecode(died.words), err=True)
        else:
            stderr.write(died.words + b"\n")
            stderr.flush()
        ctx.exit(died.status)
    out = standard_output()
    out.write(output)
    out.flush()


# The sign by which click leaves line breaks alone, which a docstring can only spell.
command.help = (command.help or "").replace(r"\b", "\b")


def _evaluate(settings: _Settings) -> bytes:
    try:
        counter = _spanrs.Conlleval(
            "perl", settings.delimiter, b"-X-", settings.outside, settings.raw, False
        )
    except FormatError:
        given = settings.delimiter
        raise _DiedError(
            b"conlleval: the delimiter " + given + b" is no pattern; write \\ before it"
        ) from None
    name = settings.file or "-"
    with progress([name]) as bar:
        read = 0
        try:
            for piece in _pieces(name):
                counter.feed(piece)
                read += len(piece)
                if bar is not None:
                    bar(read)
            counter.end()
        except FormatError as error:
            if error.code == "no_column":
                words: Any = error
                text: bytes = words.text
                raise _DiedError(b"conlleval: unexpected number of features in line " + text) from None
            raise _DiedError(str(error), 1) from None
    tokens, equal, types, _ = counter.counts()
    rows = dict(types)
    return report.latex(rows) if settings.latex else report.text(tokens, equal, rows)


def _pieces(name: str) -> Iterator[bytes]:
    """Read standard input or a file, a piece at a time; Ctrl-C is seen between two."""
    where = source(name)
    if not isinstance(where, (str, os.PathLike)):
        while piece := where.read(PIECE):
            yield piece
        return
    with open(where, "rb", buffering=0) as file:
        while piece := file.read(PIECE):
            yield piece
