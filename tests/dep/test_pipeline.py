"""Pipelines from text to trees, on the small treebanks."""

from __future__ import annotations

import io
import random

import pytest

import small_treebanks
import spanrs.dep
from spanrs.dep import (
    Morphology,
    Parse,
    Parser,
    Pipeline,
    Segmenter,
    Tagger,
    Token,
    evaluate,
    read_conllu,
)
from spanrs.dep.matcher import COLUMNS
from spanrs.errors import FormatError, ModelError, NotFittedError

#: Scores that each language must reach on held-out text.
FLOORS = {
    "en": {"tokens": 0.95, "sentences": 0.8, "words": 0.95, "upos": 0.8, "lemmas": 0.8, "las": 0.5},
    "es": {"tokens": 0.95, "sentences": 0.7, "words": 0.9, "upos": 0.8, "lemmas": 0.75, "las": 0.5},
    "ja": {"tokens": 0.75, "sentences": 0.9, "words": 0.75, "upos": 0.65, "lemmas": 0.65, "las": 0.4},
}


def parser():
    return Parser(epochs=4, models=1, jackknife=4)


@pytest.fixture(scope="module", params=small_treebanks.LANGUAGES)
def language(request):
    return request.param


@pytest.fixture(scope="module")
def parts(language, tmp_path_factory):
    """Files with the training part and the held-out part of a treebank."""
    folder = tmp_path_factory.mktemp(language)
    paths = []
    for name, text in zip(("train", "dev"), small_treebanks.split(language), strict=True):
        paths.append(folder / f"{name}.conllu")
        paths[-1].write_text(text, encoding="utf-8")
    return paths


@pytest.fixture(scope="module")
def pipeline(parts):
    return Pipeline(parser=parser()).fit(parts[0])


def test_all_columns_are_predicted_from_text(language, pipeline, parts):
    assert pipeline.components == ("segmenter", "tagger", "morphology", "parser")
    assert pipeline.skipped_ == {}
    result = pipeline.evaluate(parts[1], raw=True)
    scores = {name: result[name].micro.f1 for name in FLOORS[language]}
    assert {name: score for name, score in scores.items() if score < FLOORS[language][name]} == {}
    for name in COLUMNS:
        assert result[name].unscored is None, name


def test_tokens_have_the_offsets_of_the_text(pipeline, parts):
    text = small_treebanks.raw_text(parts[1].read_text(encoding="utf-8"))
    sentences = pipeline.parse_text(text)
    end = 0
    for sentence in sentences:
        assert [token.words.start for token in sentence.tokens] == sorted(
            {token.words.start for token in sentence.tokens}
        )
        assert sum(len(token.words) for token in sentence.tokens) == len(sentence.words)
        for token in sentence.tokens:
            assert token.text == text[token.start : token.end]
            assert not text[end : token.start].strip()
            assert token.space_after == (not text[token.end : token.end + 1].strip())
            end = token.end
    assert not text[end:].strip()


def test_files_and_strings_give_the_same_sentences(pipeline, parts, tmp_path):
    text = small_treebanks.raw_text(parts[1].read_text(encoding="utf-8"))
    written = annotated(pipeline, text, tmp_path)
    expected = pipeline.parse_text(text)
    read = read_conllu(io.BytesIO(written))
    for one, other in zip(read, expected, strict=True):
        for name in ("words", "upos", "xpos", "lemmas", "labels"):
            assert getattr(one, name) == getattr(other, name), name
        # Without features in a sentence, the column might be missing.
        assert (one.feats or ("_",) * len(one)) == other.feats
        assert one.heads.tolist() == other.heads.tolist()
    # What a parse writes is what the file contains, except for ids.
    lines = [
        line
        for line in written.decode().splitlines(keepends=True)
        if not line.startswith(("# sent_id", "# newdoc", "# newpar"))
    ]
    assert "".join(lines) == "".join(parse.to_conllu() for parse in expected)


def annotated(pipeline, text, tmp_path, threads=1):
    path = tmp_path / "text.txt"
    path.write_text(text, encoding="utf-8", newline="")
    file = spanrs._spanrs.SyntaxFile(str(path), "raw")
    parts = []
    while (part := pipeline._compiled.annotate_file(file, {"threads": threads})) is not None:
        parts.append(part)
    return b"".join(parts)


def test_results_do_not_depend_on_threads(pipeline, parts, tmp_path):
    text = "\n\n".join([small_treebanks.raw_text(parts[1].read_text(encoding="utf-8"))] * 30)
    one = annotated(pipeline, text, tmp_path)
    assert one == annotated(pipeline, text, tmp_path, threads=3)
    assert pipeline.parse_text(text) == pipeline.parse_text(text, threads=3)
    ids = [line for line in one.decode().splitlines() if line.startswith("# sent_id")]
    assert len(ids) == len(set(ids))


def test_models_keep_their_output(pipeline, parts, tmp_path):
    text = small_treebanks.raw_text(parts[1].read_text(encoding="utf-8"))
    pipeline.save(tmp_path / "a.model")
    again = spanrs.dep.load(tmp_path / "a.model")
    assert again.parse_text(text) == pipeline.parse_text(text)
    again.save(tmp_path / "b.model")
    assert (tmp_path / "a.model").read_bytes() == (tmp_path / "b.model").read_bytes()
    words = ["a", "b"]
    assert (
        Parser.load(tmp_path / "a.model").parse(words).heads.tolist() == again.parse(words).heads.tolist()
    )


def test_damaged_models_are_refused_or_work(pipeline, tmp_path):
    pipeline.save(tmp_path / "a.model")
    data = (tmp_path / "a.model").read_bytes()
    rng = random.Random(1)
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 8])):
            # Half of the changes are in the header.
            at = rng.randrange(len(data) if rng.random() < 0.5 else min(len(data), 20_000))
            damaged[at] = rng.randrange(256)
        if rng.random() < 0.1:
            damaged = damaged[: rng.randrange(len(damaged))]
        try:
            model = spanrs._spanrs.DepModel.from_bytes(bytes(damaged))
        except ModelError:
            refused += 1
        else:
            for sentence in model.segment("Dr. Ann didn't sleep. ¿Y del mar? 海です。", False):
                words = [form for *_, forms in sentence for form in forms]
                model.annotate([words], None, model.has_parser, 1)
    assert 50 < refused < 300


TEXTS = [
    "",
    " \n\n\t ",
    "\ufeffHi.\r\n\r\nYou\r\nthere.\r\n",
    "a" * 100_000,
    "😀👩\u200d👩\u200d👧 שלום עולם.",
    "x\u0301y" * 50,
    "\x00\x01\u2028",
    # White space in Python, but not in Unicode.
    "a\x1cb \x1f c",
]


@pytest.mark.parametrize("text", TEXTS)
def test_any_text_is_divided_without_loss(text, pipeline):
    sentences = pipeline.segment(text)
    found = "".join(token.text for sentence in sentences for token in sentence.tokens)
    invisible = "\ufeff\u200b"
    white = invisible + "".join(c for c in text if c.isspace() and c not in "\x1c\x1d\x1e\x1f")
    assert "".join(c for c in found if c not in white) == "".join(c for c in text if c not in white)
    assert all(sentence.words and all(sentence.words) for sentence in sentences)


def test_lines_may_end_sentences(pipeline):
    assert len(pipeline.segment("one two\nthree four", lines=True)) == 2


def test_components_without_annotation_are_skipped():
    row = "{}\t{}\t_\tNOUN\tNN\t_\t{}\t{}\t_\t_\n"
    sentence = row.format(1, "dogs", 2, "nsubj") + row.format(2, "bark", 0, "root") + "\n"
    pipeline = Pipeline(parser=parser()).fit(io.BytesIO(sentence.encode() * 5))
    assert pipeline.components == ("tagger", "parser")
    assert set(pipeline.skipped_) == {"segmenter", "morphology"}
    assert "SpaceAfter=No" in pipeline.skipped_["segmenter"]
    parse = pipeline.parse(["dogs", "bark"])
    assert (parse.lemmas, parse.feats) == ((), ())
    with pytest.raises(ModelError, match="no segmenter"):
        pipeline.parse_text("dogs bark")
    with pytest.raises(ModelError, match="no segmenter"):
        pipeline.evaluate(io.BytesIO(sentence.encode()), raw=True)


def test_components_can_be_left_out():
    text = small_treebanks.path("es")
    pipeline = Pipeline(parser=parser(), without=["segmenter", "morphology"]).fit(text)
    assert pipeline.components == ("tagger", "parser")
    assert pipeline.skipped_ == {}
    with pytest.raises(ValueError, match="without has 'tagger'"):
        Pipeline(without=["tagger"]).fit(text)


def test_fit_does_not_change_components():
    components = {
        "segmenter": Segmenter(epochs=1, models=1),
        "morphology": Morphology(epochs=1),
        "parser": parser(),
    }
    before = {name: dict(vars(component)) for name, component in components.items()}
    Pipeline(**components).fit(small_treebanks.path("en"))
    assert {name: vars(component) for name, component in components.items()} == before


def test_fitted_components_are_used():
    text = small_treebanks.path("es")
    segmenter, morphology = Segmenter().fit(text), Morphology().fit(text)
    pipeline = Pipeline(segmenter=segmenter, morphology=morphology, parser=parser()).fit(
        small_treebanks.path("en")
    )
    sentence = "Voy al mercado del pueblo."
    assert pipeline.segment(sentence) == segmenter.segment(sentence)
    with pytest.raises(ValueError, match="parser is fitted"):
        Pipeline(parser=pipeline.parser.fit(text) if pipeline.parser else parser().fit(text)).fit(text)


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"parser": "x"}, TypeError, "parser must be a Parser, not str"),
        ({"segmenter": Morphology()}, TypeError, "segmenter must be a Segmenter, not Morphology"),
        ({"morphology": Morphology(epochs=0)}, ValueError, "epochs must be an integer of at least 1"),
        ({"without": "segmenter"}, TypeError, "without must be a sequence of names"),
        ({"without": None}, TypeError, "without must be a sequence of names"),
        (
            {"morphology": Morphology(), "without": ["morphology"]},
            ValueError,
            "morphology is given and left out",
        ),
    ],
)
def test_parameters_are_checked_before_anything_is_read(params, error, message):
    with pytest.raises(error, match=message):
        Pipeline(**params).fit("no such file")


def test_morphology_learns_the_tags_that_the_tagger_predicts(parts):
    scores = []
    for own in (Parser.published(epochs=4), Parser(epochs=4, models=1, jackknife=0)):
        result = Pipeline(parser=own).fit(parts[0]).evaluate(parts[1])
        scores.append(result["lemmas"].micro.f1)
    # A tagger without UPOS gives worse lemmas, but not those of unknown tags.
    assert scores[0] > scores[1] - 0.15


def test_sentences_in_memory_have_features_and_lemmas(parts):
    from_file, from_memory = Morphology().fit(parts[0]), Morphology().fit(read_conllu(parts[0]))
    for sentence in read_conllu(parts[1]):
        tags = {"xpos": sentence.xpos, "upos": sentence.upos}
        assert from_file.analyse(sentence.words, **tags) == from_memory.analyse(sentence.words, **tags)


def test_components_without_a_tagger_do_not_guess(tmp_path):
    Segmenter().fit(small_treebanks.path("en")).save(tmp_path / "segmenter")
    pipeline = spanrs.dep.load(tmp_path / "segmenter")
    assert pipeline.components == ("segmenter",)
    with pytest.raises(ModelError, match="no tagger"):
        pipeline.parse(["a"])
    with pytest.raises(ModelError, match="has no tagger; it has segmenter"):
        Parser.load(tmp_path / "segmenter")


def test_components_of_a_pipeline_are_saved_alone(pipeline, tmp_path):
    pipeline.save(tmp_path / "all")
    Segmenter.load(tmp_path / "all").save(tmp_path / "segmenter")
    assert spanrs.dep.load(tmp_path / "segmenter").components == ("segmenter",)
    assert Parser.load(tmp_path / "all")._compiled.has_feats is False


def test_unfitted_and_wrong_input():
    with pytest.raises(NotFittedError):
        Pipeline().parse(["a"])
    with pytest.raises(TypeError, match="sentences in memory have no text"):
        Pipeline().fit([Parse(["a"], [0], ["root"], upos=["NOUN"])])
    bad = "# text = a c\n1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    with pytest.raises(FormatError, match=r":3: the token 'b'|:3: the token \"b\"") as caught:
        Segmenter().fit(io.BytesIO(bad.encode()))
    assert caught.value.line == 3


def test_parses_write_tokens():
    parse = Parse(
        ["Do", "n't", "go"],
        [3, 3, 0],
        ["aux", "advmod", "root"],
        lemmas=["do", "not", "go"],
        feats=["_", "_", "VerbForm=Inf"],
        tokens=[Token("Don't", 0, 5, range(2), True), Token("go", 7, 9, range(2, 3), False)],
    )
    assert parse.text == "Don't go"
    assert parse.to_conllu() == (
        "# text = Don't go\n1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tDo\tdo\t_\t_\t_\t3\taux\t_\t_\n"
        "2\tn't\tnot\t_\t_\t_\t3\tadvmod\t_\t_\n3\tgo\tgo\t_\t_\tVerbForm=Inf\t0\troot\t_\tSpaceAfter=No\n\n"
    )
    result = evaluate([parse], [parse])
    assert (result["tokens"].micro.support, result["words"].micro.support) == (2, 3)


def test_components_are_not_changed_by_training(parts):
    given = {"segmenter": Segmenter(epochs=2), "morphology": Morphology(epochs=2), "parser": parser()}
    before = {name: dict(vars(component)) for name, component in given.items()}
    fitted = Pipeline(**given).fit(parts[0])
    assert {name: dict(vars(component)) for name, component in given.items()} == before
    assert fitted.components == ("segmenter", "tagger", "morphology", "parser")


def test_evaluation_by_sentence_with_threads(pipeline, parts):
    gold = read_conllu(parts[1])
    result = pipeline.evaluate(parts[1], by="sentence", threads=2)
    assert result.to_json() == pipeline.evaluate(parts[1], by="sentence").to_json()
    assert pipeline.evaluate(gold)["las"].micro.f1 == result["las"].micro.f1
    with pytest.raises(TypeError, match="sentences in memory have no text"):
        pipeline.evaluate(gold, raw=True)


def test_pipelines_without_a_parser(parts, tmp_path):
    pipeline = Pipeline(parser=Parser(tagger=Tagger(epochs=3), jackknife=3), without=["parser"]).fit(
        parts[0], parts[1]
    )
    assert pipeline.components == ("segmenter", "tagger", "morphology")
    assert 0 < len(pipeline.dev_) <= 2
    sentence = pipeline.parse_text(small_treebanks.raw_text(parts[1].read_text(encoding="utf-8")))[0]
    assert (len(sentence.heads), len(sentence.lemmas)) == (0, len(sentence.words))
    result = pipeline.evaluate(parts[1], raw=True)
    assert result["las"].unscored == "pred has no HEAD"
    assert result["upos"].unscored is None
    pipeline.save(tmp_path / "m")
    again = spanrs.dep.load(tmp_path / "m")
    assert again.without == ("parser",)
    assert again.parse(sentence.words) == pipeline.parse(sentence.words)
    with pytest.raises(ModelError, match="has no parser"):
        Parser.load(tmp_path / "m")


def test_tags_of_the_analysis_are_lists(pipeline):
    with pytest.raises(TypeError, match="upos is a str"):
        Morphology._of(pipeline._compiled).analyse(["a"], upos="N")
