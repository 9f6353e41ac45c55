"""Comparisons do not depend on the order of documents."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs
from spanrs.errors import AlignmentError
from spanrs.eval.comparison_page import comparison_page

TAGS = ["O", "B-A", "I-A", "B-B"]
MATCHERS = ["exact", "partial", "fair"]


@st.composite
def corpora(draw):
    """Gold and two systems by document, and an order of documents for each system."""
    names = [f"d{at}" for at in range(draw(st.integers(2, 6)))]
    lengths = st.lists(st.integers(1, 4), min_size=1, max_size=3)
    documents = {}
    for name in names:
        sizes = draw(lengths)
        side = st.tuples(*[st.lists(st.sampled_from(TAGS), min_size=n, max_size=n) for n in sizes])
        documents[name] = tuple(list(draw(side)) for _ in range(3))
    orders = [draw(st.permutations(names)) for _ in range(2)]
    return documents, orders


def scored(documents, system, order, matcher):
    """Score a system with the documents in this order; tokens identify the sentences."""
    sides = [[sentence for name in order for sentence in documents[name][side]] for side in (0, system)]
    tokens = [
        [f"{name}.{number}.{at}" for at in range(len(sentence))]
        for name in order
        for number, sentence in enumerate(documents[name][0])
    ]
    names = [name for name in order for _ in documents[name][0]]
    options = {"by": names, "errors": True, "tokens": tokens}
    return spanrs.score(*sides, scheme="BIO", matcher=matcher, **options)


def changes(comparison):
    """Count what the page shows of fixed, broken, removed and added spans."""
    return re.findall(r'class="badge[^>]*>([^<]*)</span></td><td>[^<]*</td><td>([\d,]*)<', comparison)


@settings(max_examples=60, deadline=None)
@given(
    corpus=corpora(),
    matcher=st.sampled_from(MATCHERS),
    test=st.sampled_from(["randomisation", "bootstrap"]),
)
def test_the_order_of_documents_changes_no_figure(corpus, matcher, test):
    documents, orders = corpus
    usual = list(documents)
    options = {"samples": 50, "seed": 1, "test": test}
    same = spanrs.compare(
        {name: scored(documents, at, usual, matcher) for at, name in enumerate("ab", 1)}, **options
    )
    permuted = spanrs.compare(
        {name: scored(documents, at, orders[at - 1], matcher) for at, name in enumerate("ab", 1)}, **options
    )
    assert permuted.to_json() == same.to_json()
    pages = [comparison_page(item) for item in (same, permuted)]
    assert changes(pages[1]) == changes(pages[0])


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_the_order_of_gold_spans_in_a_sentence_changes_nothing(data):
    # Some of the spans are equal.
    span = st.tuples(st.sampled_from("AB"), st.integers(0, 2)).map(
        lambda pair: (pair[0], pair[1], pair[1] + 1)
    )
    sentences = data.draw(st.lists(st.lists(span, max_size=4), min_size=2, max_size=4))
    preds = data.draw(
        st.lists(st.lists(span, max_size=3), min_size=len(sentences), max_size=len(sentences))
    )
    permuted = [data.draw(st.permutations(sentence)) for sentence in sentences]
    options = {"by": [1] * len(sentences), "errors": True}
    results = {
        name: spanrs.score(gold, preds, **options) for name, gold in (("a", sentences), ("b", permuted))
    }
    mcnemar = spanrs.compare(results, samples=10).pair("a", "b").mcnemar
    assert (mcnemar.only_a, mcnemar.only_b) == (0, 0)


def test_equal_systems_with_gold_spans_in_another_order_are_equal():
    gold = [[("A", 0, 1), ("B", 2, 3)]] * 6
    pred = [[("A", 0, 1)]] * 6
    options = {"by": [1] * 6, "errors": True}
    second = [list(reversed(sentence)) for sentence in gold]
    results = {name: spanrs.score(side, pred, **options) for name, side in (("a", gold), ("b", second))}
    mcnemar = spanrs.compare(results, samples=10).pair("a", "b").mcnemar
    assert (mcnemar.only_a, mcnemar.only_b) == (0, 0)


def test_spans_are_fixed_in_the_same_document():
    """Both systems miss the span of one document, in different places of the corpus."""
    documents = {
        "x": ([["B-A", "O"]], [["O", "O"]], [["O", "O"]]),
        "y": ([["O", "O"]] * 2, [["O", "O"]] * 2, [["O", "O"]] * 2),
        "z": ([["B-A", "O"]], [["B-A", "O"]], [["B-A", "O"]]),
    }
    results = {
        "a": scored(documents, 1, ["x", "y", "z"], "exact"),
        "b": scored(documents, 2, ["z", "y", "x"], "exact"),
    }
    comparison = spanrs.compare(results, samples=20)
    test = comparison.pair("a", "b").mcnemar
    assert (test.only_a, test.only_b, test.p_value) == (0, 0, 1.0)
    assert "From a to b" not in comparison_page(comparison)
    # Compared results are not modified.
    assert [error.sentence for error in comparison.results["b"].errors] == [3]


def test_merged_results_compare_by_key():
    """Errors of files merged in another order are not mixed."""
    documents = {name: ([["B-A"]], [["O"]], [["O"]]) for name in "xy"} | {"z": ([["B-A"]],) * 3}
    parts = {
        name: [scored({key: documents[key]}, at, [key], "exact") for key in order]
        for at, (name, order) in enumerate({"a": "xyz", "b": "zxy"}.items(), 1)
    }
    results = {name: first.merge(*item) for name, (first, *item) in parts.items()}
    test = spanrs.compare(results, samples=20).pair("a", "b").mcnemar
    assert (test.only_a, test.only_b) == (0, 0)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("xyw", "a has no document w"),
        ("xy", "different gold data: b has no document z"),
        ("xyzy", "different gold data: b has document y more than once"),
    ],
)
def test_the_first_key_that_is_not_shared_is_named(keys, message):
    documents = {name: ([["B-A"]],) * 2 for name in "wxyz"}
    first, *rest = (scored(documents, 1, [key], "exact") for key in keys)
    results = {"a": scored(documents, 1, ["x", "y", "z"], "exact"), "b": first.merge(*rest)}
    with pytest.raises(AlignmentError, match=message):
        spanrs.compare(results, samples=5)


def test_spans_of_several_span_files_have_no_mcnemar(tmp_path):
    """Sentences are numbered from 0 in each file, so spans of two files could be confused."""
    for side, types in (("gold", "AA"), ("a", "AB"), ("b", "BA")):
        (tmp_path / side).mkdir()
        for name, ty in zip(("1.tsv", "2.tsv"), types, strict=True):
            (tmp_path / side / name).write_text(f"{ty}\t1\t1\t1\n")
    results = {
        name: spanrs.score(tmp_path / "gold", tmp_path / name, errors=True, by="document") for name in "ab"
    }
    assert spanrs.compare(results, samples=5).pair("a", "b").mcnemar is None
