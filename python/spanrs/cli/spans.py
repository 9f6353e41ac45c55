"""``spanrs spans``."""

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
from spanrs.io import Columns, atomic_output
from spanrs.tags.files import write_spans_file
from spanrs.tags.types import Dialect


@click.command()
@click.argument("file")
@scheme_option()
@reading_option()
@column_options
@click.option("-o", "--output", type=click.Path(), help="Where to write; standard output if not given.")
def command(
    file: str,
    scheme: str,
    reading: str,
    columns: Columns,
    dialect: Dialect,
    output: str | None,
) -> None:
    """Write the spans of FILE as JSON Lines, one object a sentence.

    Each object has document and sentence (from 0), line (of the first token, from 1), tokens, and spans
    with type, start, end (tokens from 0, end exclusive) and text.
    """
    target = standard_output() if output is None or output == "-" else output
    with progress([file]) as bar, atomic_output(target) as out:
        write_spans_file(source(file), out, scheme, reading, columns=columns, dialect=dialect, progress=bar)
