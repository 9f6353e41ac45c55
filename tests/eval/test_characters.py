"""Masks: leaked, mistyped and over-masked characters, and gold spans that pred spans cover together."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs
from spanrs.errors import SchemeError
from spanrs.eval.counted_text import CountedText
from spanrs.eval.mask_tables import mask_row, mask_table
from spanrs.io import Annotation, Document

TYPES = ("A", "B", "C")
SPANS = st.lists(
    st.tuples(st.sampled_from(TYPES), st.integers(0, 12), st.integers(1, 7)).map(
        lambda span: (span[0], span[1], span[1] + span[2])
    ),
    max_size=6,
)
ALL = spanrs.Characters(count="all")


def covered(spans, name=None):
    """Return the positions that spans cover, of one type or of all types."""
    return {at for ty, start, end, *_ in spans for at in range(start, end) if name in (None, ty)}


@given(st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=4))
@settings(max_examples=200, deadline=None)
def test_characters_are_counted_as_sets(pairs):
    golds, preds = [gold for gold, _ in pairs], [pred for _, pred in pairs]
    result = spanrs.score(golds, preds, matcher=ALL)
    masked = Counter()
    for gold, pred in pairs:
        left, right = covered(gold), covered(pred)
        masked.update(match=len(left & right), leaked=len(left - right), over_masked=len(right - left))
    assert result["masked"].outcomes == {name: masked[name] for name in ("match", "leaked", "over_masked")}
    for name in TYPES:
        sides = [(covered(gold, name), covered(pred, name), gold, pred) for gold, pred in pairs]
        row = mask_row(result, "characters", [name])
        assert row.gold == sum(len(left) for left, *_ in sides)
        assert row.tp == sum(len(left & right) for left, right, *_ in sides)
        assert row.tp + row.fp == sum(len(right) for _, right, *_ in sides)
        assert row.leaked == sum(len(left - covered(pred)) for left, _, _, pred in sides)
        assert row.over_masked == sum(len(right - covered(gold)) for _, right, gold, _ in sides)
        assert row.mistyped == row.gold - row.tp - row.leaked


@given(SPANS, SPANS, st.sampled_from([0.3, 0.61, 0.9, 1.0]))
@settings(max_examples=200, deadline=None)
def test_spans_are_covered_together(gold, pred, threshold):
    outcomes = spanrs.score(
        [gold], [pred], matcher=spanrs.Characters(iou_threshold=threshold, count="all")
    )["spans"].outcomes

    def covers(span, name):
        own = covered([span])
        together = [other for other in pred if other[0] == name and own & covered([other])]
        union = covered(together)
        return bool(union) and len(own & union) / len(own | union) >= threshold

    assert outcomes["match"] == sum(covers(span, span[0]) for span in gold)
    other = [
        not covers(span, span[0]) and any(covers(span, name) for name in TYPES if name != span[0])
        for span in gold
    ]
    assert outcomes["mistyped"] == sum(other)
    assert outcomes["missed"] == len(gold) - outcomes["match"] - outcomes["mistyped"]
    near = [{p[0] for p in pred if covered([span]) & covered([p])} for span in gold]
    away = [p for p in pred if not covered([p]) & covered(gold)]
    assert (
        outcomes["spurious"] == sum(map(len, near)) + len(away) - outcomes["match"] - outcomes["mistyped"]
    )


def test_nested_spans_and_gaps_count_a_character_once_for_each_type():
    gold = [[("A", 0, 10), ("A", 2, 4), ("B", 3, 5)]]
    pred = [[("A", 0, 6, [0, 1, 5])]]
    result = spanrs.score(gold, pred, matcher=ALL)
    assert result.outcomes == {
        "match": 3,
        "mistyped": 0,
        "leaked": 9,
        "over_masked": 0,
        "missed_type": 0,
        "extra_type": 0,
    }
    assert result["masked"].outcomes == {"match": 3, "leaked": 7, "over_masked": 0}
    both = spanrs.score([[("A", 0, 4), ("B", 0, 4)]], [[("A", 0, 4)]], matcher=ALL)
    assert both.outcomes["missed_type"] == 4
    assert both["masked"].micro.recall == 1.0


TEXT = "Dr. Eva Ode, 5 High St. (eva@ode.org)"


def document(*spans, text=TEXT, name="one"):
    """Return a document with spans given by their text."""
    annotations = [Annotation(ty, text.index(part), text.index(part) + len(part)) for ty, part in spans]
    return Document(text, annotations, id=name)


def test_white_space_and_punctuation_at_the_ends_of_words_leak_nothing():
    gold = [document(("NAME", "Dr. Eva Ode,"), ("MAIL", "(eva@ode.org)"))]
    pred = [document(("NAME", "Eva"), ("NAME", "Ode"), ("MAIL", "eva@ode.org"))]
    result = spanrs.score(gold, pred, matcher="characters")
    assert result.settings["unit"] == "characters"
    assert result["masked"].outcomes == {"match": 17, "leaked": 2, "over_masked": 0}
    skipping = spanrs.Characters(skip=["DR."])
    skipped = spanrs.score(gold, pred, matcher=skipping)
    assert skipped["masked"].outcomes == {"match": 17, "leaked": 0, "over_masked": 0}
    assert skipped["spans"].outcomes["match"] == 2
    everything = spanrs.score(gold, pred, matcher=ALL)
    assert everything["masked"].outcomes["leaked"] == len("Dr. ") + len(" ") + len(",") + len("()")


@given(st.text(alphabet="aB1 .,-@\n", max_size=30), st.sampled_from([(), ("b1",), ("a", "-")]))
def test_numbers_and_offsets_of_counted_characters_agree(text, skip):
    counted = CountedText(text, skip)
    numbers = [counted.number(at) for at in range(len(text) + 1)]
    counts = [at for at in range(len(text)) if numbers[at + 1] > numbers[at]]
    assert numbers[0] == 0
    assert numbers[-1] == len(counts)
    assert [counted.offset(number) for number in range(len(counts))] == counts
    assert not any(text[at].isspace() for at in counts)
    # Letters and digits count, unless they are in a skipped word.
    if not skip:
        assert all(at in counts for at, character in enumerate(text) if character.isalnum())


def test_errors_are_fragments_with_their_context_leaks_first():
    gold = [document(("NAME", "Eva Ode"), ("STREET", "5 High St."))]
    pred = [document(("NAME", "Eva"), ("CITY", "High St."), ("MAIL", "eva@ode.org"))]
    result = spanrs.score(gold, pred, matcher="characters", errors=True)
    listed = [
        (error.outcome, TEXT[slice(*span[1:3])])
        for error in result.errors.by_frequency()
        for span in [error.gold or error.pred]
    ]
    assert listed == [
        ("leaked", "Ode"),
        ("leaked", "5"),
        ("mistyped", "High St"),
        ("over_masked", "eva@ode.org"),
    ]
    assert all(TEXT[e.first : e.first + len(e.tokens[0])] == e.tokens[0] for e in result.errors)
    assert result.errors.outcomes == {"leaked": 2, "mistyped": 1, "over_masked": 1}


def test_the_page_shows_leaks_in_context_and_escapes_texts():
    pytest.importorskip("jinja2")
    text = "Mail <script>alert(1)</script> Eva Ode & more"
    gold, pred = document(("NAME", "Eva Ode"), text=text), document(("NAME", "Ode"), text=text)
    result = spanrs.score([gold], [pred], matcher="characters", errors=True, by="document")
    page = result.to_html()
    assert "Leaked characters" in page
    assert "Leaks and other errors" in page
    assert "<script>alert" not in page
    assert "\\u003cscript\\u003ealert(1)" in page


HIERARCHY = {"GIVEN": "PERSON", "FAMILY": "PERSON", "PERSON": "PII"}


def test_a_hierarchy_sums_children_and_compares_at_a_level():
    gold = [[("GIVEN", 0, 3), ("FAMILY", 4, 9), ("CITY", 10, 14)]]
    pred = [[("GIVEN", 0, 9), ("PERSON", 10, 12)]]
    leaves = spanrs.score(gold, pred, matcher=spanrs.Characters(hierarchy=HIERARCHY))
    assert leaves.outcomes["mistyped"] == 5 + 2
    person = mask_row(leaves, "characters", ["GIVEN", "FAMILY", "PERSON"])
    assert (person.gold, person.tp, person.leaked, person.over_masked) == (8, 8, 0, 1)
    rows = {row[0].strip(): row for row in mask_table(leaves).rows if row}
    assert list(rows)[:5] == ["CITY", "PII", "PERSON", "FAMILY", "GIVEN"]
    assert [rows["PERSON"][at] for at in (1, 2, 4)] == ["8", "0", "0"]
    at_level = spanrs.score(gold, pred, matcher=spanrs.Characters(hierarchy=HIERARCHY, level=1))
    renamed = [
        [
            (HIERARCHY.get(ty, ty) if ty in ("GIVEN", "FAMILY") else ty, start, end)
            for ty, start, end in side
        ]
        for side in (gold[0], pred[0])
    ]
    assert at_level.outcomes == spanrs.score([renamed[0]], [renamed[1]], matcher=ALL).outcomes
    assert at_level.outcomes["match"] == 8
    root = spanrs.score(gold, pred, matcher=spanrs.Characters(hierarchy=HIERARCHY, level=0))
    assert set(root.per_type) == {"CITY", "PII"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"beta": 0}, ValueError, "beta must be a number above 0"),
        ({"beta": float("nan")}, ValueError, "beta"),
        ({"beta": "2"}, TypeError, "beta must be a number, not str"),
        ({"iou_threshold": 0}, ValueError, "iou_threshold"),
        ({"iou_threshold": 1.1}, ValueError, "at most 1, not 1.1"),
        ({"skip": "the"}, TypeError, r"pass \['the'\]"),
        ({"skip": ["New York"]}, ValueError, "single words"),
        ({"skip": [3]}, TypeError, "words as str, not int"),
        ({"count": "letters"}, ValueError, "expected one of words, all"),
        ({"hierarchy": {"A": "B", "B": "A"}}, ValueError, "cycle: A -> B -> A"),
        ({"hierarchy": {"A": "A"}}, ValueError, "cycle: A -> A"),
        ({"hierarchy": {"A": ["B"]}}, TypeError, "both str"),
        ({"hierarchy": {"A": ""}}, ValueError, "empty name"),
        ({"hierarchy": ["A"]}, TypeError, "mapping of each type"),
        ({"level": 1}, ValueError, "pass hierarchy="),
        ({"hierarchy": {"A": "B"}, "level": 2}, ValueError, "from 0 to 1"),
        ({"hierarchy": {"A": "B"}, "level": -1}, ValueError, "level"),
        ({"hierarchy": {"A": "B"}, "level": True}, TypeError, "level"),
    ],
)
def test_impossible_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        spanrs.Characters(**options)


def test_options_that_need_texts_or_spans_are_refused_without_them():
    tags = [["B-A", "O"]]
    leveled = spanrs.Characters(hierarchy={"A": "B"}, level=0)
    with pytest.raises(ValueError, match="level= cannot be used with sentences in memory"):
        spanrs.score(tags, tags, matcher=leveled)
    with pytest.raises(ValueError, match="skip= cannot be used with sentences in memory"):
        spanrs.score([[("A", 0, 1)]], [[]], matcher=spanrs.Characters(skip=["the"]))
    with pytest.raises(ValueError, match="skip= cannot be used"):
        spanrs.Scorer(matcher=spanrs.Characters(skip=["the"])).update([[("A", 0, 1)]], [[]])
    scorer = spanrs.Scorer(matcher=leveled)
    scorer.update([[("A", 0, 2)]], [[("B", 0, 2)]])
    assert scorer.result().micro.f1 == 1.0


def test_long_stacks_of_types_are_limited_or_counted():
    # Each of many nested spans has a type of its own: the work is proportional to bounds times types.
    spans = [(f"T{at}", at, 4000 - at) for at in range(1000)]
    result = spanrs.score([spans], [spans], matcher=ALL)
    assert result.micro.f1 == 1.0
    assert result.totals.tp == sum(4000 - 2 * at for at in range(1000))


def test_tags_are_counted_in_tokens_and_equal_sentences_count():
    gold = [["B-A", "I-A", "O"], ["B-A", "I-A", "I-A"]]
    pred = [["B-A", "O", "O"], ["B-A", "I-A", "I-A"]]
    result = spanrs.score(gold, pred, matcher="characters", by="sentence")
    assert (result.outcomes["match"], result.outcomes["leaked"]) == (4, 1)
    assert result.settings["unit"] == "tokens"
    assert [row.outcomes["match"] for row in result.documents] == [1, 3]
    spans = [[("A", 0, 2)], [("A", 0, 3)]], [[("A", 0, 1)], [("A", 0, 3)]]
    assert spanrs.score(*spans, matcher="characters").outcomes == result.outcomes


def test_results_are_stored_merged_resampled_and_compared():
    rng = random.Random(5)

    def side():
        return [
            [(rng.choice(TYPES), start, start + rng.randint(1, 9)) for start in range(0, 40, 10)]
            for _ in range(30)
        ]

    gold, preds = side(), {"one": side(), "two": side()}
    matcher = spanrs.Characters(beta=1.5, hierarchy={"A": "B"})
    result = spanrs.score(gold, preds["one"], matcher=matcher, by=[1] * 30)
    assert spanrs.Result.from_bytes(result.to_bytes()) == result
    halves = [
        spanrs.score(gold[part], preds["one"][part], matcher=matcher, by=[1] * 15)
        for part in (slice(0, 15), slice(15, 30))
    ]
    assert halves[0].merge(halves[1]).outcomes == result.outcomes
    drawn = result.bootstrap(samples=50)
    low, high = drawn.interval(spanrs.eval.Measure())
    assert low < result.micro.f1 < high
    compared = spanrs.compare(gold, preds, matcher=matcher, by=[1] * 30, samples=100)
    assert set(compared.results) == {"one", "two"}
    other = spanrs.score(gold, preds["one"], matcher="characters", by=[1] * 30)
    with pytest.raises(SchemeError, match="different settings"):
        result.merge(other)
    assert mask_row(result, "characters").f(1.5) == pytest.approx(result.micro.f(1.5))
    assert np.isclose(result.micro.f(1), result.micro.f1)


def test_alignment_by_characters_counts_characters_of_differing_tokens(tmp_path):
    (tmp_path / "gold.conll").write_text("Eva B-NAME\nOde-Lind I-NAME\nis O\nhere O\n\n")
    (tmp_path / "pred.conll").write_text("Eva B-NAME\nOde O\n- O\nLind B-NAME\nis B-NAME\nhere O\n\n")
    result = spanrs.score(
        str(tmp_path / "gold.conll"), str(tmp_path / "pred.conll"), matcher="characters", align="characters"
    )
    assert result.settings["unit"] == "characters"
    assert result["masked"].outcomes == {"match": 7, "leaked": 4, "over_masked": 2}
