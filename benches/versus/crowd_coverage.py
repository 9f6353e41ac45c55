"""Coverage of intervals of annotators; writes benches/record/DATE-crowd-coverage.md.

Annotators with independent errors label simulated sentences. The true score of an annotator is that of the simulation:
F1 on many sentences, as a function of the rate of errors. One thread.

    python -m benches.versus.crowd_coverage [--only truth,estimate] [--errors KIND] [--runs N] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benches.versus.measure import Record, machine, versions
from spanrs.crowd import CrowdCorpus, rank_annotators
from spanrs.crowd.aggregator import reliability
from spanrs.crowd.experiments import METHODS, Settings, make_method, prf
from spanrs.crowd.intervals import truth_intervals

HERE = Path(__file__).parent.parent
TYPES = ("PER", "LOC", "ORG")
SENTENCES = 150
MANY = 10_000
#: Rates of errors at which the true score is measured; between them it is interpolated.
RATES = np.linspace(0.1, 0.6, 26)
Labels = list[list[str]]
Annotate = Callable[[np.random.Generator, Labels, float], Labels]
#: Methods without a CRF, which are fast enough for 200 runs.
FAST = [name for name in METHODS if "CRF" not in name and name != "CrossFitted"]


class Cell(NamedTuple):
    """A kind of corpus."""

    errors: str
    annotators: int
    #: Annotators of each sentence.
    each: int


def sentences(rng: np.random.Generator, number: int) -> Labels:
    """Sentences of 12 tokens on average, with spans of three types and one to three tokens."""
    collected = []
    for _ in range(number):
        length = max(2, int(rng.poisson(12)))
        tags: list[str] = []
        while len(tags) < length:
            if rng.random() < 0.22:
                kind = TYPES[int(rng.choice(3, p=[0.5, 0.3, 0.2]))]
                size = min(int(rng.integers(1, 4)), length - len(tags))
                tags += [f"B-{kind}", *[f"I-{kind}"] * (size - 1)]
            else:
                tags.append("O")
        collected.append(tags)
    return collected


def spans(tags: list[str]) -> list[tuple[int, int, str]]:
    """First token, end and type of each span."""
    starts = [at for at, tag in enumerate(tags) if tag[0] == "B"]
    collected = []
    for start in starts:
        end = start + 1
        while end < len(tags) and tags[end][0] == "I":
            end += 1
        collected.append((start, end, tags[start][2:]))
    return collected


def span_errors(rng: np.random.Generator, gold: Labels, rate: float) -> Labels:
    """Of 10 spans in error, remove 4, change the type of 2 and the boundaries of 4, and add spans of one token."""
    collected = []
    for tags in gold:
        values = ["O"] * len(tags)
        for first, last, name in spans(tags):
            start, end, kind, draw = first, last, name, rng.random() / rate
            if draw < 0.4:
                continue
            if draw < 0.6:
                kind = TYPES[int(rng.integers(3))]
            elif draw < 1.0:
                bound = int(rng.integers(3))
                if bound == 0 and end - start > 1:
                    start += 1
                elif bound == 1 and end - start > 1:
                    end -= 1
                elif end < len(tags) and tags[end] == "O":
                    end += 1
            values[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
        for at, tag in enumerate(tags):
            if tag == values[at] == "O" and rng.random() < 0.06 * rate:
                values[at] = f"B-{TYPES[int(rng.integers(3))]}"
        collected.append(values)
    return collected


def replaced_labels(rng: np.random.Generator, gold: Labels, rate: float) -> Labels:
    """Replace labels at random, at half the rate of wrong spans in :func:`span_errors`."""
    names = ["O", *(prefix + kind for kind in TYPES for prefix in ("B-", "I-"))]
    place = {name: at for at, name in enumerate(names)}

    def label(tag: str) -> str:
        if rng.random() >= rate / 2.4:
            return tag
        return names[(place[tag] + int(rng.integers(1, len(names)))) % len(names)]

    return [[label(tag) for tag in tags] for tags in gold]


ERRORS: dict[str, Annotate] = {"labels replaced": replaced_labels, "errors of spans": span_errors}


@cache
def true_scores(errors: str) -> list[float]:
    """F1 of annotators by :data:`RATES`."""
    rng = np.random.default_rng(0)
    gold = sentences(rng, MANY)
    return [prf(gold, ERRORS[errors](rng, gold, rate), "BIO").f1 for rate in RATES.tolist()]


def simulate(cell: Cell, seed: int) -> tuple[CrowdCorpus, Labels, list[float]]:
    """Return a corpus, its true labels, and the true F1 of each annotator."""
    rng = np.random.default_rng([seed, cell.annotators, cell.each, list(ERRORS).index(cell.errors)])
    gold = sentences(rng, SENTENCES)
    rates = rng.uniform(0.1, 0.6, cell.annotators).tolist()
    annotate = ERRORS[cell.errors]
    answers = [annotate(rng, gold, rate) for rate in rates]
    true = np.interp(rates, RATES, true_scores(cell.errors)).tolist()
    chosen = [rng.choice(cell.annotators, cell.each, replace=False).tolist() for _ in gold]
    names = [str(number + 1) for number in range(cell.annotators)]
    given = [
        {names[annotator]: answers[annotator][at] for annotator in sorted(values)}
        for at, values in enumerate(chosen)
    ]
    words = [[f"w{int(word)}" for word in rng.integers(0, 500, len(tags))] for tags in gold]
    return CrowdCorpus(words, given, annotators=names, scheme="BIO"), gold, true


def inside(intervals: list[tuple[float, float] | None], values: list[float]) -> list[bool]:
    """Return which intervals contain their value."""
    pairs = zip(intervals, values, strict=True)
    return [row is not None and row[0] <= value <= row[1] for row, value in pairs]


CELLS = [
    Cell(errors, annotators, each)
    for errors in ERRORS
    for annotators, each in ((3, 3), (5, 5), (20, 20), (20, 3), (2, 2))
]


def coverage(record: Record, runs: int, kinds: list[str]) -> None:
    """Intervals of the score against the true labels."""
    record.heading(
        "Intervals of the score against the true labels",
        f"`truth_intervals`, {runs} runs of {SENTENCES} sentences; shares of 95 % intervals. They are computed from "
        "the annotations alone, so they are the same for every method. 'below' and 'above' are intervals that lie "
        "below and above the true F1; 'this corpus' counts F1 against the true labels of the corpus itself. Standard "
        "errors take the annotators of a run as dependent.",
    )
    rows = []
    for cell in [cell for cell in CELLS if cell.errors in kinds]:
        began = time.perf_counter()
        hits, below, above, corpora, widths, by_run = [], [], [], [], [], []
        for seed in range(runs):
            corpus, gold, true = simulate(cell, seed)
            documents_read = truth_intervals(corpus, seed=seed)
            values = inside(documents_read, true)
            hits += values
            by_run.append(np.mean(values))
            ends = [interval or (0.0, 1.0) for interval in documents_read]
            below += [high < value for (_, high), value in zip(ends, true, strict=True)]
            above += [low > value for (low, _), value in zip(ends, true, strict=True)]
            corpora += inside(documents_read, list(reliability(corpus, gold).values()))
            widths += [high - low for low, high in ends]
        error = np.std(by_run) / np.sqrt(runs)
        shares = [f"{100 * np.mean(part):.1f}" for part in (hits, below, above, corpora)]
        shares[0] += f" ±{100 * error:.1f}"
        seconds = f"{time.perf_counter() - began:.0f}"
        rows.append(
            (cell.errors, cell.annotators, cell.each, *shares, f"{100 * np.mean(widths):.1f}", seconds)
        )
        print(rows[-1], flush=True)
    heads = (
        "errors",
        "annotators",
        "of a sentence",
        "coverage, %",
        "below",
        "above",
        "this corpus",
        "mean width",
    )
    record.table((*heads, "seconds"), rows)


def given_estimate(record: Record, runs: int, kinds: list[str]) -> None:
    """Intervals given the estimate."""
    record.heading(
        "Intervals given the estimate, by method",
        f"Percentile intervals of F1 against the estimated truth, 200 resamples of sentences, in the first {runs} runs "
        "of the same simulations: share of 95 % intervals that contain the true F1.",
    )
    cells = [cell for cell in CELLS if cell.errors in kinds and cell.each == cell.annotators > 2]
    rows = []
    for name in FAST:
        shares = []
        for cell in cells:
            hits = []
            for seed in range(runs):
                corpus, _, true = simulate(cell, seed)
                truth = make_method(name, Settings(), corpus).fit(corpus).labels_
                scores = {
                    row.annotator: row.interval for row in rank_annotators(corpus, truth, samples=200)
                }
                hits += inside([scores[annotator] for annotator in corpus.annotators], true)
            shares.append(f"{100 * np.mean(hits):.1f}")
        rows.append((name, *shares))
        print(rows[-1], flush=True)
    record.table(("method", *(f"{cell.errors}, {cell.annotators}" for cell in cells)), rows)


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="truth,estimate")
    parser.add_argument("--errors", choices=list(ERRORS), action="append", help="Both by default.")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--output", type=Path, default=HERE / "record")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    record = Record()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    record.add(f"# {today}: coverage of the intervals of annotators")
    record.add()
    record.add(
        f"`python -m benches.versus.crowd_coverage` on {machine()}, {versions('numpy')}. One thread."
    )
    record.add()
    for name, section in (("truth", coverage), ("estimate", given_estimate)):
        if name in given.only.split(","):
            section(record, given.runs, given.errors or list(ERRORS))
    (given.output / f"{today}-crowd-coverage.md").write_text("\n".join(record.lines), encoding="utf-8")


if __name__ == "__main__":
    main()
