"""The integers behind a result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spanrs.eval.checks import Checks


@dataclass
class Tallies:
    """What was counted; a commutative monoid under :meth:`add`."""

    #: type -> [spans of gold, spans of pred, spans of both]
    types: dict[str, list[int]] = field(default_factory=dict)
    #: (gold type, pred type) -> pairs of spans with equal bounds and different types
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    sentences: int = 0
    tokens: int = 0
    correct_tokens: int = 0
    checks: Checks = field(default_factory=Checks)

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Tallies:
        """Take over what the compiled half counted."""
        return cls(
            {name: list(row) for name, row in state["types"].items()},
            Counter({(gold, pred): n for gold, pred, n in state["confused"]}),
            state["sentences"],
            state["tokens"],
            state["correct_tokens"],
            Checks.from_state(state),
        )

    def add(self, other: Tallies) -> None:
        """Add what was counted elsewhere."""
        for name, row in other.types.items():
            mine = self.types.setdefault(name, [0, 0, 0])
            for place, n in enumerate(row):
                mine[place] += n
        self.confused.update(other.confused)
        self.sentences += other.sentences
        self.tokens += other.tokens
        self.correct_tokens += other.correct_tokens
        self.checks += other.checks

    def times(self, weight: int) -> Tallies:
        """Count everything but the checks so many times; a fraction makes the counts fractions."""
        return Tallies(
            {name: [n * weight for n in row] for name, row in self.types.items()},
            Counter({pair: n * weight for pair, n in self.confused.items()}),
            self.sentences * weight,
            self.tokens * weight,
            self.correct_tokens * weight,
            self.checks,
        )

    def total(self) -> tuple[int, int, int]:
        """Give the spans of gold, of pred and of both, over all types."""
        gold, pred, both = (sum(row[place] for row in self.types.values()) for place in range(3))
        return gold, pred, both
