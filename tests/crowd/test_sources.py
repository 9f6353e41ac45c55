"""Annotations in a file or directory of each annotator, of any format."""

from __future__ import annotations

import json

import pytest

import spanrs
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.crowd import Agreement, crowd_corpus
from spanrs.crowd.reading import source_names
from spanrs.errors import AlignmentError, SpanrsWarning

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
    assert Agreement([spanrs.read(path) for path in folders.values()]).pairs[0].f1 == pytest.approx(8 / 9)


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
        status = run(group, ["crowd", *map(str, args)])
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


def test_names_are_unique():
    assert source_names(["x/ann.jsonl.gz", "x/ben.jsonl"]) == ["ann", "ben"]
    assert source_names(["ann/x.jsonl", "ben/x.jsonl"]) == ["ann/x", "ben/x"]
    assert source_names(["x.jsonl", "x.conll"]) == ["x.jsonl", "x.conll"]
