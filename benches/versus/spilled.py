"""Training on ten million tokens in memory and from a temporary file, and learning in batches.

The sentences are those of WNUT 2017 with a third of the tokens replaced by others of the same tag, and one in fifty
by a new word, made on the fly. Both ways run at the same time, each in a process of its own. Memory is the largest size
of the process.

    python -m benches.versus.spilled [tokens] [tolerance]
"""

from __future__ import annotations

import hashlib
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import spanrs
from benches.versus.crf_corpora import DATA
from benches.versus.measure import Record, machine, versions
from spanrs.crf import CRF
from spanrs.io.training import tagged

#: Numbers of batches of WNUT 2017.
BATCHES = (1, 5, 20, 100)
MIN_FREQ = 10


class Made:
    """So many tokens of sentences that resemble those of WNUT 2017."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        sentences, labels = tagged(DATA / "wnut17" / "wnut17train.conll")
        self.source = [(list(s), list(tags)) for s, tags in zip(sentences, labels, strict=True)]
        self.by_tag: dict[str, list[str]] = {}
        for words, tags in self.source:
            for word, tag in zip(words, tags, strict=True):
                self.by_tag.setdefault(tag, []).append(word)

    def sentences(self) -> Iterator[tuple[list[str], list[str]]]:
        """Tokens and tags, the same each time."""
        rng, made = random.Random(0), 0
        while made < self.tokens:
            words, tags = self.source[int(rng.random() * len(self.source))]
            made += len(words)
            yield [self.word(rng, *pair) for pair in zip(words, tags, strict=True)], tags

    def word(self, rng: random.Random, word: str, tag: str) -> str:
        """A token in place of another."""
        draw = rng.random()
        if draw < 0.3:
            others = self.by_tag[tag]
            return others[int(rng.random() * len(others))]
        return f"{word}{rng.randrange(100_000)}" if draw < 0.32 else word


def run(way: str, tokens: int, tol: float) -> dict[str, Any]:
    """Train one way, in this process."""
    made = Made(tokens)
    y = [list(tags) for _, tags in made.sentences()]
    options: dict[str, Any] = {"template": "ner", "min_freq": MIN_FREQ, "tol": tol}
    with tempfile.TemporaryDirectory() as folder:
        if way == "file":
            options |= {"max_memory": 0, "spill_dir": folder}
        start = time.perf_counter()
        crf = CRF(**options, verbose=True).fit((words for words, _ in made.sentences()), y)
        seconds = time.perf_counter() - start
    weights = json.dumps(sorted(crf.state_features_.items())).encode()
    return {
        "seconds": seconds,
        "sweeps": crf.history_[-1].seconds - crf.history_[0].seconds,
        "iterations": len(crf.history_),
        "stopped": crf.stopped_,
        "weights": len(crf.state_features_),
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "model": hashlib.sha256(weights).hexdigest()[:12],
    }


def batches(record: Record) -> None:
    """F1 of WNUT 2017 from one batch after another."""
    train, dev = (tagged(DATA / "wnut17" / name) for name in ("wnut17train.conll", "emerging.dev.conll"))
    sentences = list(train[0])

    def f1(crf: CRF) -> str:
        return f"{100 * spanrs.score(dev[1], crf.predict(dev[0])).micro.f1:.2f}"

    rows = [("fit", f1(CRF(template="ner", c2=0.3).fit(sentences, train[1])))]
    for number in BATCHES:
        crf = CRF(template="ner", c2=0.3)
        for at in range(number):
            part = slice(len(sentences) * at // number, len(sentences) * (at + 1) // number)
            crf.partial_fit(sentences[part], train[1][part])
        rows.append((f"partial_fit, {number}", f1(crf)))
    record.heading("Batches", "F1 of spans on the development set of WNUT 2017; template `ner`, c2=0.3.")
    record.table(("batches", "F1"), rows)


def main(tokens: int, tol: float) -> None:
    """Run both ways, and print the record."""
    record = Record()
    record.add(f"`python -m benches.versus.spilled` on {machine()}, {versions('numpy')}")
    record.add()
    processes = {
        way: subprocess.Popen(
            [sys.executable, "-m", "benches.versus.spilled", way, str(tokens), str(tol)],
            stdout=subprocess.PIPE,
        )
        for way in ("memory", "file")
    }
    found = {way: json.loads(process.communicate()[0]) for way, process in processes.items()}
    note = f"Template `ner`, min_freq={MIN_FREQ}, tol={tol:g}, one thread each, at the same time."
    record.heading(f"{tokens:,} tokens", note)
    record.table(
        ("", "s", "times", "s of iterations", "MB", "iterations", "stopped", "weights", "model"),
        (
            (
                way,
                f"{row['seconds']:.0f}",
                f"{row['seconds'] / found['memory']['seconds']:.2f}",
                f"{row['sweeps']:.0f}",
                f"{row['memory']:.0f}",
                row["iterations"],
                row["stopped"],
                row["weights"],
                row["model"],
            )
            for way, row in found.items()
        ),
    )
    batches(record)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["memory" | "file" as way, count, tolerance]:
            print(json.dumps(run(way, int(count), float(tolerance))))
        case [count, tolerance]:
            main(int(count), float(tolerance))
        case _:
            main(10**7, 1e-2)
