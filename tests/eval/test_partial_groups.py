"""Partial matching of many spans that overlap each other: limits, memory, Ctrl-C."""

from __future__ import annotations

import subprocess
import sys

import pytest

import spanrs
from spanrs.errors import LimitError


def nested(n, shift=0):
    return [("A", 2 * at + shift, 4 * n + shift - 2 * at) for at in range(n)]


def chained(n, shift=0):
    return [("A", 10 * at + shift, 10 * at + 105 + shift) for at in range(n)]


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.parametrize("matching", ["greedy", "optimal"])
def test_thousands_of_equal_spans_are_paired(matching):
    gold, pred = [("A", 0, 5)] * 3000, [("A", 1, 6)] * 2000
    result = spanrs.score([gold], [pred], matcher=spanrs.Partial(matching=matching), details=True)
    assert tuple(result["overlap"].outcomes.items()) == (
        ("correct", 0),
        ("incorrect", 0),
        ("partial", 2000),
        ("missed", 1000),
        ("spurious", 0),
    )
    missed = [detail for detail in result.details["overlap"] if detail.outcome == "missed"]
    places = [(detail.sentence, detail.gold_index) for detail in missed]
    assert places == [(0, at) for at in range(2000, 3000)]


@pytest.mark.parametrize("family", [nested, chained])
def test_shifted_spans_are_paired_in_order(family):
    result = spanrs.score(
        [family(300)], [family(300, 1)], matcher=spanrs.Partial(matching="optimal"), details=True
    )
    assert tuple(result["overlap"].outcomes.values()) == (0, 0, 300, 0, 0)
    assert tuple(result["type"].outcomes.values()) == (300, 0, 0, 0, 0)


def test_groups_beyond_the_limit_are_refused_with_what_to_do():
    spans = nested(4100)
    with pytest.raises(LimitError) as raised:
        spanrs.score([[], spans], [[], spans], matcher=spanrs.Partial(matching="optimal"))
    message = str(raised.value)
    assert message.startswith("sentence 1: 4100 gold and 4100 pred spans between 0 and 16400 overlap")
    assert "16777216 pairs" in message
    assert 'matching="greedy", raise min_overlap, or split the document' in message
    assert (raised.value.code, raised.value.sentence) == ("too_many_pairs", 1)


def test_a_refused_batch_counts_nothing():
    scorer = spanrs.Scorer(matcher=spanrs.Partial(matching="optimal"))
    spans = nested(4100)
    with pytest.raises(LimitError):
        scorer.update([[("A", 0, 1)], spans], [[("A", 0, 1)], spans])
    assert scorer.result().sentences == 0


#: Prints the delay of the interrupt after an alarm of 0.5 s.
INTERRUPTED = """
import signal, time
import spanrs
from spanrs.compat import nervaluate

def nested(n, shift):
    bounds = [(2 * at + shift, 4 * n + shift - 2 * at) for at in range(n)]
    return [("A" if start % 3 else "B", start, end) for start, end in bounds]

def dicts(spans):
    return [{"label": ty, "start": start, "end": end} for ty, start, end in spans]

# Modules are loaded by the first call. An interrupt while one of them runs `exec` of a string, as dataclasses do, makes
# CPython 3.11 exit as if nobody had caught it.
for size in (1, SIZE):
    sides = [nested(size, 0)], [nested(size, 1)]
    sides_of_dicts = [[dicts(side[0])] for side in sides]
    if size == 1:
        CALL
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.5)
begin = time.perf_counter()
try:
    CALL
except KeyboardInterrupt:
    print("stopped", time.perf_counter() - begin - 0.5)
"""

CALLS = {
    "greedy": (60_000, "spanrs.score(*sides, matcher='partial')"),
    "optimal": (
        4000,
        "[spanrs.score(*sides, matcher=spanrs.Partial(matching='optimal')) for _ in range(50)]",
    ),
    "details": (
        4000,
        "[spanrs.score(*sides, matcher=spanrs.Partial(matching='optimal'), details=True) for _ in range(50)]",
    ),
    "nervaluate": (
        60_000,
        "nervaluate.Evaluator(*sides_of_dicts, tags=['A', 'B'], loader='dict').evaluate()",
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_matching_can_be_interrupted(name):
    size, call = CALLS[name]
    stopped, late = run(INTERRUPTED.replace("SIZE", str(size)).replace("CALL", call))
    assert stopped == "stopped"
    # The documented limit is a fifth of a second; busy machines take longer.
    assert float(late) < 2.0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("matching", ["greedy", "optimal"])
def test_memory_is_that_of_one_group(matching):
    code = (
        "import spanrs\n"
        "def kibibytes(name):\n"
        "    lines = open('/proc/self/status')\n"
        "    return next(int(line.split()[1]) for line in lines if line.startswith(name))\n"
        # 20 groups of a million pairs each: all of them at once are 80 megabytes at least.
        "group = lambda base: [('A', base + at, base + 2000 - at) for at in range(1000)]\n"
        "spans = [span for at in range(20) for span in group(3000 * at)]\n"
        "before = kibibytes('VmRSS')\n"
        f"spanrs.score([spans], [spans[1:]], matcher=spanrs.Partial(matching={matching!r}))\n"
        "print(kibibytes('VmHWM') - before)\n"
    )
    (kibibytes,) = run(code)
    assert int(kibibytes) < 40 * 1024
