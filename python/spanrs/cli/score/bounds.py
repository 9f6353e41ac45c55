"""``--fail-under``: lower bounds of measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spanrs.cli.run import print_message

if TYPE_CHECKING:
    from spanrs.eval import Result


def misses_bounds(results: Mapping[str, Result], bounds: Sequence[tuple[str, float]]) -> bool:
    """Report measures that are undefined or lower than their bounds; return whether there are such measures."""
    messages = []
    for name, result in results.items():
        for measure, bound in bounds:
            value = result.accuracy if measure == "accuracy" else getattr(result.micro, measure)
            if not value >= bound:
                messages.append(f"{name}: {measure} {value:.4f} is lower than {bound:g} (--fail-under)")
    for message in messages:
        print_message("error", message)
    return bool(messages)
