"""Properties of all methods."""

from __future__ import annotations

import numpy as np
import pytest

import spanrs
from noisy_crowd import TEMPLATE, noisy
from spanrs.crowd import (
    CRFMA,
    BSCSeq,
    ConcatenatedCRF,
    CrossFitted,
    CrowdCorpus,
    DawidSkene,
    HMMCrowd,
    MajorityVote,
    MultiCRF,
)
from spanrs.crowd.crfma import _Problem
from spanrs.errors import ModelError, SchemeError

METHODS = [
    MajorityVote(),
    MajorityVote(unit="sequence"),
    MajorityVote(unit="segment"),
    DawidSkene(),
    HMMCrowd(),
    BSCSeq(),
    CrossFitted(),
    ConcatenatedCRF(),
    MultiCRF(),
    MultiCRF(most_likely=True),
    CRFMA(),
]
NAMES = [f"{type(method).__name__}{number}" for number, method in enumerate(METHODS)]
methods = pytest.mark.parametrize("method", METHODS, ids=NAMES)


def answers_of(corpus):
    return [{name: corpus.labels_by(name)[at] for name in corpus.annotators} for at in range(len(corpus))]


@methods
def test_annotators_without_labels_change_nothing(method):
    corpus, _ = noisy(1, [0.1, 0.3, 0.5], missing=0.2)
    silent = CrowdCorpus(corpus.sentences, answers_of(corpus), annotators=["idle", *corpus.annotators])
    model = method.fit(silent).labels_
    assert np.isnan(method.reliability_["idle"])
    assert model == method.fit(corpus).labels_


@methods
def test_sentences_that_nobody_labelled_are_not_trained_on(method):
    corpus, _ = noisy(2, [0.1, 0.3, 0.5])
    expected = method.fit(corpus).then_crf(template=TEMPLATE, progress=False)
    more = CrowdCorpus(
        [*corpus.sentences, *[["Rome", "Rome", "and"]] * 200],
        [*answers_of(corpus), *[{}] * 200],
        annotators=corpus.annotators,
    )
    model = method.fit(more)
    assert list(map(len, model.labels_)) == more.lengths
    assert len(model.confidence_) == len(more)
    crf = model.then_crf(template=TEMPLATE, progress=False)
    if isinstance(method, (MajorityVote, DawidSkene)):
        # Labels of the other sentences do not depend on these.
        assert crf.state_features_ == expected.state_features_
    assert crf.predict([["Rome"], ["Ada"]]) == expected.predict([["Rome"], ["Ada"]])


@methods
def test_only_empty_sentences_are_refused(method):
    with pytest.raises(ModelError, match="the corpus has no annotations: no token has a label"):
        method.fit(CrowdCorpus([[]], [{"a": [], "b": []}]))


@methods
def test_empty_sentences_among_others(method):
    corpus, _ = noisy(3, [0.1, 0.3])
    answers = [{"a0": [], "a1": []}, *answers_of(corpus), {"a0": []}]
    model = method.fit(CrowdCorpus([[], *corpus.sentences, []], answers))
    assert model.labels_[0] == model.labels_[-1] == []
    assert len(model.confidence_[0]) == 0


def test_votes_for_nobody_are_not_sure():
    model = MajorityVote().fit(CrowdCorpus([["x"], ["y"]], [{"a": ["B-PER"]}, {}]))
    assert [values.tolist() for values in model.confidence_] == [[1.0], [0.0]]


@pytest.mark.parametrize("method", [BSCSeq(), CrossFitted()])
def test_annotators_that_cannot_be_compared_are_refused(method):
    corpus, _ = noisy(4, [0.1])
    with pytest.raises(ModelError, match="0 of 40 sentences have labels of several annotators"):
        method.fit(corpus)


def test_as_many_annotators_as_annotations():
    corpus = CrowdCorpus(
        [["Ada", "sleeps"], ["Bob", "wakes"]],
        [{"b": ["B-PER", "O"]}, {"a": ["B-PER", "O"]}],
        annotators=["a", "b"],
    )
    em = _Problem(corpus, CRFMA())
    given = em.responsibilities(np.array([0.9, 0.1]), None, "prior")
    assert em.labelling_weights(given.annotations) == pytest.approx([0.2, 1.8])


def test_responsibilities_by_sentence_where_nobody_is_trusted():
    # Annotator b is alone in the last sentence, and always wrong elsewhere.
    right, wrong = ["B-PER", "O"], ["O", "B-PER"]
    answers = [{"a": right, "b": wrong}] * 6 + [{"b": wrong}]
    corpus = CrowdCorpus([["Ada", "sleeps"]] * 6 + [["Bob", "wakes"]], answers)
    model = CRFMA(responsibility="sentence", tol=0.0, max_iter=4).fit(corpus)
    assert all(np.isfinite(step.expected) for step in model.history_)
    sums = np.bincount([annotation.sentence for annotation in corpus.annotations], model.responsibilities_)
    assert sums == pytest.approx(1)


def test_labels_that_contradict_each_other_are_located():
    tags = {"a": ["B-PER", "O"], "b": ["O", "o"]}
    with pytest.raises(
        SchemeError, match=r"'o' \(annotator b, sentence 1, token 1\) is not a tag, but most"
    ):
        CrowdCorpus([["x", "y"]] * 2, [{"a": ["B-PER", "I-PER"]}, tags]).scheme()
    assert CrowdCorpus([["x", "y"]], [tags], scheme=None).scheme() is None
    bio, iobes = ["B-PER", "I-PER", "O", "B-PER", "B-PER"], ["B-LOC", "E-LOC", "O", "O", "O"]
    corpus = CrowdCorpus([["w"] * 5] * 9, [{"a": bio, "b": iobes}] + [{"a": bio}] * 8)
    with pytest.raises(
        SchemeError, match=r"'E-LOC' \(annotator b, sentence 0, token 1\) is not a tag of BIO"
    ):
        corpus.scheme()


def test_sentences_and_annotators_are_checked():
    with pytest.raises(ModelError, match="sentence 0 is a string"):
        CrowdCorpus(["ab"], [{"x": ["O", "O"]}])
    with pytest.raises(ModelError, match="annotator 'a' occurs twice in annotators"):
        CrowdCorpus([["x"]], [{"a": ["O"]}], annotators=["a", "b", "a"])
    with pytest.raises(ValueError, match="alpha has 3 numbers, but there are 2 annotators"):
        CRFMA(alpha=[1, 2, 3]).fit(noisy(5, [0.1, 0.2])[0])


def test_idle_annotators_do_not_hide_agreement():
    corpus, _ = noisy(6, [0.1, 0.3])
    silent = CrowdCorpus(corpus.sentences, answers_of(corpus), annotators=["idle", *corpus.annotators])
    first, second = spanrs.agreement(corpus), spanrs.agreement(silent)
    assert first.unitized_alpha == second.unitized_alpha
    assert first.pairs == second.pairs
    assert first.alpha == second.alpha
