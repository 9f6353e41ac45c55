"""Models that earlier versions wrote give the output they gave then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sklearn.base import clone

import spanrs.dep
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.compat.parser import Parser as PublishedParser
from spanrs.dep import Parser, Tagger

FOLDER = Path(__file__).parent / "models"
RECORDED = json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))
each = pytest.mark.parametrize("name", sorted(RECORDED["parses"]))


@each
def test_output_is_that_of_the_version_that_wrote_the_model(name):
    expected = RECORDED["parses"][name]
    for loaded in (Parser.load(FOLDER / name), spanrs.dep.load(FOLDER / name)):
        parses = loaded.parse_batch(RECORDED["words"])
        assert [
            [parse.heads.tolist(), list(parse.labels), list(parse.xpos)] for parse in parses
        ] == expected
    tags = Tagger.load(FOLDER / name).tag_batch(RECORDED["words"])
    assert tags == [xpos for *_, xpos in expected]


@each
def test_files_do_not_change(name, tmp_path):
    Parser.load(FOLDER / name).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (FOLDER / name).read_bytes()


@each
def test_parameters_are_those_of_the_training(name):
    parser = Parser.load(FOLDER / name)
    assert (parser.max_weights, parser.beam, parser.margin) == (0, 1, 0)
    assert repr(clone(parser)) == repr(parser)
    tagger = Tagger.load(FOLDER / name)
    assert (tagger.max_weights, tagger.dropout, tagger.recheck) == (0, 0.0, 0)


def test_the_published_model_has_the_interface_of_parser_py():
    words = RECORDED["words"][0]
    heads = RECORDED["parses"]["published-1.model"][0][0]
    parsed = PublishedParser(str(FOLDER / "published-1.model")).parse(words)[1]
    assert parsed == [None, *(head or len(words) + 1 for head in heads)]


@each
def test_commands_read_them(name, tmp_path, capsysbinary):
    text = tmp_path / "tokens"
    text.write_text(" ".join(RECORDED["words"][0]) + "\n", encoding="utf-8")
    assert run(group, ["dep", "parse", "--format", "tokens", str(FOLDER / name), str(text)]) == 0
    rows = [line.split("\t") for line in capsysbinary.readouterr().out.decode().splitlines() if line]
    assert [int(row[6]) for row in rows] == RECORDED["parses"][name][0][0]
    assert run(group, ["dep", "draw", "--model", str(FOLDER / name), "--format", "tokens", str(text)]) == 0


@pytest.mark.parametrize("name", sorted(RECORDED["tags"]))
def test_taggers_with_universal_tags_only(name, tmp_path):
    tagger = Tagger.load(FOLDER / name)
    assert tagger.tag_batch(RECORDED["words"]) == RECORDED["tags"][name]
    tagger.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (FOLDER / name).read_bytes()
