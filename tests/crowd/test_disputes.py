"""Disputes: overlapping spans on which annotators disagree, with their kinds and their reasons."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanrs.crowd import MarkedSpan
from spanrs.crowd.disputes import clusters, find_disputes, kinds_between, mean_f1, pair_f1

TEXT = "Ada of Rome met Bob in the University of Oslo."


def span(type_, words, *pieces):
    start = TEXT.index(words)
    return MarkedSpan(type_, start, start + len(words), pieces)


ROME, ROME_ORG = span("LOC", "Rome"), span("ORG", "Rome")
OSLO, UNIVERSITY = span("LOC", "Oslo"), span("ORG", "University of Oslo")
LONG_ADA = span("PER", "Ada of Rome")


def disputes(answers, estimate):
    return list(find_disputes(TEXT, answers, dict.fromkeys(estimate, 0.9)))


@pytest.mark.parametrize(
    ("answers", "estimate", "kinds", "reason"),
    [
        ({"a": [ROME], "b": [], "c": []}, [], ("missing",), 'only a marked "Rome" as LOC'),
        (
            {"a": [ROME], "b": [ROME], "c": []},
            [ROME],
            ("missing",),
            'a and b marked "Rome" as LOC, c did not',
        ),
        (
            {"a": [ROME], "b": [ROME_ORG], "c": [ROME]},
            [ROME],
            ("type",),
            'a and c marked "Rome" as LOC, b as ORG',
        ),
        (
            {"a": [OSLO], "b": [span("LOC", "of Oslo")], "c": []},
            [OSLO],
            ("missing", "bounds"),
            'bounds of LOC differ: a "Oslo", b "of Oslo", c nothing',
        ),
        (
            {"a": [ROME], "b": [LONG_ADA]},
            [ROME],
            ("type", "bounds"),
            'a: "Rome" as LOC; b: "Ada of Rome" as PER',
        ),
        (
            {"a": [ROME], "b": [ROME]},
            [ROME_ORG],
            ("estimate",),
            'the estimate contradicts all annotators: they marked "Rome" as LOC, the estimate is "Rome" as ORG',
        ),
        (
            {"a": [], "b": []},
            [ROME],
            ("estimate",),
            'the estimate contradicts all annotators: they marked nothing, the estimate is "Rome" as LOC',
        ),
        (
            {"a": [ROME], "b": [ROME_ORG]},
            [],
            ("type", "estimate"),
            'a marked "Rome" as LOC, b as ORG; the estimate agrees with no annotator',
        ),
    ],
)
def test_kinds_and_reasons(answers, estimate, kinds, reason):
    [dispute] = disputes(answers, estimate)
    assert (dispute.kinds, dispute.reason) == (kinds, reason)
    assert dispute.is_contradicted == (len(set(map(tuple, answers.values()))) == 1)


def test_spans_on_which_all_agree_are_not_disputed():
    answers = {"a": [ROME, UNIVERSITY, OSLO], "b": [ROME, UNIVERSITY], "c": [ROME, UNIVERSITY]}
    [dispute] = disputes(answers, [ROME, UNIVERSITY])
    assert dispute.answers == {"a": (OSLO,), "b": (), "c": ()}
    assert dispute.reason == 'only a marked "Oslo" as LOC'
    assert disputes(dict.fromkeys("abc", (ROME, OSLO, UNIVERSITY)), [ROME, OSLO, UNIVERSITY]) == []


def test_a_nested_span_that_the_estimate_lacks_is_disputed_though_all_agree():
    answers = dict.fromkeys("ab", (OSLO, UNIVERSITY))
    [dispute] = disputes(answers, [UNIVERSITY])
    assert (dispute.start, dispute.end, dispute.kinds) == (OSLO.start, OSLO.end, ("estimate",))


def test_disputes_are_in_the_order_of_the_text_and_separate():
    found = disputes({"a": [OSLO, ROME], "b": []}, [])
    assert [(dispute.start, dispute.end) for dispute in found] == [ROME[1:3], OSLO[1:3]]
    assert [dispute.dissenters for dispute in found] == [1, 1]


def test_discontinuous_spans_differ_from_contiguous_ones_in_their_bounds():
    whole = span("PER", "Ada of Rome")
    pieces = span("PER", "Ada of Rome", (0, 3), (7, 11))
    assert kinds_between([whole], [pieces]) == ["bounds"]
    [dispute] = disputes({"a": [whole], "b": [pieces]}, [whole])
    assert dispute.reason == 'bounds of PER differ: a "Ada of Rome", b "Ada … Rome"'


def test_empty_spans_are_disputed():
    empty = MarkedSpan("X", 3, 3)
    [dispute] = disputes({"a": [empty], "b": []}, [])
    assert (dispute.start, dispute.end, dispute.kinds) == (3, 3, ("missing",))


def test_long_reasons_are_shortened():
    many = {f"annotator{at}": [MarkedSpan(f"T{at % 9}", 0, 3 + at % 7)] for at in range(60)}
    [dispute] = disputes(many, [])
    assert len(dispute.reason) < 800
    assert "other answers" in dispute.reason
    [dispute] = list(find_disputes("x" * 10_000, {"a": [MarkedSpan("T", 0, 10_000)], "b": []}, {}))
    assert len(dispute.reason) < 100
    crowd = {f"a{at}": [ROME] for at in range(9)} | {"z": []}
    [dispute] = disputes(crowd, [ROME])
    assert dispute.reason == 'a0, a1, a2 and 6 others marked "Rome" as LOC, z did not'


SPANS = st.builds(
    lambda type_, start, length: MarkedSpan(type_, start, start + length),
    st.sampled_from("AB"),
    st.integers(0, 12),
    st.integers(0, 5),
)
ANSWERS = st.dictionaries(st.sampled_from("abcd"), st.frozensets(SPANS, max_size=5), min_size=2)


@given(ANSWERS, st.frozensets(SPANS, max_size=4))
def test_disputes_are_the_spans_that_not_all_have(answers, estimate):
    found = list(find_disputes("x" * 20, answers, dict.fromkeys(estimate, 1.0)))
    everywhere = frozenset.intersection(*answers.values(), estimate)
    everything = frozenset.union(*answers.values(), estimate)
    in_disputes = [
        span
        for dispute in found
        for span in {*itertools.chain.from_iterable(dispute.answers.values()), *dispute.estimate}
    ]
    assert sorted(in_disputes) == sorted(everything - everywhere)
    for one, other in itertools.pairwise(found):
        assert max(one.end, one.start + 1) <= other.start
    for dispute in found:
        assert dispute.kinds
        assert dispute.reason
        assert set(dispute.answers) == set(answers)


@given(ANSWERS)
def test_the_mean_f1_is_that_of_all_pairs(answers):
    values = [pair_f1(*pair) for pair in itertools.combinations(answers.values(), 2)]
    assert mean_f1(answers) == pytest.approx(sum(values) / len(values))


@given(st.frozensets(SPANS, max_size=6), st.frozensets(SPANS, max_size=6))
def test_kinds_of_differences_are_those_of_a_comparison_of_all_pairs(left, right):
    expected = set()
    for spans, others in ((left - right, right - left), (right - left, left - right)):
        for one in spans:
            rivals = [other for other in others if one.start < other.stop and other.start < one.stop]
            if not rivals:
                expected.add("missing")
            elif any(one[1:] == other[1:] for other in rivals):
                expected.add("type")
            else:
                expected.add("bounds")
                if not any(one.type == other.type for other in rivals):
                    expected.add("type")
    assert set(kinds_between(left, right)) == expected
    assert kinds_between(left, right) == kinds_between(right, left)


@given(st.frozensets(SPANS, max_size=8))
def test_clusters_are_connected_by_overlaps(spans):
    groups = clusters(spans)
    assert sorted(itertools.chain.from_iterable(groups)) == sorted(spans)
    for group, other in itertools.combinations(groups, 2):
        assert not any(a.start < b.stop and b.start < a.stop for a in group for b in other)
