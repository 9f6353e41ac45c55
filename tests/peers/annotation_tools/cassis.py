"""Reads and writes XMI of a UIMA CAS with the package dkpro-cassis."""

from __future__ import annotations

import json
import sys
from typing import Any

from cassis import Cas, TypeSystem, load_cas_from_xmi, load_typesystem

CORE = "de.tudarmstadt.ukp.dkpro.core.api."
ENTITY, TOKEN, SENTENCE, METADATA = (
    f"{CORE}{name}"
    for name in (
        "ner.type.NamedEntity",
        "segmentation.type.Token",
        "segmentation.type.Sentence",
        "metadata.type.DocumentMetaData",
    )
)
RELATION, CLAIM = "webanno.custom.Relation", "webanno.custom.Claim"


def values(structure: Any) -> dict[str, Any]:
    """Return the features that are set; references are ids."""
    found = {}
    for feature in structure.type.all_features:
        value = getattr(structure, feature.name)
        if feature.name not in {"begin", "end", "sofa"} and value is not None:
            found[feature.name] = {"ref": value.xmiID} if hasattr(value, "xmiID") else value
    return found


def described(cas: Cas) -> dict[str, Any]:
    """Describe the first view: feature structures by id, and text."""
    return {
        "text": cas.sofa_string or "",
        "structures": [
            {
                "id": structure.xmiID,
                "type": structure.type.name,
                "begin": getattr(structure, "begin", None),
                "end": getattr(structure, "end", None),
                "text": structure.get_covered_text() if hasattr(structure, "begin") else None,
                "values": values(structure),
            }
            for structure in cas.select_all_fs()
        ],
    }


def read(files: dict[str, str]) -> dict[str, Any]:
    types = load_typesystem(files["TypeSystem.xml"])
    documents, problems = [], []
    for name, content in sorted(files.items()):
        if name.endswith(".xmi"):
            cas = load_cas_from_xmi(content, typesystem=types)
            documents.append(described(cas))
            problems += [f"{name}: {error.description}" for error in cas.typecheck()]
    return {"documents": documents, "problems": problems}


def type_system() -> TypeSystem:
    types = TypeSystem()
    for name in (TOKEN, SENTENCE):
        types.create_type(name)
    entity = types.create_type(ENTITY)
    types.create_feature(entity, "value", "uima.cas.String")
    types.create_feature(entity, "identifier", "uima.cas.String")
    claim = types.create_type(CLAIM)
    types.create_feature(claim, "stance", "uima.cas.String")
    types.create_feature(claim, "strength", "uima.cas.Integer")
    types.create_feature(claim, "checked", "uima.cas.Boolean")
    relation = types.create_type(RELATION)
    types.create_feature(relation, "Governor", "uima.tcas.Annotation")
    types.create_feature(relation, "Dependent", "uima.tcas.Annotation")
    types.create_feature(relation, "label", "uima.cas.String")
    metadata = types.create_type(METADATA, "uima.tcas.DocumentAnnotation")
    for name in ("documentTitle", "documentId", "collectionId"):
        types.create_feature(metadata, name, "uima.cas.String")
    return types


def cases(types: TypeSystem) -> list[Cas]:
    """Return a document with everything, one with a second view, one without annotations, and an empty one."""
    entity, claim, relation = (types.get_type(name) for name in (ENTITY, CLAIM, RELATION))
    full = Cas(types)
    full.sofa_string = "\U0001f600 Bob & Ann <saw> \U0001f600\U0001f600 Rome.\nEmpty\tend "
    full.sofa_mime = "text/plain"
    full.add(types.get_type(METADATA)(begin=0, end=35, documentId="d1", documentTitle="news one"))
    for begin, end in ((2, 5), (6, 7), (8, 11), (12, 17), (18, 20), (21, 25), (25, 26)):
        full.add(types.get_type(TOKEN)(begin=begin, end=end))
    full.add(types.get_type(SENTENCE)(begin=0, end=26))
    bob = entity(begin=2, end=5, value="PER", identifier="Q1")
    rome = entity(begin=21, end=25, value="LOC")
    ann = entity(begin=8, end=11)
    both = claim(begin=2, end=11, stance='pro & "contra"', strength=-3, checked=True)
    empty = claim(begin=27, end=27, stance="none", checked=False)
    full.add_all([bob, rome, ann, both, empty])
    full.add(relation(begin=21, end=25, Governor=bob, Dependent=rome, label="visits"))
    full.add(relation(begin=2, end=5, Governor=both, Dependent=bob, label="about"))
    views = Cas(types)
    views.sofa_string = "Bob saw Rome"
    views.add(entity(begin=0, end=3, value="PER"))
    translation = views.create_view("translation")
    translation.sofa_string = "Bob sah Rom"
    translation.add(entity(begin=8, end=11, value="LOC"))
    plain, nothing = Cas(types), Cas(types)
    plain.sofa_string, nothing.sofa_string = "Nothing here", ""
    return [full, views, plain, nothing]


def write() -> dict[str, Any]:
    """Return files with documents of the package's own making, and the documents that it reads from them."""
    types = type_system()
    files = {f"{number}.xmi": cas.to_xmi() for number, cas in enumerate(cases(types))}
    files["TypeSystem.xml"] = types.to_xml()
    return {"files": files} | read(files)


json.dump([read(files[0]) if files else write() for _, *files in json.load(sys.stdin)], sys.stdout)
