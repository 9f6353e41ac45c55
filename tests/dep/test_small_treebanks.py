"""The small treebanks are valid, and their text agrees with their tokens."""

from __future__ import annotations

import io

import pytest
from udtools import Validator

import small_treebanks
from spanrs.dep import parse_conllu

pytestmark = pytest.mark.parametrize("language", small_treebanks.LANGUAGES)


@pytest.fixture
def text(language):
    return small_treebanks.path(language).read_text(encoding="utf-8")


def test_the_validator_of_universal_dependencies_accepts_them(language):
    messages = io.StringIO()
    state = Validator(lang=language, output=messages).validate_files([str(small_treebanks.path(language))])
    assert state.passed(), messages.getvalue()


def test_the_text_is_that_of_the_tokens(text):
    for sentence in small_treebanks.sentences(text):
        surface = "".join(
            row.form + ("" if "SpaceAfter=No" in row.misc.split("|") else " ") for row in sentence.surface()
        )
        assert sentence.comments["text"] == surface.rstrip()


def test_sentences_and_documents_have_unique_ids(language, text):
    sentences = small_treebanks.sentences(text)
    ids = [sentence.comments["sent_id"] for sentence in sentences]
    assert ids == [f"{language}-{at}" for at in range(1, len(sentences) + 1)]
    documents = [row.comments["newdoc id"] for row in sentences if "newdoc id" in row.comments]
    assert documents == [f"{language}-{at}" for at in range(1, 7)]
    assert all("newpar id" in row.comments for row in sentences if "newdoc id" in row.comments)


def test_trees_are_projective_with_one_root(text):
    for parse in parse_conllu(text):
        assert (parse.heads == 0).sum() == 1
        arcs = [sorted((head, at)) for head, _, at in parse.arcs]
        assert not any(a < c < b < d for a, b in arcs for c, d in arcs), str(parse)


def test_the_compiled_module_reads_the_same_words(text):
    expected = [
        [(row.form, row.upos, row.xpos, int(row.head), row.deprel) for row in sentence.words]
        for sentence in small_treebanks.sentences(text)
    ]
    found = [
        list(zip(parse.words, parse.upos, parse.xpos, parse.heads.tolist(), parse.labels, strict=True))
        for parse in parse_conllu(text)
    ]
    assert found == expected


def test_a_third_is_held_out_and_mostly_known(language):
    parts = [parse_conllu(part) for part in small_treebanks.split(language)]
    train, held_out = ([word for parse in part for word in parse.words] for part in parts)
    assert 0.25 < len(held_out) / (len(train) + len(held_out)) < 0.4
    known = set(train)
    assert sum(word in known for word in held_out) > 0.7 * len(held_out)


def test_japanese_has_no_spaces_and_the_others_have_multiword_tokens(language, text):
    sentences = small_treebanks.sentences(text)
    if language == "ja":
        assert all(row.misc == "SpaceAfter=No" for sentence in sentences for row in sentence.rows)
    else:
        assert sum("-" in row.id for sentence in sentences for row in sentence.rows) >= 14
