"""Speed beside the peers, one thread, one process: `make versus` writes benches/record/DATE.md.

Medians of at least seven runs (the peer's slow functions: three). Generated corpus, see corpus.py.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np

import spanrs
from benches.versus.corpus import VOCABULARY, sentences, write_file

HERE = Path(__file__).parent.parent
TOKENS = 1_000_000

PEAK = """
import sys, spanrs
spanrs.score_files(sys.argv[1], sys.argv[2], "BIO")
# Not getrusage, whose peak is inherited from the process that started this one.
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def median(function: Callable[[], object], runs: int = 11) -> tuple[float, float]:
    """Seconds: median and least."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times), min(times)


def processor() -> str:
    """What the machine calls its processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


class Record:
    """Lines that are printed and kept."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, line: str = "") -> None:
        """Print and keep a line."""
        print(line, flush=True)
        self.lines.append(line)


def beside_seqeval(record: Record, gold: list[list[str]], pred: list[list[str]]) -> None:
    """Lists of str."""
    from seqeval.metrics import classification_report, f1_score

    warnings.simplefilter("ignore")
    ours, least = median(lambda: spanrs.score(gold, pred))
    given, given_least = median(lambda: spanrs.score(gold, pred, "BIO"))
    f1, f1_least = median(lambda: f1_score(gold, pred), 3)
    report, report_least = median(lambda: classification_report(gold, pred, digits=4), 3)
    assert round(spanrs.score(gold, pred).micro.f1, 12) == round(float(f1_score(gold, pred)), 12)
    record.add("## Lists of lists of str")
    record.add()
    record.add("| | median ms | least ms | Mtok/s | times spanrs |")
    record.add("|---|---|---|---|---|")
    for name, m, s in (
        ("spanrs.score, scheme auto", ours, least),
        ("spanrs.score, scheme BIO", given, given_least),
        ("seqeval f1_score", f1, f1_least),
        ("seqeval classification_report", report, report_least),
    ):
        speed, times = TOKENS / m / 1e6, m / ours
        record.add(f"| {name} | {m * 1e3:.1f} | {s * 1e3:.1f} | {speed:.1f} | {times:.0f} |")
    record.add()


def ids(record: Record, gold: list[list[str]], pred: list[list[str]]) -> None:
    """Arrays of ids."""
    numbers = {tag: i for i, tag in enumerate(VOCABULARY)}
    lengths = np.array([len(sentence) for sentence in gold])
    flat = [np.array([numbers[tag] for row in side for tag in row]) for side in (gold, pred)]
    width = int(lengths.max())
    padded = [np.full((len(gold), width), -100) for _ in range(2)]
    for side, out in zip((gold, pred), padded, strict=True):
        for row, tags in zip(out, side, strict=True):
            row[: len(tags)] = [numbers[tag] for tag in tags]
    record.add("## Integer ids (numpy)")
    record.add()
    record.add("| | median ms | least ms | Mtok/s (median) | Mtok/s (least) |")
    record.add("|---|---|---|---|---|")
    for name, call in (
        (
            "int64 and lengths, scheme BIO",
            lambda: spanrs.score(*flat, "BIO", vocabulary=VOCABULARY, lengths=lengths),
        ),
        (
            "int64 and lengths, scheme auto",
            lambda: spanrs.score(*flat, vocabulary=VOCABULARY, lengths=lengths),
        ),
        (
            f"int64 padded with -100 to {width}, scheme auto",
            lambda: spanrs.score(*padded, vocabulary=VOCABULARY),
        ),
        (
            "int64 and lengths, scheme BIO, strict",
            lambda: spanrs.score(*flat, "BIO", "strict", vocabulary=VOCABULARY, lengths=lengths),
        ),
    ):
        m, s = median(call, 31)
        record.add(
            f"| {name} | {m * 1e3:.2f} | {s * 1e3:.2f} | {TOKENS / m / 1e6:.0f} | {TOKENS / s / 1e6:.0f} |"
        )
    record.add()


def files(record: Record, folder: Path, gold: list[list[str]], pred: list[list[str]]) -> None:
    """Column files in the page cache."""
    record.add("## Two column files, in the page cache")
    record.add()
    record.add("| | MB (both) | median ms | least ms | MB/s (median) | MB/s (least) |")
    record.add("|---|---|---|---|---|---|")
    for columns, name in ((4, "CoNLL-2003 like: token POS chunk tag"), (2, "token tag")):
        paths = [folder / f"{side}{columns}" for side in ("gold", "pred")]
        size = sum(
            write_file(path, tags, columns=columns) for path, tags in zip(paths, (gold, pred), strict=True)
        )
        for scheme in ("auto", "BIO"):
            m, s = median(lambda: spanrs.score_files(*paths, scheme))  # noqa: B023  # called here
            record.add(
                f"| {name}, scheme {scheme} | {size / 1e6:.1f} | {m * 1e3:.1f} | {s * 1e3:.1f} "
                f"| {size / m / 1e6:.0f} | {size / s / 1e6:.0f} |"
            )
    record.add()


def growth(record: Record, folder: Path, gold: list[list[str]], pred: list[list[str]]) -> None:
    """Time and memory as the corpus grows."""
    record.add("## Growth")
    record.add()
    record.add("| tokens | lists ms | ids ms | files ms | peak memory of the file process, MiB |")
    record.add("|---|---|---|---|---|")
    numbers = {tag: i for i, tag in enumerate(VOCABULARY)}
    paths = [folder / "gold", folder / "pred"]
    for tokens in (10_000, 100_000, 1_000_000, 10_000_000):
        if tokens <= TOKENS:
            take = (
                next(n for n in range(len(gold) + 1) if sum(map(len, gold[:n])) >= tokens or n == len(gold))
                if tokens < 100_000
                else round(len(gold) * tokens / TOKENS)
            )
            g, p = gold[:take], pred[:take]
        else:
            g, p = gold * (tokens // TOKENS), pred * (tokens // TOKENS)
        flat = [np.array([numbers[tag] for row in side for tag in row]) for side in (g, p)]
        lengths = [len(row) for row in g]
        for path, side in zip(paths, (g, p), strict=True):
            write_file(path, side, columns=4)
        runs = 31 if tokens < TOKENS else 7
        a, _ = median(lambda: spanrs.score(g, p, "BIO"), runs)  # noqa: B023
        b, _ = median(
            lambda: spanrs.score(*flat, "BIO", vocabulary=VOCABULARY, lengths=lengths),  # noqa: B023
            runs,
        )
        c, _ = median(lambda: spanrs.score_files(*paths, "BIO"), runs)
        peak = "" if tokens < 100_000 else f"{peak_memory(paths):.1f}"
        record.add(f"| {sum(lengths)} | {a * 1e3:.2f} | {b * 1e3:.2f} | {c * 1e3:.2f} | {peak} |")
    one = [[[tag for row in side for tag in row]] for side in (gold, pred)]
    for reading in ("conlleval", "strict"):
        a, _ = median(lambda: spanrs.score(*one, "BIO", reading), 7)  # noqa: B023
        record.add(f"| one sentence of {TOKENS}, {reading} | {a * 1e3:.2f} | | | |")
    record.add()


def peak_memory(paths: list[Path]) -> float:
    """Of a process that scores the files, in MiB."""
    command = [sys.executable, "-c", PEAK, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE.parent)
    return int(done.stdout) / 1024


def main() -> None:
    """Measure everything and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=HERE / "record")
    options = parser.parse_args()
    date = datetime.datetime.now(datetime.UTC).date()
    record = Record()
    record.add(f"# {date}: scoring, beside seqeval")
    record.add()
    record.add(
        f"`make versus` on {processor()}, {os.cpu_count()} cores, {platform.system()}, "
        f"Python {platform.python_version()}, spanrs {spanrs.__version__}, seqeval {version('seqeval')}, "
        f"numpy {version('numpy')}. One thread, one process."
    )
    gold, pred = sentences(TOKENS)
    spans = sum(tag[0] == "B" for row in gold for tag in row)
    record.add()
    record.add(f"Generated corpus: {TOKENS} tokens, {len(gold)} sentences, {spans} gold spans, BIO.")
    record.add()
    beside_seqeval(record, gold, pred)
    ids(record, gold, pred)
    with tempfile.TemporaryDirectory() as folder:
        files(record, Path(folder), gold, pred)
        growth(record, Path(folder), gold, pred)
    options.output.mkdir(exist_ok=True)
    (options.output / f"{date}-score.md").write_text("\n".join(record.lines), encoding="utf-8")


if __name__ == "__main__":
    main()
