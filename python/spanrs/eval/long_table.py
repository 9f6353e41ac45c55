"""Counts as a table with a row for each cell of each document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spanrs.eval.evaluation import Evaluation
from spanrs.eval.matchers import criteria
from spanrs.report.frames import Frames

COLUMNS = ("document", "criterion", "outcome", "gold", "pred", "n")


@dataclass(frozen=True, eq=False)
class LongTable(Frames):
    """Every cell of every document; :meth:`to_arrow`, :meth:`to_polars` and :meth:`to_pandas` give frames.

    What takes Arrow streams (DuckDB, Polars, pyarrow) takes it as it is, where pyarrow is installed.
    """

    types = dict.fromkeys(COLUMNS, str) | {"n": int}

    data: dict[str, list[Any]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return COLUMNS

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows, a tuple each."""
        return list(zip(*self.data.values(), strict=True))

    def __len__(self) -> int:
        return len(self.data["n"])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def long_table(result: Evaluation) -> LongTable:
    """Give the cells of a result."""
    arrays, types = result.counts.long()
    documents, of, outcomes, golds, preds, n = (array.tolist() for array in arrays)
    keys = [str(key) for key in result.counts.documents()]
    known = {criterion.index: criterion for criterion in criteria(result.matcher.name).values()}
    names = [*types, None]
    return LongTable(
        {
            "document": [keys[at] if at >= 0 else None for at in documents],
            "criterion": [known[at].name for at in of],
            "outcome": [known[at].outcomes[outcome] for at, outcome in zip(of, outcomes, strict=True)],
            "gold": [names[ty] for ty in golds],
            "pred": [names[ty] for ty in preds],
            "n": n,
        }
    )
