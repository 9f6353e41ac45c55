"""Twenty documents of an annotation project, with everything that the formats of annotation tools differ in."""

from __future__ import annotations

import spanrs
from spanrs import _spanrs
from spanrs.io import Annotation, Document, Layer, Relation
from spanrs.io.documents import of_memory

PLAIN = "Bob saw Rome . Ann left ."


def tokens(text: str) -> list[Annotation]:
    """Return tokens: the words of a text."""
    found, at = [], 0
    for word in text.split():
        start = text.index(word, at)
        at = start + len(word)
        found.append(Annotation("lex", start, at))
    return found


def documents() -> list[Document]:
    """Return the documents."""
    bob, rome, ann = Annotation("PER", 0, 3), Annotation("LOC", 8, 12), Annotation("PER", 15, 18)
    people = [Layer("ann@example.org"), Layer("bea"), Layer("7")]
    return [
        Document(PLAIN, [bob, rome, ann], "1"),
        Document(PLAIN, [], "2"),
        Document(PLAIN, [*tokens(PLAIN), bob, rome, ann], "3", name="news three"),
        Document("", [], "4"),
        # Spans that are nested, cross, and are equal.
        Document("New York City Hall", [Annotation("ORG", 0, 18), Annotation("LOC", 0, 13)], "5"),
        Document("New York City Hall", [Annotation("ORG", 4, 18), Annotation("LOC", 0, 13)], "6"),
        Document(
            "New York", [Annotation("LOC", 0, 8), Annotation("ORG", 0, 8), Annotation("LOC", 0, 8)], "7"
        ),
        # A span with a hole, an empty span, and spans that begin and end within a word.
        Document(
            "left and right hand",
            [Annotation("ARM", 0, 19, {}, [(0, 4), (15, 19)]), Annotation("ARM", 9, 19)],
            "8",
        ),
        Document(PLAIN, [Annotation("GAP", 4, 4), bob], "9"),
        Document("Bob's 3.5km run", [Annotation("NUM", 6, 9), Annotation("PER", 0, 3)], "10"),
        # Relations, also to a span before, and attributes of all kinds.
        Document(
            PLAIN,
            [bob, rome, ann],
            "11",
            relations=[Relation("visits", 0, 1), Relation("knows", 2, 0), Relation("knows", 0, 2)],
        ),
        Document(
            PLAIN,
            [
                bob._replace(attributes={"sure": "yes", "note": "check this"}),
                rome._replace(attributes={"Negation": True, "level": 3, "links": ["a", "b"]}),
                ann,
            ],
            "12",
        ),
        # Characters beyond the basic plane, combining marks, right-to-left and Chinese text.
        Document(
            "\U0001f600 Bob \U0001f600\U0001f600 Ann e\u0301t\u00e9",
            [Annotation("PER", 2, 5), Annotation("PER", 9, 12)],
            "13",
        ),
        Document("דוד גר בירושלים", [Annotation("PER", 0, 3), Annotation("LOC", 7, 15)], "14"),
        Document("王小明在北京。", [Annotation("PER", 0, 3), Annotation("LOC", 4, 6)], "15"),
        # Text with markup, several lines and spaces at both ends.
        Document(
            ' <b> & "Bob"\tsaw\n\n  Rome \\n [x] | a_b *\n',
            [Annotation("PER", 8, 11), Annotation("LOC", 20, 25)],
            "16",
        ),
        # Several annotators, one of whom found nothing; skipped and rejected documents.
        Document(
            PLAIN,
            [bob, rome._replace(layer=1), ann._replace(layer=1)],
            "17",
            layers=[*people[:2], Layer("7", "empty")],
        ),
        Document(PLAIN, [bob], "18", layers=[people[0], Layer("bea", "skipped")]),
        Document(PLAIN, [], "19", layers=[Layer("bea", "rejected")]),
        # Metadata, a name that is no name of a file, and types with unusual characters.
        Document(
            PLAIN,
            [bob._replace(type="Person Name"), rome._replace(type="B-LOC/é|x")],
            "20",
            name="a/b: c",
            metadata={"source": "daily", "year": 1999, "tags": ["x", {"y": None}]},
        ),
    ]


#: Replacements of characters that a format does not allow in types; otherwise types are unchanged.
SIMPLER_TYPES = {"brat", "xml-inline", "webanno-tsv", "pubtator"}


def facts(document: Document, form: str) -> dict:
    """Return the content of a document in a form that does not depend on the order of annotations."""

    def span(at: int) -> tuple:
        a = document.annotations[at]
        kind = a.type if form not in SIMPLER_TYPES or a.type.isalpha() else "?"
        attributes = sorted((name, str(value)) for name, value in a.attributes.items())
        return a.layer, a.start, a.end, kind, tuple(map(tuple, a.pieces)), attributes

    return {
        "text": document.text,
        "id": document.id,
        "name": document.name,
        "metadata": dict(document.metadata),
        # An annotation without the name of an annotator is a layer in some formats.
        "layers": [] if _is_unnamed(document) else list(document.layers),
        # spaCy has tokens of white space.
        "spans": sorted(
            map(
                span,
                (
                    at
                    for at, a in enumerate(document.annotations)
                    if not document.text[a.start : a.end].isspace()
                ),
            )
        ),
        "relations": sorted((r.type, span(r.source), span(r.target)) for r in document.relations),
    }


def _is_unnamed(document: Document) -> bool:
    return [(layer.name, layer.answer in ("given", "empty")) for layer in document.layers] == [(None, True)]


def projected(project: list[Document], form: str) -> list[Document]:
    """Return what the format holds of the documents."""
    projection = _spanrs.Projection(form)
    found = [projection.project(core, "") for core in of_memory(project)]
    return [Document(**core.plain()) for core in found if core is not None]


def read_back(target, written) -> list[Document]:
    options = {name: value for name, value in written.options.items() if name != "layer"}
    corpus = spanrs.read(target, **options)
    return [Document(**core.plain()) for part in corpus.parts for core in corpus.layered_documents(part)]
