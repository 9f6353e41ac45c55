"""Calibration of the test over seeds and documents: false positives and power in simulations.

    python -m benches.seed_calibration [--runs 2000] [--samples 400] [--output FILE]

Two systems label 200 documents with five gold spans each. A span is found with a probability that depends on the
document, on the system and the document, on the seed, and on the seed and the document. The deviation between seeds is
given in units of the noise of documents: the standard deviation, over corpora of 200 documents, of the F1 of a system
without seeds. False positives are shares of p <= 0.05 for equal systems; power is for a difference of three times the
noise.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import spanrs

DOCUMENTS, SPANS = 200, 5
SEEDS, DEVIATIONS = (3, 5, 10), (0.3, 1.0, 3.0)
#: Deviations of the log-odds over documents, systems and documents, and seeds and documents; mean log-odds.
DEVIATION_OF = {"documents": 0.8, "systems": 0.5, "seeds": 0.3}
MEAN = 0.8
GOLD = [["B-X", "O"] * SPANS] * DOCUMENTS


def draw_found_spans(rng: np.random.Generator, shifts: list[list[float]]) -> Iterator[list[np.ndarray]]:
    """Yield for each system the found spans of each seed, shape (documents, spans); shifts are in log-odds."""
    common = rng.normal(0, DEVIATION_OF["documents"], DOCUMENTS)
    for of_seeds in shifts:
        of_system = rng.normal(0, DEVIATION_OF["systems"], DOCUMENTS)
        yield [_draw(rng, MEAN + common + of_system + shift) for shift in of_seeds]


def _draw(rng: np.random.Generator, log_odds: np.ndarray) -> np.ndarray:
    """Draw which spans of each document are found."""
    log_odds = log_odds + rng.normal(0, DEVIATION_OF["seeds"], DOCUMENTS)
    return rng.random((DOCUMENTS, SPANS)) < 1 / (1 + np.exp(-log_odds))[:, None]


def noise_and_slope(rng: np.random.Generator) -> tuple[float, float]:
    """Return the noise of documents in F1, and the change of F1 by log-odds, by simulation."""
    pairs = [[f1(one) for [one] in draw_found_spans(rng, [[0.0], [0.0]])] for _ in range(1000)]
    noise = float(np.std([a - b for a, b in pairs]) / np.sqrt(2))
    step = 0.1
    means = [
        np.mean([f1(one) for _ in range(1000) for [one] in draw_found_spans(rng, [[shift]])])
        for shift in (-step, step)
    ]
    return noise, float(means[1] - means[0]) / (2 * step)


def f1(spans: np.ndarray) -> float:
    """Return the F1 of found spans without spurious ones."""
    share = float(spans.mean())
    return 2 * share / (1 + share)


def result(spans: np.ndarray) -> spanrs.Result:
    """Score found spans."""
    tags = [[tag for is_found in row for tag in ("B-X" if is_found else "O", "O")] for row in spans]
    return spanrs.score(GOLD, tags, scheme="BIO", by=[1] * DOCUMENTS)


def share_significant(
    rng: np.random.Generator, seeds: int, scale: float, difference: float, options: Any
) -> float:
    """Return the share of significant comparisons; the scale of seeds and the difference are in log-odds."""
    significant = 0
    for at in range(options.runs):
        shifts = [list(rng.normal(mean, scale, seeds)) for mean in (0.0, difference)]
        a, b = draw_found_spans(rng, shifts)
        systems = {"a": [result(one) for one in a], "b": [result(one) for one in b]}
        pair = spanrs.compare(systems, samples=options.samples, seed=at).pair("a", "b")
        significant += pair.p_value <= 0.05
    return significant / options.runs


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--power-runs", type=int, default=500)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    noise, slope = noise_and_slope(rng)
    lines = [
        f"{options.runs} runs (power: {options.power_runs}), {options.samples} resamples; "
        f"noise of documents {100 * noise:.2f}",
        "",
        "| seeds | deviation / noise | false positives at 0.05 | power at a difference of 3 noise |",
        "|---|---|---|---|",
    ]
    print(*lines, sep="\n", flush=True)
    start = time.perf_counter()
    for seeds in SEEDS:
        for deviation in DEVIATIONS:
            scale = deviation * noise / slope
            false = share_significant(rng, seeds, scale, 0.0, options)
            power_options = argparse.Namespace(runs=options.power_runs, samples=options.samples)
            power = share_significant(rng, seeds, scale, 3 * noise / slope, power_options)
            lines.append(f"| {seeds} | {deviation:g} | {100 * false:.1f} % | {100 * power:.0f} % |")
            print(lines[-1], flush=True)
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
