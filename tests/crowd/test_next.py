"""Which annotator should label which document next."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from noisy_crowd import noisy, right
from spanrs.crowd import (
    MACE,
    BSCSeq,
    ConcatenatedCRF,
    CrossFitted,
    DawidSkene,
    HMMCrowd,
    MajorityVote,
    OneCoinDawidSkene,
    next_annotations,
    share_errors,
)
from spanrs.crowd.next import MOST_DISTRIBUTIONS, _AnswerTables, _Beliefs
from spanrs.errors import ModelError, NotFittedError

MODELS = [DawidSkene(), OneCoinDawidSkene(), MACE(), HMMCrowd(), BSCSeq(), CrossFitted(folds=2, rounds=1)]
models = pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)


def distributions(seed, *shape):
    return np.random.default_rng(seed).dirichlet(np.ones(shape[-1]), shape[:-1])


def entropy(p):
    p = np.asarray(p)[np.asarray(p) > 0]
    return float(-(p * np.log(p)).sum())


def information_by_enumeration(shares, tables):
    """H(z) - E[H(z | answers)] of one token, for the answers of several annotators."""
    labels, after = len(shares), 0.0
    for answers in itertools.product(range(labels), repeat=len(tables)):
        joint = shares * np.prod(
            [table[:, answer] for table, answer in zip(tables, answers, strict=True)], axis=0
        )
        if joint.sum() > 0:
            after += joint.sum() * entropy(joint / joint.sum())
    return entropy(shares) - after


@models
def test_tables_of_all_models_are_distributions(model):
    corpus, _ = noisy(1, [0.1, 0.3, 0.6], sentences=60)
    tables = model.fit(corpus).answer_tables()
    assert tables.shape == (3, 3, 3)
    assert tables.sum(axis=2) == pytest.approx(1.0)
    accuracy = np.trace(tables, axis1=1, axis2=2)
    assert accuracy[0] > accuracy[1] > accuracy[2]


def test_tables_of_bsc_are_means_over_previous_answers():
    corpus, _ = noisy(2, [0.1, 0.2, 0.3, 0.4], sentences=200)
    tables, plain = BSCSeq().fit(corpus).answer_tables(), DawidSkene().fit(corpus).answer_tables()
    assert tables == pytest.approx(plain, abs=0.1)


@pytest.mark.parametrize(
    "model", [MajorityVote(), ConcatenatedCRF(template="U:%x[0,0]")], ids=["vote", "crf"]
)
def test_models_without_tables_are_refused(model):
    corpus, _ = noisy(3, [0.1, 0.3])
    with pytest.raises(
        ModelError, match=f"{type(model).__name__} does not estimate the probabilities of answers"
    ):
        next_annotations(corpus, model.fit(corpus))


def test_invalid_arguments_are_refused():
    corpus, _ = noisy(4, [0.1, 0.3])
    with pytest.raises(NotFittedError, match="DawidSkene is not fitted"):
        next_annotations(corpus, DawidSkene())
    other, _ = noisy(4, [0.1, 0.3, 0.3])
    with pytest.raises(ModelError, match="fitted to another corpus"):
        next_annotations(other, DawidSkene().fit(corpus))
    with pytest.raises(ValueError, match="most must be at least 0, not -1"):
        next_annotations(corpus, DawidSkene().fit(corpus), most=-1)


def test_information_is_that_of_enumeration():
    shares, tables = distributions(1, 4, 3), distributions(2, 2, 3, 3)
    actual = _AnswerTables(tables).information(_Beliefs.of(shares))
    expected = [sum(information_by_enumeration(row, [table]) for row in shares) for table in tables]
    assert actual == pytest.approx(expected)


def test_information_after_assignments_is_that_of_enumeration():
    shares, tables = distributions(3, 4, 3), distributions(4, 3, 3, 3)
    beliefs = _Beliefs.of(shares).after(tables[0]).after(tables[1])
    assert beliefs.weights.sum(axis=0) == pytest.approx(1.0)
    actual = _AnswerTables(tables).information(beliefs)[2]
    both = sum(information_by_enumeration(row, tables[:2]) for row in shares)
    all_three = sum(information_by_enumeration(row, tables) for row in shares)
    assert actual == pytest.approx(all_three - both)


def test_unlikely_distributions_are_left_out():
    table = distributions(5, 4, 4)
    beliefs = _Beliefs.of(distributions(6, 2, 4))
    for _ in range(4):
        beliefs = beliefs.after(table)
    assert beliefs.weights.shape == (MOST_DISTRIBUTIONS, 2)
    assert beliefs.weights.sum(axis=0) == pytest.approx(1.0)


def test_random_annotators_give_no_information():
    shares = distributions(7, 5, 3)
    assert _AnswerTables(np.full((1, 3, 3), 1 / 3)).information(_Beliefs.of(shares)) == pytest.approx(0.0)
    perfect = _AnswerTables(np.eye(3)[None]).information(_Beliefs.of(shares))
    assert perfect == pytest.approx(sum(map(entropy, shares)))


@models
def test_assignments_are_new_and_within_the_limits(model):
    corpus, _ = noisy(8, [0.1, 0.3, 0.5], sentences=30, missing=0.6)
    rows = next_annotations(corpus, model.fit(corpus), most=40, per_annotator=12, min_annotators=0)
    given = {
        (annotation.sentence, corpus.annotators[annotation.annotator]) for annotation in corpus.annotations
    }
    pairs = [(row.sentences[0], row.annotator) for row in rows]
    assert 20 < len(pairs) == len(set(pairs)) <= 36
    assert not given & set(pairs)
    assert max(sum(name == annotator for _, name in pairs) for annotator in corpus.annotators) <= 12
    assert all(row.gain > 0 and row.document == str(row.sentences[0]) for row in rows)


def test_sentences_with_few_annotators_are_first():
    corpus, _ = noisy(9, [0.1, 0.3, 0.5], sentences=30, missing=0.5)
    numbers = np.bincount([row.sentence for row in corpus.annotations], minlength=30)
    rows = next_annotations(corpus, DawidSkene().fit(corpus), most=200, min_annotators=2)
    lacking = int(np.maximum(2 - numbers, 0).sum())
    firsts = np.bincount([row.sentences[0] for row in rows[:lacking]], minlength=30)
    assert (numbers + firsts >= 2).all()
    assert lacking > 3


def test_known_sentences_are_certain():
    corpus, truth = noisy(10, [0.3, 0.3, 0.5], sentences=30, missing=0.5)
    known = corpus.with_known(dict(enumerate(truth[:20])))
    rows = next_annotations(known, DawidSkene().fit(known), most=100, min_annotators=3)
    assert {row.sentences[0] for row in rows} <= set(range(20, 30))


def test_complete_corpora_have_no_assignments():
    corpus, _ = noisy(11, [0.1, 0.3])
    assert next_annotations(corpus, DawidSkene().fit(corpus), min_annotators=3) == []


def test_gains_of_a_document_are_summed():
    corpus, _ = noisy(12, [0.1, 0.3, 0.5], sentences=12, missing=0.5)
    model = DawidSkene().fit(corpus)
    single = next_annotations(corpus, model, most=1000, per_token=False, min_annotators=0)
    corpus.places = [SimpleNamespace(document=at // 4) for at in range(12)]
    corpus.texts = [SimpleNamespace(label=name) for name in ("x.txt", "y.txt", "z.txt")]
    first, *_ = next_annotations(corpus, model, most=9, per_token=False, min_annotators=0)
    assert first.document in ("x.txt", "y.txt", "z.txt")
    firsts = {}
    for row in single:
        if row.annotator == first.annotator and row.sentences[0] in first.sentences:
            firsts[row.sentences[0]] = row
    alone = [row.gain for row in firsts.values() if row.annotators == _annotators(corpus, row.sentences[0])]
    assert first.gain >= sum(alone) - 1e-9
    assert first.annotators == min(
        _annotators(corpus, at)
        for at in range(12)
        if corpus.places[at].document == "xyz".index(first.document[0])
    )


def _annotators(corpus, sentence):
    return sum(row.sentence == sentence for row in corpus.annotations)


def test_a_group_with_the_same_errors_adds_little():
    corpus, truth = noisy(13, [0.5, 0.5, 0.5, 0.1], sentences=120)
    corpus = share_errors(corpus, [["a0", "a1", "a2"]], 1.0).with_known(dict(enumerate(truth[:60])))
    kept = [row for row in corpus.annotations if row.sentence < 60 or row.annotator == 0]
    corpus = corpus.replaced(annotations=kept)
    rows = next_annotations(corpus, DawidSkene().fit(corpus), most=60)
    assert {row.annotator for row in rows} == {"a3"}


def test_choices_are_better_than_random_ones():
    gains = []
    for seed in range(5):
        full, truth = noisy(seed, [0.2, 0.4, 0.5, 0.6, 0.7], sentences=100)
        rng = np.random.default_rng(seed)
        kept = {(at, int(name)) for at in range(100) for name in rng.choice(5, 2, replace=False)}
        corpus = full.replaced(
            annotations=[row for row in full.annotations if (row.sentence, row.annotator) in kept]
        )
        rows = next_annotations(corpus, DawidSkene().fit(corpus), most=50)
        chosen = {(row.sentences[0], full.annotators.index(row.annotator)) for row in rows}
        rest = sorted({(at, name) for at in range(100) for name in range(5)} - kept)
        random = {rest[at] for at in rng.choice(len(rest), 50, replace=False)}
        scores = []
        for more in (chosen, random):
            annotations = [row for row in full.annotations if (row.sentence, row.annotator) in kept | more]
            scores.append(right(DawidSkene().fit(full.replaced(annotations=annotations)).labels_, truth))
        gains.append(scores[0] - scores[1])
    assert np.mean(gains) > 5
