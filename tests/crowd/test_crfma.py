"""CRF-MA: properties of EM, and the equations in exact arithmetic."""

from __future__ import annotations

import itertools
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noisy_crowd import TEMPLATE, noisy, right
from spanrs.crf import CRF
from spanrs.crowd import CRFMA, ConcatenatedCRF, CrowdCorpus, MajorityVote, equations
from spanrs.crowd.crfma import _Problem
from spanrs.errors import ModelError, SpanrsWarning

numbers = st.lists(st.floats(-2000, 0), min_size=1, max_size=5)


@given(numbers, st.data())
def test_responsibilities_are_those_of_exact_arithmetic(logs, data):
    size = len(logs)
    prior = data.draw(st.lists(st.floats(0.01, 1), min_size=size, max_size=size))
    random = data.draw(st.lists(st.floats(-2000, 0), min_size=size, max_size=size))
    prior = np.array(prior) / sum(prior)
    with localcontext() as context:
        context.prec = 60
        joint = []
        for values in range(size):
            rest = sum((Decimal(random[at]) for at in range(size) if at != values), Decimal(0))
            joint.append(Decimal(float(prior[values])) * (Decimal(logs[values]) + rest).exp())
        total = sum(joint)
        exact = [float(value / total) for value in joint]
        log_likelihood = float(total.ln())
    actual = equations.responsibilities(prior, np.array(logs), np.array(random))
    assert actual == pytest.approx(exact, rel=1e-8, abs=1e-300)
    assert actual.sum() == pytest.approx(1, abs=1e-12)
    assert equations.log_likelihood(prior, np.array(logs), np.array(random)) == pytest.approx(
        log_likelihood, rel=1e-10
    )


@given(
    st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=1, max_size=6),
    st.booleans(),
    st.floats(1, 5),
)
def test_pi_is_a_distribution(f1, squared, alpha):
    actual = equations.pi(f1, squared, np.full(len(f1), alpha))
    assert actual.sum() == pytest.approx(1)
    assert (actual >= 0).all()


def test_huge_likelihoods_do_not_overflow():
    for logs in ([-1e300, -1e300], [-1e6, -2e6], [0.0, -np.inf]):
        actual = equations.responsibilities(np.array([0.5, 0.5]), np.array(logs), np.zeros(2))
        assert np.isfinite(actual).all()
        assert actual.sum() == 1


def test_one_annotator_is_plain_training():
    corpus, _ = noisy(1, [0.2])
    mine = CRFMA(template=TEMPLATE, crf_max_iter=500, crf_tol=1e-6, tol=0.0, max_iter=3).fit(corpus)
    labels = corpus.labels_by("a0")
    plain = CRF(template=TEMPLATE, algorithm="lbfgs").fit(corpus.sentences, labels)
    assert mine.labels_ == plain.predict(corpus.sentences)
    assert mine.pi_ == {"a0": 1.0}
    weights = mine.crf_.state_features_
    assert {name: weights[name] for name in weights} == pytest.approx(plain.state_features_, abs=0.02)


@pytest.mark.parametrize("responsibility", ["tempered", "sentence", "prior", "exact"])
def test_the_m_step_never_loses(responsibility):
    corpus, _ = noisy(2, [0.1, 0.3, 0.5, 0.7], missing=0.3)
    model = CRFMA(template=TEMPLATE, responsibility=responsibility, tol=0.0, max_iter=8).fit(corpus)
    for step in model.history_[1:]:
        assert step.objective <= step.objective_before + 1e-8 * abs(step.objective_before)
    for step in model.history_:
        assert sum(step.pi.values()) == pytest.approx(1)


def test_the_penalised_likelihood_does_not_fall_while_pi_is_fixed():
    corpus, _ = noisy(3, [0.3, 0.35, 0.4])
    em = _Problem(corpus, CRFMA(template=TEMPLATE, c2=0.5, crf_max_iter=100))
    prior, likelihoods, values = np.array([0.2, 0.3, 0.5]), None, []
    for _ in range(8):
        gamma = em.responsibilities(prior, likelihoods, "exact")
        em.crf.train(em.labelling_weights(gamma.annotations))
        likelihoods = em.crf.log_likelihoods()
        value = equations.log_likelihood(prior, em.sums(likelihoods), em.random)
        values.append(value - em.crf.c2 * em.crf.squares())
    # The first E-step differs because there is no CRF yet.
    assert all(after >= before - 1e-8 * abs(before) for before, after in itertools.pairwise(values[1:]))


def test_identical_annotators_share_all():
    corpus, _ = noisy(4, [0.1, 0.5])
    answers = [
        {name: corpus.labels_by(source)[at] for name, source in (("x", "a0"), ("y", "a1"), ("z", "a0"))}
        for at in range(len(corpus))
    ]
    model = CRFMA(template=TEMPLATE).fit(CrowdCorpus(corpus.sentences, answers))
    assert model.pi_["x"] == pytest.approx(model.pi_["z"], rel=1e-12)
    assert model.responsibilities_[0] == pytest.approx(model.responsibilities_[2], rel=1e-12)


def test_relabelling_annotators_permutes_results():
    corpus, _ = noisy(5, [0.1, 0.3, 0.6], missing=0.2)
    names = corpus.annotators
    answers = [{name: corpus.labels_by(name)[at] for name in names} for at in range(len(corpus))]
    changed = CrowdCorpus(corpus.sentences, answers, annotators=names[::-1])
    first, second = (CRFMA(template=TEMPLATE).fit(values) for values in (corpus, changed))
    assert second.pi_ == pytest.approx(first.pi_, rel=1e-3)
    assert second.labels_ == first.labels_


def test_a_saturated_posterior_is_said():
    corpus, _ = noisy(6, [0.1, 0.4])
    with pytest.warns(SpanrsWarning, match=r"saturated: annotator a0 has all the weight"):
        model = CRFMA(template=TEMPLATE, responsibility="exact").fit(corpus)
    assert model.responsibilities_.max() > 0.999


def test_missing_answers():
    corpus, _ = noisy(7, [0.1, 0.3, 0.3], missing=0.6)
    assert any(not any(values.sentence == at for values in corpus.annotations) for at in range(len(corpus)))
    answers = [
        {name: corpus.labels_by(name)[at] for name in corpus.annotators} for at in range(len(corpus))
    ]
    silent = CrowdCorpus(corpus.sentences, answers, annotators=[*corpus.annotators, "silent"])
    model = CRFMA(template=TEMPLATE).fit(silent)
    assert list(map(len, model.labels_)) == corpus.lengths
    assert np.isnan(model.reliability_["silent"])
    assert model.pi_["silent"] == 0.0
    assert model.labels_ == CRFMA(template=TEMPLATE).fit(corpus).labels_
    for values, confidence in zip(model.labels_, model.confidence_, strict=True):
        assert len(values) == len(confidence)
        assert ((confidence > 0) & (confidence <= 1 + 1e-9)).all()


def test_crfma_is_better_than_votes_where_bad_annotators_dominate():
    totals = {"votes": 0, "model": 0}
    for seed in range(5):
        corpus, truth = noisy(seed, [0.05, 0.7, 0.7, 0.8], sentences=80)
        totals["votes"] += right(MajorityVote().fit(corpus).labels_, truth)
        totals["model"] += right(CRFMA(template=TEMPLATE).fit(corpus).labels_, truth)
    assert totals["model"] > totals["votes"]


def test_inits_priors_and_prediction():
    corpus, _ = noisy(8, [0.1, 0.6])
    for init in ("uniform", "random"):
        model = CRFMA(template=TEMPLATE, init=init, seed=1).fit(corpus)
        assert model.pi_["a0"] > model.pi_["a1"]
        assert model.predict([["Ada", "sleeps"]]) == [["B-PER", "O"]]
    strong = CRFMA(template=TEMPLATE, alpha=[1.0, 1000.0]).fit(corpus)
    assert strong.pi_["a1"] > 0.99
    assert model.then_crf(template=TEMPLATE).predict([["Bob"]]) == [["B-PER"]]


def test_bad_options():
    corpus, _ = noisy(9, [0.1])
    for options in (
        {"responsibility": "none"},
        {"init": "none"},
        {"alpha": 0.5},
        {"max_iter": 0},
        {"threads": -1},
    ):
        with pytest.raises(ValueError, match=next(iter(options))):
            CRFMA(template=TEMPLATE, **options).fit(corpus)
    with pytest.raises(ModelError, match="no annotations"):
        CRFMA(template=TEMPLATE).fit(CrowdCorpus([["a"]], [{}], annotators=["x"]))
    with pytest.raises(ModelError, match="CRFMA is not fitted"):
        CRFMA().predict([["a"]])


def test_concatenation_is_training_on_copies():
    corpus, _ = noisy(10, [0.1, 0.5, 0.6], missing=0.2)
    answers = [
        (corpus.sentences[values.sentence], [corpus.labels[label] for label in values.labels])
        for values in corpus.annotations
    ]
    counts = [sum(values.sentence == at for values in corpus.annotations) for at in range(len(corpus))]
    for normalized in (False, True):
        mine = ConcatenatedCRF(template=TEMPLATE, normalized=normalized, scheme=None).fit(corpus)
        weights = [1 / counts[values.sentence] if normalized else 1.0 for values in corpus.annotations]
        plain = CRF(template=TEMPLATE, algorithm="lbfgs").fit(
            *zip(*answers, strict=True), sample_weight=weights
        )
        assert mine.crf_.state_features_ == pytest.approx(plain.state_features_, abs=0.05)
        # Training ends within a tolerance, and some labellings are almost equally probable.
        pairs = zip(mine.labels_, plain.predict(corpus.sentences), strict=True)
        assert sum(ours != theirs for ours, theirs in pairs) <= 2
    with pytest.raises(ModelError, match="not fitted"):
        ConcatenatedCRF().predict([["a"]])
