"""Simulated annotators, experiments, and reports of aggregations."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import ttest_rel

from noisy_crowd import TEMPLATE, noisy, right
from spanrs import tags
from spanrs.crf import CRF
from spanrs.crowd import (
    BSCSeq,
    ConcatenatedCRF,
    CrowdCorpus,
    MajorityVote,
    NoisyCRFs,
    disagreements,
    flip_labels,
    rank_annotators,
)
from spanrs.crowd.experiments import (
    METHODS,
    Data,
    Settings,
    one_annotator_each,
    prf,
    reliability_rmse,
    repeat,
    run_methods,
    without_comparison,
)
from spanrs.crowd.page import page
from spanrs.crowd.results import PRF, Experiment, MethodResult
from spanrs.crowd.review import interval_heading
from spanrs.errors import AlignmentError, ModelError, SchemeError

SETTINGS = Settings(template=TEMPLATE)


def same(first, second):
    return first.annotations == second.annotations


def test_noise_makes_annotators_worse():
    corpus, truth = noisy(1, [0.0])
    simulated = NoisyCRFs(corpus.sentences, truth, template=TEMPLATE)
    levels = [0.0, 0.3, 3.0]
    actual = simulated.simulate(levels, seed=1)
    scores = [right(actual.labels_by(name), truth) for name in actual.annotators]
    plain = CRF(template=TEMPLATE, scheme="auto").fit(corpus.sentences, truth)
    assert actual.labels_by("1") == plain.predict(corpus.sentences)
    assert scores[0] >= scores[1] > scores[2]
    assert same(actual, simulated.simulate(levels, seed=1))
    assert not same(actual, simulated.simulate(levels, seed=2))
    alone = simulated.simulate(levels, repeated=False, seed=1)
    assert len(alone.annotations) == len(corpus)
    sizes = np.bincount([annotation.annotator for annotation in alone.annotations])
    assert sizes.max() - sizes.min() <= 1
    for wrong in ([], [-1.0], [float("nan")]):
        with pytest.raises(ValueError, match="variances"):
            simulated.simulate(wrong)
    with pytest.raises(ModelError, match="no sentences"):
        NoisyCRFs([], [])


def test_labels_are_replaced_as_often_as_said():
    corpus, truth = noisy(2, [0.0], sentences=800)
    documents_read = flip_labels(corpus.sentences, truth, [0.0, 0.3, 1.0], seed=3)
    tokens = sum(corpus.lengths)
    shares = [right(documents_read.labels_by(name), truth) / tokens for name in documents_read.annotators]
    assert shares[0] == 1.0
    assert shares[1] == pytest.approx(0.7, abs=0.03)
    assert shares[2] == 0.0
    # The other labels are equally likely.
    wrong = [label for values in documents_read.labels_by("3") for label in values]
    gold = [label for values in truth for label in values]
    rest = [label for label, true in zip(wrong, gold, strict=True) if true == "O"]
    assert rest.count("B-PER") / len(rest) == pytest.approx(0.5, abs=0.05)
    with pytest.raises(ValueError, match="from 0 to 1"):
        flip_labels(corpus.sentences, truth, [1.5])
    with pytest.raises(ModelError, match="the only label is O"):
        flip_labels([["a"]], [["O"]], [0.5])


def test_every_method_runs():
    corpus, truth = noisy(3, [0.1, 0.3, 0.4])
    rest, labels = noisy(4, [0.0])
    test = Data(rest.sentences, labels)
    documents_read = run_methods(corpus, truth, test, settings=SETTINGS)
    assert [result.method for result in documents_read] == list(METHODS)
    for result in documents_read:
        assert 0.3 < result.truth.f1 <= 1
        assert 0.3 < result.test.f1 <= 1
        assert (result.reliability_rmse is None) == (result.method == "CRF-GOLD")
    alone = one_annotator_each(corpus, seed=1)
    names = without_comparison(METHODS, alone)
    assert {"CRF-MA", "HMM-crowd", "CRF-GOLD"} <= set(names)
    assert not set(names) & {"MVtoken", "MVseq", "MVseg", "MultiCRF", "BSC-seq", "CrossFitted"}
    assert without_comparison(METHODS, corpus) == list(METHODS)


def test_errors_of_reliability():
    corpus = CrowdCorpus([["a"], ["b"]], [{"x": ["B-A"], "y": ["O"]}, {"x": ["B-A"], "y": ["B-A"]}])
    gold = [["B-A"], ["B-A"]]
    # True: x 1, y 2/3.
    assert reliability_rmse(corpus, {"x": 0.5, "y": 2 / 3}, gold) == pytest.approx((0.25 / 2) ** 0.5)


def test_one_annotator_of_each_document():
    answers = [{"x": ["A"], "y": ["B"]}] * 4 + [{"y": ["B"]}] * 2 + [{}] + [{"z": ["A"]}] * 33
    corpus = CrowdCorpus([["w"]] * 40, answers)
    drawn = [one_annotator_each(corpus, seed) for seed in range(20)]
    for values in drawn:
        assert [annotation.sentence for annotation in values.annotations] == [
            at for at in range(40) if at != 6
        ]
        assert len({annotation.annotator for annotation in values.annotations[:4]}) == 1
    assert {values.annotations[0].annotator for values in drawn} == {0, 1}
    # If all annotators labelled everything, documents are drawn independently.
    everything = CrowdCorpus([["w"]] * 40, [{"x": ["A"], "y": ["B"]}] * 40)
    assert len({values.annotator for values in one_annotator_each(everything, 1).annotations}) == 2


def test_repetitions_and_their_t_test(tmp_path):
    corpus, truth = noisy(5, [0.0])

    def make(seed):
        return flip_labels(corpus.sentences, truth, [0.1, 0.5, 0.6], seed=seed)

    actual = repeat(
        make,
        truth,
        None,
        repetitions=4,
        methods=["mvtoken", "crf-ma", "CRF-GOLD"],
        settings=SETTINGS,
        facts={"flip": [0.1, 0.5, 0.6]},
    )
    assert actual.methods == ["MVtoken", "CRF-MA", "CRF-GOLD"]
    assert actual.repetitions == 4
    expected = ttest_rel(actual.values("MVtoken", "truth"), actual.values("CRF-MA", "truth")).pvalue
    assert actual.p_value("MVtoken", "truth") == pytest.approx(expected)
    assert actual.p_value("CRF-MA", "truth") is None
    assert actual.p_value("MVtoken", "test") is None
    data = json.loads(actual.to_json())
    assert data["flip"] == [0.1, 0.5, 0.6]
    assert data["methods"][0]["truth"]["f1"] == pytest.approx(np.mean(actual.values("MVtoken", "truth")))
    assert data["methods"][0]["truth"]["f1_sd"] == pytest.approx(
        np.std(actual.values("MVtoken", "truth"), ddof=1)
    )
    assert data["methods"][0]["test"] is None
    assert "p vs CRF-MA" in actual.text()
    actual.plot(tmp_path / "boxes.svg", "truth")
    assert (tmp_path / "boxes.svg").read_bytes().startswith(b"<?xml")
    with pytest.raises(ValueError, match="no method has values of test"):
        actual.plot(tmp_path / "boxes.svg")
    with pytest.raises(ValueError, match="unknown method 'MVall'"):
        repeat(make, truth, None, repetitions=1, methods=["MVall"])
    with pytest.raises(AlignmentError, match="differ in the number of sentences or tokens"):
        run_methods(corpus, truth[1:], methods=["MVtoken"])


def test_equal_differences_have_a_p_value():
    def result(method, repetition, f1):
        return MethodResult(method, repetition, PRF(f1, f1, f1), None, None, 1.0)

    rows = [result("CRF-MA", at, 0.5) for at in range(3)] + [result("A", at, 0.5) for at in range(3)]
    rows += [result("B", at, 0.25) for at in range(3)]
    actual = Experiment(rows, {})
    assert (actual.p_value("A", "truth"), actual.p_value("B", "truth")) == (1.0, 0.0)


def test_scores_of_tags_and_other_labels():
    assert prf([["B-A", "I-A", "O"]], [["B-A", "I-A", "O"]], "BIO").f1 == 1.0
    assert prf([["O", "O"]], [["O", "B-A"]], "BIO") == PRF(0.0, 0.0, 0.0)
    assert prf([["B-A", "O"]], [["O", "O"]], "BIO").recall == 0.0


@pytest.mark.parametrize("scheme", ["IOB", "BIO", "IOBES", "BMES"])
def test_gold_may_be_in_another_scheme(scheme):
    corpus, truth = noisy(8, [0.0, 0.0, 0.3])
    gold = tags.convert(truth, "BIO", scheme)
    test = Data(corpus.sentences, gold)
    [vote, crf] = run_methods(corpus, gold, test, methods=["MVtoken", "CRF-GOLD"], settings=SETTINGS)
    expected = reliability_rmse(corpus, MajorityVote().fit(corpus).reliability_, truth)
    assert vote.reliability_rmse == pytest.approx(expected)
    assert vote.truth.f1 == prf(truth, MajorityVote().fit(corpus).labels_, "BIO").f1
    assert crf.test.f1 == crf.truth.f1


def test_gold_of_another_column_is_refused():
    corpus, truth = noisy(9, [0.1, 0.2])
    with pytest.raises(SchemeError, match="the true labels are not tags"):
        run_methods(corpus, [["x"] * len(values) for values in truth])
    with pytest.raises(AlignmentError, match=r"no label of gold \(B-X\) was used by annotators"):
        run_methods(corpus, [["B-X"] * len(values) for values in truth])


def test_annotators_are_ranked_with_intervals():
    corpus, truth = noisy(6, [0.5, 0.0, 0.2], missing=0.3)
    rows = rank_annotators(corpus, truth)
    assert [row.annotator for row in rows] == ["a1", "a2", "a0"]
    assert rows[0].score == 1.0
    for row in rows:
        low, high = row.interval
        assert low <= row.score <= high
        assert row.sentences == sum(values is not None for values in corpus.labels_by(row.annotator))
    pos = CrowdCorpus([["a", "b"]] * 3, [{"x": ["N", "V"], "y": ["N", "N"]}] * 3)
    actual = {row.annotator: row for row in rank_annotators(pos, [["N", "V"]] * 3)}
    assert actual["y"].score == 0.5
    assert actual["y"].interval == (0.5, 0.5)
    single = rank_annotators(CrowdCorpus([["a"]], [{"x": ["B-A"]}]), [["B-A"]])
    assert single[0].interval is None


def test_intervals_are_those_of_the_unknown_truth():
    """Votes of three: scores against the estimate favour the annotators, and intervals given the estimate miss."""
    hits = {"truth": 0, "estimate": 0}
    annotators = 0
    for seed in range(8):
        corpus, truth = noisy(seed, [0.25, 0.3, 0.35])
        vote = MajorityVote().fit(corpus)
        exact = {row.annotator: row.score for row in rank_annotators(corpus, truth)}
        for kind, given_ in (("truth", vote), ("estimate", vote.labels_)):
            for row in rank_annotators(corpus, given_):
                assert row.interval_of == "truth"
                low, high = row.interval
                hits[kind] += low <= exact[row.annotator] <= high
        annotators += 3
    assert hits["truth"] >= 0.9 * annotators
    assert hits["truth"] > hits["estimate"]
    # Intervals only depend on the seed, not on the method.
    again = {row.annotator: row.interval for row in rank_annotators(corpus, BSCSeq().fit(corpus))}
    assert again == {row.annotator: row.interval for row in rank_annotators(corpus, vote)}


def test_intervals_are_given_the_estimate_where_annotators_cannot_be_compared():
    answers = [{"a": ["B-X", "O"]}, {"b": ["B-X", "O"]}] * 5
    corpus = CrowdCorpus([["v", "w"]] * 10, answers)
    rows = rank_annotators(corpus, ConcatenatedCRF().fit(corpus))
    assert {row.interval_of for row in rows} == {"estimate"}
    assert interval_heading(rows) == "95 % interval given the estimate"


def test_disagreements_come_by_disagreement_and_uncertainty():
    corpus, _ = noisy(7, [0.3, 0.3, 0.3])
    vote = MajorityVote().fit(corpus)
    found = disagreements(corpus, vote)
    keys = [(not row.is_contradicted, -round(row.priority, 2)) for row in found]
    assert len(set(keys)) > 2
    assert keys == sorted(keys)
    assert all(row.disputes and len(set(row.answers.values())) > 1 for row in found)
    assert disagreements(corpus, vote, most=2) == found[:2]


def test_the_page_escapes_and_says_what_it_shows():
    hostile = "<script>alert(1)</script>"
    corpus = CrowdCorpus(
        [[hostile, "\u202eabc", "b"], ["c"]],
        [{hostile: ["B-A", "O", "O"], "ben": ["O", "O", "O"]}, {"ben": ["O"], hostile: ["O"]}],
    )
    text = page(corpus, BSCSeq().fit(corpus), title=hostile)
    assert hostile not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 2
    assert "1 sentence has disputes, on 1 sentence all annotators agree" in text
    assert "\\u003cscript\\u003ealert(1)" in text
    agreed = CrowdCorpus([["a"], ["b"]], [{"x": ["O"], "y": ["O"]}] * 2)
    assert "No sentence was labelled differently" in page(agreed, MajorityVote().fit(agreed), title="t")
