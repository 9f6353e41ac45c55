"""Validates and converts exports of Label Studio with the package label-studio-sdk."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from label_studio_sdk.converter import Converter
from label_studio_sdk.converter.converter import Format
from label_studio_sdk.label_interface import LabelInterface

#: Tags for the attributes that the project has.
ATTRIBUTES = (
    '<TextArea name="sure" toName="text" perRegion="true"/>'
    '<TextArea name="Negation" toName="text" perRegion="true"/>'
    '<Number name="level" toName="text" perRegion="true"/>'
    '<Choices name="links" toName="text" perRegion="true" choice="multiple">'
    '<Choice value="a"/><Choice value="b"/></Choices>'
)


def interface(tasks: list[dict[str, Any]]) -> str:
    """Return the labelling interface with the labels of the tasks."""
    labels = {
        label: None
        for task in tasks
        for annotation in task["annotations"]
        for region in annotation["result"]
        if region["type"] == "labels"
        for label in region["value"]["labels"]
    }
    listed = "".join(f"<Label value={quoteattr(label)}/>" for label in labels)
    relations = '<Relations><Relation value="visits"/><Relation value="knows"/></Relations>'
    return (
        f'<View><Labels name="label" toName="text">{listed}</Labels>{ATTRIBUTES}{relations}'
        '<Text name="text" value="$text"/></View>'
    )


def read(files: dict[str, str]) -> dict[str, Any]:
    """Validate the annotations of an export, and convert it to all formats for text."""
    content = files["project"]
    tasks = json.loads(content)
    config = interface(tasks)
    checked = LabelInterface(config)
    problems = [
        f"task {task['id']}: annotation {annotation['id']} is not valid"
        for task in tasks
        for annotation in task["annotations"]
        if not checked.validate_annotation(annotation)
    ]
    converted = {}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "project.json")
        source.write_text(content, encoding="utf-8")
        converter = Converter(config, folder)
        for name in ("JSON", "JSON_MIN", "CSV", "TSV", "CONLL2003"):
            converter.convert(str(source), f"{folder}/{name}", Format[name], is_dir=False)
            [path] = Path(folder, name).iterdir()
            converted[name] = path.read_bytes().decode()
    return {"files": converted, "problems": problems}


def region(number: str, start: int, end: int, text: str, *labels: str) -> dict[str, Any]:
    value = {"start": start, "end": end, "text": text, "labels": list(labels)}
    return {"id": number, "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def tasks() -> list[dict[str, Any]]:
    """Return tasks with several annotators, skipped annotations, predictions, choices and emoji."""
    text = "\U0001f600 Bob saw Rome, he said."
    bob, rome = region("b", 2, 5, "Bob", "PER"), region("r", 10, 14, "Rome", "LOC", "GPE")
    level = {
        "id": "b",
        "from_name": "level",
        "to_name": "text",
        "type": "number",
        "value": {"start": 2, "end": 5, "text": "Bob", "number": 3},
    }
    visits = {"type": "relation", "from_id": "b", "to_id": "r", "direction": "right", "labels": ["visits"]}

    def annotation(
        number: int, day: int, user: Any, *regions: dict[str, Any], **facts: Any
    ) -> dict[str, Any]:
        known = {"id": number, "created_at": f"2026-01-0{day}T09:00:00Z", "completed_by": user}
        return known | {"result": list(regions), "was_cancelled": False, "lead_time": 2.5} | facts

    ann, bea = {"id": 3, "email": "ann@example.org"}, {"id": 4, "email": "bea@example.org"}
    return [
        {
            "id": 1,
            "data": {"text": text, "title": "one", "meta_info": {"page": 4}},
            "annotations": [
                annotation(11, 1, ann, bob, rome, level, visits),
                annotation(12, 2, bea, region("x", 6, 9, "saw", "ACT")),
            ],
            "predictions": [{"id": 5, "model_version": "m1", "result": [region("p", 2, 5, "Bob", "LOC")]}],
        },
        {
            "id": 2,
            "data": {"text": 'Ann\u0301 & "Bea",\nleft; ', "title": "two"},
            "annotations": [
                annotation(13, 1, ann, was_cancelled=True),
                annotation(
                    14,
                    2,
                    bea,
                    region("a", 0, 4, "Ann\u0301", "PER"),
                    region("c", 0, 12, 'Ann\u0301 & "Bea"', "ORG"),
                ),
            ],
            "predictions": [],
        },
        {
            "id": 3,
            "data": {"text": "Nothing here", "title": "three"},
            "annotations": [annotation(15, 1, ann)],
        },
        {"id": 4, "data": {"text": "", "title": "four"}, "annotations": [annotation(16, 1, ann)]},
    ]


def write() -> dict[str, Any]:
    """Return the files that the package converts from tasks, and the tasks."""
    made = tasks()
    return {"tasks": made} | read({"project": json.dumps(made)})


json.dump([read(files[0]) if files else write() for _, *files in json.load(sys.stdin)], sys.stdout)
