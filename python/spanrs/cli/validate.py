"""``spanrs validate``."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from spanrs.cli import console, options
from spanrs.tags import validate_file


@click.command()
@click.argument("file")
@options.scheme()
@options.columns
@click.option(
    "--most", "max_violations", type=options.COUNT, default=100, help="Violations to list; all are counted."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(file: str, as_json: bool, **given: Any) -> None:
    """List the tags of FILE that do not conform to their scheme, each with its line.

    Exit status 0 where there are none, 1 where there are, 2 where the file cannot be read.
    """
    report = console.read_files(validate_file, file, **given)
    if as_json:
        everything = asdict(report)
        first = [{"line": line} | violation for line, violation in everything.pop("located")]
        for row in first:
            del row["action"]  # Nothing was done: the file was only looked at.
        click.echo(json.dumps(everything | {"first": first}, ensure_ascii=False))
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
