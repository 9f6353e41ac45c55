"""`compute_metrics` for the Trainer: logits and ids in, floats out."""

from __future__ import annotations

import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

import spanrs
from spanrs.errors import AlignmentError, SchemeError
from spanrs.integrations.hf import compute_metrics, trainer

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def batch(seed=0, sentences=50, tokens=20):
    """Gold ids with ignored positions, and logits that are correct in two of three cases."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, len(LABELS), (sentences, tokens))
    gold[rng.random(gold.shape) < 0.3] = -100
    logits = rng.random((sentences, tokens, len(LABELS)), dtype=np.float32)
    right = (gold >= 0) & (rng.random(gold.shape) < 0.66)
    logits[right, gold[right]] += 1
    return logits, gold


def by_lists(logits, gold):
    """The usual way: lists of tags without the ignored ones."""
    pred = logits.argmax(-1)
    sides = (
        [[LABELS[i] for i in row[at != -100]] for row, at in zip(side, gold, strict=True)]
        for side in (gold, pred)
    )
    return spanrs.score(*sides)


def expected(result):
    micro = result.micro
    return {
        "precision": micro.precision,
        "recall": micro.recall,
        "f1": micro.f1,
        "accuracy": result.accuracy,
    }


def test_logits_ids_and_every_wrapping_give_the_same():
    logits, gold = batch()
    score = compute_metrics(LABELS)
    want = expected(by_lists(logits, gold))
    assert 0 < want["f1"] < 1
    hidden = np.zeros((3, 3))
    for predictions in (
        logits,
        logits.astype(np.float16),
        (logits, hidden),
        logits.argmax(-1),
        np.asfortranarray(logits),
    ):
        assert score((predictions, gold)) == want
        assert score(SimpleNamespace(predictions=predictions, label_ids=gold)) == want
    assert all(type(value) is float for value in score((logits, gold)).values())


def test_labels_may_be_mappings():
    pair = batch(1)
    want = compute_metrics(LABELS)(pair)
    assert compute_metrics(dict(enumerate(LABELS)))(pair) == want
    assert compute_metrics({tag: i for i, tag in enumerate(LABELS)})(pair) == want
    assert compute_metrics({str(i): tag for i, tag in enumerate(LABELS)})(pair) == want


def test_types_are_given_where_asked_for():
    logits, gold = batch(2)
    got = compute_metrics(LABELS, per_type=True)((logits, gold))
    for name, score in by_lists(logits, gold).per_type.items():
        assert got[f"{name}_precision"] == score.precision
        assert got[f"{name}_recall"] == score.recall
        assert got[f"{name}_f1"] == score.f1
        assert got[f"{name}_number"] == score.support


def test_padding_of_predicted_ids_is_not_looked_at():
    gold = np.array([[-100, 1, 2, -100]])
    pred = np.array([[-100, 1, 2, 77]])
    assert compute_metrics(LABELS)((pred, gold))["f1"] == 1.0


def test_another_ignore_index():
    gold = np.array([[-1, 1, 2, -1]])
    assert compute_metrics(LABELS, ignore_index=-1)((gold, gold))["accuracy"] == 1.0


class Tensor:
    """Like a tensor: converted to an array on request."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


def test_tensors_are_taken():
    logits, gold = batch(3)
    score = compute_metrics(LABELS)
    assert score((Tensor(logits), Tensor(gold))) == score((logits, gold))


def test_nothing_is_scored_as_nothing():
    score = compute_metrics(LABELS)
    nothing = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "accuracy": 0.0}
    assert score((np.zeros((0, 4, 5)), np.zeros((0, 4), dtype=int))) == nothing
    assert score((np.zeros((2, 0, 5)), np.zeros((2, 0), dtype=int))) == nothing
    assert score((np.zeros((2, 3, 5)), np.full((2, 3), -100))) == nothing


def test_chunks_do_not_show(monkeypatch):
    pair = batch(4)
    want = compute_metrics(LABELS)(pair)
    for size in (1, 100, 777):
        monkeypatch.setattr(trainer, "CHUNK", size)
        assert compute_metrics(LABELS)(pair) == want


def test_memory_stays_far_below_that_of_the_logits():
    # Not contiguous: numpy copies one chunk at a time.
    labels = ["O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in "ABCDEFGHIJKL")]
    logits = np.zeros((len(labels), 2000, 500), dtype=np.float32).transpose(1, 2, 0)
    gold = np.zeros((2000, 500), dtype=np.int64)
    score = compute_metrics(labels, scheme="BIO")
    tracemalloc.start()
    score((logits, gold))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < logits.nbytes / 4


LOGITS, GOLD = batch(5, 2, 3)


@pytest.mark.parametrize(
    ("prediction", "error", "message"),
    [
        (
            (LOGITS[:1], GOLD),
            AlignmentError,
            r"predictions of shape \(1, 3, 5\) do not match label_ids of shape \(2, 3\)",
        ),
        ((LOGITS, GOLD[:, :2]), AlignmentError, "do not match"),
        (
            (LOGITS, GOLD[0]),
            AlignmentError,
            r"label_ids must have the shape \(sentences, tokens\), not \(3,\)",
        ),
        ((LOGITS[..., 0], GOLD), TypeError, "so they are not logits"),
        ((LOGITS[..., :4], GOLD), SchemeError, "4 logits per token, but there are 5 labels"),
        ((LOGITS, GOLD.astype(float)), TypeError, "label_ids must be an array of integers, not of float64"),
        (([["O"]], GOLD[:1, :1]), TypeError, "predictions must be an array of numbers"),
        (([[0], [0, 1]], GOLD), AlignmentError, "predictions have rows of different lengths; pad the rows"),
        ((LOGITS, GOLD + 90), SchemeError, "vocabulary has 5 tags"),
        (((), GOLD), TypeError, "empty tuple"),
        (LOGITS, TypeError, "label_ids must be an array of integers, not of float32"),
        (None, TypeError, "expected an EvalPrediction or a pair"),
    ],
)
def test_what_does_not_fit_is_said(prediction, error, message):
    with pytest.raises(error, match=message):
        compute_metrics(LABELS)(prediction)


def test_wrong_names_are_told_at_once():
    with pytest.raises(SchemeError):
        compute_metrics(LABELS, scheme="BIOX")
    with pytest.raises(SchemeError):
        compute_metrics(LABELS, reading="loose")
    with pytest.raises(TypeError):
        compute_metrics("O")
