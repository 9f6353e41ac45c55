"""Outputs of peers on made inputs, recorded for the tests of the gate.

Each recording is a function of a random generator that returns inputs, and a program that reads inputs as JSON from
standard input and writes outputs as JSON to standard output, in the environment of the peer.
"""

from __future__ import annotations

import datetime
import gzip
import json
import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from peers.annotation_files import inputs, program
from peers.damaged_json import DEMJSON3, demjson3_inputs
from peers.environment import ROOT, Environment
from peers.model_answers import LANGEXTRACT, langextract_inputs
from peers.model_answers import PACKAGE as LANGEXTRACT_PACKAGE
from peers.personal_data import PACKAGE as PRESIDIO_PACKAGE
from peers.personal_data import PRESIDIO, presidio_inputs
from recordings import peer_cases

FOLDER = ROOT / "tests" / "golden" / "peers"


class Recording(NamedTuple):
    """How the outputs of a peer are recorded."""

    package: str
    inputs: Callable[[random.Random], list[Any]]
    program: str
    needs: tuple[str, ...] = ()


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


def crowdkit_inputs(rng: random.Random) -> list[Any]:
    """Corpora of rows (task, worker, label), known labels of tasks, and calls: the class and its arguments."""
    corpora: list[Any] = []
    for number in range(400):
        tasks, workers, labels = rng.randint(1, 30), rng.randint(1, 6), rng.randint(1, 4)
        rows = []
        for task in range(tasks):
            truth = rng.randrange(labels)
            for worker in rng.sample(range(workers), rng.randint(1, workers)):
                # Tasks repeat, so that a worker may answer one twice.
                label = "abcd"[truth if rng.random() < 0.7 else rng.randrange(labels)]
                rows.append((f"t{task * 7 % max(tasks - 2, 1)}", f"w{worker}", label))
        rng.shuffle(rows)
        if number % 5:
            corpora.append(
                [rows, {}, [[name, {}] for name in ("MajorityVote", "DawidSkene", "OneCoinDawidSkene")]]
            )
        else:
            different, given = sorted({row[0] for row in rows}), sorted({row[2] for row in rows})
            known = {task: rng.choice(given) for task in different[: len(different) // 3]}
            corpora.append([rows, known, [["DawidSkene", {}]]])
    # Votes that determine the truth, until the methods have converged; numbers are sorted as their MACE expects.
    long = {"n_iter": 200, "tol": -1e300}
    calls = [["DawidSkene", long], ["OneCoinDawidSkene", long], ["MACE", {"n_restarts": 1, "n_iter": 400}]]
    for _ in range(5):
        rows = []
        for task in range(150):
            truth = rng.randrange(3)
            present = [worker for worker in range(5) if rng.random() < 0.7] or [0]
            wrong = [rng.random() < 0.06 * (worker + 1) for worker in present]
            rows += [
                (f"t{task:03}", f"w{worker}", "abc"[rng.randrange(3) if is_wrong else truth])
                for worker, is_wrong in zip(present, wrong, strict=True)
            ]
        corpora.append([rows, {}, calls])
    return corpora


CROWDKIT = """
import json, sys, warnings
warnings.simplefilter("ignore")
import pandas as pd
from crowdkit import aggregation

def table(frame):
    frame = frame.sort_index()[sorted(frame.columns)]
    index = [list(row) if isinstance(row, tuple) else row for row in frame.index]
    return [index, list(frame.columns), [[float(value) for value in row] for row in frame.to_numpy()]]

def series(values):
    return None if values is None else {key: float(value) for key, value in values.sort_index().items()}

outputs = []
for rows, known, calls in json.load(sys.stdin):
    data = pd.DataFrame(rows, columns=["task", "worker", "label"])
    found = []
    for name, arguments in calls:
        if name == "MACE":
            # Crowd-kit's MACE assumes that workers and labels are sorted.
            data = data.sort_values(["worker", "label", "task"])
        true_labels = [pd.Series(known, dtype=object)] if known else []
        fitted = getattr(aggregation, name)(**arguments).fit(data.copy(), *true_labels)
        errors = getattr(fitted, "errors_", None)
        found.append({
            "probas": table(fitted.probas_),
            "loss_history": [float(value) for value in getattr(fitted, "loss_history_", [])],
            "priors": series(getattr(fitted, "priors_", None)),
            "errors": None if errors is None else table(errors),
            "skills": series(getattr(fitted, "skills_", None)),
        })
    outputs.append(found)
json.dump(outputs, sys.stdout)
"""


def poseval_inputs(rng: random.Random) -> list[Any]:
    """Predictions, references and the value of undefined measures."""
    corpora = []
    for _ in range(2000):
        tags = rng.choice([["DET", "NOUN", "VERB", "", "日本"], ["A", "B"], ["NN", "NNS", "O", "-", "_"]])
        sizes = [rng.randint(1, 6) for _ in range(rng.randint(1, 4))]
        gold = [[rng.choice(tags) for _ in range(size)] for size in sizes]
        pred = [[tag if rng.random() < 0.6 else rng.choice(tags) for tag in row] for row in gold]
        corpora.append([pred, gold, rng.choice(["warn", 0, 1])])
    return corpora


POSEVAL = """
import json, sys, warnings
warnings.simplefilter("ignore")
from sklearn.metrics import classification_report
outputs = []
for pred, gold, zero_division in json.load(sys.stdin):
    flat = [[tag for row in side for tag in row] for side in (gold, pred)]
    outputs.append(classification_report(*flat, output_dict=True, zero_division=zero_division))
json.dump(outputs, sys.stdout)
"""


def pygamma_inputs(rng: random.Random) -> list[Any]:
    """Units (start, end, type) of each annotator, alpha, beta, delta_empty, and the number of random continua.

    No annotator has equal units, because the package merges them.
    """
    sampled = [(2, 4), (2, 6), (2, 9), (2, 12), (3, 4), (3, 6), (3, 8), (4, 4)]
    cases = []
    for number in range(64):
        annotators, most = sampled[number] if number < len(sampled) else (rng.randint(2, 5), 12)
        if annotators == 5:
            most = 7
        length = rng.choice([20, 60, 150])
        # Annotators agree to some degree, except on every fourth continuum.
        starts = [rng.randrange(length - 8) for _ in range(most)]
        units = []
        for _ in range(annotators):
            own = set()
            for start in starts[: most if number < len(sampled) else rng.randint(0, most)]:
                at = rng.randrange(length - 8) if number % 4 == 3 else max(start + rng.randint(-1, 1), 0)
                own.add((at, at + rng.randint(1, 7), rng.choice("xyz"[: rng.randint(1, 3)])))
            units.append(sorted(own))
        if not any(units):
            units[0] = [(0, 3, "x")]
        settings = rng.choice([(3.0, 1.0, 1.0), (1.0, 2.0, 0.5)]) if number % 2 else (1.0, 1.0, 1.0)
        cases.append([units, *settings, 400 if number < len(sampled) else 0])
    return cases


PYGAMMA = """
import json, logging, sys, warnings
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
import numpy as np
from pyannote.core import Segment
from pygamma_agreement import (
    CombinedCategoricalDissimilarity, Continuum, ShuffleContinuumSampler, StatisticalContinuumSampler
)

outputs = []
for units, alpha, beta, delta_empty, samples in json.load(sys.stdin):
    continuum = Continuum()
    for number, own in enumerate(units):
        continuum.add_annotator(str(number))
        for start, end, name in own:
            # The sampler does not support integers.
            continuum.add(str(number), Segment(float(start), float(end)), name)
    dissimilarity = CombinedCategoricalDissimilarity(alpha=alpha, beta=beta, delta_empty=delta_empty)
    found = {"observed": float(continuum.get_best_alignment(dissimilarity).disorder)}
    for name, sampler in (("shuffle", ShuffleContinuumSampler()), ("statistical", StatisticalContinuumSampler())):
        if samples:
            np.random.seed(0)
            sampler.init_sampling(continuum)
            drawn = [
                sampler.sample_from_continuum.get_best_alignment(dissimilarity).disorder for _ in range(samples)
            ]
            found[name] = [float(np.mean(drawn)), float(np.std(drawn) / np.sqrt(samples))]
    outputs.append(found)
json.dump(outputs, sys.stdout)
"""

RECORDINGS = {
    "bioc": Recording("bioc==2.1", inputs("bioc-xml", "bioc-json", "pubtator", "brat"), program("bioc")),
    "cassis": Recording("dkpro-cassis==0.12.0", inputs("uima-xmi"), program("cassis")),
    "crowdkit": Recording("crowd-kit==1.4.2", crowdkit_inputs, CROWDKIT, ("pandas<3",)),
    # EuroEval decodes answers with this package.
    "demjson3": Recording("demjson3==3.0.6", demjson3_inputs, DEMJSON3),
    "eval4ner": Recording("eval4ner==0.1.0", eval4ner_inputs, EVAL4NER),
    # The package writes no XML of GATE.
    "gatenlp": Recording(
        "gatenlp==1.0.8", inputs("gate-xml", own=False), program("gatenlp"), ("requests",)
    ),
    "label_studio": Recording("label-studio-sdk==2.1.2", inputs("label-studio"), program("label_studio")),
    "langextract": Recording(LANGEXTRACT_PACKAGE, langextract_inputs, LANGEXTRACT),
    # The metric poseval is this call of scikit-learn.
    "poseval": Recording("scikit-learn==1.9.1", poseval_inputs, POSEVAL),
    "presidio_evaluator": Recording(PRESIDIO_PACKAGE, presidio_inputs, PRESIDIO),
    "pygamma_agreement": Recording("pygamma-agreement==0.5.9", pygamma_inputs, PYGAMMA, ("setuptools<81",)),
    "spacy": Recording("spacy==3.8.18", inputs("spacy"), program("spacy")),
    "webanno2spacy": Recording(
        "webanno2spacy==0.1.0", inputs("webanno-tsv", own=False), program("webanno2spacy"), ("typer",)
    ),
}


def outputs_of(name: str, inputs: list[Any]) -> list[Any]:
    """Return the outputs of a peer for inputs, in its own environment."""
    recording = RECORDINGS[name]
    environment = Environment(f"record-{name}", (recording.package, *recording.needs))
    environment.create()
    done = environment.run("-c", recording.program, check=True, input=json.dumps(inputs))
    outputs: list[Any] = json.loads(done.stdout)
    return outputs


def check(name: str) -> bool:
    """Run a peer on the recorded inputs; print and return whether the outputs are those recorded."""
    cases = peer_cases(name, RECORDINGS[name].package)
    outputs = outputs_of(name, [given for given, _ in cases])
    different = sum(not _alike(got, case[1]) for got, case in zip(outputs, cases, strict=True))
    print(f"{RECORDINGS[name].package}: {len(cases)} recorded cases, {different} different", flush=True)
    return not different


def _alike(got: Any, expected: Any) -> bool:
    """Compare outputs; the last digits of numbers depend on the processor."""
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(_alike(got[key], expected[key]) for key in expected)
    if isinstance(expected, list):
        return len(got) == len(expected) and all(map(_alike, got, expected))
    if isinstance(expected, float):
        return math.isclose(got, expected, rel_tol=1e-6, abs_tol=1e-9)
    return bool(got == expected)


def record(name: str) -> str:
    """Record the outputs of a peer; return what was written."""
    recording = RECORDINGS[name]
    inputs = recording.inputs(random.Random(0))
    content = {
        "package": recording.package,
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "cases": [list(case) for case in zip(inputs, outputs_of(name, inputs), strict=True)],
    }
    path = FOLDER / f"{name}.json.gz"
    with path.open("wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(json.dumps(content, ensure_ascii=False).encode())
    return f"{name}: {len(inputs)} cases of {recording.package} in {path.relative_to(ROOT)}"
