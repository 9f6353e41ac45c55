"""The result of every kind of input equals that of lists of lists."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import spanrs
from weird import tags

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "E-PER", "S-LOC"]
READINGS = ["conlleval", "strict", "discard", "ncrfpp", "seqeval"]
#: Scheme and reading; not every reading supports every detected scheme.
MADE = [*(("IOBES", reading) for reading in READINGS), ("auto", "conlleval"), ("auto", "strict")]
INTS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i2", ">i8", ">u4"]


def corpora(tag):
    """Pairs of equal length, mostly with equal tags."""
    token = st.tuples(tag, tag, st.integers(0, 2)).map(lambda t: (t[0], t[1] if t[2] == 0 else t[0]))
    return st.lists(st.lists(token, max_size=8), max_size=6).map(
        lambda rows: ([[g for g, _ in row] for row in rows], [[p for _, p in row] for row in rows])
    )


def same(got, expected):
    """Equal counts, including violations and scheme detection."""
    assert got.to_dict() == expected.to_dict()
    assert got.confusion == expected.confusion
    assert got.counts == expected.counts


def scored(gold, pred, scheme, reading):
    """The result; tags without a scheme are covered by other tests."""
    try:
        return spanrs.score(gold, pred, scheme=scheme, reading=reading)
    except spanrs.errors.SchemeError as error:
        if error.code != "no_scheme":
            raise
        reject()


def flat(side):
    return [tag for row in side for tag in row]


def lengths_of(side):
    return [len(row) for row in side]


def matrix(side, kind, filler):
    """Ids of tags, padded behind each sentence."""
    out = np.full((len(side), max(lengths_of(side), default=0) + 1), filler, kind)
    for row, tags_ in zip(out, side, strict=True):
        row[: len(tags_)] = [NAMES.index(tag) for tag in tags_]
    return out


class OnlyArray:
    """An object with only `__array__`."""

    def __init__(self, array):
        self._array = array

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._array, dtype)


class OnlyDlpack:
    """An object with only DLPack, like tensors of other libraries."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


class OnlyStream:
    """An object that only exports an Arrow stream."""

    def __init__(self, column):
        self._column = column

    def __arrow_c_stream__(self, requested_schema=None):
        return self._column.__arrow_c_stream__(requested_schema)


class OnlyCapsule:
    """An object that only exports an Arrow array."""

    def __init__(self, column):
        self._column = column

    def __arrow_c_array__(self, requested_schema=None):
        return self._column.__arrow_c_array__(requested_schema)


SEQUENCES = {
    "tuples": lambda side: tuple(map(tuple, side)),
    "a generator of lists": iter,
    "a list of generators": lambda side: [(tag for tag in row) for row in side],
    "a generator of iterators": lambda side: map(iter, side),
    "other strings": lambda side: [["".join(list(tag)) for tag in row] for row in side],
    "a series": pd.Series,
    "a series of arrays": lambda side: pd.Series([np.array(row, object) for row in side], dtype=object),
    "arrays of objects": lambda side: [np.array(row, object) for row in side],
    "subclasses": lambda side: type("Rows", (list,), {})(type("Row", (tuple,), {})(row) for row in side),
    "subclasses of str": lambda side: [list(map(type("Tag", (str,), {}), row)) for row in side],
}


@settings(max_examples=30, deadline=None)
@given(corpora(tags("BIOES")), st.sampled_from(MADE))
@pytest.mark.parametrize("kind", SEQUENCES)
def test_sequences_of_tags(kind, sides, made):
    gold, pred = sides
    expected = scored(gold, pred, *made)
    scheme, reading = made
    same(spanrs.score(*map(SEQUENCES[kind], sides), scheme=scheme, reading=reading), expected)
    same(spanrs.score(SEQUENCES[kind](gold), pred, scheme=scheme, reading=reading), expected)


@settings(max_examples=20, deadline=None)
@given(corpora(st.sampled_from(NAMES)), st.sampled_from(MADE))
@pytest.mark.parametrize("kind", INTS)
def test_arrays_of_every_kind_of_integer(kind, sides, made):
    scheme, reading = made
    expected = spanrs.score(*sides, scheme=scheme, reading=reading)
    sizes = lengths_of(sides[0])
    ids = [np.array([NAMES.index(tag) for tag in flat(side)], kind) for side in sides]
    options = {"vocabulary": NAMES, "scheme": scheme, "reading": reading}
    same(spanrs.score(*ids, lengths=sizes, **options), expected)
    same(spanrs.score(ids[0], ids[1].astype("i4"), lengths=np.array(sizes, "u2"), **options), expected)
    # Values beyond the lengths of padded arrays are ignored unless they also occur in pred.
    for filler in (0, 3, 99):
        padded = [matrix(side, kind, filler) for side in sides]
        same(spanrs.score(*padded, lengths=iter(sizes), **options), expected)
        within = np.arange(padded[0].shape[1]) < np.array(sizes, int)[:, None]
        # The dimensions of an empty list are unknown.
        for mask in (within, within.astype("u1"), within.tolist() if sizes else within):
            same(spanrs.score(*padded, mask=mask, **options), expected)
    same(spanrs.score(*padded, ignore_index=99, **options), expected)
    if kind.strip("><")[0] == "i":
        padded = [matrix(side, kind, filler) for side, filler in zip(sides, (-100, 2), strict=True)]
        same(spanrs.score(*padded, **options), expected)


@settings(max_examples=60, deadline=None)
@given(corpora(st.sampled_from(NAMES)), st.sampled_from(READINGS))
def test_arrays_of_any_make(sides, reading):
    expected = spanrs.score(*sides, scheme="IOBES", reading=reading)
    padded = [matrix(side, "i8", -100) for side in sides]
    ids = [np.array([NAMES.index(tag) for tag in flat(side)], "i8") for side in sides]
    strided = [np.repeat(side, 2, axis=1)[:, ::2] for side in padded]
    options = {"vocabulary": NAMES, "scheme": "IOBES", "reading": reading}
    for pair in (strided, [np.asfortranarray(side) for side in padded], [s[::-1][::-1] for s in padded]):
        same(spanrs.score(*pair, **options), expected)
    sizes = lengths_of(sides[0])
    for kind in (OnlyArray, OnlyDlpack, np.ndarray.tolist, lambda side: np.repeat(side, 3)[::3]):
        same(spanrs.score(*map(kind, ids), lengths=sizes, **options), expected)
    for kind in (OnlyArray, OnlyDlpack, tuple):
        same(spanrs.score(*ids, lengths=kind(np.array(sizes, "i8")), **options), expected)
    for kind in (OnlyArray, OnlyDlpack, np.ndarray.tolist):
        if sizes:
            same(spanrs.score(*map(kind, padded), **options), expected)
            same(spanrs.score(*padded, mask=kind(padded[0] != -100), **options), expected)


@settings(max_examples=60, deadline=None)
@given(corpora(st.sampled_from(NAMES)), st.data())
def test_a_mask_leaves_out_what_it_does_not_hold(sides, data):
    sizes = lengths_of(sides[0])
    mask = [data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) for n in sizes]
    left = [
        [[tag for tag, keep in zip(*pair, strict=True) if keep] for pair in zip(side, mask, strict=True)]
        for side in sides
    ]
    expected = spanrs.score(*left, scheme="IOBES")
    options = {"vocabulary": NAMES, "scheme": "IOBES"}
    ids = [np.array([NAMES.index(tag) for tag in flat(side)], "u8") for side in sides]
    same(spanrs.score(*ids, lengths=sizes, mask=flat(mask), **options), expected)
    padded = [matrix(side, "i4", 0) for side in sides]
    chosen = np.ones(padded[0].shape, bool)
    for row, chosen_row in zip(mask, chosen, strict=True):
        chosen_row[: len(row)] = row
    same(spanrs.score(*padded, mask=chosen, lengths=sizes, **options), expected)
    gold = np.where(chosen & (np.arange(chosen.shape[1]) < np.array(sizes, int)[:, None]), padded[0], -1)
    same(spanrs.score(gold, padded[1], ignore_index=-1, **options), expected)
    # Masked tokens may have any value in pred.
    wrong = np.where(gold == -1, 1000, padded[1])
    same(spanrs.score(gold, wrong, ignore_index=-1, **options), expected)
    # As Arrow columns: nulls.
    nulls = [[i if keep else None for i, keep in zip(row, kept, strict=True)]
             for row, kept in zip(sides[0], mask, strict=True)]  # fmt: skip
    strings = pa.list_(pa.string())
    same(spanrs.score(pa.array(nulls, strings), pa.array(sides[1], strings), scheme="IOBES"), expected)
    lists = pa.list_(pa.int16())
    numbers = [[None if tag is None else NAMES.index(tag) for tag in row] for row in nulls]
    preds = [[NAMES.index(tag) for tag in row] for row in sides[1]]
    same(spanrs.score(pa.array(numbers, lists), pa.array(preds, lists), **options), expected)
    keyed = pa.array(nulls, strings)
    coded = pa.ListArray.from_arrays(keyed.offsets, keyed.flatten().dictionary_encode("encode"))
    same(spanrs.score(coded, pa.array(sides[1], strings), scheme="IOBES"), expected)


STRINGS = {
    "utf8": pa.string(),
    "large utf8": pa.large_string(),
    "utf8 view": pa.string_view(),
    **{f"keys {key}": pa.dictionary(key, pa.string())
       for key in (pa.int8(), pa.int16(), pa.int32(), pa.int64(),
                   pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())},
    "keys to large utf8": pa.dictionary(pa.int32(), pa.large_string()),
    "keys to utf8 view": pa.dictionary(pa.int32(), pa.string_view()),
}  # fmt: skip
LISTS = {"list": (pa.ListArray, "i4"), "large list": (pa.LargeListArray, "i8")}


def values(side, kind):
    """All tags concatenated."""
    strings = flat(side)
    if not pa.types.is_dictionary(kind):
        return pa.array(strings, kind)
    names = list(dict.fromkeys([*strings, "unused"]))
    keys = pa.array([names.index(tag) for tag in strings], kind.index_type)
    return pa.DictionaryArray.from_arrays(keys, pa.array(names, kind.value_type))


def arrow(side, kind, lists="list"):
    """A list column sliced from a longer one."""
    extra = [["I-XYZ", "O"], *side, [], ["S-XYZ"]]
    created, width = LISTS[lists]
    offsets = np.cumsum([0, *lengths_of(extra)]).astype(width)
    return created.from_arrays(offsets, values(extra, kind)).slice(1, len(side))


def in_chunks(column, cuts):
    borders = [0, *sorted(min(cut, len(column)) for cut in cuts), len(column)]
    return pa.chunked_array([column[a:b] for a, b in pairwise(borders)], column.type)


CUTS = st.lists(st.integers(0, 6), max_size=4)


@settings(max_examples=200, deadline=None)
@given(corpora(tags("BIOES")), st.sampled_from(MADE), st.data())
def test_arrow_columns_of_tags(sides, made, data):
    expected = scored(*sides, *made)
    kind, second = (data.draw(st.sampled_from(list(STRINGS))) for _ in range(2))
    cuts, more_cuts, lists = data.draw(st.tuples(CUTS, CUTS, st.sampled_from(list(LISTS))))
    gold, pred = (arrow(side, STRINGS[kind], lists) for side in sides)
    mixed = arrow(sides[1], STRINGS[second])
    for pair in (
        (gold, pred),
        (gold, mixed),
        (in_chunks(gold, cuts), in_chunks(pred, more_cuts)),
        (in_chunks(gold, cuts), mixed),
        (OnlyCapsule(gold), OnlyCapsule(pred)),
        (OnlyStream(in_chunks(gold, cuts)), OnlyCapsule(pred)),
        (gold, sides[1]),
        (tuple(sides[0]), in_chunks(pred, cuts)),
    ):
        same(spanrs.score(*pair, scheme=made[0], reading=made[1]), expected)


@settings(max_examples=100, deadline=None)
@given(corpora(st.sampled_from(NAMES)), st.sampled_from(READINGS), CUTS, st.sampled_from(INTS[:8]))
def test_arrow_columns_of_ids(sides, reading, cuts, kind):
    expected = spanrs.score(*sides, scheme="IOBES", reading=reading)
    columns = []
    for side in sides:
        extra = [["O"], *side, ["O", "O"]]
        ids = np.array([NAMES.index(tag) for tag in flat(extra)], kind)
        offsets = np.cumsum([0, *lengths_of(extra)]).astype("i4")
        columns.append(pa.ListArray.from_arrays(offsets, pa.array(ids)).slice(1, len(side)))
    options = {"vocabulary": NAMES, "scheme": "IOBES", "reading": reading}
    gold, pred = columns
    same(spanrs.score(gold, pred, **options), expected)
    same(spanrs.score(in_chunks(gold, cuts), pred, **options), expected)
    # Ids on one side, names on the other; ignored ids have no name.
    names = arrow(sides[1], pa.string())
    same(spanrs.score(gold, names, **options), expected)
    same(spanrs.score(arrow(sides[0], pa.string()), pred, ignore_index=0, **options), expected)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 4), st.lists(st.tuples(tags("BIOES"), tags("BIOES")), max_size=24))
def test_arrow_columns_of_sentences_of_one_length(width, pairs):
    pairs = pairs[: len(pairs) // width * width]
    sides = [
        [[pair[at] for pair in pairs[i : i + width]] for i in range(0, len(pairs), width)] for at in (0, 1)
    ]
    expected = spanrs.score(*sides, scheme="IOBES")
    columns = [
        pa.FixedSizeListArray.from_arrays(values([["O"] * width, *side], kind), width).slice(1)
        for side, kind in zip(sides, (pa.string(), STRINGS["keys int8"]), strict=True)
    ]
    same(spanrs.score(*columns, scheme="IOBES"), expected)
    kinds = (pl.Array(pl.String, width), pl.Array(pl.Categorical, width))
    series = [pl.Series(side, dtype=kind) for side, kind in zip(sides, kinds, strict=True)]
    same(spanrs.score(*series, scheme="IOBES"), expected)
    if sides[0]:
        arrays = [np.array(side, object) for side in sides]
        same(spanrs.score(*arrays, scheme="IOBES"), expected)


@settings(max_examples=60, deadline=None)
@given(corpora(tags("BIOES")), st.sampled_from(READINGS), st.integers(0, 6), st.data())
def test_columns_of_polars_and_pandas(sides, reading, cut, data):
    expected = spanrs.score(*sides, scheme="IOBES", reading=reading)
    names = list(dict.fromkeys(flat(sides[0]) + flat(sides[1])))
    inner = [pl.String, pl.Categorical, pl.Enum(names)]
    kinds = [pl.List(data.draw(st.sampled_from(inner))) for _ in sides]
    series = [
        pl.Series([["X"], *side] if names and kind.inner != inner[2] else [[], *side], dtype=kind)[1:]
        for side, kind in zip(sides, kinds, strict=True)
    ]
    same(spanrs.score(*series, scheme="IOBES", reading=reading), expected)
    pieces = [pl.concat([item[:cut], item[cut:]], rechunk=False) for item in series]
    same(spanrs.score(pieces[0], series[1], scheme="IOBES", reading=reading), expected)
    frame = pl.DataFrame({"gold": series[0], "pred": series[1]})
    same(spanrs.score(frame["gold"], frame["pred"], scheme="IOBES", reading=reading), expected)
    kind = pd.ArrowDtype(
        data.draw(st.sampled_from([pa.list_(pa.string()), pa.large_list(pa.large_string())]))
    )
    pandas = [pd.Series(side, dtype=kind, index=range(9, 9 + len(side))) for side in sides]
    same(spanrs.score(*pandas, scheme="IOBES", reading=reading), expected)
    same(spanrs.score(pandas[0], series[1], scheme="IOBES", reading=reading), expected)
    same(spanrs.score(pandas[0][::-1][::-1], list(sides[1]), scheme="IOBES", reading=reading), expected)


@settings(max_examples=60, deadline=None)
@given(corpora(st.sampled_from(NAMES)))
def test_ids_in_columns_of_polars_and_pandas(sides):
    expected = spanrs.score(*sides, scheme="IOBES")
    ids = [[[NAMES.index(tag) for tag in row] for row in side] for side in sides]
    series = [
        pl.Series(side, dtype=pl.List(kind)) for side, kind in zip(ids, (pl.Int16, pl.UInt8), strict=True)
    ]
    same(spanrs.score(*series, scheme="IOBES", vocabulary=NAMES), expected)
    kind = pd.ArrowDtype(pa.list_(pa.int64()))
    pandas = [pd.Series(side, dtype=kind) for side in ids]
    same(spanrs.score(*pandas, scheme="IOBES", vocabulary=dict(enumerate(NAMES))), expected)


def test_nulls_inside_a_dictionary_are_nulls():
    def column(keys):
        names = pa.array(["B-A", None, "I-A", "O"])
        return pa.ListArray.from_arrays(
            [0, 4], pa.DictionaryArray.from_arrays(pa.array(keys, pa.int8()), names)
        )

    gold, pred = column([0, 1, 2, None]), column([0, 3, 2, 3])
    result = spanrs.score(gold, pred, scheme="BIO")
    assert (result.totals, result.tokens, result.violations["gold"].count) == ((1, 0, 0), 2, 0)
    with pytest.raises(spanrs.errors.SchemeError, match="pred has no tag at sentence 0, token 1"):
        spanrs.score(pred, gold, scheme="BIO")


def test_columns_stay_as_they_are_after_scoring():
    column = pa.array([["B-A", None], ["O"]])
    before = column.to_pylist()
    for _ in range(2):
        spanrs.score(column, pa.array([["B-A", "O"], ["O"]]))
    assert column.to_pylist() == before
    ids = np.array([[0, 1, 5]], "u8")
    spanrs.score(ids, ids, vocabulary=["O", "B-A"], mask=[[1, 1, 0]])
    assert ids.tolist() == [[0, 1, 5]]


def test_a_column_of_nothing_but_nulls():
    gold, pred = pa.array([[None, None], []]), pa.array([["O", "B-A"], []])
    result = spanrs.score(gold, pred, scheme="BIO")
    assert (result.sentences, result.tokens, result.totals.fp) == (2, 0, 0)
