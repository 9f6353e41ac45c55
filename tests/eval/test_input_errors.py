"""Input that cannot be scored is refused, with the side, the sentence and the token."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError, SchemeError, SpanrsWarning

VOCABULARY = ["O", "B-A", "I-A"]
IDS = np.array([[0, 1, 2], [1, 0, 0]])


def changed(value, at=(1, 2), kind="i8"):
    ids = IDS.astype(kind)
    ids[at] = value
    return ids


def arrow(rows, kind=None):
    return pa.array(rows, None if kind is None else pa.list_(kind))


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@pytest.mark.parametrize("value", [3, 100, -1, 2**31, -(2**40), 2**63, 2**64 - 1])
def test_ids_outside_the_vocabulary_are_named(kind, value):
    limits = np.iinfo(kind)
    if not limits.min <= value <= limits.max:
        value = limits.max
    bad = changed(np.array(value, kind), kind=kind)
    offsets = [0, 3, 6]
    forms = [
        lambda ids: (ids, {}),
        lambda ids: (ids.ravel(), {"lengths": [3, 3]}),
        lambda ids: (ids, {"mask": np.ones((2, 3))}),
        lambda ids: (pa.ListArray.from_arrays(offsets, pa.array(ids.ravel())), {}),
        lambda ids: (pl.Series(ids.tolist(), dtype=pl.List(pl.Series(ids.ravel()).dtype)), {}),
    ]
    for form in forms:
        (good_side, options), (bad_side, _) = form(IDS.astype(kind)), form(bad)
        for reading in ("conlleval", "strict"):
            how = {"scheme": "BIO", "reading": reading, "vocabulary": VOCABULARY, **options}
            for scheme in ("BIO", "auto"):
                how["scheme"] = scheme
                where = "at sentence 1, token 2, (but the vocabulary has 3 tags|which is out of range)"
                with pytest.raises(SchemeError, match=rf"pred has id -?\d+ {where}") as caught:
                    spanrs.score(good_side, bad_side, **how)
                assert caught.value.code == "unknown_id"
                with pytest.raises(SchemeError, match=rf"gold has id -?\d+ {where}"):
                    spanrs.score(bad_side, good_side, **how)


def test_what_is_ignored_in_gold_does_not_excuse_other_tokens():
    gold = changed(-100)
    assert spanrs.score(gold, changed(77), vocabulary=VOCABULARY).tokens == 5
    with pytest.raises(SchemeError, match="pred has id -100 at sentence 1, token 2"):
        spanrs.score(IDS, gold, vocabulary=VOCABULARY)


@pytest.mark.parametrize(
    ("sides", "options", "message"),
    [
        ((IDS, IDS[:1]), {}, "gold is 2 by 3.*pred 1 by 3"),
        ((IDS, IDS.ravel()), {}, "gold is 2 by 3"),
        ((IDS[None], IDS[None]), {}, "1 or 2 dimensions"),
        ((IDS, IDS), {"mask": np.ones((2, 2))}, r"mask has the shape \(2, 2\), but gold has \(2, 3\)"),
        ((IDS, IDS), {"mask": [1, 1, 1]}, "mask has the shape"),
        ((IDS, IDS), {"mask": [[1], [1, 1]]}, "different lengths"),
        ((IDS, IDS), {"lengths": [3]}, "lengths must be 2 numbers from 0 to 3"),
        ((IDS, IDS), {"lengths": [3, 4]}, "from 0 to 3"),
        ((IDS, IDS), {"lengths": [3, -1]}, "from 0 to 3"),
        ((IDS.ravel(), IDS.ravel()), {"lengths": [3, 2]}, "lengths add up to 5, but there are 6 ids"),
        ((IDS.ravel(), IDS.ravel()), {"lengths": [7, -1]}, "sentence 1 has length -1"),
        (([[0], [0, 1]], [[0], [0, 1]]), {}, "different lengths; pad them with ignore_index"),
        ((IDS, [[0, 1, 2], [1]]), {}, "different lengths"),
        ((arrow([[0], [1]]), arrow([[0]])), {}, "gold has 2 sentences, pred has 1"),
        ((arrow([[0], [1]]), arrow([[0], [1, 1]])), {}, "sentence 1: gold has 1 tags, pred has 2"),
        ((arrow([[0], None]), arrow([[0], [1]])), {}, "sentence 1 of gold is null"),
        ((arrow([[0], [1]]), arrow([[0], None])), {}, "sentence 1 of pred is null"),
    ],
)
def test_shapes_that_differ(sides, options, message):
    with pytest.raises(AlignmentError, match=message):
        spanrs.score(*sides, vocabulary=VOCABULARY, **options)


def test_sentences_are_counted_through_the_chunks_of_a_column():
    gold = pa.chunked_array([[["O"]], [["O"], ["O", "O"]]])
    with pytest.raises(AlignmentError, match="sentence 2: gold has 2 tags, pred has 1") as caught:
        spanrs.score(gold, arrow([["O"], ["O"], ["O"]]))
    assert caught.value.sentence == 2
    with pytest.raises(SchemeError, match="pred has no tag at sentence 2, token 1"):
        spanrs.score(gold, pa.chunked_array([[["O"], ["O"]], [["O", None]]]))
    with pytest.raises(AlignmentError, match="sentence 2 of gold is null"):
        spanrs.score(pa.chunked_array([[["O"]], [["O"], None]]), gold)


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), "keys", "ids", "polars"]
)
def test_nulls_in_pred_are_named(kind):
    gold = [["O"], ["B-A", "I-A"]]
    pred = [["O"], ["B-A", None]]
    options = {}
    if kind == "ids":
        gold, pred = arrow([[0], [1, 2]]), arrow([[0], [1, None]])
        options = {"vocabulary": VOCABULARY}
    elif kind == "polars":
        gold, pred = pl.Series(gold), pl.Series(pred)
    elif kind == "keys":
        keys = pa.array(["O", "B-A", None]).dictionary_encode()
        gold, pred = arrow(gold), pa.ListArray.from_arrays([0, 1, 3], keys)
    else:
        gold, pred = arrow(gold, kind), arrow(pred, kind)
    for reading in ("conlleval", "strict"):
        for scheme in ("BIO", "auto"):
            where = "pred has no tag at sentence 1, token 1; a null in gold skips the token"
            with pytest.raises(SchemeError, match=where):
                spanrs.score(gold, pred, scheme=scheme, reading=reading, **options)
    # If gold also has one, the token is skipped on both sides.
    assert spanrs.score(pred, pred, scheme="BIO", **options).tokens == 2


@pytest.mark.parametrize("kind", [float, bool, str, object, "datetime64[s]", complex])
def test_arrays_that_hold_no_integers(kind):
    wrong = IDS.astype(kind)
    for options in ({}, {"mask": np.ones((2, 3), bool)}, {"lengths": [3, 3]}):
        with pytest.raises(TypeError, match="ids must be integers, but gold contains"):
            spanrs.score(wrong, IDS, vocabulary=VOCABULARY, **options)
        with pytest.raises(TypeError, match="ids must be integers, but pred contains"):
            spanrs.score(IDS, wrong, vocabulary=VOCABULARY, **options)


@pytest.mark.parametrize(
    ("column", "options", "message"),
    [
        (arrow([[1.5]]), {"vocabulary": VOCABULARY}, "lists of gold hold Float64"),
        (arrow([[True]]), {}, "lists of gold hold Boolean"),
        (arrow([[b"O"]]), {}, "lists of gold hold Binary"),
        (arrow([[["O"]]]), {}, "lists of gold hold List"),
        (arrow([["O"]]).flatten(), {}, "gold is an Arrow column of Utf8; it must be a list column"),
        (arrow([[0]]), {}, "gold is an Arrow column of integers; pass vocabulary="),
        (
            pa.StructArray.from_arrays([pa.array([["O"]])], ["gold"]),
            {},
            "gold is an Arrow column of Struct",
        ),
        (pl.DataFrame({"gold": [["O"]]}).to_struct("gold"), {}, "gold is an Arrow column of Struct"),
        (pl.Series(["O"]), {}, "it must be a list column"),
        (pa.array([["O"]], pa.list_view(pa.string())), {}, "it must be a list column"),
    ],
)
def test_columns_that_hold_no_sentences(column, options, message):
    with pytest.raises(TypeError, match=message):
        spanrs.score(column, column, **options)


def test_columns_that_are_arrow_alone_need_company():
    class Capsule:
        def __arrow_c_array__(self, requested_schema=None):
            return arrow([["O"]]).__arrow_c_array__(requested_schema)

    with pytest.raises(TypeError, match="Capsule can only be read as an Arrow column"):
        spanrs.score(Capsule(), [["O"]])
    with pytest.raises(TypeError, match="Capsule can only be read as an Arrow column"):
        spanrs.score([[0]], Capsule(), vocabulary=VOCABULARY)


@pytest.mark.parametrize(
    ("sides", "options", "message"),
    [
        (([["O"]], [["O"]]), {"lengths": [1]}, "pass vocabulary="),
        (([["O"]], [["O"]]), {"mask": [[1]]}, "pass vocabulary="),
        ((arrow([["O"]]), arrow([["O"]])), {"lengths": [1]}, "do not apply to Arrow columns"),
        (
            (arrow([[0]]), arrow([[0]])),
            {"mask": [[1]], "vocabulary": VOCABULARY},
            "do not apply to Arrow columns",
        ),
        ((IDS, IDS), {"vocabulary": VOCABULARY, "lengths": [1.0, 2.0]}, "lengths must be integers"),
        (
            (IDS, IDS),
            {"vocabulary": VOCABULARY, "lengths": 3},
            "lengths must be one integer per sentence, not int",
        ),
        ((IDS, IDS), {}, "a tag must be a str, not int.*pass vocabulary="),
        (([["O", None]], [["O", "O"]]), {}, "a tag must be a str, not NoneType"),
        (([["O"]], [["O"], None]), {}, "pred, sentence 1: expected sentences of tags, got None"),
        ((None, [["O"]]), {}, "gold: expected sentences of tags, got None"),
        (([["O"]], [[("X", 0, 1)]]), {}, "gold has tags, but the other side has spans; convert the tags"),
        (
            ([[("X", 0, 1)]], [[], ["O"]]),
            {},
            "pred has tags, but the other side has spans; convert the tags",
        ),
        (([["O"]], [[["O"]]]), {}, "a tag must be a str, not list; pass a list of sentences"),
        ((["O"], [["O"]]), {}, "gold, sentence 0: expected a sequence of tags, got one str"),
        ((IDS, IDS), {"vocabulary": ["O", 1]}, "item 1 is 1"),
        (([{"O": 1}], [["O"]]), {}, "a set or a dict"),
        ((7, [["O"]]), {}, "gold: expected a sequence of tags, got int, which is not iterable"),
        (([["O"]], [7]), {}, "pred, sentence 0: expected a sequence of tags, got int"),
        ((pd.Series(["O"]), pd.Series(["O"])), {}, "it must be a list column|got one str"),
    ],
)
def test_wrong_kinds_of_things(sides, options, message):
    with pytest.raises(TypeError, match=message):
        spanrs.score(*sides, **options)


def test_two_ids_of_one_tag_bring_a_warning():
    with pytest.warns(SpanrsWarning, match="the tag 'B-A' twice, for the ids 1 and 2"):
        result = spanrs.score([[0, 1, 2]], [[0, 1, 1]], scheme="BIO", vocabulary=["O", "B-A", "B-A"])
    assert result.totals.tp == 2


def test_arrays_of_strings_are_sentences():
    gold, pred = [["O", "B-PER"], ["B-é"]], [["O", "B-PER"], ["O"]]
    expected = spanrs.score(gold, pred, scheme="BIO").totals
    for kind in (str, object):
        sides = [[np.array(row, kind) for row in side] for side in (gold, pred)]
        assert spanrs.score(*sides, scheme="BIO").totals == expected
        columns = [pd.Series(side, dtype=object) for side in sides]
        assert spanrs.score(*columns, scheme="BIO").totals == expected
    rectangle = np.array([["O", "B-A"], ["B-A", "O"]])
    assert spanrs.score(rectangle, rectangle.tolist(), scheme="BIO").totals.tp == 2


def test_lists_of_different_shape_are_named():
    for scheme in ("BIO", "auto"):
        for reading in ("conlleval", "strict"):
            with pytest.raises(AlignmentError, match="sentence 1: gold has 2 tags, pred has 1") as caught:
                spanrs.score([["O"], ["O", "B-A"]], [["O"], ("B-A",)], scheme=scheme, reading=reading)
            assert caught.value.sentence == 1
            with pytest.raises(AlignmentError, match="gold has 0 sentences, pred has 1"):
                spanrs.score(iter([]), [["O"]], scheme=scheme, reading=reading)


def test_a_scorer_goes_on_after_any_error():
    scorer = spanrs.Scorer(scheme="BIO")
    attempts = [
        ((arrow([["B-A"], ["O"]]), arrow([["B-A"], [None]])), {}),
        ((arrow([["B-A"], None]), arrow([["B-A"], ["O"]])), {}),
        ((IDS, changed(9)), {"vocabulary": VOCABULARY}),
        ((IDS, IDS), {"vocabulary": VOCABULARY, "mask": [1]}),
        (([["B-A"], ["O", "O"]], [["B-A"], ["O"]]), {}),
        (([["B-A"], [7]], [["B-A"], ["O"]]), {}),
    ]
    for sides, options in attempts:
        with pytest.raises((spanrs.SpanrsError, TypeError)):
            scorer.update(*sides, **options)
    assert scorer.result().to_dict() == spanrs.Scorer(scheme="BIO").result().to_dict()
    scorer.update(IDS, IDS, vocabulary=VOCABULARY)
    scorer.update(arrow([["B-A"]]), arrow([["B-A"]]))
    assert scorer.result().totals == (3, 0, 0)


class Once:
    """Returns the same capsules on every call, although their content can only be consumed once."""

    def __init__(self, column) -> None:
        self.capsules = column.__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema=None):
        return self.capsules


def test_a_column_that_was_handed_over_before():
    column = Once(arrow([[0], [1]]))
    second = Once(arrow([[0], [1]]))
    assert spanrs.score(column, second, vocabulary=VOCABULARY).tokens == 2
    with pytest.raises(ValueError, match="the capsule was already consumed; export the column again"):
        spanrs.score(column, second, vocabulary=VOCABULARY)


def test_what_would_be_lost_is_refused():
    masked = np.ma.masked_array([[1, 0]], mask=[[True, False]])
    names = ["O", "B-A"]
    with pytest.raises(TypeError, match=r"mask=~array\.mask"):
        spanrs.score(masked, masked, scheme="BIO", vocabulary=names)
    with pytest.raises(TypeError, match="not a set"):
        spanrs.score([[1, 0]], [[1, 0]], scheme="BIO", vocabulary=set(names))
    with pytest.raises(TypeError, match="without dimensions"):
        spanrs.score(np.array(1), np.array(1), scheme="BIO", vocabulary=names)


def test_lengths_have_an_order():
    ids = np.array([1, 0, 1, 0])
    for lengths in ({3, 1}, {3: 1, 1: 3}):
        with pytest.raises(TypeError, match="lengths must be one integer per sentence, not "):
            spanrs.score(ids, ids, scheme="BIO", vocabulary=["O", "B-A"], lengths=lengths)
    with pytest.raises(AlignmentError, match="exceeds the maximum number of tokens"):
        spanrs.score(
            ids, ids, scheme="BIO", vocabulary=["O", "B-A"], lengths=np.array([2**64 - 1, 2], "uint64")
        )


TOKENS_ALONE = "Rio\nis\n\nOslo\n\nGo\n"
TAGGED = "Rio B-LOC\nis O\n\nOslo B-LOC\n\nGo O\n"


@pytest.mark.parametrize("max_violations", [0, 10])
def test_tokens_are_not_scored_as_tags(tmp_path, max_violations):
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    for side, texts in (("pred", (TAGGED, TOKENS_ALONE)), ("gold", (TOKENS_ALONE, TAGGED))):
        for path, text in zip((gold, pred), texts, strict=True):
            path.write_text(text, "utf-8")
        message = f"{side}:1: no column of tags: {side} has no span, its first tags other than O are not tags of BIO"
        with pytest.raises(FormatError, match=message) as caught:
            spanrs.score(gold, pred, scheme="BIO", max_violations=max_violations)
        assert (caught.value.code, caught.value.path, caught.value.line) == (
            "no_column",
            str(tmp_path / side),
            1,
        )


@pytest.mark.parametrize("max_violations", [0, 1, 10, 100])
@pytest.mark.parametrize("tags", ["XX\n\nI-PER\nO\n\nI-PER\n", "LABEL_1\nLABEL_0\n\nLABEL_1\n\nLABEL_2\n"])
def test_tags_are_not_refused_as_tokens(tmp_path, tags, max_violations):
    path = tmp_path / "tags"
    path.write_text(tags, "utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = spanrs.score(path, path, scheme="BIO", max_violations=max_violations)
    assert result.totals.tp == 2 * tags.startswith("XX")
    assert len(result.violations["gold"].first) <= max_violations


@pytest.mark.parametrize("reading", ["conlleval", "strict"])
@pytest.mark.parametrize("tags", ["B-LOC\nO\n\nB-LOC\n\nO\n", "I-LOC\nX\n\nI-LOC\n\nI-LOC\n"])
def test_tags_without_tokens_are_scored(tmp_path, reading, tags):
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    gold.write_text(TAGGED, "utf-8")
    pred.write_text(tags, "utf-8")
    with pytest.warns(SpanrsWarning, match="a side has tags but no tokens"):
        result = spanrs.score(gold, pred, scheme="BIO", reading=reading, max_violations=0)
    assert result.tokens == 4
    assert result.violations["pred"].first == []


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ([[(0, 2, "PER")]], r"gold sentence 0, span 0 .* this looks like \(start, end, type\)"),
        ([[], [("PER", 0, 2, "Ada King")]], r"gold sentence 1, span 0 .* not its text; omit the text"),
        (
            [[{"label": "PER", "start": 0, "end": 2}]],
            r"gold, sentence 0: .* \(d\['label'\], d\['start'\], d\['end'\]\)",
        ),
        (
            [[{"entity_group": "PER", "word": "Ada", "start": 0, "end": 2}]],
            r"convert it by \(d\['entity_group'\], ",
        ),
        ([[{"label": "PER", "start_char": 0, "end_char": 2}]], r"d\['start_char'\]"),
        (
            [[{"text": "Ada"}]],
            r"got the dict {'text': 'Ada'}; a span is \(type, start, end\) with an exclusive end",
        ),
        (
            [{"label": "PER", "start": 0, "end": 2}],
            "gold: expected a list of spans for each sentence, got the dict",
        ),
        ([(0, 2, "PER")], r"expected a list of spans for each sentence, got the span \(0, 2, 'PER'\)"),
    ],
)
def test_spans_in_other_forms_are_told_what_was_expected(side, message):
    for matcher in ("exact", "partial", "fair"):
        with pytest.raises(TypeError, match=message):
            spanrs.score(side, side, matcher=matcher)


class Labels:
    """Like a ClassLabel of Hugging Face datasets."""

    names = ("O", "B-A")


class ListOfLabels:
    feature = Labels()


def test_labels_of_datasets_name_their_names():
    for labels, attribute in (
        (Labels(), r"\.names"),
        (ListOfLabels(), r"\.feature\.names"),
        ([Labels()], r"\.names"),
    ):
        with pytest.raises(TypeError, match=f"; pass its {attribute}$"):
            spanrs.score([[0]], [[0]], vocabulary=labels)
    datasets = pytest.importorskip("datasets", reason="Hugging Face datasets is not installed")
    labels = datasets.ClassLabel(names=["O", "B-A"])
    with pytest.raises(TypeError, match=r"pass its \.names"):
        spanrs.score([[0]], [[0]], vocabulary=labels)


@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
@pytest.mark.parametrize("side", [0, 1])
def test_inclusive_ends_are_noticed(matcher, side):
    spans = [[("PER", 0, 2), ("LOC", 4, 9)], [], [("PER", 3, 4)], [("ORG", 7, 9)]]
    sides = [spans, spans]
    sides[side] = [
        [(ty, start, end - (end > start + 1)) for ty, start, end in sentence] for sentence in spans
    ]
    name, second = ("gold", "pred")[side], ("gold", "pred")[1 - side]
    # One end is correct.
    assert not any("off by one" in text for text in spanrs.score(*sides, matcher=matcher).warnings)
    for at in (0, 1):
        sides[at] = [sentence for sentence in sides[at] if sentence != [("PER", 3, 4)]]
    with pytest.warns(
        SpanrsWarning, match=f"every end is off by one: .* end in {name} is one less than in {second}"
    ):
        spanrs.score(*sides, matcher=matcher)
