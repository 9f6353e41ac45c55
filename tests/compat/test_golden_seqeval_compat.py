"""seqeval 1.2.2, recorded: spans, scores, reports, warnings and errors of both modes."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections import Counter

import golden
from spanrs.compat.seqeval import scheme as schemes
from spanrs.compat.seqeval.metrics import (
    accuracy_score,
    classification_report,
    f1_score,
    performance_measure,
    precision_score,
    recall_score,
)
from spanrs.compat.seqeval.metrics.sequence_labeling import get_entities

#: Scheme of the recorded pairs -> class of seqeval; others have no strict mode.
CLASSES = {
    "IOB1": schemes.IOB1,
    "BIO": schemes.IOB2,
    "IOE1": schemes.IOE1,
    "IOE2": schemes.IOE2,
    "IOBES": schemes.IOBES,
    "BILOU": schemes.BILOU,
}


def plain(value):
    """As it was recorded: no numpy, no tuples, nan by name."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, float):
        return "nan" if math.isnan(value) else float(value)
    return value if isinstance(value, str) else int(value)


def attempt(function, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return plain(function(*args, **options))
        except Exception as error:
            return {"err": type(error).__name__, "msg": str(error)}


def report(gold, pred, zero_division, **options):
    rows = attempt(
        classification_report, [gold], [pred], output_dict=True, zero_division=zero_division, **options
    )
    if "err" in rows and isinstance(rows["err"], str):
        return rows
    columns = ("precision", "recall", "f1-score", "support")
    return {name: [row[column] for column in columns] for name, row in rows.items()}


def warned(gold, pred):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for function in (f1_score, precision_score, recall_score):
            with contextlib.suppress(Exception):
                function([gold], [pred])
    return sorted({f"{w.category.__name__}: {w.message}" for w in caught})


def agree(got, expected):
    if isinstance(expected, dict) and "set order varies" in str(expected.get("msg", "")):
        return got["err"] == expected["err"] and got["msg"].startswith("This scheme is not supported: {")
    return got == expected


def compare(rows, fields):
    compared, different = Counter(), []
    for row in rows:
        for field, value in row["o"].items():
            compared[field] += 1
            got = fields[field](row)
            if not agree(got, value):
                different.append((row["id"], field, got, value))
    return compared, different


def test_default_mode(evaluators):
    pairs = golden.pairs(evaluators)

    def of(function):
        return lambda row: function(pairs[row["id"]]["g"], pairs[row["id"]]["p"])

    measures = ("TP", "FP", "FN", "TN")

    def outcomes(gold, pred):
        counts = attempt(performance_measure, [gold], [pred])
        return [counts[name] for name in measures]

    fields = {
        "eg": of(lambda g, p: attempt(get_entities, g)),
        "ep": of(lambda g, p: attempt(get_entities, p)),
        "f1": of(lambda g, p: attempt(f1_score, [g], [p])),
        "P": of(lambda g, p: attempt(precision_score, [g], [p])),
        "R": of(lambda g, p: attempt(recall_score, [g], [p])),
        "w": of(warned),
        "rep0": of(lambda g, p: report(g, p, 0)),
        "rep1": of(lambda g, p: report(g, p, 1)),
        "txt": of(lambda g, p: attempt(classification_report, [g], [p], digits=4)),
        "acc": of(lambda g, p: attempt(accuracy_score, [g], [p])),
        "pm": of(outcomes),
    }
    compared, different = compare(golden.rows(evaluators / "seqeval_default.jsonl.gz"), fields)
    assert set(compared) == set(fields)
    assert compared["f1"] == len(pairs)
    assert different == []


def strict_spans(tags, cls, **options):
    def read():
        return [
            [e.tag, e.start, e.end]
            for row in (schemes.Entities([tags], cls, **options).entities, schemes_of(tags, cls, options))
            for e in row[0]
        ]

    both = attempt(read)
    if isinstance(both, dict):
        return both
    half = len(both) // 2
    assert both[:half] == both[half:]
    return both[:half]


def schemes_of(tags, cls, options):
    """The same by way of Tokens."""
    return [schemes.Tokens(tags, cls, **options).entities]


def test_strict_mode(evaluators):
    pairs = golden.pairs(evaluators)

    def of(function):
        return lambda row: function(**{k: pairs[row["id"]][k] for k in "gps"})

    def rep(g, p, s, zero_division):
        return report(g, p, zero_division, mode="strict", scheme=CLASSES[s])

    def automatic(g, p, s):
        rows = report(g, p, 0, mode="strict")
        return "=rep0" if rows == rep(g, p, s, 0) else rows

    fields = {
        "eg": of(lambda g, p, s: strict_spans(g, CLASSES[s])),
        "ep": of(lambda g, p, s: strict_spans(p, CLASSES[s])),
        "f1": of(lambda g, p, s: attempt(f1_score, [g], [p], mode="strict", scheme=CLASSES[s])),
        "rep0": of(lambda g, p, s: rep(g, p, s, 0)),
        "rep1": of(lambda g, p, s: rep(g, p, s, 1)),
        "auto": of(lambda g, p, s: detected(g)),
        "rep_auto": of(automatic),
    }
    compared, different = compare(golden.rows(evaluators / "seqeval_strict.jsonl.gz"), fields)
    assert set(compared) == set(fields)
    assert compared["f1"] == sum(pair["s"] in CLASSES for pair in pairs.values())
    assert different == []


def detected(tags):
    return attempt(lambda: schemes.auto_detect([tags]).__name__)


def test_suffix(evaluators):
    pairs = golden.pairs(evaluators)

    def cls(row):
        return CLASSES[pairs[row["id"]]["s"]]

    fields = {
        "eg": lambda row: attempt(get_entities, row["g"], suffix=True),
        "ep": lambda row: attempt(get_entities, row["p"], suffix=True),
        "rep0": lambda row: report(row["g"], row["p"], 0, suffix=True),
        "sg": lambda row: strict_spans(row["g"], cls(row), suffix=True),
        "sp": lambda row: strict_spans(row["p"], cls(row), suffix=True),
    }
    compared, different = compare(golden.rows(evaluators / "seqeval_suffix.jsonl.gz"), fields)
    assert set(compared) == set(fields)
    assert compared["eg"] > 400
    assert different == []
