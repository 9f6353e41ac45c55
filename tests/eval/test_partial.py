"""Partial matching: inputs, measures, merging, refusals."""

from __future__ import annotations

import itertools
import json
import random
import time

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs
from spanrs import tags
from spanrs.errors import AlignmentError, SchemeError

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"]]
PRED = [["B-PER", "O", "O", "B-ORG"], ["O", "B-ORG"]]
MODES = ("strict", "bounds", "overlap", "type")
OUTCOMES = ("correct", "incorrect", "partial", "missed", "spurious")


def outcomes(**counted):
    """All outcomes of partial matching; those not given are 0."""
    return dict.fromkeys(OUTCOMES, 0) | counted


def numbers(result):
    data = result.to_dict()
    assert tuple(data["criteria"]) == MODES
    return data["criteria"], data["sentences"]


def as_spans(sentences, scheme="BIO"):
    return [[tuple(span)[:3] for span in tags.tags_to_spans(s, scheme)] for s in sentences]


@pytest.mark.parametrize("matching", ["greedy", "optimal"])
def test_all_inputs_give_the_same(matching):
    expected = numbers(spanrs.score(GOLD, PRED, matcher=spanrs.Partial(matching=matching)))
    assert expected == numbers(
        spanrs.score(as_spans(GOLD), as_spans(PRED), matcher=spanrs.Partial(matching=matching))
    )
    generators = ((list(s) for s in side) for side in (GOLD, PRED))
    assert expected == numbers(spanrs.score(*generators, matcher=spanrs.Partial(matching=matching)))
    vocabulary = ["O", "B-PER", "I-PER", "B-LOC", "B-ORG"]
    ids = [
        np.array([[vocabulary.index(t) for t in (*s, "O", "O")][:4] for s in side]) for side in (GOLD, PRED)
    ]
    ids[0][1, 2:] = -100
    assert expected == numbers(
        spanrs.score(*ids, matcher=spanrs.Partial(matching=matching), vocabulary=vocabulary)
    )
    flat = [side.ravel() for side in ids]
    by_length = spanrs.score(
        *flat, matcher=spanrs.Partial(matching=matching), vocabulary=vocabulary, lengths=[4, 4]
    )
    assert expected == numbers(by_length)


def test_measures():
    result = spanrs.score(GOLD, PRED, matcher="partial")
    assert result["overlap"].outcomes == outcomes(correct=2, partial=1)
    assert result["overlap"].micro.f1 == pytest.approx(2.5 / 3)
    assert result["strict"].outcomes == outcomes(correct=1, incorrect=2)
    assert result["bounds"].outcomes == outcomes(correct=2, incorrect=1)
    assert result["type"].outcomes == outcomes(correct=2, incorrect=1)
    assert result["strict"].per_type.outcomes["ORG"] == outcomes(correct=1, spurious=1)
    score = result["strict"].per_type["ORG"]
    assert (score.precision, score.recall, score.f1, score.support) == (0.5, 1.0, 2 / 3, 1)
    assert (result.micro, result.outcomes) == (result["strict"].micro, result["strict"].outcomes)
    assert spanrs.score([[]], [[]], matcher="partial")["overlap"].micro.f1 == 0.0
    assert spanrs.score([], [], matcher="partial").sentences == 0


@pytest.mark.parametrize("scheme", ["IOB", "IOE2", "IOBES", "BILOU", "BMES"])
def test_schemes(scheme):
    gold, pred = ([tags.convert(s, "BIO", scheme) for s in side] for side in (GOLD, PRED))
    for given_scheme in (scheme, "auto"):
        result = spanrs.score(gold, pred, matcher="partial", scheme=given_scheme)
        assert numbers(result) == numbers(spanrs.score(GOLD, PRED, matcher="partial"))
    assert result.evidence.detection


def test_the_scheme_is_that_of_scoring():
    for gold, pred in ((GOLD, PRED), ([["O", "O"]], [["S-A", "O"]]), ([["O"]], [["O"]])):
        assert (
            spanrs.score(gold, pred, matcher="partial").settings["scheme"]
            == spanrs.score(gold, pred).settings["scheme"]
        )


def test_details_are_those_of_the_counts():
    result = spanrs.score(GOLD, PRED, matcher="partial", details=True)
    for mode in MODES:
        details = result.details[mode]
        actual = {name: sum(detail.outcome == name for detail in details) for name in OUTCOMES}
        assert actual == result[mode].outcomes
        plain = result.to_dict()["details"][mode]
        assert [detail["outcome"] for detail in plain] == [detail.outcome for detail in details]
    incorrect = [detail for detail in result.details["strict"] if detail.outcome == "incorrect"]
    places = [(detail.sentence, detail.gold_index, detail.pred_index) for detail in incorrect]
    assert places == [(0, 0, 0), (0, 1, 1)]
    assert [(tuple(d.gold)[:3], tuple(d.pred)[:3]) for d in incorrect] == [
        (("PER", 0, 2), ("PER", 0, 1)),
        (("LOC", 3, 4), ("ORG", 3, 4)),
    ]
    assert result.errors is None
    assert spanrs.score(GOLD, PRED, matcher="partial").details is None


def test_batches_merge_to_the_whole():
    whole = spanrs.score(GOLD, PRED, matcher="partial")
    first, second = (spanrs.Scorer(matcher="partial") for _ in range(2))
    first.update(GOLD[:1], PRED[:1])
    second.update(GOLD[1:], PRED[1:])
    first.merge(second)
    assert first.result().to_dict() | {"detection": None} == whole.to_dict() | {"detection": None}
    with pytest.raises(SchemeError, match="cannot be merged"):
        first.merge(spanrs.Scorer(matcher=spanrs.Partial(matching="optimal")))


def test_details_merge_to_those_of_the_whole():
    whole = spanrs.score(GOLD, PRED, matcher="partial", details=True)
    first, second = (
        spanrs.score(GOLD[part], PRED[part], matcher="partial", details=True)
        for part in (slice(1), slice(1, 2))
    )
    merged = first.merge(second)
    assert merged.details == whole.details
    assert merged.to_dict() | {"detection": None} == whole.to_dict() | {"detection": None}
    assert first.merge(spanrs.score(GOLD[1:], PRED[1:], matcher="partial")).details is None


def test_text_and_json():
    result = spanrs.score([["B-[red]"]], [["B-[red]"]], matcher="partial")
    assert str(result).splitlines()[0].split() == [
        "type",
        "criterion",
        "precision",
        "recall",
        "F1",
        *OUTCOMES,
    ]
    assert "\n[red]   strict         100.00" in str(result)
    assert json.loads(result.to_json())["criteria"]["strict"]["micro"]["f1"] == 1.0
    assert result.signature in repr(result)


def test_refusals():
    with pytest.raises(AlignmentError, match="gold has 1 sentences, pred has 2"):
        spanrs.score([["O"]], [["O"], ["O"]], matcher="partial")
    with pytest.raises(AlignmentError, match="sentence 0: gold has 1 tags, pred has 2"):
        spanrs.score([["O"]], [["O", "O"]], matcher="partial")
    with pytest.raises(AlignmentError, match="gold has 1 sentences, pred has 0"):
        spanrs.score([[("A", 0, 1)]], [], matcher="partial")
    with pytest.raises(ValueError, match="unknown matching 'best'; expected one of greedy, optimal"):
        spanrs.score(GOLD, PRED, matcher=spanrs.Partial(matching="best"))
    for share in (-0.1, 50, float("nan")):
        with pytest.raises(ValueError, match="min_overlap must be a fraction"):
            spanrs.score(GOLD, PRED, matcher=spanrs.Partial(min_overlap=share))
    with pytest.raises(ValueError, match="it is empty"):
        spanrs.score([[("A", 1, 1)]], [[]], matcher="partial")
    with pytest.raises(OverflowError):
        spanrs.score([[("A", -1, 1)]], [[]], matcher="partial")
    with pytest.raises(TypeError, match=r"a span is \(type, start, end\)"):
        spanrs.score([[("A", 1)]], [[]], matcher="partial")
    with pytest.raises(TypeError, match="a tag must be a str"):
        spanrs.score([[1]], [[1]], matcher="partial")
    with pytest.raises(TypeError, match="pass vocabulary="):
        spanrs.score([1], [1], matcher="partial", lengths=[1])
    with pytest.raises(SchemeError, match="vocabulary has 1 tags"):
        spanrs.score([[0]], [[7]], matcher="partial", vocabulary=["O"])
    with pytest.raises(SchemeError, match="sentence 1"):
        spanrs.score([["O"], ["I-A"]], [["O"], ["O"]], matcher="partial", scheme="BIO", reading="refuse")
    with pytest.raises(SchemeError, match="BIO"):
        spanrs.score(GOLD, PRED, matcher="partial", scheme="odd")


def test_matchers_have_no_other_name_than_their_own():
    for make, option in ((spanrs.Partial, {"matching": "optimal"}), (spanrs.Fair, {"weights": "default"})):
        with pytest.raises(TypeError):
            make(name="exact")
        matcher = make(**option)
        assert matcher.name == make().name
        # Positional arguments are options as well.
        (value,) = option.values()
        try:
            by_position = make(value)
        except TypeError:
            continue
        assert by_position == matcher


def test_a_failed_batch_counts_nothing():
    scorer = spanrs.Scorer(scheme="BIO", matcher="partial")
    scorer.update(GOLD, PRED)
    before = scorer.result().to_dict()
    with pytest.raises(AlignmentError):
        scorer.update([["B-A"], ["O"]], [["B-A"], []])
    assert scorer.result().to_dict() == before


some = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 6), st.integers(1, 4)).map(
        lambda s: (s[0], s[1], s[1] + s[2])
    ),
    max_size=4,
)


def shared(g, p):
    return min(g[2], p[2]) - max(g[1], p[1])


def best(gold, pred, right):
    """(correct, pairs, shared tokens) of the best of all assignments."""
    most = (0, 0, 0)
    for size in range(1, min(len(gold), len(pred)) + 1):
        for golds in itertools.combinations(gold, size):
            for preds in itertools.permutations(pred, size):
                pairs = list(zip(golds, preds, strict=True))
                if all(shared(*pair) > 0 for pair in pairs):
                    correct = sum(right(*pair) for pair in pairs)
                    most = max(most, (correct, size, sum(shared(*pair) for pair in pairs)))
    return most


@settings(max_examples=200, deadline=None)
@given(some, some)
def test_optimal_is_the_best_of_all_assignments(gold, pred):
    result = spanrs.score([gold], [pred], matcher=spanrs.Partial(matching="optimal"))
    rules = {
        "strict": lambda g, p: g == p,
        "bounds": lambda g, p: g[1:] == p[1:],
        "overlap": lambda g, p: g[1:] == p[1:],
        "type": lambda g, p: g[0] == p[0],
    }
    for mode, right in rules.items():
        correct, pairs, _ = best(gold, pred, right)
        counts = result[mode].outcomes
        assert counts["correct"] == correct
        assert counts["incorrect"] + counts["partial"] == pairs - correct
        assert (counts["missed"], counts["spurious"]) == (len(gold) - pairs, len(pred) - pairs)


@settings(max_examples=200, deadline=None)
@given(some, some, st.randoms())
def test_optimal_does_not_look_at_the_order(gold, pred, rng):
    first = spanrs.score([gold], [pred], matcher=spanrs.Partial(matching="optimal"), details=True)
    golds, preds = rng.sample(gold, len(gold)), rng.sample(pred, len(pred))
    second = spanrs.score([golds], [preds], matcher=spanrs.Partial(matching="optimal"), details=True)
    assert numbers(first) == numbers(second)
    for mode in MODES:
        for name in OUTCOMES:
            field = "gold_index" if name == "missed" else "pred_index"
            sides = (gold, golds) if name == "missed" else (pred, preds)
            collected = [
                sorted(side[getattr(d, field)] for d in result.details[mode] if d.outcome == name)
                for result, side in zip((first, second), sides, strict=True)
            ]
            assert collected[0] == collected[1]


@pytest.mark.parametrize("matching", ["greedy", "optimal"])
def test_time_does_not_grow_with_the_square_of_a_sentence(matching):
    rng = random.Random(5)

    def seconds(tokens):
        sides = [[[rng.choice(["O", "B-A", "I-A", "B-B", "I-B"]) for _ in range(tokens)]] for _ in range(2)]
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            spanrs.score(*sides, matcher=spanrs.Partial(matching=matching), scheme="BIO")
            times.append(time.perf_counter() - begin)
        return min(times)

    # The square would be 64 times.
    assert seconds(80_000) < 30 * seconds(10_000)


def test_ids_are_taken_as_for_scores():
    names = ["O", "B-A", "I-A"]
    gold, pred = np.array([[1, 2, 0], [0, 1, 1]]), np.array([[1, 0, 0], [0, 1, 1]])
    rows = [["B-A", "I-A", "O"], ["O", "B-A"]], [["B-A", "O", "O"], ["O", "B-A"]]
    expected = spanrs.score(*rows, matcher="partial", scheme="BIO")
    options = {"scheme": "BIO", "vocabulary": names}
    mask = np.array([[True] * 3, [True, True, False]])
    for result in (
        spanrs.score(gold, pred, matcher="partial", lengths=[3, 2], **options),
        spanrs.score(gold, pred, matcher="partial", mask=mask, **options),
        spanrs.score(*(pa.array(side) for side in rows), matcher="partial", scheme="BIO"),
    ):
        assert result.to_dict() == expected.to_dict()
