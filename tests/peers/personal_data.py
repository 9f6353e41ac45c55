"""Masks of personal data on tokens, for the recording of presidio-evaluator."""

from __future__ import annotations

import random
from typing import Any

PACKAGE = "presidio-evaluator==0.3.2"
WORDS = [
    "the",
    "and",
    ",",
    ".",
    "Mr.",
    "of",
    "Anna",
    "Smith",
    "Berlin",
    "call",
    "x",
    "Doktorstraße",
    "Ann-Marie",
    "İzmir",
]
SKIPPED = ["the", "and", ",", ".", "mr.", "of"]
TYPES = ["NAME", "NAME", "CITY", "PHONE"]
#: Situations that the evaluator distinguishes: words, gold types and pred types; O is abbreviated to `-`.
SITUATIONS = [
    ("Anna Smith called", "N N -", "N N -"),
    ("Anna Smith called", "N N -", "- - -"),
    ("Anna Smith called", "- - -", "N N -"),
    ("Anna Smith called", "N N -", "C C -"),
    ("Anna Smith called", "N N -", "N - -"),
    ("Anna Smith called", "N N -", "C - -"),
    ("Anna Smith called", "N - -", "N N N"),
    ("Anna Maria van Smith called", "N N N N -", "N N - N -"),
    ("Anna Maria van Smith called", "N N N N -", "C C - C -"),
    ("Anna Maria van Smith called", "N N N N -", "C N N N -"),
    ("Anna Maria van Smith called", "N N N N -", "N N N C -"),
    ("Anna Maria van Smith called", "N N N N -", "N C P N -"),
    ("Anna Maria van Smith called", "N N C C -", "N N N N -"),
    ("Anna Maria van Smith called", "N - - C -", "N N N N N"),
    ("Anna Maria van Smith called", "N - - N -", "N N N N N"),
    ("Mr. Anna Smith called", "N N N -", "- N N -"),
    ("Mr. Anna Smith called", "- N N -", "N N N -"),
    ("Mr. Anna Smith called", "N - - -", "- - - -"),
    ("Mr. Anna Smith called", "- - - -", "N - - -"),
    ("Anna and Smith called", "N - N -", "N N N -"),
    ("Anna and Smith called", "N - N -", "N - C -"),
    ("Anna and the Smith called", "N - - N -", "N - C N -"),
    ("Anna , Smith called", "N N N -", "N - N -"),
    ("Michael met Michael", "N - -", "- - N"),
    ("Michael Smith Smith met Michael", "N N - - -", "- - N N N"),
    ("Anna Smith", "N C", "C N"),
    ("Anna Smith", "N C", "N N"),
    ("Anna Smith", "N N", "N C"),
]


def _sentence(words: list[str], gold: list[str], pred: list[str]) -> list[list[Any]]:
    rows: list[list[Any]] = []
    at = 0
    for word, *types in zip(words, gold, pred, strict=True):
        rows.append([word, at, *types])
        at += len(word) + 1
    return rows


def _random_sentence(rng: random.Random) -> list[list[Any]]:
    words = [rng.choice(WORDS) for _ in range(rng.randint(1, 14))]
    gold: list[str] = []
    while len(gold) < len(words):
        gold += [rng.choice(["O", *TYPES])] * rng.randint(1, 4)
    gold = gold[: len(words)]
    pred = [kind if rng.random() < 0.8 else rng.choice(["O", "O", *TYPES]) for kind in gold]
    if rng.random() < 0.2:
        pred = [rng.choice(["O", *TYPES]) for _ in words]
    return _sentence(words, gold, pred)


def presidio_inputs(rng: random.Random) -> list[Any]:
    """Return corpora of sentences of (token, start in characters, gold type, pred type), with options."""
    names = {"-": "O", "N": "NAME", "C": "CITY", "P": "PHONE"}
    cases: list[Any] = []
    for text, *sides in SITUATIONS:
        gold, pred = ([names[letter] for letter in side.split()] for side in sides)
        sentence = _sentence(text.split(), gold, pred)
        for threshold in (0.9, 0.5):
            for char_based in (True, False):
                case_options = {"iou_threshold": threshold, "char_based": char_based, "skip_words": SKIPPED}
                cases.append([[sentence], case_options])
    # The default words; with an empty list nothing is skipped.
    cases += [[[_random_sentence(rng) for _ in range(rng.randint(0, 5))], {}] for _ in range(50)]
    for _ in range(500):
        options: dict[str, Any] = {
            "iou_threshold": rng.choice([0.9, 0.75, 0.5, 0.5, 0.3, 0.1, 1.0, 0.0]),
            "char_based": rng.random() < 0.7,
            "skip_words": rng.choice([SKIPPED, SKIPPED, []]),
            "beta": rng.choice([2, 1, 0.5]),
            "level": rng.choice(["both", "both", "both", "entity", "pii"]),
        }
        cases.append([[_random_sentence(rng) for _ in range(rng.randint(1, 4))], options])
    return cases


PRESIDIO = """
import json, logging, math, sys, warnings
warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)
import pandas as pd
from presidio_evaluator.evaluation import SpanEvaluator

def number(value):
    return None if value is None or math.isnan(value) else float(value)

def measures(row, prefix="", names=("num_annotated", "num_predicted", "precision", "recall", "f_beta")):
    counts = ("true_positives", "false_positives", "false_negatives")
    annotated, predicted, *rates = (getattr(row, prefix + name) for name in names)
    return [annotated, predicted, *(getattr(row, prefix + name) for name in counts), *map(number, rates)]

outputs = []
for sentences, options in json.load(sys.stdin):
    calls = {name: options.pop(name) for name in ("beta", "level") if name in options}
    rows = [[index, *row] for index, sentence in enumerate(sentences) for row in sentence]
    columns = ["sentence_id", "token", "start_indices", "annotation", "prediction"]
    result = SpanEvaluator(**options).calculate_score_on_df(pd.DataFrame(rows, columns=columns), **calls)
    outputs.append({
        "per_type": {name: measures(row) for name, row in sorted(result.per_type.items())},
        "pii": measures(result, "pii_", ("annotated", "predicted", "precision", "recall", "f")),
        "n": result.n,
        "confusion": [[*pair, n] for pair, n in sorted(result.results.items()) if n],
        "errors": [
            [one.error_type.name, one.annotation, one.prediction, one.full_text, one.token, one.start, one.end,
             one.explanation]
            for one in result.model_errors
        ],
    })
json.dump(outputs, sys.stdout)
"""
