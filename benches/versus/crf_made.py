"""Training by the default algorithm beside L-BFGS to convergence, on ten made corpora.

CPU seconds include reading the features. The last column is how far the objective at the default stop is above that of
L-BFGS, relative.

    python -m benches.versus.crf_made
"""

from __future__ import annotations

import random
import time
from typing import Any, NamedTuple

from benches.versus.measure import Record, machine, versions
from spanrs.crf import CRF

Corpus = tuple[list[list[dict[str, str]]], list[list[str]]]


class Case(NamedTuple):
    """Sizes of a corpus, and the penalty."""

    name: str
    labels: int
    sentences: int
    shortest: int
    longest: int
    words: int
    c2: float


CASES = [
    Case("2 labels", 2, 2000, 3, 30, 3000, 1.0),
    Case("200 labels", 200, 600, 5, 25, 4000, 1.0),
    Case("weak penalty", 12, 1500, 3, 30, 3000, 0.01),
    Case("strong penalty", 12, 1500, 3, 30, 3000, 10.0),
    Case("one sentence", 8, 1, 300, 300, 200, 1.0),
    Case("100,000 sentences", 6, 100_000, 1, 4, 20_000, 1.0),
    Case("sentences of one token", 10, 30_000, 1, 1, 5000, 0.1),
    Case("sentences of 100,000 tokens", 9, 2, 100_000, 100_000, 8000, 1.0),
    Case("50 labels", 50, 1500, 5, 25, 5000, 0.1),
    Case("20 labels", 20, 3000, 5, 30, 8000, 3.0),
]


def made(case: Case, seed: int) -> Corpus:
    """Sentences whose labels depend on the word, on the word before, and on chance."""
    rng = random.Random(seed)
    usual = [rng.randrange(case.labels) for _ in range(case.words)]
    sentences, labels = [], []
    for _ in range(case.sentences):
        sentence, tags = [], []
        before = 0
        for _ in range(rng.randint(case.shortest, case.longest)):
            word = min(int(rng.paretovariate(0.7)), case.words) - 1
            label = usual[word]
            if rng.random() <= 0.3:
                label = (before + 1) % case.labels if rng.random() < 0.7 else rng.randrange(case.labels)
            attributes = {"word": word, "a": word % 97, "b": word % 31, "c": rng.randrange(50)}
            sentence.append(
                {name: str(value) for name, value in (*attributes.items(), ("before", before // 3))}
                | {"bias": "1"}
            )
            tags.append(f"L{label}")
            before = word % case.labels
        sentences.append(sentence)
        labels.append(tags)
    return sentences, labels


def trained(corpus: Corpus, **options: Any) -> tuple[float, float, int]:
    """The objective at the end, CPU seconds, and the number of iterations."""
    start = time.process_time()
    crf = CRF(scheme=None, **options).fit(*corpus)
    return crf.history_[-1].loss, time.process_time() - start, len(crf.history_)


def main() -> None:
    """Measure and print the table."""
    record = Record()
    record.add(f"{machine()}, {versions('numpy')}")
    record.add()
    rows = []
    for seed, case in enumerate(CASES):
        corpus = made(case, seed)
        loss, seconds, iterations = trained(corpus, c2=case.c2)
        exact = {"algorithm": "lbfgs", "delta": 0.0, "epsilon": 1e-6, "max_iter": 3000}
        least, exact_seconds, exact_iterations = trained(corpus, c2=case.c2, **exact)
        rows.append(
            (
                f"{case.name}, c2 = {case.c2:g}",
                sum(map(len, corpus[1])),
                f"{loss:.4f}",
                f"{seconds:.2f} ({iterations})",
                f"{exact_seconds:.2f} ({exact_iterations})",
                f"{loss / least - 1:.1e}",
            )
        )
    heads = ("", "tokens", "objective", "s (iterations)", "L-BFGS, s (iterations)", "above L-BFGS")
    record.table(heads, rows)


if __name__ == "__main__":
    main()
