"""Documents of text on the command line: units, errors, annotators; and columns of gold and pred that are not named."""

from __future__ import annotations

import json

import pytest

import spanrs
from json_output import only_system
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.errors import SpanrsWarning

TEXTS = ["Bob saw Rome", "Ada met Eve\nin Oslo"]
GOLD = [[(0, 3, "PER"), (8, 12, "LOC")], [(0, 3, "PER"), (15, 19, "LOC")]]
PRED = [[(0, 3, "PER")], [(0, 3, "PER"), (15, 19, "PER")]]


@pytest.fixture
def command(capsys):
    def call(*args):
        status = run(group, list(map(str, args)))
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def sides(tmp_path):
    """Gold and pred in doccano's format."""
    paths = []
    for name, spans in (("gold", GOLD), ("pred", PRED)):
        rows = [
            {"id": at, "text": text, "label": values}
            for at, (text, values) in enumerate(zip(TEXTS, spans, strict=True))
        ]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return paths


@pytest.fixture
def export(tmp_path):
    """Gold and pred as two annotators of an export of Label Studio."""
    tasks = []
    for at, text in enumerate(TEXTS):
        annotations = [
            {
                "completed_by": name,
                "result": [
                    {"type": "labels", "value": {"start": s, "end": e, "labels": [ty], "text": text[s:e]}}
                    for s, e, ty in spans[at]
                ],
            }
            for name, spans in (("ann", GOLD), ("ben", PRED))
        ]
        tasks.append({"id": at, "data": {"text": text}, "annotations": annotations})
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def test_documents_are_resampled_by_default(command, sides, tmp_path):
    gold, pred = sides
    status, out, err = command("score", gold, pred, "--intervals")
    assert (status, err) == (0, "")
    assert "95 % percentile of 2 documents" in out
    # Rows of documents are shown if they are named.
    assert "document " not in out
    assert "document " in command("score", gold, pred, "--intervals", "--by-document")[1]
    page = tmp_path / "page.html"
    assert command("score", gold, pred, "-o", page) == (0, "", "")
    assert "bootstrap resamples of 2 documents" in page.read_text(encoding="utf-8")
    status, out, err = command("compare", gold, pred, gold, "--json")
    assert (status, json.loads(out)["documents"]) == (0, 2)
    assert spanrs.compare(gold, {"a": pred, "b": gold}, samples=9).settings["documents"] == "2"
    assert "sentences" in spanrs.compare([["B-A"]] * 2, {"a": [["O"]] * 2, "b": [["O"]] * 2}).settings
    for args in (
        ("score", gold, pred, "--by-sentence"),
        ("compare", gold, pred, gold, "--unit", "sentence"),
    ):
        status, _, err = command(*args)
        assert status == 2
        assert "use by='document' (--by-document, or --unit document of spanrs compare)" in err


def test_aligned_characters_are_resampled_by_document(command, tmp_path):
    for name, last in (("gold", "B-A"), ("pred", "O")):
        text = f"-DOCSTART- O\n\na B-A\n\nb O\n\n-DOCSTART- O\n\nc {last}\n"
        (tmp_path / name).write_text(text)
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    status, out, _ = command("compare", gold, pred, gold, "--align", "characters", "--json")
    assert (status, json.loads(out)["documents"]) == (0, 2)
    comparison = spanrs.compare(gold, {"a": pred, "b": gold}, align="characters", samples=9)
    assert comparison.documents == 2
    gold.write_text("a B-A\n\nb O\n")
    pred.write_text("a B-A\n\nb B-A\n")
    err = command("compare", gold, pred, gold, "--align", "characters")[2]
    assert "is one document, but a test needs at least two" in err
    err = command("score", gold, pred, "--align", "characters", "--intervals")[2]
    assert "--intervals resamples documents and needs at least two, but there is 1 document" in err


@pytest.mark.parametrize("options", [(), ("--align", "characters")])
def test_errors_have_characters_and_their_text(command, sides, options):
    status, out, _ = command("score", *sides, "--errors", *options)
    assert status == 0
    assert '  document 0: gold characters 8 to 12: "Bob saw [Rome]"\n' in out
    assert '  document 1: gold characters 15 to 19, pred characters 15 to 19: "in [Oslo]"\n' in out
    lines = command("score", *sides, "--errors", "--to", "jsonl", *options)[1].splitlines()
    assert {(row["path"], row["first"], *row["tokens"]) for row in map(json.loads, lines)} == {
        ("0", 0, "Bob saw Rome"),
        ("1", 12, "in Oslo"),
    }


def test_two_annotators_of_an_export(command, sides, export):
    expected = spanrs.score(*sides).totals
    status, out, err = command(
        "score", export, "--gold-annotator", "ann", "--pred-annotator", "ben", "--json"
    )
    assert (status, err) == (0, "")
    assert only_system(out)["micro"]["support"] == expected.tp + expected.fn
    assert only_system(out)["micro"]["recall"] == expected.tp / (expected.tp + expected.fn)
    mixed = command("score", sides[0], export, "--pred-annotator", "ben", "--json")
    assert only_system(mixed[1])["micro"] == only_system(out)["micro"]
    assert "--gold-annotator ann --pred-annotator ben" in command("score", export)[2]
    assert "specify both" in command("score", export, "--gold-annotator", "ann")[2]
    err = command("score", export, export)[2]
    assert "gold and pred are the same file" in err
    assert "1 other annotator is not read (ben)" in err


def test_documents_are_not_tagged(command, sides, tmp_path):
    train = tmp_path / "train"
    train.write_text("a B-A\nb O\n\nc B-A\n")
    command("crf", "train", train, "-o", tmp_path / "model")
    status, _, err = command("crf", "tag", tmp_path / "model", sides[0])
    assert status == 2
    assert "spanrs.write(FILE, 'tokens.conll')" in err


def test_columns_of_a_file_with_more_than_three(command, tmp_path):
    path = tmp_path / "both"
    path.write_text("EU NNP B-NP B-ORG\nrejects VBZ B-VP O\n\n" * 3)
    columns = r"of 4 columns, numbered from 0, column 2 is read as gold and column 3 as pred"
    with pytest.warns(SpanrsWarning, match=f"{columns}, but they have no type in common"):
        spanrs.score(path)
    path.write_text("EU NNP B-ORG B-ORG\nrejects VBZ O O\n\n" * 3)
    _, _, err = command("score", path)
    assert err.startswith(
        "spanrs: note: of 4 columns, numbered from 0, column 2 is read as gold and column 3 as pred"
    )
    assert command("score", path, "--gold-column", 2, "--pred-column", 3)[2] == ""
    path.write_text("EU B-ORG B-ORG\nrejects O O\n")
    assert command("score", path)[2] == ""


def test_a_pattern_of_names_selects_files_of_both_sides(spanrs, tmp_path):
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        for name in ("1.conll", "2.conll"):
            (tmp_path / side / name).write_text("a B-X\nb I-X\n")
    sides = (tmp_path / "gold", tmp_path / "pred")
    status, out, _ = spanrs("score", *sides, "--file-re", "1.*")
    assert (status, "of 2 tokens" in out) == (0, True)
    status, _, err = spanrs("score", *sides, "--file-re", "x")
    assert (status, "--file-re 'x' matches no file of pred, such as 1.conll" in err) == (2, True)
