"""Section significance: intervals and paired tests of WNUT17, compared with numpy on the counts of sentences.

Needs WNUT17 (`data/wnut17` beside the recorded cases; SPANRS_SHARED says where).
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

import spanrs
from benches.versus.measure import Call, Work, in_turn, milliseconds
from spanrs._spanrs import Systems
from spanrs.eval import Measure
from spanrs.eval.measures import f1_measures

PACKAGES = ("numpy",)
ROOT = Path(__file__).parent.parent.parent
SAMPLES = 10_000


def run(work: Work) -> None:
    """Resamples and randomisations of two submissions, then the comparison of all five."""
    shared = Path(os.environ.get("SPANRS_SHARED", ROOT.parent / "shared"))
    folder = shared / "data" / "wnut17"
    gold = folder / "emerging.test.annotated"
    preds = sorted(map(str, (folder / "submissions").iterdir()))
    results = {Path(name).name: spanrs.score(gold, name, by="sentence", errors=True) for name in preds}
    first, second = list(results)[:2]
    single = results[first]
    systems = Systems([results[name].counts for name in (first, second)], [first, second])
    micro = [Measure().compiled(single.matcher)]
    every = [measure.compiled(single.matcher) for measure in f1_measures(list(single.per_type))]
    a, b = (counts_of_sentences(results[name]) for name in (first, second))
    calls: dict[str, Call] = {
        "bootstrap, micro F1": lambda: single.bootstrap(Measure(), samples=SAMPLES),
        "bootstrap, micro, macro and F1 of 6 types": lambda: single.bootstrap(samples=SAMPLES),
        "numpy: bootstrap, micro F1": lambda: numpy_bootstrap(a),
        "randomisation, micro F1": lambda: systems.randomise((0, 1), micro, SAMPLES, 0, 1),
        "randomisation, micro, macro and F1 of 6 types": lambda: systems.randomise(
            (0, 1), every, SAMPLES, 0, 1
        ),
        "numpy: randomisation, micro F1": lambda: numpy_randomisation(a, b),
        "compare, two systems with types": lambda: spanrs.compare(
            {name: results[name] for name in (first, second)}
        ),
        "compare, five systems with types": lambda: spanrs.compare(results),
    }
    work.record.heading(
        f"{SAMPLES:,} resamples of the sentences of WNUT17, and {SAMPLES:,} paired randomisations",
        "One thread. numpy has (TP, FP, FN) of each sentence in an array and vectorises over samples, 100 at a time.",
    )
    rows = [
        (name, milliseconds(timing.median), milliseconds(timing.least), timing.runs)
        for name, timing in in_turn(calls).items()
    ]
    work.record.table(("what", "median ms", "least ms", "runs"), rows)
    work.record.heading("Five submissions of WNUT17", "`spanrs.compare`, micro F1 of exact spans.")
    pairs = [
        (p.a, p.b, f"{100 * p.difference:+.2f}", f"{p.p_value:.4f}", f"{p.p_holm:.4f}")
        for p in spanrs.compare(results).pairs
    ]
    work.record.table(("a", "b", "a - b", "p", "p Holm"), pairs)


def counts_of_sentences(result: spanrs.Result) -> np.ndarray:
    """TP, FP and FN of each sentence."""
    return np.array([row.totals for row in result.documents], dtype=np.int64)


def f1(totals: np.ndarray) -> np.ndarray:
    """F1 of rows of TP, FP and FN."""
    tp, fp, fn = totals[..., 0], totals[..., 1], totals[..., 2]
    return 2 * tp / np.maximum(2 * tp + fp + fn, 1)


def numpy_bootstrap(counts: np.ndarray) -> np.ndarray:
    """F1 of resampled corpora."""
    rng = np.random.default_rng(0)
    collected = []
    for _ in range(SAMPLES // 100):
        drawn = rng.integers(0, len(counts), (100, len(counts)))
        collected.append(f1(counts[drawn].sum(axis=1)))
    return np.concatenate(collected)


def numpy_randomisation(a: np.ndarray, b: np.ndarray) -> float:
    """The p-value of the difference in F1."""
    rng = np.random.default_rng(0)
    observed = abs(f1(a.sum(axis=0)) - f1(b.sum(axis=0)))
    n = 0
    for _ in range(SAMPLES // 100):
        kept = rng.integers(0, 2, (100, len(a), 1))
        first = (a * kept + b * (1 - kept)).sum(axis=1)
        second = (b * kept + a * (1 - kept)).sum(axis=1)
        n += int((np.abs(f1(first) - f1(second)) >= observed - 1e-12).sum())
    return (n + 1) / (SAMPLES + 1)
