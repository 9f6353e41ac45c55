"""An estimate that contradicts what all annotators agree on is reported, and comes first in the review."""

from __future__ import annotations

import re

import pytest

from spanrs.crowd import CrowdCorpus, MajorityVote, disagreements
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
    assert [disagreement.sentence for disagreement in disagreements(corpus, aggregator)] == [0]


@pytest.mark.filterwarnings("error")
def test_an_estimate_that_contradicts_few_answers_or_none_is_not_reported():
    assert disagreements(*unanimous(["B-PER", "I-PER", "O"])) == []
    corpus, aggregator = unanimous(["B-PER", "O", "O"], sentences=100)
    assert [disagreement.sentence for disagreement in disagreements(corpus, aggregator)] == [0]
