"""``spanrs crf template``."""

from __future__ import annotations

import click

from spanrs.cli import _generated
from spanrs.cli.crf.features import columns_read
from spanrs.crf import templates


@_generated.crf_template
def command(name: str | None) -> None:
    """Print the built-in template NAME, to be copied and changed; without NAME list them."""
    known = templates()
    if name is None:
        for one, text in sorted(known.items()):
            columns = columns_read(text)
            about = text.splitlines()[0].lstrip("# ")
            click.echo(f"{one:<10}{columns} column{'s' if columns > 1 else ' '}  {about}")
    elif name in known:
        click.echo(known[name], nl=not known[name].endswith("\n"))
    else:
        raise click.ClickException(f"no template {name!r}; there are {', '.join(sorted(known))}")
