"""``spanrs spans``."""

from __future__ import annotations

from typing import Any

import click

from spanrs.cli import console, options
from spanrs.cli.console import standard_output
from spanrs.io import atomic_output
from spanrs.io.tagged_files import write_spans


@click.command()
@click.argument("file")
@options.scheme()
@options.reading()
@options.reading_options
@options.output
def command(file: str, output: str | None, scheme: str, reading: str, read: dict[str, Any]) -> None:
    """Write the spans of FILE as JSON Lines, one object a sentence.

    Each object has document and sentence (from 0), line (of the first token, from 1), tokens, and spans
    with type, start, end (tokens from 0, end exclusive) and text.
    """
    console.check_output(output, (file,))
    target = standard_output() if output in (None, "-") else output
    with atomic_output(target) as out, console.files_bar(file) as bar:
        write_spans(console.source(file), out, progress=bar, scheme=scheme, reading=reading, **read)
