"""Options of ``spanrs crf train`` for weights, development data and large corpora."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from spanrs.cli.group import group
from spanrs.cli.run import run
from spanrs.crf import CRF

EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "crf"
TRAIN, DEV = (str(EXAMPLES / f"{name}.conll") for name in ("train", "dev"))


@pytest.fixture
def call(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))

    def call(*args):
        status = run(group, ["crf", *args])
        out, err = capsysbinary.readouterr()
        return status, out.decode(), err.decode()

    return call


def test_class_weights_and_held_out_sentences(call):
    status, out, _ = call(
        *("train", TRAIN, "--class-weight", "O=0.3", "--validation-fraction", "0.25", "--patience", "3"),
        *("--calibrate", "-o", "m", "-q", "--json"),
    )
    report = json.loads(out)
    assert status == 0
    assert report["dev"]["file"].endswith("held out")
    assert report["train"]["sentences"] + report["dev"]["sentences"] == 14
    assert call("info", "m", "--json")[0] == 0
    assert call("train", TRAIN, "--class-weight", "balanced", "-o", "m", "-q")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--class-weight", "O"), "a tag and its weight"),
        (("--class-weight", "O=1", "--class-weight", "O=2"), "given twice"),
        (("--class-weight", "O=0"), "class_weight of O must be a number above 0"),
        (("--validation-fraction", "1"), "validation_fraction must be a number below 1"),
        (("--validation-fraction", "0.1", "--dev", DEV), "cannot be combined with --dev"),
        (("--calibrate",), "--calibrate requires --dev or --validation-fraction"),
        (("--max-memory", "lots"), "max_memory must be a size"),
        (("--max-memory", "1GB", "--algorithm", "ap"), "max_memory requires the algorithm sdca or lbfgs"),
        (("--spill-dir", "."), "spill_dir has no effect without max_memory"),
        (("--max-memory", "1kB", "--spill-dir", "no/such"), "a directory that exists"),
    ],
)
def test_bad_training_options(call, arguments, message):
    status, _, err = call("train", TRAIN, "-o", "m", "-q", *arguments)
    assert status != 0
    assert message in err


def test_features_in_a_temporary_file_train_the_same_model(call, tmp_path):
    for name, arguments in (("a", ()), ("b", ("--max-memory", "0", "--spill-dir", str(tmp_path)))):
        assert call("train", TRAIN, "-o", name, "-q", *arguments)[0] == 0
    assert CRF.load("a").state_features_ == CRF.load("b").state_features_
    assert "spill_dir" not in json.dumps(CRF.load("b").metadata_)
