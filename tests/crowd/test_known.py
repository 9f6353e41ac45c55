"""Known labels of some sentences."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

from noisy_crowd import noisy
from spanrs.crowd import (
    CRFMA,
    MACE,
    BSCSeq,
    ConcatenatedCRF,
    CrossFitted,
    CrowdCorpus,
    DawidSkene,
    HMMCrowd,
    MajorityVote,
    MultiCRF,
    OneCoinDawidSkene,
    share_errors,
)
from spanrs.crowd.crfma import _Problem
from spanrs.crowd.known import known_scores, known_tokens, set_known, training_corpus
from spanrs.errors import AlignmentError, ModelError, SchemeError, SpanrsWarning

METHODS = [
    MajorityVote(),
    MajorityVote(unit="sequence"),
    MajorityVote(unit="segment"),
    DawidSkene(),
    OneCoinDawidSkene(),
    MACE(),
    HMMCrowd(),
    BSCSeq(),
    CrossFitted(),
    ConcatenatedCRF(),
    ConcatenatedCRF(normalized=True),
    MultiCRF(),
    MultiCRF(most_likely=True),
    CRFMA(),
    CRFMA(responsibility="sentence"),
    CRFMA(responsibility="exact"),
]
NAMES = [f"{type(method).__name__}{number}" for number, method in enumerate(METHODS)]
methods = pytest.mark.parametrize("method", METHODS, ids=NAMES)
SENTENCES = [["Ada", "sleeps"], ["Bob", "wakes"], ["Eve", "rests"]]
ANSWERS = [{"ann": ["B-PER", "O"]}, {"ann": ["O", "O"]}, {}]


def known_corpus(seed, flips, number, **options):
    """Noisy annotators; the labels of the first sentences are known."""
    corpus, truth = noisy(seed, flips, **options)
    return corpus.with_known(dict(enumerate(truth[:number]))), truth


def test_sequences_and_mappings_are_equal():
    by_sentence = CrowdCorpus(SENTENCES, ANSWERS, known=[None, ["B-PER", "O"], ["B-LOC", "O"]])
    by_index = CrowdCorpus(SENTENCES, ANSWERS, known={2: ["B-LOC", "O"], 1: ["B-PER", "O"]})
    assert by_sentence.known == by_index.known == {1: (1, 0), 2: (2, 0)}
    assert list(by_index.known) == [1, 2]
    assert by_sentence.labels == by_index.labels == ["O", "B-PER", "B-LOC"]
    assert (
        CrowdCorpus(SENTENCES, ANSWERS).with_known({1: ["B-PER", "O"], 2: ["B-LOC", "O"]}).known
        == by_index.known
    )


def test_outside_is_first_also_if_only_known():
    corpus = CrowdCorpus([["a"], ["b"]], [{"x": ["B-PER"]}, {"x": ["B-PER"]}]).with_known({0: ["O"]})
    assert (corpus.labels, corpus.known) == (["O", "B-PER"], {0: (0,)})
    assert [row.labels for row in corpus.annotations] == [(1,), (1,)]
    assert corpus.labels_by("x") == [["B-PER"], ["B-PER"]]


def test_known_labels_are_kept_and_shown():
    corpus = CrowdCorpus(SENTENCES, ANSWERS, known={2: ["O", "O"]})
    assert repr(corpus).endswith("2 labels, known labels of 1)")
    assert corpus.replaced(annotations=[]).known == corpus.known
    assert pickle.loads(pickle.dumps(corpus)).known == corpus.known
    assert corpus.labelled() == [0, 1, 2]
    assert "known" not in repr(CrowdCorpus(SENTENCES, ANSWERS))


def test_missing_known_labels_are_left_out():
    corpus = CrowdCorpus(SENTENCES, ANSWERS, known=[["?", "?"], None, [None, None]])
    assert corpus.known == {}


@pytest.mark.parametrize(
    ("known", "kind", "message"),
    [
        ([None], AlignmentError, "3 sentences, but known has 1 items"),
        ({3: ["O"]}, AlignmentError, "known has the index 3; indices of sentences are from 0 to 2"),
        ({-1: ["O"]}, AlignmentError, "known has the index -1"),
        ({"0": ["O", "O"]}, AlignmentError, "known has the index '0'"),
        ({1: ["O"]}, AlignmentError, "sentence 1 has 2 tokens, but 1 labels are known"),
        ({1: "OO"}, ModelError, "sentence 1, known labels: labels must be a list of strings"),
        ({1: ["O", 3]}, ModelError, "sentence 1, known labels: labels must be a list of strings"),
        ({1: ["O", "?"]}, ModelError, "sentence 1, known labels: token 1 has no label"),
        ({1: ["O", " O"]}, ModelError, "surrounding white space"),
    ],
)
def test_known_labels_are_checked(known, kind, message):
    with pytest.raises(kind, match=message):
        CrowdCorpus(SENTENCES, ANSWERS, known=known)


def test_known_labels_of_another_scheme_are_located():
    corpus = CrowdCorpus([["a", "b"]] * 3, [{"x": ["B-PER", "I-PER"]}] * 3, known={2: ["B-PER", "E-PER"]})
    with pytest.raises(SchemeError, match=r"'E-PER' \(known labels, sentence 2, token 1\)"):
        corpus.scheme()


def test_answered_sentences():
    corpus = CrowdCorpus(SENTENCES, ANSWERS, known={1: ["O", "O"]})
    assert corpus.answered() == [True, True, False]
    assert corpus.answered(2) == [False, True, False]
    assert corpus.answered(0) == [True, True, True]


def test_known_tokens_of_a_selection():
    corpus = CrowdCorpus(SENTENCES, ANSWERS, known={0: ["B-PER", "O"], 2: ["O", "O"]})
    known = known_tokens(corpus, [1, 2])
    assert (known.token.tolist(), known.label.tolist()) == ([2, 3], [0, 0])
    shares = set_known(np.full((4, 2), 0.5), known)
    assert shares.tolist() == [[0.5, 0.5], [0.5, 0.5], [1.0, 0.0], [1.0, 0.0]]
    assert np.exp(known_scores(known, 4, 2)).tolist() == [[1, 1], [1, 1], [1, 0], [1, 0]]


def test_known_labels_are_the_only_training_labels_of_their_sentences():
    corpus = CrowdCorpus(SENTENCES, ANSWERS, known={1: ["B-PER", "O"], 2: ["O", "O"]})
    rows = [(row.sentence, row.annotator, row.labels) for row in training_corpus(corpus).annotations]
    assert rows == [(0, 0, (1, 0)), (1, 1, (1, 0)), (2, 1, (0, 0))]
    without = CrowdCorpus(SENTENCES, ANSWERS)
    assert training_corpus(without) is without


@methods
def test_estimates_of_known_sentences_are_the_known_labels(method):
    corpus, truth = known_corpus(1, [0.3, 0.5, 0.6], 6, sentences=30)
    # Known labels that no annotator used, and which contradict all annotators.
    wrong = ["B-LOC"] * corpus.lengths[0]
    corpus = corpus.with_known({0: wrong, **dict(enumerate(truth[1:6], 1))})
    model = method.fit(corpus)
    assert model.labels_[:6] == [wrong, *truth[1:6]]
    assert all((values == 1.0).all() for values in model.confidence_[:6])
    assert list(map(len, model.labels_)) == corpus.lengths


@methods
def test_known_sentences_need_no_annotators(method):
    corpus, truth = noisy(2, [0.2, 0.4, 0.5], sentences=30)
    more = CrowdCorpus(
        [*corpus.sentences, ["Rome", "Ada"]],
        [*({name: corpus.labels_by(name)[at] for name in corpus.annotators} for at in range(30)), {}],
        known={30: ["B-ORG", "B-PER"], 3: truth[3]},
    )
    model = method.fit(more)
    assert model.labels_[30] == ["B-ORG", "B-PER"]
    assert model.labels_[3] == truth[3]
    assert len(model.reliability_) == 3


@pytest.mark.parametrize("method", [BSCSeq(), CrossFitted(folds=2), DawidSkene(), MACE()])
def test_one_annotator_can_be_compared_with_known_labels(method):
    corpus, truth = known_corpus(3, [0.1], 20)
    assert method.fit(corpus).labels_[:20] == truth[:20]


@pytest.mark.parametrize(
    "model",
    [
        DawidSkene(tol=0.0),
        DawidSkene(tol=0.0, smoothing=0.0, agreement=0.0),
        OneCoinDawidSkene(tol=0.0),
        MACE(tol=0.0),
        MACE(tol=0.0, prior="uniform"),
    ],
)
@pytest.mark.parametrize("shared", [0.0, 0.9])
def test_the_bound_does_not_decrease(model, shared):
    corpus, truth = known_corpus(4, [0.4, 0.4, 0.4, 0.2], 25, sentences=60, missing=0.1)
    corpus = share_errors(corpus, [["a0", "a1", "a2"]], shared, seed=1)
    unvoted = CrowdCorpus(
        [*corpus.sentences, ["Ada"]],
        [*({name: corpus.labels_by(name)[at] for name in corpus.annotators} for at in range(60)), {}],
        known={**dict(enumerate(truth[:25])), 60: ["B-PER"]},
    )
    bounds = np.array(model.fit(unvoted).bound_)
    assert len(bounds) > 2
    assert (np.diff(bounds) >= -1e-9).all()


def test_known_labels_reveal_a_wrong_majority():
    # Two of three annotators never use B-LOC; each of them errs independently in nothing else.
    sentences = [["Ada", "Rome"]] * 40
    truth = [["B-PER", "B-LOC"]] * 40
    answers = [{"a": ["B-PER", "B-PER"], "b": ["B-PER", "B-PER"], "c": ["B-PER", "B-LOC"]}] * 40
    corpus = CrowdCorpus(sentences, answers)
    assert DawidSkene().fit(corpus).labels_[-1] == ["B-PER", "B-PER"]
    known = corpus.with_known(dict(enumerate(truth[:10])))
    for method in (DawidSkene(agreement=1.0, smoothing=0.1), HMMCrowd(), BSCSeq()):
        assert method.fit(known).labels_[-1] == ["B-PER", "B-LOC"], method


def test_contradictions_of_known_labels_are_no_warning():
    corpus = CrowdCorpus([["x", "y"]] * 8, [{"a": ["A", "B"], "b": ["A", "B"]}] * 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SpanrsWarning)
        DawidSkene().fit(corpus.with_known({0: ["B", "A"]}))


def test_a_crf_is_also_trained_on_known_labels():
    corpus = CrowdCorpus(
        [["Ada", "sleeps"], ["Bob", "wakes"]],
        [{"a": ["B-PER", "O"], "b": ["B-PER", "O"]}, {}],
        known={1: ["B-LOC", "O"]},
    )
    crf = DawidSkene().fit(corpus).then_crf(template="U:%x[0,0]\nB", c2=0.1, progress=False)
    assert crf.predict([["Bob", "wakes"]]) == [["B-LOC", "O"]]
    assert ConcatenatedCRF(template="U:%x[0,0]\nB", c2=0.1).fit(corpus).predict([["Bob"]]) == [["B-LOC"]]


def test_crfma_weights_known_labels_once():
    corpus, _ = known_corpus(5, [0.2, 0.3], 4, sentences=10)
    em = _Problem(corpus, CRFMA())
    weights = em.labelling_weights(em.responsibilities(np.array([0.5, 0.5]), None, "prior").annotations)
    by_sentence = np.bincount(em.crf.sentence, weights)
    assert by_sentence == pytest.approx(1.0)
    model = CRFMA(responsibility="sentence").fit(corpus)
    sums = np.bincount([row.sentence for row in corpus.annotations], model.responsibilities_)
    assert sums == pytest.approx([0.0] * 4 + [1.0] * 6)


def test_reliability_is_measured_at_known_labels():
    corpus, truth = noisy(6, [0.0, 0.0, 1.0], sentences=20)
    everything = corpus.with_known(dict(enumerate(truth)))
    model = CRFMA().fit(everything)
    assert model.reliability_["a0"] == 1.0
    assert model.reliability_["a2"] < 0.7
