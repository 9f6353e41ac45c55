"""``spanrs spans``."""

from __future__ import annotations

from typing import Any

from spanrs.cli import _generated, console, options
from spanrs.cli.output_files import check_outputs
from spanrs.io import atomic_output
from spanrs.io.tagged_files import write_spans


@_generated.spans
@options.read_arguments
def command(
    file: str, output_path: str | None, scheme: str, reading: str | None, read: dict[str, Any]
) -> None:
    """Write the spans of FILE as JSON Lines, one object per sentence.

    Each object has the members document and sentence (from 0), line (of the first token, from 1), tokens, and spans,
    each with type, start, end (token indices from 0, end exclusive) and text.
    """
    check_outputs([("-o", output_path)], [file])
    with atomic_output(console.target(output_path)) as out, console.files_bar(file) as bar:
        write_spans(
            console.source(file), out, progress=bar, scheme=scheme, **options.with_reading(read, reading)
        )
