"""The metric in the shape of torchmetrics."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest

import spanrs
from spanrs.errors import AlignmentError, SchemeError
from spanrs.integrations.torchmetrics import SpanMetrics

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]


def batches(seed, number=6):
    rng = random.Random(seed)
    for _ in range(number):
        shape = rng.randint(1, 5), rng.randint(1, 9)
        gold = np.array([[rng.randrange(5) for _ in range(shape[1])] for _ in range(shape[0])])
        pred = np.where(np.array([[rng.random() < 0.3 for _ in row] for row in gold]), (gold + 1) % 5, gold)
        gold[:, -1] = -100
        yield pred, gold


class Tensor:
    """What the metric uses of a torch tensor."""

    def __init__(self, values, half=False):
        self.values, self.half = values, half

    def detach(self):
        return self

    cpu = detach

    def is_floating_point(self):
        return self.values.dtype.kind == "f"

    def float(self):
        return Tensor(self.values.astype(np.float32))

    def numpy(self):
        assert not self.half, "NumPy has no bfloat16"
        return self.values


def test_batches_are_scored_like_one_corpus():
    metric = SpanMetrics(LABELS, scheme="BIO", per_type=True)
    scorer = spanrs.Scorer(scheme="BIO", vocabulary=LABELS)
    for pred, gold in batches(1):
        metric.update(Tensor(np.eye(5)[pred], half=True), Tensor(gold))
        scorer.update(gold, pred, ignore_index=-100)
    result, measures = scorer.result(), metric.compute()
    assert measures["f1"] == pytest.approx(result.micro.f1, abs=1e-15)
    assert measures["precision"] == result.micro.precision
    assert measures["accuracy"] == result.accuracy
    for name, of in result.per_type.items():
        assert measures[f"{name}_recall"] == of.recall
        assert measures[f"{name}_number"] == of.support
    metric.reset()
    assert metric.compute() == {"precision": 0.0, "recall": 0.0, "f1": 0.0, "accuracy": 0.0}


def test_calls_return_the_scores_of_a_batch():
    whole, parts = SpanMetrics(LABELS, scheme="BIO"), SpanMetrics(LABELS, scheme="BIO")
    for pred, gold in batches(2):
        alone = SpanMetrics(LABELS, scheme="BIO")
        alone.update(pred, gold)
        assert parts(pred, gold) == alone.compute()
        whole.update(pred, gold)
    assert parts.compute() == whole.compute()


def test_states_of_workers_are_added():
    whole, workers = (
        SpanMetrics(LABELS, scheme="BIO"),
        [SpanMetrics(LABELS, scheme="BIO") for _ in range(3)],
    )
    for at, (pred, gold) in enumerate(batches(3)):
        whole.update(pred, gold)
        workers[at % 3].update(pred, gold)
    summed = copy.deepcopy(workers[0])
    summed.state += workers[1].state + workers[2].state
    merged = pickle.loads(pickle.dumps(workers[0]))
    for other in workers[1:]:
        merged.merge_state(other)
    assert whole.types == ["LOC", "PER"]
    assert np.array_equal(whole.state, summed.state)
    assert whole.compute() == summed.compute() == merged.compute()


def test_lists_of_tags_need_no_labels():
    metric = SpanMetrics(scheme="BIO", per_type=True)
    metric.update([["B-PER", "O"]], [["B-PER", "B-LOC"]])
    other = SpanMetrics(scheme="BIO")
    other.update([["B-ORG"]], [["B-ORG"]])
    metric.merge_state(other)
    assert sorted(metric.types) == ["LOC", "ORG", "PER"]
    measures = metric.compute()
    assert (measures["precision"], measures["recall"], measures["LOC_recall"]) == (1.0, 2 / 3, 0.0)
    assert measures["accuracy"] == 2 / 3


def test_unsuitable_input_is_refused_and_changes_nothing():
    metric = SpanMetrics(LABELS)
    with pytest.raises(AlignmentError, match="do not match"):
        metric.update(np.zeros((1, 2), dtype=int), np.zeros((1, 3), dtype=int))
    with pytest.raises(SchemeError, match="3 logits per token, but there are 5 labels"):
        metric.update(np.zeros((1, 2, 3)), np.zeros((1, 2), dtype=int))
    with pytest.raises(SchemeError, match="ids need labels"):
        SpanMetrics().update(np.zeros((1, 2), dtype=int), np.zeros((1, 2), dtype=int))
    with pytest.raises(SchemeError):
        SpanMetrics(LABELS, scheme="BOI")
    assert not metric.state.any()


def test_the_scheme_is_detected_once():
    metric = SpanMetrics()
    metric.update([["O"]], [["O"]])
    metric.update([["O", "I-X", "I-X"]], [["O", "I-X", "I-X"]])
    # The reading of a BIO tagger would find another span here.
    metric.update([["B-X", "B-X"]], [["I-X", "B-X"]])
    detected = SpanMetrics(scheme="IOB")
    detected.update(
        [["O"], ["O", "I-X", "I-X"], ["B-X", "B-X"]], [["O"], ["O", "I-X", "I-X"], ["I-X", "B-X"]]
    )
    assert metric.compute() == detected.compute()


def test_states_that_do_not_fit_are_refused():
    metric, other = SpanMetrics(LABELS, scheme="BIO"), SpanMetrics(["O", "B-X"], scheme="BIO")
    for state in (other.state, metric.state * 0.5, metric.state.tolist()):
        with pytest.raises(ValueError, match=r"array of integers of shape \(3, 3\)"):
            metric.state = state
    without = SpanMetrics(scheme="BIO")
    with pytest.raises(ValueError, match="use merge_state"):
        without.state = without.state
    for incoming, setting in (
        (other, "labels"),
        (SpanMetrics(LABELS, scheme="IOB"), "scheme"),
        (SpanMetrics(LABELS, scheme="BIO", reading="strict"), "reading"),
    ):
        with pytest.raises(SchemeError, match=f"different settings: {setting} "):
            metric.merge_state(incoming)
    with pytest.raises(TypeError, match="expected a SpanMetrics, not ndarray"):
        metric.merge_state(metric.state)
