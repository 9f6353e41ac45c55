"""Reads the recorded outputs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a .jsonl.gz file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def pairs(evaluators: Path) -> dict[int, dict[str, Any]]:
    """id -> {s: scheme, c: category, g: gold tags, p: pred tags}."""
    return {row["id"]: row for row in rows(evaluators / "pairs.jsonl.gz")}
