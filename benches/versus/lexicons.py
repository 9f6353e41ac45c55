"""F1 on WNUT 2017 by step: the template, clusters of its training text, a gazetteer of its training names, both.

All lexicons come from the training data. The gazetteer is also measured without leaving one out, which shows why
leaving one out is the default.

    python -m benches.versus.lexicons
"""

from __future__ import annotations

import time
from typing import NamedTuple

import spanrs
from benches.versus.crf_corpora import DATA
from benches.versus.measure import Record, machine, versions
from spanrs.crf import CRF, Clusters, Gazetteer
from spanrs.io.training import tagged

#: The options that suit the template ``ner`` on noisy text.
OPTIONS = {"template": "ner", "c2": 0.3, "min_freq": 3, "threads": 2}


class Part(NamedTuple):
    """Sentences with their tags."""

    tokens: list[list[str]]
    tags: list[list[str]]


def part(name: str) -> Part:
    """Read a file of WNUT 2017."""
    tokens, tags = tagged(spanrs.read(DATA / "wnut17" / name))
    return Part(list(tokens), tags)


def percent(crf: CRF, data: Part) -> str:
    """Precision, recall and F1 of spans."""
    score = spanrs.score(data.tags, crf.predict(data.tokens), scheme="BIO").micro
    return " ".join(f"{100 * value:.2f}" for value in (score.precision, score.recall, score.f1))


def main() -> None:
    """Measure and print the table."""
    record = Record()
    record.add(f"{machine()}, {versions('numpy')}")
    record.add()
    train = part("wnut17train.conll")
    others = [part("emerging.dev.conll"), part("emerging.test.annotated")]
    start = time.perf_counter()
    clusters = Clusters.train(train.tokens, ignore_case=True)
    record.add(f"{clusters!r}, made in {time.perf_counter() - start:.1f} s")
    names = Gazetteer.of(*train, ignore_case=True)
    record.add(f"{names!r}")
    record.add()
    overtrusted = Gazetteer.of(*train, ignore_case=True, leave_one_out=False)
    frequent = Gazetteer.of(*train, ignore_case=True, leave_one_out=False, min_count=2)
    steps: dict[str, dict[str, Gazetteer | Clusters]] = {
        "none": {},
        "clusters": {"brown": clusters},
        "names": {"names": names},
        "clusters and names": {"brown": clusters, "names": names},
        "names, not left out": {"names": overtrusted},
        "names in two sentences or more, not left out": {"names": frequent},
    }
    rows = []
    for step, lexicons in steps.items():
        start = time.perf_counter()
        crf = CRF(lexicons=lexicons or None, **OPTIONS).fit(*train)
        seconds = time.perf_counter() - start
        rows.append((step, *(percent(crf, data) for data in others), f"{seconds:.1f}"))
    record.table(("lexicons", "development, P R F1", "test, P R F1", "s to train"), rows)


if __name__ == "__main__":
    main()
