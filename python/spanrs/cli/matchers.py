"""Options that say how spans are matched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from spanrs import _spanrs
from spanrs.eval.matchers import MATCHINGS, Matcher, from_dict

F = TypeVar("F", bound=Callable[..., Any])

#: Matchers that take options, and which.
OWN = {"fair": ("weights", "focus"), "partial": ("matching", "min_overlap")}


def options(function: F) -> F:
    """Add ``--matcher`` and the options of the matchers; :func:`take_matcher` makes a matcher of them."""
    for option in (
        click.option(
            "--min-overlap",
            type=click.FloatRange(0, 1),
            help="With --matcher partial: the share of the gold span that a pair needs.",
        ),
        click.option(
            "--matching",
            type=click.Choice(MATCHINGS),
            help="With --matcher partial: how pairs are made (greedy).",
        ),
        click.option(
            "--focus", metavar="gold|pred", help="With --matcher fair: whose type LE and LBE count for."
        ),
        click.option(
            "--weights",
            metavar="FORMULAS",
            help="With --matcher fair: paper (the default), default, or formulas, as for spanrs fair.",
        ),
        click.option(
            "--matcher",
            type=click.Choice(_spanrs.matchers()),
            default="exact",
            help="exact: spans of equal type and bounds; partial: spans that overlap; fair: near misses are counted as "
            "what they are.",
        ),
    ):
        function = option(function)
    return function


def take_matcher(name: str, given: dict[str, Any], **more: Any) -> Matcher:
    """Take the options of matchers out of ``given`` and make the matcher; refuse options of others.

    Parameters
    ----------
    name : str
        The matcher.
    given : dict
        The options of the command by name.
    **more
        Further options of the matcher; those that are None are left out.
    """
    found = {key: value for key, value in more.items() if value is not None}
    for owner, names in OWN.items():
        own = {key: given.pop(key) for key in names}
        named = [f"--{key.replace('_', '-')}" for key, value in own.items() if value is not None]
        if named and name != owner:
            verb = "goes" if len(named) == 1 else "go"
            raise click.UsageError(f"{' and '.join(named)} {verb} with --matcher {owner}")
        # Empty values are the defaults.
        found |= {key: value for key, value in own.items() if value}
    if "focus" in found:
        from spanrs.compat.faireval import fair_config

        found["focus"] = fair_config.focus(found["focus"])
    return from_dict({"name": name} | found)
