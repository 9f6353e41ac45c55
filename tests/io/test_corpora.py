"""Corpora in other processes, and texts made of sentences."""

from __future__ import annotations

import io
import os
import pickle

import pytest

import spanrs
from spanrs.errors import AlignmentError
from spanrs.io.texts import documents_of_sentences

LINES = "Ada B-PER\nran O\n\nRome B-LOC\n"


def test_a_pickled_corpus_reads_its_files_from_any_working_directory(tmp_path, monkeypatch):
    (tmp_path / "gold.conll").write_text(LINES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    corpus = spanrs.read("gold.conll")
    stored = pickle.dumps(corpus)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    back = pickle.loads(stored)
    assert back.parts[0].path == str(tmp_path / "gold.conll")
    assert [sentence.tokens for sentence in back] == [["Ada", "ran"], ["Rome"]]
    assert spanrs.score(back, back).totals == spanrs.score(os.fspath(back.parts[0].path), back).totals


def test_a_corpus_of_a_stream_cannot_be_pickled():
    corpus = spanrs.read(io.BytesIO(LINES.encode()))
    with pytest.raises(
        TypeError, match="is a stream, which cannot be pickled; use a corpus of files or tables"
    ):
        pickle.dumps(corpus)


def test_sentences_become_texts_whose_spans_with_holes_have_fragments():
    spans = [spanrs.Span("BODY", 0, 4, (0, 3)), spanrs.Span("BODY", 2, 4)]
    sentences = [
        spanrs.Sentence(["left", "and", "right", "arm"], spans={"tags": spans}, document="a"),
        spanrs.Sentence(["Eve"], spans={"tags": []}, document="b"),
    ]
    first, second = documents_of_sentences(sentences, "example")
    assert (first.text, second.text) == ("left and right arm", "Eve")
    places = [(one.start, one.end, list(one.pieces)) for one in first.annotations if one.type == "BODY"]
    assert places == [(0, 18, [(0, 4), (15, 18)]), (9, 18, [])]


def test_sentences_without_tokens_have_no_text():
    sentences = [spanrs.Sentence(None, spans={"tags": [spanrs.Span("A", 0, 1)]})]
    with pytest.raises(AlignmentError, match="example: there are no tokens to join to a text"):
        list(documents_of_sentences(sentences, "example"))
