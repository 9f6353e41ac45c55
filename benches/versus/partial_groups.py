"""Section partial_groups: partial matching of spans that all overlap each other; time, memory, Ctrl-C."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benches.versus.measure import Work

PACKAGES = ("numpy",)
ROOT = Path(__file__).parent.parent.parent
#: Spans a side: n, 2n, 4n.
SIZES = {"equal": (2000, 4000, 8000), "nested": (1000, 2000, 4000), "chained": (5000, 10_000, 20_000)}
CALLS = {
    "greedy": "matcher='partial'",
    "optimal": "matcher=spanrs.Partial(matching='optimal')",
    "optimal, details": "matcher=spanrs.Partial(matching='optimal'), details=True",
}
#: Timeout of a call in seconds.
PATIENCE = 60
GIVEN_UP = (f"> {PATIENCE}", "?")
#: Seconds before the interrupt.
ALARM = 1.0


def run(work: Work) -> None:
    """All families, n, 2n and 4n, each call in a process of its own."""
    package = os.environ.get("SPANRS_PACKAGE")
    work.record.heading(
        "n, 2n, 4n spans a side",
        "`equal`: all gold spans [0, 5), all pred spans [1, 6). `nested`: [2i, 4n - 2i), pred shifted by "
        "1. `chained`: [10i, 10i + 105), pred shifted by 1: each span overlaps its ten neighbours on both "
        "sides. One document, one type. Seconds of one call, peak resident memory beyond what the "
        f"process had before the call. Calls are given up after {PATIENCE} s."
        + (f" Package: {package}." if package else ""),
    )
    rows = []
    for family, sizes in SIZES.items():
        for name, options in CALLS.items():
            row: list[object] = []
            for size in sizes:
                # A call that times out is not repeated with more spans.
                given_up = row and row[-1] == GIVEN_UP[-1]
                row += [size, *(GIVEN_UP if given_up else child(MEASURE, family, size, options))]
            rows.append((family, name, *row))
    heads = ("n", "s", "MiB", "2n", "s", "MiB", "4n", "s", "MiB")
    work.record.table(("", "", *heads), rows)
    work.record.heading(
        "Ctrl-C",
        f"Seconds from a signal, {ALARM:g} s after the call began, to the KeyboardInterrupt.",
    )
    calls = {
        "greedy": ("nested", 100_000),
        "optimal": ("nested", 4000),
        "optimal, details": ("nested", 4000),
    }
    rows = []
    for name, (family, size) in calls.items():
        (late, *_) = child(INTERRUPT, family, size, CALLS[name])
        rows.append((name, family, size, late))
    work.record.table(("", "", "n", "s"), rows)


def child(code: str, family: str, size: int, options: str) -> tuple[str, ...]:
    """Code of a process that runs a call and prints its measurements."""
    folder = os.environ.get("SPANRS_PACKAGE", str(ROOT / "python"))
    command = [
        sys.executable,
        "-c",
        FAMILIES + code.replace("OPTIONS", options),
        family,
        str(size),
        str(ALARM),
    ]
    environment = os.environ | {"PYTHONPATH": folder}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=ROOT,
            env=environment,
            timeout=PATIENCE,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return GIVEN_UP
    return tuple(done.stdout.split())


FAMILIES = """
import signal, sys, time
import spanrs

def family(name, n, shift):
    if name == "equal":
        return [("A", shift, 5 + shift)] * n
    if name == "nested":
        return [("A", 2 * at + shift, 4 * n + shift - 2 * at) for at in range(n)]
    return [("A", 10 * at + shift, 10 * at + 105 + shift) for at in range(n)]

name, n = sys.argv[1], int(sys.argv[2])
gold, pred = [family(name, n, 0)], [family(name, n, 1)]
"""

MEASURE = """
def kibibytes(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

before, begin = kibibytes("VmRSS"), time.perf_counter()
spanrs.score(gold, pred, OPTIONS)
print(f"{time.perf_counter() - begin:.3f} {(kibibytes('VmHWM') - before) / 1024:.1f}")
"""

INTERRUPT = """
signal.signal(signal.SIGALRM, signal.default_int_handler)
alarm = float(sys.argv[3])
signal.setitimer(signal.ITIMER_REAL, alarm)
begin = time.perf_counter()
try:
    while True:
        spanrs.score(gold, pred, OPTIONS)
except KeyboardInterrupt:
    print(f"{time.perf_counter() - begin - alarm:.3f}")
"""
