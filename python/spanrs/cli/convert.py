"""``spanrs convert``."""

from __future__ import annotations

from typing import Any

from spanrs.cli import _generated, console, options
from spanrs.cli.output_files import check_outputs
from spanrs.errors import SchemeError
from spanrs.io import convert

#: Number of violations listed before the error.
SHOWN = 20


@_generated.convert
@options.read_arguments
def command(
    file: str,
    output_path: str | None,
    scheme: str,
    to_scheme: str,
    reading: str | None,
    read: dict[str, Any],
) -> None:
    """Copy FILE with its tags converted; all other bytes stay unchanged.

    Nothing is written unless the whole file can be converted.
    """
    check_outputs([("-o", output_path)], [file])
    try:
        with console.files_bar(file) as bar:
            convert(
                console.source(file),
                console.target(output_path),
                to_scheme,
                progress=bar,
                scheme=scheme,
                **options.with_reading(read, reading),
            )
    except SchemeError as error:
        for located in error.located[1:SHOWN]:
            console.echo(f"{error.path}:{located.line}: {located.violation}", err=True)
        raise
