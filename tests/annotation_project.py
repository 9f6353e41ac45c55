"""Twenty documents of an annotation project, with everything that the formats of annotation tools differ in."""

from __future__ import annotations

from spanrs.io import Annotation, Document, Layer, Relation

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
