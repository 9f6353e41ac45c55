"""The recorded outputs of iobes, for the native test and the one of compat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recordings import Recordings

#: Beginning of the message of a refused conversion.
REFUSED = "Found errors in the tag sequence, cannot be converted. Errors: "


def readings(recordings: Recordings) -> Iterator[tuple[list[str], str, list[Any]]]:
    """(tags, encoding, [spans, errors]); spans [type, start, end], errors with their five fields."""
    for row in recordings.rows("iobes"):
        for encoding, sides in row["o"].items():
            for side, expected in sides.items():
                yield recordings.pairs[row["id"]][side], encoding, expected


def written_alike(recordings: Recordings) -> Iterator[dict[str, list[str]]]:
    """One sentence in all encodings; ``IOB1`` is IOB."""
    for row in recordings.rows("iobes_convert"):
        if "enc" in row:
            assert row["all_equal"]
            assert row["diff"] == {}
            yield row["enc"]


def conversions(recordings: Recordings) -> Iterator[tuple[list[str], str, list[str] | dict[str, str]]]:
    """(tags, name of the function, tags or error); messages are cut."""
    for row in recordings.rows("iobes_convert"):
        for name, expected in row.get("o", {}).items():
            yield row["tags"], name, expected


def writes(recordings: Recordings) -> Iterator[tuple[list[Any], int | None, str, Any]]:
    """(spans [type, start, end], length, encoding, tags or error)."""
    for row in recordings.rows("iobes_write"):
        for encoding, expected in row["o"].items():
            yield row["spans"], row["length"], encoding, expected


def api(recordings: Recordings) -> dict[str, Any]:
    """Names, signatures, transitions."""
    return recordings.json("iobes_api")
