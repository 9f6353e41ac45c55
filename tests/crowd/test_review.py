"""An estimate that contradicts what all annotators agree on is reported, and comes first in the review."""

from __future__ import annotations

import re

import numpy as np
import pytest

from spanrs.crowd import CrowdCorpus, MajorityVote, disagreements, flip_labels, intervals
from spanrs.errors import SpanrsWarning


def unanimous(labels, sentences=12):
    """A corpus on which three annotators agree, and an aggregator whose estimate is ``labels`` for each sentence."""
    answer = ["B-PER", "I-PER", "O"]
    corpus = CrowdCorpus(
        [["Ada", "Lovelace", "ran"]] * sentences, [dict.fromkeys(("a", "b", "c"), answer)] * sentences
    )
    aggregator = MajorityVote().fit(corpus)
    numbers = {label: at for at, label in enumerate(corpus.labels)}
    estimate = [
        [numbers[label] for label in labels],
        *[[numbers[label] for label in answer]] * (sentences - 1),
    ]
    aggregator._set_labels(corpus, estimate, aggregator._probabilities)
    return corpus, aggregator


def test_an_estimate_that_contradicts_all_annotators_is_reported():
    message = (
        "the estimate contradicts all annotators of a token, the first: "
        "sentence 0 token 1: I-PER, estimate O; with few sentences, compare with HMM-crowd or MVtoken"
    )
    with pytest.warns(SpanrsWarning, match=re.escape(message)):
        corpus, aggregator = unanimous(["B-PER", "O", "O"])
    # The sentence is to be looked at, although the annotators agree.
    [found] = disagreements(corpus, aggregator)
    assert (found.index, found.disagreement, found.is_contradicted) == (0, 0.0, True)
    [dispute] = found.disputes
    assert dispute.kinds == ("estimate",)
    assert dispute.reason == (
        'the estimate contradicts all annotators: they marked "Ada Lovelace" as PER, the estimate is "Ada" as PER'
    )


@pytest.mark.filterwarnings("error")
def test_an_estimate_that_contradicts_few_answers_or_none_is_not_reported():
    assert disagreements(*unanimous(["B-PER", "I-PER", "O"])) == []
    corpus, aggregator = unanimous(["B-PER", "O", "O"], sentences=100)
    assert [disagreement.index for disagreement in disagreements(corpus, aggregator)] == [0]


def test_contradicted_sentences_come_first():
    corpus, aggregator = unanimous(["B-PER", "O", "O"], sentences=100)
    answers = [{name: corpus.labels_by(name)[at] for name in "abc"} for at in range(100)]
    answers[7] = {"a": ["B-PER", "O", "O"], "b": ["O", "B-PER", "O"], "c": ["O", "O", "B-LOC"]}
    other = CrowdCorpus(corpus.sentences, answers)
    numbers = {label: at for at, label in enumerate(other.labels)}
    estimate = [[numbers[label] for label in labels] for labels in aggregator.labels_]
    fitted = MajorityVote().fit(other)
    fitted._set_labels(other, estimate, fitted._probabilities)
    first, second = disagreements(other, fitted)
    assert (first.index, first.is_contradicted, second.index, second.disagreement) == (0, True, 7, 1.0)


def test_intervals_of_a_part_are_those_of_all_sentences(monkeypatch):
    """Of large corpora, resamples are drawn from a part of the sentences."""
    rng = np.random.default_rng(0)
    gold = [["B-PER" if rng.random() < 0.1 else "O" for _ in range(10)] for _ in range(1500)]
    corpus = flip_labels([["w"] * 10] * len(gold), gold, [0.02, 0.05, 0.1, 0.2], seed=1)
    whole = intervals.truth_intervals(corpus, seed=1)
    monkeypatch.setattr(intervals, "MOST_TOKENS", 5000)
    part = intervals.truth_intervals(corpus, seed=1)
    assert part == intervals.truth_intervals(corpus, seed=1) != whole
    for (low, high), (part_low, part_high) in zip(whole, part, strict=True):
        assert abs((part_low + part_high) - (low + high)) / 2 < 0.2 * (high - low)
        assert 0.75 < (part_high - part_low) / (high - low) < 1.33
