"""Tasks: aliases, zones, and locations."""

from __future__ import annotations

import pytest

import mat_cases
import spanrs
from spanrs import mat
from spanrs.errors import FormatError
from spanrs.io import Annotation, Document
from spanrs.mat.task import find_task

OLD = """<tasks>
  <task name="One"><tags inherit_structure="yes">
    <tag name="ENAMEX" category="content">
      <attr_set name="BOSS"><attr name="type" value="PER"/><attr name="rank" value="1"/></attr_set>
      <attr_set name="PERSON"><attr name="type" value="PER"/></attr_set>
    </tag>
    <tag name="NOTE" category="admin"/>
  </tags></task>
  <task name="Two"/>
</tasks>
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "plugin").mkdir()
    (tmp_path / "plugin" / "task.xml").write_text(OLD, encoding="utf-8")
    return tmp_path


def labels(document: Document, **options) -> set[str]:
    return set(
        mat.tables(
            spanrs.score(document, document, matcher=mat.Mat(**options), on_error="skip")
        ).counts.rows["tag"]
    )


def test_the_first_alias_whose_attributes_are_all_there_counts(folder):
    task = mat.read_task(folder / "plugin", "One")
    attributes = [{"type": "PER", "rank": "1"}, {"type": "PER", "rank": "2"}, {"type": "LOC"}, {}]
    spans = [Annotation("ENAMEX", 2 * at, 2 * at + 1, given) for at, given in enumerate(attributes)]
    document = Document("a b c d e f", [*spans, Annotation("NOTE", 8, 9), Annotation("OTHER", 10, 11)])
    assert labels(document, task=task) == {"BOSS", "PERSON", "ENAMEX"}
    assert labels(document, task=task, classes={"P": ["BOSS", "PERSON"]}, ignore=["ENAMEX"]) == {"P"}


def test_only_what_lies_in_a_body_of_gold_counts(folder):
    task = mat.read_task(folder / "plugin" / "task.xml", "One")
    spans = [Annotation("ENAMEX", 0, 1), Annotation("ENAMEX", 2, 3), Annotation("lex", 0, 1)]

    def match(*zones: Annotation) -> int:
        document = Document("a b", [*spans, *zones])
        result = mat_cases.lenient(document, document, mat.Mat(task=task))
        counted: int = mat.tables(result).tag["<all>"]["match"]
        return counted

    assert match() == 2
    assert match(Annotation("zone", 0, 2, {"region_type": "body"})) == 1
    assert match(Annotation("zone", 0, 2, {"region_type": "head"})) == 0
    assert match(Annotation("zone", 0, 9, {"region_type": "body"})) == 0
    bodies = [Annotation("zone", at, at + 1, {"region_type": "body"}) for at in (2, 0)]
    assert match(*bodies) == 2


def test_tasks_are_found_by_name_and_by_place(folder):
    assert find_task("One", [folder]).declared() == ["lex", "zone", "ENAMEX"]
    with pytest.raises(FormatError, match="several tasks, 'One', 'Two'; choose one"):
        mat.read_task(folder / "plugin")
    with pytest.raises(FormatError, match="the file has no task 'Three', only 'One', 'Two'"):
        mat.read_task(folder / "plugin", "Three")
    with pytest.raises(FormatError, match="no task 'Three' in"):
        find_task("Three", [folder])
    with pytest.raises(FileNotFoundError):
        mat.read_task(folder)
    gold = Document("a", [Annotation("ENAMEX", 0, 1)])
    with pytest.raises(FormatError, match="choose one"):
        spanrs.score(gold, gold, matcher=mat.Mat(task=folder / "plugin"), on_error="skip")
