"""Groups of commands whose modules are imported when they are run."""

from __future__ import annotations

import importlib
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is run.

    Parameters
    ----------
    commands_help : dict of str to str
        Help by command.
    modules : dict of str to str
        The module of each command, which has a ``command``.
    """

    def __init__(
        self, *args: Any, commands_help: dict[str, str], modules: dict[str, str], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._help, self._modules = commands_help, modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the names of the commands."""
        return list(self._help)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in self._modules:
            return None
        command: click.Command = importlib.import_module(self._modules[cmd_name]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._help.items()))
