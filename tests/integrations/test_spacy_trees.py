"""Trees of spaCy's documents."""

from __future__ import annotations

import spacy

from spanrs.dep import Parse
from spanrs.integrations.spacy_trees import from_doc, to_doc


def test_documents_and_parses_are_converted_both_ways():
    parses = [
        Parse(["They", "ate"], [2, 0], ["nsubj", "root"], xpos=["PRP", "VBD"], upos=["PRON", "VERB"]),
        Parse(
            ["So", "did", "we"],
            [2, 0, 2],
            ["advmod", "root", "nsubj"],
            ["RB", "VBD", "PRP"],
            ["ADV", "VERB", "PRON"],
        ),
    ]
    doc = to_doc(parses, spacy.blank("en").vocab)
    assert [sentence.text for sentence in doc.sents] == ["They ate", "So did we"]
    assert list(from_doc(doc)) == parses


def test_what_is_not_annotated_stays_empty():
    doc = spacy.blank("en")("They ate  pizza")
    (parse,) = from_doc(doc)
    assert (parse.words, len(parse.heads), parse.labels, parse.xpos) == (
        ("They", "ate", "pizza"),
        0,
        (),
        (),
    )
    again = to_doc([parse, parse], doc.vocab)
    assert len(list(again.sents)) == 2
