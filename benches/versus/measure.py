"""Taking times, and writing down what came of it."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import spanrs

Call = Callable[[], object]

#: Runs of our own calls, and of a peer's.
RUNS = 11
PEER_RUNS = 7
#: A run of a peer sweeps the caches; of three runs of ours after it, two find them as a user's loop does.
OWN_RUNS_A_ROUND = 3


class Timing(NamedTuple):
    """Seconds."""

    median: float
    least: float
    runs: int


def once(call: Call) -> float:
    """Seconds of one run."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _timing(times: list[float]) -> Timing:
    return Timing(statistics.median(times), min(times), len(times))


def median(call: Call, runs: int = RUNS) -> Timing:
    """Seconds of one call."""
    return _timing([once(call) for _ in range(runs)])


def in_turn(calls: Mapping[str, Call], runs: int = RUNS) -> dict[str, Timing]:
    """Calls that are compared with each other, one after the other in each round."""
    gc.collect()
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            times[name].append(once(call))
    return {name: _timing(item) for name, item in times.items()}


def beside(
    values: Mapping[str, Call], peers: Mapping[str, Call], rounds: int = PEER_RUNS
) -> dict[str, Timing]:
    """Our calls and the peers', in turn: both see the same minutes of a machine whose speed wanders."""
    gc.collect()
    times: dict[str, list[float]] = {name: [] for name in (*values, *peers)}
    for _ in range(rounds):
        for peer, peer_call in peers.items():
            for name, call in values.items():
                times[name].extend(once(call) for _ in range(OWN_RUNS_A_ROUND))
            times[peer].append(once(peer_call))
    return {name: _timing(item) for name, item in times.items()}


def until(call: Call, runs: int = PEER_RUNS, enough: float = 3.0) -> Timing:
    """As :func:`median`, but once where a run takes long."""
    first = once(call)
    return _timing([first] if first > enough else [first, *(once(call) for _ in range(runs - 1))])


class Record:
    """Lines that are printed and kept."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, line: str = "") -> None:
        """Print and keep a line."""
        print(line, flush=True)
        self.lines.append(line)

    def heading(self, text: str, note: str = "") -> None:
        """A section, and what is to be known of it."""
        self.add(f"## {text}")
        self.add()
        if note:
            self.add(note)
            self.add()

    def table(self, heads: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
        """A table; rows are written as they come."""
        heads = list(heads)
        self.add(f"| {' | '.join(heads)} |")
        self.add("|---" * len(heads) + "|")
        for row in rows:
            self.add(f"| {' | '.join(map(str, row))} |")
        self.add()

    def timings(
        self, item: Mapping[str, Timing], tokens: int, head: str, ratio: Callable[[float], float]
    ) -> None:
        """A row a call, with the ratio of its median under `head`."""
        self.table(
            ("", "median ms", "least ms", "runs", "Mtok/s (median)", "Mtok/s (least)", head),
            (
                (
                    name,
                    milliseconds(row.median),
                    milliseconds(row.least),
                    row.runs,
                    significant(tokens / row.median / 1e6),
                    significant(tokens / row.least / 1e6),
                    significant(ratio(row.median)),
                )
                for name, row in item.items()
            ),
        )


def milliseconds(seconds: float) -> str:
    """Two digits behind the point, for as long as they say something."""
    return f"{seconds * 1e3:.{2 if seconds < 1 else 0}f}"


def significant(number: float) -> str:
    """Three digits, of large numbers all before the point."""
    return f"{number:.0f}" if number >= 100 else f"{number:.3g}"


def over(timing: Timing) -> Callable[[float], float]:
    """For tables: how many times the row's median goes into this one."""
    return lambda median: timing.median / median


def times(timing: Timing) -> Callable[[float], float]:
    """For tables: the row's median in times of this one."""
    return lambda median: median / timing.median


@dataclass
class Work:
    """What a section gets: the corpus, a folder for files, and where to write."""

    tokens: int
    gold: list[list[str]]
    pred: list[list[str]]
    folder: Path
    machine: str
    """What was measured on, and how busy it was before."""
    record: Record = field(default_factory=Record)


def versions(*packages: str) -> str:
    """Name spanrs, Python and packages with their versions."""
    names = [f"Python {platform.python_version()}", f"spanrs {spanrs.__version__}"]
    return ", ".join([*names, *(f"{name} {version(name)}" for name in packages)])


def machine() -> str:
    """What was measured on, and how busy it was."""
    load = f", load average {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return f"{processor()}, {os.cpu_count()} cores, {platform.system()}{load}"


def processor() -> str:
    """What the machine calls its processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()
