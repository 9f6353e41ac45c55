"""The integers behind a fair result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Traditional TP, FP, FN; fair TP, FP, FN; BES, BEL, BEO.
ROW = 9


@dataclass
class FairTallies:
    """What fair matching counted; a commutative monoid under :meth:`add`."""

    #: type -> the numbers of :data:`ROW`
    types: dict[str, list[int]] = field(default_factory=dict)
    #: (gold type, pred type) -> labelling errors
    le: Counter[tuple[str, str]] = field(default_factory=Counter)
    #: (gold type, pred type) -> labelling-boundary errors
    lbe: Counter[tuple[str, str]] = field(default_factory=Counter)
    sentences: int = 0

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> FairTallies:
        """Take over what the compiled half counted."""
        return cls(
            {name: list(row) for name, row in state["types"].items()},
            Counter({(gold, pred): n for gold, pred, n in state["le"]}),
            Counter({(gold, pred): n for gold, pred, n in state["lbe"]}),
            state["sentences"],
        )

    def add(self, other: FairTallies) -> None:
        """Add what was counted elsewhere."""
        for name, row in other.types.items():
            mine = self.types.setdefault(name, [0] * ROW)
            for place, n in enumerate(row):
                mine[place] += n
        self.le.update(other.le)
        self.lbe.update(other.lbe)
        self.sentences += other.sentences

    def names(self) -> list[str]:
        """Give all types, sorted."""
        pairs = [*self.le, *self.lbe]
        return sorted({*self.types, *(gold for gold, _ in pairs), *(pred for _, pred in pairs)})
