"""Section shards: 64 shards on disk by two Dask workers and by one process, merging, and tables beside column files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

import spanrs
from benches.versus.corpus import write_file
from benches.versus.inputs import Sentences
from benches.versus.measure import Call, Work, in_turn, milliseconds, once, over, significant
from benches.versus.start import peak
from spanrs.integrations.dask import score_shards
from spanrs.integrations.shards import groups, merge_bytes, score_shard

PACKAGES = ("dask", "distributed", "pyarrow")

SHARDS = 64
WORKERS = 2
#: Rounds of the calls that are compared.
ROUNDS = 5
OPTIONS = {"scheme": "BIO"}
#: Programs of processes whose memory is measured.
IMPORTS = "import sys, numpy, pyarrow.compute, pyarrow.parquet, spanrs.io.tables\n"
SCORE = "spanrs.score(sys.argv[1], scheme='BIO')\n"

Pairs = Sequence[tuple[Path, Path]]


def run(work: Work) -> None:
    """Shards of the size of the corpus, and small ones."""
    large = write_shards(work.folder / "large", work.gold, work.pred)
    small = write_shards(work.folder / "small", work.gold[:SHARDS], work.pred[:SHARDS])
    stored = cluster(work, large, small)
    merging(work, stored)
    tables(work, large[0])


def write_shards(folder: Path, gold: Sentences, pred: Sentences) -> Pairs:
    """Write pairs of column files; in each one more part of pred is gold, so that no two have the same counts."""
    folder.mkdir()
    first = folder / "0.gold", folder / "pred"
    texts = []
    for path, side in zip(first, (gold, pred), strict=True):
        write_file(path, side)
        texts.append(path.read_bytes().split(b"\n\n"))
    pairs = []
    for at in range(SHARDS):
        pair = folder / f"{at}.gold", folder / f"{at}.pred"
        cut = len(gold) * at // SHARDS
        pair[1].write_bytes(b"\n\n".join(texts[0][:cut] + texts[1][cut:]))
        if at:
            os.link(first[0], pair[0])
        pairs.append(pair)
    return pairs


def serial(pairs: Pairs) -> bytes:
    """Score and merge shards one after the other."""
    return merge_bytes([score_shard(pair, OPTIONS) for pair in pairs])


def cluster(work: Work, large: Pairs, small: Pairs) -> list[bytes]:
    """Measure times, check that the bytes are equal, and return the results of the shards."""
    from dask.distributed import Client, LocalCluster

    stored = [score_shard(pair, OPTIONS) for pair in large]
    options: Any = {"n_workers": WORKERS, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as workers, Client(workers):
        calls = {
            name: {
                "one process": partial(serial, pairs),
                f"Dask, {WORKERS} workers of one thread": partial(_dask, pairs),
            }
            for name, pairs in (("large", large), ("small", small))
        }
        # The first call imports spanrs in the workers.
        assert _dask(small) == serial(small)
        assert _dask(large) == merge_bytes(stored)
        actual = {name: in_turn(sides, ROUNDS) for name, sides in calls.items()}
    sizes = [len(first) for first in stored]
    work.record.heading(
        f"{SHARDS} shards of {work.tokens} tokens, pairs of column files in the page cache",
        f"Dask and one process give the same bytes. The result of a shard has {min(sizes)} to {max(sizes)} bytes, "
        f"that of all {len(merge_bytes(stored))}.",
    )
    first, many = actual["large"].values()
    work.record.timings(actual["large"], SHARDS * work.tokens, "one process / this", over(first))
    work.record.heading(
        f"{SHARDS} shards of one sentence",
        "What a shard costs besides its tokens: opening its files, and with Dask scheduling its task and sending its "
        "result.",
    )
    rows = [
        (name, milliseconds(row.median), milliseconds(row.median / SHARDS))
        for name, row in actual["small"].items()
    ]
    work.record.table(("", "median ms", "ms a shard"), rows)
    busy = (WORKERS * many.median - first.median) / SHARDS
    work.record.add(
        f"Of the large shards, {WORKERS} workers together took {milliseconds(busy)} ms a shard longer than one process."
    )
    work.record.add()
    return stored


def _dask(pairs: Pairs) -> bytes:
    return score_shards(pairs, **OPTIONS).to_bytes()


def merging(work: Work, stored: Sequence[bytes]) -> None:
    """Merge results at once and in a tree."""
    rows = []
    for count in (64, 1024, 16384):
        many = [stored[at % len(stored)] for at in range(count)]
        times = {name: once(partial(call, many)) for name, call in (("all", merge_bytes), ("tree", _tree))}
        assert _tree(many) == merge_bytes(many)
        each = significant(times["all"] / count * 1e6)
        rows.append((count, *map(milliseconds, times.values()), each))
    work.record.heading("Merging stored results", "Bytes to bytes, in one process; each was run once.")
    work.record.table(("results", "all at once, ms", "tree of 32, ms", "µs a result, all at once"), rows)
    sentences = len(work.gold)
    single = spanrs.score(work.gold, work.pred, scheme="BIO", by=[1] * sentences).to_bytes()
    seconds = once(partial(merge_bytes, [single] * 8)) / 8
    work.record.add(
        f"With a row for each of {sentences} documents (here sentences) a result has "
        f"{significant(len(single) / sentences)} bytes a document, and eight of them merge in "
        f"{significant(seconds / sentences * 1e6)} µs a document."
    )
    work.record.add()


def _tree(stored: Sequence[bytes]) -> bytes:
    while len(stored) > 1:
        stored = [merge_bytes(group) for group in groups(stored)]
    return stored[0]


def tables(work: Work, pair: tuple[Path, Path]) -> None:
    """One shard in several formats."""
    strings = pyarrow.table({"gold": work.gold, "pred": work.pred})
    coded = pyarrow.list_(pyarrow.dictionary(pyarrow.int8(), pyarrow.string()))
    codes = strings.cast(pyarrow.schema([("gold", coded), ("pred", coded)]))
    paths = {name: work.folder / name for name in ("parquet", "arrow", "arrow codes")}
    parquet.write_table(strings, paths["parquet"])
    for name, table in (("arrow", strings), ("arrow codes", codes)):
        with pyarrow.ipc.new_file(paths[name], table.schema) as writer:
            writer.write_table(table, max_chunksize=1 << 16)
    expected = spanrs.score(*pair, **OPTIONS).to_bytes()
    names = {
        "Parquet, list<string>": paths["parquet"],
        "Arrow file, list<string>": paths["arrow"],
        "Arrow file, list<dictionary<int8, string>>": paths["arrow codes"],
    }
    calls: dict[str, Call] = {"two column files": partial(spanrs.score, *pair, **OPTIONS)}
    for name, path in names.items():
        assert spanrs.score(path, **OPTIONS).to_bytes() == expected
        calls[name] = partial(spanrs.score, path, **OPTIONS)
    actual = in_turn(calls)
    sizes = [sum(path.stat().st_size for path in pair), *(path.stat().st_size for path in names.values())]
    work.record.heading(
        f"Formats, {work.tokens} tokens, in the page cache",
        "All give the same bytes. Tables have no tokens.",
    )
    loaded = peak(IMPORTS, ())
    rows = [
        (
            name,
            significant(size / work.tokens),
            milliseconds(row.median),
            milliseconds(row.least),
            significant(work.tokens / row.median / 1e6),
            significant(work.tokens / row.least / 1e6),
        )
        for (name, row), size in zip(actual.items(), sizes, strict=True)
    ]
    heads = (
        "",
        "bytes a token, gold and pred",
        "median ms",
        "least ms",
        "Mtok/s (median)",
        "Mtok/s (least)",
    )
    work.record.table(heads, rows)
    tenfold = pyarrow.concat_tables([strings] * 10)
    parquet.write_table(tenfold, work.folder / "tenfold", row_group_size=len(tenfold))
    peaks = [peak(IMPORTS + SCORE, [path]) for path in (paths["parquet"], work.folder / "tenfold")]
    work.record.add(
        f"A process that has imported spanrs, numpy and pyarrow has a peak of {loaded:.0f} MiB, one that scores the "
        f"Parquet file {peaks[0]:.0f} MiB, and ten times as much in one row group {peaks[1]:.0f} MiB."
    )
    work.record.add()
