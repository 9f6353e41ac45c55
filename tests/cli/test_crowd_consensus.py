"""``spanrs crowd aggregate`` and ``fit`` for annotation projects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import spanrs
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.io import Annotation, Document

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "project"
EXPORT, GOLD = EXAMPLES / "label-studio.json", EXAMPLES / "gold.jsonl"
VOTE = ("--aggregator", "MVtoken")


@pytest.fixture
def aggregate(capsys):
    def call(*args, command="aggregate"):
        status = run(group, ["crowd", command, *map(str, args)])
        message = capsys.readouterr()
        return status, message.out, message.err

    return call


def test_the_consensus_is_written_in_the_format_of_the_export(tmp_path, aggregate):
    status, out, err = aggregate(EXPORT, "-o", tmp_path / "out.json", *VOTE)
    assert status == 0
    head, answers, layers, *_ = out.splitlines()
    assert head == "19 documents, 19 sentences, 47 annotations, labels estimated by MVtoken"
    assert answers == "3 annotators; skipped answers: 6; unanswered documents: 2"
    assert layers == "types with overlapping spans are estimated separately: EVENT, ORG, PER | LOC"
    assert (
        "note: 2 of 19 documents have no consensus, because no annotator answered: written without" in err
    )
    tasks = json.loads((tmp_path / "out.json").read_text())
    original = json.loads(EXPORT.read_text())
    assert [(task["id"], task["data"]) for task in tasks] == [(t["id"], t["data"]) for t in original]
    # Task 18 was skipped by all annotators, task 19 is not annotated, and in task 17 there is nothing to annotate.
    assert [len(task["annotations"]) for task in tasks] == [1] * 17 + [0, 0]
    regions = [region for task in tasks for made in task["annotations"] for region in made["result"]]
    assert tasks[16]["annotations"][0]["result"] == []
    assert all(0 < region["score"] <= 1 for region in regions)
    bounds = [(r["value"]["start"], r["value"]["end"]) for r in tasks[0]["annotations"][0]["result"]]
    assert any(a != b and b[0] <= a[0] and a[1] <= b[1] for a in bounds for b in bounds)


def test_json_and_report(tmp_path, aggregate):
    status, out, _ = aggregate(EXPORT, "--known", GOLD, "--json")
    parsed = json.loads(out)
    assert status == 0
    names = ("documents", "sentences", "annotations", "skipped_answers", "known_sentences", "layers")
    assert [parsed[name] for name in names] == [19, 19, 47, 6, 5, [["EVENT", "ORG", "PER"], ["LOC"]]]
    rows = {row["annotator"]: row for row in parsed["annotators"]}
    # Each sentence counts once, although there are two layers.
    assert (rows["ann@example.org"]["sentences"], rows["cy@example.org"]["sentences"]) == (17, 14)
    assert aggregate(EXPORT, *VOTE, "--report", tmp_path / "page.html")[0] == 0
    assert "cy@example.org" in (tmp_path / "page.html").read_text()


def test_known_documents(tmp_path, aggregate):
    status, out, _ = aggregate(EXPORT, *VOTE, "--known", GOLD, "-o", tmp_path / "out.json")
    assert status == 0
    assert out.splitlines()[1].endswith("; known documents: 5")
    [gold, *_] = map(json.loads, GOLD.read_text().splitlines())
    [made] = json.loads((tmp_path / "out.json").read_text())[0]["annotations"]
    found = {
        (r["value"]["start"], r["value"]["end"], r["value"]["labels"][0], r["score"])
        for r in made["result"]
    }
    assert found == {(*span, 1.0) for span in gold["label"]}
    status, out, _ = aggregate(EXPORT, *VOTE, "--known-annotator", "ann@example.org", "--json")
    assert [row["annotator"] for row in json.loads(out)["annotators"]] == [
        "cy@example.org",
        "ben@example.org",
    ]
    status, _, err = aggregate(EXPORT, "--known", GOLD, "-o", tmp_path / "model", command="fit")
    assert (status, (tmp_path / "model").exists()) == (0, True)
    assert "spans that share tokens with others" in err


def test_documents_with_too_few_annotators(tmp_path, aggregate):
    arguments = (EXPORT, *VOTE, "--min-annotators", 3, "-o", tmp_path / "out.jsonl")
    status, _, err = aggregate(*arguments, "--output-format", "doccano")
    assert status == 0
    assert (
        "note: 6 of 19 documents have no consensus, because too few annotators answered: not written" in err
    )
    assert "note: doccano has no place for the confidence of annotations, so it is not written" in err
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 13


def test_columns_leave_out_sentences_without_a_consensus(tmp_path, aggregate):
    path = tmp_path / "answers.txt"
    path.write_text("Bob B-PER B-PER\n\nEve B-PER ?\n", encoding="utf-8")
    status, _, err = aggregate(path, *VOTE, "--min-annotators", 2, "-o", tmp_path / "o")
    assert (status, (tmp_path / "o").read_text()) == (0, "Bob\tB-PER\n\n")
    assert (
        "note: 1 of 2 sentences have no consensus, because too few annotators answered: not written" in err
    )


def test_files_of_annotators_are_written_in_their_format(tmp_path, aggregate):
    document = Document("Bob saw Rome", [Annotation("PER", 0, 3), Annotation("EVENT", 0, 12)], name="one")
    for name in ("ann", "ben"):
        spanrs.write([document, Document("Eve left", name="two")], tmp_path / name, to="brat")
    (tmp_path / "out").mkdir()
    status, _, err = aggregate(tmp_path / "ann", tmp_path / "ben", *VOTE, "-o", tmp_path / "out")
    assert (status, err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "one.ann",
        "one.txt",
        "two.ann",
        "two.txt",
    ]
    assert "#1\tAnnotatorNotes T1\tconfidence 1.0000" in (tmp_path / "out" / "one.ann").read_text()
    status, _, err = aggregate(tmp_path / "ann", tmp_path / "ben", *VOTE, "-o", tmp_path / "out")
    assert status == 2
    assert "is not empty; choose another directory" in err


def test_output_to_standard_output(aggregate):
    status, out, err = aggregate(EXPORT, *VOTE, "-o", "-", "--output-format", "prodigy")
    assert status == 0
    assert len([json.loads(line) for line in out.splitlines()]) == 19
    assert "annotator" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "FOLDER"], "is a directory; choose a file, because the format is label-studio"),
        (["-o", "EXPORT"], "is also an input; choose another output file"),
        (["--known", "GOLD", "-o", "GOLD"], "is also an input; choose another output file"),
        (["-o", "x.jsonl"], "the source is label-studio, but .jsonl is the suffix of another format"),
        (["-o", "x.zip"], "the source is label-studio, but .zip is the suffix of another format"),
        (
            ["-o", "x.conll"],
            "columns cannot represent everything; to write without it, pass lossy=True (--lossy)",
        ),
        (["-o", "x.json", "--probabilities"], "--probabilities is a column of columns"),
        (["--output-format", "brat"], "--output-format needs an output file (-o)"),
        (["--lossy"], "--lossy needs an output file (-o)"),
        (["--known", "OTHER"], "is among the 1 known documents: neither ids nor texts are equal"),
        (["--known", "WRONG"], "document 2: its text differs from the text of flood-memorial"),
        (["--known", "FOLDER/none"], "no such file"),
        (
            ["--known-annotator", "eve"],
            "no annotator eve with known answers; the annotators are ann@example.org",
        ),
        (["--min-annotators", "0"], "--min-annotators"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_errors(tmp_path, aggregate, arguments, message, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.jsonl").write_text('{"text": "Bob", "label": [], "id": 99}')
    (tmp_path / "wrong.jsonl").write_text('{"text": "Bob", "label": [], "id": 2}')
    (tmp_path / "export.json").write_bytes(EXPORT.read_bytes())
    (tmp_path / "gold.jsonl").write_bytes(GOLD.read_bytes())
    names = {"EXPORT": "export.json", "OTHER": "other.jsonl", "WRONG": "wrong.jsonl", "FOLDER": "."}
    names |= {"GOLD": "gold.jsonl", "FOLDER/none": "none"}
    before = sorted(tmp_path.iterdir())
    status, out, err = aggregate("export.json", *VOTE, *(names.get(item, item) for item in arguments))
    assert (status, out) == (2, "")
    assert message in err
    assert sorted(tmp_path.iterdir()) == before


def test_an_export_without_annotators(tmp_path, aggregate):
    status, _, err = aggregate(GOLD)
    assert status == 2
    assert "doccano does not contain names of annotators" in err
