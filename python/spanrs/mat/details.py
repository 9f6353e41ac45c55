"""Outcomes of single annotations, and skipped items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from spanrs.report.frames import Frames


class AnnotationPair(NamedTuple):
    """A pair of annotations, or an unpaired annotation."""

    file: str
    """Base name of the pred file."""
    type: str
    """Outcome: match, missing, spurious, or a kind of clash of the pred annotation with the gold annotation."""
    reflabel: str | None
    refstart: int | None
    refend: int | None
    hyplabel: str | None
    hypstart: int | None
    hypend: int | None
    refcontent: str | None
    """The annotated text."""
    hypcontent: str | None

    @property
    def outcome(self) -> str:
        """Outcome, the same as :attr:`type`."""
        return self.type


@dataclass(frozen=True)
class DetailTable(Frames):
    """Details as a table: :attr:`columns`, :attr:`rows`, and conversion to data frames."""

    details: list[AnnotationPair]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return AnnotationPair._fields

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The details; None if a side has no annotation."""
        return list(self.details)


def first_names(names: Sequence[str]) -> str:
    """Return the first three names and the number of further names."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
