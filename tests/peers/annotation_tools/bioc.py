"""Reads and writes BioC's XML and JSON, PubTator and brat with the package bioc."""

from __future__ import annotations

import json
import sys
from typing import Any

import bioc
from bioc import biocjson, biocxml, brat, pubtator
from bioc.brat.datastructure import BratAttribute, BratDocument, BratEntity, BratNote, BratRelation
from bioc.pubtator.datastructure import PubTator, PubTatorAnn, PubTatorRel


def described(text: str, **known: Any) -> dict[str, Any]:
    return {"id": None, "metadata": {}, "text": text, "spans": [], "relations": []} | known


def of_bioc(document: bioc.BioCDocument) -> dict[str, Any]:
    """Describe a document; annotations and relations may be in documents, passages and sentences."""
    holders = [document, *document.passages]
    for passage in document.passages:
        holders += passage.sentences
    found = described(bioc.utils.get_text(document)[1], id=document.id, metadata=dict(document.infons))
    numbers = {}
    for holder in holders:
        for annotation in holder.annotations:
            infons = dict(annotation.infons)
            numbers[annotation.id] = len(found["spans"])
            found["spans"].append(
                {
                    "type": infons.pop("type", None),
                    "layer": infons.pop("annotator", None),
                    "pieces": [[at.offset, at.end] for at in annotation.locations],
                    "text": annotation.text,
                    "attributes": infons,
                    "id": annotation.id,
                }
            )
    for holder in holders:
        for relation in holder.relations:
            nodes = [numbers[node.refid] for node in relation.nodes]
            roles = [node.role for node in relation.nodes]
            found["relations"].append([relation.infons.get("type"), *nodes, roles])
    return found


def read_bioc(module: Any, content: str) -> tuple[list[dict[str, Any]], list[str]]:
    problems: list[str] = []
    collection = module.loads(content)
    bioc.validate(collection, lambda message, _: problems.append(message))
    return [of_bioc(document) for document in collection.documents], problems


def read_pubtator(content: str) -> tuple[list[dict[str, Any]], list[str]]:
    problems: list[str] = []
    documents = []
    for document in pubtator.loads(content):
        found = described(document.text, id=document.pmid)
        for a in document.annotations:
            attributes = (
                {"identifier": a.id}
                if a.others in ([], [""])
                else {
                    "identifier": a.id,
                    "mentions": a.others[0],
                }
            )
            found["spans"].append(
                {
                    "type": a.type,
                    "layer": None,
                    "pieces": [[a.start, a.end]],
                    "text": a.text,
                    "attributes": attributes,
                }
            )
        for relation in document.relations:
            ends = [[a.id for a in document.annotations].index(end) for end in (relation.id1, relation.id2)]
            found["relations"].append([relation.type, *ends])
        documents.append(found)
        if document.abstract is not None:
            pubtator.validate(document, problems.append)
    return documents, problems


def of_brat(document: BratDocument) -> dict[str, Any]:
    found = described(document.text)
    entities = [a for a in document.annotations if isinstance(a, BratEntity)]
    numbers = {entity.id: at for at, entity in enumerate(entities)}
    for entity in entities:
        pieces = sorted([at.begin, at.end] for at in entity.locations)
        found["spans"].append(
            {"type": entity.type, "layer": None, "pieces": pieces, "text": entity.text, "attributes": {}}
        )
    for a in document.annotations:
        if isinstance(a, BratAttribute):
            found["spans"][numbers[a.refid]]["attributes"][a.type] = sorted(a.attributes) or True
        elif isinstance(a, BratNote):
            found["spans"][numbers[a.refid]]["attributes"]["note"] = a.text
        elif isinstance(a, BratRelation):
            found["relations"].append([a.type, *(numbers[a.arguments[f"Arg{at}"]] for at in (1, 2))])
    return found


def read(form: str, files: dict[str, str]) -> dict[str, Any]:
    problems: list[str] = []
    if form == "brat":
        names = sorted(name.removesuffix(".ann") for name in files if name.endswith(".ann"))
        documents = [of_brat(brat.loads(files[f"{name}.txt"], files[f"{name}.ann"])) for name in names]
    elif form == "pubtator":
        documents, problems = read_pubtator(files["project"])
    else:
        documents, problems = read_bioc(biocjson if form == "bioc-json" else biocxml, files["project"])
    return {"documents": documents, "problems": problems}


def annotation(
    number: str, kind: str, text: str, *locations: tuple[int, int], **infons: str
) -> bioc.BioCAnnotation:
    made = bioc.BioCAnnotation()
    made.id, made.text = number, text
    made.infons = {"type": kind, **infons}
    for offset, length in locations:
        made.add_location(bioc.BioCLocation(offset, length))
    return made


def relation(number: str, kind: str, *nodes: tuple[str, str]) -> bioc.BioCRelation:
    made = bioc.BioCRelation()
    made.id, made.infons = number, {"type": kind}
    for refid, role in nodes:
        made.add_node(bioc.BioCNode(refid, role))
    return made


def collection() -> bioc.BioCCollection:
    """Return documents with passages, sentences, and annotations and relations at all levels."""
    made = bioc.BioCCollection()
    made.source, made.date, made.key = "PubMed", "20260101", "example.key"
    made.infons = {"note": "three documents"}
    two = bioc.BioCDocument.of_passages(
        bioc.BioCPassage.of_text("Aspirin \U0001f600 & fever", 0),
        bioc.BioCPassage.of_text("Left and right hands ache <often>.", 18),
    )
    two.id, two.infons = "101", {"journal": "Pain"}
    two.passages[0].infons, two.passages[1].infons = {"section": "title"}, {"section": "abstract"}
    two.passages[0].add_annotation(annotation("T1", "Chemical", "Aspirin", (0, 7), identifier="D001241"))
    two.passages[0].add_annotation(annotation("T2", "Disease", "fever", (12, 5), identifier="D005334"))
    two.passages[1].add_annotation(annotation("T3", "Part", "Left hands", (18, 4), (33, 5)))
    two.passages[1].add_annotation(annotation("T4", "Part", "right hands", (27, 11), annotator="bea"))
    two.passages[0].add_relation(relation("R1", "treats", ("T1", "arg1"), ("T2", "arg2")))
    two.add_relation(relation("R2", "affects", ("T2", "arg1"), ("T4", "arg2")))
    sentences = bioc.BioCPassage.of_sentences(
        bioc.BioCSentence.of_text("Bob saw Rome.", 0), bioc.BioCSentence.of_text("Ann left.", 14)
    )
    sentences.sentences[0].add_annotation(annotation("1", "PER", "Bob", (0, 3)))
    sentences.sentences[0].add_annotation(annotation("2", "LOC", "Rome", (8, 4)))
    sentences.sentences[1].add_annotation(annotation("3", "PER", "Ann", (14, 3)))
    sentences.sentences[0].add_relation(relation("R1", "visits", ("1", "arg1"), ("2", "arg2")))
    divided = bioc.BioCDocument.of_passages(sentences)
    divided.id = "102"
    empty = bioc.BioCDocument.of_passages(bioc.BioCPassage.of_text("", 0))
    empty.id = "103"
    for document in (two, divided, empty):
        made.add_document(document)
    return made


def pubtator_documents() -> list[PubTator]:
    full = PubTator("101", "Aspirin \U0001f600 and fever", "BRCA1/2 and breast | lung cancer")
    full.add_annotation(PubTatorAnn("101", 0, 7, "Aspirin", "Chemical", "D001241"))
    full.add_annotation(PubTatorAnn("101", 14, 19, "fever", "Disease", "D005334"))
    full.add_annotation(PubTatorAnn("101", 20, 27, "BRCA1/2", "Gene", "672|675", ["BRCA1|BRCA2"]))
    full.add_annotation(PubTatorAnn("101", 41, 52, "lung cancer", "Disease", "-"))
    full.add_relation(PubTatorRel("101", "treats", "D001241", "D005334"))
    title = PubTator("102", "Only a title")
    title.add_annotation(PubTatorAnn("102", 7, 12, "title", "Part", "X1"))
    return [full, title, PubTator("103", "Nothing", "at all")]


def brat_document() -> BratDocument:
    document = BratDocument()
    document.text = "Bob \U0001f600 saw left and right hands.\nAnn left Rome.\n"
    spans = [
        ("T1", "PER", "Bob", [(0, 3)]),
        ("T2", "Part", "left hands", [(10, 14), (25, 30)]),
        ("T3", "LOC", "Rome", [(41, 45)]),
    ]
    for number, kind, text, pieces in spans:
        entity = BratEntity()
        entity.id, entity.type, entity.text = number, kind, text
        for piece in pieces:
            entity.add_span(*piece)
        document.add_annotation(entity)
    relation = BratRelation()
    relation.id, relation.type, relation.arguments = "R1", "visits", {"Arg1": "T1", "Arg2": "T3"}
    level = BratAttribute()
    level.id, level.type, level.refid, level.attributes = "A1", "Confidence", "T2", {"high"}
    note = BratNote()
    note.id, note.type, note.refid, note.text = "#1", "AnnotatorNotes", "T3", "which one?"
    for a in (relation, level, note):
        document.add_annotation(a)
    return document


def write(form: str) -> dict[str, Any]:
    """Return files with documents of the package's own making, and the documents that it reads from them."""
    if form == "brat":
        document = brat_document()
        files = {"0.ann": brat.dumps_ann(document), "0.txt": document.text}
    elif form == "pubtator":
        files = {"project": pubtator.dumps(pubtator_documents())}
    else:
        module = biocjson if form == "bioc-json" else biocxml
        content = module.dumps(collection())
        files = {"project": content.decode() if isinstance(content, bytes) else content}
    return {"files": files} | read(form, files)


def main() -> None:
    cases = json.load(sys.stdin)
    json.dump([read(*case) if len(case) == 2 else write(*case) for case in cases], sys.stdout)


main()
