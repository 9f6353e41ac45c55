"""``spanrs merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from spanrs.cli import _generated, console, options
from spanrs.cli.output import Output, table_output
from spanrs.cli.run import print_message
from spanrs.cli.score import show
from spanrs.errors import FormatError, SchemeError, with_code
from spanrs.eval import Result
from spanrs.eval.settings import merged_settings
from spanrs.eval.shards import check_repeated
from spanrs.io import atomic_output
from spanrs.threads import thread_count


@_generated.merge
@table_output
def command(
    paths: tuple[str, ...],
    save: str | None,
    max_violations: int | None,
    untyped: bool,
    intervals: bool,
    short_signature: bool,
    threads: int,
    output: Output,
    **given: Any,
) -> None:
    """Merge COUNTS that spanrs score --save wrote, and show the combined result.

    The counts do not depend on the order of the files; sentences are numbered, and violations are listed, in this
    order. Merging shards in the order of their names gives the same bytes as scoring all shards at once.
    """
    output.check(paths, ("--save", save))
    options.refuse_without("intervals", show.INTERVAL_PARAMETERS)
    repeated = sorted({name for name in paths if paths.count(name) > 1})
    if repeated:
        raise click.UsageError(f"{repeated[0]} is given twice and would be counted twice")
    results = {path: read_counts(path) for path in paths}
    _check_repeated(results)
    first, *rest = results.values()
    _check_settings(results)
    whole = first.merge(*rest)
    if save is not None:
        with atomic_output(save) as out:
            out.write(whole.to_bytes())
    if output.to == "html" and len(whole.counts) < 2:
        print_message(
            "note",
            "intervals need per-sentence rows, which these counts do not have; save them with --by-sentence",
        )
    name = paths[0] if len(paths) == 1 else f"{len(paths)} files"
    console.print_warnings({name: whole})
    if max_violations is None:
        max_violations = show.LISTED
    options_of = show.IntervalOptions(**given, threads=thread_count(threads))
    shown = show.Shown(max_violations, untyped, None, options_of if intervals else None, short_signature)
    show.show_one(whole, ("gold", "pred"), shown, output)


def read_counts(path: str) -> Result:
    """Read a saved result.

    Raises
    ------
    OSError, spanrs.errors.FormatError
        If the file cannot be read; the message contains the path.
    """
    stored = console.standard_input().read() if path == "-" else Path(path).read_bytes()
    try:
        return Result.from_bytes(stored)
    except FormatError as error:
        located = with_code(
            FormatError(f"{path}: {error}; expected a file written by spanrs score --save"), "damaged"
        )
        located.path = path
        raise located from None


def _check_repeated(results: dict[str, Result]) -> None:
    """Refuse files with the same rows, because these rows would be counted twice."""
    seen: dict[str, str] = {}
    without_rows: dict[bytes, str] = {}
    for path, result in results.items():
        named = check_repeated(path, result, seen)
        # Counts without rows may be equal by chance.
        if not named and (equal := without_rows.setdefault(result.counts.to_bytes(), path)) != path:
            print_message("note", f"{equal} and {path} have equal counts; check that their inputs differ")


def _check_settings(results: dict[str, Result]) -> None:
    """Raise an error with the names of the files if settings differ."""
    (first_path, first), *rest = results.items()
    for path, result in rest:
        try:
            merged_settings(first.settings, result.settings)
        except SchemeError as error:
            hint = (
                "; use the same options, such as --scheme, for all files"
                if error.code == "signature"
                else ""
            )
            raise with_code(SchemeError(f"{first_path} and {path}: {error}{hint}"), error.code) from None
