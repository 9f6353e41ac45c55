"""Annotations in a file or directory of each annotator, of any format."""

from __future__ import annotations

import io
import json

import pytest

import spanrs
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.crowd import consensus, crowd_corpus, read_table
from spanrs.crowd.files import TABLE
from spanrs.crowd.reading import source_names
from spanrs.errors import AlignmentError, FormatError, SpanrsWarning

TEXTS = ["Bob saw Rome", "Eve left", "Ada met Bob\nin Oslo"]
ANN = [[(0, 3, "PER"), (8, 12, "LOC")], [(0, 3, "PER")], [(0, 3, "PER"), (15, 19, "LOC")]]
BEN = [[(0, 3, "PER")], [(0, 3, "PER")], [(0, 3, "PER"), (15, 19, "LOC")]]


def doccano(path, spans, ids=(1, 2, 3), which=(0, 1, 2)):
    """Write the chosen documents; without ids in doccano's older form."""
    rows = [
        {"text": TEXTS[at], "label": [list(s) for s in spans[at]]} | ({"id": ids[at]} if ids else {})
        for at in which
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def brat(folder, spans):
    """Write a folder with a document for each text."""
    folder.mkdir()
    for at, text in enumerate(TEXTS):
        lines = [f"T{n}\t{ty} {s} {e}\t{text[s:e]}\n" for n, (s, e, ty) in enumerate(spans[at], 1)]
        (folder / f"d{at}.ann").write_text("".join(lines), encoding="utf-8")
        (folder / f"d{at}.txt").write_text(text, encoding="utf-8")
    return folder


def content(corpus):
    """The labels of each annotator by the tokens of the sentence."""
    lines = [" ".join(tokens) for tokens in corpus.sentences]
    return {name: dict(zip(lines, corpus.labels_by(name), strict=True)) for name in corpus.annotators}


@pytest.fixture
def expected(tmp_path):
    corpus = crowd_corpus([doccano(tmp_path / "ann.jsonl", ANN), doccano(tmp_path / "ben.jsonl", BEN)])
    assert (corpus.annotators, len(corpus)) == (["ann", "ben"], 4)
    return content(corpus)


def test_documents_are_those_of_any_format(tmp_path, expected):
    folders = {"ann": brat(tmp_path / "a", ANN), "ben": brat(tmp_path / "b", BEN)}
    assert content(crowd_corpus(folders)) == expected
    assert content(crowd_corpus({"ann": tmp_path / "ann.jsonl", "ben": folders["ben"]})) == expected
    several = [tmp_path / "ann.jsonl", tmp_path / "ben.jsonl", folders["ben"]]
    assert content(crowd_corpus(several, annotators=["ann", "ben", "b"]))["b"] == expected["ben"]
    corpora = [spanrs.read(path) for path in folders.values()]
    assert spanrs.agreement(corpora).pairs[0].f1 == pytest.approx(8 / 9)


@pytest.mark.parametrize("ids", [(3, 2, 1), (7, 8, 9), None])
def test_ids_that_number_other_texts_do_not_pair(tmp_path, expected, ids):
    doccano(tmp_path / "ben.jsonl", BEN, ids, which=(2, 0, 1))
    assert content(crowd_corpus([tmp_path / "ann.jsonl", tmp_path / "ben.jsonl"])) == expected


def test_documents_that_an_annotator_lacks(tmp_path, expected):
    doccano(tmp_path / "ben.jsonl", BEN, which=(2, 0))
    with pytest.warns(SpanrsWarning, match="1 of 4 sentences have one annotator"):
        corpus = content(crowd_corpus([tmp_path / "ann.jsonl", tmp_path / "ben.jsonl"]))
    assert corpus == {"ann": expected["ann"], "ben": expected["ben"] | {"Eve left": None}}
    doccano(tmp_path / "ann.jsonl", ANN, which=(1,))
    with pytest.raises(AlignmentError, match="no two annotators have a document in common"):
        crowd_corpus([tmp_path / "ann.jsonl", tmp_path / "ben.jsonl"])


def test_other_texts_are_refused(tmp_path):
    # A directory alone has a file of each annotator.
    with pytest.raises(AlignmentError, match="the tokens of d1 differ from those of d0"):
        crowd_corpus(brat(tmp_path / "a", ANN))


def test_command(tmp_path, expected, capsys):
    def spanrs_crowd(*args):
        prefix = [] if args[0] == "agreement" else ["crowd"]
        status = run(group, [*prefix, *map(str, args)])
        return status, *capsys.readouterr()

    (tmp_path / "x").mkdir()
    doccano(tmp_path / "x" / "ann.jsonl", BEN)
    status, out, err = spanrs_crowd(
        "agreement", tmp_path / "ann.jsonl", tmp_path / "x" / "ann.jsonl", "--json"
    )
    assert (status, err) == (0, "")
    [pair] = json.loads(out)["pairs"]
    assert pair["f1"] == pytest.approx(8 / 9)
    out = tmp_path / "truth.conll"
    status, _, err = spanrs_crowd(
        "aggregate", brat(tmp_path / "a", ANN), brat(tmp_path / "b", ANN), "-o", out
    )
    assert (status, err) == (0, "")
    assert out.read_text().split("\n\n")[0] == "Bob\tB-PER\nsaw\tO\nRome\tB-LOC"


ROWS = [
    *(("ann", "d", "Bob", "B-PER"), ("ann", "d", "saw", "O"), ("ann", "d", "Rome", "B-LOC")),
    *(("ben", "d", "Bob", "B-PER"), ("ben", "d", "saw", "O"), ("ben", "d", "Rome", "O")),
]
LABELS = {"ann": ["B-PER", "O", "B-LOC"], "ben": ["B-PER", "O", "O"]}


def by_annotator(corpus):
    assert corpus.sentences == [["Bob", "saw", "Rome"]]
    return {name: labels[0] for name in corpus.annotators for labels in [corpus.labels_by(name)]}


def test_tables_in_long_form_are_recognised(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    table = pa.table(dict(zip(TABLE, zip(*ROWS, strict=True), strict=True)))
    parquet.write_table(table, tmp_path / "long.parquet")
    feather.write_feather(table, tmp_path / "long.arrow", compression="uncompressed")
    lines = [",".join(row) for row in (TABLE, *ROWS)]
    (tmp_path / "long.csv").write_text("\n".join(lines), encoding="utf-8")
    sources = [tmp_path / "long.parquet", tmp_path / "long.csv", table, table.to_pydict()]
    for source in sources:
        assert by_annotator(crowd_corpus(source)) == LABELS
    for name in ("long.parquet", "long.arrow"):
        assert by_annotator(read_table(tmp_path / name)) == LABELS
    corpus = crowd_corpus(table)
    assert crowd_corpus(corpus) is corpus
    with pytest.raises(ValueError, match="a table contains the names of annotators"):
        crowd_corpus(tmp_path / "long.csv", annotators=["ann", "ben"])
    parquet.write_table(
        table.rename_columns(["annotator", "text", "token", "label"]), tmp_path / "other.parquet"
    )
    with pytest.raises(FormatError, match="no column document among annotator, text, token, label"):
        crowd_corpus(tmp_path / "other.parquet")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1")
    with pytest.raises(FormatError, match=r"damaged\.parquet"):
        read_table(tmp_path / "damaged.parquet")


def test_tables_that_are_no_tables_say_why(tmp_path):
    path = tmp_path / "long.csv"
    for text, message in [
        ("annotator;document;token;label\nann;d;Bob;O\n", "columns are separated by semicolons"),
        ("annotator,document,token,label\nann,d,Bob\n", "there must be 4 values"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match=message):
            read_table(path)
    columns = dict(zip(TABLE, zip(*ROWS, strict=True), strict=True))
    with pytest.raises(FormatError, match="the columns of the table differ in length"):
        read_table(columns | {"label": ["O"]})
    with pytest.raises(ValueError, match="partial must be error or drop, not 'keep'"):
        read_table(columns, partial="keep")


def test_column_files_of_annotators_may_differ_in_their_format(tmp_path):
    ann, ben = tmp_path / "ann.conll", tmp_path / "ben.tsv"
    ann.write_text("Bob B-PER\nsaw O\nRome B-LOC\n", encoding="utf-8")
    ben.write_text("Bob\tNN\tB-PER\nsaw\tVB\tO\nRome\tNN\tO\n", encoding="utf-8")
    sources = [spanrs.read(ann), spanrs.read(ben, tags=2)]
    assert by_annotator(crowd_corpus(sources)) == LABELS
    assert by_annotator(crowd_corpus({"ann": ann, "ben": sources[1]})) == LABELS
    streams = [spanrs.read(io.BytesIO(path.read_bytes())) for path in (ann, ann)]
    assert crowd_corpus(streams).annotators == ["1", "2"]
    with pytest.raises(
        FormatError, match="2 sources has one annotator, but the names of annotators are a, a"
    ):
        crowd_corpus(sources, annotators=["a", "a"])
    ben.write_text("Bob\tNN\tB-PER\nran\tVB\tO\n", encoding="utf-8")
    with pytest.raises(
        AlignmentError, match=r"ben\.tsv: sentence 0 differs from sentence 0 of .*ann\.conll"
    ):
        crowd_corpus(sources)
    ben.write_text("Bob\tNN\tB-PER\nsaw\tVB\t?\nRome\tNN\tO\n", encoding="utf-8")
    with pytest.raises(FormatError, match="sentence 0: 2 only labelled part of this sentence"):
        crowd_corpus(sources, annotators=["1", "2"], missing="?")


def test_sources_without_names_of_annotators_are_refused(tmp_path):
    spans = tmp_path / "spans.csv"
    spans.write_text("PER,0,0,Bob\n\nLOC,2,2,Rome\n", encoding="utf-8")
    with pytest.raises(FormatError, match="spans and records have no labels of several annotators"):
        crowd_corpus(spanrs.read(spans, format="spans"))
    path = doccano(tmp_path / "ann.jsonl", ANN)
    with pytest.raises(FormatError, match="doccano does not contain names of annotators"):
        crowd_corpus(path)
    with pytest.raises(FormatError, match="no annotator eve; the annotators are ann, ben"):
        crowd_corpus(prodigy(tmp_path / "export.jsonl"), annotators=["eve"])


def prodigy(path):
    """Write an export with two annotators."""
    records = [
        {"text": "Bob", "spans": [{"start": 0, "end": 3, "label": "PER"}], "_annotator_id": name}
        for name in ("ann", "ben")
    ]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def test_names_are_unique():
    assert source_names(["x/ann.jsonl.gz", "x/ben.jsonl"]) == ["ann", "ben"]
    assert source_names(["ann/x.jsonl", "ben/x.jsonl"]) == ["ann/x", "ben/x"]
    assert source_names(["x.jsonl", "x.conll"]) == ["x.jsonl", "x.conll"]


def test_a_directory_may_have_a_directory_for_each_annotator(tmp_path, expected):
    (tmp_path / "project").mkdir()
    brat(tmp_path / "project" / "ann", ANN)
    brat(tmp_path / "project" / "ben", BEN)
    assert content(crowd_corpus(tmp_path / "project")) == expected
    assert spanrs.agreement(tmp_path / "project").annotators == ["ann", "ben"]


def test_an_annotator_given_twice_is_refused(tmp_path, expected):
    path = tmp_path / "ann.jsonl"
    with pytest.raises(FormatError, match=r"ann\.jsonl is given twice"):
        spanrs.agreement({"ann": path, "ben": path})
    with pytest.raises(FormatError, match="there are no annotators"):
        spanrs.agreement({})


def test_scripts_without_spaces_are_split_into_characters(tmp_path):
    """Names in Chinese text, whose sentences contain no spaces, are not lost."""
    document = spanrs.Document("李伟和王芳在北京见面。", [("PER", 0, 2), ("PER", 3, 5), ("LOC", 6, 8)], "1")
    result = consensus({"ann": [document], "ben": [document]}, "MVtoken")
    spans = [(a.type, a.start, a.end) for a in result.documents[0].annotations if a.is_content]
    assert spans == [("PER", 0, 2), ("PER", 3, 5), ("LOC", 6, 8)]
    assert spanrs.agreement({"ann": [document], "ben": [document]}).pairs[0].positions == 11
