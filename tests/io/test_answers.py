"""Answers of language models."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanrs
from spanrs.io import read_answers

CASES = tomllib.loads(
    (Path(__file__).parent.parent / "cases" / "answers.toml").read_text(encoding="utf-8")
)["case"]
TYPES = ["PER", "LOC", "ORG"]
#: Strings that mean that there is no name.
NO_NAMES = {"none", "nothing", "null", "nil", "n/a", "na", "-", "–", "—", "无", "没有", "なし"}


def can_be_name(text):
    return text.strip().rstrip(".!").lower() not in {"", *NO_NAMES} and text.strip()[0] not in "[{"


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8
).filter(can_be_name)
WORDS = st.text("abcÄé", min_size=1, max_size=5)
MENTIONS = st.lists(st.tuples(st.sampled_from(TYPES), NAMES), min_size=1, max_size=5)


def written(mention):
    offsets = "" if mention.start is None else f" | {mention.start} {mention.end}"
    return f"{mention.type or '-'} | {mention.text}{offsets}"


def pairs(answer):
    return [(mention.type, mention.text) for mention in answer.mentions]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_reads_as_written(case):
    answer = spanrs.read_answer(
        case["answer"], type=case.get("type"), types=case.get("types"), text=case.get("about")
    )
    assert [written(mention) for mention in answer.mentions] == case["mentions"]
    assert answer.layout == case["layout"]
    assert list(answer.repairs) == case.get("repairs", [])
    assert sorted(f"{fault.code} {fault.at}" for fault in answer.faults) == sorted(case.get("faults", []))
    assert answer.text == case.get("text")
    assert answer.is_unreadable == (case["layout"] == "unreadable")
    for mention in answer.mentions:
        if answer.text is not None:
            assert answer.text[mention.start : mention.end] == mention.text


def objects(mentions):
    return json.dumps([{"type": kind, "text": text} for kind, text in mentions], ensure_ascii=False)


def wrapped(mentions):
    return (
        "Sure:\n```json\n"
        + json.dumps({"entities": [{"label": t, "name": n} for t, n in mentions]})
        + "\n```"
    )


def json_lines(mentions):
    return "\n".join(json.dumps({"text": text, "entity_type": kind}) for kind, text in mentions)


def tuples(mentions):
    return json.dumps([[text, kind] for kind, text in mentions])


@pytest.mark.parametrize("write", [objects, wrapped, json_lines, tuples])
@given(mentions=MENTIONS)
def test_written_mentions_are_read_back(write, mentions):
    mentions = [(kind, text) for kind, text in mentions if text not in TYPES and "`" not in text]
    answer = spanrs.read_answer(write(mentions), types=TYPES)
    assert pairs(answer) == mentions
    assert not answer.faults


@given(mentions=st.lists(st.tuples(st.sampled_from(TYPES), WORDS), min_size=1, max_size=5))
def test_written_marks_and_lines_are_read_back(mentions):
    xml = spanrs.read_answer(" und ".join(f"<{kind}>{text}</{kind}>" for kind, text in mentions))
    assert pairs(xml) == mentions
    assert xml.text == " und ".join(text for _, text in mentions)
    lines = spanrs.read_answer("\n".join(f"{kind}: {text}" for kind, text in mentions), types=TYPES)
    assert pairs(lines) == mentions
    tags = spanrs.read_answer("\n".join(f"{text} B-{kind}" for kind, text in mentions))
    assert pairs(tags) == mentions
    assert tags.text == " ".join(text for _, text in mentions)
    table = "| Entity | Type |\n|---|---|\n" + "\n".join(f"| {text} | {kind} |" for kind, text in mentions)
    assert pairs(spanrs.read_answer(table)) == mentions
    columns = spanrs.read_answer("\n".join(f"{text}\t{kind}" for kind, text in mentions))
    assert pairs(columns) == mentions
    brackets = spanrs.read_answer(", ".join(f"{text} ({kind})" for kind, text in mentions))
    assert pairs(brackets) == mentions
    records = spanrs.read_answer("\n".join(f"- type: {kind}\n  text: {text}" for kind, text in mentions))
    assert pairs(records) == mentions
    words = spanrs.read_answer(" ".join(f"{text}/B-{kind}" for kind, text in mentions))
    assert pairs(words) == mentions
    fences = {kind: [text for stated, text in mentions if stated == kind] for kind in TYPES}
    blocks = "\n".join(f"```json\n{json.dumps({kind: texts})}\n```" for kind, texts in fences.items())
    assert pairs(spanrs.read_answer(blocks)) == sorted(
        mentions, key=lambda mention: TYPES.index(mention[0])
    )


@given(mentions=MENTIONS)
def test_json_in_strings_is_read_with_positions(mentions):
    inner = objects(mentions)
    whole = spanrs.read_answer(json.dumps(inner))
    assert pairs(whole) == [(kind, text) for kind, text in mentions]
    call = json.dumps({"name": "extract", "arguments": inner})
    answer = spanrs.read_answer(call)
    assert pairs(answer) == pairs(whole)
    for mention in answer.mentions:
        first = json.dumps(json.dumps(mention.text, ensure_ascii=False)[1:-1])[1:-1]
        assert call[mention.at :].startswith(first)


@given(words=st.lists(WORDS, min_size=1))
def test_an_answer_without_marks_is_the_text(words):
    answer = spanrs.read_answer("\n".join(words), text=" ".join(words))
    assert (answer.mentions, answer.layout, answer.is_unreadable) == ([], "xml", False)


@pytest.mark.parametrize("write", [objects, json_lines, tuples])
@given(mentions=MENTIONS)
def test_cut_off_answers_keep_complete_items(write, mentions):
    mentions = [(kind, text) for kind, text in mentions if text not in TYPES and "`" not in text]
    whole = write(mentions)
    prefixes = [whole[:end] for end in range(1, len(whole))]
    counts = []
    for answer in read_answers(prefixes, types=TYPES):
        assert pairs(answer) == mentions[: len(answer.mentions)]
        counts.append(len(answer.mentions))
    assert counts == sorted(counts)
    assert not counts or counts[-1] >= len(mentions) - 1


@given(st.text("[]{}()\"'\\:,<>/@#|=-ab \nPERO", max_size=60))
def test_any_text_is_read(text):
    answer = spanrs.read_answer(text, types=TYPES)
    assert answer == spanrs.read_answer(text, types=TYPES)
    assert all(0 <= mention.at < len(text) for mention in answer.mentions)
    assert all(0 <= fault.at <= len(text) for fault in answer.faults)
    assert not answer.is_unreadable or (answer.faults and not answer.mentions)


def test_lone_surrogates_are_replaced():
    answer = spanrs.read_answer('{"PER": ["\ud83d Anna"]}')
    assert answer.mentions[0].text == "\N{REPLACEMENT CHARACTER} Anna"


def test_arguments_are_checked():
    with pytest.raises(TypeError, match="answer must be a str, not bytes"):
        spanrs.read_answer(b"[]")
    with pytest.raises(TypeError, match="use read_answer"):
        read_answers("[]")
    with pytest.raises(TypeError, match=r"answers\[1\] must be a str, not NoneType"):
        read_answers(["[]", None])
    with pytest.raises(TypeError, match="text must be a str or None, not bytes"):
        spanrs.read_answer("[]", text=b"")
    with pytest.raises(TypeError, match=r"texts\[0\] must be a str or None, not int"):
        read_answers(["[]"], texts=[1])
    with pytest.raises(TypeError, match="texts must be an iterable"):
        read_answers(["[]"], texts="a")
    with pytest.raises(ValueError, match="2 answers but 1 texts"):
        read_answers(["[]", "[]"], texts=["a"])
    with pytest.raises(TypeError, match="types must be a collection"):
        spanrs.read_answer("[]", types="PER")
