"""``spanrs dep`` on raw text, and models without some components."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.dep import read_conllu

EXAMPLES = Path(__file__).parents[2] / "examples" / "dep"
TRAIN, DEV, RAW = (EXAMPLES / name for name in ("train.conllu", "dev.conllu", "raw.txt"))
FAST = ("--epochs", "3", "--models", "1", "--jackknife", "3", "-q")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("dep") / "model"
    assert run(group, ["dep", "train", str(TRAIN), *FAST, "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def flat(tmp_path_factory):
    """A treebank without trees."""
    path = tmp_path_factory.mktemp("flat") / "flat.conllu"
    lines = [line.split("\t") for line in TRAIN.read_text().splitlines()]
    rows = ["\t".join([*row[:6], "_", "_", *row[8:]]) if len(row) > 1 else row[0] for row in lines]
    path.write_text("\n".join(rows) + "\n\n")
    return path


@pytest.fixture(scope="module")
def analyser(flat, tmp_path_factory):
    """A model without a parser, trained without trees."""
    path = tmp_path_factory.mktemp("dep") / "analyser"
    args = ("--without", "parser", "--tagger-epochs", "3", "--jackknife", "3", "-q")
    assert run(group, ["dep", "train", str(flat), *args, "-o", str(path)]) == 0
    return path


def ids(conllu):
    return [line for line in conllu.splitlines() if line.startswith("# sent_id")]


def test_text_is_parsed(model, spanrs):
    status, out, err = spanrs("dep", "parse", model, RAW)
    assert status == 0
    assert f"{RAW} is read as raw text (--format)" in err
    parses = read_conllu(io.BytesIO(out.encode()))
    assert out.startswith("# newdoc id = raw\n# newpar\n# sent_id = raw-1-1\n# text = ")
    assert (
        RAW.read_text().split()
        == "".join(
            f"{line.removeprefix('# text = ')} "
            for line in out.splitlines()
            if line.startswith("# text = ")
        ).split()
    )
    for parse in parses:
        for name in ("upos", "xpos", "lemmas", "labels"):
            assert len(getattr(parse, name)) == len(parse.words), name
    # The tagger alone gives the same sentences and tags.
    _, tagged, _ = spanrs("dep", "tag", model, RAW)
    for parse, other in zip(parses, read_conllu(io.BytesIO(tagged.encode())), strict=True):
        assert (parse.words, parse.xpos, parse.lemmas) == (other.words, other.xpos, other.lemmas)
        assert not len(other.heads)


def test_standard_input_and_several_files(model, tmp_path, monkeypatch, spanrs):
    _, expected, _ = spanrs("dep", "parse", model, RAW)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(RAW.read_bytes())))
    _, out, err = spanrs("dep", "parse", model, "-")
    assert "standard input is read as raw text" in err
    assert out.replace("= text-", "= raw-").replace("newdoc id = text", "newdoc id = raw") == expected
    other = tmp_path / "other" / "raw.txt"
    other.parent.mkdir()
    other.write_bytes(RAW.read_bytes())
    third = tmp_path / "raw-file2.txt"
    third.write_bytes(RAW.read_bytes())
    _, out, _ = spanrs("dep", "parse", model, RAW, other, third, other)
    assert len(set(ids(out))) == len(ids(out)) == 4 * len(ids(expected))


def test_lines_end_sentences_if_asked(model, tmp_path, spanrs):
    path = tmp_path / "lines.txt"
    path.write_text("They ate\nthe pizza\n\nWe slept\n")
    for command in ("parse", "tag"):
        status, out, _ = spanrs("dep", command, "--lines", model, path)
        assert (status, len(ids(out)), out.count("# newpar")) == (0, 3, 2)
    status, _, err = spanrs("dep", "parse", "--lines", model, DEV)
    assert (status, "this is CoNLL-U, not raw text" in err) == (2, True)
    status, _, err = spanrs("dep", "parse", "--lines", "--format", "tokens", model, RAW)
    assert (status, "--lines is for raw text" in err) == (2, True)
    # Without the option, words on lines of their own may be tokens.
    path.write_text("Hello\nworld\n")
    assert spanrs("dep", "parse", model, path)[0] == 2
    status, out, _ = spanrs("dep", "parse", "--lines", model, path)
    assert (status, len(ids(out))) == (0, 2)


def test_text_has_no_tags_to_keep(model, spanrs):
    status, out, err = spanrs("dep", "parse", "--keep-tags", model, RAW)
    assert (status, out, "omit --keep-tags" in err) == (2, "", True)


def test_text_is_drawn(model, spanrs):
    status, out, _ = spanrs("dep", "draw", "--model", model, "--text", "They ate. We slept.")
    assert (status, "slept" in out) == (0, True)


def test_evaluation_from_text(model, spanrs):
    _, words, _ = spanrs("dep", "eval", DEV, model, "--json")
    status, text, _ = spanrs("dep", "eval", DEV, model, "--raw", "--json")
    assert status == 0
    assert json.loads(words)["criteria"]["words"]["micro"]["f1"] == 1
    assert 0.5 < json.loads(text)["criteria"]["words"]["micro"]["f1"] <= 1
    status, _, err = spanrs("dep", "eval", DEV, DEV, "--raw")
    assert (status, "--raw needs a model" in err) == (2, True)


def test_components_that_are_left_out_are_named(tmp_path, spanrs):
    path = tmp_path / "plain.conllu"
    path.write_text(
        "".join(
            line
            for line in TRAIN.read_text().replace("SpaceAfter=No", "_").splitlines(keepends=True)
            if not line.startswith("# text")
        )
    )
    status, out, err = spanrs(
        "dep", "train", path, *FAST, "--without", "morphology", "-o", tmp_path / "m", "--json"
    )
    assert status == 0
    assert "no segmenter: " in err
    facts = json.loads(out)
    assert (facts["components"], list(facts["skipped"])) == (["tagger", "parser"], ["segmenter"])
    status, _, err = spanrs("dep", "parse", tmp_path / "m", "--format", "raw", RAW)
    assert (status, "it has no segmenter" in err) == (2, True)


def test_without_a_parser_no_trees_are_needed(analyser, flat, spanrs, tmp_path):
    _, info, _ = spanrs("dep", "info", analyser)
    assert ("\nlabels: " in info, "morphology: " in info) == (False, True)
    status, out, _ = spanrs("dep", "tag", analyser, RAW)
    parses = read_conllu(io.BytesIO(out.encode()))
    assert (status, all(len(parse.lemmas) == len(parse.words) for parse in parses)) == (0, True)
    status, _, err = spanrs("dep", "parse", analyser, RAW)
    assert (status, "use spanrs dep tag" in err) == (2, True)
    for gold in (flat, DEV):
        status, out, err = spanrs("dep", "eval", gold, analyser, "--raw")
        assert (status, "Lemmas" in out) == (0, True)
        assert "the model does not predict" in err
    status, _, err = spanrs("dep", "train", flat, *FAST, "-o", tmp_path / "m")
    assert (status, "has no head" in err, "leave out the parser" in err) == (2, True, True)
    args = ("train", flat, "--without", "parser", "--models", "2", "-o", tmp_path / "m")
    status, _, err = spanrs("dep", *args)
    assert (status, "--models" in err, "--without parser" in err) == (2, True, True)
