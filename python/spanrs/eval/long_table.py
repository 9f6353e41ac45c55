"""Counts as a table with a row for each cell of each document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spanrs.report.frames import Frames


@dataclass(frozen=True, eq=False)
class LongTable(Frames):
    """Every cell of every document; :meth:`to_arrow`, :meth:`to_polars` and :meth:`to_pandas` return data frames.

    Consumers of Arrow streams (DuckDB, Polars, pyarrow) accept the table directly if pyarrow is installed.
    """

    types = dict.fromkeys(("document", "criterion", "outcome", "gold", "pred"), str) | {"n": int}

    data: dict[str, list[Any]]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.types)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """Rows as tuples."""
        return list(zip(*self.data.values(), strict=True))

    def by_column(self) -> dict[str, list[Any]]:
        """Return the values of each column by name."""
        return self.data

    def __len__(self) -> int:
        return len(self.data["n"])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)
