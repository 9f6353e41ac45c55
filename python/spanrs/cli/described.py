"""Commands and options created from descriptions (tools/options.toml), with their help."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import click

#: Maximum number of lines of ``--help``; if more are needed, rare options are shown only by ``--help-all``.
HELP_LINES = 60
#: Maximum length of the choices that --help shows.
CHOICES_WIDTH = 65
#: Width of the column with the names of options.
NAME_COLUMNS = 24


class Option(click.Option):
    """An option with the heading under which it is shown."""

    def __init__(self, *declarations: str, group: str, rare: bool = False, **settings: Any) -> None:
        super().__init__(declarations, **settings)
        self.group, self.rare = group, rare

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the names with the metavar, and the help with choices and default."""
        if self.hidden:
            return None
        metavar = "" if self.is_flag and self.metavar is None else f" {self.metavar}"
        names = ", ".join(self.opts) + metavar
        notes = []
        choices: Sequence[Any] = self.type.choices if isinstance(self.type, click.Choice) else ()
        if sum(map(len, choices)) <= CHOICES_WIDTH and choices:
            notes.append(", ".join(choices))
        if self.name in getattr(ctx.command, "required", ()):
            notes.append("required")
        if isinstance(self.show_default, str):
            notes += [f"default: {self.show_default}"] if self.show_default else []
        elif not self.is_flag and isinstance(self.default, (str, int, float)):
            notes.append(f"default: {self.default}")
        return names, (self.help or "") + (f" [{'; '.join(notes)}]" if notes else "")


#: Creates an option from its description, when its command is created.
OptionMaker = Callable[[], Option]


def option(*declarations: str, **settings: Any) -> OptionMaker:
    """Describe an option; options are created only for the commands that are imported."""
    return partial(Option, *declarations, **settings)


def argument(name: str, **settings: Any) -> Callable[[], click.Argument]:
    """Describe a positional argument."""
    return partial(click.Argument, [name], **settings)


class Command(click.Command):
    """A command whose help shows options under headings.

    Parameters
    ----------
    formats : sequence of str
        The formats that ``--to`` accepts for this command.
    required : sequence of str
        Parameters whose options are required for this command.
    choices : mapping of str to sequence of str
        The values that this command accepts for an option, if they are not those of the option's description.
    """

    def __init__(
        self,
        *arguments: Any,
        formats: Sequence[str] = (),
        required: Sequence[str] = (),
        choices: Mapping[str, Sequence[str]] = MappingProxyType({}),
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.formats, self.required = tuple(formats), tuple(required)
        accepted = {"--to": self.formats} | {f"--{name}": values for name, values in choices.items()}
        for param in self.params:
            if values := accepted.get(param.opts[-1]):
                param.type = click.Choice(values)
        self._shows_rare = True
        if any(getattr(param, "rare", False) for param in self.params):
            self.params.append(
                Option(
                    "--help-all",
                    group="Help",
                    help="Show all options and exit.",
                    is_flag=True,
                    is_eager=True,
                    expose_value=False,
                    callback=_print_whole_help,
                )
            )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and raise an error if a required option is missing."""
        rest = super().parse_args(ctx, args)
        for param in self.params:
            if param.name in self.required and ctx.params.get(param.name) is None:
                raise click.MissingParameter(ctx=ctx, param=param, param_type="option")
        return rest

    def get_help(self, ctx: click.Context) -> str:
        """Return the help, without rare options if it would be too long."""
        text = self.whole_help(ctx)
        if text.count("\n") < HELP_LINES:
            return text
        self._shows_rare = False
        try:
            return super().get_help(ctx)
        finally:
            self._shows_rare = True

    def whole_help(self, ctx: click.Context) -> str:
        """Return the help with all options."""
        return super().get_help(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings, in the order of the description."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None and (self._shows_rare or not getattr(param, "rare", False)):
                groups.setdefault(getattr(param, "group", "Help"), []).append(record)
        groups["Help"] = groups.pop("Help")
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(_padded(records), col_max=NAME_COLUMNS)


def _padded(records: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pad the first name, so that the columns of all groups have the same width."""
    (name, text), *rest = records
    return [(name.ljust(NAME_COLUMNS), text), *rest]


def _print_whole_help(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and isinstance(ctx.command, Command):
        click.echo(ctx.command.whole_help(ctx))
        ctx.exit()


def command(
    name: str,
    *,
    options: Sequence[OptionMaker],
    arguments: Sequence[Callable[[], click.Argument]] = (),
    **settings: Any,
) -> Callable[..., Any]:
    """Describe a command; the result is a decorator for the function that runs the command."""

    def decorate(function: Callable[..., Any], *, cls: type[Command] = Command, **more: Any) -> Command:
        params = [make() for make in (*arguments, *options)]
        return click.command(name, cls=cls, params=params, **settings, **more)(function)

    return decorate
