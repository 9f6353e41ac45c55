"""The published tagger and parser, against recorded outputs and a plain transcription."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors import safe_open

import published_parser as published
from spanrs.dep import Parse, Parser, parse_conllu, read_conllu

WORDS = ["the", "pizza", "Ate", "2004", "well-done", "-x", "3rd", "they", "Ärger", "a/b", "w=the", "ROOT"]
TAGS = ["DT", "NN", "VBD", "CD", "X"]


def padded(words):
    return ["<start>", *words, "ROOT"]


def sentences(seed, count):
    """Random sentences with random projective trees as in parser.py."""
    rng = random.Random(seed)
    created = []
    for _ in range(count):
        n = rng.randint(1, 9)
        words, tags = rng.choices(WORDS, k=n), rng.choices(TAGS, k=n)
        i, stack, state = 2, [1], published.State(n + 2)
        while stack or i + 1 < n + 2:
            move = rng.choice(published.valid_moves(i, n + 2, len(stack)))
            i = published.transition(move, i, stack, state)
        created.append((words, tags, [0 if head == n + 1 else head for head in state.heads[1:]]))
    return created


@settings(deadline=None, max_examples=25)
@example(60865, 1, 2)  # one sentence, all of whose words depend on the root
@given(st.integers(0, 10**9), st.integers(1, 30), st.integers(1, 7))
def test_training_is_that_of_the_transcription(seed, count, passes):
    data = sentences(seed, count)
    oracle = published.Parser()
    gold = [
        (padded(words), padded(tags), [None, *(head or len(words) + 1 for head in heads)])
        for words, tags, heads in data
    ]
    log = oracle.train(gold, passes)
    parses = [Parse(words, heads, xpos=tags) for words, tags, heads in data]
    parser = Parser.published(epochs=passes, seed=None, progress=False).fit(parses)
    # The rounding and the averaging of the tagger need five passes in the original.
    assert [round(e.accuracy * total) for e, (_, total, *_) in zip(parser.history_, log, strict=True)] == [
        correct for correct, *_ in log
    ]
    if passes < 5:
        return
    for words, *_ in data:
        tags, heads = oracle.parse(padded(words))
        actual = parser.parse(words)
        assert list(actual.xpos) == tags[1:-1]
        assert actual.heads.tolist() == [0 if head == len(words) + 1 else head for head in heads[1:]]


def tensors(path):
    with safe_open(path, "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a dict


def test_mini_training_gives_the_recorded_counts_weights_and_parses(shared: Path, tmp_path: Path):
    golden = shared / "golden" / "dep"
    train = read_conllu(shared / "data" / "ud_ewt" / "en_ewt-ud-train.conllu")[:300]
    dev = read_conllu(shared / "data" / "ud_ewt" / "en_ewt-ud-dev.conllu")[:300]
    recorded = json.loads((golden / "mini.json").read_text())
    parser = Parser.published(epochs=6, seed=None, progress=False).fit(train)
    assert [round(epoch.accuracy * 7627) for epoch in parser.history_] == [
        row[0] for row in recorded["log"]
    ]
    assert [epoch.features for epoch in parser.history_] == [row[4] for row in recorded["log"]]
    for sentence, expected in zip(dev, recorded["parses"], strict=True):
        parse = parser.parse(sentence.words)
        assert list(parse.xpos) == expected["tags"][1:-1]
        root = len(parse) + 1
        assert parse.heads.tolist() == [0 if head == root else head for head in expected["heads"][1:]]
    parser.save(tmp_path / "trained")
    imported = Parser.from_published(golden / "mini.model.json.gz")
    imported.save(tmp_path / "imported")
    first, second = tensors(tmp_path / "trained"), tensors(tmp_path / "imported")
    assert first.keys() == second.keys()
    for name, expected in second.items():
        np.testing.assert_array_equal(first[name], expected, err_msg=name)


def test_the_imported_model_gives_the_recorded_parses(shared: Path, tmp_path: Path):
    golden = shared / "golden" / "dep"
    parser = Parser.from_published(golden / "parser_py_ewt.model.json.gz")
    expected = read_conllu(golden / "parser_py_ewt.dev.conllu")
    actual = parser.parse_batch([parse.words for parse in expected], threads=2)
    assert [parse.heads.tolist() for parse in actual] == [parse.heads.tolist() for parse in expected]
    assert [parse.xpos for parse in actual] == [parse.xpos for parse in expected]
    parser.save(tmp_path / "model")
    again = Parser.load(tmp_path / "model")
    assert again.parse(expected[7].words) == actual[7]


def test_ties_are_broken_as_by_the_original(tmp_path: Path):
    """Equal sums in thousandths: the first move for the parser, the last tag for the tagger."""
    model = {
        "parser": {"bias": {"0": 0.1, "1": 0.1, "2": 0.1}},
        "tagger": {"bias": {"A": 0.3, "B": 0.1}, "i word x": {"B": 0.2}},
        "tagdict": {},
        "classes": ["A", "B", "<start>", "ROOT"],
    }
    path = tmp_path / "model.json.gz"
    path.write_bytes(gzip.compress(json.dumps(model).encode()))
    parse = Parser.from_published(path).parse(["x", "y"])
    # 0.1 + 0.2 is a little more than 0.3 in floats.
    assert parse.xpos == ("B", "A")
    # SHIFT wins the tie, then RIGHT, then LEFT to the root.
    assert parse.heads.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tagger": None}, "expected an object of features"),
        ({"parser": {"bias": {"7": 1.0}}}, "unknown class"),
        ({"parser": {"bias": {"0": 1e9}}}, "too large"),
        ({"tagdict": {"x": "Z"}}, "unknown tag"),
        ({"classes": []}, "unknown"),
        ({"tagger": [1]}, "object"),
    ],
)
def test_bad_imports_are_refused(change, message, tmp_path: Path):
    model = {
        "parser": {"bias": {"0": 1.0}},
        "tagger": {"bias": {"A": 1.0}},
        "tagdict": {},
        "classes": ["A"],
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps({**model, **change}))
    with pytest.raises(ValueError, match=message):
        Parser.from_published(path)


def test_the_transcription_reads_what_it_writes():
    data = sentences(1, 20)
    for words, tags, heads in data:
        parse = Parse(words, heads, xpos=tags)
        assert parse_conllu(parse.to_conllu()) == [parse]
