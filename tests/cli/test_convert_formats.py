"""``spanrs convert --to FORMAT``: one command for a project, with the list of what is lost."""

from __future__ import annotations

import json

import pytest

from annotation_project import documents
from spanrs.cli import group
from spanrs.cli.run import run
from spanrs.io import write


@pytest.fixture
def project(tmp_path):
    """A thousand documents by two annotators, with relations, attributes and metadata."""
    tasks = []
    for number in range(1000):
        value = {"start": 0, "end": 3, "text": "Bob", "labels": ["PER"]}
        other = {"start": 8, "end": 12, "text": "Rome", "labels": ["LOC"]}
        regions = [
            {"id": "a", "type": "labels", "value": value},
            {"id": "b", "type": "labels", "value": other},
        ]
        relation = {
            "type": "relation",
            "from_id": "a",
            "to_id": "b",
            "direction": "right",
            "labels": ["sees"],
        }
        sure = {"id": "a", "type": "choices", "from_name": "sure", "value": {"choices": ["yes"]}}
        annotations = [
            {"completed_by": {"email": "ann@x.org"}, "result": [*regions, relation, sure]},
            {"completed_by": {"email": "bob@x.org"}, "result": regions},
        ]
        tasks.append(
            {"id": number, "data": {"text": "Bob saw Rome", "page": number}, "annotations": annotations}
        )
    path = tmp_path / "project.json"
    path.write_text(json.dumps(tasks))
    return path


def test_a_project_is_converted_by_one_command(project, tmp_path, capsys):
    target = tmp_path / "out"
    assert run(group.group, ["convert", str(project), "--to", "webanno-tsv", "-o", str(target)]) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[:-1] == [
        "not written to webanno-tsv: annotators other than the first of a document: 1000, first in document 0",
        "not written to webanno-tsv: annotations by annotators that are not written: 2000, first in document 0",
        "not written to webanno-tsv: names of annotators: 1000, first in document 0",
        "not written to webanno-tsv: documents with metadata: 1000, first in document 0",
    ]
    assert told[-1] == (
        "spanrs: error: webanno-tsv cannot represent everything; pass --lossy to write without it"
    )
    assert not target.exists()
    assert (
        run(group.group, ["convert", str(project), "--to", "webanno-tsv", "--lossy", "-o", str(target)])
        == 0
    )
    assert f"{target}: 1,000 documents, webanno-tsv" in capsys.readouterr().err
    assert len(list(target.iterdir())) == 1000


def test_a_format_without_losses_needs_no_option(project, tmp_path, capsys):
    assert (
        run(group.group, ["convert", str(project), "--to", "gate-xml", "-o", str(tmp_path / "gate")]) == 0
    )
    back = ["convert", str(tmp_path / "gate"), "--to", "label-studio", "-o", str(tmp_path / "back.json")]
    assert run(group.group, back) == 0
    assert len(json.loads((tmp_path / "back.json").read_text())) == 1000
    assert "warning" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--lossy"], "choose a format with --to"),
        (["--to-scheme", "BIO", "--lossy"], "--lossy needs a format"),
        (["--to", "gate-xml", "-o", "taken"], "the directory is not empty"),
        (["--to", "gate-xml"], "gate-xml has one document per file"),
        (["--to", "docx"], "'docx' is not one of 'columns'"),
        (["--to", "brat", "-o", "input"], "input"),
    ],
)
def test_mistakes_are_met_with_advice(args, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("")
    write(documents()[:3], "input", to="csv-spans")
    assert run(group.group, ["convert", "input", *args]) == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["input", "taken"]
