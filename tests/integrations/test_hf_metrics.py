"""The functions and metric files of poseval and FairEval."""

from __future__ import annotations

import math
import random
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import classification_report

from recordings import peer_cases
from spanrs.compat import faireval as compat
from spanrs.compat.seqeval.scheme import IOB2, Entities
from spanrs.errors import AlignmentError
from spanrs.integrations import hf
from weird import answer

# The example of the metric's documentation (hpi-dhc/FairEval, "How to use").
GOLD = [["O", "O", "B-PER", "I-PER", "O", "B-PER"], ["O", "B-INT", "B-OUT"], ["B-INT", "I-INT", "B-OUT"]]
PRED = [["O", "O", "B-PER", "I-PER", "O", "O"], ["B-INT", "I-INT", "B-OUT"], ["B-OUT", "O", "B-PER"]]


def flat(rows):
    return [tag for row in rows for tag in row]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_poseval_is_the_report_of_scikit_learn(data):
    tag = (
        st.sampled_from(["DET", "NOUN", "VERB", "", "日本"])
        if data.draw(st.booleans())
        else st.text(max_size=2)
    )
    sizes = data.draw(st.lists(st.integers(0, 5), max_size=4))
    gold, pred = ([[data.draw(tag) for _ in range(size)] for size in sizes] for _ in range(2))
    zero_division = data.draw(st.sampled_from(["warn", 0, 1, 0.0, math.nan]))
    got, warned = answer(hf.poseval, pred, gold, zero_division)
    if not sum(sizes):
        assert got[1] == "ValueError"
        return
    if any("\0" in tag for tag in flat(gold) + flat(pred)):
        return
    expected, expected_warned = answer(
        classification_report, flat(gold), flat(pred), output_dict=True, zero_division=zero_division
    )
    assert str(got) == str(expected)
    assert {text for _, text in warned} == {
        text for _, text in expected_warned if "labels" in text or "due" in text
    }


def test_poseval_is_that_recorded():
    for (pred, gold, zero_division), expected in peer_cases("poseval", "scikit-learn==1.9.1"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert hf.poseval(pred, gold, zero_division) == expected


def test_sentences_of_different_lengths_are_refused():
    with pytest.raises(AlignmentError, match="sentence 1: predictions have 2 tokens, but references 1"):
        hf.poseval([["A"], ["A", "B"]], [["A"], ["A"]])
    with pytest.raises(AlignmentError, match="predictions have 1 sentences, but references 2"):
        hf.poseval([["A"]], [["A"], ["A"]])
    with pytest.raises(TypeError, match="predictions must be sentences of tags, not strings"):
        hf.poseval(["a b"], ["a b"])
    with pytest.raises(ValueError, match="zero_division"):
        hf.poseval([["A"]], [["A"]], zero_division=2)


def test_scores_of_the_example_of_faireval():
    traditional = hf.faireval(PRED, GOLD, mode="traditional")
    assert traditional["PER"] == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "TP": 1, "FP": 1, "FN": 1}
    assert traditional["INT"] == {"precision": 0, "recall": 0, "f1": 0, "TP": 0, "FP": 1, "FN": 2}
    assert {key: round(value, 4) for key, value in traditional.items() if not isinstance(value, dict)} == {
        "overall_precision": 0.4,
        "overall_recall": 0.3333,
        "overall_f1": 0.3636,
        "TP": 2,
        "FP": 3,
        "FN": 4,
    }
    fair = hf.faireval(PRED, GOLD)
    assert {key: round(value, 4) for key, value in fair.items() if not isinstance(value, dict)} == {
        "overall_precision": 0.5714,
        "overall_recall": 0.4444,
        "overall_f1": 0.5,
        "overall_trad_prec": 0.4,
        "overall_trad_rec": 0.3333,
        "overall_trad_f1": 0.3636,
        "TP": 2,
        "FP": 0,
        "FN": 1,
        "LE": 1,
        "BE": 1,
        "LBE": 1,
    }
    errors = hf.faireval(PRED, GOLD, error_format="error_ratio")
    assert [errors[name] for name in ("TP", "FN", "LE", "BE", "LBE")] == [2, 0.25, 0.25, 0.25, 0.25]
    entities = hf.faireval(PRED, GOLD, error_format="entity_ratio")
    assert [entities[name] for name in ("TP", "FN", "LBE")] == [2 / 6, 1 / 6, 1 / 6]
    weighted = hf.faireval(PRED, GOLD, mode="weighted", weights={"TP": {"TP": 1}, "BE": {"TP": 1}})
    assert weighted["overall_precision"] == 1.0
    with pytest.raises(
        ValueError, match="unknown mode 'strict'; choose from 'traditional', 'fair', 'weighted'"
    ):
        hf.faireval(PRED, GOLD, mode="strict")


def spans(tags):
    """The spans of a sentence in the form of FairEval."""
    found = Entities([tags], IOB2).entities[0]
    return [[one.tag, one.start, one.end - 1, set(range(one.start, one.end))] for one in found]


def test_counts_are_those_of_faireval_on_random_sentences():
    rng = random.Random(3)
    tags = ["O", "O", "B-A", "I-A", "B-B", "I-B"]
    for _ in range(200):
        gold = [[rng.choice(tags) for _ in range(rng.randint(1, 8))] for _ in range(3)]
        pred = [[rng.choice(tags) if rng.random() < 0.4 else tag for tag in row] for row in gold]
        totals: dict = {}
        for at in range(3):
            sides = (spans(side[at]) for side in (gold, pred))
            totals = compat.add_dict(totals, compat.compare_spans(*sides))
        scores = hf.faireval(pred, gold, scheme="IOB2")
        for name in ("TP", "FP", "FN", "LE", "BE", "LBE"):
            assert scores[name] == totals["overall"]["fair"].get(name, 0)
            for label, counts in totals["per_label"]["fair"].items():
                assert scores[label][name] == counts.get(name, 0)


def test_unknown_metrics_are_refused():
    with pytest.raises(
        ValueError, match="there is no metric 'bleu'; choose from 'faireval', 'poseval', 'seqeval'"
    ):
        hf.metric_path("bleu")


def test_scores_are_plain_floats():
    report = hf.poseval([["A", "B"]], [["A", "A"]], zero_division=0)
    assert {type(value) for row in report.values() if isinstance(row, dict) for value in row.values()} == {
        float
    }
    assert type(report["accuracy"]) is float
    assert np.isclose(report["accuracy"], 0.5)
