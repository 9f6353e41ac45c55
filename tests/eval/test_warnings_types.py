"""A type with different names in gold and pred is reported."""

from __future__ import annotations

import pytest

import spanrs


def warnings_of(gold, pred, **options):
    return spanrs.score(gold, pred, **options).warnings


def corpus(*tags):
    return [[f"B-{tag}", "O"] for tag in tags]


GOLD = corpus(*["PER"] * 8, *["LOC"] * 8)


def test_another_name_of_a_type_is_reported():
    pred = corpus(*["person"] * 7, "LOC", *["LOC"] * 8)
    [warning] = warnings_of(GOLD, pred)
    assert warning == (
        "the type person occurs only in pred and PER only in gold, often with equal bounds; if they are the same, "
        "pass --map person=PER or call with_types({'person': 'PER'}) of the result"
    )


@pytest.mark.parametrize(
    "pred",
    [
        # The type of pred is also in gold.
        corpus(*["LOC"] * 16),
        # Few spans.
        corpus(*["PER"] * 4, *["person"] * 4, *["LOC"] * 8),
        # A type that is two types of gold.
        corpus(*["person"] * 16),
        # The bounds differ.
        [["O", "B-person"]] * 8 + corpus(*["LOC"] * 8),
    ],
)
def test_other_types_are_not_reported(pred):
    assert not [warning for warning in warnings_of(GOLD, pred) if "--map" in warning]


def test_the_advice_removes_the_warning():
    pred = corpus(*["person"] * 8, *["LOC"] * 8)
    assert spanrs.score(GOLD, pred).with_types({"person": "PER"}).warnings == []
