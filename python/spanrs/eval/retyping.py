"""Other views of what was counted: types renamed or left out, bounds alone, documents with weights.

None of them reads a tag again: spans with equal bounds and different types were counted by pair of types,
which tells what they come to under any other names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import cast

from spanrs.eval.checks import Checks
from spanrs.eval.tallies import Tallies

#: The one type of spans whose types are not looked at.
UNTYPED = "_"

#: Largest weight of a document.
MOST = 1e15

Rename = Callable[[str], "str | None"]


def renaming(types: Mapping[str, str | None] | Collection[str]) -> Rename:
    """Give what a map or a filter of types makes of a type; None leaves it out."""
    if isinstance(types, str):
        message = f"types is a map or a collection of types, not one str; say [{types!r}]"
        raise TypeError(message)
    if isinstance(types, Mapping):
        return lambda name: types.get(name, name)
    kept = frozenset(types)
    return lambda name: name if name in kept else None


def phrase(types: Mapping[str, str | None] | Collection[str]) -> str:
    """Say in a signature what a map or a filter does."""
    if isinstance(types, Mapping):
        return ",".join(f"{old}={new or ''}" for old, new in sorted(types.items()))
    return ",".join(sorted(types))


def renamed(tallies: Tallies, rename: Rename) -> Tallies:
    """Count under other names."""
    view = Tallies(
        sentences=tallies.sentences,
        tokens=tallies.tokens,
        correct_tokens=tallies.correct_tokens,
        checks=tallies.checks,
    )
    for name, row in tallies.types.items():
        new = rename(name)
        if new is not None:
            mine = view.types.setdefault(new, [0, 0, 0])
            for place, n in enumerate(row):
                mine[place] += n
    for (gold, pred), n in tallies.confused.items():
        new_gold, new_pred = rename(gold), rename(pred)
        if new_gold is None or new_pred is None:
            continue
        if new_gold == new_pred:
            view.types[new_gold][2] += n
        else:
            view.confused[new_gold, new_pred] += n
    return view


def untyped(tallies: Tallies) -> Tallies:
    """Count spans by their bounds alone."""
    return renamed(tallies, lambda _: UNTYPED)


def _short(weight: float) -> str:
    text = str(weight) if isinstance(weight, float) or -(10**30) < weight < 10**30 else "a larger one"
    return text[:40]


def weighted(documents: Sequence[Tallies], weights: Sequence[float]) -> Tallies:
    """Add documents, each as often as its weight says."""
    if len(documents) != len(weights):
        message = f"there are {len(documents)} documents and {len(weights)} weights; give one each"
        raise ValueError(message)
    total = Tallies()
    for document, weight in zip(documents, weights, strict=True):
        # Larger weights could overflow to inf.
        if not 0 <= weight <= MOST:
            message = f"a weight is a number from 0 to {MOST:g}, not {_short(weight)}"
            raise ValueError(message)
        # What counts not at all is not there: its types are in no mean. Numbers of numpy become Python's.
        if weight > 0:
            whole = int(weight)
            total.add(document.times(whole if whole == weight else cast("int", float(weight))))
    # Like violations, which they are compared with, checks are of all documents and have no weights.
    total.checks = sum((document.checks for document in documents), Checks())
    return total
