"""Random Parquet files with row groups of all sizes, compared with the column file of the same sentences."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import file_sources
import spanrs
from file_sources import Difference
from spanrs.io import tables

#: Types of a column of tags.
TYPES = {
    "strings": pa.list_(pa.string()),
    "large strings": pa.large_list(pa.large_string()),
    "dictionaries": pa.list_(pa.dictionary(pa.int32(), pa.string())),
}
#: The readings that do not refuse tags: messages about a table have no lines.
READINGS = [reading for reading in file_sources.READINGS if reading != "refuse"]


def facts(result: spanrs.Result) -> dict[str, Any]:
    """Return the content of a result, except lines and the evidence of ``auto``, which refers to a sample."""
    places = {
        side: (item.count, [(place.sentence, place.violation) for place in item.first])
        for side, item in result.violations.items()
    }
    return {
        "counts": result.counts.to_bytes(),
        "settings": result.settings,
        "places": places,
    }


def write_table(rng: random.Random, columns: dict[str, list[list[str]]], path: Path) -> dict[str, Any]:
    """Write a Parquet file, and return its settings."""
    sentences = len(columns["gold"])
    kind = rng.choice(list(TYPES))
    # Row groups are smaller than a batch, as large, and larger; files of DuckDB and Spark have several sizes.
    sizes = [[1], [3], [7, 1, 40], [tables.BATCH_ROWS, 5], [sentences], [max(sentences // 3, 1)]]
    drawn, used = rng.choice(sizes), rng.random() < 0.7
    table = pa.table({name: pa.array(column, TYPES[kind]) for name, column in columns.items()})
    with pq.ParquetWriter(path, table.schema, use_dictionary=used, version="2.6") as writer:
        start = 0
        while start < sentences:
            size = rng.choice(drawn)
            writer.write_table(table[start : start + size], row_group_size=size)
            start += size
    return {"type": kind, "row groups": drawn, "dictionary pages": used}


def differences(
    rng: random.Random, folder: Path, sentences: int, variants: int
) -> Iterator[Difference | None]:
    """Compare a column file with ``variants`` Parquet files of the same sentences; give None for each that is equal."""
    scheme, noise = rng.choice(list(file_sources.PREFIXES)), rng.choice((0.0, 0.0, 0.02, 0.3))
    rows = [file_sources.sentence_rows(rng, scheme, noise) for _ in range(sentences)]
    text = "\n".join("".join(f"w {gold} {pred}\n" for _, gold, pred in sentence) for sentence in rows)
    (folder / "both").write_text(text, encoding="utf-8")
    options = {
        "scheme": rng.choice(("auto", scheme)),
        "reading": rng.choice(READINGS),
        "matcher": rng.choice(("exact", "exact", "partial", "fair")),
        "by": "sentence" if rng.random() < 0.3 else None,
    }
    expected = file_sources.outcome(
        lambda: facts(spanrs.score(folder / "both", **options)), [str(folder / "both")]
    )
    columns = {
        name: [[row[at] for row in sentence] for sentence in rows]
        for name, at in (("gold", 1), ("pred", 2))
    }
    path = folder / "table"
    for _ in range(variants):
        written = write_table(rng, columns, path)
        given = options | {"threads": rng.randint(1, 8)}
        got = file_sources.outcome(lambda given=given: facts(spanrs.score(path, **given)), [str(path)])
        # Errors of a table name its rows, which column files do not have.
        got = re.sub(r"FILE: rows \d+ to \d+: ", "", got)
        yield (
            None
            if got == expected
            else Difference("score of a table", ("Parquet", ""), given | written, expected, got)
        )
