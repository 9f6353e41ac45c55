"""The recorded outputs of iobes (its repository's HEAD), for the native test and the one of compat."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import golden

ENCODINGS = ("IOB", "BIO", "IOBES", "BILOU", "BMEOW")
#: How a refused conversion begins.
REFUSED = "Found errors in the tag sequence, cannot be converted. Errors: "


def readings(evaluators: Path) -> Iterator[tuple[list[str], str, list[Any]]]:
    """(tags, encoding, [spans, errors]); spans [type, start, end], errors with their five fields."""
    pairs = golden.pairs(evaluators)
    for row in golden.rows(evaluators / "iobes.jsonl.gz"):
        for encoding, sides in row["o"].items():
            for side, expected in sides.items():
                yield pairs[row["id"]][side], encoding, expected


def written_alike(evaluators: Path) -> Iterator[dict[str, list[str]]]:
    """One sentence in all encodings; ``IOB1`` is IOB."""
    for row in golden.rows(evaluators / "iobes_convert.jsonl.gz"):
        if "enc" in row:
            assert row["all_equal"]
            assert row["diff"] == {}
            yield row["enc"]


def conversions(evaluators: Path) -> Iterator[tuple[list[str], str, list[str] | dict[str, str]]]:
    """(tags, name of the function, tags or error); messages are cut after 160 characters."""
    for row in golden.rows(evaluators / "iobes_convert.jsonl.gz"):
        for name, expected in row.get("o", {}).items():
            yield row["tags"], name, expected


def writes(evaluators: Path) -> Iterator[tuple[list[Any], int | None, str, list[str] | dict[str, str]]]:
    """(spans [type, start, end], length, encoding, tags or error)."""
    for row in golden.rows(evaluators / "iobes_write.jsonl.gz"):
        for encoding, expected in row["o"].items():
            yield row["spans"], row["length"], encoding, expected


def api(evaluators: Path) -> dict[str, Any]:
    """Names, signatures, transitions."""
    return json.loads((evaluators / "iobes_api.json").read_text())
