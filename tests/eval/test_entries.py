"""Entries of error lists: overlapping spans of a sentence are one entry."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest

import spanrs
from spanrs.eval.entries import entries, entry, error_outcome, overlapping
from spanrs.eval.evidence import Detail
from spanrs.eval.matchers import Fair
from spanrs.io import Annotation, Document
from spanrs.tags.types import Span

GOLD = [["B-A", "I-A", "O", "B-B"], ["O", "B-A", "I-A", "I-A"]]
PRED = [["O", "B-A", "O", "B-C"], ["B-A", "I-A", "O", "B-B"]]
TOKENS = [["w", "x", "y", "z"], ["a", "b", "c", "d"]]


def errors_of(gold, pred, **options):
    return list(map(error_outcome, spanrs.score(gold, pred, scheme="BIO", errors=True, **options).errors))


def groups_of(gold, pred, **options):
    return [[outcome.kind for outcome in group] for group in overlapping(errors_of(gold, pred, **options))]


def detail(kind, start, end, *, sentence=0, path=None, side="gold"):
    span = Span("T", start, end)
    gold, pred = (span, None) if side == "gold" else (None, span)
    return error_outcome(Detail(kind, sentence, gold, pred, path=path))


def test_a_boundary_error_is_one_entry_with_both_marks():
    first, second, third = (entry(group) for group in overlapping(errors_of(GOLD, PRED, tokens=TOKENS)))
    assert first.kinds == ["missed", "spurious"]
    assert [(m.side, m.type, m.start, m.end, m.kind) for m in first.marks] == [
        ("gold", "A", 0, 2, "missed"),
        ("pred", "A", 1, 2, "spurious"),
    ]
    assert first.tokens == ("w", "x", "y", "z")
    # Equal bounds with another type are one error.
    assert second.kinds == ("mistyped",)
    # A chain: the gold span overlaps both pred spans. Gold comes first, though pred begins earlier.
    assert third.kinds == ["missed", "spurious", "spurious"]
    assert [mark.side for mark in third.marks] == ["gold", "pred", "pred"]


def test_spans_that_touch_or_are_elsewhere_have_entries_of_their_own():
    outcomes = [
        detail("missed", 0, 2),
        detail("spurious", 2, 4, side="pred"),
        detail("spurious", 0, 2, sentence=1, side="pred"),
        detail("missed", 0, 2, path="a"),
        detail("spurious", 1, 3, path="b", side="pred"),
        # Empty spans have one position.
        detail("spurious", 5, 5, side="pred"),
        detail("missed", 4, 6),
    ]
    groups = [[outcomes.index(outcome) for outcome in group] for group in overlapping(outcomes)]
    assert groups == [[0], [1], [2], [3], [4], [6, 5]]


def test_other_matchers_keep_their_pairs_and_add_what_overlaps_them():
    gold, pred = [["B-A", "I-A", "I-A", "O"]], [["B-A", "O", "B-A", "I-A"]]
    # Of two overlapping pred spans, one is paired.
    assert sorted(map(len, groups_of(gold, pred, matcher="partial"))) == [2]
    [group] = overlapping(errors_of(gold, pred, matcher=Fair()))
    # The gold span is in both pairs, but it is marked once.
    assert sorted(outcome.kind for outcome in group) == ["beo", "bes"]
    assert [mark.side for mark in entry(group).marks] == ["gold", "pred", "pred"]


def brute_force(outcomes):
    """Connect overlapping outcomes pairwise."""
    groups = [{at} for at in range(len(outcomes))]
    bounds = [(o.error.sentence, o.marks[0].start, o.marks[0].end) for o in outcomes]
    for a, (sentence, start, end) in enumerate(bounds):
        for b, (other, begin, stop) in enumerate(bounds):
            if sentence == other and start < stop and begin < end and groups[a] is not groups[b]:
                whole = groups[a] | groups[b]
                for at in whole:
                    groups[at] = whole
    return {frozenset(group) for group in groups}


@pytest.mark.parametrize("seed", range(30))
def test_groups_are_the_connected_components(seed):
    rng = random.Random(seed)
    outcomes = []
    for _ in range(40):
        start = rng.randrange(60)
        side = rng.choice(["gold", "pred"])
        outcomes.append(
            detail(side, start, start + rng.randint(1, 6), sentence=rng.randrange(3), side=side)
        )
    places = {id(outcome): at for at, outcome in enumerate(outcomes)}
    groups = [[places[id(outcome)] for outcome in group] for group in overlapping(outcomes)]
    assert {frozenset(group) for group in groups} == brute_force(outcomes)
    # Groups keep the order of their first outcomes.
    assert [min(group) for group in groups] == sorted(min(group) for group in groups)


def test_no_error_is_lost_and_many_errors_are_grouped_in_time():
    outcomes = [
        detail("missed" if at % 2 else "spurious", at % 10 * 2, at % 10 * 2 + 3, sentence=at // 20)
        for at in range(200_000)
    ]
    start = time.monotonic()
    groups = overlapping(outcomes)
    assert time.monotonic() - start < 10
    assert sum(map(len, groups)) == len(outcomes)
    assert len(groups) == 10_000


def test_one_long_chain_is_grouped_in_time():
    outcomes = [detail("missed", at, at + 2) for at in range(50_000)]
    start = time.monotonic()
    [group] = overlapping(outcomes)
    assert len(entry(group).marks) == 50_000
    assert time.monotonic() - start < 10


def test_entries_of_rare_kinds_are_kept():
    outcomes = [detail("missed", 4 * at, 4 * at + 2) for at in range(100)]
    outcomes += [detail("spurious", 4 * at + 1, 4 * at + 3, side="pred") for at in range(3)]
    numbers = Counter(outcome.kind for outcome in outcomes)
    shown = entries(outcomes, lambda outcome: (numbers[outcome.kind], outcome.kind), 10)
    assert len(shown) == 10
    assert Counter(tuple(example.kinds) for example in shown) == {("missed",): 7, ("missed", "spurious"): 3}
    # The most frequent kinds come first.
    assert [len(example.kinds) for example in shown] == [1] * 7 + [2] * 3


def test_the_tokens_of_an_entry_are_those_of_its_errors():
    gold = [["O"] * 12 + ["B-A", "I-A"] + ["O"] * 30]
    pred = [["O"] * 13 + ["B-A"] + ["I-A"] * 9 + ["O"] * 21]
    tokens = [[f"w{at}" for at in range(44)]]
    [group] = overlapping(errors_of(gold, pred, tokens=tokens))
    shown = entry(group)
    assert shown.first == 4
    assert list(shown.tokens) == tokens[0][4:31]
    assert (shown.sentence_tokens, shown.starts) == (44, ())


def test_without_tokens_an_entry_has_token_numbers():
    [group] = overlapping(errors_of([["B-A", "I-A", "O"]], [["O", "B-A", "I-A"]]))
    assert (entry(group).first, entry(group).tokens) == (0, ("[1]", "[2]", "[3]"))


def test_texts_of_documents_are_split_at_the_bounds_of_spans():
    text = "In New York City."
    gold = [Document(text, [Annotation("LOC", 3, 11)], "d")]
    pred = [Document(text, [Annotation("LOC", 7, 16)], "d")]
    result = spanrs.score(gold, pred, errors=True)
    [group] = overlapping(list(map(error_outcome, result.errors)))
    shown = entry(group)
    assert shown.tokens == ("In ", "New ", "York", " ", "City", ".")
    assert shown.starts == (0, 3, 7, 11, 12, 16)
    assert "".join(shown.tokens) == text
    assert shown.document == "d"
