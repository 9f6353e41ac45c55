"""``spanrs.compat.parser``, against recordings of parser.py and a plain transcription of it."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path

import pytest

import published_parser as published
from spanrs.compat.parser import Parser, pad_tokens, read_conll, read_pos, train
from spanrs.dep import Parse, read_conllu
from spanrs.errors import ModelError

TREEBANK = Path(__file__).parents[2] / "examples" / "dep" / "train.conllu"
TOKENS = [
    "Set",
    "the",
    "volume",
    "to",
    "zero",
    "when",
    "I",
    "'m",
    "in",
    "a",
    "meeting",
    "unless",
    "John",
    "'s",
    "school",
    "calls",
]


def padded(words):
    return ["<start>", *words, "ROOT"]


@pytest.fixture(scope="module")
def trained():
    parser = Parser(load=False)
    parser.train(TREEBANK, nr_iter=5)
    return parser


def test_a_trained_model_has_the_tags_and_heads_of_the_recording(shared: Path, tmp_path: Path):
    golden = shared / "golden" / "dep"
    sentences = list(read_conll(shared / "data" / "ud_ewt" / "en_ewt-ud-train.conllu"))[:300]
    parser = Parser(load=False)
    train(parser, sentences, 6, seed=None)
    imported = Parser(golden / "mini.model.json.gz")
    parser.save(tmp_path / "saved")
    saved = Parser()
    saved.load(tmp_path / "saved")
    for recorded in json.loads((golden / "mini.json").read_text())["parses"]:
        expected = recorded["tags"], recorded["heads"]
        assert parser.parse(recorded["words"]) == expected
        assert imported.parse(recorded["words"][1:-1]) == expected
        assert saved.parse(recorded["words"]) == expected


def test_an_imported_model_has_the_heads_of_the_recording(shared: Path):
    golden = shared / "golden" / "dep"
    parser = Parser(golden / "parser_py_ewt.model.json.gz")
    for parse in read_conllu(golden / "parser_py_ewt.dev.conllu")[:500]:
        tags, heads = parser.parse(parse.words)
        assert tags == padded(parse.xpos)
        assert heads == [None, *(head or len(parse) + 1 for head in parse.heads)]


def test_training_is_that_of_the_transcription():
    data = [sentence[:3] for sentence in read_conll(TREEBANK)]
    parser = Parser(load=False)
    # Padding is recognised and optional.
    plain = [(words[1:-1], tags[1:-1], heads[1:]) for words, tags, heads in data]
    parser.train([*data[::2], *plain[1::2]], 7, seed=None)
    oracle = published.Parser()
    oracle.train([*data[::2], *data[1::2]], 7)
    for words, *_ in data:
        assert parser.parse(words) == oracle.parse(words)


def test_the_corrected_loop_of_the_article_runs(trained):
    tags, heads = trained.parse(TOKENS)
    assert (len(tags), len(heads), heads[0]) == (len(TOKENS) + 2, len(TOKENS) + 1, None)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        words = ["<start>", *TOKENS]
        for i, h in enumerate(heads[1:], 1):
            head = words[h] if h <= len(TOKENS) else "None"
            print(words[i] + " <-- " + head)
    lines = out.getvalue().splitlines()
    assert [line.split(" <-- ")[0] for line in lines] == TOKENS
    assert any(line.endswith(" <-- None") for line in lines)


def test_models_that_are_not_those_of_parser_py_have_the_same_convention(tmp_path: Path):
    from spanrs.dep import Parser as DepParser

    DepParser(epochs=3, models=1, jackknife=0).fit(TREEBANK).save(tmp_path / "m")
    tags, heads = Parser(tmp_path / "m").parse(["They", "ate"])
    assert (tags, heads) == (["<start>", "PRP", "VBD", "ROOT"], [None, 2, 3])


def test_without_a_model_it_says_how_to_get_one(tmp_path: Path):
    for parser in (Parser(), Parser(load=False)):
        for use in (lambda: parser.parse(TOKENS), lambda: parser.save(tmp_path / "m")):  # noqa: B023
            with pytest.raises(ModelError, match=r"call load\(path\) with a model .* or call train\(\)"):
                use()
    (tmp_path / "parser.pickle").write_bytes(b"\x80\x04")
    with pytest.raises(ModelError, match="pickles execute code"):
        Parser(tmp_path / "parser.pickle")
    (tmp_path / "m").write_bytes(b"not a model")
    with pytest.raises(ModelError):
        Parser(tmp_path / "m")
    with pytest.raises(FileNotFoundError):
        Parser(tmp_path / "nowhere.json")


def test_files_are_read_as_parser_py_does(tmp_path: Path):
    (tmp_path / "conll").write_text("They PRP 2 nsubj\nate VBD 0 root\n\nYes UH 2 root\n")
    (tmp_path / "pos").write_text("They/PRP ate/VBD\n\n1/2/CD\n")
    words = ["They", "ate"]
    assert list(read_conll(tmp_path / "conll")) == [
        (padded(words), padded(["PRP", "VBD"]), [None, 2, 3], [None, "nsubj", "root"]),
        (padded(["Yes"]), padded(["UH"]), [None, 2], [None, "root"]),
    ]
    assert list(read_pos(tmp_path / "pos")) == [
        (padded(words), padded(["PRP", "VBD"])),
        (padded(["1/2"]), padded(["CD"])),
    ]
    pad_tokens(words)
    assert words == ["<start>", "They", "ate", "ROOT"]


def test_odd_input_has_an_answer(trained):
    assert trained.parse([]) == (["<start>", "ROOT"], [None])
    assert trained.parse(["<start>", "ROOT"]) == trained.parse([])
    with pytest.raises(TypeError, match="is a str"):
        trained.parse("They ate")
    with pytest.raises(ValueError, match="for 2 words"):
        trained.train([(["They", "ate"], ["PRP"], [2, 0])])
    with pytest.raises(TypeError, match="is a str"):
        trained.train([("They ate", ["PRP", "VBD"], [2, 0])])
    # A failed training run does not change the model.
    assert trained.parse(["They"])
    parse = Parse(["They", "ate"], [2, 0], xpos=["PRP", "VBD"])
    parser = Parser()
    parser.train([parse] * 3, 5)
    assert parser.parse(parse.words)[1] == [None, 2, 3]
