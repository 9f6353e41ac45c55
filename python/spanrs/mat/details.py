"""What becomes of single annotations, and what is not scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from spanrs.report.frames import Frames


class AnnotationPair(NamedTuple):
    """A pair of annotations, or one without a partner."""

    file: str
    """Base name of pred's file."""
    type: str
    """What pred's annotation is to gold's: match, missing, spurious, or a kind of clash."""
    reflabel: str | None
    refstart: int | None
    refend: int | None
    hyplabel: str | None
    hypstart: int | None
    hypend: int | None
    refcontent: str | None
    """The text between start and end."""
    hypcontent: str | None

    @property
    def outcome(self) -> str:
        """The same as :attr:`type`."""
        return self.type


@dataclass(frozen=True)
class DetailTable(Frames):
    """Details as a table: :attr:`columns`, :attr:`rows`, and frames."""

    details: list[AnnotationPair]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return AnnotationPair._fields

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The details; None where a side has no annotation."""
        return list(self.details)


def first_names(names: Sequence[str]) -> str:
    """List the first three names, and say how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
