"""Section large: intervals, comparisons and pages of 1,000,000 sentences and more, each in a process of its own.

Corpora are written to files, which `spanrs` reads as users do.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benches.versus.corpus import NAMES, SEED, TYPES, WORDS
from benches.versus.measure import Work

PACKAGES = ("numpy",)
RUNS = 3
#: Tokens of the corpora: 1,000,000 sentences, and the corpus of two systems.
TOKENS = 14_000_000, 20_000_000


def write_corpus(folder: Path, tokens: int, systems: int = 2) -> list[Path]:
    """Write gold and systems of about this many tokens, a sentence at a time; nine of ten spans are right."""
    rng = random.Random(SEED)
    paths = [folder / f"{name}-{tokens}.conll" for name in ("gold", "a", "b", "c")[: systems + 1]]
    outs = [path.open("w", encoding="utf-8") for path in paths]
    created = 0
    while created < tokens:
        length = max(1, round(rng.gauss(14, 7)))
        created += length
        words = rng.choices(WORDS, k=length)
        sides = [["O"] * length for _ in paths]
        at = 0
        while at < length:
            if rng.random() >= 0.139:
                if rng.random() < 0.005:
                    sides[rng.randrange(1, len(sides))][at] = NAMES[rng.choice(TYPES)][0]
                at += 1
                continue
            kind, size = rng.choice(TYPES), min(rng.choice((1, 1, 1, 2, 2, 3)), length - at)
            for number, side in enumerate(sides):
                luck = rng.random() if number else 0.0
                shown = kind if luck < 0.91 else rng.choice(TYPES) if luck < 0.94 else None
                long = size if luck < 0.94 else max(1, size - 1) if luck < 0.97 else 0
                first, inside = NAMES[shown or kind]
                side[at : at + long] = [first, *[inside] * (long - 1)][:long]
            at += size
        for out, side in zip(outs, sides, strict=True):
            out.write("".join(f"{word} {tag}\n" for word, tag in zip(words, side, strict=True)) + "\n")
    for out in outs:
        out.close()
    return paths


def spent(*command: str) -> tuple[float, float, float]:
    """Run ``spanrs`` in a process; gives seconds, seconds of CPU and the peak of memory in MB."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "spanrs", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    assert os.waitstatus_to_exitcode(status) == 0, command
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def row(name: str, *command: str) -> tuple[object, ...]:
    """Return a line of the table: medians of the runs."""
    runs = [spent(*command) for _ in range(RUNS)]
    seconds, cpu, memory = (median(column) for column in zip(*runs, strict=True))
    return name, f"{seconds:.1f}", f"{cpu:.1f}", f"{memory:.0f}", RUNS


def run(work: Work) -> None:
    """Commands on files of 1,000,000 sentences and of 20,000,000 tokens."""
    small, large = (write_corpus(work.folder, tokens) for tokens in TOKENS)
    gold, a, b = (list(map(str, paths)) for paths in zip(small, large, strict=True))
    page = str(work.folder / "page.html")
    work.record.heading(
        "1,000,000 sentences, and two systems on 20,000,000 tokens",
        "`spanrs` in a process of its own; 10,000 resamples where nothing else is said.",
    )
    rows = [
        row("score", "score", gold[0], a[0]),
        row(
            "score --by-sentence --save",
            "score",
            "--by-sentence",
            "--save",
            page + ".counts",
            gold[0],
            a[0],
        ),
        row("score --intervals", "score", "--intervals", gold[0], a[0]),
        row("score --intervals --threads 2", "score", "--intervals", "--threads", "2", gold[0], a[0]),
        row("compare, 20,000,000 tokens", "compare", gold[1], a[1], b[1]),
        row("compare --threads 2, 20,000,000 tokens", "compare", "--threads", "2", gold[1], a[1], b[1]),
        row("score -o report.html, 20,000,000 tokens", "score", "-o", page, gold[1], a[1]),
    ]
    size = Path(page).stat().st_size / 2**20
    rows.append(("size of that page, MB", "", "", f"{size:.1f}", 1))
    rows.append(
        row("compare -o report.html, 20,000,000 tokens", "compare", "-o", page, gold[1], a[1], b[1])
    )
    size = Path(page).stat().st_size / 2**20
    rows.append(("size of that page, MB", "", "", f"{size:.1f}", 1))
    work.record.table(("what", "s", "s of CPU", "peak MB", "runs"), rows)
