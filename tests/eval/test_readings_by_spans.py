"""Every reading counts the spans of `tags_to_spans`, also for unusual tags."""

from __future__ import annotations

import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanrs
from spanrs import tags

READINGS = ["conlleval", "strict", "discard", "seqeval"]
SCHEMES = ["IOB", "BIO", "IOE2", "IOBES"]
#: A type only, a prefix only, a tag without a type, and one with only a suffix.
TAGS = ["O", "B-A", "I-A", "E-A", "S-A", "B-C", "I-C", "M", ".", "I", "B"]


def scores(gold: list[str], pred: list[str], scheme: str, reading: str) -> tuple[float, float, int]:
    """Precision, recall and support of the spans of both sides."""
    gold_spans, pred_spans = (
        Counter((s.type, s.start, s.end) for s in tags.tags_to_spans(side, scheme, reading))
        for side in (gold, pred)
    )
    shared = (gold_spans & pred_spans).total()
    return shared / max(pred_spans.total(), 1), shared / max(gold_spans.total(), 1), gold_spans.total()


def check(gold: list[str], pred: list[str], scheme: str, reading: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", spanrs.SpanrsWarning)
        micro = spanrs.score([gold], [pred], scheme=scheme, reading=reading).micro
    assert (micro.precision, micro.recall, micro.support) == scores(gold, pred, scheme, reading)


@pytest.mark.parametrize("end", [["M", "B-C"], [".", "I", "O"]])
def test_seqeval_keeps_a_begin_after_an_outside_tag(end):
    check(["B-A", "I-A", "O", *end], ["O", "B-A", "O", *end], "BIO", "seqeval")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("reading", READINGS)
@given(st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(TAGS)), max_size=12), st.booleans())
def test_the_counts_are_those_of_the_spans(scheme, reading, pairs, mostly_equal):
    gold = [g for g, _ in pairs]
    pred = [g if mostly_equal and at % 3 else p for at, (g, p) in enumerate(pairs)]
    check(gold, pred, scheme, reading)
