"""Training, parsing, files."""

from __future__ import annotations

import io
import pickle
import random
from pathlib import Path

import numpy as np
import pytest

from spanrs.dep import Parse, Parser, Tagger, parse_conllu, read_conllu
from spanrs.errors import FormatError, ModelError

TREEBANK = Path(__file__).parents[2] / "examples" / "dep" / "train.conllu"


@pytest.fixture(scope="module")
def train():
    return read_conllu(TREEBANK)


@pytest.fixture(scope="module")
def parser(train):
    return Parser(epochs=5, models=2, jackknife=3, progress=False).fit(train)


def test_the_example_is_parsed(parser):
    parse = parser.parse(["They", "ate", "the", "pizza", "with", "anchovies"])
    assert parse.heads.tolist() == [2, 0, 4, 2, 6, 4]
    assert parse.labels == ("nsubj", "root", "det", "obj", "case", "nmod")
    assert parse.upos == ("PRON", "VERB", "DET", "NOUN", "ADP", "NOUN")


def test_every_sentence_has_one_root(parser, train):
    rng = random.Random(0)
    words = [word for parse in train for word in parse.words]
    for _ in range(300):
        parse = parser.parse(rng.choices(words, k=rng.randint(1, 25)))
        assert sum(parse.heads == 0) == 1
        assert (parse.labels[int(np.argmin(parse.heads))]) == "root"
        assert parse.labels.count("root") == 1
        assert parse_conllu(parse.to_conllu()) == [parse]


def test_an_empty_sentence_parses_to_nothing(parser):
    parse = parser.parse([])
    assert (parse.words, parse.heads.tolist(), parse.labels) == ((), [], ())
    assert parser.parse_batch([]) == []


def test_training_is_repeatable_and_depends_on_the_seed(train):
    def made(seed):
        return (
            Parser(epochs=2, models=1, jackknife=2, seed=seed, progress=False)
            .fit(train)
            ._compiled.to_bytes()
        )

    assert made(1) == made(1)
    assert made(1) != made(2)


def test_threads_change_nothing(parser, train):
    words = [parse.words for parse in train] * 3
    first = parser.parse_batch(words, threads=1)
    assert parser.parse_batch(words, threads=3) == first
    assert parser.parse_batch(words) == first


@pytest.mark.parametrize("published", [False, True])
def test_sentences_do_not_depend_on_their_neighbours(parser, train, published):
    if published:
        parser = Parser.published(epochs=2, progress=False).fit(train)
    words = [list(parse.words) for parse in train]
    # Sentences are parsed in groups: here short, long and empty ones in one group.
    words = [[], words[0] * 9, *words[:20], [], words[1][:1], *words[20:]]
    assert parser.parse_batch(words) == [parser.parse(sentence) for sentence in words]


def test_numpy_input_is_input(parser):
    words = np.array(["They", "ate", "pizza"])
    assert parser.parse(words) == parser.parse(words.tolist())


def test_given_tags_are_parsed_with(parser):
    words = ["They", "ate", "pizza"]
    tags = ["PRP", "VBD", "NN"]
    assert parser.parse(words, tags=tags).xpos == tuple(tags)
    with pytest.raises(ValueError, match="2 tags for 3 words"):
        parser.parse(words, tags=tags[:2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda parser: parser.parse("They ate"), "is a str; pass a list of words"),
        (lambda parser: parser.parse(["They", 3]), "not a str"),
        (lambda parser: parser.parse_batch([["They"], "ate"]), "sentence 1 is a str"),
        (lambda parser: parser.fit([("They", "PRP")]), "a tuple"),
    ],
)
def test_what_is_no_sentence_is_refused(parser, call, message):
    with pytest.raises(TypeError, match=message):
        call(parser)


def test_models_are_saved_and_loaded(parser, tmp_path):
    words = ["We", "ordered", "the", "soup", "with", "noodles"]
    path = tmp_path / "model"
    parser.save(path)
    again = Parser.load(path)
    assert again.parse(words) == parser.parse(words)
    assert again._compiled.to_bytes() == parser._compiled.to_bytes()
    assert again.models == 2
    assert Tagger.load(path).tag(words) == parser.tag(words)
    Tagger(progress=False).fit([Parse(["a"], xpos=["X"])]).save(tmp_path / "tagger")
    with pytest.raises(ModelError, match="no parser"):
        Parser.load(tmp_path / "tagger")


def test_damaged_models_are_refused(parser, tmp_path):
    data = parser._compiled.to_bytes()
    rng = random.Random(0)
    path = tmp_path / "model"
    for _ in range(60):
        damaged = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            # Damage to the header and the ends of tensors is most critical.
            damaged[rng.randrange(min(len(damaged), 4000))] = rng.randrange(256)
        path.write_bytes(damaged[: rng.choice([len(damaged), rng.randrange(len(damaged))])])
        try:
            loaded = Parser.load(path)
        except (ModelError, TypeError, ValueError):
            pass
        else:
            loaded.parse(["They", "ate"])


def test_an_untrained_parser_says_so():
    with pytest.raises(ModelError, match="not fitted"):
        Parser().parse(["They"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"oracle": "static"}, "oracle must be one of exact, published, not 'static'"),
        ({"epochs": 0}, "epochs must be an integer of at least 1, not 0"),
        ({"jackknife": 1}, "at least 2, not 1"),
        ({"features": "zpar"}, "features must be rich, .*, not 'zpar'"),
        ({"joint": True}, "joint=True needs features='published', not 'rich'"),
        ({"joint": True, "tagger": Tagger()}, "tagger has no effect with joint=True"),
        ({"features": "S0.w\nS9.q"}, "S9.q"),
        ({"features": "S0.w\nS0.w"}, "occurs twice"),
        ({"aggressiveness": -1.0}, "above 0"),
    ],
)
def test_bad_options_are_refused(options, message, train):
    with pytest.raises(ValueError, match=message):
        Parser(**{"epochs": 1, "jackknife": 0, "models": 1, "progress": False} | options).fit(train[:2])


@pytest.mark.parametrize(
    "options",
    [
        {"features": "published", "labelled": False},
        {"features": "published"},
        {"features": "S0.w N0.w\nS0.p N0.p\nS0.w\nN0.p S0r.l\nd0n", "single_root": False},
        {"aggressiveness": 0.1},
        {"labelled": False},
        {"oracle": "published", "explore_from": 1},
    ],
)
def test_options_can_be_combined(options, train):
    parser = Parser(**{"epochs": 4, "models": 1, "jackknife": 0, "progress": False} | options).fit(train)
    result = parser.evaluate(train)
    assert result["uas"].micro.f1 > 0.9
    assert bool(parser.labels) == parser.labelled


def test_crossing_arcs_are_lifted_and_counted():
    crossing = Parse(["a", "b", "c", "d"], [3, 4, 0, 3], ["x", "y", "root", "z"], xpos=list("ABCD"))
    parser = Parser(epochs=3, models=1, jackknife=0, progress=False).fit([crossing] * 3)
    assert parser.lifted_ == (3, 3)
    assert parser.parse(["a", "b", "c", "d"]).heads.tolist() == [3, 3, 0, 3]


def test_progress_counts_the_passes_that_select_weights(train, capsys):
    options = {"epochs": 2, "models": 2, "jackknife": 0, "max_weights": 500}
    parser = Parser(**options, progress=True).fit(train[:20])
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("parser ")]
    assert [line.split()[1] for line in lines] == [f"{done}/8" for done in range(1, 9)]
    assert ["selection of weights" in line for line in lines] == [True] * 4 + [False] * 4
    passes = [(epoch.model, epoch.epoch) for epoch in parser.history_]
    assert passes == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_early_stopping_keeps_the_best_weights(train):
    dev = train[:20]
    parser = Parser(epochs=30, models=1, jackknife=2, progress=False).fit(train, dev, patience=2)
    scores = [epoch.dev["las"] for epoch in parser.history_]
    assert len(scores) < 30
    result = parser.evaluate(dev, matcher=__import__("spanrs").dep.Dep(subtypes=True))
    assert result.micro.f1 == pytest.approx(max(scores))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\t_\tX\tX\t_\t2\tdep\t_\t_\n2\tb\t_\tX\tX\t_\t1\tdep\t_\t_\n", "cycle"),
        ("1\ta\t_\tX\tX\t_\t_\tdep\t_\t_\n", "no head"),
        ("They ate pizza\n", "has no heads"),
        ("They/PRP ate/VBD\n", "has no heads"),
    ],
)
def test_treebanks_without_trees_are_refused(text, message):
    with pytest.raises(FormatError, match=message):
        Parser(progress=False).fit(io.BytesIO(text.encode()))


def test_nothing_to_learn_from_is_an_error():
    with pytest.raises(ValueError, match="no sentences"):
        Parser(progress=False).fit([])
    with pytest.raises(ValueError, match="no sentences"):
        Parser(progress=False).fit(io.BytesIO(b"\n\n# comment\n\n"))


def test_parsers_can_be_pickled(parser):
    words = ["They", "ate", "pizza"]
    assert pickle.loads(pickle.dumps(parser)).parse(words) == parser.parse(words)


def test_a_second_fit_trains_the_tagger_again(train):
    parser = Parser(epochs=1, models=1, jackknife=0, progress=False).fit(train[:5])
    before = parser.tagger_.tags
    assert parser.fit(train).tagger_.tags != before


def test_a_fitted_tagger_is_used_as_it_is(train):
    tagger = Tagger(epochs=1, progress=False).fit(train[:5])
    data = tagger._compiled.to_bytes()
    parser = Parser(epochs=1, models=1, jackknife=0, tagger=tagger, progress=False).fit(train)
    assert parser.tagger is tagger
    assert tagger._compiled.to_bytes() == data
    assert parser.tagger_.tags == tagger.tags
    unfitted = Tagger(epochs=1, progress=False)
    parser.set_params(tagger=unfitted, tagger__epochs=2).fit(train)
    assert (unfitted.epochs, parser.tagger_.epochs) == (2, 2)
    assert not unfitted.__sklearn_is_fitted__()


def test_taggers_of_several_models_have_names_for_their_weights(train):
    tagger = Tagger(features="published", epochs=2, models=3, progress=False).fit(train)
    names = [name for name, _ in tagger._compiled.named_weights()]
    assert len(names) == tagger._compiled.sizes()[0]
    assert "bias" in names
    words = train[0].words
    assert pickle.loads(pickle.dumps(tagger)).tag(words) == tagger.tag(words)


def test_data_without_tags_are_refused():
    plain = [Parse(["a", "b"], [0, 1], ["root", "dep"])]
    with pytest.raises(ValueError, match="no tags"):
        Tagger(progress=False).fit(plain)
    with pytest.raises(ValueError, match="no tags"):
        Parser(progress=False).fit(plain)
    tagged = [Parse(["a"], xpos=["X"])]
    with pytest.raises(ValueError, match="development data have no tags"):
        Tagger(progress=False).fit(tagged, plain)


def test_parses_can_be_pickled(parser):
    parse = parser.parse(["They", "ate", "pizza"])
    assert pickle.loads(pickle.dumps(parse)) == parse


def test_bad_parses_are_refused():
    with pytest.raises(ValueError, match="head 3"):
        Parse(["a", "b"], [0, 3])
    with pytest.raises(ValueError, match="1 labels for 2 words"):
        Parse(["a", "b"], [0, 1], ["root"])
    with pytest.raises(ValueError, match="integers"):
        Parse(["a"], [0.5])
    with pytest.raises(ValueError, match="head 4294967298"):
        Parse(["a", "b"], [2**32 + 2, 0])
    with pytest.raises(TypeError, match="words is a str; pass a list"):
        Parse("ab", [0, 1])
    for words in (["a\tb"], ["a\n"], [""]):
        with pytest.raises(ValueError, match="CoNLL-U"):
            Parse(words, [0], ["root"]).to_conllu()


@pytest.mark.parametrize("column", [2, 3, 4, 5, 7])
def test_control_characters_are_refused_before_training(column, tmp_path):
    """Models cannot contain them, because CoNLL-U cannot."""
    rows = [["1", "a", "a", "NOUN", "NN", "A=B", "0", "root", "_", "_"]]
    rows[0][column] += "\x85"
    path = tmp_path / "train.conllu"
    path.write_text("\t".join(rows[0]) + "\n\n", encoding="utf-8", newline="")
    with pytest.raises(FormatError, match=r"train.conllu:1: .* contains a control character"):
        Parser(jackknife=0).fit(path)
    parse = Parse(["a"], [0], ["root\x85"], xpos=["N"])
    with pytest.raises(ValueError, match="contains a control character"):
        Parser(jackknife=0).fit([parse])
