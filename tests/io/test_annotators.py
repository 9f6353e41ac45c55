"""Exports of Label Studio and Prodigy: annotators, and unusual annotations."""

from __future__ import annotations

import json

import pytest

import spanrs


def test_one_of_several_annotators_is_chosen(tmp_path):
    region = {"type": "labels", "value": {"start": 0, "end": 3, "labels": ["PER"]}}
    annotations = [
        {"completed_by": 7, "result": [region]},
        {"completed_by": {"id": 8, "email": "ann@example.org"}, "result": []},
        {"completed_by": 9, "was_cancelled": True, "result": [region, region]},
    ]
    task = {"id": 1, "data": {"text": "Bob ate"}, "annotations": annotations}
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([task]), encoding="utf-8")

    def read(annotator=None, kind="label-studio"):
        return list(spanrs.read(path, format=kind, annotator=annotator).documents)

    [first] = read()
    assert len(first.annotations) == 1
    assert "1 other annotator" in first.left_out[0]
    for name, item in (("7", 1), ("8", 0), (8, 0), ("ann@example.org", 0)):
        [document] = read(name)
        assert (len(document.annotations), list(document.left_out)) == (item, [])
    # Users are identified by numbers, so numbers are not indices; annotation 9 was cancelled.
    for nobody in ("9", "bob", "0"):
        with pytest.raises(
            spanrs.errors.FormatError, match=f'no annotator "{nobody}"; the file has 7, ann@example.org .8'
        ):
            read(nobody)
    # Indices count users in the order of the file, regardless of the order within a task.
    named = [{"completed_by": name, "result": [region] * (name == "ann")} for name in ("ann", "bob")]
    tasks = [task | {"annotations": named}, task | {"id": 2, "annotations": named[::-1]}]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    for place, item in ((0, 1), (1, 0), ("ann", 1)):
        assert [len(document.annotations) for document in read(place)] == [item, item]
    for annotation in named:
        del annotation["completed_by"]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    assert [len(document.annotations) for document in read(0)] == [1, 0]
    task["annotations"][1]["ground_truth"] = True
    path.write_text(json.dumps([task]), encoding="utf-8")
    [truth] = read()
    assert (truth.annotations, list(truth.left_out)) == ([], [])
    # JSON_MIN has one record per annotation.
    records = [{"id": 3, "text": "Bob ate", "annotator": name} for name in ("ann", "bob")]
    path.write_text(json.dumps(records), encoding="utf-8")
    with pytest.raises(spanrs.errors.FormatError, match="annotators ann and bob both annotated task 3"):
        read()
    assert len(read("bob")) == len(read(1)) == 1

    record = {"text": "Bob ate", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
    records = [record | {"_annotator_id": "ann"}, record | {"_session_id": "bob", "spans": []}]
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    with pytest.raises(
        spanrs.errors.FormatError, match=r"records of 2 annotators \(ann, bob\) for the same texts"
    ):
        read(kind="prodigy")
    for name, item in (("ann", 1), ("bob", 0), ("0", 1), ("1", 0)):
        [document] = read(name, "prodigy")
        assert len(document.annotations) == item
    with pytest.raises(spanrs.errors.FormatError, match='no annotator "2"; the file has ann, bob'):
        read("2", "prodigy")
    unnamed = [{"text": "Bob ate", "_input_hash": 5}] * 2
    path.write_text("\n".join(map(json.dumps, unnamed)), encoding="utf-8")
    with pytest.raises(
        spanrs.errors.FormatError,
        match=r":2: the same input as on line 1, and neither record names its annotator",
    ):
        read(kind="prodigy")
    # Annotators may have different texts.
    records[1]["text"] = "Ann ate"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    assert len(read(kind="prodigy")) == 2
    with pytest.raises(TypeError, match="annotator does not apply to doccano; omit it"):
        read("ann", "doccano")


def test_regions_of_another_text_are_left_out(tmp_path):
    # A surrogate pair precedes the name: offsets in characters are one too small.
    text = "\U0001f600 Bob Smith ate"
    path = tmp_path / "tasks.json"

    def read(start, end, said):
        value = {"start": start, "end": end, "labels": ["PER"], "text": said}
        result = [{"type": "labels", "value": value}]
        task = {"id": 1, "data": {"text": text}, "annotations": [{"result": result}]}
        path.write_text(json.dumps([task]), encoding="utf-8")
        [document] = spanrs.read(path, format="label-studio").documents
        return [text[a.start : a.end] for a in document.annotations], list(document.left_out)

    for said in ("Bob Smith", "BobSmith", "Bob", ""):
        assert read(3, 12, said) == (["Bob Smith"], [])
    # Current versions count code points.
    assert read(2, 11, "Bob Smith") == (["Bob Smith"], [])
    corpus, [why] = read(1, 10, "Bob Smith")
    assert corpus == []
    assert why.startswith('PER 1-10: the text there is not that of the region, "Bob Smith", whether')


def test_predictions_are_no_annotations(tmp_path):
    path = tmp_path / "tasks.json"
    path.write_text(json.dumps([{"data": {"text": "a"}, "annotations": [], "predictions": [{}]}]), "utf-8")
    with pytest.raises(spanrs.errors.FormatError, match="predictions are not read"):
        list(spanrs.read(path, format="label-studio").documents)
