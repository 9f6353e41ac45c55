"""Columns, rows and messages of CSV files and tables."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError, SpanrsWarning
from spanrs.io import tables
from spanrs.io.tokenizer import tokenize

ROWS = "".join(f"Ada{at},{tag}\n" for at, tag in enumerate(["B-PER", "O", "O", "B-LOC"]))
LISTS = pl.DataFrame({"tokens": [["Ada", "ran"]], "tags": [["B-PER", "O"]], "ids": [[1, 0]]})
SPANS = [[{"label": "PER", "start": 0, "end": 1}]]


def csv(text: str, **options) -> list[spanrs.io.Sentence]:
    return list(spanrs.read(io.BytesIO(text.encode()), format="csv", **options))


def table(columns: dict, **options) -> list[spanrs.io.Sentence]:
    return list(spanrs.read(pl.DataFrame(columns), **options))


def test_the_column_of_one_side_is_the_column_of_tags():
    tags = ["O", "B-PER"]
    for columns in (
        {"token": ["a", "b"], "tag": tags, "x": tags[::-1]},
        {"tag": [tags], "x": [tags[::-1]]},
    ):
        for side in ("gold", "pred"):
            assert table(columns, **{side: "x"})[0].tags == {"tags": tags[::-1]}


@pytest.mark.parametrize("order", [("tag", "label"), ("label", "tag"), ("tag", "gold")])
def test_several_usual_columns_of_tags_are_refused(order):
    first, second = order
    message = f"columns '{first}' and '{second}' may both contain the tags; choose one with tags="
    with pytest.raises(FormatError, match=message):
        csv(f"token,{first},{second}\nAda,B-PER,O\n")
    for values in (["O"], [["O"]]):
        with pytest.raises(FormatError, match=message):
            table(dict.fromkeys(order, values))
    assert csv(f"token,{first},{second}\nAda,B-PER,O\n", tags=second)[0].tags["tags"] == ["O"]


@pytest.mark.parametrize("header", ["w,x", "0,1", "Form.,NE class"])
def test_unknown_headers_of_csv_are_not_tokens(header):
    with pytest.raises(FormatError, match="choose the columns with tokens= and tags="):
        csv(f"{header}\n{ROWS}")
    for columns in (
        {"tokens": 0, "tags": 1},
        dict(zip(("tokens", "tags"), header.split(","), strict=True)),
    ):
        [sentence] = csv(f"{header}\n{ROWS}", **columns)
        assert (sentence.tokens[0], sentence.tags["tags"][0], sentence.line) == ("Ada0", "B-PER", 2)
    assert csv(f"token,BIO tags\n{ROWS}") == csv(ROWS)
    with pytest.warns(
        SpanrsWarning, match="no column of tokens among w, tag; to read tokens, pass tokens="
    ):
        csv(f"w,tag\n{ROWS}")


def test_one_long_sentence_is_reported():
    long = "token,tag\n" + "a,O\n" * 60
    with pytest.warns(
        SpanrsWarning, match=r"one sentence \(60 tokens\), as no column numbers the sentences; add"
    ):
        csv(long)
    rows = {"id": [0, 0, 1], "token": ["a", "b", "c"], "tag": ["O", "O", "O"]}
    with pytest.warns(SpanrsWarning, match="rename the column 'id' to 'sentence_id'"):
        table(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        csv(long + "\nb,O\n")
        table(rows | {"id": [0, 1, 2]})


def test_text_beside_lists_is_no_column_of_tokens():
    frame = pl.DataFrame({"text": ["Ada ran"], "label": [1], "spans": SPANS})
    assert spanrs.score(frame, frame).totals.tp == 1
    with pytest.raises(FormatError, match=r"'text' is of type .*; it must contain lists of strings"):
        list(spanrs.read(frame, tokens="text"))


def test_layers_and_tokens_of_other_types_are_refused():
    with pytest.raises(FormatError, match=r"'tags' \(tags\) and 'spans' \(spans\) cannot be read together"):
        list(spanrs.read(LISTS.with_columns(spans=pl.Series(SPANS)), tags=("tags", "spans")))
    with pytest.raises(FormatError, match="it must contain lists of strings"):
        list(spanrs.read(LISTS, tokens="ids", tags="tags"))


@pytest.mark.parametrize(("start", "end"), [(0, 3), (-1, 1), (1, 1)])
def test_spans_out_of_range_are_refused_with_their_row(monkeypatch, start, end):
    monkeypatch.setattr(tables, "BATCH_ROWS", 1)
    spans = [[], [{"type": "PER", "start": start, "end": end}]]
    frame = pa.table({"tokens": [["Ada", "ran"]] * 2, "spans": pa.array(spans)})
    batches = pa.Table.from_batches(frame.to_batches(max_chunksize=1))
    with pytest.raises(
        AlignmentError, match=f"row 1: the span 'PER' from {start} to {end} is empty or out of"
    ):
        list(spanrs.read(batches))


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ([["O"], [None]], "row 1 of the column 'tags' has None"),
        ([["O"], None], "row 1 of the column"),
        ([[], None], "sentence 1 of tags is null"),
    ],
)
def test_rows_in_messages_count_from_the_table(tags, message):
    kind = pa.list_(pa.string())
    if not tags[0]:
        kind = pa.list_(pa.struct([("type", pa.string()), ("start", pa.int64()), ("end", pa.int64())]))
    chunks = pa.chunked_array([pa.array([values], kind) for values in tags])
    with pytest.raises(spanrs.SpanrsError, match=message):
        list(spanrs.read(pa.table({"tags": chunks})))


def test_places_of_long_form_are_lines_in_files_and_rows_in_tables():
    with pytest.raises(FormatError, match=r"<stream>:3: the tag is missing; give each row a tag"):
        csv("token,tag\nAda,B-PER\nran,\n")
    names = {"sentence": [0, 0, 1, 1], "token": list("abcd"), "tag": ["O"] * 4}
    second = pd.DataFrame(names | {"token": list("abcx")})
    with pytest.raises(AlignmentError, match="row 3: gold has token `d`, but <table>: row 3 "):
        spanrs.score(pd.DataFrame(names), second)


class StreamedDataset:
    """A test double of a streamed Hugging Face dataset without features."""

    features = column_names = None

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def with_format(self, _name):
        return self

    def select_columns(self, names):
        return StreamedDataset(self.table.select(names))

    def iter(self, size):
        return (self.table[at : at + size] for at in range(0, len(self.table), size))

    def __getitem__(self, key):
        raise AttributeError("num_rows")


def test_streamed_datasets_are_read():
    tags = [["B-PER", "O"]] * 3
    dataset = StreamedDataset(pa.table({"gold": tags, "pred": tags}))
    assert spanrs.score(dataset).totals.tp == 3
    assert len(list(spanrs.read(dataset, tags="gold"))) == 3


def test_compressed_parquet_is_read(tmp_path):
    pq.write_table(LISTS.to_arrow(), tmp_path / "a.parquet")
    path = tmp_path / "a.parquet.gz"
    path.write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert list(spanrs.read(path)) == table(LISTS.to_dict())


def test_integers_of_long_form_have_a_vocabulary():
    columns = {"token": ["Ada", "ran"], "tag": [1, 0]}
    assert table(columns, vocabulary=["O", "B-PER"])[0].tags["tags"] == ["B-PER", "O"]
    assert csv("token,tag\nAda,1\n", vocabulary=["O", "B-PER"])[0].tags["tags"] == ["B-PER"]
    with pytest.raises(FormatError, match="row 0: 1 is not in the vocabulary of 1 tags"):
        table(columns, vocabulary=["O"])
    with pytest.raises(
        FormatError, match="the tag is 1, not a string; give the tags of the integers with vocabulary="
    ):
        table(columns)


def test_missing_cells_name_a_cure():
    with pytest.raises(FormatError, match=r"row 1: the token is missing; .*keep_default_na=False"):
        list(spanrs.read(pd.read_csv(io.StringIO("token,tag\nAda,O\nNA,O\n"))))
    with pytest.raises(
        FormatError, match=r"row 1: the tag is missing; give each row a tag \(O outside spans\)"
    ):
        table({"token": ["a", "b"], "tag": ["O", None]})


def test_a_vocabulary_holds_for_both_sides(monkeypatch):
    labels = {"gold": ["O", "B-X"], "pred": ["O", "B-Y", "B-X"]}
    monkeypatch.setattr(tables, "class_labels", lambda _part, column: labels[column])
    frame = pa.table({"gold": [[1, 0]], "pred": [[1, 0]]})
    assert spanrs.score(frame).totals == (0, 1, 1)
    assert spanrs.score(frame, vocabulary=["O", "B-Z"]).totals == (1, 0, 0)


def test_csv_is_streamed(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("token,tag\n" + ("word,O\n" * 20 + "\n") * 5000, encoding="utf-8")
    tracemalloc.start()
    assert sum(1 for _ in spanrs.read(path, scheme="BIO")) == 5000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < path.stat().st_size
    path.write_bytes(path.read_bytes() + b"caf\xe9,O\n")
    with pytest.raises(FormatError, match=r"a.csv:105002: the file is not UTF-8"):
        list(spanrs.read(path))
    assert list(spanrs.read(path, encoding="latin-1"))[-1].tokens == ["café"]


def test_sentences_of_unknown_length_are_true():
    assert spanrs.io.Sentence(None, None, {"tags": []})
    assert not spanrs.io.Sentence([], {"tags": []})


def test_duplicate_tokens_of_documents_are_one():
    text = "Ada ran"
    tokens = [spanrs.io.Annotation("lex", *bounds) for bounds in tokenize(text)]
    [sentence] = spanrs.read(spanrs.Document(text, [*tokens, *tokens]))
    assert sentence.tokens == ["Ada", "ran"]
