"""Files of spanrs as the packages of annotation tools read them, and files of the packages as spanrs reads them.

What the packages read and write is recorded (``make peers RECORD=name``). Where a package cannot read something, the
reason is given where it is removed from the comparison.
"""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import spanrs
from annotation_project import documents
from peers.annotation_files import written_files
from recordings import peer_cases
from spanrs import _spanrs
from spanrs.io import Document, Layer
from spanrs.io.document import TOKEN
from spanrs.io.documents import of_memory, plain_document

pytestmark = pytest.mark.filterwarnings("ignore::spanrs.SpanrsWarning")
PACKAGES = {
    "bioc": "bioc==2.1",
    "cassis": "dkpro-cassis==0.12.0",
    "gatenlp": "gatenlp==1.0.8",
    "label_studio": "label-studio-sdk==2.1.2",
    "spacy": "spacy==3.8.18",
    "webanno2spacy": "webanno2spacy==0.1.0",
}
CORE = "de.tudarmstadt.ukp.dkpro.core.api."
ENTITY = f"{CORE}ner.type.NamedEntity"

Content = dict[str, Any]


def recorded(name: str, form: str, *, own: bool = False) -> tuple[dict[str, str], Any]:
    """Return the files and the output of a package; with `own`, the files are the package's."""
    for given, output in peer_cases(name, PACKAGES[name]):
        if given[0] == form and (len(given) == 1) == own:
            return (output["files"] if own else given[1]), output
    raise AssertionError(f"{name} has no record of {form}; run make peers RECORD={name}")


def projected(form: str) -> list[Document]:
    """Return what the format holds of the project."""
    projection = _spanrs.Projection(form)
    found = [projection.project(core, "") for core in of_memory(documents())]
    return [plain_document(core) for core in found if core is not None]


def read_files(files: dict[str, str], folder: Path, form: str, **options: Any) -> list[Document]:
    """Return the documents that spanrs reads from files."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        binary = base64.b64decode(content) if form == "spacy" else content.encode()
        (folder / name).write_bytes(binary)
    source = folder / "project" if "project" in files else folder
    corpus = spanrs.read(source, format=form, **options)
    return [plain_document(core) for part in corpus.parts for core in corpus.layered_documents(part)]


def as_text(value: Any) -> str:
    """Return a value of an attribute as spanrs returns it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(map(as_text, value))
    return str(value)


def span(layer: str | None, kind: str, pieces: Any, attributes: dict[str, Any]) -> tuple[Any, ...]:
    """Return a form of a span that can be sorted."""
    listed = sorted((name, as_text(value)) for name, value in attributes.items())
    return layer or "", kind, tuple(map(tuple, pieces)), tuple(listed)


def content(document: Document, *, tokens: bool = False) -> Content:
    """Return text, spans, relations and, unless they are asked for, no tokens of a document."""
    spans = [
        span(
            document.layers[a.layer].name if document.layers else None,
            a.type,
            a.pieces or [(a.start, a.end)],
            dict(a.attributes),
        )
        for a in document.annotations
    ]
    return {
        "id": document.id,
        "text": document.text,
        "metadata": ({"name": document.name} if document.name else {}) | dict(document.metadata),
        "spans": sorted(one for one in spans if tokens or one[1] != TOKEN),
        "relations": sorted((r.type, spans[r.source], spans[r.target]) for r in document.relations),
    }


def told(document: dict[str, Any]) -> Content:
    """Return what a package says about a document, in the same form."""
    spans = [span(a["layer"], a["type"], a["pieces"], a["attributes"]) for a in document["spans"]]
    for a in document["spans"]:
        start, end = a["pieces"][0][0], a["pieces"][-1][1]
        covered = " ".join(document["text"][slice(*piece)] for piece in a["pieces"])
        assert a["text"].strip() in {covered.strip(), document["text"][start:end].strip()}
    relations = document.get("relations", [])
    return {
        "id": document.get("id"),
        "text": document["text"],
        "metadata": document["metadata"],
        "spans": sorted(spans),
        "relations": sorted((kind, spans[source], spans[target]) for kind, source, target, *_ in relations),
    }


def in_any_order(contents: list[Content]) -> list[Content]:
    """Sort documents, because the files of a folder are in the order of their names."""
    return sorted(contents, key=repr)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("bioc", "bioc-xml"),
        ("bioc", "bioc-json"),
        ("bioc", "pubtator"),
        ("bioc", "brat"),
        ("cassis", "uima-xmi"),
        ("gatenlp", "gate-xml"),
        ("label_studio", "label-studio"),
        ("spacy", "spacy"),
        ("webanno2spacy", "webanno-tsv"),
    ],
)
def test_recorded_files_are_those_that_spanrs_writes(name, form):
    if form == "spacy":
        pytest.importorskip("spacy", reason="spaCy is not installed")
    files, _ = recorded(name, form)
    assert files == written_files(form), f"run make peers RECORD={name}"


@pytest.mark.parametrize("form", ["bioc-xml", "bioc-json"])
def test_bioc_reads_what_spanrs_writes(form):
    _, output = recorded("bioc", form)
    # The package compares the text of an annotation with the text from its start to its end, even if it has a hole.
    assert [problem.split(":")[:2] for problem in output["problems"]] == [["8", "1"]]
    assert list(map(told, output["documents"])) == list(map(content, projected(form)))
    roles = [relation[3] for document in output["documents"] for relation in document["relations"]]
    assert roles == [["arg1", "arg2"]] * 3


def test_bioc_json_has_the_types_of_attributes():
    """Spanrs returns attributes as text, and therefore does not show it."""
    _, output = recorded("bioc", "bioc-json")
    [attributes] = [
        [a["attributes"] for a in document["spans"]]
        for document in output["documents"]
        if document["id"] == "12"
    ]
    assert attributes == [dict(a.attributes) for a in documents()[11].annotations]


@pytest.mark.parametrize("form", ["bioc-xml", "bioc-json"])
def test_spanrs_reads_what_bioc_writes(form, tmp_path):
    files, output = recorded("bioc", form, own=True)
    found = read_files(files, tmp_path, form)
    for document, expected in zip(found, output["documents"], strict=True):
        collection = document.metadata["collection"]
        assert (collection["source"], collection["key"]) == ("PubMed", "example.key")
        assert collection["infons"] == {"note": "three documents"}
        expected["metadata"] |= {"collection": collection}
        if "passages" in document.metadata:
            expected["metadata"] |= {"passages": document.metadata["passages"]}
        for number, a in enumerate(expected["spans"], start=1):
            a["attributes"] |= {} if a["id"] == str(number) else {"id": a["id"]}
        assert content(document) == told(expected)
        assert document.left_out == []
    title, abstract = found[0].metadata["passages"]
    assert title == {"offset": 0, "length": 17, "infons": {"section": "title"}}
    assert abstract == {"offset": 18, "length": 34, "infons": {"section": "abstract"}}
    sentences = [{"offset": 0, "length": 13}, {"offset": 14, "length": 9}]
    assert found[1].metadata["passages"] == [{"offset": 0, "length": 23, "sentences": sentences}]


def without_concepts(document: dict[str, Any]) -> dict[str, Any]:
    """Remove the identifiers of a PubTator document that mean that there is none."""
    for a in document["spans"]:
        if a["attributes"]["identifier"] == "-":
            del a["attributes"]["identifier"]
    return document


def test_bioc_reads_pubtator_of_spanrs():
    _, output = recorded("bioc", "pubtator")
    # The package leaves out documents without text, and white space at the ends of lines.
    expected = [content(document) for document in projected("pubtator") if document.text]
    found = [told(without_concepts(document)) for document in output["documents"]]
    assert found[14]["text"] == expected[14]["text"].rstrip()
    assert [one | {"text": ""} for one in found] == [one | {"text": ""} for one in expected]
    assert [one["text"] for one in found] == [one["text"].rstrip() for one in expected]
    assert output["problems"] == []


def test_spanrs_reads_pubtator_of_bioc(tmp_path):
    files, output = recorded("bioc", "pubtator", own=True)
    expected = [told(without_concepts(document)) for document in output["documents"]]
    found = read_files(files, tmp_path, "pubtator")
    # The package does not read the field that it writes for the texts of a composite mention.
    composite = found[0].annotations[2]
    assert composite.attributes == {"identifier": "672|675", "mentions": "BRCA1|BRCA2"}
    del composite.attributes["mentions"]
    assert list(map(content, found)) == expected


def test_bioc_reads_brat_of_spanrs():
    _, output = recorded("bioc", "brat")
    # Names are names of files; brat does not allow spaces in types.
    expected = [
        replace(
            document,
            name=None,
            annotations=[a._replace(type=a.type.replace(" ", "_")) for a in document.annotations],
        )
        for document in projected("brat")
    ]
    found = list(map(told, output["documents"]))
    assert in_any_order(found) == in_any_order(list(map(content, expected)))


def test_spanrs_reads_brat_of_bioc(tmp_path):
    files, output = recorded("bioc", "brat", own=True)
    found = [content(replace(document, name=None)) for document in read_files(files, tmp_path, "brat")]
    assert found == list(map(told, output["documents"]))


def test_gatenlp_reads_what_spanrs_writes():
    _, output = recorded("gatenlp", "gate-xml")
    layers = []
    for document in output["documents"]:
        facts = document["metadata"]
        document["id"] = facts.pop("id")
        # A slash separates directories in a URL.
        if "gate.SourceURL" in facts:
            facts["name"] = facts.pop("gate.SourceURL").replace("%2F", "/")
        for a in document["spans"]:
            a["type"] = {"Token": TOKEN}.get(a["type"], a["type"])
        layers.append((document["id"], document["layers"]))
    expected = projected("gate-xml")
    # The package does not read relations.
    contents = [content(document, tokens=True) | {"relations": []} for document in expected]
    assert in_any_order(list(map(told, output["documents"]))) == in_any_order(contents)
    # The set without a name is always there.
    assert sorted(layers) == sorted(
        (document.id, ["", *(layer.name for layer in document.layers)]) for document in expected
    )


def of_spacy(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document of spaCy with user data as facts."""
    facts = document.pop("metadata")
    document["id"] = facts.pop("id", None)
    document["metadata"] = facts.pop("metadata", {}) | facts
    return document


def test_spacy_reads_what_spanrs_writes():
    _, output = recorded("spacy", "spacy")
    for document, expected in zip(output["documents"], projected("spacy"), strict=True):
        # Annotations without an annotator are a group, because some overlap.
        groups = [layer.name for layer in expected.layers] or ["spans"]
        assert document["groups"] == groups
        for a in document["spans"]:
            a["layer"] = None if a["layer"] == "spans" else a["layer"]
        assert told(of_spacy(document)) == content(expected)
        tokens = [[a.start, a.end] for a in expected.annotations if a.type == TOKEN]
        # All text of a document of spaCy is in tokens, except a space behind each.
        assert [token for token in document["tokens"] if token in tokens] == tokens
        between = [token for token in document["tokens"] if token not in tokens]
        assert all(expected.text[start:end].isspace() for start, end in between)


def test_spanrs_reads_what_spacy_writes(tmp_path):
    pytest.importorskip("spacy", reason="spaCy is not installed")
    files, output = recorded("spacy", "spacy", own=True)
    for document, expected in zip(
        read_files(files, tmp_path, "spacy"), map(of_spacy, output["documents"]), strict=True
    ):
        for a in expected["spans"]:
            a["layer"] = None if a["layer"] == "ents" else a["layer"]
        # Ids of spans are attributes, which are not recorded.
        spans = [a._replace(attributes={}) for a in document.annotations]
        assert content(replace(document, annotations=spans)) == told(expected)
        tokens = [[a.start, a.end] for a in document.annotations if a.type == TOKEN]
        assert tokens == expected["tokens"]
        assert [layer.name for layer in document.layers if layer.name is not None] == expected["groups"]


def of_cas(document: dict[str, Any]) -> Content:
    """Return the content of a CAS, whose feature structures are annotations, relations and facts."""
    spans, relations, facts = {}, [], {}
    for structure in document["structures"]:
        name, values = structure["type"], dict(structure["values"])
        piece = (structure["begin"], structure["end"])
        if piece[0] is not None:
            assert document["text"][slice(*piece)] == structure["text"]
        if name == f"{CORE}segmentation.type.Token":
            spans[structure["id"]] = span(None, TOKEN, [piece], {})
        elif name == ENTITY:
            spans[structure["id"]] = span(None, values.pop("value", "NamedEntity"), [piece], values)
        elif name == "webanno.custom.Claim":
            spans[structure["id"]] = span(None, values.pop("stance"), [piece], values | {"layer": "Claim"})
        elif name == "webanno.custom.Relation":
            relations.append((values["label"], values["Governor"]["ref"], values["Dependent"]["ref"]))
        elif name == "spanrs.Metadata":
            value = values["json"] if "json" in values else json.dumps(values["value"])
            facts[values["name"]] = json.loads(value)
        elif name == f"{CORE}metadata.type.DocumentMetaData":
            facts |= {"name": values.get("documentTitle"), "id": values.get("documentId")}
        else:
            assert name == f"{CORE}segmentation.type.Sentence"
    number = facts.pop("id", None)
    return {
        "id": number,
        "text": document["text"],
        "metadata": {name: value for name, value in facts.items() if value is not None},
        "spans": sorted(spans.values()),
        "relations": sorted((kind, spans[source], spans[target]) for kind, source, target in relations),
    }


def test_cassis_reads_what_spanrs_writes():
    _, output = recorded("cassis", "uima-xmi")
    expected = [content(document, tokens=True) for document in projected("uima-xmi")]
    assert in_any_order(list(map(of_cas, output["documents"]))) == in_any_order(expected)
    assert output["problems"] == []


def test_spanrs_reads_what_cassis_writes(tmp_path):
    files, output = recorded("cassis", "uima-xmi", own=True)
    found = read_files(files, tmp_path, "uima-xmi")
    for number, (document, expected) in enumerate(zip(found, output["documents"], strict=True)):
        # Without a title, the name is the name of the file.
        named = of_cas(expected)
        named["metadata"] = {"name": str(number)} | named["metadata"]
        assert content(document, tokens=True) == named
    # The package gives the first view, and spanrs reports the annotations of the second.
    left_out = [document.left_out for document in found]
    assert left_out == [[], ["NamedEntity 8-11 belongs to the view translation"], [], []]


def test_webanno2spacy_reads_what_spanrs_writes():
    """The package gives relations only, of files with one layer of annotations."""
    _, output = recorded("webanno2spacy", "webanno-tsv")
    expected = [
        sorted(
            [r.type, document.annotations[r.source].start, document.annotations[r.target].start]
            for r in document.relations
        )
        for document in projected("webanno-tsv")
    ]
    found = [document["relations"] for document in output["documents"].values()]
    assert sorted(found) == sorted(expected)
    assert sum(map(len, found)) == 3


def test_label_studio_accepts_what_spanrs_writes():
    files, output = recorded("label_studio", "label-studio")
    assert output["problems"] == []
    assert json.loads(output["files"]["JSON"]) == json.loads(files["project"])


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("JSON_MIN", "label-studio-min"),
        ("CSV", "label-studio-csv"),
        ("TSV", "label-studio-csv"),
    ],
)
def test_label_studio_converts_what_spanrs_writes(name, form, tmp_path):
    """The package reads spanrs' JSON and writes its other formats, which spanrs reads."""
    _, output = recorded("label_studio", "label-studio")
    found = read_files({"project": output["files"][name]}, tmp_path / "project", form)
    for document, expected in zip(found, projected(form), strict=True):
        wanted = content(expected)
        metadata = dict(document.metadata)
        if expected.id == "12":
            # Values of the attributes of regions have columns of their own.
            assert {metadata.pop(column) for column in ("sure", "Negation")} == {"yes", "true"}
            metadata.pop("level"), metadata.pop("links")
        if form == "label-studio-csv":
            # A cell is text.
            metadata = {
                key: value if isinstance(expected.metadata[key], str) else json.loads(value)
                for key, value in metadata.items()
            }
        assert content(replace(document, metadata=metadata)) == wanted
        # An annotator without a name is a layer, too, if the file has records of annotations.
        assert document.layers == (
            expected.layers or (Layer(None, "given" if document.annotations else "empty"),)
        )


def of_task(task: dict[str, Any]) -> tuple[Content, dict[str, str]]:
    """Return the content of a task, and the answer of each annotator."""
    spans, regions, relations, answers = [], {}, [], {}
    for annotation in task["annotations"]:
        user = annotation["completed_by"]["email"]
        answers[user] = "empty"
        attributes = {
            r["id"]: {"level": r["value"]["number"]} for r in annotation["result"] if r["type"] == "number"
        }
        for region in annotation["result"]:
            if region["type"] == "labels":
                value = region["value"]
                assert task["data"]["text"][value["start"] : value["end"]] == value["text"]
                answers[user] = "given"
                made = [
                    span(user, label, [(value["start"], value["end"])], attributes.get(region["id"], {}))
                    for label in value["labels"]
                ]
                spans += made
                regions[region["id"]] = made[0]
            elif region["type"] == "relation":
                ends = regions[region["from_id"]], regions[region["to_id"]]
                relations += [(label, *ends) for label in region["labels"]]
        if annotation["was_cancelled"]:
            answers[user] = "skipped"
    facts = {name: value for name, value in task["data"].items() if name not in {"text", "title"}}
    return {
        "id": str(task["id"]),
        "text": task["data"]["text"],
        "metadata": {"name": task["data"]["title"]} | facts,
        "spans": sorted(spans),
        "relations": relations,
    }, answers


def test_spanrs_reads_tasks_of_label_studio(tmp_path):
    _, output = recorded("label_studio", "label-studio", own=True)
    found = read_files({"project": output["files"]["JSON"]}, tmp_path, "label-studio")
    for document, task in zip(found, output["tasks"], strict=True):
        expected, answers = of_task(task)
        assert content(document) == expected
        assert {layer.name: layer.answer for layer in document.layers} == answers
    assert output["problems"] == []


@pytest.mark.parametrize(("name", "form"), [("JSON_MIN", "label-studio-min"), ("CSV", "label-studio-csv")])
def test_spanrs_reads_conversions_of_label_studio(name, form, tmp_path):
    _, output = recorded("label_studio", "label-studio", own=True)
    found = read_files({"project": output["files"][name]}, tmp_path / "project", form)
    for document, task in zip(found, output["tasks"], strict=True):
        expected, answers = of_task(task)
        # These formats have neither relations nor attributes nor skipped annotations.
        expected["relations"] = []
        expected["spans"] = sorted((*one[:3], ()) for one in expected["spans"])
        metadata = dict(document.metadata)
        if form == "label-studio-csv" and "meta_info" in metadata:
            metadata["meta_info"] = json.loads(metadata["meta_info"])
        assert content(replace(document, metadata=metadata)) == expected
        given = {name: answer for name, answer in answers.items() if answer != "skipped"}
        assert {layer.name: layer.answer for layer in document.layers} == given


def test_spanrs_reads_conll_of_label_studio(tmp_path):
    """The package splits texts into tokens of its own, and shortens spans that overlap."""
    files = recorded("label_studio", "label-studio", own=True)[1]["files"]
    [document] = read_files({"project": files["CONLL2003"]}, tmp_path, "columns")
    lines = document.text.split("\n")
    assert lines == ["\U0001f600 Bob saw Rome , he said ."] * 2 + [
        'Ann\u0301 & " Bea " , left ;',
        "Nothing here",
    ]
    found = [
        (a.type, document.text[a.start : a.end])
        for a in sorted(document.annotations, key=lambda a: a.start)
        if a.type != TOKEN
    ]
    first, second = [("ACT", "saw")], [("PER", "Bob"), ("LOC", "Rome")]
    assert found == [*first, *second, ("PER", "Ann\u0301"), ("ORG", '& " Bea "')]
