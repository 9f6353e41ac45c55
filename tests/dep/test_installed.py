"""Names of installed models: which model a name means, and errors."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import small_treebanks
import spanrs
from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.compat import nltk
from spanrs.compat.parser import Parser as PublishedParser
from spanrs.dep import InstalledModel, Parser, Tagger, load, models, read_conllu
from spanrs.dep.installed import default_model, may_be_name, resolve
from spanrs.errors import ModelError, ModelNotFoundError

WORDS = ["The", "dog", "was", "sleeping", "under", "the", "tree", "."]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return model files of a parser and of a tagger."""
    folder = tmp_path_factory.mktemp("models")
    train = read_conllu(small_treebanks.path("en"))
    tagger = Tagger(epochs=3, progress=False).fit(train)
    tagger.save(folder / "tagger.model")
    parser = Parser(epochs=3, models=1, jackknife=0, tagger=tagger, progress=False)
    parser.fit(train).save(folder / "parser.model")
    return {"parser": folder / "parser.model", "tagger": folder / "tagger.model"}


@pytest.fixture
def install(tmp_path, monkeypatch, files):
    """Return a function that installs a distribution with a model, and change to an empty directory."""
    site, work = tmp_path / "site", tmp_path / "work"
    site.mkdir()
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.syspath_prepend(site)
    # Models that are installed on this machine are not found.
    real = importlib.metadata.distributions
    monkeypatch.setattr(
        importlib.metadata,
        "distributions",
        lambda: real(path=[folder for folder in sys.path if Path(folder).is_relative_to(tmp_path)]),
    )
    nltk._find_installed.cache_clear()

    def make(name: str, kind: str | None = "parser", distribution: str = "", version: str = "1.0") -> Path:
        distribution = distribution or f"spanrs-model-{name.replace('_', '-')}"
        package = distribution.replace("-", "_")
        info = site / f"{package}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {distribution}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[spanrs.models]\n{name} = {package}\n")
        (site / package).mkdir()
        (site / package / "__init__.py").write_text("raise AssertionError('the package is imported')\n")
        if kind is not None:
            (site / package / f"{name}.model").write_bytes(files[kind].read_bytes())
        return site / package / f"{name}.model"

    return make


def test_models_are_listed_by_name(install):
    assert models() == []
    second, first = install("en_two", version="2.1"), install("de_one")
    assert models() == [
        InstalledModel("de_one", first, "spanrs-model-de-one", "1.0"),
        InstalledModel("en_two", second, "spanrs-model-en-two", "2.1"),
    ]
    assert [model.language for model in models()] == ["de", "en"]


def test_a_model_is_a_parser_or_a_tagger(install, files):
    install("en_small")
    install("en_tags", "tagger")
    parser, tagger = load("en_small"), load("en_tags")
    assert parser.components == ("tagger", "parser")
    assert parser.parse(WORDS) == Parser.load(files["parser"]).parse(WORDS)
    assert tagger.components == ("tagger",)
    assert tagger.tag(WORDS) == Tagger.load(files["tagger"]).tag(WORDS)


def test_the_package_is_not_imported(install):
    install("en_small")
    load("en_small")
    assert "spanrs_model_en_small" not in sys.modules


def test_paths_do_not_look_for_installed_models(files):
    code = (
        "import sys, spanrs.dep; spanrs.dep.load(sys.argv[1]); print('importlib.metadata' in sys.modules);"
        "spanrs.dep.models(); print('importlib.metadata' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(files["parser"])]
    environment = os.environ | {"PYTHONPATH": str(Path(spanrs.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, check=True, encoding="utf-8", env=environment)
    assert done.stdout.split() == ["False", "True"]


def test_paths_are_loaded_as_before(install, files):
    install("en_small")
    assert resolve("./en_small") == Path("en_small")
    assert resolve("en_small.model") == Path("en_small.model")
    assert resolve("a\\b") == Path("a\\b")
    assert resolve(Path("en_small")) == Path("en_small")
    assert load(files["tagger"]).components == ("tagger",)
    assert "parser" in load(str(files["parser"])).components
    with pytest.raises(FileNotFoundError):
        load("./en_small")
    # A file without a suffix, and no model of this name.
    Path("model").write_bytes(files["parser"].read_bytes())
    assert "parser" in load("model").components


def test_a_name_that_is_also_a_file_is_refused(install, files):
    install("en_small", "tagger")
    Path("en_small").write_bytes(files["parser"].read_bytes())
    with pytest.raises(ModelError, match=r"installed model and a file .* write './en_small'"):
        load("en_small")
    assert "parser" in load("./en_small").components
    # A directory is not a model.
    Path("en_small").unlink()
    Path("en_small").mkdir()
    assert load("en_small").components == ("tagger",)


def test_two_distributions_with_one_name_are_named(install):
    install("en_small")
    install("en_small", distribution="my-models")
    with pytest.raises(ModelError, match="is installed by my-models and spanrs-model-en-small; uninstall"):
        load("en_small")
    assert [model.distribution for model in models()] == ["my-models", "spanrs-model-en-small"]


def test_a_second_copy_of_a_distribution_is_not_a_second_model(install, tmp_path, monkeypatch):
    path = install("en_small")
    shutil.copytree(tmp_path / "site", tmp_path / "copy")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "copy")])
    assert [model.path for model in models()] == [path]
    assert "parser" in load("en_small").components


def test_a_missing_model_lists_those_that_are_installed(install):
    with pytest.raises(ModelNotFoundError, match=r"installed models: none\); install its wheel, pip"):
        load("en_ewt")
    install("en_small")
    install("de_one")
    with pytest.raises(LookupError, match=r"de_one, en_small.* spanrs_model_en_ewt-"):
        load("en_ewt")
    with pytest.raises(ModelError, match="pip install spanrs_model_NAME-"):
        load("not a name!")


@pytest.mark.parametrize(
    "text",
    ["en-small", "EN_SMALL", "En Small", "spanrs-model-en-small", "spanrs_model_en_small", " en_small"],
)
def test_another_spelling_of_an_installed_name_is_recognized(install, text):
    install("en_small")
    install("en_large")
    with pytest.raises(
        ModelNotFoundError, match=r"\(installed models: en_large, en_small\); did you mean 'en_small'\?$"
    ):
        load(text)


@pytest.mark.parametrize("text", ["en_smal", "en_smalll", "ensmall", "en-smell"])
def test_installed_names_with_similar_letters_are_proposed(install, text):
    install("en_small")
    install("de_one")
    with pytest.raises(
        ModelNotFoundError, match=r"did you mean 'en_small'\? Otherwise install its wheel, pip"
    ) as caught:
        load(text)
    assert text.replace("-", "_") in str(caught.value).rpartition("spanrs_model_")[2]


@pytest.mark.parametrize("text", ["la_ittb", "spanrs-model-la-ittb", "LA-ITTB"])
def test_nothing_is_proposed_if_no_installed_name_is_similar(install, text):
    install("en_small")
    with pytest.raises(
        ModelNotFoundError, match=r"\(installed models: en_small\); install its wheel"
    ) as caught:
        load(text)
    assert "pip install spanrs_model_la_ittb-" in str(caught.value)


def test_models_of_the_machine_are_not_seen(install):
    assert list(importlib.metadata.distributions()) == []
    install("en_small")
    assert [found.name for found in importlib.metadata.distributions()] == ["spanrs-model-en-small"]


def test_info_names_missing_components(files, capsysbinary):
    shown = {}
    for kind, path in files.items():
        assert run(group, ["dep", "info", str(path)]) == 0
        # Metadata follow, whose keys may also be names of components.
        lines = capsysbinary.readouterr().out.decode().splitlines()[:4]
        shown[kind] = dict(line.split(": ", 1) for line in lines)
    for facts in shown.values():
        assert (facts["segmenter"], facts["morphology"]) == ("none", "none")
        assert "features" in facts["tagger"]
    assert shown["tagger"]["parser"] == "none"
    assert "one root" in shown["parser"]["parser"]


def test_incomplete_installations_are_errors(install, tmp_path):
    path = install("en_small", kind=None)
    with pytest.raises(ModelError, match=r"has no file .*en_small\.model; install it again"):
        load("en_small")
    path.write_bytes(b"damaged")
    with pytest.raises(ModelError, match=r"en_small\.model: "):
        load("en_small")
    path.unlink()
    path.with_name("__init__.py").unlink()
    path.parent.rmdir()
    with pytest.raises(ModelError, match="package spanrs_model_en_small cannot be found"):
        load("en_small")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("en_ewt", True), ("model", True), ("-", True), ("a.model", False), ("a/b", False), ("a\\b", False)],
)
def test_names_have_no_dots_and_separators(text, expected):
    assert may_be_name(text) is expected
    assert not may_be_name(Path(text))


def test_the_default_is_the_only_model_of_the_language(install):
    with pytest.raises(ModelNotFoundError, match="no model of the language 'en'"):
        default_model("en")
    path = install("en_small")
    install("enm_old")
    assert default_model("en") == path
    install("en_tags", "tagger")
    with pytest.raises(
        ModelError, match="the models en_small, en_tags are installed; pass the name of one of them"
    ):
        default_model("en")


def test_commands_accept_names(install, capsysbinary, files):
    install("en_small")
    gold = small_treebanks.path("en")

    def spanrs(*arguments):
        status = run(group, ["dep", *map(str, arguments)])
        message = capsysbinary.readouterr()
        return status, message.out.decode(), message.err.decode()

    def commands(model):
        yield "parse", model, gold
        yield "tag", model, gold
        yield "eval", gold, model, "--to", "csv"
        yield "info", model
        yield "draw", "--model", model, "--text", "Anna works ."

    for by_name, by_path in zip(commands("en_small"), commands(files["parser"]), strict=True):
        status, out, err = spanrs(*by_name)
        assert (status, out, err) == spanrs(*by_path)
        assert status == 0, err
        assert out
    for missing in commands("en_ewt"):
        status, _, err = spanrs(*missing)
        assert status != 0
        assert "pip install spanrs_model_en_ewt-" in err


def test_pos_tag_uses_the_installed_model_of_the_language(install, files):
    with pytest.raises(LookupError, match="pip install spanrs_model_"):
        nltk.pos_tag(WORDS)
    install("en_small")
    install("ru_small", "tagger")
    expected = list(zip(WORDS, Tagger.load(files["parser"]).tag(WORDS), strict=True))
    assert nltk.pos_tag(WORDS) == nltk.pos_tag(WORDS, model="en_small") == expected
    assert nltk.pos_tag(iter(WORDS)) == expected
    assert nltk.pos_tag_sents([WORDS, [], WORDS]) == [expected, [], expected]
    assert nltk.PerceptronTagger().tag(WORDS) == expected
    assert nltk.pos_tag(WORDS, lang="rus") == nltk.pos_tag(WORDS, model=files["tagger"], lang="deu")
    install("en_tags", "tagger")
    # The model was found before; another process finds two.
    assert nltk.pos_tag(WORDS) == expected
    nltk._find_installed.cache_clear()
    with pytest.raises(ModelError, match="pass the name of one of them"):
        nltk.pos_tag(WORDS)
    assert nltk.pos_tag(WORDS, model="en_small") == expected


def test_pos_tag_has_the_universal_tags_of_nltk(install):
    install("en_small")
    tags = [tag for _, tag in nltk.pos_tag(WORDS, tagset="universal")]
    assert tags == ["DET", "NOUN", "VERB", "VERB", "ADP", "DET", "NOUN", "."]
    known = {tag for row in nltk.UNIVERSAL.values() for tag in row.split()}
    assert {tag for parse in read_conllu(small_treebanks.path("en")) for tag in parse.xpos} <= known


def test_pos_tag_refuses_what_nltk_refuses(install):
    install("en_small")
    with pytest.raises(TypeError, match="list of strings"):
        nltk.pos_tag("The dog")
    with pytest.raises(TypeError):
        nltk.pos_tag_sents(["The dog"])
    with pytest.raises(NotImplementedError, match="eng or rus"):
        nltk.pos_tag(WORDS, lang="deu")
    with pytest.raises(ValueError, match="tagset"):
        nltk.pos_tag(WORDS, tagset="brown")


def test_the_tagger_reads_a_file_again_that_has_changed(install, files):
    path = install("en_small")
    before = nltk.pos_tag(WORDS)
    path.write_bytes(b"damaged")
    with pytest.raises(ModelError):
        nltk.pos_tag(WORDS)
    path.write_bytes(files["parser"].read_bytes())
    assert nltk.pos_tag(WORDS) == before


def test_the_parser_of_the_script_uses_an_installed_model(install, files):
    parser = PublishedParser()
    with pytest.raises(ModelNotFoundError, match=r"parser\.pickle.*no model of the language 'en'"):
        parser.parse(WORDS)
    install("en_small")
    parse = Parser.load(files["parser"]).parse(WORDS)
    expected = (
        ["<start>", *parse.xpos, "ROOT"],
        [None, *(head or len(WORDS) + 1 for head in parse.heads.tolist())],
    )
    assert parser.parse(WORDS) == PublishedParser("en_small").parse(WORDS) == expected
    with pytest.raises(ModelError, match="has no model"):
        PublishedParser(load=False).parse(WORDS)


@pytest.mark.parametrize("value", ["a.b", "a:b", "", "not a module"])
def test_entry_points_that_are_no_packages_are_errors(install, value):
    path = install("en_small")
    (info,) = path.parents[1].glob("*.dist-info")
    (info / "entry_points.txt").write_text(f"[spanrs.models]\nen_small = {value}\n")
    with pytest.raises(ModelError):
        load("en_small")


@pytest.mark.parametrize("language", ["es", "ja"])
def test_universal_tags_of_other_treebanks_are_those_of_upos(language, tmp_path):
    train = read_conllu(small_treebanks.path(language))
    Tagger(epochs=3, progress=False).fit(train).save(tmp_path / "x.model")
    tags = {tag for _, tag in nltk.pos_tag(train[0].words, tagset="universal", model=tmp_path / "x.model")}
    assert "NOUN" in tags
    assert "X" not in tags
