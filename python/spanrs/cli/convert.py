"""``spanrs convert``."""

from __future__ import annotations

from typing import Any

import click

from spanrs.cli import console, options
from spanrs.errors import SchemeError
from spanrs.io import convert

#: Violations listed before the error.
SHOWN = 20


@click.command()
@click.argument("file")
@options.scheme("--from", "source_scheme")
@options.scheme("--to", "target_scheme", default=None)
@options.reading(default=None)
@options.reading_options
@options.output
def command(
    file: str,
    output: str | None,
    source_scheme: str,
    target_scheme: str,
    reading: str | None,
    read: dict[str, Any],
) -> None:
    """Copy FILE with its tags converted; every other byte stays as it is.

    Nothing is written unless the whole file can be converted.
    """
    console.check_output(output, (file,))
    try:
        target = console.standard_output() if output in (None, "-") else output
        with console.files_bar(file) as bar:
            convert(
                console.source(file),
                target,
                target_scheme,
                progress=bar,
                scheme=source_scheme,
                **read | ({} if reading is None else {"reading": reading}),
            )
    except SchemeError as error:
        for located in error.located[1:SHOWN]:
            console.echo(f"{error.path}:{located.line}: {located.violation}", err=True)
        raise
