"""``spanrs dep templates``."""

from __future__ import annotations

import click

from spanrs import _spanrs
from spanrs.cli import _generated


@_generated.dep_templates
def command() -> None:
    """Print the feature templates of the parser, to be changed and used with dep train --features FILE."""
    click.echo(_spanrs.dep_templates(), nl=False)
