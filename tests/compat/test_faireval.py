"""The surface of FairEval: functions, files, the command."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spanrs.compat import faireval
from spanrs.compat.faireval import command
from spanrs.compat.faireval.config import parse_weights
from spanrs.compat.faireval.output import ReplacingFile, open_results

GOLD = "PER\t1\t2\t1,2\nLOC\t4\t4\t4\n\nORG\t1\t3\t1,2,3\n"
PRED = "PER\t1\t2\t1,2\nORG\t4\t4\t4\n\nORG\t2\t3\t2,3\n"


def per(begin, end, label="PER"):
    return [label, begin, end, set(range(begin, end + 1))]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Two folders with a file each, and a configuration for them."""
    monkeypatch.chdir(tmp_path)
    for folder, text in (("gold", GOLD), ("pred", PRED)):
        Path(folder).mkdir()
        Path(folder, "a.csv").write_text(text, encoding="utf-8")
    return tmp_path


def config(text, inputs="target_in = gold\nsystem_in = pred\n"):
    Path("my.config").write_text(inputs + text, encoding="utf-8")
    return "my.config"


def test_names_and_signatures():
    shown = {name: str(inspect.signature(getattr(faireval, name))) for name in faireval.__all__}
    arguments = {name: [*inspect.signature(getattr(faireval, name)).parameters] for name in shown}
    assert arguments == {
        "add_dict": ["base_dict", "dict_to_add"],
        "annotation_stats": ["target_spans", "result_dict", "config"],
        "calculate_results": ["eval_dict", "config"],
        "compare_spans": ["target_spans", "system_spans", "focus"],
        "fscore": ["evaldict"],
        "get_sentences": ["filename"],
        "get_spans": ["sentence", "config"],
        "main": ["argv"],
        "output_results": ["eval_dict", "config"],
        "overlap_type": ["span1", "span2"],
        "precision": ["evaldict", "version", "weight_dict"],
        "read_config": ["config_file"],
        "recall": ["evaldict", "version", "weight_dict"],
    }


# Scores.


def test_versions_count_their_own_errors():
    counts = {"TP": 2, "FP": 1, "FN": 3, "LE": 4, "BE": 1, "LBE": 1, "BES": 1, "odd": 9}
    assert faireval.precision(counts) == 2 / 3
    assert faireval.recall(counts) == 2 / 5
    assert faireval.precision(counts, "fair") == 2 / (2 + 1 + 3)
    assert faireval.recall(counts, "fair") == 2 / (2 + 3 + 3)
    weights = {"TP": {"TP": 1}, "odd": {"FP": 2, "FN": 0}}
    assert faireval.precision(counts, "weighted", weights) == 2 / 20
    assert faireval.recall(counts, "weighted", weights) == 1.0
    # Weights are for `weighted` alone; without them it is fair, and so is what nobody knows.
    assert faireval.recall(counts, "fair", weights) == faireval.recall(counts, "weighted", {}) == 2 / 8
    assert faireval.recall(counts, "odd", None) == 2 / 8
    assert faireval.recall(counts, "odd", weights) == 1.0


def test_nothing_is_nought():
    for measure in (faireval.precision, faireval.recall):
        for version in ("traditional", "fair", "weighted"):
            assert measure({}, version) == 0.0
            assert isinstance(measure({}, version), float)
    assert faireval.fscore({}) == faireval.fscore({"Prec": 0.0, "Rec": 0.0}) == 0.0
    assert faireval.fscore({"Prec": 1, "Rec": 0.5}) == 2 * 0.5 / 1.5


# Comparing.


def test_a_span_given_twice_is_found_twice_traditionally_and_once_fairly():
    spans = faireval.compare_spans([per(1, 2), per(1, 2)], [per(1, 2)])["overall"]
    assert spans["traditional"] == {"TP": 2, "FP": 0, "FN": 0}
    assert (spans["fair"]["TP"], spans["fair"]["FN"]) == (1, 1)


def test_equal_bounds_with_other_tokens_are_no_match():
    spans = faireval.compare_spans([["NP", 1, 3, {1, 3}]], [["NP", 1, 3, {1, 2, 3}]])
    assert spans["overall"]["fair"]["BE"] == 0
    assert spans["conf"] == {"NP": {"NP": 0, "_": 1}, "_": {"NP": 1, "_": 0}}


def test_the_focus_says_whose_label_counts():
    sides = {}
    for focus in ("target", "system", "odd"):
        spans = faireval.compare_spans([per(1, 1)], [per(1, 1, "LOC")], focus)
        assert spans["overall"]["fair"]["LE"] == spans["conf"]["PER"]["LOC"] == 1
        sides[focus] = [spans["per_label"]["fair"][label]["LE"] for label in ("PER", "LOC")]
    assert sides == {"target": [1, 0], "system": [0, 1], "odd": [0, 0]}


def test_lists_keep_what_found_no_partner_and_sets_stay_as_they_are():
    tokens = {5, 6, 7}
    missed, actual, early = per(20, 24), ["ORG", 5, 7, tokens], per(1, 1)
    target, system = [missed, actual, early], [["ORG", 5, 6, {5, 6}]]
    faireval.compare_spans(target, system)
    assert target == [early, missed]
    assert target[1] is missed
    assert system == []
    assert actual == ["ORG", 5, 7, {7}]
    assert tokens == {5, 6, 7}


def test_a_list_with_itself_stays_as_it_is():
    spans = [per(1, 2), per(4, 4), per(4, 4)]
    decoded = faireval.compare_spans(spans, spans)["overall"]
    assert decoded["traditional"] == {"TP": 3, "FP": 0, "FN": 0}
    assert decoded["fair"]["TP"] == 3
    assert spans == [per(1, 2), per(4, 4), per(4, 4)]


def test_a_label_that_is_an_underscore_shares_the_empty_cell():
    spans = faireval.compare_spans([per(1, 2, "_"), per(9, 9, "_")], [per(1, 1, "_"), per(12, 12, "_")])
    assert spans["conf"] == {"_": {"_": 3}}


def test_the_order_of_keys_is_that_of_appearance():
    spans = faireval.compare_spans([per(1, 1, "B"), per(2, 2, "A")], [per(3, 3, "C"), per(2, 2, "A")])
    assert list(spans) == ["overall", "per_label", "conf"]
    assert list(spans["conf"]) == ["B", "A", "C", "_"]
    assert list(spans["per_label"]["fair"]) == ["B", "A", "C"]
    assert list(spans["overall"]["fair"]) == ["TP", "FP", "FN", "LE", "BE", "BEO", "BES", "BEL", "LBE"]


# Reading.


def test_sentences_are_what_blank_lines_separate(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\n \na\tb \r\n\xc3\xa9\n\n\t\n\nlast")
    assert list(faireval.get_sentences(path)) == [["a\tb", "é"], ["last"]]
    path.write_bytes(b"\n\n")
    assert list(faireval.get_sentences(str(path))) == []


def test_spans_without_valid_tokens_have_all_of_them():
    for tokens in ("x", "1,x", "7,8", "", "1;2"):
        assert faireval.get_spans([f"NP\t1\t3\t{tokens}"], labels=["all"]) == [["NP", 1, 3, {1, 2, 3}]]
    assert faireval.get_spans(["NP\t3\t1\t1, 3,9"], labels=["all"]) == [["NP", 1, 3, {1, 3}]]
    assert faireval.get_spans([], labels=["all"]) == []


def test_levels_are_closed_from_the_outermost_at_the_end_and_from_the_innermost_before():
    lines = ["a N B-S|B-NP|B-N", "b N I-S|I-NP", "c N I-S|B-VP", "d N B-S|B-NP"]
    spans = [span[:3] for span in faireval.get_spans(lines, labels=["all"])]
    assert spans == [["N", 1, 1], ["NP", 1, 2], ["S", 1, 3], ["VP", 3, 3], ["S", 4, 4], ["NP", 4, 4]]


def test_labels_end_at_the_second_hyphen_and_go_on_whatever_they_are():
    lines = ["a N B-creative-work", "b N I-other", "c N odd", "d N I-x"]
    assert faireval.get_spans(lines, labels=["creative"]) == [["creative", 1, 4, {1, 2, 4}]]
    assert faireval.get_spans(lines, labels=["all"], exclude=["creative"]) == []


def test_punctuation_is_taken_out_of_spans():
    lines = ["( $( B-NP", "a N I-NP", ", $, I-NP", "b N I-NP", ". $. I-NP", ". $. I-NP", "! $. B-NP"]
    # Of two at the end, the first stays within the bounds.
    for true in (True, 1):
        spans = faireval.get_spans(lines, labels=["all"], ignore_punct=true)
        assert spans == [["NP", 2, 5, {2, 4}]]
    for false in (False, None, "True"):
        assert len(faireval.get_spans(lines, labels=["all"], ignore_punct=false)) == 2


def test_both_ways_to_count_labels():
    spans = [per(1, 1), per(2, 2, "LOC"), per(3, 3)]
    result = {"other": 1}
    assert faireval.annotation_stats(spans, result) is None
    assert result == {"other": 1, "data_stats": {"PER": 2, "LOC": 1}}
    stats = {}
    faireval.annotation_stats(spans, data_stats=stats, labels=["all"])
    assert stats == {"PER": 2, "LOC": 1}
    assert faireval.annotation_stats(spans) is None


# Adding up.


def test_adding_leaves_what_is_added_alone():
    first = faireval.compare_spans([per(1, 1)], [])
    results = {}
    assert faireval.add_dict(results, first) is results
    faireval.add_dict(results, faireval.compare_spans([], [per(1, 1, "LOC")]))
    faireval.add_dict(results, first)
    assert results["overall"]["fair"]["FN"] == 2
    assert results["per_label"]["traditional"]["LOC"] == {"TP": 0, "FP": 1, "FN": 0}
    assert results["conf"] == {
        "PER": {"PER": 0, "_": 2},
        "_": {"PER": 0, "_": 0, "LOC": 1},
        "LOC": {"LOC": 0, "_": 0},
    }
    assert first == faireval.compare_spans([per(1, 1)], [])


def test_weighted_results_of_one_sentence():
    counts = faireval.compare_spans([per(1, 2)], [per(1, 1)])
    collected = faireval.calculate_results(counts, eval_method=["weighted"])
    assert collected is counts
    assert collected["overall"]["weighted"]["BES"] == 1
    assert "Prec" not in collected["overall"]["fair"]
    assert collected["per_label"]["weighted"]["PER"]["F1"] == 0.0
    assert "weighted" not in faireval.calculate_results(counts)["overall"]["traditional"]


def results(**config):
    counts = faireval.compare_spans([per(1, 2), per(4, 4, "LOC")], [per(1, 1), per(4, 4, "LOC")])
    return faireval.calculate_results(counts, **config)


def test_tables_go_to_standard_output_which_stays_open(capsys):
    faireval.output_results(results())
    faireval.output_results(results(), eval_out=sys.stdout)
    assert not sys.stdout.closed
    out = capsys.readouterr().out
    assert out[: len(out) // 2] == out[len(out) // 2 :]
    assert out.startswith(
        "\n### Traditional evaluation:\nLabel\tTP\tFP\tFN\tPrec\tRec\tF1\nLOC\t1\t0\t0\t100.00"
    )
    assert out.endswith("\n### Target data stats:\nLabel\tFreq\t%\n")


def test_a_file_is_closed_and_a_text_in_memory_is_not(tmp_path):
    text = io.StringIO()
    config = {"eval_method": ["weighted"], "weights": {"TP": {"TP": 1}, "BES": {"FN": 1}, "odd": {}}}
    stats = {"data_stats": {"PER": 1, "LOC": 3}}
    faireval.output_results(results(**config), **config, **stats, eval_out=text)
    lines = text.getvalue().split("\n")
    assert lines[2:6] == [
        "Label\tTP\tBES\todd\tPrec\tRec\tF1",
        "LOC\t1\t0\t0\t100.00\t100.00\t100.00",
        "PER\t0\t1\t0\t0.00\t0.00\t0.00",
        "overall\t1\t1\t0\t100.00\t50.00\t66.67",
    ]
    assert lines[-3:] == ["PER\t1\t25.00", "LOC\t3\t75.00", ""]
    file = open(tmp_path / "out", "w", encoding="utf-8")  # noqa: SIM115
    faireval.output_results(results(**config), **config, **stats, eval_out=file)
    assert file.closed
    assert (tmp_path / "out").read_text(encoding="utf-8") == text.getvalue()


def test_a_confusion_matrix_without_a_row_has_noughts_there():
    text = io.StringIO()
    odd = results() | {"conf": {"PER": {"LOC": 2}}}
    faireval.output_results(odd, eval_out=text)
    assert "Target\\System\tLOC\tPER\nLOC\t0\t0\nPER\t2\t0\n" in text.getvalue()


# Configurations.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("LE=.5FP+0.5*FN", {"LE": {"TP": 0, "FP": 0.5, "FN": 0.5}}),
        (
            "  LE  = 1 * TP, BES = 2TP",
            {"LE": {"TP": 1.0, "FP": 0, "FN": 0}, "BES": {"TP": 2.0, "FP": 0, "FN": 0}},
        ),
        ("LE = -1 TP + 1. FP", {"LE": {"TP": 1.0, "FP": 0, "FN": 0}}),
        ("odd, LE = 10.25FN", {"LE": {"TP": 0, "FP": 0, "FN": 10.25}}),
    ],
)
def test_weights(text, expected):
    assert parse_weights(text) == expected | {"TP": {"TP": 1}, "FP": {"FP": 1}, "FN": {"FN": 1}}


def test_default_weights_are_new_every_time():
    parse_weights("default")["LE"]["TP"] = 7
    parse_weights("LE = TP")["TP"]["TP"] = 7
    assert parse_weights("default")["LE"]["TP"] == 0
    assert faireval.precision({"TP": 1, "LE": 2}, "fair") == 0.5
    assert faireval.precision({"TP": 1, "FP": 1}) == 0.5


def test_lists_keep_their_order(files, capsys):
    corpus = faireval.read_config(
        config("labels = b, a,, b\nexclude = z,y , z\neval_method = weighted, traditional")
    )
    assert corpus["labels"] == ["b", "a"]
    assert corpus["exclude"] == ["z", "y", "NONE", "EMPTY"]
    assert corpus["eval_method"] == ["traditional", "fair"]
    assert corpus["target_files"] == [os.path.join("gold", "a.csv")]
    assert "exclude: ['z', 'y', 'NONE', 'EMPTY']\nlabels: ['b', 'a']\n" in capsys.readouterr().out


def test_repeated_keys_are_told_and_the_last_one_counts(files, capsys):
    corpus = faireval.read_config(config("focus = system\nfocus = odd\ntarget_in = gold/a.csv\n"))
    assert corpus["focus"] == "target"
    assert corpus["target_files"] == [os.path.join("gold", "a.csv")]
    out = capsys.readouterr().out
    assert "WARNING: duplicate config item 'focus' found.\n" in out
    assert "target_in: gold/a.csv\nWARNING: duplicate config item 'target_files' found.\n" in out


@pytest.mark.parametrize("line", ["labls = PER", "labels PER", "= PER"])
def test_lines_nobody_understands_are_named(files, line):
    with pytest.raises(ValueError, match=r"my\.config:4: .*(labl|labels PER|'')"):
        faireval.read_config(config(f"# all\n{line}\n"))


def test_results_may_go_to_standard_output_by_name(files, capsys):
    assert faireval.read_config(config("eval_out = cmd"))["eval_out"] is sys.stdout
    assert faireval.main(["--config", config("eval_out = cmd")]) == 0
    assert "### Comparison:" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("place", "written"),
    [("there", "there/eval.csv"), ("old.csv", "old.csv"), ("./new/deep/x.csv", "new/deep/x.csv")],
)
def test_places_for_results(files, place, written, capsys):
    Path("there").mkdir()
    Path("old.csv").write_text("old")
    assert faireval.main(["--config", config(f"eval_out = {place}")]) == 0
    text = Path(written).read_text(encoding="utf-8")
    assert text.startswith("### Evaluation settings:\n")
    assert text.endswith("ORG\t1\t33.33\n")
    assert "###" not in capsys.readouterr().out
    assert not list(Path(".").rglob("*.part"))


def test_settings_are_there_once_the_file_is_closed(files):
    Path("old.csv").write_text("old")
    corpus = faireval.read_config(config("eval_out = old.csv"))
    corpus["eval_out"].close()
    corpus["eval_out"].close()
    assert Path("old.csv").read_text(encoding="utf-8").startswith("### Evaluation settings:")


def test_a_file_nobody_closes_is_there_at_the_end():
    code = (
        "from spanrs.compat.faireval.output import open_results; import tempfile, os, gc, warnings\n"
        "warnings.simplefilter('ignore'); folder = tempfile.mkdtemp(); path = os.path.join(folder, 'x')\n"
        "file = open_results(path); file.write('done'); del file; gc.collect()\n"
        "print(open(path).read(), os.listdir(folder))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "done ['x']\n"
    assert done.stderr == ""


def test_a_file_of_results_keeps_its_mode_and_its_link(tmp_path):
    place = tmp_path / "place"
    place.write_text("old")
    place.chmod(0o604)
    link = tmp_path / "link"
    link.symlink_to(place)
    with open_results(str(link)) as file:
        assert isinstance(file, ReplacingFile)
        file.write("new")
        assert place.read_text() == "old"
    assert link.is_symlink()
    assert place.read_text() == "new"
    assert place.stat().st_mode & 0o777 == 0o604


def test_devices_are_written_to():
    with open_results(os.devnull) as file:
        assert not isinstance(file, ReplacingFile)
        file.write("gone")
    with pytest.raises(FileNotFoundError):
        open_results("no/such/folder/x")


# The command.


def test_nothing_to_evaluate_is_status_one(files, capsys):
    assert faireval.main(["--config", config("", inputs="target_in = gold\n")]) == 1
    assert capsys.readouterr().out.endswith(
        "Cannot evaluate without target AND system file(s). Quitting.\n"
    )


def test_a_failure_leaves_old_results_alone(files):
    Path("old.csv").write_text("old")
    Path("pred", "a.csv").write_text("PER\t1\t1\t1\nodd")
    with pytest.raises(IndexError):
        faireval.main(["--config", config("eval_out = old.csv")])
    assert Path("old.csv").read_text() == "old"
    assert sorted(path.name for path in Path(".").iterdir()) == ["gold", "my.config", "old.csv", "pred"]


def test_files_are_paired_by_name(files, capsys):
    Path("gold", "b.csv").write_text("PER\t1\t1\t1")
    Path("pred", "c.csv").write_text("PER\t1\t1\t1")
    assert faireval.main(["--config", config("eval_method = fair")]) == 0
    out, err = capsys.readouterr()
    assert "overall\t1\t0\t1\t1\t0\t0\t50.00\t50.00\t50.00\n" in out
    assert err == ""
    Path("gold", "a.csv").unlink()
    assert faireval.main(["--config", config("eval_method = fair")]) == 0
    out, err = capsys.readouterr()
    assert (
        "Label\tTP\tFP\tLE\tBE\tLBE\tFN\tPrec\tRec\tF1\noverall\t0\t0\t0\t0\t0\t0\t0.00\t0.00\t0.00\n"
        in out
    )
    assert (
        err
        == "no target file has the same name as a system file; files are paired by name: nothing is counted\n"
    )


@pytest.mark.parametrize(("longer", "shorter"), [("gold", "pred"), ("pred", "gold")])
def test_sentences_without_a_partner_are_told(files, capsys, longer, shorter):
    with open(Path(longer, "a.csv"), "a", encoding="utf-8") as file:
        file.write("\nPER\t1\t1\t1\n\nPER\t1\t1\t1\n")
    paths = [os.path.join(folder, "a.csv") for folder in ("gold", "pred")]
    actual = command.count_pair(*paths, {"labels": ["all"]}, {})
    assert actual["overall"]["traditional"] == {"TP": 1, "FP": 2, "FN": 2}
    out, err = capsys.readouterr()
    assert out == ""
    path = os.path.join(shorter, "a.csv")
    assert err == f"{path} ends after 2 sentences: the rest of the other file is not counted\n"


def test_as_a_program(files):
    command = [sys.executable, "-m", "spanrs.compat.faireval", "--config", config("")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("target_in: gold\nsystem_in: pred\n### Evaluation settings:\n")
    assert "overall\t1\t2\t2\t33.33\t33.33\t33.33\n" in done.stdout
    assert done.stderr == ""
    Path("my.config").write_text("target_in = gold")
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1


def test_it_is_imported_by_its_own_name():
    from spanrs import compat

    with compat.activate("faireval"):
        module = importlib.import_module("FairEval")
        assert module is faireval
        assert importlib.util.find_spec("faireval") is None
        with pytest.raises(importlib.metadata.PackageNotFoundError):
            importlib.metadata.version("faireval")
    assert importlib.util.find_spec("FairEval") is None
