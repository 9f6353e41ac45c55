"""The command ``spanrs`` with its subcommands."""

from __future__ import annotations

import importlib

import click

from spanrs import __version__
from spanrs.cli.run import CONTEXT

#: Command -> what it does. The modules are imported only when they are needed.
COMMANDS = {
    "score": "Score tagged files: precision, recall, F1 of exact spans.",
    "fair": "Evaluate spans fairly: every mistake once, as what it is.",
    "validate": "List the tags that do not conform to their scheme.",
    "convert": "Convert the tags of a file from one scheme to another.",
    "spans": "Write the spans of a tagged file as JSON Lines.",
    "mat": "Score annotated documents as MITRE's MATScore does.",
    "conlleval": "Write what conlleval.pl writes, byte for byte.",
}


class _Lazy(click.Group):
    """A group that imports a command's module when the command is run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"spanrs.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=_Lazy, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="spanrs")
def group() -> None:
    """Work with labelled spans of text."""
