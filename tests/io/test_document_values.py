"""Documents constructed from Python values: conversion of annotations and errors."""

from __future__ import annotations

import pytest

import spanrs
from spanrs.errors import FormatError
from spanrs.io import Annotation, Document, Relation


def test_annotations_are_converted_or_refused():
    plain = Document(
        "Ada met Bob", [Annotation("PER", 0, 3), Annotation("PER", 8, 11)], None, (), [Relation("r", 0, 1)]
    )
    given = [("PER", 0, 3), {"label": "PER", "start": 8, "end": 11}]
    assert Document("Ada met Bob", given, relations=[["r", 0, 1]]) == plain
    wrong = [
        (0, 3, "PER"),
        {"start": 0, "end": 3},
        "PER",
        spanrs.tags.Span("PER", 0, 3),
        Annotation("PER", "0", 3),
    ]
    for item in [*wrong, {"type": "PER", "start": 0, "end": 3, "text": "Ada"}, Relation("PER", 0, 3)]:
        with pytest.raises(
            TypeError, match=r"annotation 1 of a document is .*; expected Annotation\(type, start, end\)"
        ):
            Document("Ada", [("PER", 0, 3), item])
    with pytest.raises(TypeError, match="the text of a document must be a str, not bytes"):
        Document(b"Ada")


@pytest.mark.parametrize("bad", [Document("Ada \ud83d"), Document("Ada ", [("Ada \ud83d", 0, 3)])])
def test_surrogates_of_documents_are_located(bad):
    with pytest.raises(
        FormatError, match=r"document 1: an unpaired surrogate, U\+D83D at character 4 of 'Ada"
    ):
        list(spanrs.read([Document("a"), bad]))
