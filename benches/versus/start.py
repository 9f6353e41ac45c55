"""Section start: import time, and peak memory compared with seqeval, in new processes."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from benches.versus.corpus import write_file
from benches.versus.measure import PEER_RUNS, RUNS, Work, significant

PACKAGES = ("numpy", "seqeval", "nervaluate", "iobes")

ROOT = Path(__file__).parent.parent.parent

IMPORTS = {
    "numpy": "import numpy",
    "spanrs": "import spanrs",
    "spanrs.compat.seqeval.metrics": "import spanrs.compat.seqeval.metrics",
    "spanrs.compat.nervaluate": "import spanrs.compat.nervaluate",
    "spanrs.compat.iobes": "import spanrs.compat.iobes",
    "seqeval.metrics": "import seqeval.metrics",
    "nervaluate": "import nervaluate",
    "iobes": "import iobes",
}
SLOW = ("seqeval.metrics", "nervaluate")

IMPORT = """
import time
start = time.perf_counter()
{}
print(time.perf_counter() - start)
"""

# Not getrusage, whose peak is inherited from the process that started this one.
PEAK = """
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""

LOAD = """
import sys

def load(path):
    sentences, sentence = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line == "\\n":
                sentences.append(sentence)
                sentence = []
            else:
                sentence.append(line.split()[1])
    return sentences

gold, pred = map(load, sys.argv[1:])
"""

#: What is imported, and what is called then.
MEMORY = {
    "import spanrs": (
        'spanrs.score(gold, pred, scheme="BIO")',
        'spanrs.score(gold, pred, matcher="partial", scheme="BIO")',
    ),
    "import numpy": (),
    "import spanrs.compat.seqeval.metrics as ours": (
        "ours.f1_score(gold, pred)",
        "ours.classification_report(gold, pred)",
    ),
    "import seqeval.metrics as seqeval": (
        "seqeval.f1_score(gold, pred)",
        "seqeval.classification_report(gold, pred)",
    ),
}


def run(work: Work) -> None:
    """All of the section."""
    imports(work)
    memory(work)


def fresh(program: str, *arguments: object) -> str:
    """What a new process prints."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return done.stdout


def imports(work: Work) -> None:
    """Seconds, after a first process that brings everything into the page cache."""
    times: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for turn in range(RUNS + 1):
        for name, statement in IMPORTS.items():
            if name in SLOW and turn > PEER_RUNS:
                continue
            seconds = float(fresh(IMPORT.format(statement)))
            if turn:
                times[name].append(seconds)
    work.record.heading(
        "Time of imports", "One fresh process each time, modules compiled and in the page cache."
    )
    least = statistics.median(times["spanrs"])
    rows = []
    for name, item in times.items():
        middle = statistics.median(item)
        cells = (f"{middle * 1e3:.1f}", f"{min(item) * 1e3:.1f}", len(item), significant(middle / least))
        rows.append((name, *cells))
    work.record.table(("import", "median ms", "least ms", "runs", "times spanrs"), rows)


def memory(work: Work) -> None:
    """Peaks (VmHWM) of processes that read the same two files and score them."""
    if not Path("/proc/self/status").exists():
        work.record.add("No peak memory: this system has no /proc.")
        return
    paths = [work.folder / side for side in ("gold2", "pred2")]
    for path, side in zip(paths, (work.gold, work.pred), strict=True):
        write_file(path, side)
    lists = peak(LOAD, paths)
    rows: list[tuple[str, ...]] = [("nothing but the lists", f"{lists:.1f}", "", "")]
    for statement, calls in MEMORY.items():
        imported = peak(LOAD + statement, paths)
        rows.append((f"`{statement}`", f"{imported:.1f}", f"{imported - lists:.1f}", ""))
        for call in calls:
            most = peak(f"{LOAD}{statement}\n{call}", paths)
            rows.append((f"`{call}`", f"{most:.1f}", f"{most - lists:.1f}", f"{most - imported:.1f}"))
    files = "import sys, spanrs\nspanrs.score(*sys.argv[1:], scheme='BIO')"
    rows.append(("`spanrs.score(*paths, scheme='BIO')`, no lists", f"{peak(files, paths):.1f}", "", ""))
    work.record.heading(
        f"Peak memory, {work.tokens} tokens",
        "Of fresh processes (VmHWM) that read gold and pred from files into lists of lists of str, an "
        "object a token, and score them.",
    )
    heads = ("", "peak MiB", "above the lists, MiB", "above lists and import, MiB")
    work.record.table(heads, rows)


def peak(program: str, paths: Iterable[Path]) -> float:
    """MiB of a process of its own."""
    return int(fresh(program + PEAK, *paths)) / 1024
