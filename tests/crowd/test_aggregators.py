"""Majority votes and the model of Dawid and Skene."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanrs
from recordings import peer_cases
from spanrs import tags
from spanrs.crowd import (
    MACE,
    BSCSeq,
    CrowdCorpus,
    DawidSkene,
    MajorityVote,
    OneCoinDawidSkene,
    flip_labels,
)
from spanrs.errors import LimitError, ModelError


def corpus_of(*answers, tokens=None):
    """One sentence with an answer of each annotator."""
    length = len(answers[0])
    return CrowdCorpus(
        [tokens or [f"w{at}" for at in range(length)]],
        [{str(at): list(values) for at, values in enumerate(answers)}],
    )


def random_corpus(seed, *, annotators=5, labels=3, sentences=40, missing=0.3, noise=0.3):
    """A corpus of noisy answers to a known truth."""
    rng = np.random.default_rng(seed)
    names = ["O", *(f"L{at}" for at in range(1, labels))]
    texts, answers, truth = [], [], []
    for _ in range(sentences):
        gold = rng.integers(labels, size=rng.integers(1, 6))
        mapping = {}
        for at in range(annotators):
            if rng.random() >= missing:
                wrong = rng.random(len(gold)) < noise * (at + 1) / annotators
                given_ = np.where(wrong, rng.integers(labels, size=len(gold)), gold)
                mapping[str(at)] = [names[label] for label in given_]
        texts.append([f"w{at}" for at in range(len(gold))])
        answers.append(mapping)
        truth.append([names[label] for label in gold])
    return CrowdCorpus(texts, answers, annotators=[str(at) for at in range(annotators)]), truth


def test_units_differ():
    answers = (["B", "O"], ["B", "O"], ["O", "C"], ["C", "C"], ["D", "O"])
    vote = lambda unit: MajorityVote(unit=unit).fit(corpus_of(*answers)).labels_  # noqa: E731
    assert vote("token") == [["B", "O"]]
    assert vote("sequence") == [["B", "O"]]
    # Three of five say that the first token is in a segment, and no label has more votes than O.
    assert MajorityVote(unit="token").fit(corpus_of(["B"], ["C"], ["D"], ["O"], ["O"])).labels_ == [["O"]]
    assert MajorityVote(unit="segment").fit(corpus_of(["B"], ["C"], ["D"], ["O"], ["O"])).labels_ == [["B"]]


def test_rules_for_ties():
    tied = corpus_of(["B", "O"], ["O", "B"])
    assert MajorityVote(ties="lowest").fit(tied).labels_ == [["O", "O"]]
    assert MajorityVote(ties="annotator").fit(tied).labels_ == [["B", "O"]]
    assert MajorityVote(unit="sequence", ties="lowest").fit(tied).labels_ == [["O", "B"]]
    assert MajorityVote(unit="sequence", ties="annotator").fit(tied).labels_ == [["B", "O"]]
    drawn = {str(MajorityVote(ties="random", seed=seed).fit(tied).labels_) for seed in range(40)}
    assert len(drawn) == 4
    first, second = (MajorityVote(ties="random", seed=3).fit(tied).labels_ for _ in range(2))
    assert first == second


@given(st.integers(0, 10**6))
def test_token_votes_are_those_of_a_counter(seed):
    corpus, _ = random_corpus(seed, sentences=5)
    if not corpus.annotations:
        return
    vote = MajorityVote().fit(corpus)
    for at, tokens in enumerate(corpus.sentences):
        answers = [values for values in map(corpus.labels_by, corpus.annotators) if values[at] is not None]
        for place in range(len(tokens)):
            counts = Counter(values[at][place] for values in answers)
            most = max(counts.values(), default=0)
            best = min((corpus.labels.index(name) for name in counts if counts[name] == most), default=0)
            assert vote.labels_[at][place] == corpus.labels[best]
            share = most / len(answers) if answers else 0.0
            assert vote.confidence_[at][place] == pytest.approx(share)


def test_methods_are_those_of_crowd_kit():
    methods = {
        # Crowd-kit's MACE has a different initialisation, so only the converged results agree.
        "DawidSkene": (DawidSkene(max_iter=200, tol=0.0, smoothing=0.0, agreement=0.0), 1e-6),
        "OneCoinDawidSkene": (OneCoinDawidSkene(max_iter=200, tol=0.0, smoothing=0.0), 1e-6),
        "MACE": (MACE(max_iter=1000, tol=0.0, prior="uniform"), 1e-3),
    }
    compared = 0
    for (rows, _, calls), outputs in peer_cases("crowdkit", "crowd-kit==1.4.2"):
        if calls[-1][0] != "MACE":
            continue
        tasks = sorted({task for task, _, _ in rows})
        # Each task is a sentence of one token.
        answers = [{worker: [label] for task, worker, label in rows if task == name} for name in tasks]
        corpus = CrowdCorpus([["w"]] * len(tasks), answers)
        for (name, _), output in zip(calls, outputs, strict=True):
            model, error = methods[name]
            order = [corpus.labels.index(label) for label in output["probas"][1]]
            found = model.fit(corpus)._probabilities[:, order]
            assert np.abs(found - np.array(output["probas"][2])).max() < error, name
            compared += 1
    assert compared == 15


def test_the_bound_of_dawid_skene_does_not_fall():
    for seed in range(5):
        corpus, _ = random_corpus(seed)
        for model in (
            DawidSkene(max_iter=60, tol=0.0, smoothing=0.0, agreement=0.0),
            DawidSkene(max_iter=60, tol=0.0),
            OneCoinDawidSkene(max_iter=60, tol=0.0),
            OneCoinDawidSkene(max_iter=60, tol=0.0, smoothing=0.0),
            MACE(max_iter=60, tol=0.0),
            MACE(max_iter=60, tol=0.0, prior="uniform"),
        ):
            bound = model.fit(corpus).bound_
            assert all(after >= before - 1e-9 for before, after in itertools.pairwise(bound[:-1]))


def test_dawid_skene_against_enumeration():
    """EM on three votes, by hand."""
    corpus = corpus_of(["A", "B"], ["A", "A"], ["B", "A"])
    model = DawidSkene(max_iter=1, smoothing=0.0, agreement=0.0).fit(corpus)
    votes = [[0, 0, 1], [1, 0, 0]]
    shares = np.array([[2 / 3, 1 / 3], [2 / 3, 1 / 3]])
    prior = shares.mean(axis=0)
    confusion = np.zeros((3, 2, 2))
    for token, values in enumerate(votes):
        for annotator, label in enumerate(values):
            confusion[annotator, :, label] += shares[token]
    confusion = np.maximum(confusion, 1e-10)
    confusion /= confusion.sum(axis=2, keepdims=True)
    for token, values in enumerate(votes):
        scores = prior.copy()
        for annotator, label in enumerate(values):
            scores *= confusion[annotator, :, label]
        assert model._probabilities[token] == pytest.approx(scores / scores.sum(), rel=1e-9)


def test_one_coin_against_enumeration():
    corpus = corpus_of(["A", "B", "A"], ["A", "A", "C"], ["B", "A", "A"])
    model = OneCoinDawidSkene(max_iter=1, smoothing=0.5).fit(corpus)
    votes = np.array([annotation.labels for annotation in corpus.annotations])
    shares = np.array([[(votes[:, at] == label).mean() for label in range(3)] for at in range(3)])
    prior = (shares.sum(axis=0) + 0.5) / 4.5
    right = np.array(
        [(sum(shares[at, annotation[at]] for at in range(3)) + 0.5) / 4.0 for annotation in votes]
    )
    for at in range(3):
        scores = [
            prior[true]
            * np.prod([right[k] if votes[k, at] == true else (1 - right[k]) / 2 for k in range(3)])
            for true in range(3)
        ]
        assert model._probabilities[at] == pytest.approx(np.array(scores) / sum(scores), rel=1e-9)


def test_mace_against_enumeration_of_labels_and_who_knew():
    """Two iterations; the expectations are sums over all true labels and all subsets of annotators who knew."""
    from scipy.special import digamma

    corpus = corpus_of(["A", "B", "A"], ["A", "A", "C"], ["B", "A", "A"])
    votes = np.array([annotation.labels for annotation in corpus.annotations])
    knows, guesses = np.full(3, 0.5), np.full((3, 3), 1 / 6)
    shares = np.array([[(votes[:, at] == label).mean() for label in range(3)] for at in range(3)])

    def update(shares):
        competence, strategy = np.full((3, 2), 0.5), np.full((3, 3), 10.0)
        for at, true in itertools.product(range(3), repeat=2):
            for annotator, label in enumerate(votes[:, at]):
                chance = knows[annotator] * (label == true)
                chance /= chance + guesses[annotator, label]
                competence[annotator] += shares[at, true] * np.array([chance, 1 - chance])
                strategy[annotator, label] += shares[at, true] * (1 - chance)
        log = digamma(competence) - digamma(competence.sum(axis=1, keepdims=True))
        log_strategy = digamma(strategy) - digamma(strategy.sum(axis=1, keepdims=True))
        return np.exp(log[:, 0]), np.exp(log[:, 1:] + log_strategy)

    def enumerated():
        actual = np.zeros((3, 3))
        for at, true in itertools.product(range(3), repeat=2):
            for knew in itertools.product([True, False], repeat=3):
                parts = [
                    knows[k] * (votes[k, at] == true) if annotation else guesses[k, votes[k, at]]
                    for k, annotation in enumerate(knew)
                ]
                actual[at, true] += np.prod(parts)
        return actual / actual.sum(axis=1, keepdims=True)

    for iterations in (1, 2):
        knows, guesses = update(shares)
        shares = enumerated()
        mine = MACE(max_iter=iterations, tol=0.0, prior="uniform").fit(corpus)
        assert mine._probabilities == pytest.approx(shares, rel=1e-7)


def test_mace_finds_annotators_who_do_not_look():
    rng = np.random.default_rng(0)
    truth = ["AB"[label] for label in rng.integers(2, size=60)]
    honest = [["AB"[("AB".index(label) + (rng.random() < 0.1)) % 2] for label in truth] for _ in range(3)]
    model = MACE().fit(corpus_of(*honest, ["A"] * 60))
    assert model.competence_[:3].min() > 0.5 > model.competence_[3]
    assert model.strategy_[3, model._corpus.labels.index("A")] > 0.8


@pytest.mark.parametrize("each", [3, 4])
def test_dawid_skene_is_not_overfitted(each):
    """On sentences that were not used to choose its defaults; all ten simulations are in benches."""
    import pandas as pd

    from spanrs.compat.crowdkit import aggregation as crowdkit
    from spanrs.crowd.experiments import prf

    rng = np.random.default_rng(each)
    names = ["B-A", "I-A", "B-C", "I-C"]
    gold = [["O", *rng.permutation(["O"] * 6 + [names[0], names[2]]).tolist()] for _ in range(120)]
    everyone = flip_labels([["w"] * 9] * 120, gold, rng.uniform(0.05, 0.4, 10).tolist(), seed=each)
    chosen = [set(rng.choice(10, each, replace=False).tolist()) for _ in gold]
    corpus = everyone.replaced(
        annotations=[row for row in everyone.annotations if row.annotator in chosen[row.sentence]]
    )
    votes = corpus.votes()
    table = pd.DataFrame({"task": votes.token, "worker": votes.annotator, "label": votes.label})
    labels = crowdkit.DawidSkene().fit_predict(table).sort_index().to_numpy().reshape(120, 9)
    theirs = prf(gold, [[corpus.labels[at] for at in row] for row in labels], "BIO").f1
    assert prf(gold, DawidSkene().fit(corpus).labels_, "BIO").f1 >= theirs - 0.01


def test_relabelling_annotators_permutes_results():
    corpus, _ = random_corpus(3)
    names = corpus.annotators
    answers = [{name: corpus.labels_by(name)[at] for name in reversed(names)} for at in range(len(corpus))]
    second = CrowdCorpus(corpus.sentences, answers, annotators=names[::-1])
    for aggregator in (MajorityVote(), DawidSkene()):
        first = aggregator.fit(corpus).reliability_
        assert aggregator.fit(second).reliability_ == pytest.approx(first, nan_ok=True)


def test_dawid_skene_is_better_than_votes_where_annotators_differ():
    right = {"votes": 0, "model": 0}
    for seed in range(10):
        corpus, truth = random_corpus(seed, missing=0.0, noise=1.0, sentences=150)
        for name, aggregator in (("votes", MajorityVote()), ("model", DawidSkene())):
            model = aggregator.fit(corpus).labels_
            right[name] += sum(
                a == b for x, y in zip(model, truth, strict=True) for a, b in zip(x, y, strict=True)
            )
    assert right["model"] > right["votes"]


def test_a_crf_is_trained_on_the_estimate():
    tokens = ["Ada", "sleeps"]
    corpus = corpus_of(["B-PER", "O"], ["B-PER", "O"], ["O", "O"], tokens=tokens)
    for aggregator in (MajorityVote(), DawidSkene(smoothing=0.5)):
        crf = aggregator.fit(corpus).then_crf(template="U:%x[0,0]", progress=False)
        assert crf.predict([tokens]) == aggregator.labels_
    with pytest.raises(ModelError, match="not fitted"):
        MajorityVote().then_crf()


def test_bad_options_and_empty_corpora():
    corpus = corpus_of(["A"])
    for aggregator in (
        MajorityVote(unit="word"),
        MajorityVote(ties="none"),
        DawidSkene(max_iter=0),
        DawidSkene(agreement=-1.0),
        OneCoinDawidSkene(tol=-1.0),
        MACE(max_iter=0),
        MACE(strategy=0.0),
        MACE(prior="even"),
    ):
        with pytest.raises(ValueError, match=r"must be (one of|an integer of at least 1|a number)"):
            aggregator.fit(corpus)
    empty = CrowdCorpus([["a"]], [{}], annotators=["x"])
    for aggregator in (MajorityVote(), MajorityVote(unit="sequence"), DawidSkene()):
        with pytest.raises(ModelError, match="no"):
            aggregator.fit(empty)


def generated(seed, *, annotators=6, sentences=60, labels=3):
    """Answers of sequential annotators to a Markov chain: each one's errors depend on their answer before."""
    rng = np.random.default_rng(seed)
    names = ["O", *(f"L{at}" for at in range(1, labels))]
    steps = rng.dirichlet(np.ones(labels) * 0.4, size=labels)
    tables = rng.dirichlet(np.ones(labels) * 0.5, size=(annotators, labels, labels))
    for annotator in range(annotators):
        # Annotators differ in quality; errors are more likely after an error.
        quality = rng.uniform(0.2, 0.9)
        for label in range(labels):
            tables[annotator, label] = (1 - quality) * tables[annotator, label] + quality * np.eye(labels)[
                label
            ]
    texts, answers, truth = [], [], []
    for _ in range(sentences):
        gold = [int(rng.integers(labels))]
        for _ in range(int(rng.integers(2, 8))):
            gold.append(int(rng.choice(labels, p=steps[gold[-1]])))
        mapping = {}
        for annotator in range(annotators):
            before, given_ = 0, []
            for label in gold:
                before = int(rng.choice(labels, p=tables[annotator, label, before]))
                given_.append(names[before])
            mapping[str(annotator)] = given_
        texts.append([f"w{at}" for at in range(len(gold))])
        answers.append(mapping)
        truth.append([names[label] for label in gold])
    return CrowdCorpus(texts, answers), truth


def right(item, truth):
    return sum(a == b for x, y in zip(item, truth, strict=True) for a, b in zip(x, y, strict=True))


def test_bsc_seq_recovers_a_generated_truth_better_than_simpler_models():
    totals = dict.fromkeys(("votes", "dawid_skene", "bsc_seq"), 0)
    for seed in range(10):
        corpus, truth = generated(seed)
        totals["votes"] += right(MajorityVote().fit(corpus).labels_, truth)
        totals["dawid_skene"] += right(DawidSkene(smoothing=1.0).fit(corpus).labels_, truth)
        totals["bsc_seq"] += right(BSCSeq(scheme=None).fit(corpus).labels_, truth)
    assert totals["votes"] < totals["bsc_seq"]
    assert totals["dawid_skene"] < totals["bsc_seq"]


def test_bsc_seq_gives_legal_tags_and_probabilities():
    corpus = corpus_of(["O", "I-A", "I-A"], ["B-A", "I-A", "O"], ["O", "B-A", "I-A"])
    model = BSCSeq().fit(corpus)
    assert corpus.violations("BIO")
    assert tags.validate(model.labels_, "BIO") == [[]]
    assert model.confusion_.sum(axis=3) == pytest.approx(1)
    assert all(((values > 0) & (values <= 1 + 1e-9)).all() for values in model.confidence_)


def test_digamma_is_that_of_scipy():
    from scipy.special import digamma as expected

    from spanrs.crowd.annotators import digamma

    x = np.concatenate([np.geomspace(1e-7, 1e6, 500), [0.5, 1, 2, 7.999, 8]])
    assert digamma(x) == pytest.approx(expected(x), rel=1e-12, abs=1e-12)


def test_labels_that_are_words_are_refused_before_memory_fills():
    words = [f"w{at}" for at in range(20_000)]
    corpus = CrowdCorpus([words], [{"x": words}])
    for aggregator in (MajorityVote(), DawidSkene(), BSCSeq()):
        with pytest.raises(LimitError, match="20000 different labels"):
            aggregator.fit(corpus)


def test_mace_is_above_the_vote_where_most_tokens_are_outside():
    rng = random.Random(5)
    gold = []
    for _ in range(100):
        sentence = ["O"] * rng.randint(5, 12)
        for at in range(0, len(sentence), 4):
            if rng.random() < 0.5:
                sentence[at] = rng.choice(["B-PER", "B-LOC"])
        gold.append(sentence)
    corpus = flip_labels([["w"] * len(tags) for tags in gold], gold, [0.1, 0.6, 0.6, 0.6], seed=1)
    scores = [
        spanrs.score(gold, method.fit(corpus).labels_, scheme="BIO").micro.f1
        for method in (MACE(), MajorityVote(), MACE(prior="uniform"))
    ]
    assert scores[0] > scores[1] > scores[2]
