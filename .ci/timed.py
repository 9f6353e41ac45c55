"""Run make targets one after the other, and print the wall and CPU time of each at the end.

Run as ``python .ci/timed.py MAKE TARGET...`` with the standard library alone, on any system with GNU make. The first
target that fails ends the run with its exit status, after the summary. CPU time is the time of all processes that the
target has started and waited for; on a shared machine it is the figure to compare.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time


def cpu_time() -> float:
    """Return the CPU time in seconds of all child processes that have ended, including their own children."""
    times = os.times()
    return times.children_user + times.children_system


def run(command: list[str]) -> int:
    """Run a command, which shares the terminal, and return its exit status as a shell would."""
    with subprocess.Popen(command) as process:
        while True:
            try:
                status = process.wait()
                return status if status >= 0 else 128 - status
            except KeyboardInterrupt:
                # The terminal has interrupted make too; its exit status follows.
                continue


def main(arguments: list[str]) -> int:
    """Run the targets and return the exit status of the last one."""
    if len(arguments) < 2:
        print("usage: timed.py MAKE TARGET...", file=sys.stderr)
        return 2
    make, *targets = arguments
    rows = []
    status = 0
    for target in targets:
        wall, cpu = time.monotonic(), cpu_time()
        # Each target is one call, so that make's own options (MAKEFLAGS) apply to it.
        status = run([make, "--no-print-directory", target])
        rows.append(
            (
                target,
                time.monotonic() - wall,
                cpu_time() - cpu,
                f"failed with {status}" if status else "passed",
            )
        )
        if status:
            break
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows), ""))
    sys.stdout.flush()
    print(f"\n{'part':<14}{'wall min':>9}{'CPU min':>9}")
    for name, wall, cpu, outcome in rows:
        print(f"{name:<14}{wall / 60:>9.1f}{cpu / 60:>9.1f}  {outcome}".rstrip())
    for target in targets[len(rows) - 1 :]:
        print(f"{target:<14}{'':>9}{'':>9}  not run")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
