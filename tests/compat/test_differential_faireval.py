"""Differential tests against the published algorithm: equal counts and equal modified lists."""

from __future__ import annotations

import copy
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import fair_steps
from spanrs.compat import faireval

LABELS = ["NP", "VP", "PP", "_", "", 7, ("NP", 1)]
FOCUS = st.sampled_from(["target", "system", "both"])
labels = st.one_of(st.sampled_from(LABELS[:2]), st.sampled_from(LABELS))


@st.composite
def spans(draw, longest=6, last=12, scattered=False):
    begin = draw(st.integers(1, last))
    end = begin + draw(st.integers(0, longest - 1))
    tokens = set(range(begin, end + 1))
    if scattered:
        # Also tokens outside of the boundaries, and no tokens: FairEval does not check.
        tokens = draw(st.one_of(st.sets(st.sampled_from(sorted(tokens))), st.sets(st.integers(0, last))))
    return [draw(labels), begin, end, tokens]


@st.composite
def flat(draw):
    """Consecutive spans."""
    collected, at = [], 1
    for gap, length in draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=7)):
        begin = at + gap
        at = begin + length
        collected.append([draw(labels), begin, at - 1, set(range(begin, at))])
    return collected


@st.composite
def nested(draw):
    """Spans nested in previous ones or disjoint."""
    collected = []
    bounds = [(1, 12)]
    for at, cut, width in draw(st.lists(st.tuples(*[st.integers(0, 11)] * 3), max_size=8)):
        begin, end = bounds[at % len(bounds)]
        begin += cut % (end - begin + 1)
        end = begin + width % (end - begin + 1)
        bounds.append((begin, end))
        collected.append([draw(labels), begin, end, set(range(begin, end + 1))])
    return collected


SETS = st.one_of(
    flat(),
    nested(),
    st.lists(spans(), max_size=8),
    st.lists(spans(longest=3, last=3), max_size=8),
    st.lists(spans(scattered=True), max_size=8),
    st.lists(spans(longest=4, last=4, scattered=True), max_size=14),
)


def compared(function, target, system, focus):
    """The result, and the lists and spans after the call."""
    target, system = copy.deepcopy((target, system))
    before = [list(side) for side in (target, system)]
    result = function(target, system, focus)
    left = [
        [next(i for i, item in enumerate(spans) if item is span) for span in side]
        for spans, side in zip(before, (target, system), strict=True)
    ]
    return result, left, before


def same(target, system, focus):
    got = compared(faireval.compare_spans, target, system, focus)
    expected = compared(fair_steps.compare_spans, target, system, focus)
    assert got == expected
    # The order of the keys, too.
    assert str(got[0]) == str(expected[0])
    return got[0]


@settings(max_examples=600, deadline=None)
@given(SETS, SETS, FOCUS)
@example([], [], "target")
@example([["_", 1, 2, {1, 2}]], [["NP", 1, 1, {1}], ["_", 5, 5, {5}]], "target")
def test_two_sides(target, system, focus):
    same(target, system, focus)


@settings(max_examples=400, deadline=None)
@given(SETS, st.data(), FOCUS)
def test_a_side_and_what_noise_makes_of_it(target, data, focus):
    system = []
    for label, begin, end, tokens in copy.deepcopy(target):
        kind = data.draw(st.sampled_from(["same", "same", "twice", "label", "bounds", "tokens", "gone"]))
        if kind == "label":
            label = data.draw(labels)  # noqa: PLW2901
        elif kind == "bounds":
            begin = max(1, begin - data.draw(st.integers(-1, 2)))  # noqa: PLW2901
            end = max(begin, end + data.draw(st.integers(-1, 2)))  # noqa: PLW2901
            tokens = set(range(begin, end + 1))  # noqa: PLW2901
        elif kind == "tokens":
            tokens = set(sorted(tokens)[1:])  # noqa: PLW2901
        system += [[label, begin, end, set(tokens)] for _ in range({"gone": 0, "twice": 2}.get(kind, 1))]
    if data.draw(st.booleans()):
        system = data.draw(st.permutations(system))
    same(target, system, focus)


@settings(max_examples=250, deadline=None)
@given(st.lists(spans(longest=2, last=3, scattered=True), max_size=5), st.data(), FOCUS)
def test_the_same_spans_many_times(few, data, focus):
    if few:
        some = st.lists(st.sampled_from(few), max_size=12)
        same(
            [copy.deepcopy(span) for span in data.draw(some)],
            [copy.deepcopy(span) for span in data.draw(some)],
            focus,
        )


@settings(max_examples=100, deadline=None)
@given(st.lists(spans(longest=9, last=200), max_size=60), st.lists(spans(longest=9, last=200), max_size=60))
def test_long_sentences(target, system):
    same(target, system, "target")


# Hypothesis seldom makes the crowds in which a span is matched again after a span that was matched again.
@pytest.mark.parametrize(
    ("most", "last", "longest", "kinds", "kept"),
    [
        (14, 12, 6, 2, 1),
        (14, 12, 6, 2, 0.7),
        (20, 30, 20, 3, 0.6),
        (12, 40, 30, 3, 1),
        (25, 40, 30, 2, 0.4),
    ],
)
def test_crowded_sentences(most, last, longest, kinds, kept):
    chance = random.Random(most * last)

    def crowd():
        collected = []
        for _ in range(chance.randint(1, most)):
            begin = chance.randint(1, last)
            end = min(last, begin + chance.randint(0, longest))
            tokens = {i for i in range(begin, end + 1) if chance.random() < kept}
            collected.append([chance.choice(LABELS[:kinds]), begin, end, tokens])
        return collected

    for _ in range(400):
        same(crowd(), crowd(), "target")


@settings(max_examples=150, deadline=None)
@given(SETS, SETS)
def test_every_span_is_counted_once(target, system):
    result = same(target, system, "target")
    fair = result["overall"]["fair"]
    assert fair["BE"] == fair["BES"] + fair["BEL"] + fair["BEO"]
    for counts in result["per_label"]["fair"].values():
        assert counts["BE"] == counts["BES"] + counts["BEL"] + counts["BEO"]
    # Errors are counted for both sides, so n spans yield at least n/2 and at most n errors.
    total = sum(fair[error] for error in ("TP", "FP", "FN", "LE", "BE", "LBE"))
    assert (len(target) + len(system)) / 2 <= total <= len(target) + len(system)
    cells = sum(n for row in result["conf"].values() for n in row.values())
    assert cells == total - fair["TP"]


@settings(max_examples=200, deadline=None)
@given(SETS)
def test_a_side_with_itself_has_no_errors(target):
    before = copy.deepcopy(target)
    result = faireval.compare_spans(target, copy.deepcopy(target))
    assert result["overall"]["fair"] == dict.fromkeys(fair_steps.FAIR, 0) | {"TP": len(before)}
    assert target == []
    target = copy.deepcopy(before)
    assert faireval.compare_spans(target, target) == result
    assert target == before
