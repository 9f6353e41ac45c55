"""Gazetteers and clusters in the commands of ``spanrs crf``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.crf import CRF

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "crf"
TRAIN, DEV, RAW = (str(EXAMPLES / f"{name}.conll") for name in ("train", "dev", "raw"))


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def call(*args, **files):
        for name, text in files.items():
            (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        status = run(group, ["crf", *map(str, args)])
        return status, *capsys.readouterr()

    return call


def test_lexicons_are_in_the_model(call):
    files = {"names.txt": "Tomas Okafor\n", "paths": "0110\tAda\t3\n"}
    given = ("--gazetteer", "names=names.txt", "--clusters", "brown=paths")
    status, _, err = call("train", TRAIN, *given, "-o", "model", "-q", **files)
    assert status == 0, err
    Path("names.txt").unlink()
    status, out, _ = call("info", "model", "--json")
    lexicons = {"brown": "Clusters: 1 word in 1 cluster", "names": "Gazetteer: 1 phrase"}
    assert json.loads(out)["lexicons"] == lexicons
    assert "lexicon     names: Gazetteer: 1 phrase" in call("info", "model")[1]
    assert "Tomas\tB-PER\nOkafor\tI-PER" in call("tag", "model", RAW)[1]
    assert call("eval", "model", DEV)[0] == 0
    # A model that is trained from another one keeps its lexicons, if the template uses them.
    assert call("train", TRAIN, "--start", "model", "-o", "again", "-q")[0] == 0
    assert set(CRF.load("again").lexicons) == {"brown", "names"}
    assert call("train", TRAIN, "--start", "model", "--template", "ner", "-o", "again", "-q")[0] == 0
    assert CRF.load("again").lexicons is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--template", "t"], "template t uses the lexicon a; specify its file by --gazetteer a=FILE"),
        (
            ["--template", "t", "--gazetteer", "a=f", "--clusters", "b=f"],
            "does not use the lexicon b; add lines",
        ),
        (["--template", "t", "--clusters", "a=f"], "the lexicon a consists of clusters; use %cluster"),
        (["--gazetteer", "f"], "--gazetteer: expected NAME=FILE, such as names=names.txt, not 'f'"),
        (["--gazetteer", "a=f", "--clusters", "a=f"], "--clusters: the name a is given twice"),
        (["--clusters", "1=f"], "the name '1' must be a letter"),
        (["--gazetteer", "a=missing"], "missing: no such file"),
        (["--gazetteer", "a=latin"], "latin:1:2: the byte 0xf6 is not UTF-8"),
        (["--clusters", "a=twice"], 'twice:2: the word "x" has the cluster "2", but before "1" (line 1)'),
    ],
)
def test_lexicons_that_cannot_be_used_are_refused(call, options, message):
    files = {"t": "U:%in[0,0,a]\n", "f": "x 1\n", "latin": b"K\xf6ln\n", "twice": "x 1\nx 2\n"}
    status, _, err = call("train", TRAIN, *options, "-o", "model", "-q", **files)
    assert status == 2
    assert message in err
    assert not Path("model").exists()
