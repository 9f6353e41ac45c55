"""Matchers that options describe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from spanrs.cli._generated import MATCHER_PARAMETERS
from spanrs.eval.matchers import EXCLUDED, Matcher, from_dict


def take_matcher(name: str, given: dict[str, Any], **more: Any) -> Matcher:
    """Take the options of matchers out of ``given`` and make the matcher.

    Parameters
    ----------
    name : str
        The matcher.
    given : dict
        The options of the command by parameter.
    **more
        Further options of the matcher; those that are None are left out.

    Raises
    ------
    click.UsageError
        For options of other matchers.
    """
    options = take_options(name, given)
    if name == "mat":
        raise click.UsageError("--matcher mat is for spanrs score")
    if "exclude" in options:
        options["exclude"] = list(dict.fromkeys([*flattened(options["exclude"]), *EXCLUDED]))
    options |= {key: value for key, value in more.items() if value is not None}
    if "focus" in options:
        from spanrs.compat.faireval import fair_config

        options["focus"] = fair_config.focus(options["focus"])
    return from_dict({"name": name} | options)


def take_options(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Take the options of matchers out of ``given``; return those that have a value.

    Raises
    ------
    click.UsageError
        For options of other matchers.
    """
    keys = dict.fromkeys(key for keys in MATCHER_PARAMETERS.values() for key in keys if key in given)
    options = {key: given.pop(key) for key in keys}
    options = {key: value for key, value in options.items() if not _is_empty(value)}
    for owner, keys_of_owner in MATCHER_PARAMETERS.items():
        misplaced = [
            key for key in keys_of_owner if key in options and key not in MATCHER_PARAMETERS.get(name, ())
        ]
        if misplaced:
            names = " and ".join(f"--{key.replace('_', '-')}" for key in misplaced)
            raise click.UsageError(
                f"{names} {'goes' if len(misplaced) == 1 else 'go'} with --matcher {owner}"
            )
    return {key: value for key, value in options.items() if value != ""}


def _is_empty(value: Any) -> bool:
    """Return whether an option was not given; 0 is a value."""
    return value is None or value is False or value == ()


def flattened(names: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the names of an option that takes lists and can be repeated."""
    return (name for part in names for name in part)
