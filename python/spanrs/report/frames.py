"""Conversion of tables to data frames of other libraries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Tabular(Protocol):
    """Columns and rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the columns."""

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows as tuples."""

    @property
    def types(self) -> Mapping[str, type]:
        """Types of columns, ``str``, ``int`` or ``float``; if empty, inferred from the values."""

    def by_column(self) -> Mapping[str, list[Any]]:
        """Return the values of each column by name."""


class Frames:
    """Mixin that converts columns and rows to data frames of other libraries."""

    @property
    def types(self) -> Mapping[str, type]:
        """Types of columns, ``str``, ``int`` or ``float``; if empty, inferred from the values."""
        return {}

    def by_column(self: Tabular) -> Mapping[str, list[Any]]:
        """Return the values of each column by name."""
        rows = self.rows
        return {name: [row[at] for row in rows] for at, name in enumerate(self.columns)}

    def to_arrow(self: Tabular) -> pa.Table:
        """Return a pyarrow table (``pip install spanrs[arrow]``)."""
        import pyarrow

        kinds = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
        schema = pyarrow.schema([(name, kinds[kind]) for name, kind in self.types.items()])
        return pyarrow.table(self.by_column(), schema=schema if self.types else None)

    def to_pandas(self: Tabular) -> pd.DataFrame:
        """Return a pandas frame (``pip install spanrs[pandas]``)."""
        import pandas

        kinds = {str: "object", int: "int64", float: "float64"}
        return pandas.DataFrame(self.by_column()).astype(
            {name: kinds[kind] for name, kind in self.types.items()}
        )

    def to_polars(self: Tabular) -> pl.DataFrame:
        """Return a Polars frame (``pip install spanrs[polars]``)."""
        import polars

        return polars.DataFrame(self.by_column(), schema=self.types or None)
