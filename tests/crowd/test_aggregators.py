"""Majority votes and the model of Dawid and Skene."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanrs import tags
from spanrs.crowd import BSCSeq, CrowdCorpus, DawidSkene, MajorityVote
from spanrs.errors import LimitError, ModelError


def corpus_of(*answers, tokens=None):
    """One sentence; an answer for each annotator."""
    length = len(answers[0])
    return CrowdCorpus(
        [tokens or [f"w{at}" for at in range(length)]],
        [{str(at): list(own) for at, own in enumerate(answers)}],
    )


def random_corpus(seed, *, annotators=5, labels=3, sentences=40, missing=0.3, noise=0.3):
    """A corpus of noisy answers to a known truth."""
    rng = np.random.default_rng(seed)
    names = ["O", *(f"L{at}" for at in range(1, labels))]
    texts, answers, truth = [], [], []
    for _ in range(sentences):
        gold = rng.integers(labels, size=rng.integers(1, 6))
        own = {}
        for at in range(annotators):
            if rng.random() >= missing:
                wrong = rng.random(len(gold)) < noise * (at + 1) / annotators
                given_ = np.where(wrong, rng.integers(labels, size=len(gold)), gold)
                own[str(at)] = [names[label] for label in given_]
        texts.append([f"w{at}" for at in range(len(gold))])
        answers.append(own)
        truth.append([names[label] for label in gold])
    return CrowdCorpus(texts, answers, annotators=[str(at) for at in range(annotators)]), truth


def test_units_differ():
    answers = (["B", "O"], ["B", "O"], ["O", "C"], ["C", "C"], ["D", "O"])
    vote = lambda unit: MajorityVote(unit).fit(corpus_of(*answers)).estimated_truth_  # noqa: E731
    assert vote("token") == [["B", "O"]]
    assert vote("sequence") == [["B", "O"]]
    # Three of five say that the first token is in a segment, and no label has more votes than O.
    assert MajorityVote("token").fit(corpus_of(["B"], ["C"], ["D"], ["O"], ["O"])).estimated_truth_ == [
        ["O"]
    ]
    assert MajorityVote("segment").fit(corpus_of(["B"], ["C"], ["D"], ["O"], ["O"])).estimated_truth_ == [
        ["B"]
    ]


def test_rules_for_ties():
    tied = corpus_of(["B", "O"], ["O", "B"])
    assert MajorityVote(ties="lowest").fit(tied).estimated_truth_ == [["O", "O"]]
    assert MajorityVote(ties="annotator").fit(tied).estimated_truth_ == [["B", "O"]]
    assert MajorityVote("sequence", "lowest").fit(tied).estimated_truth_ == [["O", "B"]]
    assert MajorityVote("sequence", "annotator").fit(tied).estimated_truth_ == [["B", "O"]]
    drawn = {str(MajorityVote(ties="random", seed=seed).fit(tied).estimated_truth_) for seed in range(40)}
    assert len(drawn) == 4
    one, other = (MajorityVote(ties="random", seed=3).fit(tied).estimated_truth_ for _ in range(2))
    assert one == other


@given(st.integers(0, 10**6))
def test_token_votes_are_those_of_a_counter(seed):
    corpus, _ = random_corpus(seed, sentences=5)
    if not corpus.annotations:
        return
    vote = MajorityVote().fit(corpus)
    for at, tokens in enumerate(corpus.sentences):
        answers = [own for own in map(corpus.labels_by, corpus.annotators) if own[at] is not None]
        for place in range(len(tokens)):
            counts = Counter(own[at][place] for own in answers)
            most = max(counts.values(), default=0)
            best = min((corpus.labels.index(name) for name in counts if counts[name] == most), default=0)
            assert vote.estimated_truth_[at][place] == corpus.labels[best]
            share = most / len(answers) if answers else 0.0
            assert vote.confidence_[at][place] == pytest.approx(share)


@pytest.mark.filterwarnings(
    "ignore::FutureWarning", "ignore::DeprecationWarning"
)  # of pandas, in crowd-kit
def test_dawid_skene_is_that_of_crowd_kit():
    import pandas as pd
    from crowdkit import aggregation as crowdkit

    for seed in range(5):
        corpus, _ = random_corpus(seed)
        mine = DawidSkene(max_iterations=200, tol=0.0).fit(corpus)
        votes = corpus.votes()
        table = pd.DataFrame({"task": votes.token, "worker": votes.annotator, "label": votes.label})
        theirs = crowdkit.DawidSkene(n_iter=len(mine.bound_), tol=-np.inf).fit(table)
        rows = theirs.probas_.sort_index()[sorted(theirs.probas_.columns)]
        assert np.abs(mine._probabilities[rows.index] - rows.to_numpy()).max() < 1e-6


def test_the_bound_of_dawid_skene_does_not_fall():
    for seed in range(5):
        corpus, _ = random_corpus(seed)
        bound = DawidSkene(max_iterations=60, tol=0.0).fit(corpus).bound_
        assert all(after >= before - 1e-9 for before, after in itertools.pairwise(bound[:-1]))


def test_dawid_skene_against_enumeration():
    """EM on three votes, by hand."""
    corpus = corpus_of(["A", "B"], ["A", "A"], ["B", "A"])
    found = DawidSkene(max_iterations=1).fit(corpus)
    votes = [[0, 0, 1], [1, 0, 0]]
    shares = np.array([[2 / 3, 1 / 3], [2 / 3, 1 / 3]])
    prior = shares.mean(axis=0)
    confusion = np.zeros((3, 2, 2))
    for token, own in enumerate(votes):
        for annotator, label in enumerate(own):
            confusion[annotator, :, label] += shares[token]
    confusion = np.maximum(confusion, 1e-10)
    confusion /= confusion.sum(axis=2, keepdims=True)
    for token, own in enumerate(votes):
        scores = prior.copy()
        for annotator, label in enumerate(own):
            scores *= confusion[annotator, :, label]
        assert found._probabilities[token] == pytest.approx(scores / scores.sum(), rel=1e-9)


def test_relabelling_annotators_permutes_results():
    corpus, _ = random_corpus(3)
    names = corpus.annotators
    answers = [{name: corpus.labels_by(name)[at] for name in reversed(names)} for at in range(len(corpus))]
    other = CrowdCorpus(corpus.sentences, answers, annotators=names[::-1])
    for aggregator in (MajorityVote(), DawidSkene()):
        first = aggregator.fit(corpus).reliability_
        assert aggregator.fit(other).reliability_ == pytest.approx(first, nan_ok=True)


def test_dawid_skene_is_better_than_votes_where_annotators_differ():
    right = {"votes": 0, "model": 0}
    for seed in range(10):
        corpus, truth = random_corpus(seed, missing=0.0, noise=1.0, sentences=150)
        for name, aggregator in (("votes", MajorityVote()), ("model", DawidSkene())):
            found = aggregator.fit(corpus).estimated_truth_
            right[name] += sum(
                a == b for x, y in zip(found, truth, strict=True) for a, b in zip(x, y, strict=True)
            )
    assert right["model"] > right["votes"]


def test_a_crf_is_trained_on_the_estimate():
    tokens = ["Ada", "sleeps"]
    corpus = corpus_of(["B-PER", "O"], ["B-PER", "O"], ["O", "O"], tokens=tokens)
    for aggregator in (MajorityVote(), DawidSkene(smoothing=0.5)):
        crf = aggregator.fit(corpus).then_crf(template="U:%x[0,0]", progress=False)
        assert crf.predict([tokens]) == aggregator.estimated_truth_
    with pytest.raises(ModelError, match="not fitted"):
        MajorityVote().then_crf()


def test_bad_options_and_empty_corpora():
    corpus = corpus_of(["A"])
    for aggregator in (MajorityVote("word"), MajorityVote(ties="none"), DawidSkene(max_iterations=0)):
        with pytest.raises(ValueError, match=r"is not one of|at least"):
            aggregator.fit(corpus)
    empty = CrowdCorpus([["a"]], [{}], annotators=["x"])
    for aggregator in (MajorityVote(), MajorityVote("sequence"), DawidSkene()):
        with pytest.raises(ModelError, match="no"):
            aggregator.fit(empty)


def generated(seed, *, annotators=6, sentences=60, labels=3):
    """Answers of sequential annotators to a Markov chain: each one's errors depend on their answer before."""
    rng = np.random.default_rng(seed)
    names = ["O", *(f"L{at}" for at in range(1, labels))]
    steps = rng.dirichlet(np.ones(labels) * 0.4, size=labels)
    tables = rng.dirichlet(np.ones(labels) * 0.5, size=(annotators, labels, labels))
    for annotator in range(annotators):
        # Some are good, some are not; after an error, errors are likely.
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
        own = {}
        for annotator in range(annotators):
            before, given_ = 0, []
            for label in gold:
                before = int(rng.choice(labels, p=tables[annotator, label, before]))
                given_.append(names[before])
            own[str(annotator)] = given_
        texts.append([f"w{at}" for at in range(len(gold))])
        answers.append(own)
        truth.append([names[label] for label in gold])
    return CrowdCorpus(texts, answers), truth


def right(found, truth):
    return sum(a == b for x, y in zip(found, truth, strict=True) for a, b in zip(x, y, strict=True))


def test_bsc_seq_recovers_a_generated_truth_better_than_simpler_models():
    totals = dict.fromkeys(("votes", "dawid_skene", "bsc_seq"), 0)
    for seed in range(10):
        corpus, truth = generated(seed)
        totals["votes"] += right(MajorityVote().fit(corpus).estimated_truth_, truth)
        totals["dawid_skene"] += right(DawidSkene(smoothing=1.0).fit(corpus).estimated_truth_, truth)
        totals["bsc_seq"] += right(BSCSeq(scheme=None).fit(corpus).estimated_truth_, truth)
    assert totals["votes"] < totals["bsc_seq"]
    assert totals["dawid_skene"] < totals["bsc_seq"]


def test_bsc_seq_gives_legal_tags_and_probabilities():
    corpus = corpus_of(["O", "I-A", "I-A"], ["B-A", "I-A", "O"], ["O", "B-A", "I-A"])
    found = BSCSeq().fit(corpus)
    assert corpus.violations("BIO")
    assert tags.validate(found.estimated_truth_, "BIO") == [[]]
    assert found.confusion_.sum(axis=3) == pytest.approx(1)
    assert all(((own > 0) & (own <= 1 + 1e-9)).all() for own in found.confidence_)


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
