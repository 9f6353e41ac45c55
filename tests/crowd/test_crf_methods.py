"""MultiCRF, HMM-crowd and the cross-fitted CRF."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from noisy_crowd import TEMPLATE, noisy, right
from spanrs import tags
from spanrs.crf import CRF
from spanrs.crowd import BSCSeq, CrossFitted, CrowdCorpus, HMMCrowd, MajorityVote, MultiCRF
from spanrs.crowd.annotators import Annotators
from spanrs.crowd.cross_fitted import _folds
from spanrs.crowd.weighted_crf import WeightedCRF
from spanrs.errors import ModelError


def test_the_first_training_of_multi_crf_is_that_on_shares_of_votes():
    corpus, _ = noisy(1, [0.1, 0.4, 0.5])
    votes = corpus.votes()
    shares = np.zeros((sum(corpus.lengths), len(corpus.labels)))
    np.add.at(shares, (votes.token, votes.label), 1 / 3)
    rows = iter(shares)
    targets = [
        [
            {name: share for name, share in zip(corpus.labels, next(rows), strict=True) if share}
            for _ in values
        ]
        for values in corpus.sentences
    ]
    mine = MultiCRF(template=TEMPLATE, max_iter=1, crf_max_iter=500, crf_tol=1e-6, scheme=None).fit(corpus)
    plain = CRF(template=TEMPLATE).fit(corpus.sentences, targets)
    weights = mine.crf_.state_features_
    assert weights == pytest.approx({name: plain.state_features_[name] for name in weights}, abs=0.02)


def enumerated(crf, priors, lengths):
    """The product of a CRF and priors of tokens: probabilities of labels, and expected counts of label pairs per
    sentence."""
    scores, transitions = crf.scores(range(len(crf.corpus)))
    labels = len(transitions)
    shares, pairs, start = np.zeros_like(priors), np.zeros((len(lengths), labels, labels)), 0
    for at, length in enumerate(lengths):
        weights = {}
        for values in itertools.product(range(labels), repeat=length):
            places = [(start + token, label) for token, label in enumerate(values)]
            score = sum(scores[place] for place in places)
            score += sum(transitions[pair] for pair in itertools.pairwise(values))
            weights[values] = np.exp(score) * np.prod([priors[place] for place in places])
        total = sum(weights.values())
        for values, weight in weights.items():
            for token, label in enumerate(values):
                shares[start + token, label] += weight / total
            for pair in itertools.pairwise(values):
                pairs[at][pair] += weight / total
        start += length
    return shares, pairs


def test_multi_crf_takes_the_crf_and_the_priors_in_turn():
    corpus, _ = noisy(9, [0.2, 0.4, 0.5], sentences=12)
    priors = corpus.vote_counts() / 3
    crf = WeightedCRF(corpus, template=TEMPLATE, scheme=None)
    for _ in range(3):
        # The distribution is the product; its marginals are the next priors.
        shares, pairs = enumerated(crf, priors, corpus.lengths)
        crf.set_expected(list(range(12)), shares, pairs)
        crf.train_again()
        priors = shares
    model = MultiCRF(template=TEMPLATE, scheme=None, max_iter=3, crf_max_iter=1000, crf_tol=1e-6).fit(
        corpus
    )
    expected = crf.crf().state_features_
    assert model.crf_.state_features_ == pytest.approx(expected, abs=0.01)


def test_multi_crf_learns_from_the_most_likely_labels():
    corpus, truth = noisy(2, [0.1, 0.3, 0.4], missing=0.3)
    for most_likely in (False, True):
        model = MultiCRF(template=TEMPLATE, most_likely=most_likely).fit(corpus)
        assert right(model.labels_, truth) > right(MajorityVote().fit(corpus).labels_, truth)
        assert model.predict([["Ada"], ["sleeps"]]) == [["B-PER"], ["O"]]
    # If all annotators agree, the model is that of their labels. Labels can differ where their scores nearly tie.
    same, truth = noisy(3, [0.0, 0.0])
    plain = CRF(template=TEMPLATE, scheme="auto").fit(same.sentences, truth)
    expected = flat_marginals(plain, same.sentences)
    for most_likely in (False, True):
        fitted = MultiCRF(template=TEMPLATE, most_likely=most_likely).fit(same)
        assert flat_marginals(fitted.crf_, same.sentences) == pytest.approx(expected, abs=0.02)
        assert fitted.labels_ == fitted.crf_.predict(same.sentences)


def flat_marginals(crf, sentences):
    """Probabilities of the labels of all tokens, in one list."""
    marginals = crf.predict_marginals(sentences)
    return [token[label] for sentence in marginals for token in sentence for label in sorted(crf.classes_)]


def test_words_help_the_hidden_markov_model():
    corpus, truth = noisy(4, [0.4, 0.5, 0.5], sentences=150)
    words = right(HMMCrowd().fit(corpus).labels_, truth)
    blind = corpus.replaced(sentences=[["word"] * len(values) for values in corpus.sentences])
    assert words > right(HMMCrowd().fit(blind).labels_, truth)
    with pytest.raises(ModelError, match="sentence 0, token 0: HMMCrowd requires words, not dict"):
        HMMCrowd().fit(CrowdCorpus([[{"a": 1}]], [{"x": ["A"]}]))


@pytest.mark.parametrize("kind", [BSCSeq, HMMCrowd, CrossFitted])
def test_distributions_and_legal_tags(kind):
    corpus, _ = noisy(5, [0.2, 0.4], missing=0.5)
    texts, labels = corpus.sentences, corpus.labels
    answers = [
        {
            name: [label.replace("B-LOC", "I-PER") for label in values]
            for name in corpus.annotators
            if (values := corpus.labels_by(name)[at]) is not None
        }
        for at in range(len(texts))
    ]
    model = kind().fit(CrowdCorpus(texts, answers, annotators=corpus.annotators))
    assert labels
    assert not any(tags.validate(model.labels_, "BIO"))
    assert all(((values > 0) & (values <= 1 + 1e-9)).all() for values in model.confidence_)
    assert model.confusion_.sum(axis=-1) == pytest.approx(1)
    assert list(map(len, model.labels_)) == corpus.lengths
    assert model.then_crf(template=TEMPLATE).predict([["Ada"]])


def test_cross_fitting_is_better_than_a_crf_trained_on_bsc():
    totals = {"after": 0, "cross_fitted": 0}
    for seed in range(10):
        corpus, truth = noisy(seed, [0.4, 0.5, 0.6], sentences=120, missing=0.3)
        after = BSCSeq().fit(corpus).then_crf(template=TEMPLATE)
        totals["after"] += right(after.predict(corpus.sentences), truth)
        totals["cross_fitted"] += right(
            CrossFitted(template=TEMPLATE, seed=seed).fit(corpus).labels_, truth
        )
    assert totals["cross_fitted"] > totals["after"]


def test_cross_fitting_does_not_depend_on_threads_and_names():
    corpus, _ = noisy(6, [0.2, 0.4, 0.6], missing=0.2)
    first, threads = (CrossFitted(threads=number).fit(corpus) for number in (1, 2))
    assert first.labels_ == threads.labels_
    assert all(map(np.array_equal, first.confidence_, threads.confidence_))
    names = corpus.annotators[::-1]
    answers = [{name: corpus.labels_by(name)[at] for name in names} for at in range(len(corpus))]
    second = CrossFitted().fit(CrowdCorpus(corpus.sentences, answers, annotators=names))
    assert second.labels_ == first.labels_


def test_folds_keep_documents_together():
    answers = [{"x": ["A"]}] * 5 + [{"y": ["A"]}] * 3 + [{"x": ["A"], "y": ["A"]}] * 52
    corpus = CrowdCorpus([["w"]] * 60, answers)
    folds = _folds(corpus, 3, seed=1)
    assert sorted(at for fold in folds for at in fold) == list(range(60))
    # The longest piece is a tenth of a fold: two sentences.
    assert all(any({at, at + 1} <= set(fold) for fold in folds) for at in (0, 2, 5, 8))
    assert folds != _folds(corpus, 3, seed=2)
    with pytest.raises(ModelError, match="each of its 61 folds, but there are 60"):
        _folds(corpus, 61, seed=1)


def test_counts_of_answers_are_those_of_the_corpus():
    corpus, _ = noisy(7, [0.3, 0.5], missing=0.4)
    half = Annotators(corpus, [1, 3]), Annotators(corpus, [at for at in range(40) if at not in (1, 3)])
    shares = [np.full((sum(corpus.lengths[at] for at in values.sentences), 3), 1 / 3) for values in half]
    together = sum(values.counts(share) for values, share in zip(half, shares, strict=True))
    everything = Annotators(corpus).counts(np.full((sum(corpus.lengths), 3), 1 / 3))
    assert together == pytest.approx(everything)
    assert everything.sum() == pytest.approx(len(corpus.votes().token))


@pytest.mark.parametrize(
    "aggregator",
    [
        CrossFitted(folds=1),
        CrossFitted(rounds=0),
        CrossFitted(crf_weight=0),
        MultiCRF(max_iter=0),
        HMMCrowd(word_count=0),
    ],
)
def test_bad_options(aggregator):
    with pytest.raises(ValueError, match=r"must be (an integer of at least|a number above)"):
        aggregator.fit(noisy(8, [0.1])[0])


@pytest.mark.parametrize("kind", [CrossFitted, MultiCRF, HMMCrowd])
def test_a_corpus_without_annotations_is_refused(kind):
    with pytest.raises(ModelError, match="no annotations"):
        kind().fit(CrowdCorpus([["a"]], [{}], annotators=["x"]))
