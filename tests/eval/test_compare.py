"""Paired tests of systems, against enumeration, scipy and their definitions."""

from __future__ import annotations

import io
import json
import math
import random
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import spanrs
from spanrs import dep, mat
from spanrs.errors import AlignmentError, SchemeError
from spanrs.eval import Measure
from spanrs.eval.comparison import holm, mcnemar_p
from spanrs.io import Annotation, Document

SAMPLES = 3000
TAGS = ["O", "B-A", "I-A", "B-B", "I-B"]


def value(gold, pred, matcher, read):
    """Measure a corpus; a measure that is not a number is 0."""
    result = read(spanrs.score(gold, pred, scheme="BIO", matcher=matcher))
    return 0.0 if math.isnan(result) else result


def of_type(result):
    return result.per_type["A"].f1 if "A" in result.per_type else math.nan


MEASURES = {
    "exact": (Measure(), lambda result: result.micro.f1),
    "partial": (Measure(), lambda result: result.micro.f1),
    "fair": (Measure(), lambda result: result.micro.f1),
    "exact macro": (Measure(average="macro"), lambda result: result.macro.f1),
    "exact weighted recall": (Measure("recall", average="weighted"), lambda result: result.weighted.recall),
    "exact type": (Measure(type="A"), of_type),
    "partial bounds": (
        Measure("precision", criterion="bounds"),
        lambda result: result["bounds"].micro.precision,
    ),
    "fair traditional": (
        Measure("recall", criterion="traditional"),
        lambda result: result["traditional"].micro.recall,
    ),
}


@st.composite
def tiny_corpora(draw):
    """Gold and two systems for at most eight documents of one sentence."""
    lengths = draw(st.lists(st.integers(1, 4), min_size=2, max_size=8))
    sentence = {n: st.lists(st.sampled_from(TAGS), min_size=n, max_size=n) for n in range(1, 5)}
    sides = [[draw(sentence[n]) for n in lengths] for _ in range(3)]
    assert len({len(side) for side in sides}) == 1
    return sides


def results_of(gold, systems, **options):
    return {
        name: spanrs.score(gold, pred, scheme="BIO", by=[1] * len(gold), **options)
        for name, pred in systems.items()
    }


@pytest.mark.parametrize("name", MEASURES)
@settings(max_examples=12, deadline=None)
@given(corpus=tiny_corpora())
def test_p_is_that_of_all_exchanges(name, corpus):
    gold, a, b = corpus
    matcher = name.split()[0]
    measure, read = MEASURES[name]
    observed = value(gold, a, matcher, read) - value(gold, b, matcher, read)
    as_large = 0
    for exchanged in product((False, True), repeat=len(gold)):
        first = [y if swap else x for x, y, swap in zip(a, b, exchanged, strict=True)]
        second = [x if swap else y for x, y, swap in zip(a, b, exchanged, strict=True)]
        difference = value(gold, first, matcher, read) - value(gold, second, matcher, read)
        as_large += abs(difference) >= abs(observed) - 1e-9
    exact = as_large / 2 ** len(gold)
    results = results_of(gold, {"a": a, "b": b}, matcher=matcher)
    pair = spanrs.compare(results, measure=measure, samples=SAMPLES, seed=1).pair("a", "b")
    reference = [read(result) for result in results.values()]
    if any(map(math.isnan, reference)):
        assert math.isnan(pair.p_value)
        assert math.isnan(pair.difference)
        return
    assert pair.difference == pytest.approx(observed, abs=1e-12)
    expected = (exact * SAMPLES + 1) / (SAMPLES + 1)
    # Ten tests of a dozen examples: six standard errors.
    assert pair.p_value == pytest.approx(expected, abs=6 * math.sqrt(exact * (1 - exact) / SAMPLES) + 1e-12)


@settings(max_examples=15, deadline=None)
@given(corpus=tiny_corpora(), matcher=st.sampled_from(["exact", "partial", "fair"]))
def test_p_of_the_paired_bootstrap_is_that_of_all_resamples(corpus, matcher):
    gold, a, b = (side[:4] for side in corpus)

    def difference(chosen):
        picked = [[side[at] for at in chosen] for side in (gold, a, b)]
        first, second = (
            spanrs.score(picked[0], pred, scheme="BIO", matcher=matcher).micro.f1 for pred in picked[1:]
        )
        return first - second

    observed = difference(range(len(gold)))
    drawn = [difference(chosen) for chosen in product(range(len(gold)), repeat=len(gold))]
    exact = np.mean([abs(item - observed) >= abs(observed) - 1e-9 for item in drawn])
    results = results_of(gold, {"a": a, "b": b}, matcher=matcher)
    pair = spanrs.compare(results, test="bootstrap", samples=SAMPLES).pair("a", "b")
    expected = (exact * SAMPLES + 1) / (SAMPLES + 1)
    assert pair.p_value == pytest.approx(expected, abs=6 * math.sqrt(exact * (1 - exact) / SAMPLES) + 1e-12)
    # The tails of the interval have the correct probability under the exact distribution.
    share = 0.025 + 6 * math.sqrt(0.025 * 0.975 / SAMPLES)
    assert np.mean([item < pair.interval.low - 1e-9 for item in drawn]) <= share
    assert np.mean([item > pair.interval.high + 1e-9 for item in drawn]) <= share


def three_systems(seed=1, documents=40):
    rng = random.Random(seed)
    gold = [[rng.choice(TAGS) for _ in range(12)] for _ in range(documents)]
    systems = {}
    for name, wrong in (("good", 0.1), ("fair", 0.2), ("bad", 0.45)):
        systems[name] = [
            [rng.choice(TAGS) if rng.random() < wrong else tag for tag in sentence] for sentence in gold
        ]
    return gold, systems


@pytest.fixture(scope="module")
def three():
    gold, systems = three_systems()
    return spanrs.compare(results_of(gold, systems, errors=True), samples=2000, seed=3)


def by_definition(p_values):
    """Correct p-values as Holm (1979) writes it."""
    m = len(p_values)
    ordered = sorted(p_values)
    corrected = {}
    for at, p in enumerate(ordered):
        corrected[p] = max(min(1.0, (m - j) * ordered[j]) for j in range(at + 1))
    return [corrected[p] for p in p_values]


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_is_its_definition(p_values):
    # Equal p-values have equal corrected ones: the last of them by definition is not larger than the first.
    expected = by_definition(p_values)
    assert holm(p_values) == pytest.approx(expected, abs=1e-15)
    with_gaps = [x for p in p_values for x in (p, math.nan)]
    got = holm(with_gaps)
    assert got[::2] == pytest.approx(expected, abs=1e-15)
    assert all(map(math.isnan, got[1::2]))


def test_all_pairs_are_corrected_together(three):
    assert [(pair.a, pair.b) for pair in three.pairs] == list(combinations(["good", "fair", "bad"], 2))
    p_values = [pair.p_value for pair in three.pairs]
    assert [pair.p_holm for pair in three.pairs] == pytest.approx(by_definition(p_values))
    of_types = [item.p_value for pair in three.pairs for item in pair.per_type.values()]
    corrected = [item.p_holm for pair in three.pairs for item in pair.per_type.values()]
    assert len(of_types) == 6
    assert corrected == pytest.approx(by_definition(of_types))
    assert three.pair("good", "bad").is_significant()
    with pytest.raises(KeyError, match="systems must be in the order given to compare"):
        three.pair("bad", "good")


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_binomial_test(only_a, only_b):
    expected = binomtest(only_a, only_a + only_b, 0.5).pvalue if only_a + only_b else 1.0
    assert mcnemar_p(only_a, only_b) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("only_a", "only_b"), [(480, 540), (900, 1101), (50_000, 50_500), (0, 3000)])
def test_mcnemar_of_many_spans(only_a, only_b):
    expected = binomtest(only_a, only_a + only_b, 0.5).pvalue
    assert mcnemar_p(only_a, only_b) == pytest.approx(expected, rel=1e-6, abs=1e-300)


def test_mcnemar_counts_gold_spans_that_one_system_found(three):
    gold, systems = three_systems()
    spans = {
        name: {
            (at, span)
            for at, tags in enumerate(side)
            for span in spanrs.tags.tags_to_spans(tags, "BIO", "conlleval")
        }
        for name, side in {"gold": gold, **systems}.items()
    }
    for pair in three.pairs:
        a, b = (spans["gold"] & spans[name] for name in (pair.a, pair.b))
        assert (pair.mcnemar.only_a, pair.mcnemar.only_b) == (len(a - b), len(b - a))
        test = binomtest(len(a - b), len(a ^ b), 0.5)
        assert pair.mcnemar.p_value == pytest.approx(test.pvalue, abs=1e-12)


@pytest.mark.parametrize("errors", [False, 1])
def test_without_all_errors_there_is_no_mcnemar(errors):
    gold, systems = three_systems()
    compared = spanrs.compare(results_of(gold, systems, errors=errors), samples=20)
    assert all(pair.mcnemar is None for pair in compared.pairs)
    assert "McNemar" not in str(compared)


def test_the_same_seed_gives_the_same_values_for_any_number_of_threads(three):
    for test in ("randomisation", "bootstrap"):
        options = {"test": test, "samples": 400, "seed": 2}
        first = spanrs.compare(three.results, **options)
        for threads in (2, 7):
            assert spanrs.compare(three.results, threads=threads, **options).to_dict() == first.to_dict()
        second = spanrs.compare(three.results, **options | {"seed": 9})
        assert second.to_dict() != first.to_dict()


def test_documents_are_aligned_by_name():
    gold, systems = three_systems(documents=12)
    names = [f"doc {at}" for at in range(12)]
    order = random.Random(4).sample(range(12), 12)
    results, shuffled = {}, {}
    for at, (name, pred) in enumerate(systems.items()):
        results[name] = spanrs.score(gold, pred, scheme="BIO", by=names)
        values = order if at else range(12)
        moved = [[side[item] for item in values] for side in (gold, pred)]
        shuffled[name] = spanrs.score(*moved, scheme="BIO", by=[names[item] for item in values])
    assert shuffled["fair"].counts.documents() != results["fair"].counts.documents()
    assert spanrs.compare(shuffled, samples=300).to_dict() == spanrs.compare(results, samples=300).to_dict()


def small(pred=None, gold=None, names=("x", "y", "z"), **options):
    gold = [["B-A"], ["B-A", "O"], ["B-B"]] if gold is None else gold
    pred = gold if pred is None else pred
    return spanrs.score(
        gold, pred, scheme=options.pop("scheme", "BIO"), by=names and list(names), **options
    )


LACKING = small(names=("x", "y", "w"))
REFUSED = {
    "one system": ({"a": small()}, ValueError, "at least two systems"),
    "no rows": ({"a": small(), "b": small(names=None)}, ValueError, "b has .*by=\"sentence\""),
    "no document": ({"a": small(), "b": LACKING}, AlignmentError, r"\bb has no document z|\ba has no document w"),
    "no document of the first": ({"b": LACKING, "a": small()}, AlignmentError, "has no document [wz]"),
    "twice": (
        {"a": small(), "b": small([["O"], ["O"]], [["B-A"], ["B-A", "O"]][:1] * 2, ("x", "y")).merge(
            small([["O"]], [["B-B"]], ("x",)))},
        AlignmentError,
        "different gold|x more than once",
    ),
    "gold differs": (
        {"a": small(), "b": small(gold=[["B-A"], ["B-A", "O"], ["B-A"]])},
        AlignmentError,
        "a and b were scored against different gold data",
    ),
    "gold differs in two documents": (
        {"a": small(), "b": small(gold=[["B-B"], ["B-A", "O"], ["B-A"]])},
        AlignmentError,
        "gold",
    ),
    "gold has more tokens": (
        {"a": small(), "b": small(gold=[["B-A", "O"], ["B-A", "O"], ["B-B"]])},
        AlignmentError,
        "different gold data",
    ),
    "matcher": ({"a": small(), "b": small(matcher="fair")}, SchemeError, "have different settings"),
    "reading": ({"a": small(), "b": small(reading="strict")}, SchemeError, "have different settings"),
    "scheme": ({"a": small(), "b": small(scheme="IOB")}, SchemeError, "have different settings"),
    "types": ({"a": small(), "b": small().with_types(["A"])}, SchemeError, "have different settings"),
    "weights": (
        {"a": small(), "b": small().with_document_weights([1, 2, 3])},
        ValueError,
        "b has document weights",
    ),
    "no result": ({"a": small(), "b": {"f1": 1.0}}, TypeError, "b is a dict"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_compared_is_refused(case):
    results, error, message = REFUSED[case]
    with pytest.raises(error, match=message):
        spanrs.compare(results, samples=10)


def test_a_document_twice_is_named():
    again = small(names=("x", "y", "z"))
    parts = [small([[tag]], [["B-A"]], (name,)) for name, tag in zip("xxyy", "OOOO", strict=True)]
    twice = parts[0].merge(*parts[1:])
    once = spanrs.score([["B-A"]] * 4, [["B-A"]] * 4, scheme="BIO", by=list("xyzw"))
    with pytest.raises(AlignmentError, match="b has document x more than once"):
        spanrs.compare({"a": once, "b": twice}, samples=10)
    assert again.counts.documents() == ["x", "y", "z"]


def test_rows_of_sentences_and_of_documents_do_not_compare():
    text = b"a B-A B-A\n\n-DOCSTART- O O\n\nb B-A O\n\n"
    rows = [
        spanrs.score(io.BytesIO(text), scheme="BIO", **how)
        for how in ({"by": "sentence"}, {"by": "document"})
    ]
    with pytest.raises(SchemeError, match="have different settings"):
        spanrs.compare(dict(zip("ab", rows, strict=True)), samples=10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "t"}, "unknown test 't'; expected one of randomisation, bootstrap"),
        ({"samples": 0}, "samples must be an integer"),
        ({"threads": 0}, "threads must be an integer"),
        ({"seed": -3}, "seed must be an integer"),
        ({"level": 1.0}, "level must be between"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        spanrs.compare({"a": small(), "b": small()}, **options)


def test_schemes_of_pred_may_differ():
    gold = [["B-A", "I-A"], ["O", "B-B"]]
    a = spanrs.score(gold, gold, scheme="BIO", by=[1, 1])
    b = spanrs.score(gold, [["B-A", "L-A"], ["O", "U-B"]], scheme="BIO", pred_scheme="BILOU", by=[1, 1])
    compared = spanrs.compare({"a": a, "b": b}, samples=50)
    assert compared.pair("a", "b").difference == 0
    assert "pred_scheme" not in compared.signature


def test_a_type_that_one_system_lacks_has_no_p_value():
    gold = [["B-A"], ["B-A"], ["O"]]
    results = results_of(gold, {"a": gold, "b": [["B-A"], ["O"], ["B-X"]], "c": gold})
    compared = spanrs.compare(results, samples=100)
    pair = compared.pair("a", "b")
    assert math.isnan(pair.per_type["X"].p_value)
    assert math.isnan(pair.per_type["X"].p_holm)
    assert not math.isnan(pair.per_type["A"].p_holm)
    plain = json.loads(compared.to_json())
    assert plain["pairs"][0]["per_type"]["X"]["p_value"] is None
    assert plain["systems"]["a"]["per_type"]["X"] is None
    assert plain["systems"]["b"]["per_type"]["X"] == 0


def test_identical_systems_do_not_differ():
    gold, systems = three_systems(documents=9)
    pair = spanrs.compare(results_of(gold, {"a": systems["bad"], "b": systems["bad"]}), samples=99).pairs[0]
    assert (pair.difference, pair.p_value, pair.p_holm) == (0, 1, 1)
    assert pair.interval == (0, 0)


def test_dictionaries_and_json_have_what_is_promised(three):
    actual = three.to_dict()
    assert json.loads(three.to_json()) == json.loads(json.dumps(actual))
    assert list(actual["systems"]) == ["good", "fair", "bad"]
    for name, result in three.results.items():
        assert actual["systems"][name]["value"] == result.micro.f1
    for plain, pair in zip(actual["pairs"], three.pairs, strict=True):
        assert (plain["a"], plain["b"]) == (pair.a, pair.b)
        assert plain["difference"] == pair.difference
        assert plain["interval"] == list(pair.interval)
        assert (plain["p_value"], plain["p_holm"]) == (pair.p_value, pair.p_holm)
    for signature in (actual["signature"], actual["short_signature"]):
        settings_of = spanrs.eval.settings.parse_signature(signature)
        assert settings_of["test"] == "randomisation"
        assert (settings_of["samples"], settings_of["seed"], settings_of["documents"]) == (
            "2000",
            "3",
            "40",
        )


def test_the_smallest_p_value_is_that_of_the_observed_difference_alone(three):
    p = spanrs.compare(three.results, samples=9, seed=1).pair("good", "bad").p_value
    assert p == pytest.approx(0.1)


def test_mat_results_compare():
    rng = random.Random(2)
    gold = [[rng.choice("XY") for _ in range(4)] for _ in range(8)]
    systems = {
        name: [[ty if rng.random() < right else "Z" for ty in side] for side in gold]
        for name, right in (("a", 0.9), ("b", 0.4))
    }

    def documents(sides):
        return [
            Document(
                "a b c d", [Annotation(ty, 2 * at, 2 * at + 1) for at, ty in enumerate(side)], id=f"d{n}"
            )
            for n, side in enumerate(sides)
        ]

    results = {
        name: spanrs.score(documents(gold), documents(side), matcher=mat.Mat(), on_error="skip")
        for name, side in systems.items()
    }
    pair = spanrs.compare(results, measure=Measure("recall", criterion="tag"), samples=SAMPLES).pair(
        "a", "b"
    )
    right = [
        np.array([sum(x == y for x, y in zip(*both, strict=True)) for both in zip(gold, side, strict=True)])
        for side in systems.values()
    ]
    differences = right[0] - right[1]
    assert pair.difference == pytest.approx(differences.sum() / 32)
    signs = np.array(list(product((1, -1), repeat=8)))
    exact = (abs(signs @ differences) >= abs(differences.sum())).mean()
    assert pair.p_value == pytest.approx(
        exact, abs=6 * math.sqrt(exact * (1 - exact) / SAMPLES) + 1 / SAMPLES
    )


def test_dep_results_compare():
    words = ["They", "ate", "pizza"]

    def parses(heads):
        return [dep.Parse(words, [2, 0, head], ["nsubj", "root", "obj"]) for head in heads]

    systems = {"a": [2, 2, 2, 2, 2, 1], "b": [1, 1, 1, 1, 2, 2]}
    results = {
        name: dep.evaluate(parses([2] * 6), parses(heads), by="sentence") for name, heads in systems.items()
    }
    pair = spanrs.compare(results, measure=Measure(criterion="uas"), samples=SAMPLES).pair("a", "b")
    assert pair.difference == pytest.approx(3 / 18)
    exact = sum(abs(sum(signs)) >= 3 for signs in product((1, -1), repeat=5)) / 32
    assert pair.p_value == pytest.approx(
        exact, abs=6 * math.sqrt(exact * (1 - exact) / SAMPLES) + 1 / SAMPLES
    )


def test_a_measure_is_given_by_its_name():
    gold, pred = [["B-A"], ["O"], ["B-A"]], [["B-A"], ["B-A"], ["O"]]
    by_name, by_object = (
        spanrs.compare(gold, {"a": pred, "b": gold}, measure=measure, scheme="BIO", samples=99)
        for measure in ("recall", Measure("recall"))
    )
    assert by_name.to_dict() == by_object.to_dict()
