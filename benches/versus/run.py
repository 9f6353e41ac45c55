"""Speed and memory compared with the peers; `make versus` writes benches/record/DATE-SECTION.md.

Medians of at least eleven runs, or seven of a peer, alternating in one process, on one thread unless stated otherwise.
Generated corpus, see corpus.py.

    python -m benches.versus.run [--only score,compat,...] [--tokens N] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import sys
import tempfile
import warnings
from pathlib import Path

from benches.versus.corpus import sentences
from benches.versus.measure import Record, Work, machine, versions

HERE = Path(__file__).parent.parent
TOKENS = 1_000_000
#: Modules beside this one: what they record, in this order.
SECTIONS = {
    "score": "scoring lists, ids and files; growth",
    "compat": "drop-ins and native calls beside the packages they replace",
    "arrow": "columns of pyarrow and Polars beside ids",
    "threads": "threads, processes and the GIL",
    "start": "time of imports and peak memory",
    "long": "one long sentence",
    "fair": "fair matching beside the published steps",
    "mat": "MATScore's tables beside json.loads",
    "matchers": "every matcher by itself, to compare commits",
    "bootstrap": "resampling of every matcher's results",
    "significance": "intervals and paired tests beside numpy",
    "large": "intervals, comparisons and pages of large corpora",
    "shards": "shards on disk by Dask workers, merging, tables beside column files",
    "partial_groups": "partial matching of spans that all overlap",
}


def chosen(names: str) -> list[str]:
    """Sections by their names."""
    actual = names.split(",")
    for name in actual:
        if name not in SECTIONS:
            message = f"no section {name!r}; there are {', '.join(SECTIONS)}"
            raise argparse.ArgumentTypeError(message)
    return actual


def corpus(folder: Path, tokens: int) -> Work:
    """The corpus, and room for files."""
    gold, pred = sentences(tokens)
    return Work(tokens, gold, pred, folder, machine())


def measure(name: str, work: Work) -> Record:
    """One section, with what is to be known of all."""
    # Modules are loaded when it is their turn: a section starts without what the later ones need.
    section = importlib.import_module(f"benches.versus.{name}")
    record = work.record = Record()
    date = datetime.datetime.now(datetime.UTC).date()
    command = " ".join(["python -m benches.versus.run", *sys.argv[1:]])
    spans = sum(tag[0] == "B" for row in work.gold for tag in row)
    record.add(f"# {date}: {SECTIONS[name]}")
    record.add()
    record.add(f"`{command}` on {work.machine}, {versions(*section.PACKAGES)}.")
    record.add()
    record.add(
        f"Generated corpus: {work.tokens} tokens, {len(work.gold)} sentences, {spans} gold spans, BIO. "
        "One process and one thread, calls that are compared in turn, where nothing else is said."
    )
    record.add()
    section.run(work)
    return record


def main() -> None:
    """Measure the sections and write a record of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=HERE / "record")
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--only", type=chosen, default=list(SECTIONS), metavar="SECTION,...")
    options = parser.parse_args()
    # seqeval warns of types without spans; the numbers are compared anyway.
    warnings.simplefilter("ignore")
    options.output.mkdir(parents=True, exist_ok=True)
    date = datetime.datetime.now(datetime.UTC).date()
    with tempfile.TemporaryDirectory() as folder:
        work = corpus(Path(folder), options.tokens)
        for name in options.only:
            record = measure(name, work)
            text = "\n".join(record.lines).rstrip("\n") + "\n"
            (options.output / f"{date}-{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
