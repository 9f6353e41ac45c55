"""One call a sentence: `spanrs.compat.iobes` beside iobes; part of `make versus`."""

from __future__ import annotations

import argparse
import datetime
import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import iobes

import spanrs
from benches.versus.corpus import sentences
from spanrs.compat import iobes as ours

HERE = Path(__file__).parent.parent
TOKENS = 1_000_000
RUNS = 7


def each(function: Callable[[Any], object], given: Sequence[Any]) -> float:
    """Median nanoseconds a call; results are dropped, as a loop over a corpus drops them."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        for sentence in given:
            function(sentence)
        times.append(time.perf_counter() - start)
    return statistics.median(times) / len(given) * 1e9


def rows() -> list[tuple[str, float, float]]:
    """(name, spanrs, iobes) in nanoseconds."""
    gold, _ = sentences(TOKENS)
    # The peer is slow and steady: a tenth of the sentences will do.
    some = gold[::10]
    iob, wanted = [iobes.bio_to_iob(tags) for tags in gold], ours.SpanEncoding.BIO
    theirs_wanted = iobes.SpanEncoding.BIO
    values = [(ours.parse_spans_bio(tags), len(tags)) for tags in gold]
    theirs = [(iobes.parse_spans_bio(tags), len(tags)) for tags in some]
    collected = [
        (
            "parse_spans(tags, SpanEncoding.BIO)",
            each(lambda tags: ours.parse_spans(tags, wanted), gold),
            each(lambda tags: iobes.parse_spans(tags, theirs_wanted), some),
        )
    ]
    for name, given in (
        ("parse_spans_bio", gold),
        ("parse_spans_bio_with_errors", gold),
        ("parse_spans_iob", iob),
        ("parse_spans_token", gold),
        ("validate_tags_bio", gold),
        ("bio_to_iob", gold),
        ("bio_to_iobes", gold),
        ("bio_to_bilou", gold),
    ):
        collected.append((name, each(getattr(ours, name), given), each(getattr(iobes, name), given[::10])))
    for name in ("write_bio_tags", "write_iobes_tags", "write_iob_tags"):
        mine, peer = getattr(ours, name), getattr(iobes, name)
        collected.append(
            (
                name,
                each(lambda row: mine(row[0], length=row[1]), values),  # noqa: B023  # called here
                each(lambda row: peer(row[0], length=row[1]), theirs),  # noqa: B023
            )
        )
    batch = each(spanrs.tags.tags_to_spans, [gold]) / len(gold)
    collected.append(
        ("spanrs.tags.tags_to_spans(sentences); iobes: parse_spans_bio", batch, collected[1][2])
    )
    return collected


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=HERE / "record")
    options = parser.parse_args()
    gc.collect()
    date = datetime.datetime.now(datetime.UTC).date()
    lines = [
        f"# {date}: iobes, one call a sentence",
        "",
        f"`python -m benches.versus.iobes_calls` on {platform.machine()}, {os.cpu_count()} cores, "
        f"{platform.system()}, Python {platform.python_version()}, spanrs {spanrs.__version__}, "
        f"iobes {version('iobes')}. Generated corpus: {TOKENS} tokens, {len(sentences(TOKENS)[0])} "
        f"sentences, BIO. Medians of {RUNS} runs, one process; the machine was shared.",
        "",
        "| | spanrs ns | iobes ns | times |",
        "|---|---|---|---|",
        *(f"| {name} | {values:.0f} | {peer:.0f} | {peer / values:.1f} |" for name, values, peer in rows()),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    (options.output / f"{date}-iobes.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
