"""JSON Lines of doccano and Prodigy, which have no library: records with the keys that their documentation shows."""

from __future__ import annotations

import json
from typing import Any

import pytest

import spanrs
from annotation_project import documents
from spanrs.io import Document, Layer, Relation
from spanrs.io.document import TOKEN
from spanrs.io.documents import plain_document

TEXT = "\U0001f600 Bob saw New York ."

# Sequence labelling, relation extraction and an older version (https://doccano.github.io/doccano/tutorial, and the
# exporters in backend/data_export/pipeline).
DOCCANO: list[dict[str, Any]] = [
    {"id": 1, "text": TEXT, "label": [[2, 5, "PER"], [10, 18, "LOC"]], "Comments": []},
    {
        "id": 2,
        "text": "Bob saw Rome",
        "entities": [
            {"id": 10, "label": "PER", "start_offset": 0, "end_offset": 3},
            {"id": 11, "label": "LOC", "start_offset": 8, "end_offset": 12},
        ],
        "relations": [{"id": 5, "from_id": 10, "to_id": 11, "type": "visits"}],
        "Comments": ["which Rome?"],
        "filename": "two.txt",
        "page": 4,
    },
    {"id": 3, "text": "Ann left", "labels": [[0, 3, "PER"]], "meta": {"source": "daily"}},
    {"id": 4, "text": "Nothing", "entities": [], "relations": [], "Comments": []},
]


def tokens(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    at = 0
    for number, word in enumerate(text.split()):
        start = text.index(word, at)
        at = start + len(word)
        found.append(
            {
                "text": word,
                "start": start,
                "end": at,
                "id": number,
                "ws": at < len(text),
                "disabled": word == ".",
            }
        )
    return found


BOB = {"start": 2, "end": 5, "token_start": 1, "token_end": 1, "label": "PER"}
YORK = {"start": 10, "end": 18, "token_start": 3, "token_end": 4, "label": "LOC"}
VISITS = {
    "head": 1,
    "child": 4,
    "head_span": BOB,
    "child_span": YORK,
    "color": "#c5bdf4",
    "label": "visits",
}
KNOWN = {
    "_task_hash": 34,
    "_is_binary": False,
    "_view_id": "relations",
    "_timestamp": 1767258000,
    "meta": {"source": "daily", "score": 0.5},
}
ANN = {"_annotator_id": "project-ann", "_session_id": "project-ann"}
BEA = {"_annotator_id": "project-bea", "_session_id": "project-bea"}
LIVES_IN = {"head": 0, "child": 3, "color": "#ffd882", "label": "lives_in"}
# The interfaces ner_manual, spans_manual and relations (https://prodi.gy/docs/api-interfaces).
PRODIGY: list[dict[str, Any]] = [
    KNOWN
    | ANN
    | {
        "_input_hash": -12,
        "text": TEXT,
        "tokens": tokens(TEXT),
        "spans": [BOB, YORK],
        "relations": [VISITS],
        "answer": "accept",
    },
    KNOWN
    | BEA
    | {
        "_input_hash": -12,
        "text": TEXT,
        "tokens": tokens(TEXT),
        "spans": [BOB],
        "relations": [],
        "answer": "reject",
    },
    KNOWN
    | ANN
    | {
        "_input_hash": 7,
        "text": "Ann left",
        "tokens": tokens("Ann left"),
        "spans": [],
        "answer": "ignore",
    },
    {
        "text": "They live in Rome .",
        "tokens": tokens("They live in Rome ."),
        "spans": [],
        "relations": [LIVES_IN],
        "answer": "accept",
    },
    {"text": "Plain", "spans": [{"start": 0, "end": 5, "label": "X"}]},
]

# Documented keys and types; keys with `?` may be absent, and `...` stands for any further key.
SPAN = {"start": int, "end": int, "label": (str, None), "token_start?": int, "token_end?": int}
SCHEMAS: dict[str, dict[str, Any]] = {
    "doccano": {
        "id?": int,
        "text": str,
        "label?": [(int, int, str)],
        "entities?": [{"id": int, "label": str, "start_offset": int, "end_offset": int}],
        "relations?": [{"id": int, "from_id": int, "to_id": int, "type": str}],
        "Comments?": [str],
        "...": object,
    },
    "prodigy": {
        "id?": int,
        "text": str,
        "tokens?": [{"text": str, "start": int, "end": int, "id": int, "ws": bool, "disabled?": bool}],
        "spans": [SPAN],
        "relations?": [
            {
                "head": int,
                "child": int,
                "head_span": SPAN,
                "child_span": SPAN,
                "label": str,
                "color?": str,
            }
        ],
        "answer": str,
        "_annotator_id?": str,
        "_session_id?": str,
        "meta?": {"...": object},
    },
}


def mistakes(value: Any, schema: Any, place: str = "") -> list[str]:
    """Return where a value does not have the type in the schema."""
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return [f"{place} is no object"]
        known = {key.removesuffix("?"): one for key, one in schema.items()}
        found = [f"{place}.{key} is absent" for key in schema if key[-1] not in "?." and key not in value]
        for key, one in value.items():
            if key in known:
                found += mistakes(one, known[key], f"{place}.{key}")
            elif "..." not in schema:
                found.append(f"{place}.{key} is not documented")
        return found
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{place} is no list"]
        return [one for at, item in enumerate(value) for one in mistakes(item, schema[0], f"{place}[{at}]")]
    if isinstance(schema, tuple) and None not in schema:
        if not isinstance(value, list) or len(value) != len(schema):
            return [f"{place} has not {len(schema)} items"]
        return [
            one
            for at, pair in enumerate(zip(value, schema, strict=True))
            for one in mistakes(*pair, f"{place}[{at}]")
        ]
    if isinstance(schema, tuple) and value is None:
        return []
    kind = schema[0] if isinstance(schema, tuple) else schema
    is_kind = isinstance(value, kind) and (kind is not int or not isinstance(value, bool))
    return [] if is_kind else [f"{place} is {type(value).__name__}"]


def documents_of(source: Any, form: str) -> list[Document]:
    corpus = spanrs.read(source, format=form)
    return [plain_document(core) for part in corpus.parts for core in corpus.layered_documents(part)]


def written(source: Any, folder: Any, form: str) -> list[dict[str, Any]]:
    """Write documents, and return the records, which have the documented keys and types."""
    target = folder / "written.jsonl"
    spanrs.write(source, target, to=form)
    records = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [
        one for at, record in enumerate(records) for one in mistakes(record, SCHEMAS[form], str(at))
    ] == []
    return records


@pytest.fixture
def path(tmp_path, request):
    records = {"doccano": DOCCANO, "prodigy": PRODIGY}[request.param]
    path = tmp_path / f"{request.param}.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def rows(document: Document) -> list[tuple[str, str]]:
    return [(a.type, document.text[a.start : a.end]) for a in document.annotations if a.type != TOKEN]


@pytest.mark.parametrize("path", ["doccano"], indirect=True)
def test_records_of_doccano_are_read(path):
    spans, relations, older, empty = documents_of(path, "doccano")
    assert (spans.id, spans.text, spans.metadata) == ("1", TEXT, {})
    assert rows(spans) == [("PER", "Bob"), ("LOC", "New York")]
    assert (relations.id, relations.name) == ("2", "two.txt")
    assert relations.metadata == {"Comments": ["which Rome?"], "page": 4}
    assert rows(relations) == [("PER", "Bob"), ("LOC", "Rome")]
    assert relations.relations == (Relation("visits", 0, 1),)
    assert (rows(older), older.metadata) == ([("PER", "Ann")], {"source": "daily"})
    assert (rows(empty), empty.relations, empty.metadata) == ([], (), {})


@pytest.mark.parametrize("path", ["doccano"], indirect=True)
def test_written_records_of_doccano_have_the_documented_keys(path, tmp_path):
    records = written(spanrs.read(path, format="doccano"), tmp_path, "doccano")
    assert [record["id"] for record in records] == [1, 2, 3, 4]
    # A document of the file has relations.
    label = [[one["start_offset"], one["end_offset"], one["label"]] for one in records[0]["entities"]]
    assert label == DOCCANO[0]["label"]
    names = {one["id"]: one["label"] for one in records[1]["entities"]}
    assert [
        (names[one["from_id"]], one["type"], names[one["to_id"]]) for one in records[1]["relations"]
    ] == [("PER", "visits", "LOC")]
    assert records[1]["Comments"] == ["which Rome?"]


@pytest.mark.filterwarnings("ignore::spanrs.SpanrsWarning")
@pytest.mark.parametrize("path", ["prodigy"], indirect=True)
def test_records_of_prodigy_are_read(path):
    both, ignored, dependency, plain = documents_of(path, "prodigy")
    assert (both.id, both.text, both.metadata) == ("-12", TEXT, {"source": "daily", "score": 0.5})
    assert both.layers == (Layer("project-ann"), Layer("project-bea", "rejected"))
    words = [both.text[a.start : a.end] for a in both.annotations if a.type == TOKEN]
    assert words == TEXT.split()
    assert rows(both) == [("PER", "Bob"), ("LOC", "New York")]
    [relation] = both.relations
    ends = [both.annotations[at].type for at in (relation.source, relation.target)]
    assert (relation.type, ends) == ("visits", ["PER", "LOC"])
    assert ignored.layers == (Layer("project-ann", "skipped"),)
    [relation] = dependency.relations
    ends = [dependency.annotations[at] for at in (relation.source, relation.target)]
    assert [(a.type, dependency.text[a.start : a.end]) for a in ends] == [(TOKEN, "They"), (TOKEN, "Rome")]
    assert rows(plain) == [("X", "Plain")]


@pytest.mark.filterwarnings("ignore::spanrs.SpanrsWarning")
@pytest.mark.parametrize("path", ["prodigy"], indirect=True)
def test_written_records_of_prodigy_have_the_documented_keys(path, tmp_path):
    records = written(spanrs.read(path, format="prodigy"), tmp_path, "prodigy")
    assert [record["answer"] for record in records] == ["accept", "reject", "ignore", "accept", "accept"]
    assert records[0]["spans"] == PRODIGY[0]["spans"]
    assert records[0]["meta"] == KNOWN["meta"]
    colors = [{key: value for key, value in VISITS.items() if key != "color"}]
    assert records[0]["relations"] == colors
    words = [{key: value for key, value in one.items() if key != "disabled"} for one in tokens(TEXT)]
    assert records[0]["tokens"] == words
    assert [record.get("_annotator_id") for record in records[:3]] == [
        "project-ann",
        "project-bea",
        "project-ann",
    ]
    assert [(one["head"], one["child"], one["label"]) for one in records[3]["relations"]] == [
        (0, 3, "lives_in")
    ]


@pytest.mark.filterwarnings("ignore::spanrs.SpanrsWarning")
@pytest.mark.parametrize("form", ["doccano", "prodigy"])
def test_the_project_has_the_documented_keys(form, tmp_path):
    written(documents(), tmp_path, form)


@pytest.mark.filterwarnings("ignore::spanrs.SpanrsWarning")
def test_all_records_of_doccano_have_entities_if_one_has_relations(tmp_path):
    """The importer for relations reads the keys `entities` and `relations` (backend/data_import/datasets.py)."""
    records = written(documents(), tmp_path, "doccano")
    assert any("relations" in record for record in records)
    assert all("entities" in record for record in records)


@pytest.mark.filterwarnings("ignore::spanrs.SpanrsWarning")
def test_spans_of_doccano_are_not_empty(tmp_path):
    """The importer rejects spans whose start is not before the end (backend/data_import/pipeline/label.py)."""
    records = written(documents(), tmp_path, "doccano")
    assert all(one["start_offset"] < one["end_offset"] for record in records for one in record["entities"])
