"""JSON Lines of tokens and tags, as of Hugging Face datasets."""

from __future__ import annotations

import json

import pytest

import spanrs
from spanrs.errors import FormatError

ROWS = [
    {"id": "0", "tokens": ["EU", "rejects"], "ner_tags": ["B-ORG", "O"]},
    {"id": "1", "tokens": ["Peter", "Smith"], "ner_tags": ["B-PER", "I-PER"]},
]
NAMES = ["O", "B-ORG", "B-PER", "I-PER"]


def lines(rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(lines(ROWS))
    return path


def test_lines_and_lists_are_recognised_and_read(path, tmp_path):
    corpus = spanrs.read(path)
    assert (corpus.parts[0].format, corpus.scheme) == ("jsonl-tags", "BIO")
    assert [list(sentence.tokens) for sentence in corpus] == [row["tokens"] for row in ROWS]
    path.write_text(json.dumps(ROWS))
    assert [sentence.spans["tags"] for sentence in spanrs.read(path)] == [
        [("ORG", 0, 1, None)],
        [("PER", 0, 2, None)],
    ]


def test_integers_need_their_names(path):
    ids = [row | {"ner_tags": [NAMES.index(tag) for tag in row["ner_tags"]]} for row in ROWS]
    path.write_text(lines(ids))
    with pytest.raises(TypeError, match="the tags under 'ner_tags' are integers; give their names"):
        list(spanrs.read(path))
    assert [sentence.tags["tags"] for sentence in spanrs.read(path, vocabulary=NAMES)] == [
        row["ner_tags"] for row in ROWS
    ]
    with pytest.raises(FormatError, match="has 3, which is not in the vocabulary of 3 tags"):
        list(spanrs.read(path, vocabulary=NAMES[:3]))


def test_files_are_scored_like_columns(path, tmp_path):
    pred = [ROWS[0], ROWS[1] | {"ner_tags": ["B-PER", "O"]}]
    (tmp_path / "b.jsonl").write_text(lines(pred))
    result = spanrs.score(path, tmp_path / "b.jsonl")
    assert (result.totals.tp, result.totals.fp, result.totals.fn) == (1, 1, 1)
    both = [
        row | {"gold": row["ner_tags"], "pred": other["ner_tags"]}
        for row, other in zip(ROWS, pred, strict=True)
    ]
    path.write_text(lines(both))
    assert spanrs.score(path, gold="gold", pred="pred").totals == result.totals


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"tokens": ["a"], "ner_tags": []}, 'a.jsonl:3:1: .*: 1 tokens but 0 tags under "ner_tags"'),
        ({"tokens": ["a"]}, 'a.jsonl:3:1: .*: there is no key "ner_tags"'),
        (
            {"tokens": [1], "ner_tags": ["O"]},
            'a.jsonl:3:1: .*: the value of "tokens" is not a list of strings',
        ),
    ],
)
def test_malformed_records_are_located(path, row, message):
    path.write_text(lines([*ROWS, row]))
    with pytest.raises(FormatError, match=message):
        list(spanrs.read(path))


def test_sentences_are_written_and_read_again(path, tmp_path):
    written = spanrs.write(spanrs.read(path, documents="id"), tmp_path / "b.jsonl", to="jsonl-tags")
    back = spanrs.read(tmp_path / "b.jsonl", **written.options)
    assert [(sentence.document, list(sentence.tags["tags"])) for sentence in back] == [
        (row["id"], row["ner_tags"]) for row in ROWS
    ]
