"""Annotators with correlated errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from noisy_crowd import noisy
from spanrs.crowd import (
    MACE,
    BSCSeq,
    CrossFitted,
    CrowdCorpus,
    DawidSkene,
    HMMCrowd,
    MajorityVote,
    correlated_annotators,
    correlation,
    share_errors,
)
from spanrs.crowd.corpus import Votes
from spanrs.crowd.correlation import annotator_exponents
from spanrs.crowd.experiments import prf
from spanrs.errors import ModelError, NotFittedError, SpanrsWarning

FIVE = ["a0", "a1", "a2", "a3", "a4"]


def prompts(seed, *, shared=0.9, number=5, flips=(0.1,), sentences=200):
    """Prompts that share errors, and good annotators; and the truth."""
    corpus, truth = noisy(seed, [*[0.5] * number, *flips], sentences=sentences)
    return share_errors(corpus, [FIVE[:number]], shared, seed=seed), truth


def with_known(corpus, truth, number):
    return corpus.with_known(dict(enumerate(truth[:number])))


def messages(method, corpus):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        method.fit(corpus)
    return [
        str(item.message)
        for item in caught
        if "correlated" in str(item.message) or "same labels" in str(item.message)
    ]


def test_shared_errors_repeat_the_first_annotator():
    corpus, _ = noisy(1, [0.5, 0.5, 0.5], sentences=400)
    assert share_errors(corpus, [["a1", "a0"]], 0.0).annotations == corpus.annotations
    every = share_errors(corpus, [["a1", "a0"]], 1.0)
    assert every.labels_by("a0") == every.labels_by("a1") == corpus.labels_by("a1")
    assert every.labels_by("a2") == corpus.labels_by("a2")
    half = share_errors(corpus, [["a1", "a0"]], 0.5, seed=1)
    same, before = (
        sum(a == b for a, b in zip(item.labels_by("a0"), item.labels_by("a1"), strict=True))
        for item in (half, corpus)
    )
    assert same == pytest.approx(before + (400 - before) / 2, abs=40)
    assert half.annotations == share_errors(corpus, [["a1", "a0"]], 0.5, seed=1).annotations


def test_shared_errors_are_checked():
    corpus, _ = noisy(1, [0.5])
    with pytest.raises(ValueError, match="probability must be from 0 to 1, not 2"):
        share_errors(corpus, [["a0"]], 2.0)
    with pytest.raises(ModelError, match="no annotator 'ben'; the annotators are a0"):
        share_errors(corpus, [["ben"]], 0.5)


def test_missing_labels_are_not_shared():
    corpus = CrowdCorpus([["a"], ["b"]], [{"x": ["A"]}, {"x": ["A"], "y": ["B"]}])
    shared = share_errors(corpus, [["y", "x"]], 1.0)
    assert shared.labels_by("x") == [["A"], ["B"]]
    assert shared.labels_by("y") == [None, ["B"]]


def test_groups_at_known_labels():
    corpus, truth = prompts(1)
    [group] = correlated_annotators(with_known(corpus, truth, 60))
    assert (group.annotators, group.evidence) == (tuple(FIVE), "known")
    assert group.same_errors > 2 * group.expected
    assert 0.6 < group.correlation <= 1.0


def test_independent_annotators_have_no_groups():
    for seed in range(8):
        corpus, truth = noisy(seed, [0.1, 0.2, 0.4, 0.5, 0.6], sentences=100)
        assert correlated_annotators(corpus) == []
        assert annotator_exponents(with_known(corpus, truth, 20)) is None


def test_correlation_increases_with_shared_errors():
    values = []
    for shared in (0.5, 0.8, 1.0):
        corpus, truth = prompts(2, shared=shared)
        [group] = correlated_annotators(with_known(corpus, truth, 100))
        values.append(group.correlation)
    assert values == sorted(values)
    assert values[2] == pytest.approx(1.0)


def test_a_group_of_identical_annotators_counts_as_one():
    corpus, truth = prompts(3, shared=1.0)
    exponents = annotator_exponents(with_known(corpus, truth, 60))
    assert exponents == pytest.approx([0.2] * 5 + [1.0])
    # If each sentence has two of the five, the group counts as one of two.
    kept = [
        row for row in corpus.annotations if row.annotator == 5 or (row.annotator + row.sentence) % 5 < 2
    ]
    sparse = with_known(corpus.replaced(annotations=kept), truth, 200)
    assert annotator_exponents(sparse) == pytest.approx([0.5] * 5 + [1.0])


def test_exponents_of_identical_annotators_give_the_estimate_of_one():
    corpus, truth = prompts(4, shared=1.0, flips=(0.3, 0.3))
    corpus = with_known(corpus, truth, 60)
    single = corpus.replaced(
        annotations=[row for row in corpus.annotations if row.annotator not in (1, 2, 3, 4)]
    )
    assert BSCSeq().fit(corpus).labels_ == BSCSeq().fit(single).labels_
    several, one = DawidSkene().fit(corpus), DawidSkene().fit(single)
    assert several.confusion_[0] == pytest.approx(one.confusion_[0], abs=1e-2)


@pytest.mark.parametrize(
    "method",
    [DawidSkene(), MACE(), BSCSeq(), HMMCrowd(), CrossFitted(folds=2, rounds=2)],
    ids=lambda m: type(m).__name__,
)
def test_known_labels_protect_from_shared_errors(method):
    corpus, truth = prompts(5)
    known = with_known(corpus, truth, 40)
    f1 = [prf(truth[40:], method.fit(item).labels_[40:], "BIO").f1 for item in (corpus, known)]
    assert f1[1] > f1[0] + 0.05
    assert f1[1] > 0.9


@pytest.mark.parametrize("number", [3, 5])
@pytest.mark.parametrize("flips", [(0.1,), (0.1, 0.15)])
def test_shared_errors_are_warned_of(number, flips):
    corpus, _ = prompts(6, shared=0.7, number=number, flips=flips)
    [message] = messages(MajorityVote(), corpus)
    assert f"a{number}" in message
    assert "pass the true labels of some sentences (known=, --known)" in message


@pytest.mark.parametrize("method", [MajorityVote(), DawidSkene(), BSCSeq()], ids=lambda m: type(m).__name__)
def test_independent_annotators_are_not_warned_of(method):
    corpus, _ = noisy(7, [0.1, 0.2, 0.4, 0.5, 0.6], sentences=100)
    assert messages(method, corpus) == []


def test_no_warning_if_known_labels_decide():
    corpus, truth = prompts(8, shared=0.7)
    assert len(messages(DawidSkene(), corpus)) == 1
    assert messages(DawidSkene(), with_known(corpus, truth, 60)) == []
    # One sentence does not decide.
    assert len(messages(DawidSkene(), with_known(corpus, truth, 1))) == 1


def test_copies_are_warned_of():
    corpus, _ = noisy(9, [0.4, 0.4, 0.4], sentences=200)
    corpus = share_errors(corpus, [["a0", "a1"]], 1.0)
    [group] = correlated_annotators(corpus)
    assert (group.annotators, group.evidence, group.correlation) == (("a0", "a1"), "copies", 1.0)
    [message] = messages(MajorityVote(), corpus)
    assert message.startswith("the annotators a0 and a1 gave nearly the same labels")


def test_two_annotators_cannot_be_checked():
    corpus, _ = noisy(10, [0.4, 0.4], sentences=200)
    assert correlated_annotators(share_errors(corpus, [["a0", "a1"]], 1.0)) == []


def test_an_aggregator_gives_the_estimate():
    corpus, truth = prompts(11, shared=0.7)
    good = DawidSkene().fit(with_known(corpus, truth, 60))
    [group] = correlated_annotators(corpus, good)
    assert (group.annotators, group.evidence) == (tuple(FIVE), "estimate")
    with pytest.raises(NotFittedError, match="DawidSkene is not fitted"):
        correlated_annotators(corpus, DawidSkene())


def test_annotators_without_labels_change_nothing():
    corpus, truth = prompts(12, shared=0.7)
    corpus = with_known(corpus, truth, 60)
    answers = [
        {name: corpus.labels_by(name)[at] for name in corpus.annotators} for at in range(len(corpus))
    ]
    idle = CrowdCorpus(
        corpus.sentences,
        answers,
        annotators=["idle", *corpus.annotators],
        known=dict(enumerate(truth[:60])),
    )
    assert correlated_annotators(idle) == correlated_annotators(corpus)
    exponents = annotator_exponents(corpus)
    assert np.array_equal(annotator_exponents(idle), [1.0, *exponents])


def test_the_warning_is_a_spanrs_warning():
    corpus, _ = prompts(13, shared=0.7)
    with pytest.warns(SpanrsWarning, match="appear to be correlated"):
        DawidSkene().fit(corpus)


def test_shared_spans_that_outnumber_the_true_ones_are_warned_of():
    rng = np.random.default_rng(14)
    truth = [["O"] * 6 for _ in range(200)]
    added = [["B-PER" if rng.random() < 0.3 else "O" for _ in range(6)] for _ in truth]

    def noise(rows, rate):
        return [
            [("B-PER" if tag == "O" else "O") if rng.random() < rate else tag for tag in row]
            for row in rows
        ]

    answers = [noise(added, 0.1), noise(added, 0.1), noise(added, 0.1), noise(truth, 0.02)]
    given = [dict(zip("wxyz", rows, strict=True)) for rows in zip(*answers, strict=True)]
    corpus = CrowdCorpus([["a"] * 6] * 200, given, scheme="BIO")
    [group] = correlated_annotators(corpus)
    assert (group.annotators, group.evidence) == (("z",), "rejection")
    assert 0.9 < group.same_errors / group.expected <= 1.0
    [message] = [str(item.message) for item in _warnings(corpus)]
    assert message.startswith("z labelled O at most tokens")
    assert "--known" in message


def _warnings(corpus):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        MajorityVote().fit(corpus)
    return [item for item in caught if issubclass(item.category, SpanrsWarning)]


def sparse(seed, *, same=(), annotators=20, per_sentence=3, sentences=400, rate=0.03):
    """Sentences of 40 tokens with two spans; a few of the annotators label each sentence, with independent errors.

    ``same`` are annotators with the errors of the first of them.
    """
    rng = np.random.default_rng(seed)
    answers = []
    for _ in range(sentences):
        truth = ["O"] * 40
        for start in rng.integers(20, size=2) * 2:
            truth[start : start + 2] = ["B-PER", "I-PER"] if rng.random() < 0.5 else ["B-LOC", "O"]
        given = {}
        every = [[*truth] for _ in range(annotators)]
        for row in every:
            for at in np.flatnonzero(np.array(truth) != "O"):
                if rng.random() < rate:
                    row[at] = "O" if rng.random() < 0.5 else "B-ORG"
        for name in rng.choice(annotators, per_sentence, replace=False).tolist():
            given[f"a{name}"] = every[same[0] if name in same else name]
        answers.append(given)
    names = [f"a{at}" for at in range(annotators)]
    return CrowdCorpus([["x"] * 40] * sentences, answers, annotators=names)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("sentences", [60, 100, 400])
def test_sparse_independent_annotators_are_not_warned_of(seed, sentences):
    assert messages(MajorityVote(), sparse(seed, sentences=sentences)) == []


@pytest.mark.parametrize("seed", range(3))
def test_copies_among_few_common_sentences_are_warned_of(seed):
    corpus = sparse(seed, same=(1, 4), annotators=6, rate=0.2)
    groups = correlated_annotators(corpus)
    assert [(group.annotators, group.evidence) for group in groups] == [(("a1", "a4"), "copies")]


def test_a_few_equal_sentences_are_no_copies():
    """Two annotators with the same labels of one long sentence."""
    rng = np.random.default_rng(1)
    truth = rng.choice(["O", "B-PER", "B-LOC"], 400).tolist()
    answers = [{name: truth if name in "ab" else _changed(rng, truth) for name in "abcd"}]
    corpus = CrowdCorpus([["x"] * 400], answers, annotators=list("abcd"))
    assert correlated_annotators(corpus) == []
    parts = [{name: row[at : at + 20] for name, row in answers[0].items()} for at in range(0, 400, 20)]
    several = CrowdCorpus([["x"] * 20] * 20, parts, annotators=list("abcd"))
    assert [group.evidence for group in correlated_annotators(several)] == ["copies"]


def _changed(rng, labels):
    return [rng.choice(["O", "B-PER", "B-LOC"]) if rng.random() < 0.3 else label for label in labels]


def test_rare_labels_are_pooled(monkeypatch):
    """Tables are small with many labels, and shared errors are still found."""
    corpus, truth = prompts(15, shared=0.8)
    rng = np.random.default_rng(15)
    rows = [
        row._replace(
            labels=tuple(
                3 + int(rng.integers(900)) if rng.random() < 0.05 else label for label in row.labels
            )
        )
        for row in corpus.annotations
    ]
    known = with_known(corpus, truth, 60)
    many = known.replaced(annotations=rows)
    many.labels = [*corpus.labels, *(f"B-X{at}" for at in range(900))]
    sizes = []
    counts = correlation._answer_counts

    def counted(votes, shares, annotators):
        sizes.append(shares.shape[1])
        return counts(votes, shares, annotators)

    monkeypatch.setattr(correlation, "_answer_counts", counted)
    groups = correlated_annotators(many)
    assert (groups[0].annotators, groups[0].evidence) == (tuple(FIVE), "known")
    assert max(sizes) == correlation.MOST_LABELS + 1


def test_pooled_labels_are_never_the_same_error():
    rng = np.random.default_rng(16)
    votes = Votes(np.repeat(np.arange(500), 2), np.tile([0, 1], 500), rng.integers(1, 3, 1000))
    shares = np.tile([1.0, 0.0, 0.0], (500, 1))
    both = votes.label.reshape(-1, 2)
    for other, expected in ((None, (both[:, 0] == both[:, 1]).sum()), (2, (both == 1).all(axis=1).sum())):
        compared = correlation._compare(votes, shares, np.arange(500), 2, other)
        assert compared.pairs.same[0, 1] == expected
        assert compared.pairs.expected[0, 1] == pytest.approx(expected, rel=0.2)


def test_many_annotators_are_compared_in_part(monkeypatch):
    corpus, truth = prompts(17, shared=0.8)
    monkeypatch.setattr(correlation, "MOST_ANNOTATORS", 4)
    compared, chosen = correlation._compare_known(with_known(corpus, truth, 60))
    assert (len(chosen), compared.errors.shape) == (4, (4, 4))
    monkeypatch.setattr(correlation, "MOST_KNOWN", 50)
    fewer, _ = correlation._compare_known(with_known(corpus, truth, 60))
    assert 0 < fewer.errors.sum() < compared.errors.sum() / 2
    [group] = correlation.known_groups(with_known(corpus, truth, 60))
    assert set(group.annotators) <= {corpus.annotators[at] for at in chosen}
