"""Random column files from every kind of source, scored, checked and converted; all results must be equal.

Some are also compared with Parquet files of random sentences, whose row groups have all sizes.

The sources, the jobs and the oracle (the plain file, read by one thread) are those of tests/file_sources.py. A part
of the corpora is also cut into several files, which must have the same sums. Functions, options, sources and threads
are drawn; the record says how often each was. Sizes of corpora lie about the first buffer of the reader, the sample of
``auto`` and the least size that is cut for threads. Every corpus depends on the seed and its number alone.

    python -m benches.versus.differential_sources [--corpora N] [--seed N] [--first N] [--only files|tables]
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import spanrs

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import file_sources  # noqa: E402  # the sources and the oracle of the tests
import table_sources  # noqa: E402

HEADING = "## Column files from every source"
#: Of 1,000 corpora so many have a size.
SIZES = {"small": 850, "chunks": 110, "sample": 35, "parts": 5}
#: Sources of the largest ones: regular files are cut for threads, others are not.
OF_PARTS = ["path", "path", "path", "path", "file object", "gzip", "pipe"]
#: Each corpus is read so many times besides, and one of so many by the command as well.
VARIANTS, COMMANDS = 4, 100
#: One of so many corpora is cut into several files: of small ones, and of larger ones, which take long.
SEVERAL, SEVERAL_LARGE = 4, 40
#: One of so many corpora is compared with tables as well.
WITH_TABLES = 4
#: Parquet files for each corpus, and the sentences of most of them and of one in a hundred.
TABLES, SENTENCES, MANY_SENTENCES = 2, 60, 20_000


def section(
    options: argparse.Namespace,
    figures: tuple[int, int, float],
    sizes: Counter[str],
    drawn: Counter[tuple[str, str]],
) -> str:
    """Return the record; ``figures`` are the calls, the differences and the seconds."""
    calls, different, seconds = figures
    cpu = platform.processor() or platform.machine()
    command = " ".join(["python -m benches.versus.differential_sources", *sys.argv[1:]])
    by_size = ", ".join(f"{name} {sizes[name]}" for name in SIZES)
    sources = ", ".join(file_sources.SOURCES)
    names = sorted({name for name, _ in drawn})
    rows = "\n".join(f"| {name} | {values_drawn(name, drawn)} |" for name in names)
    return f"""{HEADING}

`{command}` (seed {options.seed}) on {cpu}, {os.cpu_count()} cores, {platform.system()},
Python {platform.python_version()}, spanrs {spanrs.__version__}. Sources: {sources},
standard input of the command, piped and redirected, several files, and Parquet by row groups. Threads 1 to 8.

| corpora | by size | calls compared | differences | seconds |
|---|---|---|---|---|
| {sum(sizes.values())} | {by_size} | {calls} | {different} | {seconds:.0f} |

| drawn | how often |
|---|---|
{rows}
"""


def values_drawn(name: str, drawn: Counter[tuple[str, str]]) -> str:
    """List the values of an option, the most frequent first."""
    return ", ".join(f"{value} {count}" for (item, value), count in drawn.most_common() if item == name)


def main() -> int:
    """Compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=5000)
    parser.add_argument("--first", type=int, default=0, help="number of the first corpus")
    parser.add_argument("--seed", type=int, default=2017)
    parser.add_argument("--only", choices=("files", "tables"))
    parser.add_argument("--output", type=Path, default=ROOT / "benches" / "record")
    options = parser.parse_args()
    calls = different = 0
    sizes: Counter[str] = Counter()
    drawn: Counter[tuple[str, str]] = Counter()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for at in range(options.first, options.first + options.corpora):
            rng = random.Random(f"{options.seed} {at}")
            size = rng.choices(list(SIZES), list(SIZES.values()))[0]
            sizes[size] += 1
            compared = []
            if options.only != "tables":
                corpus = file_sources.make_corpus(rng, size)
                kinds = OF_PARTS if size == "parts" else None
                compared += file_sources.differences(rng, corpus, folder, VARIANTS, kinds, drawn=drawn)
                if at % (SEVERAL if size == "small" else SEVERAL_LARGE) == 0 and size != "parts":
                    compared += file_sources.shard_differences(rng, corpus, folder, drawn)
                if at % COMMANDS == 0:
                    compared += file_sources.command_differences(rng, corpus, folder)
            if options.only == "tables" or (options.only is None and at % WITH_TABLES == 0):
                sentences = rng.randint(1, MANY_SENTENCES if at % 100 == 0 else SENTENCES)
                compared += table_sources.differences(rng, folder, sentences, TABLES)
            calls += len(compared)
            for difference in filter(None, compared):
                different += 1
                if different < 20:
                    print(f"corpus {at}, {size}: {difference}", flush=True)
            if (at + 1) % 100 == 0:
                print(f"{at + 1} corpora, {calls} calls, {different} different", flush=True)
    text = section(options, (calls, different, time.perf_counter() - start), sizes, drawn)
    print(text)
    date = datetime.datetime.now(datetime.UTC).date()
    options.output.mkdir(exist_ok=True)
    (options.output / f"{date}-differential-sources.md").write_text(
        f"# {date}: sources of column files\n\n{text}", encoding="utf-8"
    )
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main())
