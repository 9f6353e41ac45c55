"""Creates matchers from options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from spanrs.cli._generated import MATCHER_PARAMETERS
from spanrs.cli.options import flag
from spanrs.eval.matcher import Matcher
from spanrs.eval.matchers import EXCLUDED, from_dict


def take_matcher(name: str, given: dict[str, Any], **more: Any) -> Matcher:
    """Remove the options of matchers from ``given`` and create the matcher.

    Parameters
    ----------
    name : str
        The matcher.
    given : dict
        The options of the command by parameter.
    **more
        Further options of the matcher; None values are ignored.

    Raises
    ------
    click.UsageError
        For options of other matchers.
    """
    options = take_options(name, given)
    if "exclude" in options:
        options["exclude"] = list(dict.fromkeys([*flattened(options["exclude"]), *EXCLUDED]))
    options |= {key: value for key, value in more.items() if value is not None}
    if "skip" in options:
        options["skip"] = list(flattened(options["skip"]))
    if isinstance(options.get("hierarchy"), Path):
        # Lazy: rarely used.
        from spanrs.cli.hierarchy_file import read_hierarchy

        options["hierarchy"] = read_hierarchy(options["hierarchy"])
    if "level_of_types" in options:
        options["level"] = options.pop("level_of_types")
    if "focus" in options:
        from spanrs.compat.faireval import fair_config

        options["focus"] = fair_config.focus(options["focus"])
    return from_dict({"name": name} | options)


def take_options(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of matchers from ``given``; return the options that have a value.

    Raises
    ------
    click.UsageError
        For options of other matchers.
    """
    keys = dict.fromkeys(key for keys in MATCHER_PARAMETERS.values() for key in keys if key in given)
    options = {key: given.pop(key) for key in keys}
    options = {key: value for key, value in options.items() if not _is_empty(value)}
    for key in options:
        owners = [owner for owner, keys in MATCHER_PARAMETERS.items() if key in keys]
        if name not in owners:
            raise click.UsageError(f"{flag(key)} requires --matcher {' or '.join(owners)}")
    return {key: value for key, value in options.items() if value != ""}


def _is_empty(value: Any) -> bool:
    """Return whether an option was not given; 0 is a value."""
    return value is None or value is False or value == ()


def flattened(names: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the names in the values of a repeatable option that takes lists."""
    return (name for part in names for name in part)
