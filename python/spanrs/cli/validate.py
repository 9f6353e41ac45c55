"""``spanrs validate``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from spanrs.cli import _generated, console, options
from spanrs.cli.output import Output, Rendered, table_output
from spanrs.io import FileReport, validate
from spanrs.report.table import Table

#: Default number of violations that are listed; all violations are counted.
LISTED = 100


@_generated.validate
@options.read_arguments
@table_output
def command(
    file: str, output: Output, scheme: str, max_violations: int | None, read: dict[str, Any]
) -> None:
    """List the tags of FILE that do not conform to their scheme, each with its line.

    Exit status: 0 no violations; 1 violations; 2 the file cannot be read.
    """
    output.check([file])
    if max_violations is None:
        max_violations = LISTED
    report = console.read_files(validate, file, scheme=scheme, max_violations=max_violations, **read)
    name = "<stdin>" if file == "-" else file
    output.write(lambda to: _rendered(report, name, to))
    if report.count:
        click.get_current_context().exit(1)


def _rendered(report: FileReport, name: str, to: str) -> Rendered:
    """Render the violations and their counts in a format."""
    if to == "json":
        return _json(report)
    if to == "text":
        located = (f"{name}:{line}: {violation}" for line, violation in report.located)
        return "\n".join([*located, *_summary(report, name)])
    table = Table(["line", "kind", "previous tag", "tag", "next tag"], left=5, title="Violations")
    for line, violation in report.located:
        tags = (violation.previous, violation.current, violation.next)
        table.add_row(str(line), violation.kind, *(tag or "" for tag in tags))
    return [table, *_summary(report, name)]


def _summary(report: FileReport, name: str) -> Iterator[str]:
    """Yield the lines below the violations."""
    if report.count > len(report.located):
        yield f"and {report.count - len(report.located)} more"
    kinds = ", ".join(f"{kind} {n}" for kind, n in report.kinds.items())
    many = "violation" if report.count == 1 else "violations"
    yield (
        f"{name}: {report.count} {many} of {report.scheme}, {report.sentences} sentences, "
        f"{report.tokens} tokens" + (f" ({kinds})" if kinds else "")
    )


def _json(report: FileReport) -> str:
    everything = asdict(report)
    first = [{"line": line} | violation for line, violation in everything.pop("located")]
    for row in first:
        del row["action"]  # The file was only validated, so there is no action.
    return json.dumps(everything | {"first": first}, ensure_ascii=False)
