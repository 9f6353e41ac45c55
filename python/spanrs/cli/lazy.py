"""Groups of commands whose modules are imported when the commands are run."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is run.

    Parameters
    ----------
    commands_help : dict of str to str
        Help text of each command.
    modules : dict of str to str
        The module of each command.
    attributes : dict of str to str, optional
        Name of the command in its module, if not ``command``.
    """

    def __init__(
        self,
        *args: Any,
        commands_help: dict[str, str],
        modules: dict[str, str],
        attributes: Mapping[str, str] = MappingProxyType({}),
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        self._help, self._modules, self._attributes = commands_help, modules, attributes

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self._help)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command."""
        if cmd_name not in self._modules:
            return None
        module = importlib.import_module(self._modules[cmd_name])
        command: click.Command = getattr(module, self._attributes.get(cmd_name, "command"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; for an unknown name, suggest a similar one."""
        if args[0] in self._modules or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        # Lazy: rarely used.
        from difflib import get_close_matches

        if args[0] == "agreement":
            raise click.UsageError("the command is spanrs agreement, without crowd", ctx)
        similar = get_close_matches(args[0], self._modules, 1)
        hint = f"did you mean {similar[0]}?" if similar else f"expected one of {', '.join(self._modules)}"
        raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the commands without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self._help.items()))
