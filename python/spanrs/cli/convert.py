"""``spanrs convert``."""

from __future__ import annotations

import click

from spanrs.cli.options import (
    column_options,
    progress,
    reading_option,
    scheme_option,
    source,
    standard_output,
)
from spanrs.errors import SchemeError
from spanrs.io import Columns
from spanrs.tags import convert_file
from spanrs.tags.types import Dialect

#: Violations listed before the error.
SHOWN = 20


@click.command()
@click.argument("file")
@scheme_option("--from")
@scheme_option("--to", default=None)
@reading_option(default=None)
@column_options
@click.option("-o", "--output", type=click.Path(), help="Where to write; standard output if not given.")
def command(
    file: str,
    columns: Columns,
    dialect: Dialect,
    output: str | None,
    reading: str | None,
    **schemes: str,
) -> None:
    """Copy FILE with its tags converted; every other byte stays as it is.

    Nothing is written unless the whole file can be converted.
    """
    with progress([file]) as bar:
        try:
            convert_file(
                source(file),
                standard_output() if output is None or output == "-" else output,
                schemes["from"],
                schemes["to"],
                reading,
                columns=columns,
                dialect=dialect,
                progress=bar,
            )
        except SchemeError as error:
            rows = zip(error.located, error.violations, strict=True)
            for (line, _), violation in list(rows)[1:SHOWN]:
                click.echo(f"{error.path}:{line}: {violation}", err=True)
            raise
