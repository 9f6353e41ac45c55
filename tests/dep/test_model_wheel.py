"""A wheel with a model is built from a treebank, installed without network, and used."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import small_treebanks
import spanrs
from spanrs.dep import Parser, installed, load, read_conllu
from spanrs.dep.scores import MEASURES

pytest.importorskip("flit_core", reason="the wheel is built with flit_core, of the group model")

ROOT = Path(__file__).parents[2]
NAME = "en_village"
#: Any attempt to connect in the new environment is an error.
NO_NETWORK = """
import importlib.metadata, os.path, socket
# Models that the environment of the tests has are not found in the new one.
site, real = os.path.dirname(__file__), importlib.metadata.distributions
importlib.metadata.distributions = lambda **given: real(**({"path": [site]} | given))
def refuse(*arguments): raise OSError("the test has no network")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
"""
USE = """
import json, spanrs.dep
from spanrs.compat.nltk import pos_tag
from spanrs.compat.parser import Parser
words = json.loads(input())
model, = spanrs.dep.models()
print(json.dumps({
    "model": [model.name, model.distribution, model.version],
    "heads": spanrs.dep.load("en_village").parse(words).heads.tolist(),
    "tags": [tag for _, tag in pos_tag(words)],
    "padded": Parser().parse(words)[1],
}))
"""


@pytest.fixture(scope="module")
def builder():
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module("build_model")
    sys.path.remove(str(ROOT / "tools"))
    for name in ("build_model", "treebank_description"):
        del sys.modules[name]


@pytest.fixture(scope="module")
def treebank(tmp_path_factory):
    """Return a directory like a repository of Universal Dependencies."""
    folder = tmp_path_factory.mktemp("treebank") / "UD_English-Village"
    folder.mkdir()
    train, dev = small_treebanks.split("en")
    (folder / "train.conllu").write_text(train, encoding="utf-8")
    (folder / "dev.conllu").write_text(dev, encoding="utf-8")
    (folder / "LICENSE.txt").write_text("You may share and adapt the village.\n")
    (folder / "README.md").write_text(
        "# Summary\n\nLicense: not this line\n\n# Changelog\n\n* 2025-11-15 v2.99\n  * More\n\n"
        "<pre>\n=== Machine-readable metadata (DO NOT REMOVE!) ====\n"
        'Data available since: UD v2.98\nLicense: CC BY-SA 4.0\nGenre: fiction\nContributors: Müller, Ada; "Ben"\n'
        "====</pre>\n"
    )
    return folder


@pytest.fixture(scope="module")
def trained(builder, treebank, tmp_path_factory):
    """Return the description of the treebank and a model."""
    options = builder.arguments([str(treebank / "train.conllu"), "--name", NAME])
    file = tmp_path_factory.mktemp("trained") / "a.model"
    how = ["-q", "--epochs", "2", "--tagger-epochs", "2", "--models", "1", "--jackknife", "0"]
    model = builder.train(NAME, options.treebank, treebank / "dev.conllu", file, how)
    return builder.describe(options), model


@pytest.fixture(scope="module")
def wheel(builder, trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    builder.write_project(folder / "project", trained[1], trained[0], "2.0")
    return builder.build(folder / "project", folder / "dist")


def run(command, *, PYTHONPATH=None, **options):  # noqa: N803  # name of the variable
    # The tests may be run by make.
    removed = (
        "PYTHONPATH",
        "PYTHONHOME",
        "VIRTUAL_ENV",
        "MAKEFLAGS",
        "MFLAGS",
        "MAKELEVEL",
        "MAKEOVERRIDES",
    )
    environment = {key: value for key, value in os.environ.items() if key not in removed}
    if PYTHONPATH is not None:
        environment["PYTHONPATH"] = str(PYTHONPATH)
    return subprocess.run(
        list(map(str, command)),
        capture_output=True,
        encoding="utf-8",
        env=environment | {"PYTHONUTF8": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
        check=False,
        **options,
    )


@pytest.fixture
def fresh(tmp_path, wheel):
    """Return the interpreter of a new environment with the wheel, spanrs and its dependencies, but no network."""
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False)
    is_windows = os.name == "nt"
    python = folder / ("Scripts/python.exe" if is_windows else "bin/python")
    site = Path(
        run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).stdout.strip()
    )
    places = [Path(spanrs.__file__).parents[1], *map(sysconfig.get_path, ("purelib", "platlib"))]
    (site / "no_network.py").write_text(NO_NETWORK)
    lines = [*dict.fromkeys(map(str, places)), "import no_network"]
    (site / "spanrs_of_the_test.pth").write_text("\n".join(lines), encoding="utf-8")
    install(python, wheel)
    return python


def install(python, wheel):
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", "--quiet"]
    done = run([*pip, wheel])
    assert done.returncode == 0, done.stderr


def test_the_metadata_have_licence_attribution_and_scores(wheel, trained):
    with zipfile.ZipFile(wheel) as archive:
        info = "spanrs_model_en_village-2.0.dist-info"
        metadata = HeaderParser().parsestr(archive.read(f"{info}/METADATA").decode())
        assert archive.read(f"{info}/licenses/LICENSE") == b"You may share and adapt the village.\n"
        notice = archive.read(f"{info}/licenses/NOTICE").decode()
        assert archive.read("spanrs_model_en_village/en_village.model") == trained[1].file.read_bytes()
        names = {name for name in archive.namelist() if not name.startswith(info)}
        assert names == {"spanrs_model_en_village/__init__.py", "spanrs_model_en_village/en_village.model"}
    assert (metadata["Name"], metadata["Version"]) == ("spanrs-model-en-village", "2.0")
    assert metadata["License-Expression"] == "CC-BY-SA-4.0"
    assert metadata.get_all("License-File") == ["LICENSE", "NOTICE"]
    assert metadata["Requires-Dist"] == f"spanrs>={spanrs.__version__}"
    url = "https://github.com/UniversalDependencies/UD_English-Village"
    assert notice == f'UD_English-Village, release 2.99: Müller, Ada; "Ben"\n{url}\n'
    assert metadata["Summary"].endswith("trained on UD_English-Village, release 2.99")
    card = metadata.get_payload()
    assert f"on `train.conllu` of [UD_English-Village]({url}), release 2.99 (" in card
    assert 'UD_English-Village, release 2.99: Müller, Ada; "Ben"' in card
    assert "F1 in per cent on `dev.conllu`, by `spanrs dep eval`.\n" in card
    scores, raw_scores = trained[1].scores, trained[1].raw_scores
    for name, title in MEASURES.items():
        score, raw = (own["criteria"][name]["micro"] for own in (scores, raw_scores))
        row = ""
        if score["f1"] is not None:
            row = f"| {100 * score['f1']:.2f} | {100 * raw['f1']:.2f} | {score['support']:.0f} |"
        assert (f"| {title} {row}\n" in card) == (name not in scores.get("unscored", {})), title


def test_equal_models_give_equal_wheels(builder, trained, wheel, tmp_path):
    builder.write_project(tmp_path / "project", trained[1], trained[0], "2.0")
    assert builder.build(tmp_path / "project", tmp_path / "dist").read_bytes() == wheel.read_bytes()


def test_the_model_is_used_in_a_fresh_environment_without_network(fresh, trained, treebank, tmp_path):
    words = ["Tom", "heard", "the", "loud", "bell", "."]
    done = run([fresh, "-c", USE], input=json.dumps(words), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    parse = Parser.load(trained[1].file).parse(words)
    assert json.loads(done.stdout) == {
        "model": [NAME, "spanrs-model-en-village", "2.0"],
        "heads": parse.heads.tolist(),
        "tags": list(parse.xpos),
        "padded": [None, *(head or len(words) + 1 for head in parse.heads.tolist())],
    }
    done = run([fresh, "-m", "spanrs", "dep", "parse", NAME, treebank / "dev.conllu"], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "parsed.conllu").write_text(done.stdout, encoding="utf-8", newline="")
    gold = read_conllu(treebank / "dev.conllu")
    expected = load(trained[1].file).parse_batch([parse.words for parse in gold])
    assert read_conllu(tmp_path / "parsed.conllu") == expected


def test_two_wheels_with_one_name_are_an_error_that_names_both(builder, trained, fresh, tmp_path):
    project = tmp_path / "project"
    builder.write_project(project, trained[1], trained[0], "1.0")
    settings = (project / "pyproject.toml").read_text(encoding="utf-8")
    (project / "pyproject.toml").write_text(
        settings.replace("spanrs-model-en-village", "our-models").replace(
            "spanrs_model_en_village", "our_models"
        ),
        encoding="utf-8",
    )
    (project / "spanrs_model_en_village").rename(project / "our_models")
    install(fresh, builder.build(project, tmp_path))
    done = run([fresh, "-m", "spanrs", "dep", "info", NAME], cwd=tmp_path)
    assert done.returncode != 0
    assert "is installed by our-models and spanrs-model-en-village" in done.stderr


@pytest.fixture
def copy(treebank, tmp_path):
    """Return a copy of the treebank that a test may change."""
    return Path(shutil.copytree(treebank, tmp_path / "with space" / treebank.name))


@pytest.fixture
def no_training(builder, monkeypatch):
    """Make training an error."""

    def train(*_arguments):
        raise AssertionError("a model is trained")

    monkeypatch.setattr(builder, "train", train)


@pytest.fixture
def refuse(builder, capsys, no_training, copy):
    """Return a function that runs a command on the copy, which is refused in one line before training."""

    def run_refused(*given, name=NAME):
        out = copy.parent / "dist"
        status = builder.main([str(copy / "train.conllu"), f"--name={name}", f"--out={out}", *given])
        message = capsys.readouterr().err
        assert status == 2, message
        assert message.startswith("build_model: error: ")
        assert message.count("\n") == 1
        assert not out.exists()
        return message

    return run_refused


@pytest.mark.parametrize(
    ("removed", "given", "expected"),
    [
        ("README.md", [], "give its SPDX identifier with --license"),
        ("README.md", ["--license", "CC-BY-4.0"], "the authors of .* give them with --attribution"),
        ("LICENSE.txt", [], r"there is no LICENSE\.txt beside .* name its file with --license-file"),
        ("train.conllu", [], r"train\.conllu does not exist; TREEBANK is a treebank in CoNLL-U"),
        ("dev.conllu", [], r"dev\.conllu does not exist; --dev is"),
    ],
)
def test_missing_files_are_refused_before_training(refuse, copy, removed, given, expected):
    (copy / removed).unlink()
    assert re.search(expected, refuse(f"--dev={copy / 'dev.conllu'}", *given))


@pytest.mark.parametrize(
    ("file", "content", "expected"),
    [
        ("train.conllu", b"", r"train\.conllu has no sentences"),
        ("train.conllu", b"# text = a\n\n", r"train\.conllu has no sentences"),
        ("train.conllu", b"# text = a\na DT\n", r"train\.conllu is not CoNLL-U: line 2 "),
        ("train.conllu", b"\xff\xfe1\0\t\0", r"train\.conllu is not CoNLL-U, which is UTF-8"),
        ("dev.conllu", b"The dog sleeps .\n", r"dev\.conllu is not CoNLL-U: line 1 .* --dev is"),
        ("LICENSE.txt", b" \n", r"LICENSE\.txt is empty"),
        ("LICENSE.txt", b"\xe9", r"LICENSE\.txt is not UTF-8.* --license-file"),
        ("README.md", b"\xe9", r"README\.md is not UTF-8"),
        (
            "README.md",
            b"=== Machine-readable metadata ===\nLicense: secret\n",
            "'secret' has no known SPDX identifier",
        ),
    ],
)
def test_unusable_files_are_refused_before_training(refuse, copy, file, content, expected):
    (copy / file).write_bytes(content)
    assert re.search(expected, refuse(f"--dev={copy / 'dev.conllu'}"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["--license=GPL or so"], "--license 'GPL or so' is not an SPDX expression"),
        (["--license=No-Such-Licence"], "the wheel cannot be built: .*No-Such-Licence"),
        (["--version=new"], "--version 'new' is not a version"),
        (["--options=--models '3"], "cannot be split: No closing quotation"),
        (["--license-file=nothing"], "nothing cannot be read: No such file"),
        (["--dev=."], r"\. cannot be read: "),
        (["--foo"], "unrecognized arguments: --foo"),
        (["--out=README.md"], r"README\.md is not a folder; choose another --out"),
        (["--out=README.md/dist"], r"README\.md is not a folder; choose another --out"),
    ],
)
def test_unusable_options_are_refused_before_training(refuse, copy, given, expected, monkeypatch):
    monkeypatch.chdir(copy)
    assert re.search(expected, refuse(*given))


@pytest.mark.skipif(
    not Path("/proc/self").is_dir(), reason="a folder in which even root cannot write is needed"
)
def test_a_folder_that_is_not_writable_is_refused(refuse):
    assert re.search(r"/proc is not writable: .*; choose another --out", refuse("--out=/proc/dist"))


def test_the_check_of_the_folder_leaves_nothing(builder, copy, tmp_path):
    (tmp_path / "dist").mkdir()
    for out in (tmp_path / "dist", tmp_path / "dist" / "a" / "b"):
        assert builder.main([str(copy / "train.conllu"), f"--name={NAME}", f"--out={out}", "--check"]) == 0
    assert list((tmp_path / "dist").iterdir()) == []


@pytest.mark.parametrize(
    "name", ["en", "En_ewt", "en-ewt", "en_", "../en_ewt", "en_ewt.model", "1_a", "en_a b"]
)
def test_names_are_those_of_python_packages(refuse, name):
    assert f"--name {name!r} is not a name of a model; " in refuse(name=name)


def test_what_the_builder_repeats_is_what_spanrs_defines(builder):
    assert (builder.GROUP, builder.SUFFIX) == (installed.GROUP, installed.SUFFIX)
    for name in ("en_ewt", "en_2", "e_e_e", "e1_1"):
        assert builder.NAME.fullmatch(name)
        assert installed.NAME.fullmatch(name)


def test_a_malformed_treebank_is_one_line_of_the_command(copy):
    """The first word is well-formed, so that `spanrs dep train` finds the error."""
    text = (copy / "train.conllu").read_text(encoding="utf-8").replace("\n\n", "\n3\tx\n\n", 1)
    (copy / "train.conllu").write_text(text, encoding="utf-8")
    command = [sys.executable, ROOT / "tools" / "build_model.py", copy / "train.conllu", "--name", NAME]
    done = run(
        [*command, "--out", copy / "dist", "--options=-q"], PYTHONPATH=Path(spanrs.__file__).parents[1]
    )
    assert done.returncode == 2
    assert re.fullmatch(r"spanrs: error: .*train\.conllu.*\n", done.stderr)
    assert not (copy / "dist").exists()


def test_no_partial_wheel_is_left(builder, wheel, tmp_path, monkeypatch):
    monkeypatch.setattr(
        builder.shutil, "copyfileobj", lambda *_: (_ for _ in ()).throw(OSError("disk full"))
    )
    with pytest.raises(OSError, match="disk full"):
        builder.copy_wheel(wheel, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_files_of_the_wheel_are_readable_by_everybody(builder, wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        assert {entry.external_attr >> 16 for entry in archive.infolist()} == {stat.S_IFREG | 0o644}
    # As flit_core 3 writes them.
    private = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(private, "w") as archive:
        entry = zipfile.ZipInfo("a.model")
        entry.external_attr = 0o600 << 16
        archive.writestr(entry, "weights", zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(builder.copy_wheel(private, tmp_path / "dist")) as archive:
        (entry,) = archive.infolist()
        assert (entry.external_attr >> 16, archive.read(entry)) == (stat.S_IFREG | 0o644, b"weights")
        assert entry.compress_type == zipfile.ZIP_DEFLATED


@pytest.mark.parametrize(
    ("sources", "expected"),
    [
        (("r2.17", "# release = 2.16\n", "x", "2020-05-15 v2.6\n"), "2.17"),
        ((None, "# text\n# release = v2.16\n", "ud-treebanks-v2.15", "2020-05-15 v2.6\n"), "2.16"),
        ((None, "", "ud-treebanks-v2.15", "2020-05-15 v2.6\n"), "2.15"),
        ((None, "", "x", "English Web Treebank v2.8 -- 2021-05-15\n"), "2.8"),
        ((None, "", "x", "**2019-11-15 v2.5**\n - a\n\n* 2024-11-15 v2.15\n * b\n"), "2.15"),
        ((None, "", "x", "2017-03-01 v2.0\n  * Conversion to UD v2.3\n"), "2.0"),
        ((None, "", "x", "=== Machine-readable metadata ===\nData available since: UD v1.0\n"), None),
        ((None, "", "x", "=== Machine-readable metadata ===\nRelease: May 2024\n"), "May 2024"),
        ((None, "", "x", ""), None),
    ],
)
def test_releases_of_treebanks_are_found(builder, tmp_path, sources, expected):
    given, comments, folder, text = sources
    path = tmp_path / folder / "UD_English-Village" / "train.conllu"
    path.parent.mkdir(parents=True)
    path.write_text(f"{comments}1\tIt\tit\tPRON\tPRP\t_\t0\troot\t_\t_\n\n")
    (path.parent / "README.md").write_text(text)
    (path.parent / "LICENSE.txt").write_text("Share.\n")
    options = [f"--name={NAME}", "--license=CC-BY-4.0", "--attribution=Nobody", str(path)]
    options = builder.arguments([*options, *([] if given is None else [f"--release={given}"])])
    treebank = builder.describe(options)
    assert treebank.release == expected
    is_version = expected is not None and " " not in expected
    assert builder.wheel_version(None, treebank) == (expected if is_version else spanrs.__version__)
    assert builder.wheel_version("3.0", treebank) == "3.0"
    assert treebank.named_release == f"UD_English-Village, release {expected or 'unknown'}"


def test_a_model_card_without_title_names_the_file(builder, trained):
    treebank, model = trained
    treebank = treebank._replace(title="train.conllu", release=None, url=None)
    card = builder.model_card(model, treebank)
    assert "on `train.conllu`, release unknown (" in card
    assert 'train.conllu, release unknown: Müller, Ada; "Ben"' in card


def test_scores_on_the_training_data_are_marked(builder, trained, copy, capsys, no_training):
    (copy / "same.conllu").write_bytes((copy / "train.conllu").read_bytes())
    for dev, is_marked in (("train.conllu", True), ("same.conllu", True), ("dev.conllu", False)):
        command = [str(copy / "train.conllu"), "--name", NAME, "--dev", str(copy / dev), "--check"]
        assert builder.main(command) == 0
        message = capsys.readouterr().err
        assert (f"{dev} is the training data" in message) == is_marked
        assert builder.is_same_data(copy / "train.conllu", copy / dev) == is_marked
    caution = "These are the training data"
    assert caution in builder.model_card(trained[1]._replace(scored_on_training_data=True), trained[0])
    assert caution not in builder.model_card(trained[1], trained[0])


def test_the_files_beside_a_treebank_have_several_names(builder, copy):
    (copy / "LICENSE.txt").rename(copy / "licence-village.md")
    (copy / "LICENSES").mkdir()
    options = builder.arguments([str(copy / "train.conllu"), "--name", NAME])
    assert builder.describe(options).license_text == "You may share and adapt the village.\n"


def test_options_replace_the_files_beside_the_treebank(builder, treebank, tmp_path):
    text = tmp_path / "COPYING"
    text.write_text("Copy it.\n")
    options = builder.arguments(
        [
            *[
                str(treebank / "train.conllu"),
                "--name",
                NAME,
                "--license",
                "CC0-1.0",
                "--title",
                "The\nVillage",
            ],
            *["--license-file", str(text), "--attribution", "Nobody", "--url", "https://example.org"],
            *["--release", "7"],
        ]
    )
    found = builder.describe(options)
    assert found[1:] == ("The Village", "CC0-1.0", "Copy it.\n", "Nobody", "https://example.org", "7")


@pytest.mark.parametrize("title", ['a "b" \\', "日本 \U0001f600", "two\nlines"])
def test_titles_are_quoted_in_the_project_file(builder, trained, title):
    treebank, model = trained
    treebank = treebank._replace(title=title, url=f"https://example.org/{title}")
    project = tomllib.loads(builder.project_file(model, treebank, "1.0"))["project"]
    assert project["description"] == f"The model {NAME} for spanrs, trained on {title}, release 2.99"
    assert project["urls"]["Treebank"] == treebank.url
    assert project["entry-points"] == {"spanrs.models": {NAME: "spanrs_model_en_village"}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CC BY-SA 4.0", "CC-BY-SA-4.0"),
        ("CC BY 3.0", "CC-BY-3.0"),
        ("CC BY-NC-SA 2.5", "CC-BY-NC-SA-2.5"),
        ("CC0 1.0", "CC0-1.0"),
    ],
)
def test_licences_of_universal_dependencies_have_spdx_identifiers(builder, text, expected):
    assert sys.modules["treebank_description"].spdx(text) == expected


@pytest.mark.parametrize("text", ["GNU GPL 3.0", "", "CC BY", "CC BY-SA 4.0 or later", "unknown"])
def test_other_licences_must_be_given(builder, text):
    with pytest.raises(builder.UserError, match="--license"):
        sys.modules["treebank_description"].spdx(text)


def make(folder, *variables):
    """Run `make model` with a virtual environment that needs no set-up, or with none if ``folder`` is None."""
    given = [] if folder is None else [f"VENV={folder}"]
    given = [*given, f"PYTHON={sys.executable}", *variables]
    return run(["make", "-C", ROOT, "--no-print-directory", "model", *given])


needs_make = pytest.mark.skipif(
    os.name == "nt"
    or not (shutil.which("make") and shutil.which("cargo") and (ROOT / "Makefile").is_file()),
    reason="make, cargo and the Makefile are needed",
)


@needs_make
@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"TREEBANK": "", "NAME": ""}, "TREEBANK= and NAME= must be given: make model TREEBANK="),
        ({"NAME": ""}, "NAME= must be given: make model"),
        ({"NAME": "En"}, "NAME= 'En' is not a name"),
        ({"TREEBANK": "no file $x '\"#.conllu"}, "no file $x '\"#.conllu does not exist; TREEBANK= is"),
        ({"DEV": "nothing"}, "nothing does not exist; DEV= is"),
        (
            {"LICENSE_FILE": "nothing"},
            "nothing cannot be read: No such file or directory; give LICENSE_FILE=",
        ),
        ({"OUT": "Makefile"}, "Makefile is not a folder; choose another OUT="),
    ],
)
def test_make_checks_variables_before_the_set_up(treebank, tmp_path, given, expected):
    variables = {"TREEBANK": str(treebank / "train.conllu"), "NAME": NAME} | given
    # `made` would be written first.
    venv_folder = tmp_path / "venv"
    done = make(venv_folder, *(f"{key}={value}" for key, value in variables.items()))
    assert done.returncode == 2
    assert expected in done.stderr.splitlines()[0]
    assert not venv_folder.exists()


@needs_make
def test_make_accepts_spaces_quotes_and_dollars(builder, treebank, tmp_path):
    folder = tmp_path / 'it\'s $HOME "a b" #1'
    shutil.copytree(treebank, folder / treebank.name)
    scripts = tmp_path / "venv" / "bin"
    scripts.mkdir(parents=True)
    (scripts / "python").write_text(
        f"#!/bin/sh\nPYTHONPATH='{Path(spanrs.__file__).parents[1]}' exec '{sys.executable}' \"$@\"\n"
    )
    (scripts / "python").chmod(0o755)
    for name in ("made", "tools", "group-build", "group-model", "released"):
        (tmp_path / "venv" / name).touch()
    beside = folder / treebank.name
    variables = {
        "TREEBANK": beside / "train.conllu",
        "DEV": beside / "dev.conllu",
        "NAME": NAME,
        "OUT": folder / "out",
        "TITLE": "The 'Village' of \"Ben\"",
        "TRAIN_OPTIONS": "-q --epochs 1 --tagger-epochs 1 --models 1 --jackknife 0",
    }
    done = make(tmp_path / "venv", *(f"{key}={value}" for key, value in variables.items()))
    assert done.returncode == 0, done.stderr
    (wheel,) = (folder / "out").iterdir()
    with zipfile.ZipFile(wheel) as archive:
        card = archive.read("spanrs_model_en_village-2.99.dist-info/METADATA").decode()
    assert "of [The 'Village' of \"Ben\"](" in card
    assert "options: -q --epochs 1" in card
