"""Which annotator should label which document next."""

from __future__ import annotations

import itertools
import json
import re
import tracemalloc
import warnings

import numpy as np
import pytest

from noisy_crowd import noisy, right
from spanrs.crowd import (
    MACE,
    BSCSeq,
    ConcatenatedCRF,
    CrossFitted,
    CrowdCorpus,
    DawidSkene,
    HMMCrowd,
    MajorityVote,
    OneCoinDawidSkene,
    crowd_corpus,
    next_annotations,
    share_errors,
)
from spanrs.crowd.next import MOST_DISTRIBUTIONS, _AnswerTables, _Assignment, _Beliefs, next_of_layers
from spanrs.errors import ModelError, NotFittedError, SpanrsWarning

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
    with pytest.raises(ValueError, match="most must be at least 1, not 0"):
        next_annotations(corpus, DawidSkene().fit(corpus), most=0)
    with pytest.raises(ValueError, match="per_annotator must be at least 1, not 0"):
        next_annotations(corpus, DawidSkene().fit(corpus), per_annotator=0)
    with pytest.raises(ValueError, match="min_annotators must be at least 0, not -1"):
        next_annotations(corpus, DawidSkene().fit(corpus), min_annotators=-1)


def test_information_is_that_of_enumeration():
    shares, tables = distributions(1, 4, 3), distributions(2, 2, 3, 3)
    actual = _AnswerTables(tables).information(shares).sum(axis=1)
    expected = [sum(information_by_enumeration(row, [table]) for row in shares) for table in tables]
    assert actual == pytest.approx(expected)


def test_information_after_assignments_is_that_of_enumeration():
    shares, tables = distributions(3, 4, 3), distributions(4, 3, 3, 3)
    beliefs = _Beliefs.of(shares).after(tables[0]).after(tables[1])
    assert beliefs.weights.sum(axis=0) == pytest.approx(1.0)
    actual = _AnswerTables(tables).information_after(shares, [0, 1])[2].sum()
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
    assert _AnswerTables(np.full((1, 3, 3), 1 / 3)).information(shares) == pytest.approx(0.0)
    perfect = _AnswerTables(np.eye(3)[None]).information(shares)
    assert perfect[0] == pytest.approx([*map(entropy, shares)])


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


def project(path, seed, *, cancelled=()):
    """A Label Studio export of 12 documents, each of which two or three of four annotators answered.

    ``cancelled`` are pairs of a document and an annotator who skipped it.
    """
    rng, words, tasks = np.random.default_rng(seed), ["Ada", "Bob", "Rome", "Oslo", "met", "saw"], []
    for number in range(12):
        lines = [[words[at] for at in rng.integers(6, size=4)] for _ in range(3)]
        text = "\n".join(" ".join(line) for line in lines)
        annotations = []
        for name in sorted(rng.choice(4, rng.integers(2, 4), replace=False).tolist()):
            spans = [
                (match.start(), match.end(), rng.choice(["PER", "LOC"]))
                for match in re.finditer(r"[A-Z]\w+", text)
                if rng.random() < 0.8 - 0.15 * name
            ]
            annotations.append(answer(name, text, spans))
        present = {row["completed_by"]["email"] for row in annotations}
        annotations += [
            answer(name, text, [], cancelled=True)
            for at, name in cancelled
            if at == number and f"a{name}" not in present
        ]
        tasks.append({"id": number, "data": {"text": text}, "annotations": annotations})
    path.write_text(json.dumps(tasks), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpanrsWarning)
        return crowd_corpus(path)


def answer(name, text, spans, *, cancelled=False):
    """An annotation of a task in a Label Studio export."""
    region = {"type": "labels", "from_name": "label", "to_name": "text"}
    values = [
        {"start": start, "end": end, "text": text[start:end], "labels": [str(kind)]}
        for start, end, kind in spans
    ]
    result = [region | {"value": value} for value in values]
    return {"completed_by": {"email": f"a{name}"}, "was_cancelled": cancelled, "result": result}


def test_gains_of_a_document_are_summed(tmp_path):
    corpus = project(tmp_path / "export.json", 12)
    model = DawidSkene().fit(corpus)
    alone = corpus.replaced()
    alone.places = alone.texts = None
    single = next_annotations(alone, model, most=1000, per_token=False, min_annotators=0)
    firsts = {}
    for row in single:
        firsts.setdefault(row.sentences[0], row)
    rows = next_annotations(corpus, model, per_token=False, min_annotators=0)
    first = rows[0]
    document = corpus.places[first.sentences[0]].document
    assert first.document == corpus.texts[document].label
    members = [at for at, place in enumerate(corpus.places) if place.document == document]
    assert first.sentences == members
    # The best annotator of the document is not the best one for each sentence.
    gains = [firsts[at].gain for at in members if firsts[at].annotator == first.annotator]
    assert gains
    assert first.gain >= sum(gains) - 1e-12
    each = _Assignment([(alone, model)], 0, per_token=False)
    summed = sum(each._by_document[at] for at in members)
    assert first.gain == summed[corpus.annotators.index(first.annotator)]
    assert first.annotators == len({row.annotator for row in corpus.annotations if row.sentence in members})


def test_documents_that_someone_skipped_are_not_assigned_again(tmp_path):
    plain = project(tmp_path / "plain.json", 5)
    before = next_annotations(plain, DawidSkene().fit(plain), most=100, min_annotators=4)
    cancelled = [(number, 0) for number in range(12)]
    corpus = project(tmp_path / "export.json", 5, cancelled=cancelled)
    assert corpus.annotations == plain.annotations
    skipped = {text.label for text in corpus.texts if "a0" in text.not_answered}
    rows = next_annotations(corpus, DawidSkene().fit(corpus), most=100, min_annotators=4)
    assert {row.document for row in before if row.annotator == "a0"} == skipped != set()
    assert not [row for row in rows if row.annotator == "a0"]
    # A skipped document is not an answer either.
    assert {(row.document, row.annotator) for row in rows} == {
        (row.document, row.annotator) for row in before if row.annotator != "a0"
    }
    numbers = {text.label: len(text.answers) for text in corpus.texts}
    assert all(row.annotators >= numbers[row.document] for row in rows)
    firsts = {row.document: row for row in reversed(rows)}
    assert all(row.annotators == numbers[name] for name, row in firsts.items())


def exhaustive(corpus, model, most, per_annotator, min_annotators):
    """Choices from a table of all documents and annotators, which is searched for each assignment."""
    problem = _Assignment([(corpus, model)], min_annotators, per_token=True)
    pairs, numbers = [], np.zeros(len(corpus.annotators), dtype=int)
    while len(pairs) < most:
        scores = (problem._by_document / np.maximum(problem._tokens, 1.0)).round(12)
        scores[(problem._tokens == 0) | (numbers >= per_annotator)] = -np.inf
        lacking = np.where(problem._lacking[:, None], scores, -np.inf)
        table, least = (lacking, -np.inf) if lacking.max() > -np.inf else (scores, 0.0)
        document, annotator = np.unravel_index(table.argmax(), table.shape)
        if table[document, annotator] <= least:
            break
        problem.assign(int(document), int(annotator))
        numbers[annotator] += 1
        pairs.append((str(document), corpus.annotators[annotator]))
    return pairs


@pytest.mark.parametrize("per_annotator", [6, 100])
@pytest.mark.parametrize("min_annotators", [0, 3])
def test_the_order_is_that_of_an_exhaustive_search(per_annotator, min_annotators):
    assigned = 0
    for seed in range(5):
        corpus, _ = noisy(seed, [0.1, 0.3, 0.5, 0.5], sentences=40, missing=0.6)
        model = DawidSkene().fit(corpus)
        limits = {"most": 60, "per_annotator": per_annotator, "min_annotators": min_annotators}
        rows = next_annotations(corpus, model, **limits)
        assert [(row.document, row.annotator) for row in rows] == exhaustive(corpus, model, **limits)
        assigned += len(rows)
    assert assigned > 100


def test_gains_of_several_layers_are_summed(tmp_path):
    corpus = project(tmp_path / "export.json", 3)
    model = DawidSkene().fit(corpus)
    [once, twice] = [next_of_layers([(corpus, model)] * number, most=20) for number in (1, 2)]
    assert len(once) > 10
    assert [row[:3] for row in once] == [row[:3] for row in twice]
    assert [row.gain for row in twice] == pytest.approx([2 * row.gain for row in once])


def test_beliefs_are_not_kept():
    rng = np.random.default_rng(1)
    sentences = [["x"] * 200 for _ in range(100)]
    answers = [{f"a{at}": rng.choice(list("ABCDEFGH"), 200).tolist() for at in range(2)} for _ in sentences]
    names = [f"a{at}" for at in range(6)]
    corpus = CrowdCorpus(sentences, answers, annotators=names)
    model = DawidSkene(max_iter=2).fit(corpus)
    tracemalloc.start()
    try:
        rows = next_annotations(corpus, model, most=100, per_annotator=25)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Each document would need 16 distributions of 200 tokens and 8 labels, 20 MB in total.
    assert len(rows) == 100
    assert most < 60e6


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
