"""Dawid and Skene's EM compared with crowd-kit's defaults; writes benches/record/DATE-crowd-dawid-skene.md.

Ten simulations, of WNUT 2017 and UD English EWT from SPANRS_SHARED (default ../shared) and of sentences without words.
The first five were used to choose the smoothing and the stopping rule.

    python -m benches.versus.crowd_dawid_skene [--only chosen,unseen] [--output FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from crowdkit import aggregation as peers

from benches.versus.crf_corpora import DATA
from benches.versus.crowd import chunks, some_annotators, wnut17
from benches.versus.crowd_coverage import Cell, sentences, simulate
from benches.versus.measure import Record, machine, versions
from spanrs.crowd import CrowdCorpus, MajorityVote, NoisyCRFs, flip_labels
from spanrs.crowd.experiments import Settings, make_method, prf

HERE = Path(__file__).parent.parent
Simulation = tuple[CrowdCorpus, list[list[str]]]
PEERS = {"Dawid-Skene": peers.DawidSkene, "one-coin": peers.OneCoinDawidSkene, "MACE": peers.MACE}


def flips(
    words: list[list[str]], tags: list[list[str]], rates: list[float], each: int | None = None
) -> Simulation:
    """Labels replaced; of each sentence so many annotators are kept."""
    corpus = flip_labels(words, tags, rates, seed=1)
    return (corpus if each is None else some_annotators(corpus, each, 1)), tags


def wnut(first: int, last: int) -> tuple[list[list[str]], list[list[str]]]:
    """Some sentences of WNUT 2017."""
    words, tags = wnut17()
    return words[first:last], tags[first:last]


def upos(most: int) -> tuple[list[list[str]], list[list[str]]]:
    """Words and parts of speech of the first sentences of EWT's development part."""
    words: list[list[str]] = []
    tags: list[list[str]] = []
    text = (DATA / "ud_ewt" / "en_ewt-ud-dev.conllu").read_text(encoding="utf-8")
    for block in text.strip().split("\n\n")[:most]:
        rows = [line.split("\t") for line in block.split("\n") if line[0] != "#"]
        rows = [row for row in rows if row[0].isdigit()]
        words.append([row[1] for row in rows])
        tags.append([row[3] for row in rows])
    return words, tags


def uniform(low: float, high: float, number: int) -> list[float]:
    """Rates of error."""
    return np.random.default_rng(0).uniform(low, high, number).tolist()


def noisy(
    tagged: tuple[list[list[str]], list[list[str]]], template: str, variances: list[float]
) -> Simulation:
    """Noise on a CRF."""
    return NoisyCRFs(*tagged, template=template).simulate(variances, seed=1), tagged[1]


def simulated(cell: Cell) -> Simulation:
    """One of the simulations of intervals."""
    corpus, gold, _ = simulate(cell, 1)
    return corpus, gold


def nameless(tags: list[list[str]]) -> tuple[list[list[str]], list[list[str]]]:
    """Tags with uninformative tokens."""
    return [[f"w{at}" for at in range(len(values))] for values in tags], tags


CHOSEN: dict[str, Callable[[], Simulation]] = {
    "WNUT, 5 annotators, p 0.01 to 0.7": lambda: flips(*wnut(0, 1000), [0.01, 0.1, 0.3, 0.5, 0.7]),
    "WNUT, 3 of 20 annotators, p 0.02 to 0.3": lambda: flips(*wnut(0, 1000), uniform(0.02, 0.3, 20), 3),
    "WNUT, noise on a CRF": lambda: noisy(wnut(0, 1000), "ner", [0.005, 0.05, 0.05, 0.1, 0.1]),
    "errors of spans, 3 annotators": lambda: simulated(Cell("errors of spans", 3, 3)),
    "EWT UPOS, 5 annotators, p 0.05 to 0.6": lambda: flips(*upos(300), uniform(0.05, 0.6, 5)),
}
UNSEEN: dict[str, Callable[[], Simulation]] = {
    "EWT chunks, 5 annotators, p 0.01 to 0.7": lambda: flips(*chunks(1000), [0.01, 0.1, 0.3, 0.5, 0.7]),
    "EWT chunks, 2 of 10 annotators, p 0.05 to 0.4": lambda: flips(
        *chunks(1000), uniform(0.05, 0.4, 10), 2
    ),
    "EWT chunks, noise on a CRF": lambda: noisy(chunks(1000), "pos", [0.01, 0.1, 0.1, 0.2, 0.4]),
    "errors of spans, 3 of 20 annotators": lambda: simulated(Cell("errors of spans", 20, 3)),
    "60 sentences, 4 of 8 annotators, p 0.1 to 0.5": lambda: flips(
        *nameless(sentences(np.random.default_rng(7), 60)), uniform(0.1, 0.5, 8), 4
    ),
}


def peer_labels(corpus: CrowdCorpus, kind: Callable[[], Any]) -> list[list[str]]:
    """Return the labels of crowd-kit's method; ``O`` for tokens without a vote."""
    votes = corpus.votes()
    frame = pd.DataFrame({"task": votes.token, "worker": votes.annotator, "label": votes.label})
    labels = np.zeros(sum(corpus.lengths), dtype=int)
    actual = kind().fit_predict(frame)
    labels[actual.index] = actual.to_numpy()
    ends = np.cumsum([0, *corpus.lengths])
    return [[corpus.labels[label] for label in labels[a:b]] for a, b in itertools.pairwise(ends)]


def main() -> None:
    """Measure, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--only", default="chosen,unseen")
    parser.add_argument("--output", type=Path, default=HERE / "record")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    record = Record()
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    record.add(f"# {today}: Dawid and Skene beside crowd-kit")
    record.add()
    record.add(
        f"`python -m benches.versus.crowd_dawid_skene` on {machine()}, {versions('numpy', 'crowd-kit')}. F1 of the "
        "estimated truth in per cent, accuracy for parts of speech; crowd-kit's methods have their defaults."
    )
    record.add()
    for name, simulations in (("chosen", CHOSEN), ("unseen", UNSEEN)):
        if name not in given.only.split(","):
            continue
        title = "by which defaults were chosen" if name == "chosen" else "not seen while choosing"
        record.heading(f"Simulations {title}")
        rows = []
        for item, make in simulations.items():
            corpus, gold = make()
            scheme = corpus.scheme()
            f1 = [100 * prf(gold, MajorityVote().fit(corpus).labels_, scheme).f1]
            for method, kind in PEERS.items():
                mine = make_method(method, Settings(), corpus).fit(corpus).labels_
                f1 += [100 * prf(gold, values, scheme).f1 for values in (mine, peer_labels(corpus, kind))]
            rows.append((item, *(f"{value:.2f}" for value in f1)))
            print(rows[-1], flush=True)
        heads = [head for method in PEERS for head in (method, "crowd-kit")]
        record.table(("simulation", "MVtoken", *heads), rows)
    (given.output / f"{today}-crowd-dawid-skene.md").write_text("\n".join(record.lines), encoding="utf-8")


if __name__ == "__main__":
    main()
