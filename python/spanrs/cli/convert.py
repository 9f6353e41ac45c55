"""``spanrs convert``."""

from __future__ import annotations

import os
from typing import Any

import click

from spanrs.cli import _generated, console, options
from spanrs.cli.output_files import check_outputs
from spanrs.cli.run import explained
from spanrs.errors import FormatError, SchemeError, with_code
from spanrs.io import convert, read, write

#: Number of violations listed before the error.
SHOWN = 20


@_generated.convert
@options.read_arguments
def command(
    file: str,
    output_path: str | None,
    to: str | None,
    lossy: bool,
    scheme: str,
    to_scheme: str | None,
    reading: str | None,
    read: dict[str, Any],
) -> None:
    """Convert FILE to another format (--to), or its tags to another scheme (--to-scheme).

    FILE is a file, a directory, a quoted pattern, a zip archive, or "-" for standard input. With --to, what the format
    cannot represent is listed; nothing is written unless --lossy is given. Several documents in a format with one
    document per file are written to a directory.

    With --to-scheme alone, tags are converted, and all other bytes stay unchanged. Nothing is written unless the whole
    file can be converted.
    """
    # Several documents may be written to an empty directory.
    if to is None or output_path is None or not os.path.isdir(output_path):
        check_outputs([("-o", output_path)], [file])
    arguments = options.with_reading(read, reading)
    if to is not None:
        _to_format(file, output_path, to, lossy, scheme, to_scheme, arguments)
    elif to_scheme is None:
        raise click.UsageError("choose a format with --to, or a scheme with --to-scheme")
    elif lossy:
        raise click.UsageError("--lossy needs a format (--to)")
    else:
        _to_scheme(file, output_path, scheme, to_scheme, arguments)


def _to_format(
    file: str,
    output_path: str | None,
    to: str,
    lossy: bool,
    scheme: str,
    to_scheme: str | None,
    arguments: dict[str, Any],
) -> None:
    if scheme != "auto":
        arguments = arguments | {"scheme": scheme}
    target = console.target(output_path)
    try:
        with explained(), console.counting_bar("documents") as bar:
            corpus = read(console.source(file), **arguments)
            written = write(corpus, target, to=to, scheme=to_scheme, lossy=lossy, progress=bar)
    except FormatError as error:
        if error.code != "lossy":
            raise
        for message in error.left_out:
            console.echo(f"not written to {to}: {message}", err=True)
        raise with_code(
            FormatError(f"{to} cannot represent everything; pass --lossy to write without it"), "lossy"
        ) from None
    if output_path not in (None, "-"):
        number, unit = (
            written.documents or written.sentences,
            "document" if written.documents else "sentence",
        )
        console.echo(f"{output_path}: {number:,} {unit}{'s' * (number != 1)}, {to}", err=True)


def _to_scheme(
    file: str, output_path: str | None, scheme: str, to_scheme: str, arguments: dict[str, Any]
) -> None:
    try:
        with console.files_bar(file) as bar:
            convert(
                console.source(file),
                console.target(output_path),
                to_scheme,
                progress=bar,
                scheme=scheme,
                **arguments,
            )
    except SchemeError as error:
        for located in error.located[1:SHOWN]:
            console.echo(f"{error.path}:{located.line}: {located.violation}", err=True)
        raise
