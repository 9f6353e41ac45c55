"""``--fail-under``: lower bounds of measures."""

from __future__ import annotations

from collections.abc import Iterable

from spanrs.cli.run import print_message


def misses_bounds(values: Iterable[tuple[str, float, float]]) -> bool:
    """Report values that are undefined or lower than their bounds; return whether there are any.

    Parameters
    ----------
    values : iterable of (str, float, float)
        The name of the system and the measure, the value, and its bound.
    """
    missed = [(what, value, bound) for what, value, bound in values if not value >= bound]
    for what, value, bound in missed:
        print_message("error", f"{what} {value:.4f} is lower than {bound:g} (--fail-under)")
    return bool(missed)
