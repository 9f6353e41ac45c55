"""``spanrs crf template``."""

from __future__ import annotations

import click

from spanrs.cli import _generated
from spanrs.cli.crf.features import columns_read
from spanrs.crf import templates


@_generated.crf_template
def command(name: str | None) -> None:
    """Print the built-in template NAME, to be copied and changed; without NAME, list the templates."""
    built_in = templates()
    if name is None:
        for built_in_name, text in sorted(built_in.items()):
            columns = columns_read(text)
            about = text.splitlines()[0].lstrip("# ")
            click.echo(f"{built_in_name:<10}{columns} column{'s' if columns > 1 else ' '}  {about}")
    elif name in built_in:
        click.echo(built_in[name], nl=not built_in[name].endswith("\n"))
    else:
        raise click.ClickException(f"no template {name!r}; expected one of {', '.join(sorted(built_in))}")
