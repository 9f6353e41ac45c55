"""Differential tests of the tagger against NLTK."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tag.perceptron import PerceptronTagger as Theirs

from spanrs.compat.nltk import PerceptronTagger as Ours
from spanrs.errors import ModelError

WORDS = ["the", "Pizza", "2004", "well-done", "3rd", "they", "Ärger", "²", "a"]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 6))
def test_weights_tags_and_confidences_are_those_of_nltk(seed, count, passes):
    rng = random.Random(seed)
    data = [
        [
            (word, rng.choice("ABC"))
            for word in rng.choices(WORDS, weights=[9, *[1] * 8], k=rng.randint(1, 8))
        ]
        for _ in range(count)
    ]
    theirs, ours = Theirs(load=False), Ours(load=False)
    random.seed(seed)
    theirs.train([list(sentence) for sentence in data], nr_iter=passes)
    random.seed(seed)
    ours.train(data, nr_iter=passes)
    assert ours.tagdict == dict(theirs.tagdict)
    assert ours.classes == theirs.classes
    expected = {name: row for name, row in theirs.model.weights.items() if row}
    assert ours.weights == expected
    tokens = rng.choices([*WORDS, "new", ""], k=12)
    assert ours.tag(tokens) == theirs.tag(tokens)
    assert ours.tag(tokens, use_tagdict=False) == theirs.tag(tokens, use_tagdict=False)
    sides = zip(ours.tag(tokens, return_conf=True), theirs.tag(tokens, return_conf=True), strict=True)
    for first, item in sides:
        assert first[:2] == item[:2]
        assert first[2] == pytest.approx(item[2], rel=1e-9)


def test_files_are_those_of_nltk(tmp_path):
    data = [[("the", "DT"), ("dog", "NN")], [("a", "DT"), ("cat", "NN"), ("sat", "VBD")]] * 3
    ours = Ours(load=False)
    ours.train(data, save_loc=tmp_path / "model")
    names = sorted(path.name for path in (tmp_path / "model").iterdir())
    assert names == [
        f"averaged_perceptron_tagger_eng.{part}.json" for part in ("classes", "tagdict", "weights")
    ]
    theirs = Theirs(load=False)
    parts = {
        part: json.loads((tmp_path / "model" / f"averaged_perceptron_tagger_eng.{part}.json").read_text())
        for part in ("weights", "tagdict", "classes")
    }
    theirs.model.weights, theirs.tagdict = parts["weights"], parts["tagdict"]
    theirs.classes = theirs.model.classes = set(parts["classes"])
    again = Ours(loc=tmp_path / "model")
    tokens = ["the", "cat", "sat", "on", "a", "dog"]
    assert again.tag(tokens) == ours.tag(tokens) == theirs.tag(tokens)
    assert again.weights == ours.weights


def test_what_cannot_be_loaded_is_said(tmp_path):
    with pytest.raises(ModelError, match="loc="):
        Ours()
    with pytest.raises(ModelError, match="no weights"):
        Ours(load=False).tag(["a"])
    with pytest.raises(FileNotFoundError):
        Ours(loc=tmp_path)
