"""``spanrs convert``."""

from __future__ import annotations

from typing import Any

import click

from spanrs.cli import console, options
from spanrs.errors import SchemeError
from spanrs.tags import convert_file

#: Violations listed before the error.
SHOWN = 20


@click.command()
@click.argument("file")
@options.scheme("--from", "source_scheme")
@options.scheme("--to", "target_scheme", default=None)
@options.reading(default=None)
@options.columns
@options.output
def command(file: str, output: str | None, **given: Any) -> None:
    """Copy FILE with its tags converted; every other byte stays as it is.

    Nothing is written unless the whole file can be converted.
    """
    console.check_output(output, (file,))
    try:
        target = console.standard_output() if output in (None, "-") else output
        console.read_files(convert_file, file, target_path=target, **given)
    except SchemeError as error:
        rows = zip(error.located, error.violations, strict=True)
        for (line, _), violation in list(rows)[1:SHOWN]:
            console.echo(f"{error.path}:{line}: {violation}", err=True)
        raise
