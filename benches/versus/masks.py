"""The matcher ``characters`` beside presidio-evaluator's span evaluator, documents of tokens with one type each.

    python -m benches.versus.masks --peer-python PYTHON [--documents N] [--runs N]

``PYTHON`` is an interpreter with presidio-evaluator 0.3.2. The first corpus is made: documents of 200 words with 20
spans, of which pred shortens, retypes and misses some. The second is WNUT 17, on which nothing was tuned: 20 sentences
are a document, and pred lacks every fifth span. Both sides start with tokens and spans in memory: the peer builds its
data frame and scores it, spanrs scores lists of documents. One thread each, in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import time
from itertools import islice
from pathlib import Path

import spanrs
from benches.versus.measure import machine, versions

SHARED = Path(os.environ.get("SPANRS_SHARED", "../shared"))
TYPES = ("NAME", "CITY", "PHONE", "DATE", "EMAIL")
#: Answers to a line with the path of documents by a line with seconds and the untyped F2.
PEER = """
import json, logging, sys, time, warnings
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
import pandas as pd
from presidio_evaluator.evaluation import SpanEvaluator
NAMES = ["sentence_id", "token", "start_indices", "annotation", "prediction"]
for line in sys.stdin:
    documents = json.load(open(line.strip()))
    start = time.perf_counter()
    rows = [(at, *row) for at, document in enumerate(documents) for row in zip(*document)]
    result = SpanEvaluator(skip_words=[]).calculate_score_on_df(pd.DataFrame(rows, columns=NAMES))
    print(json.dumps([time.perf_counter() - start, result.pii_f]), flush=True)
"""

#: Words, first characters, types of gold and of pred; ``O`` is no type.
Tokens = tuple[list[str], list[int], list[str], list[str]]


def as_tokens(words: list[str], sides: tuple[list[str], list[str]]) -> Tokens:
    """Return a document of words that are joined by spaces."""
    starts, at = [], 0
    for word in words:
        starts.append(at)
        at += len(word) + 1
    return words, starts, *sides


def made(number: int) -> list[Tokens]:
    """Return made documents."""
    rng = random.Random(1)
    documents = []
    for _ in range(number):
        words = ["".join(rng.choices("abcdefghij", k=rng.randint(2, 9))) for _ in range(200)]
        gold, pred = ["O"] * 200, ["O"] * 200
        for block in range(0, 200, 10):
            first = block + rng.randint(0, 4)
            length, ty = rng.randint(1, 4), rng.choice(TYPES)
            gold[first : first + length] = [ty] * length
            if rng.random() < 0.1:
                continue
            length = max(1, length - (rng.random() < 0.3))
            ty = rng.choice(TYPES) if rng.random() < 0.1 else ty
            pred[first : first + length] = [ty] * length
        documents.append(as_tokens(words, (gold, pred)))
    return documents


def wnut() -> list[Tokens]:
    """Return documents of 20 sentences of WNUT 17; every fifth span is missing in pred."""
    path = next((SHARED / "data" / "wnut17").glob("*test*"))
    sentences = iter(spanrs.read(path))
    documents, number = [], 0
    while some := list(islice(sentences, 20)):
        words = [token for sentence in some for token in sentence.tokens or ()]
        gold, pred, at = ["O"] * len(words), ["O"] * len(words), 0
        for sentence in some:
            for span in sentence.spans["tags"]:
                number += 1
                for side in (gold,) if number % 5 == 0 else (gold, pred):
                    side[at + span.start : at + span.end] = [span.type] * (span.end - span.start)
            at += len(sentence.tokens or ())
        documents.append(as_tokens(words, (gold, pred)))
    return documents


def side_of(document: Tokens, side: int) -> spanrs.Document:
    """Return a side with a span for each run of tokens of one type, as the peer reads them."""
    words, starts, types = document[0], document[1], document[side]
    spans, first = [], 0
    for at in range(1, len(types) + 1):
        if at == len(types) or types[at] != types[first]:
            if types[first] != "O":
                spans.append((types[first], starts[first], starts[at - 1] + len(words[at - 1])))
            first = at
    return spanrs.Document(" ".join(words), spans)


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", required=True)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    peer = subprocess.Popen(
        [given.peer_python, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert peer.stdin is not None
    assert peer.stdout is not None
    print(f"{machine()}; {versions()}, presidio-evaluator 0.3.2")
    for name, documents in (("made", made(given.documents)), ("WNUT 17", wnut())):
        path = Path(f"/tmp/masks-{os.getpid()}.json")
        path.write_text(json.dumps(documents), encoding="utf-8")
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(given.runs):
            peer.stdin.write(f"{path}\n")
            peer.stdin.flush()
            seconds, _ = json.loads(peer.stdout.readline())
            times[0].append(seconds)
            start = time.perf_counter()
            gold, pred = ([side_of(document, side) for document in documents] for side in (2, 3))
            spanrs.score(gold, pred, matcher="characters")
            times[1].append(time.perf_counter() - start)
        path.unlink()
        theirs, ours = map(statistics.median, times)
        print(f"| {name} | {len(documents)} | {theirs:.3f} | {ours:.4f} | {theirs / ours:.0f}x |")
    peer.stdin.close()


if __name__ == "__main__":
    main()
