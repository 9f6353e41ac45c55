"""Section matchers: every matcher of ours by itself, to compare commits with each other.

A record of one commit says little of another one, because the machine is shared. Run both on the same day, in turn,
each in an environment of its own.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

import spanrs
from benches.versus import documents
from benches.versus.corpus import write_file
from benches.versus.measure import Call, Work, in_turn
from spanrs import mat

PACKAGES = ("numpy",)
ROOT = Path(__file__).parent.parent.parent
#: Pairs of documents of MATScore.
PAIRS = 500

#: Peak memory, in a process of its own: what is done, and what for.
MEMORY = {
    "20,000 documents with a type of their own each, ids, weights": """
import numpy as np
ids = np.arange(1, 20_001)
names = ["O", *(f"B-{at}" for at in range(20_000))]
ones = np.ones(20_000, dtype=int)
call = lambda: spanrs.score(
    ids, ids, scheme="BIO", vocabulary=names, lengths=ones, by=ones, document_weights=ones
)
""",
    "10,000 types, fair, to_json": """
gold = [[(f"a{at}", 0, 1)] for at in range(10_000)]
pred = [[(f"b{at}", 0, 1)] for at in range(10_000)]
call = lambda: spanrs.score(gold, pred, matcher="fair").to_json()
""",
}
MEASURE = """
import resource, sys, time, warnings
import spanrs
warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
peak = lambda: int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))) / 1024
{code}
before, start = peak(), time.perf_counter()
try:
    call()
    print(f"{{time.perf_counter() - start:.2f}} {{peak() - before:.0f}}")
except MemoryError:
    print("- >12000")
"""


def run(work: Work) -> None:
    """Speed of every matcher, and memory where there are many types."""
    speed(work)
    memory(work)


def calls(work: Work) -> dict[str, Call]:
    """What is measured."""
    gold, pred = work.gold, work.pred
    names = sorted({tag for row in (*gold, *pred) for tag in row})
    number = {name: at for at, name in enumerate(names)}
    lengths = np.array([len(row) for row in gold])
    sides = [
        np.fromiter((number[tag] for row in side for tag in row), dtype="int32", count=work.tokens)
        for side in (gold, pred)
    ]
    ids = {"scheme": "BIO", "vocabulary": names, "lengths": lengths}
    one_each = np.ones(len(lengths), dtype=int)
    paths = [work.folder / name for name in ("gold.conll", "pred.conll")]
    for path, side in zip(paths, (gold, pred), strict=True):
        write_file(path, side)
    spans = [[spanrs.tags.tags_to_spans(row, "BIO") for row in side] for side in (gold, pred)]
    documents.write(work.folder / "mat", PAIRS)
    folders = (work.folder / "mat" / "ref", work.folder / "mat" / "hyp")
    tags_alone, everything = (
        mat.Mat(content=documents.LABELS, tokens=["lex"], tables=tables)
        for tables in (["tag"], mat.Mat.tables)
    )
    return {
        "exact, lists": lambda: spanrs.score(gold, pred, scheme="BIO"),
        "exact, strict reading, lists": lambda: spanrs.score(gold, pred, scheme="BIO", reading="strict"),
        "exact, ids": lambda: spanrs.score(*sides, **ids),
        "exact, ids, documents of one sentence": lambda: spanrs.score(*sides, by=one_each, **ids),
        "exact, files": lambda: spanrs.score(*paths, scheme="BIO"),
        "fair, lists": lambda: spanrs.score(gold, pred, matcher="fair", scheme="BIO"),
        "fair, ids": lambda: spanrs.score(*sides, matcher="fair", **ids),
        "fair, spans": lambda: spanrs.score(*spans, matcher="fair"),
        "partial greedy, lists": lambda: spanrs.score(gold, pred, matcher="partial", scheme="BIO"),
        "partial optimal, lists": lambda: spanrs.score(
            gold, pred, matcher=spanrs.Partial(matching="optimal"), scheme="BIO"
        ),
        "partial greedy, spans": lambda: spanrs.score(*spans, matcher="partial"),
        f"mat, tag table of {PAIRS} pairs": lambda: spanrs.score(
            *folders, matcher=tags_alone, on_error="skip", format="mat-json"
        ),
        f"mat, four tables of {PAIRS} pairs": lambda: spanrs.score(
            *folders, matcher=everything, on_error="skip", format="mat-json"
        ),
    }


def speed(work: Work) -> None:
    """Medians and least times of each call."""
    work.record.heading(
        "Speed", "Mtok/s of the corpus; of mat, whose documents are others, only the times count."
    )
    actual = in_turn(calls(work))
    quickest = min(row.median for row in actual.values())
    work.record.timings(actual, work.tokens, "times the quickest", lambda seconds: seconds / quickest)


def memory(work: Work) -> None:
    """Peak resident memory beyond that of the process before the call."""
    rows = []
    for name, code in MEMORY.items():
        command = [sys.executable, "-c", MEASURE.format(code=code)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
        rows.append((name, *done.stdout.split()))
    work.record.heading("Memory", "One call in a process of its own.")
    work.record.table(("", "s", "MiB"), rows)
