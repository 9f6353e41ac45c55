"""Reads and writes DocBin files with the package spacy."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

import spacy
from spacy.tokens import Doc, DocBin, Span

VOCAB = spacy.blank("xx").vocab


def described(doc: Doc) -> dict[str, Any]:
    """Describe a document; layers are the entities and the groups of spans."""
    layers = {"ents": doc.ents, **doc.spans}
    return {
        "text": doc.text,
        "metadata": {name: value for name, value in doc.user_data.items() if isinstance(name, str)},
        "tokens": [[token.idx, token.idx + len(token)] for token in doc],
        "groups": list(doc.spans),
        "spans": [
            {
                "type": span.label_,
                "layer": layer,
                "pieces": [[span.start_char, span.end_char]],
                "text": span.text,
                "attributes": {},
            }
            for layer, spans in layers.items()
            for span in spans
        ],
    }


def read(files: dict[str, str]) -> dict[str, Any]:
    found = DocBin().from_bytes(base64.b64decode(files["project"]))
    return {"documents": [described(doc) for doc in found.get_docs(VOCAB)], "problems": []}


def docs() -> list[Doc]:
    """Return documents with entities, groups of spans, user data, white-space tokens and no tokens."""
    words = ["\U0001f600", "Bob", "'s", "New", "York", "\n\n", "office", "."]
    full = Doc(VOCAB, words, [True, False, True, True, False, False, False, False])
    full.set_ents([Span(full, 1, 2, label="PER"), Span(full, 3, 5, label="LOC")])
    full.spans["sc"] = [Span(full, 1, 5, label="X"), Span(full, 3, 7, label="Y", span_id="Q1")]
    full.spans["empty"] = []
    full.user_data.update({"id": "d1", "name": "news one", "metadata": {"year": 1999, "tags": ["a", None]}})
    grouped = Doc(VOCAB, ["Ann", "left"], [True, False])
    grouped.spans["ann"] = [Span(grouped, 0, 1, label="PER")]
    grouped.spans["bea"] = [Span(grouped, 0, 2, label="ACT"), Span(grouped, 0, 2, label="ACT")]
    return [full, grouped, Doc(VOCAB, ["Nothing", "here"]), Doc(VOCAB)]


def write() -> dict[str, Any]:
    """Return a file with documents of the package's own making, and the documents that it reads from it."""
    content = DocBin(docs=docs(), store_user_data=True).to_bytes()
    files = {"project": base64.b64encode(content).decode()}
    return {"files": files} | read(files)


json.dump([read(files[0]) if files else write() for _, *files in json.load(sys.stdin)], sys.stdout)
