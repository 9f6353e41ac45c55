"""``spanrs crowd next``."""

from __future__ import annotations

import csv
import io
import json

import pytest

from noisy_crowd import noisy
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.crowd import (
    BSCSeq,
    correlated_annotators,
    crowd_layers,
    next_annotations,
    share_errors,
    write_columns,
)


@pytest.fixture
def crowd(tmp_path):
    """Annotations with gaps, as a corpus and a file, and the truth."""
    corpus, truth = noisy(1, [0.1, 0.3, 0.5], missing=0.4)
    write_columns(corpus, tmp_path / "crowd.txt")
    return corpus, truth, tmp_path / "crowd.txt"


def spanrs(capsys, *args):
    """Run a command; return its status, standard output and standard error."""
    status = run(group, ["crowd", "next", *map(str, args)])
    message = capsys.readouterr()
    return status, message.out, message.err


def write(path, sentences, labels):
    """Write a file of tokens and labels."""
    rows = zip(sentences, labels, strict=True)
    path.write_text("\n".join("".join(f"{w} {t}\n" for w, t in zip(*row, strict=True)) for row in rows))
    return path


def test_assignments_are_those_of_the_library(crowd, capsys):
    corpus, _, path = crowd
    status, out, _ = spanrs(
        capsys, path, "--most", 7, "--per-annotator", 3, "--annotators-per-document", 2, "--json"
    )
    expected = next_annotations(corpus, BSCSeq().fit(corpus), most=7, per_annotator=3, min_annotators=2)
    content = json.loads(out)
    assert (status, content["method"], len(expected)) == (0, "BSC-seq", 7)
    # The file has numbers in place of the names of annotators.
    assert [(row["document"], row["sentences"]) for row in content["next"]] == [
        (row.document, row.sentences) for row in expected
    ]
    assert [row["gain"] for row in content["next"]] == pytest.approx([row.gain for row in expected])


def test_tables_and_pages(crowd, capsys):
    _, _, path = crowd
    lines = spanrs(capsys, path, "--most", 3)[1].splitlines()
    assert lines[0].split() == ["document", "annotator", "expected", "gain", "annotators", "so", "far"]
    rows = list(csv.DictReader(io.StringIO(spanrs(capsys, path, "--most", 3, "--to", "csv")[1])))
    assert [row["document"] for row in rows] == [line.split()[0] for line in lines[2:5]]
    assert len(rows[0]["expected gain"].split(".")[1]) == 6
    assert spanrs(capsys, path, "--most", 3, "--to", "html")[1].startswith("<!DOCTYPE html>")


def test_known_sentences_need_no_annotators(crowd, capsys, tmp_path):
    corpus, truth, path = crowd
    gaps = [["?"] * len(row) for row in truth[30:]]
    known = write(tmp_path / "gold.conll", corpus.sentences, truth[:30] + gaps)
    content = json.loads(spanrs(capsys, path, "--known", known, "--json")[1])
    assert content["next"]
    assert all(row["sentences"][0] >= 30 for row in content["next"])


def test_known_sentences_are_found_by_their_tokens(crowd, capsys, tmp_path):
    corpus, truth, path = crowd
    known = write(tmp_path / "some.conll", corpus.sentences[20:], truth[20:])
    content = json.loads(spanrs(capsys, path, "--known", known, "--json")[1])
    # Equal sentences are found in order, so that a few of the first twenty may be known instead.
    assert sum(row["sentences"][0] >= 20 for row in content["next"]) < 8


def test_known_sentences_that_are_not_annotated_are_refused(crowd, capsys, tmp_path):
    corpus, truth, path = crowd
    known = write(tmp_path / "other.conll", [["Nobody", "knows"]], [["O", "O"]])
    status, _, err = spanrs(capsys, path, "--known", known)
    assert status == 2
    assert "no sentence of the annotations is among the known sentences" in err
    partly = write(tmp_path / "partly.conll", corpus.sentences[:1], [["?", *truth[0][1:]]])
    status, _, err = spanrs(capsys, path, "--known", partly)
    assert status == 2
    assert "sentence 0: only a part of the sentence is labelled" in err


def test_methods_without_tables_are_refused(crowd, capsys):
    status, _, err = spanrs(capsys, crowd[2], "--aggregator", "MVtoken")
    assert status == 2
    assert "Dawid-Skene" in err
    assert spanrs(capsys, crowd[2], "--aggregator", "MACE", "--c2", "1")[0] == 2


def test_complete_annotations_are_reported(capsys, tmp_path):
    corpus, _ = noisy(2, [0.1, 0.3])
    write_columns(corpus, tmp_path / "crowd.txt")
    status, out, _ = spanrs(capsys, tmp_path / "crowd.txt")
    assert (status, out.startswith("no annotator can add information")) == (0, True)


@pytest.mark.parametrize("option", ["--most", "--per-annotator"])
def test_limits_are_at_least_one(crowd, capsys, option):
    status, _, err = spanrs(capsys, crowd[2], option, 0)
    assert status == 2
    assert option in err
    assert "0 is not in the range x>=1" in err


def write_layers(path, corpus):
    """Write an export in which each span has a second type in a layer of its own, but for the last sentences."""
    second, tasks = {"PER": "ORG", "LOC": "MISC"}, []
    answers = [corpus.labels_by(name) for name in corpus.annotators]
    for number, words in enumerate(corpus.sentences):
        text, annotations = " ".join(words), []
        starts = [len(" ".join([*words[:at], ""])) for at in range(len(words))]
        for name, rows in zip(corpus.annotators, answers, strict=True):
            spans = [
                {"start": start, "end": start + len(word), "text": word, "labels": [kind]}
                for start, word, tag in zip(starts, words, rows[number], strict=True)
                if tag != "O"
                for kind in (tag[2:], second[tag[2:]])[: 1 + (number < 180)]
            ]
            region = {"type": "labels", "from_name": "label", "to_name": "text"}
            result = [region | {"value": value} for value in spans]
            annotations.append({"completed_by": {"email": name}, "result": result})
        tasks.append({"id": number, "data": {"text": text}, "annotations": annotations})
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


def test_layers_with_the_same_warning_are_warned_of_once(capsys, tmp_path):
    corpus, _ = noisy(6, [0.5, 0.5, 0.5, 0.1, 0.15], sentences=200)
    corpus = share_errors(corpus, [["a0", "a1", "a2"]], 0.7, seed=6)
    path = write_layers(tmp_path / "export.json", corpus)
    groups = [correlated_annotators(layer) for layer in crowd_layers(path)]
    assert len(groups) == 2
    [first], [second] = groups
    assert first.evidence == second.evidence == "estimate"
    assert first.annotators == second.annotators
    assert first.same_errors != second.same_errors
    for command in (["aggregate"], ["next", "--aggregator", "Dawid-Skene"]):
        assert run(group, ["crowd", *command, str(path)]) == 0
        assert capsys.readouterr().err.count("appear to be correlated") == 1
