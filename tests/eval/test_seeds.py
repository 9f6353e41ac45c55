"""Comparison of systems with several seeds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import spanrs
from spanrs.eval.seeds import difference_of_seeds, mean_of_seeds, student_p, student_quantile

DOCUMENTS = 40
GOLD = [["B-A", "O", "B-B"]] * DOCUMENTS


def result(rng, right):
    tags = [[tag if rng.random() < right else "O" for tag in row] for row in GOLD]
    return spanrs.score(GOLD, tags, scheme="BIO", by=[1] * DOCUMENTS, errors=True)


def systems(seed, rights, seeds=3):
    rng = np.random.default_rng(seed)
    return {name: [result(rng, right) for _ in range(seeds)] for name, right in rights.items()}


@settings(max_examples=200)
@given(st.floats(-30, 30), st.floats(0.5, 1e5))
def test_p_values_are_those_of_scipy(t, freedom):
    assert student_p(t, freedom) == pytest.approx(2 * stats.t.sf(abs(t), freedom), rel=1e-6, abs=1e-12)


@settings(max_examples=100)
@given(st.floats(0.01, 0.999), st.floats(1, 1e5))
def test_quantiles_are_those_of_scipy(level, freedom):
    assert student_quantile(level, freedom) == pytest.approx(
        stats.t.ppf((1 + level) / 2, freedom), rel=1e-6
    )


def test_infinite_degrees_of_freedom_are_the_normal_distribution():
    assert student_p(1.96, math.inf) == pytest.approx(2 * stats.norm.sf(1.96))
    assert student_quantile(0.95, math.inf) == pytest.approx(stats.norm.ppf(0.975))


@settings(max_examples=100)
@given(st.integers(0, 10_000), st.integers(3, 6), st.integers(3, 6))
def test_variances_are_those_of_the_covariance_matrix(seed, of_a, of_b):
    rng = np.random.default_rng(seed)
    drawn = rng.normal(size=(50, of_a + of_b)) + rng.normal(size=(50, 1))
    values = rng.normal(size=of_a + of_b)
    covariance = np.cov(drawn.T)
    a, b = range(of_a), range(of_a, of_a + of_b)
    within = [np.mean([covariance[i, j] for i in members for j in members if i != j]) for members in (a, b)]
    between = np.mean([covariance[i, j] for i in a for j in b])
    parts = [np.var(values[list(members)], ddof=1) / len(members) for members in (a, b)]
    variance = sum(parts) + max(sum(within) - 2 * between, 0)
    estimate = difference_of_seeds((values[:of_a], drawn[:, :of_a]), (values[of_a:], drawn[:, of_a:]))
    freedom = variance**2 / sum(part**2 / (len(m) - 1) for part, m in zip(parts, (a, b), strict=True))
    assert estimate.value == pytest.approx(values[:of_a].mean() - values[of_a:].mean())
    assert estimate.variance == pytest.approx(variance)
    assert estimate.degrees_of_freedom == pytest.approx(freedom)
    expected = 2 * stats.t.sf(abs(estimate.value) / math.sqrt(variance), freedom)
    assert estimate.p_value() == pytest.approx(expected, rel=1e-6)
    low, high = estimate.interval(0.95)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, freedom) * math.sqrt(variance))
    own = mean_of_seeds(values[:of_a], drawn[:, :of_a])
    assert own.variance == pytest.approx(parts[0] + max(within[0], 0))


def test_without_deviation_over_seeds_the_documents_decide():
    values, drawn = np.array([0.5, 0.5, 0.5]), np.array([[0.4] * 3, [0.6] * 3])
    assert mean_of_seeds(values, drawn).degrees_of_freedom == math.inf
    same = difference_of_seeds((values, drawn), (values, drawn))
    assert (same.variance, same.p_value()) == (0.0, 1.0)
    better = difference_of_seeds((values + 0.1, drawn + 0.1), (values, drawn))
    assert math.isnan(better.p_value()), "no variance that the difference could be compared with"


def test_systems_with_seeds_are_compared():
    compared = systems(1, {"a": 0.9, "b": 0.6, "c": 0.6})
    comparison = spanrs.compare(compared, samples=500)
    system = comparison.systems["a"]
    values = [one.micro.f1 for one in compared["a"]]
    assert system.seeds == tuple(values)
    assert system.value == pytest.approx(np.mean(values))
    assert system.deviation == pytest.approx(np.std(values, ddof=1))
    assert system.interval.low < system.value < system.interval.high <= 1
    pair = comparison.pair("a", "b")
    assert pair.is_significant()
    assert not comparison.pair("b", "c").is_significant()
    assert pair.mcnemar is None
    assert set(pair.per_type) == {"A", "B"}
    assert comparison.settings["test"] == "seeds"
    assert "deviation" in str(comparison)
    assert comparison.to_dict()["systems"]["a"]["seeds"] == values
    assert "means over seeds" in comparison.to_html()
    assert comparison == spanrs.compare(compared, samples=500, threads=2)


def test_a_baseline_is_compared_with_all_others():
    compared = systems(2, {"a": 0.9, "b": 0.6, "c": 0.7, "d": 0.8}, seeds=1)
    single = {name: results[0] for name, results in compared.items()}
    every, some = (spanrs.compare(single, samples=300, baseline=name) for name in (None, "b"))
    assert [(pair.a, pair.b) for pair in some.pairs] == [("a", "b"), ("c", "b"), ("d", "b")]
    assert some.pair("c", "b").difference == -every.pair("b", "c").difference
    assert some.pair("a", "b").p_value == every.pair("a", "b").p_value
    assert some.pair("a", "b").p_holm <= every.pair("a", "b").p_holm
    assert some.settings["baseline"] == "b"
    with pytest.raises(ValueError, match="there is no system 'x' to compare with; there are a, b, c, d"):
        spanrs.compare(single, baseline="x")


def test_lists_of_one_result_are_single_results():
    compared = systems(3, {"a": 0.9, "b": 0.6}, seeds=1)
    single = {name: results[0] for name, results in compared.items()}
    assert spanrs.compare(compared, samples=200) == spanrs.compare(single, samples=200)


@pytest.mark.parametrize("seeds", [(2, 2), (1, 3), (2, 5)])
def test_there_is_no_p_value_with_fewer_than_three_seeds(seeds):
    compared = systems(4, {"a": 0.9, "b": 0.6}, seeds=5)
    some = {name: results[:number] for (name, results), number in zip(compared.items(), seeds, strict=True)}
    comparison = spanrs.compare(some, samples=200)
    pair = comparison.pair("a", "b")
    assert math.isnan(pair.p_value)
    assert math.isnan(pair.p_holm)
    assert not pair.is_significant()
    assert pair.difference > 0.1
    assert comparison.to_dict()["pairs"][0]["p_value"] is None
    assert "at least three seeds" in str(comparison)


def test_unsuitable_results_are_refused():
    compared = systems(5, {"a": 0.9, "b": 0.6})
    with pytest.raises(ValueError, match="has no results"):
        spanrs.compare({"a": compared["a"], "b": []})
    with pytest.raises(ValueError, match="at least two systems"):
        spanrs.compare({"a": compared["a"]})
    with pytest.raises(ValueError, match="called like a result of another system"):
        spanrs.compare({"a": compared["a"], "a/1": compared["b"][0]})
    with pytest.raises(TypeError, match="b/2 is a str"):
        spanrs.compare({"a": compared["a"], "b": [compared["b"][0], "x"]})


def test_few_false_positives_in_a_simulation():
    # benches/seed_calibration.py simulates more; this finds gross errors.
    rng = np.random.default_rng(6)
    significant = 0
    for _ in range(60):
        rights = {name: np.clip(rng.normal(0.7, 0.05, 3), 0, 1) for name in "ab"}
        compared = {name: [result(rng, right) for right in of_seeds] for name, of_seeds in rights.items()}
        significant += spanrs.compare(compared, samples=200).pairs[0].p_value <= 0.05
    assert significant <= 9


def test_pairs_of_single_results_keep_their_test():
    compared = systems(7, {"a": 0.9, "b": 0.6, "c": 0.7})
    mixed = {"a": compared["a"], "b": compared["b"][0], "c": compared["c"][0]}
    comparison = spanrs.compare(mixed, samples=300)
    alone = spanrs.compare({"b": mixed["b"], "c": mixed["c"]}, samples=300)
    pair, expected = comparison.pair("b", "c"), alone.pair("b", "c")
    assert (pair.p_value, pair.mcnemar, pair.interval) == (
        expected.p_value,
        expected.mcnemar,
        expected.interval,
    )
    assert math.isnan(comparison.pair("a", "b").p_value)
    assert comparison.settings["test"] == "seeds,randomisation"
    assert "approximate randomisation" in str(comparison)


def test_types_that_a_seed_lacks_are_not_tested():
    rng = np.random.default_rng(8)

    def with_spurious(name):
        tags = [[tag if rng.random() < 0.8 else "O" for tag in row] for row in GOLD]
        tags[0][1] = f"B-{name}"
        return spanrs.score(GOLD, tags, scheme="BIO", by=[1] * DOCUMENTS)

    compared = {side: [with_spurious(f"{side}{seed}") for seed in range(3)] for side in ("S", "T")}
    pair = spanrs.compare(compared, samples=200).pair("S", "T")
    tested = {name: row for name, row in pair.per_type.items() if not math.isnan(row.p_value)}
    assert set(tested) == {"A", "B"}
    smallest = min(tested.values(), key=lambda row: row.p_value)
    assert smallest.p_holm == pytest.approx(min(1, 2 * smallest.p_value))


def test_a_type_in_one_document_has_no_p_value():
    gold = [*GOLD[:-1], ["B-R", "O", "O"]]

    def scored(finds):
        tags = [*GOLD[:-1], ["B-R" if finds else "O", "O", "O"]]
        return spanrs.score(gold, tags, scheme="BIO", by=[1] * DOCUMENTS)

    compared = {name: [scored(finds) for _ in range(3)] for name, finds in (("a", True), ("b", False))}
    row = spanrs.compare(compared, samples=200).pair("a", "b").per_type["R"]
    assert row.difference == 1.0
    assert math.isnan(row.p_value)


def test_intervals_of_ratios_are_not_cut():
    compared = systems(9, {"a": 0.9, "b": 0.6})
    measure = spanrs.eval.Ratio({"match": -1}, {"match": 1, "missed": 1})
    system = spanrs.compare(compared, measure=measure, samples=200).systems["a"]
    assert system.interval.low < system.value < system.interval.high < 0


def test_copies_of_a_result_are_noticed():
    compared = systems(10, {"a": 0.9, "b": 0.6})
    with pytest.warns(spanrs.errors.SpanrsWarning, match="the 3 seeds of b have equal counts"):
        spanrs.compare({"a": compared["a"], "b": [compared["b"][0]] * 3}, samples=100)


def test_pairs_that_are_not_tested_are_named():
    compared = systems(11, {"a": 0.9, "b": 0.6})
    comparison = spanrs.compare({"a": compared["a"], "b": compared["b"][0]}, samples=100)
    assert "; not tested: a and b" in str(comparison)
    assert "0 of 0" in comparison.to_html()


def test_lists_of_paths_are_scored_first():
    with pytest.raises(TypeError, match="a is a list of paths; score each seed first"):
        spanrs.compare("gold.conll", {"a": ["a1.conll", "a2.conll"], "b": "b.conll"})
