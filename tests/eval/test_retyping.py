"""Views of counts compared with their definitions: types, boundaries only, documents, weights."""

from __future__ import annotations

import json
import math
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import brute
import spanrs
from spanrs.errors import AlignmentError, SchemeError
from weird import tags as any_tag

NAMES = ["O", "O", "B-A", "I-A", "B-B", "I-B", "B-C", "I-C"]
TOKENS = st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.booleans())
#: A token is a gold tag, a pred tag, and whether pred equals gold.
SENTENCES = st.lists(TOKENS, max_size=8).map(
    lambda row: ([g for g, _, _ in row], [g if same else p for g, p, same in row])
)
DOCUMENTS = st.lists(st.lists(SENTENCES, min_size=1, max_size=3), min_size=1, max_size=5)
WEIGHTS = st.one_of(st.integers(0, 5), st.sampled_from([0.0, 0.5, 0.25, 2.0, 0.1, 1 / 3]))
RENAMES = st.dictionaries(st.sampled_from("ABCX"), st.one_of(st.none(), st.sampled_from("ABCD")))


def flat(documents):
    """gold, pred, and the sentences of each document."""
    pairs = [pair for document in documents for pair in document]
    return [g for g, _ in pairs], [p for _, p in pairs], [len(document) for document in documents]


def agrees(result, expected):
    """All content of a result matches the definition."""
    close = {"rel": 1e-12, "abs": 1e-12}
    assert list(result.per_type) == expected.types()
    for name, score in result.per_type.items():
        assert result.per_type.totals[name] == pytest.approx(expected.row(name), **close)
        assert (score.precision, score.recall, score.f1) == pytest.approx(
            brute.measures(*expected.row(name)), **close
        )
        assert score.support == pytest.approx(expected.gold[name], **close)
    assert result.totals == pytest.approx(expected.total(), **close)
    supports = [expected.gold[name] for name in expected.types()]
    for score, wanted in (
        (result.micro, brute.measures(*expected.total())),
        (result.macro, brute.mean(expected, [1] * len(supports))),
        (result.weighted, brute.mean(expected, supports)),
    ):
        assert (score.precision, score.recall, score.f1) == pytest.approx(wanted, **close)
    assert result.sentences == pytest.approx(expected.sentences, **close)
    assert result.tokens == pytest.approx(expected.tokens, **close)
    accuracy = expected.correct / expected.tokens if expected.tokens else 0
    assert result.accuracy == pytest.approx(accuracy, **close)
    wanted = brute.confusion(expected)
    for name, row in wanted.items():
        assert {item: result.confusion[name][item] for item in wanted} == pytest.approx(row, **close)
    # Types that do not occur are not included.
    assert all(n and gold in wanted and pred in wanted for gold, pred, n in result.confusion.triples())
    assert len(result.confusion.triples()) == sum(len(row) for row in result.confusion.values())
    assert json.loads(result.to_json())["sentences"] == result.sentences


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, RENAMES)
def test_a_map_of_types_is_as_if_spans_had_them(documents, types):
    gold, pred, sizes = flat(documents)
    result = spanrs.score(gold, pred, scheme="BIO", by=sizes)
    rename = lambda name: types.get(name, name)  # noqa: E731
    view = result.with_types(types)
    agrees(view, brute.score(documents, rename=rename))
    for row, document in zip(view.documents, documents, strict=True):
        assert row.totals == brute.score([document], rename=rename).total()
    assert view.violations == result.violations


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.sets(st.sampled_from("ABCX")), st.sampled_from([set, list, tuple, iter]))
def test_types_to_keep_are_all_there_are(documents, kept, kind):
    gold, pred, _ = flat(documents)
    result = spanrs.score(gold, pred, scheme="BIO").with_types(kind(sorted(kept)))
    agrees(result, brute.score(documents, rename=lambda name: name if name in kept else None))
    assert f"|types:{','.join(sorted(kept)) or '[]'}|" in result.signature


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS)
def test_types_merged_into_one_match_each_other(documents):
    gold, pred, _ = flat(documents)
    result = spanrs.score(gold, pred, scheme="BIO")
    merged = result.with_types({"A": "X", "B": "X", "C": "X"})
    expected = brute.score(documents, rename=lambda _: "X")
    agrees(merged, expected)
    # Without types only boundaries are compared.
    assert merged.totals == result.untyped.totals == expected.total()
    assert merged.micro == result.untyped.micro


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.tuples(any_tag("BIOES"), any_tag("BIOES")), max_size=8), max_size=5))
def test_bounds_alone_are_the_criterion_bounds_of_partial_matching(pairs):
    gold, pred = ([[pair[side] for pair in row] for row in pairs] for side in (0, 1))
    result = spanrs.score(gold, pred, scheme="IOBES")
    bounds = spanrs.score(gold, pred, matcher="partial", scheme="IOBES")["bounds"]
    untyped = result.untyped.micro
    assert (untyped.precision, untyped.recall) == (bounds.micro.precision, bounds.micro.recall)
    assert untyped.f1 == pytest.approx(bounds.micro.f1, abs=1e-15)
    assert result.untyped.totals.tp == bounds.outcomes["correct"]
    assert untyped.support == result.micro.support


@settings(max_examples=150, deadline=None)
@given(DOCUMENTS, st.data(), st.sampled_from([list, np.array]))
def test_weights_say_how_often_a_document_counts(documents, data, kind):
    weights = data.draw(st.lists(WEIGHTS, min_size=len(documents), max_size=len(documents)))
    gold, pred, sizes = flat(documents)
    result = spanrs.score(gold, pred, scheme="BIO", by=sizes, document_weights=kind(weights))
    agrees(result, brute.score(documents, weights))
    assert "|document_weights:given|" in result.signature
    plain = spanrs.score(gold, pred, scheme="BIO", by=sizes)
    assert plain.documents == result.documents
    assert plain.with_document_weights(weights).to_dict() == result.to_dict()
    # The order of types and weights only affects the signature.
    types = {"A": "B", "C": None}
    first, second = (
        plain.with_types(types).with_document_weights(weights),
        plain.with_document_weights(weights).with_types(types),
    )
    for name, counts in first.per_type.totals.items():
        assert counts == pytest.approx(second.per_type.totals[name])


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.data())
def test_whole_weights_are_repetitions(documents, data):
    weights = data.draw(st.lists(st.integers(0, 3), min_size=len(documents), max_size=len(documents)))
    gold, pred, sizes = flat(documents)
    again = [document for document, n in zip(documents, weights, strict=True) for _ in range(n)]
    repeated = spanrs.score(*flat(again)[:2], scheme="BIO").to_dict()
    weighed = spanrs.score(gold, pred, scheme="BIO", by=sizes, document_weights=weights).to_dict()
    for item in (repeated, weighed):
        for key in ("signature", "short_signature", "violations", "warnings", "documents"):
            item.pop(key, None)
    assert weighed == repeated
    assert all(isinstance(n, int) for n in weighed["counts"].values())


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, st.sampled_from(["BIO", "auto"]))
def test_documents_have_rows_of_their_own(documents, scheme):
    gold, pred, sizes = flat(documents)
    result = spanrs.score(gold, pred, scheme=scheme, by=iter(sizes))
    whole = spanrs.score(gold, pred, scheme=scheme)
    without = result.to_dict()
    rows = without.pop("documents")
    assert without == whole.to_dict()
    for row, document in zip(rows, documents, strict=True):
        expected = brute.score([document], scheme=result.settings["scheme"].replace("auto", "BIO"))
        assert tuple(row["counts"].values()) == expected.total()
        assert (row["sentences"], row["tokens"]) == (expected.sentences, expected.tokens)


def test_documents_are_cut_from_every_kind_of_input():
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    gold, pred = [["B-A", "O"], ["B-A", "I-A"], []], [["B-A", "O"], ["B-A", "O"], []]
    expected = spanrs.score(gold, pred, by=[1, 2]).to_dict()
    names = ["O", "B-A", "I-A"]
    ids = [np.array([names.index(tag) for row in side for tag in row]) for side in (gold, pred)]
    index = [0.5, 7, -3]
    strings = pd.ArrowDtype(pa.list_(pa.string()))
    forms = [
        ([gold, pred], {}),
        ([map(iter, gold), map(iter, pred)], {}),
        ([pa.array(gold), pa.array(pred)], {}),
        ([pa.chunked_array([pa.array(gold[:1]), pa.array(gold[1:])]), pa.array(pred)], {}),
        ([pl.Series(gold), pl.Series(pred)], {}),
        ([pl.Series(gold), pred], {}),
        ([pd.Series(gold, index=index), pd.Series(pred)], {}),
        ([pd.Series(gold, index=index, dtype=strings), pd.Series(pred, dtype=strings)], {}),
        (ids, {"vocabulary": names, "lengths": [2, 2, 0]}),
        ([np.append(side, -100).reshape(1, 5)[:, :4].reshape(2, 2) for side in ids], {"vocabulary": names}),
    ]
    *whole, (matrix, options) = forms
    for sides, more in whole:
        assert spanrs.score(*sides, by=[1, 2], **more).to_dict() == expected
    rows = spanrs.score(*matrix, by=[1, 1], **options).documents
    assert [row.totals for row in rows] == [(1, 0, 0), (0, 1, 1)]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1], "2 documents need 2 weights, not 1"),
        ([1, 1, 1], "2 documents need 2 weights, not 3"),
        ([1, -1], "from 0 to 1e\\+15, not -1"),
        ([1, math.nan], "not nan"),
        ([math.inf, 1], "not inf"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        spanrs.score([["B-A"], ["O"]], [["B-A"], ["O"]], document_weights=weights)


def test_without_documents_there_is_nothing_to_weigh():
    result = spanrs.score([["B-A"], ["O"]], [["B-A"], ["O"]])
    for weights in ([], [1]):
        with pytest.raises(ValueError, match="by="):
            result.with_document_weights(weights)
    assert spanrs.score([], [], document_weights=[]).tokens == 0


def test_fractions_are_printed_short():
    result = spanrs.score([["B-A"], ["B-A"]], [["B-A"], ["O"]], document_weights=[0.1, 0.2])
    assert "0.30" in str(result)
    assert "0.30000" not in str(result) + result._repr_html_()
    assert "of 0.30 tokens in 0.30 sentences" in str(result)


def test_later_weights_take_the_place_of_earlier_ones():
    result = spanrs.score([["B-A"], ["B-A"]], [["B-A"], ["O"]], document_weights=[1, 3])
    again = result.with_document_weights([1, 1])
    assert again.totals == (1, 0, 1)
    assert again.signature == result.signature


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        ([1], AlignmentError, "add up to 2, not 1, which add up to 1"),
        ([3], AlignmentError, "not 3"),
        ([2, 0], AlignmentError, "from 1 up"),
        ([3, -1], AlignmentError, "from 1 up"),
        ([], AlignmentError, "not none"),
        ([1] * 20, AlignmentError, r"1, \.\.\., which add up to 20"),
        ([1.5, 0.5], TypeError, "float"),
        ([True, 1], TypeError, "by must contain .* not bool"),
        (["a", None], TypeError, "by must contain .* item 1 is of type NoneType"),
    ],
)
def test_documents_that_do_not_fit_are_refused(documents, error, message):
    for sides in ([[["O"], ["O"]]] * 2, [np.zeros((2, 3), int)] * 2):
        vocabulary = None if isinstance(sides[0], list) else ["O"]
        with pytest.raises(error, match=message):
            spanrs.score(*sides, vocabulary=vocabulary, by=documents)


@pytest.mark.parametrize("column", [list, np.array, pd.Series, pl.Series, pa.array, iter])
@pytest.mark.parametrize("documents", [[1, 2], ["a", "b", "b"]])
def test_documents_are_given_by_any_sequence(column, documents):
    tags = [["B-A"], ["O"], ["O"]]
    rows = spanrs.score(tags, tags, by=column(documents)).documents
    assert [row.totals for row in rows] == [(1, 0, 0), (0, 0, 0)]


def test_errors_name_the_sentence_of_the_corpus_and_not_of_its_document():
    gold_ids, pred_ids = np.zeros((3, 2), int), np.array([[0, 0], [0, 0], [0, 7]])
    for scheme in ("BIO", "auto"):
        with pytest.raises(AlignmentError, match="sentence 2: gold has 2 tags, pred has 1") as caught:
            spanrs.score([["O"], ["O"], ["O", "O"]], [["O"]] * 3, scheme=scheme, by=[2, 1])
        assert caught.value.sentence == 2
        assert caught.value.__context__ is None or caught.value.__suppress_context__
        with pytest.raises(spanrs.errors.SchemeError, match="pred has id 7 at sentence 2, token 1"):
            spanrs.score(gold_ids, pred_ids, scheme=scheme, vocabulary=["O"], document_weights=[1, 1, 1])
    with pytest.raises(spanrs.errors.SchemeError, match="pred sentence 2, token 0"):
        spanrs.score(
            [["O"]] * 3, [["O"], ["O"], ["I-A"]], scheme="BIO", reading="refuse", document_weights=[1, 1, 1]
        )


def test_what_columns_cannot_do_beside_documents_is_said():
    import pyarrow as pa

    class Capsule:
        def __init__(self, column):
            self.column = column

        def __arrow_c_array__(self, requested_schema=None):
            return self.column.__arrow_c_array__(requested_schema)

    column, ids = pa.array([["O"], ["O"]]), np.zeros((2, 3), int)
    capsules = (Capsule(column), Capsule(column))
    expected = spanrs.score(column, column, by=[1, 1]).to_dict()
    assert spanrs.score(*capsules, by=[1, 1]).to_dict() == expected
    with pytest.raises(TypeError, match="need columns with a length, but Capsule has none"):
        spanrs.score(*capsules, document_weights=[1, 1])
    with pytest.raises(TypeError, match="use nulls for ignored tokens"):
        spanrs.score(column, column, mask=[[True]] * 2, by=[2])
    with pytest.raises(TypeError, match="pass vocabulary="):
        spanrs.score([["O"]], [["O"]], lengths=[1], by=[1])
    with pytest.raises(AlignmentError, match="gold has 2 sentences, pred has 1"):
        spanrs.score(column, column[:1], by=[2])
    with pytest.raises(AlignmentError, match="gold has 2 sentences, pred has 1"):
        spanrs.score([["O"]] * 2, [["O"]], by=[2])
    with pytest.raises(AlignmentError, match=r"gold is 2 by 3 \(sentences by tokens\), pred 1 by 3"):
        spanrs.score(ids, ids[:1], vocabulary=["O"], by=[2])
    for lengths, message in (
        ([2, 2], "lengths add up to 4, but there are 6 ids on each side"),
        ([7, -1], "sentence 1 has length -1; lengths are 0 or more"),
        ([6, 6], "lengths add up to 12, but there are 6 ids on each side"),
    ):
        with pytest.raises(AlignmentError, match=message):
            spanrs.score(ids.ravel(), ids.ravel(), vocabulary=["O"], lengths=lengths, by=[1, 1])


def test_a_view_has_no_details_of_other_types():
    result = spanrs.score([["B-B", "O"]], [["B-C", "B-A"]], scheme="BIO", details=True)
    outcomes = Counter(detail.outcome for detail in result.details["span"])
    assert outcomes == {"mistyped": 1, "missed": 1, "spurious": 2}
    view = result.with_types({"B": "C", "A": None})
    assert view.totals == (1, 0, 0)
    assert (view.details, view.errors) == (None, None)
    assert "details" not in view.to_dict()


def test_weights_go_with_columns_that_have_nulls():
    import polars as pl
    import pyarrow as pa

    gold, pred = pa.array([["B-A", None], ["O"]]), pa.array([["B-A", "O"], ["B-A"]])
    ids = pa.array([[1, None], [0]]), pa.array([[1, 0], [1]])
    for sides, more in (
        ((gold, pred), {}),
        ((pl.Series(gold), pl.Series(pred)), {}),
        (ids, {"vocabulary": ["O", "B-A"]}),
    ):
        for documents in ({}, {"by": [1, 1]}, {"by": ["first", "second"]}):
            result = spanrs.score(*sides, scheme="BIO", document_weights=[2, 3], **documents, **more)
            assert (result.totals, result.tokens, result.sentences) == ((2, 3, 0), 5, 5)
            assert [row.tokens for row in result.documents] == [1, 1]


def test_a_confusion_of_weights_holds_no_residues():
    gold, pred = [["B-A"]] * 3, [["B-B"], ["B-C"], ["B-D"]]
    result = spanrs.score(gold, pred, scheme="BIO", document_weights=[0.1, 0.2, 0.3])
    assert result.confusion.triples() == [("A", "B", 0.1), ("A", "C", 0.2), ("A", "D", 0.3)]


def test_one_str_is_no_collection_of_types():
    with pytest.raises(TypeError, match=r"pass \['PER'\]"):
        spanrs.score([["O"]], [["O"]]).with_types("PER")


def test_views_stay_in_the_signature_and_keep_results_apart():
    result = spanrs.score([["B-A"]], [["B-A"]], scheme="BIO")
    view = result.with_types({"A": "X", "B": None}).with_types(["X"])
    assert "|types:A=X,B=;X|version:" in view.signature
    assert (view.per_type.keys(), view.accuracy) == ({"X"}, 1)
    with pytest.raises(spanrs.SpanrsError, match="cannot be merged"):
        result.merge(view)
    assert view.merge(view).totals == (2, 0, 0)


def test_merged_weighed_results_number_sentences_by_what_was_read():
    first = spanrs.score([["O"], ["O"]], [["O"], ["O"]], scheme="BIO", document_weights=[0.5, 0.25])
    second = spanrs.score([["O"]], [["I-A"]], scheme="BIO", document_weights=[0.5])
    merged = first.merge(second).merge(second)
    assert [place.sentence for place in merged.violations["pred"].first] == [2, 3]
    assert merged.sentences == 1.75


def spans_of(names):
    """A sentence of spans, many of which have equal bounds; some have gaps."""
    bounds = st.sampled_from([(0, 1), (0, 2), (0, 3, (0, 2)), (0, 3)])
    span = st.builds(lambda ty, place: (ty, *place), st.sampled_from(names), bounds)
    return st.lists(span, max_size=5)


@given(
    st.lists(st.tuples(spans_of("ABC"), spans_of("ABC")), min_size=1, max_size=3),
    st.one_of(RENAMES, st.just({"A": "X", "B": "X", "C": "X"})),
)
@settings(max_examples=400, deadline=None)
def test_spans_of_equal_bounds_are_matched_again_or_refused(sentences, types):
    gold, pred = ([sides[at] for sides in sentences] for at in (0, 1))

    def renamed(side):
        names = [[(types.get(ty, ty), *place) for ty, *place in sentence] for sentence in side]
        return [[span for span in sentence if span[0] is not None] for sentence in names]

    result = spanrs.score(gold, pred)
    expected = spanrs.score(renamed(gold), renamed(pred))
    try:
        actual = result.with_types(types)
    except SchemeError:
        # Refused only where types are merged, and spans of equal bounds have several types.
        kept = {types.get(ty, ty) for ty in "ABC"} - {None}
        dropped = [ty for ty in "ABC" if types.get(ty, ty) is None]
        assert len(kept) < 3 - len(dropped)
        assert any(
            len(sentence) > len({tuple(place) for _, *place in sentence}) for sentence in gold + pred
        )
        return
    assert actual.per_type.totals == expected.per_type.totals


def test_types_of_several_spans_with_equal_bounds_are_not_merged():
    gold, pred = [[("A", 0, 1), ("B", 0, 1)]], [[("C", 0, 1)]]
    result = spanrs.score(gold, pred)
    for old in "AB":
        with pytest.raises(
            SchemeError, match=r"\(number of such groups: 1\).* merge the types before"
        ) as caught:
            result.with_types({old: "C"})
        assert caught.value.code == "rename"
    # These match no further spans, whatever is paired.
    assert result.with_types(["A", "C"]).totals == (0, 1, 1)
    assert result.with_types({"A": "D"}).totals == (0, 1, 2)
    assert result.with_types(dict.fromkeys("ABC", "D")).totals == (1, 0, 1)
    assert result.untyped.totals == (1, 0, 1)
    # Where everything of one side matched, nothing is paired.
    matched = spanrs.score(gold, [[("A", 0, 1)]])
    assert matched.with_types({"B": "A"}).totals == (1, 0, 1)
