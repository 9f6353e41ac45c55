"""Written corpora are read back unchanged, or refused, or their losses are listed."""

from __future__ import annotations

import io
import re

import pyarrow
import pytest

import spanrs
from spanrs.errors import FormatError, SpanrsWarning
from spanrs.io import Annotation, Document
from spanrs.tags import Dialect


def spans(corpus) -> list:
    return [{layer: list(values) for layer, values in sentence.spans.items()} for sentence in corpus]


def table(tokens, **layers) -> pyarrow.Table:
    return pyarrow.table({"tokens": tokens, **layers})


@pytest.mark.parametrize("to", ["columns", "conllu", "csv", "parquet", "arrow"])
@pytest.mark.parametrize(
    ("tags", "options"),
    [
        ("a I-X\nb I-X\n", {"scheme": "BIO", "reading": "strict"}),
        ("a B_X-Y\nb O\n", {"dialect": Dialect(separator="_")}),
        ("a B-X\nb I-X\nc S-Y\n", {"scheme": "BIO"}),
    ],
)
def test_options_read_the_same_spans(to, tags, options, tmp_path):
    corpus = spanrs.read(io.BytesIO(tags.encode()), **options)
    documents_read = spanrs.write(corpus, tmp_path / "file", to=to)
    assert spans(spanrs.read(tmp_path / "file", **documents_read.options)) == spans(corpus)


def test_schemes_are_written_in_any_spelling(tmp_path):
    corpus = spanrs.read(io.BytesIO(b"a B-X\nb I-X\nc I-Y\n"), scheme="BIO")
    spanrs.write(corpus, tmp_path / "a", to="columns", scheme="bio")
    assert (tmp_path / "a").read_text() == "a\tB-X\nb\tI-X\nc\tI-Y\n\n"


@pytest.mark.parametrize("to", ["csv", "parquet"])
def test_a_single_layer_with_a_name_is_read_back(to, tmp_path):
    corpus = spanrs.read(table([["a"]], x=[["B-A"]]), tags=("x",))
    documents_read = spanrs.write(corpus, tmp_path / "file", to=to)
    assert spans(spanrs.read(tmp_path / "file", **documents_read.options)) == spans(corpus)


@pytest.mark.parametrize(
    ("to", "token", "tag", "message"),
    [
        (
            "columns",
            "# newdoc",
            "O",
            "token 0: a line that begins with '# newdoc' may be read as a comment",
        ),
        ("stacked", "# a = b", "O", "may be read as a comment or a document boundary; write conllu"),
        ("columns", "-DOCSTART-", "O", "may be read as a comment"),
        ("stacked", "a", "B-X\tY", "the type: 'X\\\\tY' cannot be written in one column"),
        ("conllu", "a", "B-X\tY", "cannot be written in the column MISC"),
        ("csv", "a", "B-X Y", "cannot be written in a cell of CSV; write parquet"),
        ("spans", "a", "B-NONE", "'NONE' marks sentences without spans in this format; rename it"),
        ("stacked", "a", "B-NONE", "'NONE' marks sentences without spans"),
        ("spans", "a", "B-EMPTY", "'EMPTY' marks sentences without spans"),
    ],
)
def test_what_would_be_read_as_something_else_is_refused(to, token, tag, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        spanrs.write(table([[token]], tags=[[tag]]), tmp_path / "file", to=to)
    assert list(tmp_path.iterdir()) == []


def test_span_files_list_the_names_of_documents(tmp_path):
    with pytest.warns(SpanrsWarning, match="ids of documents: 1, first in document name"):
        spanrs.write(Document("a", [Annotation("X", 0, 1)], "name"), tmp_path / "file", to="spans")


@pytest.mark.parametrize(
    ("to", "layers", "message"),
    [
        ("csv", ("token", "x"), "a column called 'token' is not read as a layer; rename"),
        ("csv", ("x", "Document"), "'Document' is not read as a layer"),
        ("parquet", ("tokens", "x"), "'tokens' is not read as a layer"),
        ("conllu", ("a b", "a_b"), "'a b' and 'a_b' have the same key 'a_b' in the column MISC"),
    ],
)
def test_layers_that_collide_are_refused(to, layers, message, tmp_path):
    source = pyarrow.table({"words": [["a"]]} | {layer: [["O"]] for layer in layers})
    with pytest.raises(FormatError, match=message):
        spanrs.write(spanrs.read(source, tokens="words", tags=layers), tmp_path / "file", to=to)


@pytest.mark.parametrize("to", ["columns", "stacked", "parquet"])
def test_parts_with_other_layers_are_named(to, tmp_path):
    from pyarrow import parquet

    first, second = (str(tmp_path / name) for name in ("1.parquet", "2.parquet"))
    parquet.write_table(table([["a"]], gold=[["O"]], pred=[["O"]]), first)
    parquet.write_table(table([["a"]], tags=[["O"]]), second)
    with pytest.raises(
        FormatError, match=r"2\.parquet has the layers tags, but .*1\.parquet has gold, pred"
    ):
        spanrs.write([first, second], tmp_path / "file", to=to)


ATTRIBUTES = {"k": "a\nb\t<c\r", "a b": "x", "c": "\x01", "_mat:id": "7", "größe": "2", "empty": ""}


@pytest.mark.parametrize(
    ("name", "kept", "lost"),
    [
        (
            "a.xml",
            {"k": "a\nb\t<c\r", "a_b": "x", "_mat_id": "7", "größe": "2", "empty": ""},
            ["names of attributes .*replaced by _: 2", "control character: 1"],
        ),
        (
            "a.ann",
            {"k": "a b <c", "a_b": "x", "c": "\x01", "_mat:id": "7", "größe": "2"},
            ["values with line ends or tabs, replaced by spaces: 1", "attributes with an empty value: 1"],
        ),
    ],
)
def test_attributes_are_read_back_or_listed(name, kept, lost, tmp_path):
    document = Document("Bob ate", [Annotation("PER", 0, 3, ATTRIBUTES)])
    with pytest.warns(SpanrsWarning) as caught:
        actual = spanrs.write(document, tmp_path / name)
    told = " ".join(str(warning.message) for warning in caught)
    assert all(re.search(message, told) for message in lost)
    [back] = spanrs.read(tmp_path / name, **actual.options).documents
    assert back.annotations[0].attributes == kept


def test_line_ends_at_the_bounds_of_annotations_of_brat_are_removed_and_listed(tmp_path):
    document = Document("a\r b\tc", [Annotation("X", 0, 2), Annotation("Y", 3, 6)])
    with pytest.warns(SpanrsWarning, match="not written to brat: .*line ends"):
        spanrs.write(document, tmp_path / "a.ann")
    [back] = spanrs.read(tmp_path / "a.ann").documents
    assert back.spans() == [("X", 0, 1), ("Y", 3, 6)]


def test_nothing_is_written_where_one_document_cannot_be(tmp_path):
    bad = Document("a\x01b")
    with pytest.raises(FormatError, match=r"document 0: .*control character.* mat-json"):
        spanrs.write(bad, tmp_path / "a.xml")
    with pytest.raises(FormatError, match="document 1"):
        spanrs.write([Document("a"), bad], tmp_path / "new", to="xml-inline")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="document 1"):
        spanrs.write([Document("a"), bad], tmp_path / "empty", to="xml-inline")
    assert list((tmp_path / "empty").iterdir()) == []


def test_names_that_brat_does_not_allow_are_replaced_and_listed(tmp_path):
    document = Document("a b", [("X Y", 0, 1), ("Y", 2, 3)], relations=[("has part", 0, 1)])
    with pytest.warns(SpanrsWarning, match="not written to brat: types .*white space"):
        spanrs.write(document, tmp_path / "a.ann")
    [back] = spanrs.read(tmp_path / "a.ann").documents
    assert back.spans() == [("X_Y", 0, 1), ("Y", 2, 3)]
    assert [relation.type for relation in back.relations] == ["has_part"]


def test_documents_of_a_directory_are_numbered(tmp_path):
    documents = [Document("abc", [("X", 0, 2), ("Y", 1, 3)] if at == 11 else []) for at in range(12)]
    with pytest.warns(SpanrsWarning, match="annotations that cross others: 1, first in document 11"):
        spanrs.write(documents, tmp_path / "all", to="xml-inline")
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == [
        f"{at:02}.xml" for at in range(12)
    ]
