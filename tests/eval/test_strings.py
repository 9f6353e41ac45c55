"""The matcher of strings, beside sums of multisets and sets."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs
from spanrs.errors import AlignmentError, SchemeError

pairs = st.tuples(
    st.sampled_from(["PER", "LOC"]), st.sampled_from(["Anna", "anna", "the Anna", "New  York", "東京"])
)
documents = st.lists(
    st.tuples(st.lists(pairs, max_size=5), st.lists(pairs, max_size=5)), min_size=1, max_size=5
)


def normalised(string, how):
    folded = " ".join(string.casefold().split())
    return {"none": string, "case": folded, "unicode": folded, "squad": folded.removeprefix("the ")}[how]


@settings(max_examples=60, deadline=None)
@given(
    documents, st.sampled_from(["multiset", "set"]), st.sampled_from(["none", "case", "unicode", "squad"])
)
def test_totals_are_those_of_multisets(rows, counting, normalization):
    matcher = spanrs.Strings(counting=counting, normalization=normalization)
    result = spanrs.score([gold for gold, _ in rows], [pred for _, pred in rows], matcher=matcher)
    tp = golds = preds = 0
    for sides in rows:
        gold, pred = (Counter((ty, normalised(s, normalization)) for ty, s in side) for side in sides)
        if counting == "set":
            gold, pred = Counter(set(gold)), Counter(set(pred))
        tp += (gold & pred).total()
        golds += gold.total()
        preds += pred.total()
    assert result.totals == (tp, preds - tp, golds - tp)


def test_documents_of_any_format_are_compared_by_their_strings():
    gold = [spanrs.Document("Anna met Ben.", [("PER", 0, 4), ("PER", 9, 12)], id="a")]
    # The text may differ: only strings are compared.
    pred = [spanrs.Document("Ben met Anna!", [("PER", 0, 3), ("ORG", 8, 12)], id="a")]
    result = spanrs.score(gold, pred, matcher="strings")
    assert result.totals == (1, 1, 1)
    assert result.confusion["PER"]["ORG"] == 1


def test_strings_of_sentences_or_of_documents(tmp_path):
    gold, pred = tmp_path / "gold.conll", tmp_path / "pred.conll"
    gold.write_text("Anna B-PER\n\nAnna O\n", encoding="utf-8")
    pred.write_text("Anna O\n\nAnna B-PER\n", encoding="utf-8")
    assert spanrs.score(gold, pred, matcher="strings").totals == (0, 1, 1)
    assert spanrs.score(gold, pred, matcher=spanrs.Strings(within="document")).totals == (1, 0, 0)
    pred.write_text("Anna O\n\nBen B-PER\n", encoding="utf-8")
    with pytest.raises(AlignmentError, match="sentence 1 of gold and pred differs"):
        spanrs.score(gold, pred, matcher="strings")


def test_errors_show_the_strings():
    result = spanrs.score([[("PER", "Anna")]], [[("PER", "Ben")]], matcher="strings", errors=True)
    shown = {(error.outcome, error.tokens) for error in result.errors.errors}
    assert {outcome for outcome, _ in shown} == {"missed", "spurious"}
    assert any("Ben" in "".join(tokens) for _, tokens in shown)


def test_counts_of_strings_and_of_spans_are_not_merged():
    documents = [spanrs.Document("Anna", [("PER", 0, 4)], id="a")]
    strings = spanrs.score(documents, documents, matcher="strings")
    with pytest.raises(SchemeError, match="different settings"):
        strings.merge(spanrs.score(documents, documents))
    assert strings.merge(strings).totals == (2, 0, 0)
    assert spanrs.Result.from_bytes(strings.to_bytes()) == strings
    assert "scheme" not in strings.signature


def test_names_are_checked():
    with pytest.raises(ValueError, match="counting must be one of multiset, set, not 'bag'"):
        spanrs.Strings(counting="bag")
    with pytest.raises(TypeError, match="the strings matcher compares texts"):
        spanrs.score(iter([]), iter([]), matcher="strings")
    with pytest.raises(TypeError, match="pairs of type and string"):
        spanrs.score([["B-PER"]], [["B-PER"]], matcher="strings")
