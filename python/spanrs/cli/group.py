"""The command ``spanrs`` with its subcommands."""

from __future__ import annotations

import click

from spanrs import __version__
from spanrs.cli._generated import SUMMARIES
from spanrs.cli.lazy import LazyGroup
from spanrs.cli.run import CONTEXT

COMMANDS = SUMMARIES[""]


@click.group(
    cls=LazyGroup,
    context_settings=CONTEXT,
    commands_help=COMMANDS,
    modules={name: f"spanrs.cli.{name}" for name in COMMANDS},
)
@click.version_option(__version__, prog_name="spanrs")
def group() -> None:
    """Work with labelled spans of text."""
