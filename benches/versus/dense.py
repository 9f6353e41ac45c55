"""Training with a row of numbers for each token, beside python-crfsuite's dicts of named values.

The rows are random projections of the words of WNUT 2017. Each run is a process of its own, from the table of vectors
to the tags of the development set; memory is the increase of the peak over that of the process with the corpus and the
vectors. Both run twice: with the rows or dicts of the whole corpus, as sklearn-crfsuite keeps dicts, and with those
of one sentence at a time.

    python -m benches.versus.dense
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pycrfsuite

import spanrs
from benches.versus.crf_corpora import DATA, shape
from benches.versus.measure import Record, machine, versions
from spanrs.crf import CRF
from spanrs.io.training import tagged

#: Numbers of columns.
COLUMNS = (50, 300)
C2 = 1.0
WAYS = (
    "spanrs",
    "spanrs, tol=0.02",
    "spanrs, generator",
    "python-crfsuite, dicts",
    "python-crfsuite, by sentence",
)

Vectors = dict[str, npt.NDArray[np.float32]]


def vectors(words: set[str], columns: int) -> Vectors:
    """A random projection of each word: the mean of the random vectors of the word, its shape and its ends."""
    rng = np.random.default_rng(0)
    parts = {word: (word.lower(), shape(word), word[:3], word[-3:]) for word in sorted(words)}
    names = dict.fromkeys((at, part) for pieces in parts.values() for at, part in enumerate(pieces))
    random = {name: rng.standard_normal(columns).astype(np.float32) for name in names}
    return {
        word: np.mean([random[pair] for pair in enumerate(pieces)], axis=0)
        for word, pieces in parts.items()
    }


def peak() -> float:
    """Largest size of the process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def dicts(tokens: list[str], table: Vectors, names: list[str]) -> list[dict[str, float]]:
    """The features of a sentence for python-crfsuite."""
    return [dict(zip(names, table[word].tolist(), strict=True)) for word in tokens]


def run_spanrs(
    way: str, table: Vectors, train: tuple[Any, Any], dev: list[list[str]]
) -> tuple[list[list[str]], float, int]:
    """Tags of the development set, the loss and the number of iterations."""
    options = {"tol": 0.02} if "tol" in way else {}

    def rows(sentences: list[list[str]]) -> Iterator[npt.NDArray[np.float32]]:
        return (np.stack([table[word] for word in tokens]) for tokens in sentences)

    dense = rows(train[0]) if "generator" in way else list(rows(train[0]))
    crf = CRF(c2=C2, **options).fit(None, train[1], dense=dense)
    pred = crf.predict(None, dense=list(rows(dev)))
    return pred, crf.history_[-1].loss, len(crf.history_)


def run_peer(
    way: str, table: Vectors, train: tuple[Any, Any], dev: list[list[str]]
) -> tuple[list[list[str]], float, int]:
    """The same of python-crfsuite."""
    names = [f"d{at}" for at in range(len(next(iter(table.values()))))]
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": C2, "feature.possible_transitions": True})
    if "dicts" in way:
        features = [dicts(tokens, table, names) for tokens in train[0]]
        for x, y in zip(features, train[1], strict=True):
            trainer.append(x, y)
    else:
        for tokens, y in zip(*train, strict=True):
            trainer.append(dicts(tokens, table, names), y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        trainer.train(str(path))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(path))
        pred = [tagger.tag(dicts(tokens, table, names)) for tokens in dev]
        tagger.close()
    last = trainer.logparser.last_iteration
    return pred, last["loss"], last["num"]


def run(way: str, columns: int) -> dict[str, Any]:
    """One way, in this process."""
    train, dev = (tagged(DATA / "wnut17" / name) for name in ("wnut17train.conll", "emerging.dev.conll"))
    tokens, dev_tokens = ([list(tokens) for tokens in part[0]] for part in (train, dev))
    table = vectors({word for sentence in (*tokens, *dev_tokens) for word in sentence}, columns)
    before, start = peak(), time.perf_counter()
    function = run_spanrs if way.startswith("spanrs") else run_peer
    pred, loss, iterations = function(way, table, (tokens, train[1]), dev_tokens)
    return {
        "seconds": time.perf_counter() - start,
        "memory": peak() - before,
        "loss": loss,
        "iterations": iterations,
        "f1": 100 * spanrs.score(dev[1], pred).micro.f1,
    }


def main() -> None:
    """Run all ways, each in a process, and print the record."""
    record = Record()
    record.add(f"`python -m benches.versus.dense` on {machine()}, {versions('numpy', 'python-crfsuite')}")
    record.add()
    for columns in COLUMNS:
        record.heading(f"{columns} columns")
        found = {}
        for way in WAYS:
            command = [sys.executable, "-m", "benches.versus.dense", way, str(columns)]
            found[way] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        base = found["spanrs"]
        record.table(
            ("", "s", "times", "MB", "times", "loss", "iterations", "F1"),
            (
                (
                    way,
                    f"{row['seconds']:.1f}",
                    f"{row['seconds'] / base['seconds']:.1f}",
                    f"{row['memory']:.0f}",
                    f"{row['memory'] / base['memory']:.1f}",
                    f"{row['loss']:.1f}",
                    row["iterations"],
                    f"{row['f1']:.2f}",
                )
                for way, row in found.items()
            ),
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(run(sys.argv[1], int(sys.argv[2]))))
    else:
        main()
