"""Recorded outputs of the peers: a small set in tests/golden, and a larger one outside of the project."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

#: Directory of the small recordings.
SMALL = Path(__file__).parent / "golden"
#: Prefix of files that were recorded from spanrs, because the peer cannot be installed from PyPI.
REGRESSION = "regression_"


@dataclass(frozen=True)
class Recordings:
    """The recorded outputs of one source; both sources have the same format."""

    folder: Path
    small: bool

    def path(self, name: str) -> Path:
        """Return the file called `name`, or the regression record that replaces it."""
        regression = self.folder / f"{REGRESSION}{name}"
        return regression if regression.exists() else self.folder / name

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Read the objects of `name`.jsonl.gz."""
        with gzip.open(self.path(f"{name}.jsonl.gz"), "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    def json(self, name: str) -> Any:
        """Read `name`.json."""
        return json.loads(self.path(f"{name}.json").read_text(encoding="utf-8"))

    @cached_property
    def pairs(self) -> dict[int, dict[str, Any]]:
        """id -> {s: scheme, c: category, g: gold tags, p: pred tags}."""
        return {row["id"]: row for row in self.rows("pairs")}

    def at_least(self, *, small: int, large: int) -> int:
        """Return the expected number of comparisons with the source."""
        return small if self.small else large


def peer_cases(name: str, package: str) -> list[Any]:
    """Return the pairs of input and output in a recording of a package (``make peers RECORD=name``)."""
    recorded = json.loads(gzip.decompress((SMALL / "peers" / f"{name}.json.gz").read_bytes()))
    assert recorded["package"] == package
    cases: list[Any] = recorded["cases"]
    return cases
