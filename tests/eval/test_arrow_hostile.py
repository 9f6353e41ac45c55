"""Arrow columns that violate the C data interface."""

from __future__ import annotations

import ctypes

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spanrs


class Array(ctypes.Structure):
    """An ArrowArray of the C data interface."""

    _fields_ = (
        *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
        ("buffers", ctypes.POINTER(ctypes.c_void_p)),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    )

    def child(self, at=0):
        return Array.from_address(self.children[at])


class Schema(ctypes.Structure):
    """The beginning of an ArrowSchema."""

    _fields_ = (
        *((name, ctypes.c_char_p) for name in ("format", "name", "metadata")),
        *((name, ctypes.c_int64) for name in ("flags", "n_children")),
        ("children", ctypes.POINTER(ctypes.c_void_p)),
        ("dictionary", ctypes.c_void_p),
    )


def pointer(capsule, name):
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return get(capsule, name)


class Spoilt:
    """A column whose structures are modified before export."""

    def __init__(self, column, spoil):
        self.column, self.spoil = column, spoil

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self.column.__arrow_c_array__(requested_schema)
        # Replacements must live as long as the arrays.
        self.kept = self.spoil(
            Schema.from_address(pointer(schema, b"arrow_schema")),
            Array.from_address(pointer(array, b"arrow_array")),
        )
        return schema, array


TAGS = [["O", "B-PER"], ["B-LOC"], ["I-LOC", "O", "O"]]
STRINGS = pa.array(TAGS, pa.list_(pa.string()))
KINDS = {
    "list": STRINGS,
    "large list": pa.array(TAGS, pa.large_list(pa.large_string())),
    "views": pa.array([["O", "B-a-very-long-name-of-a-type"]], pa.list_(pa.string_view())),
    "fixed": pa.array([["O", "B-X"], ["O", "O"]], pa.list_(pa.string(), 2)),
    "dictionary": pa.array(TAGS, pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    "ids": pa.array([[0, 1], [2]], pa.list_(pa.int32())),
}


def replaced(array, buffer, values, kind):
    """Replace a buffer."""
    new = np.array(values, kind)
    array.buffers[buffer] = new.ctypes.data
    return new


def setting(path, name, value):
    """Set a field of the array, or of the child or dictionary at a path."""

    def spoil(schema, array):
        for step in path:
            array = Array.from_address(array.dictionary) if step == "dictionary" else array.child()
        setattr(array, name, value)

    return spoil


def no_buffer(path, at):
    def spoil(schema, array):
        for _ in path:
            array = array.child()
        array.buffers[at] = None

    return spoil


# Children, which the release callback of the exporter accesses, are not corrupted here; rust/fuzz does that.
CASES = {
    "decreasing offsets of lists": ("list", lambda s, a: replaced(a, 1, [0, 3, 1, 6], "i4")),
    "decreasing offsets of large lists": ("large list", lambda s, a: replaced(a, 1, [0, 3, 1, 6], "i8")),
    "negative offsets of lists": ("list", lambda s, a: replaced(a, 1, [-1, 0, 1, 2], "i4")),
    "lists beyond their items": ("list", lambda s, a: replaced(a, 1, [0, 2, 3, 60], "i4")),
    "decreasing offsets of strings": (
        "list",
        lambda s, a: replaced(a.child(), 1, [0, 9, 1, 2, 3, 4, 5], "i4"),
    ),
    "negative offsets of strings": (
        "list",
        lambda s, a: replaced(a.child(), 1, [-9, -1, 1, 2, 3, 4, 5], "i4"),
    ),
    "decreasing offsets of large strings": (
        "large list",
        lambda s, a: replaced(a.child(), 1, [0, 1 << 40, 1, 2, 3, 4, 5], "i8"),
    ),
    "a view into no buffer": (
        "views",
        lambda s, a: replaced(a.child(), 1, [1, 0, 0, 0, 20, 0, 7, 0], "i4"),
    ),
    "a view beyond its buffer": (
        "views",
        lambda s, a: replaced(a.child(), 1, [1, 0, 0, 0, 20, 0, 0, 1 << 30], "i4"),
    ),
    "a view of negative length": ("views", lambda s, a: replaced(a.child(), 1, [-1] * 8, "i4")),
    "a negative size of a buffer of views": ("views", lambda s, a: replaced(a.child(), 3, [-5], "i8")),
    "keys beyond the dictionary": (
        "dictionary",
        lambda s, a: replaced(a.child(), 1, [0, 1, 99, 0, 0, 0], "i1"),
    ),
    "negative keys": ("dictionary", lambda s, a: replaced(a.child(), 1, [0, -1, 0, 0, 0, 0], "i1")),
    "a negative length": ("list", setting([], "length", -1)),
    "a huge length": ("list", setting([], "length", (1 << 63) - 1)),
    "a negative offset": ("list", setting([], "offset", -1)),
    "an offset that overflows": ("list", setting([], "offset", (1 << 63) - 1)),
    "too few items of fixed lists": ("fixed", setting(["child"], "length", 1)),
    "no buffers": ("list", setting([], "n_buffers", 0)),
    "many buffers": ("list", setting(["child"], "n_buffers", 9)),
    "no children": ("list", setting([], "n_children", 0)),
    "a null pointer to buffers": ("list", setting(["child"], "buffers", None)),
    "null offsets of lists": ("list", no_buffer([], 1)),
    "null offsets of strings": ("list", no_buffer(["child"], 1)),
    "null bytes of strings": ("list", no_buffer(["child"], 2)),
    "null sizes of views": ("views", no_buffer(["child"], 3)),
    "null ids": ("ids", no_buffer(["child"], 1)),
    "a dictionary without one": ("dictionary", setting(["child"], "dictionary", None)),
    "an unexpected dictionary": (
        "list",
        lambda s, a: setattr(a.child(), "dictionary", ctypes.addressof(a)),
    ),
    "an array of strings for a schema of ids": (
        "list",
        lambda s, a: setattr(Schema.from_address(s.children[0]), "format", b"i"),
    ),
    "an array of ids for a schema of strings": (
        "ids",
        lambda s, a: setattr(Schema.from_address(s.children[0]), "format", b"u"),
    ),
    "a schema without children": ("list", lambda s, a: setattr(s, "n_children", 0)),
    "a schema with negative children": ("list", lambda s, a: setattr(s, "n_children", -1)),
    "a schema without format": ("list", lambda s, a: setattr(s, "format", None)),
    "an unknown format": ("list", lambda s, a: setattr(s, "format", b"zz")),
    "a format that is not UTF-8": ("list", lambda s, a: setattr(s, "format", b"\xff")),
    "a fixed list of no size": ("fixed", lambda s, a: setattr(s, "format", b"+w:")),
    "a fixed list of a huge size": ("fixed", lambda s, a: setattr(s, "format", b"+w:2147483647")),
    "a fixed list of negative size": ("fixed", lambda s, a: setattr(s, "format", b"+w:-2")),
}


@pytest.mark.parametrize("case", CASES)
def test_structures_that_lie_are_refused(case):
    kind, spoil = CASES[case]
    vocabulary = ["O", "B-A", "I-A"] if kind == "ids" else None
    for gold, pred in (
        (Spoilt(KINDS[kind], spoil), KINDS[kind]),
        (KINDS[kind], Spoilt(KINDS[kind], spoil)),
    ):
        with pytest.raises((spanrs.errors.FormatError, TypeError), match=r"gold|pred") as caught:
            spanrs.score(gold, pred, vocabulary=vocabulary)
        assert "Arrow column" in str(caught.value)


def not_utf8(kind):
    """Tags with invalid UTF-8, as they may occur in files."""
    values = [b"O", b"B-PER", b"B-L\xffC"]
    if kind == "views":
        views = pa.array([b"O", b"B-PER", b"B-L\xffC-and-a-long-name"], pa.binary_view())
        return views.view(pa.string_view())
    if kind == "dictionary":
        words = pa.array(values, pa.binary()).view(pa.string())
        return pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), words)
    large = kind == "large"
    return pa.array(values, pa.large_binary() if large else pa.binary()).view(
        pa.large_string() if large else pa.string()
    )


@pytest.mark.parametrize("kind", ["plain", "large", "views", "dictionary"])
def test_tags_that_are_not_utf8_are_refused_with_their_place(kind):
    column = pa.ListArray.from_arrays([0, 1, 3], not_utf8(kind))
    second = pa.array([["O"], ["B-PER", "O"]])
    with pytest.raises(
        spanrs.errors.FormatError, match=r"pred has at row 1, token 1, .* b'B-L\\xffC"
    ) as caught:
        spanrs.score(second, column)
    assert (caught.value.code, caught.value.sentence) == ("encoding", 1)
    with pytest.raises(spanrs.errors.FormatError, match="gold has at row 1"):
        spanrs.score(column, second)


def test_parquet_that_declares_any_bytes_to_be_text(tmp_path):
    column = pa.ListArray.from_arrays([0, 1, 3], not_utf8("plain"))
    pq.write_table(pa.table({"tags": column}), tmp_path / "t.parquet", use_dictionary=False)
    read = pq.read_table(tmp_path / "t.parquet")["tags"]
    with pytest.raises(spanrs.errors.FormatError, match="row 1, token 1"):
        spanrs.score(read, read)


def test_bytes_that_no_list_points_to_do_not_matter():
    values = pa.array([b"\xff", b"O", b"B-A"], pa.binary()).view(pa.string())
    column = pa.ListArray.from_arrays([1, 2, 3], values).slice(0, 2)
    second = pa.array([["O"], ["B-A"]])
    try:
        result = spanrs.score(second, column)
    except spanrs.errors.FormatError as error:
        # The bytes still belong to the column; arrow validates all of it.
        assert "cannot be read" in str(error)  # noqa: PT017 - either is right
    else:
        assert result.micro.f1 == 1.0


def test_sound_columns_pass():
    for name, column in KINDS.items():
        vocabulary = ["O", "B-A", "I-A"] if name == "ids" else None
        assert spanrs.score(column, column, vocabulary=vocabulary).micro.f1 == 1.0
        assert spanrs.score(column[:0], column[:0], vocabulary=vocabulary).sentences == 0
        assert spanrs.score(column[1:], column[1:], vocabulary=vocabulary).sentences == len(column) - 1
    frame = pl.Series(TAGS)
    assert spanrs.score(frame, STRINGS).micro.f1 == 1.0
    assert spanrs.score(pl.Series(TAGS, dtype=pl.List(pl.Categorical)), STRINGS).micro.f1 == 1.0
