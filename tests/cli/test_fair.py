"""``spanrs fair``, and ``spanrs score --matcher fair``, as a user runs them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from json_output import only_system

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def published(faireval_data, tmp_path):
    """The folders of FairEval: its data, and its configuration files."""
    source = faireval_data.folder
    for folder in ("target", "system"):
        shutil.copytree(source / folder, tmp_path / "data" / folder, copy_function=shutil.copyfile)
    shutil.copytree(source / "config", tmp_path / "config", copy_function=shutil.copyfile)
    for path in (tmp_path / "data", tmp_path / "config", *(tmp_path / "data").iterdir()):
        path.chmod(0o755)
    (tmp_path / "eval").mkdir()
    return tmp_path


def test_the_configuration_of_the_original_gives_its_measures(spanrs, published, faireval_data):
    recorded = json.loads(faireval_data.recorded.read_text(encoding="utf-8"))["ner"]["eval_target_focus"]
    overall = recorded["overall"]
    status, out, _ = spanrs("fair", "--config", published / "config" / "ner.config", "-o", "-")
    assert status == 0
    f1 = {line.split()[0]: line.split()[-1] for line in out.splitlines()[2:5]}
    names = ("traditional", "fair", "weighted")
    assert f1 == {name: f"{100 * overall[name]['F1']:.2f}" for name in names}
    status, out, _ = spanrs("fair", "--config", published / "config" / "ner.config")
    assert (status, out) == (0, "")
    first, *rows = (published / "eval" / "eval_ner.csv").read_text().splitlines()
    assert first.startswith("type,criterion,precision,recall,f1,support,tp,fp,fn,outcome_tp")
    fair = rows[-2].split(",")
    assert fair[:2] == ["", "fair"]
    assert [float(cell) for cell in fair[2:5]] == [overall["fair"][name] for name in ("Prec", "Rec", "F1")]


def test_the_page_shows_what_the_example_gives(spanrs, monkeypatch):
    monkeypatch.chdir(ROOT)
    status, out, _ = spanrs("fair", "--config", "examples/fair/fair.config")
    assert status == 0
    assert out in (ROOT / "docs" / "fair.md").read_text(encoding="utf-8")


GOLD = "A\t1\t2\t1,2\nB\t4\t4\t4\n\nA\t2\t3\t2,3\n"
PRED = "A\t1\t1\t1\nC\t4\t4\t4\n\nA\t2\t3\t2,3\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "gold.csv").write_text(GOLD)
    (tmp_path / "pred.csv").write_text(PRED)
    return tmp_path / "gold.csv", tmp_path / "pred.csv"


def test_options_of_score_say_what_a_configuration_says(spanrs, files, tmp_path):
    text = f"target_in = {files[0]}\nsystem_in = {files[1]}\nlabels = A, B\nfocus = system\nexclude = B\n"
    (tmp_path / "c").write_text(text + "weights = default\n")
    _, by_config, _ = spanrs("fair", "--config", tmp_path / "c", "--to", "csv")
    options = ("--types", "A,B", "--focus", "system", "--weights", "default", "--exclude", "B")
    _, by_options, err = spanrs("score", "--matcher", "fair", *files, *options, "--to", "csv")
    assert (by_options, "no span has type B" in err) == (by_config, True)
    (tmp_path / "c").write_text(text.replace("exclude = B\n", "") + "eval_method = fair\n")
    parsed = json.loads(spanrs("fair", "--config", tmp_path / "c", "--json")[1])
    assert list(parsed["criteria"]) == ["fair"]
    assert parsed["criterion"] == "fair"
    assert parsed["criteria"]["fair"] == {name: parsed[name] for name in parsed["criteria"]["fair"]}
    assert "focus:pred" in parsed["signature"]
    assert "--exclude requires --matcher fair" in spanrs("score", *files, "--exclude", "A")[2]


def test_results_go_where_they_are_sent(spanrs, files, tmp_path):
    (tmp_path / "out").mkdir()
    for target, begin in (
        (tmp_path / "out", None),
        (tmp_path / "r.json", "{"),
        (tmp_path / "deeper" / "r.html", "<!DOCTYPE html>"),
        (tmp_path / "r.txt", "criterion"),
    ):
        assert spanrs("fair", *files, "-o", target) == (0, "", "")
        if begin is not None:
            assert target.read_text().startswith(begin)
    assert (tmp_path / "out" / "eval.csv").read_text().startswith("type,")


def test_folders_are_made_for_results_and_inputs_are_spared(spanrs, files, tmp_path):
    assert spanrs("fair", *files, "-o", f"{tmp_path}/new/") == (0, "", "")
    assert (tmp_path / "new" / "eval.csv").is_file()
    for path in files:
        status, _, err = spanrs("fair", *files, "-o", path)
        assert status == 2
        assert "choose another output file" in err
    assert files[0].read_text() == GOLD
    (tmp_path / "c").write_text(f"target_in = {files[0]}\nsystem_in = {files[1]}\neval_out = {files[1]}\n")
    assert spanrs("fair", "--config", tmp_path / "c")[0] == 2
    assert files[1].read_text() == PRED


def test_only_exact_measures_come_with_exact_counts(spanrs, files, tmp_path):
    (tmp_path / "c").write_text("eval_method = exact\n")
    _, out, _ = spanrs("fair", *files, "--config", tmp_path / "c")
    row = next(line.split() for line in out.splitlines() if line.startswith("all"))
    assert row == ["all", "33.33", "3", "1", "2", "2"]


def test_csv_has_the_documents(spanrs, files):
    _, out, _ = spanrs("score", "--matcher", "fair", *files, "--by-document", "--to", "csv")
    rows = [line.split(",") for line in out.splitlines()]
    assert rows[0][:3] == ["document", "type", "criterion"]
    assert [row[0] != "" for row in rows[-3:]] == [True] * 3


def test_many_types_are_not_shown_as_a_matrix(spanrs, tmp_path):
    text = "".join(f"T{at}\t1\t1\t1\n\n" for at in range(150))
    (tmp_path / "g").write_text(text)
    (tmp_path / "p").write_text(text.replace("T0\t", "T1\t"))
    _, out, _ = spanrs("fair", tmp_path / "g", tmp_path / "p")
    assert "confusion  of 150 types is too large to show" in out
    _, out, _ = spanrs("fair", tmp_path / "g", tmp_path / "p", "--to", "html")
    assert "Only the 100 types with the most errors are shown." in out
    assert "gold T0, pred T1: 1" in out


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("gold.csv", "pred.csv", "--json", "--to", "csv"), "different formats"),
        ((), "give GOLD and PRED, or a --config"),
        (("gold.csv", "nothing.csv"), "nothing.csv: no such file"),
        (
            ("gold.csv", "pred.csv", "--format", "brat"),
            "is not one of 'auto', 'spans', 'stacked'",
        ),
        (("--config", "focus.config"), "focus.config:1: focus: unknown focus 'left'"),
        (("--config", "method.config"), "method.config:1: eval_method: unknown evaluation 'best'"),
        (("gold.csv", "short.csv"), "gold has more sentences: short.csv:1 (pred) ends"),
        (("gold.csv", "bad.csv"), "bad.csv:2: token 9 lies outside the span, which is 1 to 2"),
        (("--config", "bad.config"), "bad.config:1: unknown key 'target'; did you mean target_in?"),
        (("-", "-"), "cannot both be standard input"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(spanrs, files, monkeypatch, args, message):
    tmp_path = files[0].parent
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short.csv").write_text("A\t1\t1\t1\n")
    (tmp_path / "bad.csv").write_text("A\t1\t1\t1\nA\t1\t2\t1,9\n")
    (tmp_path / "bad.config").write_text("target = x\n")
    (tmp_path / "focus.config").write_text("focus = left\n")
    (tmp_path / "method.config").write_text("eval_method = best\n")
    status, out, err = spanrs("fair", *args, *(() if args == () else ("-o", "out.csv")))
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out.csv").exists()


def test_score_compares_systems_in_one_table(spanrs, submissions):
    preds = list(submissions.preds.values())
    args = ("score", "--matcher", "fair", submissions.gold, *preds)
    status, out, _ = spanrs(*args)
    assert status == 0
    lines = slice(2, 2 + len(preds))
    rows = {line.split()[0]: line.split()[1:4] for line in out.splitlines()[lines]}
    assert rows == submissions.fair
    parsed = json.loads(spanrs(*args, "--json")[1])
    for pred, (f1, *_) in zip(preds, rows.values(), strict=True):
        criteria = next(row for row in parsed["systems"] if row["name"] == str(pred))["criteria"]
        assert f"{100 * criteria['traditional']['micro']['f1']:.2f}" == f1
    exact = spanrs("score", submissions.gold, *preds)[1]
    assert [line.split()[3] for line in exact.splitlines()[lines]] == [row[0] for row in rows.values()]


def test_json_is_laid_out_as_for_every_matcher(spanrs, files):
    parsed = only_system(spanrs("score", "--matcher", "fair", *files, "--by-document", "--json")[1])
    values = ["micro", "macro", "weighted", "per_type", "counts", "outcomes", "outcomes_by_type"]
    assert list(parsed) == [
        "matcher",
        "criterion",
        *values,
        "criteria",
        "confusion",
        "accuracy",
        "sentences",
        "tokens",
        "violations",
        "detection",
        "pred_detection",
        "warnings",
        "notes",
        "signature",
        "short_signature",
        "documents",
    ]
    assert list(parsed["criteria"]) == ["traditional", "fair", "weighted"]
    for name, criterion in parsed["criteria"].items():
        assert list(criterion) == values, name
    assert parsed["criteria"]["fair"] == {name: parsed[name] for name in values}
    kinds = ["tp", "fp", "fn", "le", "be", "lbe", "bes", "bel", "beo"]
    assert list(parsed["outcomes"].items()) == list(zip(kinds, (1, 0, 0, 1, 1, 0, 1, 0, 0), strict=True))
    assert parsed["criteria"]["traditional"]["outcomes"] == {"tp": 1, "fp": 2, "fn": 2}
    assert parsed["counts"] == {"tp": 1, "fp": 1, "fn": 1}
    assert parsed["criteria"]["traditional"]["counts"] == {"tp": 1, "fp": 2, "fn": 2}
    assert parsed["criteria"]["weighted"]["counts"] == {"tp": 1.5, "fp": 0.5, "fn": 1}
    assert parsed["confusion"] == [
        {"gold": "A", "pred": "A", "count": 1},
        {"gold": "B", "pred": "C", "count": 1},
    ]
    row = {"document": 0, "name": str(files[0]), "sentences": 2, "tokens": 0}
    micro = {key: parsed["micro"][key] for key in ("precision", "recall", "f1", "support")}
    assert micro == {"precision": 0.5, "recall": 0.5, "f1": 0.5, "support": 3}
    row |= {"counts": parsed["counts"], "outcomes": parsed["outcomes"], "micro": micro}
    assert parsed["documents"] == [row]
    assert (parsed["sentences"], parsed["tokens"], parsed["accuracy"]) == (2, 0, 0)


def test_score_takes_weights_and_focus_with_the_fair_matcher_only(spanrs, tmp_path):
    (tmp_path / "g").write_text("a B-A\nb I-A\n")
    (tmp_path / "p").write_text("a B-B\nb O\n")
    files = (tmp_path / "g", tmp_path / "p")
    _, out, _ = spanrs(
        "score", *files, "--matcher", "fair", "--focus", "pred", "--weights", "LBE=1 TP", "--json"
    )
    parsed = only_system(out)
    assert parsed["outcomes_by_type"]["B"]["lbe"] == 1
    assert parsed["criteria"]["weighted"]["micro"]["f1"] == 1
    for wrong in (("--focus", "pred"), ("--weights", "paper")):
        for matcher in ("exact", "partial"):
            status, out, err = spanrs("score", *files, *wrong, "--matcher", matcher)
            assert (status, out) == (2, "")
            assert f"{wrong[0]} requires --matcher fair" in err
    assert (
        "cannot be combined with --matcher fair"
        in spanrs("score", *files, "--matcher", "fair", "--map", "A=B")[2]
    )
    _, out, _ = spanrs("score", *files, "--matcher", "fair", "--types", "A", "--json")
    assert only_system(out)["outcomes"]["fn"] == 1
    assert "given twice" in spanrs("score", files[0], files[1], files[1])[2]


def test_score_takes_the_options_of_partial_matching_with_that_matcher_only(spanrs, tmp_path):
    (tmp_path / "g").write_text("a B-A\nb I-A\nc I-A\nd I-A\n")
    (tmp_path / "p").write_text("a B-A\nb O\nc O\nd O\n")
    files = (tmp_path / "g", tmp_path / "p")

    def overlap(*options):
        status, out, _ = spanrs("score", *files, "--matcher", "partial", *options, "--json")
        assert status == 0
        parsed = only_system(out)
        assert list(parsed["criteria"]) == ["strict", "bounds", "overlap", "type"]
        return parsed["criteria"]["overlap"]["outcomes"], parsed["signature"]

    paired = {"correct": 0, "incorrect": 0, "partial": 1, "missed": 0, "spurious": 0}
    apart = {"correct": 0, "incorrect": 0, "partial": 0, "missed": 1, "spurious": 1}
    for options, outcomes, how in (
        ((), paired, "matching:greedy|min_overlap:0"),
        (("--matching", "optimal"), paired, "matching:optimal|min_overlap:0"),
        (("--min-overlap", "0.25"), paired, "matching:greedy|min_overlap:0.25"),
        (("--min-overlap", "0.26"), apart, "matching:greedy|min_overlap:0.26"),
    ):
        actual, signature = overlap(*options)
        assert actual == outcomes
        assert signature.startswith(f"matcher:partial|{how}|scheme:BIO|")
    for wrong in (("--matching", "greedy"), ("--min-overlap", "0.5")):
        status, out, err = spanrs("score", *files, *wrong)
        assert (status, out) == (2, "")
        assert f"{wrong[0]} requires --matcher partial" in err
    assert spanrs("score", *files, "--matcher", "partial", "--min-overlap", "1.5")[0] == 2
    for wrong in (("--types", "A"), ("--map", "A=B"), ("--untyped",)):
        status, out, err = spanrs("score", *files, "--matcher", "partial", *wrong)
        assert (status, out) == (2, "")
        assert wrong[0] in err
        assert "--matcher partial" in err
    _, out, _ = spanrs("score", *files, "--matcher", "partial")
    assert out.splitlines()[0].split()[:5] == ["type", "criterion", "precision", "recall", "F1"]
