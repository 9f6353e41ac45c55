"""A wheel with a model is built from a treebank, installed without network, and used."""

from __future__ import annotations

import importlib.util
import json
import os
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
from spanrs.dep import Parser, load, read_conllu
from spanrs.dep.scores import MEASURES

pytest.importorskip("flit_core", reason="the wheel is built with flit_core, of the group model")

ROOT = Path(__file__).parents[2]
NAME = "en_village"
#: Any attempt to connect in the new environment is an error.
NO_NETWORK = """
import socket
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
    spec = importlib.util.spec_from_file_location("build_model", ROOT / "tools" / "build_model.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["build_model"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["build_model"]


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
        "# Summary\n\nLicense: not this line\n\n<pre>\n=== Machine-readable metadata (DO NOT REMOVE!) ====\n"
        'Data available since: UD v2.99\nLicense: CC BY-SA 4.0\nGenre: fiction\nContributors: Müller, Ada; "Ben"\n'
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


def run(command, **options):
    removed = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {key: value for key, value in os.environ.items() if key not in removed}
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
    assert notice == f'UD_English-Village: Müller, Ada; "Ben"\n{url}\n'
    card = metadata.get_payload()
    assert f"[UD_English-Village]({url})" in card
    assert 'UD_English-Village: Müller, Ada; "Ben"' in card
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


@pytest.mark.parametrize(
    ("removed", "given"),
    [
        ("README.md", []),
        ("README.md", ["--license", "CC-BY-4.0"]),
        ("LICENSE.txt", []),
        ("train.conllu", []),
    ],
)
def test_nothing_is_built_without_licence_and_attribution(builder, treebank, tmp_path, removed, given):
    folder = tmp_path / treebank.name
    folder.mkdir()
    for path in treebank.iterdir():
        if path.name != removed:
            (folder / path.name).write_bytes(path.read_bytes())
    missing = {"README.md": "ATTRIBUTION=" if given else "LICENSE=", "LICENSE.txt": "LICENSE_FILE="}
    command = [str(folder / "train.conllu"), "--name", NAME, "--out", str(tmp_path / "dist"), *given]
    with pytest.raises(SystemExit, match=missing.get(removed, "does not exist")):
        builder.main(command)
    assert not (tmp_path / "dist").exists()


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
        ]
    )
    found = builder.describe(options)
    assert found[1:] == ("The Village", "CC0-1.0", "Copy it.\n", "Nobody", "https://example.org")


@pytest.mark.parametrize("title", ['a "b" \\', "日本 \U0001f600", "two\nlines"])
def test_titles_are_quoted_in_the_project_file(builder, trained, title):
    treebank, model = trained
    treebank = treebank._replace(title=title, url=f"https://example.org/{title}")
    project = tomllib.loads(builder.project_file(model, treebank, "1.0"))["project"]
    assert project["description"] == f"The model {NAME} for spanrs, trained on {title}"
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
    assert builder.spdx(text) == expected


@pytest.mark.parametrize("text", ["GNU GPL 3.0", "", "CC BY", "CC BY-SA 4.0 or later", "unknown"])
def test_other_licences_must_be_given(builder, text):
    with pytest.raises(SystemExit, match="LICENSE="):
        builder.spdx(text)


@pytest.mark.parametrize("name", ["en", "En_ewt", "en-ewt", "en_", "../en_ewt", "en_ewt.model", "1_a"])
def test_names_are_those_of_python_packages(builder, name, capsys):
    with pytest.raises(SystemExit):
        builder.arguments(["train.conllu", "--name", name])
    assert "such as en_ewt" in capsys.readouterr().err
