"""FairEval a6172f2, recorded: no difference but one crash."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

import golden
from spanrs.compat import faireval, iobes
from spanrs.compat.seqeval.metrics.sequence_labeling import get_entities

ERRORS = ("TP", "FP", "FN", "LE", "BE", "BEO", "BES", "BEL", "LBE")
MEASURES = ("Prec", "Rec", "F1")
METHODS = ["traditional", "fair", "weighted"]
#: The weights the paper suggests.
PAPER = {
    "TP": {"TP": 1},
    "FP": {"FP": 1},
    "FN": {"FN": 1},
    "LE": {"TP": 0, "FP": 0.5, "FN": 0.5},
    "LBE": {"TP": 0, "FP": 0.5, "FN": 0.5},
    "BEO": {"TP": 0.5, "FP": 0.25, "FN": 0.25},
    "BES": {"TP": 0.5, "FP": 0, "FN": 0.5},
    "BEL": {"TP": 0.5, "FP": 0.5, "FN": 0},
}
CONFIG = """\
target_in = ./../data/target/{0}_spans.csv
system_in = ./../data/system/{0}_spans.csv
labels = all
exclude =
ignore_punct = False
focus = target
eval_method = all
weights = LE = 0.5 FP + 0.5 FN, BES = 0.5 TP + 0.5 FN, BEL = 0.5 TP + 0.5 FP, \
BEO = 0.5 TP + 0.25 FP + 0.25 FN, LBE = 0.5 FP + 0.5 FN
"""


def spans(recorded):
    return [[label, begin, end, set(tokens)] for label, begin, end, tokens in recorded]


def row(counts):
    return [counts[error] for error in ERRORS[: 3 if len(counts) == 3 else None]]


def cells(conf):
    found = {t: {s: n for s, n in counts.items() if n} for t, counts in conf.items()}
    return {t: counts for t, counts in found.items() if counts}


def answers(target, system):
    """Everything that is recorded of a pair."""
    found = faireval.compare_spans(spans(target), spans(system))
    by_system = faireval.compare_spans(spans(target), spans(system), focus="system")
    out = {
        "T": row(found["overall"]["traditional"]),
        "F": row(found["overall"]["fair"]),
        "lT": {label: row(counts) for label, counts in found["per_label"]["traditional"].items()},
        "lF": {label: row(counts) for label, counts in found["per_label"]["fair"].items()},
        "conf": cells(found["conf"]),
    }
    results = faireval.calculate_results(found, eval_method=METHODS, weights=PAPER)
    out["prf"] = {v: [results["overall"][v][m] for m in MEASURES] for v in METHODS}
    out["lprf"] = {
        v: {label: [counts[m] for m in MEASURES] for label, counts in results["per_label"][v].items()}
        for v in METHODS[1:]
    }
    return out, {label: row(counts) for label, counts in by_system["per_label"]["fair"].items()}


#: What iobes calls the schemes it knows; spans of the others were read by seqeval.
IOBES = {"IOB1": "IOB", "BIO": "BIO", "IOBES": "IOBES", "BILOU": "BILOU", "BMEOW": "BMEOW"}


def read(sequence, scheme):
    """The spans that were compared."""
    if scheme in IOBES:
        found = [
            (s.type, s.start + 1, s.end)
            for s in iobes.parse_spans(sequence, iobes.SpanEncoding.from_string(IOBES[scheme]))
        ]
    else:
        found = [(label, start + 1, end + 1) for label, start, end in get_entities(sequence)]
    return [[label, begin, end, range(begin, end + 1)] for label, begin, end in found]


def test_overlap_types(evaluators):
    recorded = json.loads((evaluators / "faireval_overlap_type.json").read_text())
    assert len(recorded) == 225
    for begin1, end1, begin2, end2, expected in recorded:
        assert faireval.overlap_type((begin1, end1), (begin2, end2)) == expected


def test_span_sets(evaluators):
    compared = 0
    for recorded in golden.rows(evaluators / "faireval_spansets.jsonl.gz"):
        found, by_system = answers(recorded["t"], recorded["y"])
        assert found == recorded["o"], recorded["id"]
        assert by_system == recorded["lF_sys"], recorded["id"]
        compared += 1
    assert compared > 1000


@pytest.mark.filterwarnings("ignore:.*seems not to be NE tag.*:UserWarning")
def test_pairs(evaluators):
    pairs = golden.pairs(evaluators)
    compared = 0
    for recorded in golden.rows(evaluators / "faireval_pairs.jsonl.gz"):
        pair = pairs[recorded["id"]]
        sides = [read(pair[side], pair["s"]) for side in "gp"]
        expected = dict(recorded["o"])
        by_system = expected.pop("lF_sys")
        assert answers(*sides) == (expected, by_system), recorded["id"]
        compared += 1
    assert compared > 2000


def outcome(lines, capsys, **config):
    """What the reader gives and prints, as it was recorded."""
    try:
        found = [
            [label, begin, end, sorted(tokens)]
            for label, begin, end, tokens in faireval.get_spans(lines, **config)
        ]
    except IndexError as error:
        found = {"err": type(error).__name__, "msg": str(error)}
    return found, capsys.readouterr().out


def test_conll_reader(evaluators, capsys):
    options = {"True": {"ignore_punct": True}, "False": {"ignore_punct": False}, "None": {}}
    compared = 0
    for recorded in golden.rows(evaluators / "faireval_conll_reader.jsonl.gz"):
        expected = recorded["o"]
        for name, option in options.items():
            wanted = expected[name] if expected[name] != "=False" else expected["False"]
            found = outcome(recorded["s"], capsys, labels=["all"], **option)
            assert found == (wanted, expected.get(f"{name}_out", "")), (recorded["id"], name)
        compared += 1
    assert compared > 300


def test_span_reader(evaluators, capsys):
    options = {
        "dflt": {"labels": ["all"], "exclude": ["NONE", "EMPTY"]},
        "noexcl": {"labels": ["all"]},
        "nolabels": {},
        "onlyPP": {"labels": ["PP"]},
    }
    compared = 0
    for recorded in golden.rows(evaluators / "faireval_span_reader.jsonl.gz"):
        assert recorded["o"].keys() == options.keys()
        for name, option in options.items():
            found = list(outcome(recorded["s"], capsys, **option))
            assert found == recorded["o"][name], (recorded["id"], name)
        compared += 1
    assert compared > 40


@pytest.fixture
def at_home(shared, tmp_path, monkeypatch):
    """A folder beside the data, as FairEval's own folder src is."""
    (tmp_path / "data").symlink_to(shared / "data" / "faireval")
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    return tmp_path


def settings():
    """What a configuration comes to."""
    try:
        found = faireval.read_config("my.config")
    except ValueError as error:
        return {"err": type(error).__name__, "msg": str(error)}
    if found is not None:
        assert found.pop("eval_out") is sys.stdout
    return found


def test_configurations(evaluators, at_home, capsys):
    answered = []
    compared = 0
    for recorded in golden.rows(evaluators / "faireval_read_config.jsonl.gz"):
        Path("my.config").write_text(recorded["config"], encoding="utf-8")
        found = settings()
        said = capsys.readouterr().out
        expected = recorded["returns"]
        if expected is not None and "err" in expected:
            answered.append(recorded["id"])
            assert (expected["err"], found) != ("TypeError", expected)
            assert said.startswith(recorded["stdout"])
            continue
        assert (found, said) == (expected, recorded["stdout"]), recorded["id"]
        # With the order of the keys.
        assert json.dumps(found) == json.dumps(expected), recorded["id"]
        compared += 1
    assert compared > 14
    # FairEval crashes there: it takes standard output for the name of a file.
    assert 17 in answered


def counted(files, config):
    """The counts of a pair of files, by the functions a user would call."""
    results = {}
    both = [faireval.get_sentences(path) for path in files]
    number = 0
    for target_lines, system_lines in zip(*both, strict=True):
        target = faireval.get_spans(target_lines, **config)
        system = faireval.get_spans(system_lines, **config)
        faireval.annotation_stats(target, **config)
        counts = faireval.compare_spans(target, system, config["focus"])
        results = faireval.add_dict(results, counts)
        number += 1
    return faireval.calculate_results(results, **config), number


@pytest.mark.parametrize("name", ["ner", "chunks"])
def test_data(evaluators, at_home, name, capsys):
    recorded = json.loads((evaluators / "faireval_data.json").read_text())[name]
    stem = "chunk" if name == "chunks" else name
    Path("my.config").write_text(CONFIG.format(stem), encoding="utf-8")
    config = faireval.read_config("my.config")
    said = capsys.readouterr().out
    assert said[said.index("###") :] == recorded["eval_csv"]
    assert list(config["weights"].items()) == list(recorded["weights"].items())
    config["data_stats"] = {}
    files = config["target_files"] + config["system_files"]
    found, number = counted(files, config)
    assert number == recorded["sentences"]
    assert json.dumps(found) == json.dumps(recorded["eval_target_focus"])
    assert list(config["data_stats"].items()) == list(recorded["data_stats"].items())
    found, _ = counted(files, config | {"focus": "system"})
    assert found["per_label"]["fair"] == recorded["per_label_fair_system_focus"]


@pytest.mark.parametrize("name", ["ner", "chunks"])
def test_command(at_home, name):
    config = at_home / "data" / "config" / f"{name}.config"
    shutil.copy(config, "my.config")
    assert faireval.main(["--config", "my.config"]) == 0
    written = at_home / "eval" / f"eval_{name}.csv"
    assert written.read_bytes() == (at_home / "data" / "eval" / f"eval_{name}.csv").read_bytes()
    assert [path.name for path in written.parent.iterdir()] == [written.name]
