"""Records of answers, and the texts with which they are paired."""

from __future__ import annotations

import json

import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError
from spanrs.io.answer_keys import is_answers
from spanrs.io.answer_pairs import pair_answers
from spanrs.io.answer_records import answer_records

GOLD = """-DOCSTART- O

Anna B-PER
left O
. O

Ben B-PER
left O
Rome B-LOC
. O

-DOCSTART- O

Anna B-PER
left O
. O
"""
TEXTS = ["Anna left .", "Ben left Rome .", "Anna left ."]


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.conll"
    path.write_text(GOLD, encoding="utf-8")
    return spanrs.read(path)


def records(rows):
    corpus = spanrs.read(rows, format="generated")
    return list(answer_records(corpus.parts[0], corpus.options))


def paired(gold, rows):
    pairs = pair_answers(gold, records(rows))
    return [
        (pair.unit.document.text, [q.answer for q in pair.record.queries]) for pair in pairs
    ], pairs.note


def test_answers_in_any_order_are_paired_by_their_texts(gold):
    rows = [{"text": text, "answer": text[:1]} for text in (TEXTS[1], TEXTS[0], TEXTS[2])]
    found, note = paired(gold, rows)
    assert [answers for _, answers in found] == [["A"], ["B"], ["A"]]
    assert note is None


def test_white_space_of_texts_does_not_matter(gold):
    rows = [{"text": text.replace(" .", "."), "answer": str(at)} for at, text in enumerate(TEXTS)]
    assert [answers for _, answers in paired(gold, rows)[0]] == [["0"], ["1"], ["2"]]


@pytest.mark.parametrize("name", ["{}", "request-{}"])
@pytest.mark.parametrize("first", [0, 1])
def test_numbers_as_ids_give_the_order(gold, first, name):
    rows = [{"id": name.format(at + first), "output": str(at)} for at in (2, 0, 1)]
    pairs, note = paired(gold, rows)
    assert [answers for _, answers in pairs] == [["0"], ["1"], ["2"]]
    assert note == f"answers are paired with the sentences of {gold.parts[0].shown} by their numbers"


@pytest.mark.parametrize("ids", [(0, 2, 3), (5, 6, 7), ("a", "b", "c"), (0, 1, 1), ("x0", "y1", "z2")])
def test_other_ids_give_no_order(gold, ids):
    with pytest.raises(AlignmentError, match="3 sentences and 2 documents, and there are 3 records"):
        paired(gold, [{"id": at, "output": ""} for at in ids])


def documents(*names):
    return spanrs.read([spanrs.Document(f"{name} left.", id=name) for name in names])


def test_an_unknown_id_is_an_error_if_others_are_known():
    rows = [{"id": name, "answer": ""} for name in ("c", "b", "A")]
    with pytest.raises(AlignmentError, match="record 2: there is no text with the id 'A', although others"):
        paired(documents("a", "b", "c"), rows)
    # Numbers that are ids of other texts are no numbers of texts.
    with pytest.raises(AlignmentError, match="record 0: there is no text with the id '0'"):
        paired(documents("2", "1"), [{"id": at, "answer": ""} for at in (0, 1)])


def test_several_answers_for_one_text_are_an_error():
    rows = [{"id": name, "answer": answer} for name, answer in (("a", "1"), ("a", "2"), ("b", "3"))]
    with pytest.raises(AlignmentError, match="record 1: there are more records than texts with the id 'a'"):
        paired(documents("a", "b"), rows)


def test_equal_texts_have_one_answer_or_one_each():
    corpus = spanrs.read([spanrs.Document("Anna left.")] * 3)
    rows = [{"text": "Anna left.", "answer": str(at)} for at in range(3)]
    assert [answers for _, answers in paired(corpus, rows)[0]] == [["0"], ["1"], ["2"]]
    assert [answers for _, answers in paired(corpus, rows[:1])[0]] == [["0"], ["0"], ["0"]]
    with pytest.raises(AlignmentError, match=r"text 2, 'Anna left\.', has no answer"):
        paired(corpus, rows[:2])


def test_queries_of_equal_texts_in_the_order_of_types():
    corpus = spanrs.read([spanrs.Document("Anna in Rome")] * 2)
    rows = [
        {"text": "Anna in Rome", "type": ty, "answer": f"{ty}{at}"}
        for ty in ("PER", "LOC")
        for at in (0, 1)
    ]
    assert [answers for _, answers in paired(corpus, rows)[0]] == [["PER0", "LOC0"], ["PER1", "LOC1"]]


def test_texts_without_an_answer_may_count_as_empty():
    pairs = pair_answers(documents("a", "b"), records([{"id": "b", "answer": "x"}]), unanswered="empty")
    assert [len(pair.record.queries) for pair in pairs] == [0, 1]


def test_as_many_answers_as_documents_are_about_documents(gold):
    found, note = paired(gold, ["first", "second"])
    assert [answers for _, answers in found] == [["first"], ["second"]]
    assert "documents" in note
    assert found[0][0] == "Anna left .\nBen left Rome ."


def test_a_number_of_answers_that_fits_nothing_is_refused(gold):
    with pytest.raises(AlignmentError, match="give each record the id or the text"):
        paired(gold, ["a", "b", "c", "d"])


def test_queries_for_several_types_are_one_record_of_a_text(gold):
    rows = [
        {"text": text, "type": ty, "answer": f"{ty}{at}"}
        for at, text in enumerate(TEXTS)
        for ty in ("PER", "LOC")
    ]
    found, _ = paired(gold, rows)
    # The first and the last text are equal, so their answers are taken in the order of the file.
    assert [answers for _, answers in found] == [["PER0", "LOC0"], ["PER1", "LOC1"], ["PER2", "LOC2"]]


def test_answers_by_type_in_one_record(gold):
    [record] = records([{"answers": {"PER": '["Anna"]', "LOC": []}}])
    assert record.queries == (("PER", '["Anna"]'), ("LOC", "[]"))


def test_a_text_without_answer_is_an_error(gold):
    documents = [spanrs.Document("One.", id="a"), spanrs.Document("Two.", id="b")]
    with pytest.raises(AlignmentError, match="text b has no answer among 1 records"):
        paired(spanrs.read(documents), [{"id": "a", "answer": ""}])


def test_the_text_of_a_record_must_be_that_of_its_id():
    documents = [spanrs.Document("One.", id="a"), spanrs.Document("Two.", id="b")]
    rows = [{"id": "a", "text": "Two.", "answer": ""}, {"id": "b", "text": "Two.", "answer": ""}]
    with pytest.raises(AlignmentError, match=r"record 0: the text of the record, 'Two\.', differs"):
        paired(spanrs.read(documents), rows)


REPLIES = [
    {"custom_id": "a", "response": {"body": {"choices": [{"message": {"content": "[]"}}]}}},
    {"id": "a", "choices": [{"message": {"role": "assistant", "content": "[]"}}]},
    {"custom_id": "a", "result": {"message": {"content": [{"type": "text", "text": "[]"}]}}},
    {"id": "a", "messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "[]"}]},
    {"id": "a", "conversations": [{"from": "human", "value": "?"}, {"from": "gpt", "value": "[]"}]},
    {"doc_id": "a", "prediction": []},
    {"document_id": "a", "extractions": []},
    {"id": "a", "generated_text": "[]"},
    {
        "id": "a",
        "content": [{"type": "thinking", "thinking": "?"}, {"type": "text", "text": "[]"}],
        "type": "message",
    },
    {"id": "a", "content": [{"type": "tool_use", "input": []}], "role": "assistant", "type": "message"},
    {
        "id": "a",
        "choices": [{"message": {"content": None, "tool_calls": [{"function": {"arguments": "[]"}}]}}],
    },
    {
        "custom_id": "a",
        "result": {
            "message": {
                "content": [{"type": "text", "text": "I use a tool."}, {"type": "tool_use", "input": []}]
            }
        },
    },
    {
        "id": "a",
        "choices": [
            {"message": {"content": "I call it.", "tool_calls": [{"function": {"arguments": "[]"}}]}}
        ],
    },
    {"id": "a", "output": [{"type": "reasoning"}, {"content": [{"type": "output_text", "text": "[]"}]}]},
]


@pytest.mark.parametrize("row", REPLIES)
def test_usual_records_are_answers(row):
    [record] = records([row])
    assert (record.id, record.queries) == ("a", ((None, "[]"),))
    assert is_answers(json.dumps(row).encode())


@pytest.mark.parametrize(
    "row",
    [
        {"text": "Anna", "spans": [], "answer": "accept"},
        {"text": "Anna", "label": [[0, 4, "PER"]]},
        {"tokens": ["Anna"], "gold": ["B-PER"], "pred": ["B-PER"]},
        {"data": {"text": "Anna"}, "annotations": [], "prediction": 1},
        {"tokenized_text": ["Anna"], "ner": [[0, 0, "PER"]]},
    ],
)
def test_records_of_annotations_and_tags_are_not_answers(row):
    assert not is_answers(json.dumps(row).encode())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"id": "x", "answer": "[]"}\n\n{"id": "y", "answer": null}\n'),
        ("a.json", '[{"id": "x", "answer": "[]"},\n {"id": "y", "answer": ""}]'),
        ("a.csv", 'id,answer\nx,[]\ny,""\n'),
        ("a.tsv", "id\tanswer\nx\t[]\ny\t\n"),
    ],
)
def test_files_of_records(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    found = records(path)
    assert [(record.id, record.queries[0].answer) for record in found] == [("x", "[]"), ("y", "")]


def test_files_of_lines(tmp_path):
    path = tmp_path / "answers.txt"
    path.write_bytes(b'["Anna"]\r\n\r\n[]\n')
    assert [record.queries[0].answer for record in records(path)] == ['["Anna"]', "", "[]"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"id": 1, "answer": "[]"}\n{"id": 2', r"a\.jsonl:2: this line is not a JSON record"),
        (
            b'{"id": 1, "answer": "[]"}\n{"id": 2, "text": "x"}\n',
            r"a\.jsonl:2: the record has no answer among id, text",
        ),
        (b'{"id": 1, "answer": "\xff"}\n', r"a\.jsonl: the file is not UTF-8"),
        (b'{"id": 1, "answer": "[]"}\n17\n', r"a\.jsonl:2: a record must be an object"),
        (
            b'[{"id": 1, "answer": "[]"},\n{"id": 2, "answer": "PER: Be',
            "this is a JSON list, but it is damaged",
        ),
        (b'{"a": ' * 100_000, "this line is not a JSON record"),
    ],
)
def test_broken_files_are_errors_with_their_lines(tmp_path, content, message):
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        records(path)


def test_the_key_of_the_answer_can_be_chosen(tmp_path):
    rows = [{"gpt": "[]", "llama": '["Anna"]'}]
    corpus = spanrs.read(rows, format="generated", tags="llama")
    [record] = answer_records(corpus.parts[0], corpus.options)
    assert record.queries[0].answer == '["Anna"]'
    corpus = spanrs.read(rows, format="generated", tags="claude")
    with pytest.raises(FormatError, match="no key 'claude' among gpt, llama"):
        list(answer_records(corpus.parts[0], corpus.options))


def test_lines_with_objects_are_answers_if_no_key_is_known(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"PER": ["Anna"]}\n{"PER": []}\n', encoding="utf-8")
    assert [record.queries[0].answer for record in records(path)] == ['{"PER": ["Anna"]}', '{"PER": []}']


def test_questions_are_no_types():
    [record] = records([{"query": "Which persons are in the text?", "answer": "[]"}])
    assert record.queries == ((None, "[]"),)


def test_an_empty_file_has_no_records(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b"\n")
    assert records(path) == []


def test_several_files_are_about_the_texts_together(tmp_path):
    paths = []
    for name in ("a", "b"):
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text(json.dumps({"id": name, "answer": '{"X": ["left"]}'}), encoding="utf-8")
    corpus = spanrs.read(paths, format="generated", texts=documents("a", "b"))
    assert [len(document.annotations) for document in corpus.documents] == [1, 1]


def test_several_calls_are_several_values():
    calls = [{"function": {"arguments": json.dumps({"PER": [name]})}} for name in ("Anna", "Ben")]
    [record] = records([{"choices": [{"message": {"content": None, "tool_calls": calls}}]}])
    answer = spanrs.read_answer(record.queries[0].answer)
    assert [mention.text for mention in answer.mentions] == ["Anna", "Ben"]
