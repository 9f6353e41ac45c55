"""Processes forked while other threads score."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

#: Forks processes while four threads use a module for the first time and afterwards; each process also scores.
PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import spanrs

ids = np.array([0, 1, 2, 1, 0] * 100)
gold = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"]] * 50
pred = [["B-PER", "I-PER", "O", "O"], ["O", "B-LOC"]] * 50
stop = False


def use():
    for sides in ((gold, pred, {}), (ids, ids, {"vocabulary": ["O", "B-A", "I-A"]})):
        result = spanrs.score(sides[0], sides[1], **sides[2])
        result.micro, result.warnings, result.to_dict(), str(result)


def run():
    while not stop:
        use()


threads = [threading.Thread(target=run, daemon=True) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(int(sys.argv[1])):
    child = os.fork()
    if child == 0:
        use()
        os._exit(0)
    end = time.monotonic() + 20
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            sys.exit("a forked process hangs")
        time.sleep(0.001)
    if status:
        sys.exit(f"a forked process ended with {status}")
stop = True
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("forks", [1, 60])
def test_forked_processes_score(forks):
    # One fork meets the first imports of the threads, the others the calls.
    for _ in range(5 if forks == 1 else 1):
        done = subprocess.run(
            [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM, str(forks)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
