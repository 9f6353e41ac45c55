"""Parquet and Arrow files, and spans in columns of structs."""

from __future__ import annotations

import contextlib
import os
import random

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import spanrs
from spanrs.errors import AlignmentError, FormatError, SchemeError
from spanrs.io import tables
from spanrs.io.span_columns import span_tuples

TAGS = ["O", "O", "B-A", "I-A", "B-B", "I-B"]
STRINGS = pa.list_(pa.string())
SPAN = pa.struct([("type", pa.string()), ("start", pa.int64()), ("end", pa.int64())])


def is_table_file(path):
    return spanrs.read(path).parts[0].kind == "table"


def write_ipc(table, path, *, stream=False, rows=7):
    make = pa.ipc.new_stream if stream else pa.ipc.new_file
    with make(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)


FORMATS = {
    "parquet": lambda table, path: pq.write_table(table, path, row_group_size=20),
    "parquet without dictionaries": lambda table, path: pq.write_table(table, path, use_dictionary=False),
    "arrow file": write_ipc,
    "arrow stream": lambda table, path: write_ipc(table, path, stream=True),
    "feather": lambda table, path: feather.write_feather(table, path, chunksize=9),
    "parquet of Polars": lambda table, path: pl.DataFrame(table).write_parquet(path),
    "arrow of Polars": lambda table, path: pl.DataFrame(table).write_ipc(path),
}


def sentences(count, seed=0):
    rng = random.Random(seed)
    gold = [[rng.choice(TAGS) for _ in range(rng.randrange(9))] for _ in range(count)]
    pred = [[tag if rng.random() < 0.7 else rng.choice(TAGS) for tag in sentence] for sentence in gold]
    return gold, pred


def document_names(count, seed=0):
    """Document names, for documents of 1 to 12 sentences."""
    rng = random.Random(seed)
    names = [f"document {at}" for at in range(count) for _ in range(rng.randrange(1, 13))]
    return names[:count]


@pytest.fixture
def small_batches(monkeypatch):
    """Read Parquet in batches of five rows."""
    monkeypatch.setattr(tables, "BATCH_ROWS", 5)


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_files_are_scored_as_lists(small_batches, tmp_path, file_format, matcher):
    gold, pred = sentences(60)
    names = document_names(60)
    path = tmp_path / "without.ending"
    table = pa.table({"n": range(60), "g": pa.array(gold, STRINGS), "p": pa.array(pred), "d": names})
    FORMATS[file_format](table, path)
    assert is_table_file(path)
    options = {"scheme": "BIO", "matcher": matcher}
    expected = spanrs.score(gold, pred, **options)
    assert spanrs.score(path, gold="g", pred="p", **options).to_bytes() == expected.to_bytes()
    swapped = spanrs.score(pred, gold, **options)
    corpus = spanrs.read(path, gold="p", pred="g")
    assert spanrs.score(corpus, **options).to_bytes() == swapped.to_bytes()
    expected = spanrs.score(gold, pred, by=names, **options)
    got = spanrs.score(path, gold="g", pred="p", documents="d", by="document", **options)
    assert got.to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("lengths", [[1] * 60, [60], [5] * 12, [4, 56], [10, 1, 1, 8, 30, 10]])
@pytest.mark.parametrize("cut", [0, 1, 17, 60])
def test_documents_go_on_over_batches_and_files(small_batches, tmp_path, lengths, cut):
    gold, pred = sentences(60, seed=1)
    names = [f"d{at}" for at, length in enumerate(lengths) for _ in range(length)]
    table = pa.table({"gold": pa.array(gold, STRINGS), "pred": pa.array(pred, STRINGS), "d": names})
    expected = spanrs.score(gold, pred, scheme="BIO", by=names)
    for write in (pq.write_table, write_ipc):
        write(table, tmp_path / "whole")
        got = spanrs.score(tmp_path / "whole", documents="d", by="document", scheme="BIO")
        assert got.counts.documents() == expected.counts.documents()
        assert got.to_bytes() == expected.to_bytes()
    # Documents of different files are distinct.
    halves = {"a": (pq.write_table, slice(0, cut)), "b": (write_ipc, slice(cut, 60))}
    paths, parts = [], []
    for name, (write, rows) in halves.items():
        if rows.start == rows.stop:
            continue
        paths.append(tmp_path / name)
        write(table[rows], paths[-1])
        parts.append(spanrs.score(gold[rows], pred[rows], scheme="BIO", by=names[rows]))
    got = spanrs.score(spanrs.read(paths, documents="d"), by="document", scheme="BIO")
    assert got.totals == expected.totals
    if len(paths) == 2:
        keys = [
            f"{path.name}:{key}"
            for path, part in zip(paths, parts, strict=True)
            for key in part.counts.documents()
        ]
        assert got.counts.documents() == keys
        assert [row.totals for row in got.documents] == [
            row.totals for part in parts for row in part.documents
        ]


@pytest.mark.parametrize(
    "names", [["x", "y", "x"], ["x", "x", "y", "z", "x"], ["a", "b", "a", "c", "c", "c"]]
)
def test_documents_that_go_on_later_are_refused(monkeypatch, tmp_path, names):
    table = pa.table({"gold": [["O"]] * len(names), "pred": [["O"]] * len(names), "d": names})
    path = tmp_path / "table"
    pq.write_table(table, path)
    for rows in (1, 2, 3, 10):
        monkeypatch.setattr(tables, "BATCH_ROWS", rows)
        with pytest.raises(
            AlignmentError, match=r"table: rows \d+ to \d+: document '[xa]' is not contiguous"
        ) as raised:
            spanrs.score(path, documents="d", by="document", scheme="BIO")
        assert raised.value.path == str(path)


@pytest.mark.parametrize("dictionaries", [True, False])
@pytest.mark.parametrize(
    "sizes", [[1] * 12, [3] * 4, [5, 7], [12], [4, 1, 1, 6], [1, 9, 2], [2, 4, 4, 2]], ids=str
)
def test_row_groups_do_not_change_the_result(small_batches, tmp_path, sizes, dictionaries):
    # Batches have five rows at most: row groups are smaller, equal and larger.
    tags = [["B-A", "I-A", "O"], ["O"], [], ["B-B", "B-C"], ["I-B"], ["B-A"]]
    table = pa.table({"gold": tags * 2, "pred": [list(reversed(item)) for item in tags * 2]})
    path = tmp_path / "tags.parquet"
    with pq.ParquetWriter(path, table.schema, use_dictionary=dictionaries) as writer:
        start = 0
        for size in sizes:
            writer.write_table(table[start : start + size])
            start += size
    assert pq.ParquetFile(path).metadata.num_row_groups == len(sizes)
    for kept in ({}, {"by": "sentence"}, {"errors": True}):
        result = spanrs.score(path, **kept)
        expected = spanrs.score(
            table["gold"].to_pylist(),
            table["pred"].to_pylist(),
            errors=kept.get("errors", False),
            by=[1] * len(table) if kept.get("by") else None,
        )
        assert result.counts == expected.counts
        assert result.violations == expected.violations


def test_files_of_duckdb_have_several_row_groups(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    path = tmp_path / "duck.parquet"
    query = (
        "SELECT ['O', 'B-' || (i % 5)] AS gold, ['B-A', 'B-' || (i % 4)] AS pred FROM range(130000) t(i)"
    )
    duckdb.sql(f"COPY ({query}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
    assert pq.ParquetFile(path).metadata.num_row_groups > 60
    result = spanrs.score(path)
    assert result.totals == spanrs.score(pq.read_table(path)).totals


def test_ids_and_dictionaries(small_batches, tmp_path):
    gold, pred = sentences(30, seed=2)
    vocabulary = list(dict.fromkeys(TAGS))
    ids = [[[vocabulary.index(tag) for tag in row] for row in side] for side in (gold, pred)]
    coded = pa.list_(pa.dictionary(pa.int8(), pa.string()))
    table = pa.table({
        "gold": pa.array(ids[0], pa.list_(pa.int16())), "pred": pa.array(ids[1], pa.large_list(pa.uint8())),
        "coded": pa.array(pred, coded),
    })  # fmt: skip
    expected = spanrs.score(gold, pred, scheme="BIO").to_bytes()
    for write in (pq.write_table, write_ipc):
        write(table, tmp_path / "table")
        for name in ("pred", "coded"):
            got = spanrs.score(tmp_path / "table", pred=name, scheme="BIO", vocabulary=vocabulary)
            assert got.to_bytes() == expected
        with pytest.raises(TypeError, match="pass vocabulary="):
            spanrs.score(tmp_path / "table", scheme="BIO")


def test_auto_is_decided_by_the_first_batch_with_a_tag(small_batches, tmp_path):
    gold = [["O"]] * 7 + [["S-A", "O"]] * 5
    pq.write_table(pa.table({"gold": gold, "pred": gold}), tmp_path / "table")
    result = spanrs.score(tmp_path / "table")
    assert (result.settings["scheme"], result.totals.tp) == ("IOBES", 5)
    assert result.counts == spanrs.score(gold, gold).counts


def random_spans(count, seed=0, *, tokens=False):
    rng = random.Random(seed)
    collected = []
    for _ in range(count):
        starts = rng.sample(range(20), rng.randrange(5))
        spans = [(rng.choice("ABC"), start, start + rng.randrange(3, 6)) for start in sorted(starts)]
        if tokens:
            spans = [(*s, [s[1], s[2] - 1]) if rng.random() < 0.5 else s for s in spans]
        collected.append(spans)
    return collected


def structs(sentences, kind, name="type"):
    """A column of structs; fields are in another order than those of spans."""
    rows = [
        [{name: t, "end": end, "start": start, "tokens": values[0] if values else None, "score": 0.5}
         for t, start, end, *values in spans]
        for spans in sentences
    ]  # fmt: skip
    bound, string, lists = kind
    tokens = ("tokens", pa.list_(pa.int32()))
    fields = [("score", pa.float32()), ("end", bound), tokens, (name, string), ("start", bound)]
    return pa.array(rows, lists(pa.struct(fields)))


KINDS = {
    "plain": (pa.int64(), pa.string(), pa.list_),
    "large": (pa.uint16(), pa.large_string(), pa.large_list),
    "dictionary": (pa.int8(), pa.dictionary(pa.int8(), pa.string()), pa.list_),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_spans_in_columns_of_structs(small_batches, tmp_path, kind, matcher):
    golds, preds = random_spans(40, tokens=True), random_spans(40, seed=1, tokens=True)
    columns = structs(golds, KINDS[kind]), structs(preds, KINDS[kind], "label")
    assert span_tuples(columns[0], "gold") == golds
    assert span_tuples(columns[0][3:20], "gold") == golds[3:20]
    chunked = pa.chunked_array([columns[0][2:9], columns[0][:1]])
    assert span_tuples(chunked, "gold") == golds[2:9] + golds[:1]
    expected = spanrs.score(golds, preds, matcher=matcher).to_bytes()
    table = pa.table(dict(zip(("gold", "pred"), columns, strict=True)))
    assert spanrs.score(table, matcher=matcher).to_bytes() == expected
    assert spanrs.score(table.to_reader(6), scheme="BIO", matcher=matcher).counts.to_bytes() == (
        spanrs.score(golds, preds, matcher=matcher).counts.to_bytes()
    )
    for write in FORMATS.values():
        write(table, tmp_path / "table")
        assert spanrs.score(tmp_path / "table", matcher=matcher).to_bytes() == expected


def test_spans_of_polars_and_of_fixed_size_lists():
    golds, preds = ([spans for spans in random_spans(90, seed=s) if len(spans) == 2] for s in (3, 4))
    golds, preds = golds[:8], preds[:8]
    rows = [[[dict(zip(("type", "start", "end"), span, strict=True)) for span in spans] for spans in side]
            for side in (golds, preds)]  # fmt: skip
    expected = spanrs.score(golds, preds).to_bytes()
    frame = pl.DataFrame({"gold": rows[0], "pred": rows[1]})
    assert spanrs.score(frame).to_bytes() == expected
    assert spanrs.score(frame.lazy()).to_bytes() == expected
    fixed = [pa.array(side, pa.list_(SPAN, 2)) for side in rows]
    assert spanrs.score(pa.table(fixed, names=["gold", "pred"])).to_bytes() == expected


@pytest.mark.parametrize("scheme", ["auto", "BIO"])
def test_lazy_frames_are_scored_as_frames(scheme):
    gold, pred = sentences(50, seed=5)
    names = document_names(50)
    frame = pl.DataFrame({"gold": gold, "pred": pred, "name": names, "other": range(50)})
    expected = spanrs.score(gold, pred, scheme=scheme).to_bytes()
    assert spanrs.score(frame.lazy(), scheme=scheme).to_bytes() == expected
    lazy = frame.lazy().filter(pl.col("other") >= 0)
    expected = spanrs.score(gold, pred, scheme=scheme, by=names).to_bytes()
    assert spanrs.score(lazy, documents="name", by="document", scheme=scheme).to_bytes() == expected
    with pytest.raises(FormatError, match="no column 'golt'; the columns are gold, pred, name, other"):
        spanrs.score(lazy, gold="golt")


def test_relations_of_duckdb():
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    gold, pred = sentences(50, seed=6)
    table = pa.table({"gold": pa.array(gold, STRINGS), "pred": pa.array(pred, STRINGS)})
    expected = spanrs.score(gold, pred, scheme="BIO").to_bytes()
    assert spanrs.score(duckdb.from_arrow(table), scheme="BIO").to_bytes() == expected


TWO = {"gold": [["B-A", "O"], ["O"]], "pred": [["B-A", "O"], ["O"]]}


def test_columns_that_are_missing_are_named(tmp_path):
    path = tmp_path / "table"
    for write in (pq.write_table, write_ipc, lambda t, p: write_ipc(t, p, stream=True)):
        write(pa.table(TWO), path)
        for names in ({"gold": "golt"}, {"pred": "golt"}, {"documents": "golt", "by": "document"}):
            with pytest.raises(
                FormatError, match="table: there is no column 'golt'; the columns are gold, pred"
            ):
                spanrs.score(path, **names)
    write_ipc(pa.Table.from_arrays([pa.array([["O"]])] * 2, ["gold", "gold"]), path)
    with pytest.raises(FormatError, match="several columns are called 'gold'"):
        spanrs.score(path, pred="gold")


@pytest.mark.parametrize(
    ("columns", "kind", "message"),
    [
        ({"gold": ["O", "O"]}, FormatError, "table: the column 'gold' is of type string; it must"),
        ({"gold": [["O"], None]}, AlignmentError, "the sentence in row 1 of 'gold' is null"),
        ({"pred": [None, ["O"]]}, AlignmentError, "the sentence in row 0 of 'pred' is null"),
        ({"pred": [["B-A", "O"], []]}, AlignmentError, "row 1: gold has 1 tags, pred has 0"),
        ({"pred": [["B-A", None], ["O"]]}, SchemeError, "row 0: pred has no tag at token 1; to ignore"),
        ({"pred": [[0.5, 1], [1]]}, TypeError, "Float64"),
        ({"d": ["x", None]}, FormatError, "row 1 has no document: 'd' is null"),
    ],
)
def test_columns_that_cannot_be_scored(tmp_path, columns, kind, message):
    for write in (pq.write_table, write_ipc):
        write(pa.table(TWO | columns), tmp_path / "table")
        options = {"documents": "d", "by": "document"} if "d" in columns else {}
        with pytest.raises(kind, match=message) as raised:
            spanrs.score(tmp_path / "table", scheme="BIO", **options)
        if isinstance(raised.value, spanrs.SpanrsError):
            assert raised.value.path == str(tmp_path / "table")
            assert str(raised.value).startswith(str(tmp_path / "table"))


def test_rows_of_later_batches_are_named(small_batches, tmp_path):
    gold, pred = [["O"]] * 23, [["O"]] * 22 + [["O", "O"]]
    pq.write_table(pa.table({"gold": gold, "pred": pred}), tmp_path / "table")
    with pytest.raises(AlignmentError, match="rows 20 to 22: row 22: gold has 1 tags, pred has 2"):
        spanrs.score(tmp_path / "table")


@pytest.mark.parametrize(
    ("span", "message"),
    [
        ({"start": 1, "end": 2}, "has structs of start, end; spans need the fields type"),
        ({"type": "A", "begin": 1, "end": 2}, "has structs of type, begin, end"),
        ({"type": 1, "start": 1, "end": 2}, "has type of int64, which must be a string"),
        ({"type": "A", "start": 1.0, "end": 2}, "has start of double, which must be an integer"),
        ({"type": "A", "start": 1, "end": 2, "tokens": "1 2"}, "has tokens of .*, which must be a list"),
        ({"type": "A", "start": 1, "end": 2, "tokens": [1, None]}, "has a span whose tokens is null"),
        ({"type": None, "start": 1, "end": 2}, "which must be a string"),
        ({"type": "A", "start": 3, "end": 2}, "ends are exclusive and greater than starts"),
        ({"type": "A", "start": -3, "end": 2}, "start and end must be integers from 0"),
    ],
)
def test_structs_that_are_no_spans(tmp_path, span, message):
    column = pa.array([[], [span]])
    pq.write_table(pa.table({"gold": column, "pred": column}), tmp_path / "table")
    with pytest.raises(FormatError, match=message):
        spanrs.score(tmp_path / "table")


@pytest.mark.parametrize("field", ["type", "start", "end"])
def test_nulls_in_spans_are_refused(field):
    span = {"type": "A", "start": 1, "end": 2}
    column = pa.array([[], [span, span | {field: None}]], pa.list_(SPAN))
    with pytest.raises(FormatError, match=f"'gold' has a span whose {field} is null"):
        spanrs.score(pa.table({"gold": column, "pred": column}))
    with pytest.raises(FormatError, match="null instead of a span"):
        span_tuples(pa.array([[None]], pa.list_(SPAN)), "gold")
    with pytest.raises(AlignmentError, match="sentence 1 of gold is null") as raised:
        span_tuples(pa.array([[], None], pa.list_(SPAN)), "gold")
    assert raised.value.sentence == 1


def test_spans_beside_tags_are_refused(tmp_path):
    spans = pa.array([[{"type": "A", "start": 0, "end": 1}]])
    pq.write_table(pa.table({"gold": spans, "pred": pa.array([["B-A"]])}), tmp_path / "table")
    with pytest.raises(FormatError, match="one of 'gold' and 'pred' has spans, the other has tags"):
        spanrs.score(tmp_path / "table")
    with pytest.raises(FormatError, match="one of 'gold' and 'pred' has spans"):
        spanrs.score(pq.read_table(tmp_path / "table"))


@pytest.mark.parametrize("text", ["", "EU B-ORG\n", "PAR1 B-ORG\nx O\n", "ARROW1 O\n", "\n", "FEA1 O"])
def test_text_files_are_no_tables(tmp_path, text):
    path = tmp_path / "text.parquet"
    path.write_text(text, encoding="utf-8")
    assert not is_table_file(path)


@pytest.mark.parametrize("file_format", FORMATS)
def test_truncated_and_damaged_files(tmp_path, file_format):
    gold, pred = sentences(300, seed=7)
    whole, path = tmp_path / "whole", tmp_path / "cut"
    FORMATS[file_format](pa.table({"gold": pa.array(gold, STRINGS), "pred": pred}), whole)
    data = whole.read_bytes()
    for size in (70, len(data) // 2, len(data) - 9):
        path.write_bytes(data[:size])
        assert is_table_file(path)
        # A stream may end after any batch, without an end marker.
        if file_format == "arrow stream" and size == len(data) - 9:
            continue
        with pytest.raises(FormatError, match="cut: the file is truncated or damaged"):
            spanrs.score(path, scheme="BIO")
    rng = random.Random(0)
    # pyarrow aborts the process for some corrupted Parquet footers.
    footer = int.from_bytes(data[-8:-4], "little") if data.startswith(b"PAR1") else 0
    for _ in range(40):
        damaged = bytearray(data)
        for _ in range(4):
            damaged[rng.randrange(8, len(data) - 8 - footer)] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        # Without checksums some corruption cannot be detected.
        with contextlib.suppress(spanrs.SpanrsError, TypeError):
            spanrs.score(path, scheme="BIO")


@pytest.mark.parametrize("stream", [False, True])
def test_damaged_offsets_of_spans_are_refused(tmp_path, stream):
    # Without validation, pyarrow would read out of bounds.
    column = structs(random_spans(40), KINDS["plain"])
    path = tmp_path / "table"
    write_ipc(pa.table({"gold": column, "pred": column}), path, stream=stream)
    data = path.read_bytes()
    rng = random.Random(1)
    for _ in range(100):
        damaged = bytearray(data)
        for _ in range(3):
            damaged[rng.randrange(8, len(data))] = rng.choice((0, 127, 255))
        path.write_bytes(damaged)
        with contextlib.suppress(spanrs.SpanrsError, TypeError):
            spanrs.score(path)


def test_nulls_leave_tokens_out(small_batches, tmp_path):
    gold = [["B-A", None, "O"], [None], [], ["I-A", "O"]] * 4
    pred = [["B-A", None, "O"], ["B-A"], [], ["I-A", "O"]] * 4
    table = pa.table({"gold": pa.array(gold, STRINGS), "pred": pa.array(pred, STRINGS)})
    expected = spanrs.score(table, scheme="BIO").to_bytes()
    pq.write_table(table, tmp_path / "table")
    assert spanrs.score(tmp_path / "table", scheme="BIO").to_bytes() == expected
    pred[11] = ["I-A", None]
    pq.write_table(pa.table({"gold": table["gold"], "pred": pa.array(pred, STRINGS)}), tmp_path / "table")
    with pytest.raises(SchemeError, match="table: rows 10 to 14: row 11: pred has no tag at token 1"):
        spanrs.score(tmp_path / "table", scheme="BIO")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    # If the format is named, its first bytes are not consumed from the pipe.
    assert spanrs.read(tmp_path / "pipe", format="columns").parts[0].kind == "rows"


def test_formats_that_are_not_read(tmp_path):
    path = tmp_path / "table"
    path.write_bytes(b"FEA1\0\0\0\0xxxxFEA1")
    with pytest.raises(FormatError, match="Feather version 1, which has no lists"):
        spanrs.score(path)
    path.write_bytes(b"PARE\0\0\0\0xxxxPARE")
    assert is_table_file(path)
    with pytest.raises(FormatError, match="table: the file is truncated or damaged"):
        spanrs.score(path)
    with pytest.raises(FileNotFoundError):
        spanrs.score(tmp_path / "nothing")
