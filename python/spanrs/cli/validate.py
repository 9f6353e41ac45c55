"""``spanrs validate``."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import click

from spanrs.cli.options import AMOUNT, column_options, progress, scheme_option, source
from spanrs.io import Columns
from spanrs.tags import validate_file
from spanrs.tags.types import Dialect


@click.command()
@click.argument("file")
@scheme_option()
@column_options
@click.option(
    "--most",
    type=AMOUNT,
    default=100,
    show_default=True,
    help="Violations to list; all are counted.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(file: str, scheme: str, columns: Columns, dialect: Dialect, most: int, as_json: bool) -> None:
    """List the tags of FILE that do not conform to their scheme, each with its line.

    Exit status 0 where there are none, 1 where there are, 2 where the file cannot be read.
    """
    with progress([file]) as bar:
        report = validate_file(
            source(file), scheme, columns=columns, dialect=dialect, max_violations=most, progress=bar
        )
    if as_json:
        first = [{"line": line} | asdict(row) for line, row in report.located]
        for row in first:
            del row["action"]  # Nothing was done: the file was only looked at.
        everything = {
            "scheme": report.scheme,
            "sentences": report.sentences,
            "tokens": report.tokens,
            "count": report.count,
            "kinds": report.kinds,
            "warnings": report.warnings,
            "first": first,
        }
        click.echo(json.dumps(everything, ensure_ascii=False))
    else:
        name = "<stdin>" if file == "-" else file
        for line, violation in report.located:
            click.echo(f"{name}:{line}: {violation}")
        if report.count > len(report.located):
            click.echo(f"and {report.count - len(report.located)} more")
        kinds = ", ".join(f"{kind} {n}" for kind, n in report.kinds.items())
        many = "violation" if report.count == 1 else "violations"
        click.echo(
            f"{name}: {report.count} {many} of {report.scheme}, {report.sentences} sentences, "
            f"{report.tokens} tokens" + (f" ({kinds})" if kinds else "")
        )
    if report.count:
        sys.stdout.flush()
        click.get_current_context().exit(1)
