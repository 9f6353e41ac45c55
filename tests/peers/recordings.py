"""Outputs of peers on made inputs, recorded for the tests of the gate.

Each recording is a function of a random generator that returns inputs, and a program that reads inputs as JSON from
standard input and writes outputs as JSON to standard output, in the environment of the peer.
"""

from __future__ import annotations

import datetime
import gzip
import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from peers.environment import ROOT, Environment

FOLDER = ROOT / "tests" / "golden" / "peers"


class Recording(NamedTuple):
    """How the outputs of a peer are recorded."""

    package: str
    inputs: Callable[[random.Random], list[Any]]
    program: str


def eval4ner_inputs(rng: random.Random) -> list[Any]:
    """Corpora of texts with gold and predicted strings: equal, shifted, of another type, absent or repeated."""
    words = ["York", "New", "John", "Jones", "came", "to", "New York", "a", ""]
    corpora = []
    for _ in range(2000):
        texts, golds, preds = [], [], []
        for _ in range(rng.randint(1, 4)):
            text = " ".join(rng.choice(words[:-1]) for _ in range(rng.randint(0, 8)))

            def strings(text: str = text) -> list[tuple[str, str]]:
                found = []
                for _ in range(rng.randint(0, 4)):
                    start = rng.randrange(len(text) + 1)
                    cut = text[start : start + rng.randint(0, 10)]
                    found.append(
                        (rng.choice(["PER", "LOC"]), cut if rng.random() < 0.8 else rng.choice(words))
                    )
                return found

            gold = strings()
            pred = [
                extraction if rng.random() < 0.6 else (rng.choice(["PER", "LOC"]), extraction[1])
                for extraction in gold
            ]
            texts.append(text)
            golds.append(gold)
            preds.append(pred + strings() if rng.random() < 0.5 else strings())
        corpora.append([preds, golds, texts])
    return corpora


EVAL4NER = """
import contextlib, io, json, sys
from eval4ner import muc
outputs = []
for preds, golds, texts in json.load(sys.stdin):
    preds, golds = ([[tuple(one) for one in row] for row in side] for side in (preds, golds))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        totals = muc.evaluate_all(preds, golds, texts)
    ones = [muc.evaluate_one(*case) for case in zip(preds, golds, texts)]
    outputs.append([totals, ones, printed.getvalue()])
json.dump(outputs, sys.stdout)
"""

RECORDINGS = {"eval4ner": Recording("eval4ner==0.1.0", eval4ner_inputs, EVAL4NER)}


def record(name: str) -> str:
    """Record the outputs of a peer; return what was written."""
    recording = RECORDINGS[name]
    environment = Environment(f"record-{name}", (recording.package,))
    environment.create()
    inputs = recording.inputs(random.Random(0))
    outputs = json.loads(
        environment.run("-c", recording.program, check=True, input=json.dumps(inputs)).stdout
    )
    content = {
        "package": recording.package,
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "cases": [list(case) for case in zip(inputs, outputs, strict=True)],
    }
    path = FOLDER / f"{name}.json.gz"
    with path.open("wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(json.dumps(content, ensure_ascii=False).encode())
    return f"{name}: {len(inputs)} cases of {recording.package} in {path.relative_to(ROOT)}"
