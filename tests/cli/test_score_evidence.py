"""``spanrs score``: errors, intervals, readings, tables, directories, formats."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from json_output import only_system
from spanrs import score
from spanrs.eval import Measure, Result

TAGS = ["O", "O", "B-A", "I-A", "B-B", "I-B"]


def write(path, seed, sentences=30):
    """Write a file of tags; the tokens are always the same."""
    words, rng = random.Random(0), random.Random(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for at in range(sentences):
        if at % 10 == 0:
            lines.append("-DOCSTART- O\n\n")
        lines += [f"w{words.randrange(99)} {rng.choice(TAGS)}\n" for _ in range(words.randint(1, 8))]
        lines.append("\n")
    path.write_text("".join(lines))
    return path


@pytest.fixture
def files(tmp_path):
    return write(tmp_path / "gold.conll", 1), write(tmp_path / "pred.conll", 2)


@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_errors_as_json_lines_are_those_of_the_result(spanrs, files, matcher):
    gold, pred = files
    result = score(gold, pred, matcher=matcher, errors=True)
    expected = [json.loads(line) for line in result.errors.to_jsonl().splitlines()]
    status, out, _ = spanrs("score", gold, pred, "--matcher", matcher, "--errors=100000", "--to", "jsonl")
    assert status == 0
    assert [json.loads(line) for line in out.splitlines()] == expected
    as_json = only_system(spanrs("score", gold, pred, "--matcher", matcher, "--errors=7", "--json")[1])
    assert as_json["errors"] == expected[:7]
    assert as_json["counts"] == json.loads(json.dumps(result.to_dict()["counts"]))


def test_errors_as_text_have_their_lines(spanrs, files):
    gold, pred = files
    result = score(gold, pred, errors=True)
    number = sum(result.errors.numbers.values())
    # Without a number the option comes after the files.
    shown = spanrs("score", gold, pred, "--errors")[1].splitlines()
    assert f"errors {number}, 20 shown; [gold] {{pred}}, the most frequent kinds first" in shown
    places = [line for line in shown if line.startswith(f"  {gold}:") and "Illegal" not in line]
    assert len(places) == 20
    lines = gold.read_text().split("\n")
    for line in places:
        at, _, text = line.strip().removeprefix(f"{gold}:").partition(": ")
        assert lines[int(at) - 1].split()[0] in text
    few = spanrs("score", "--errors=3", "--max-violations", 0, gold, pred)[1].splitlines()
    assert len([line for line in few if line.startswith(f"  {gold}:")]) == 3
    assert "the most frequent kinds first" not in spanrs("score", gold, pred)[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--errors", "GOLD", "PRED"], "write --errors=20, or put --errors after the files"),
        (["GOLD", "PRED", "--errors=many"], "is not a number"),
        (["GOLD", "PRED", "--errors=-1"], "'-1' is not a number of errors"),
        (["GOLD", "PRED", "--errors=--to"], "'--to' is not a number of errors"),
        (["GOLD", "PRED", "--to", "jsonl"], "add --errors"),
        (["GOLD", "PRED", "OTHER", "--errors"], "--errors cannot be combined with several PRED"),
        (["GOLD", "PRED", "OTHER", "--intervals"], "--intervals cannot be combined with several PRED"),
        (["GOLD", "PRED", "OTHER", "--save", "x"], "--save cannot be combined with several PRED"),
        (
            ["GOLD", "PRED", "OTHER", "--short-signature"],
            "--short-signature cannot be combined with several",
        ),
        (["GOLD", "PRED", "PRED"], "is given twice"),
        (
            ["GOLD", "PRED", "--by-document", "--by-sentence"],
            "--by-sentence cannot be combined with --by-document",
        ),
        (["GOLD", "PRED", "--all-readings", "--errors"], "--errors cannot be combined with --all-readings"),
        (
            ["GOLD", "PRED", "--all-readings", "--fail-under", "f1=1"],
            "--fail-under cannot be combined with",
        ),
        (["GOLD", "PRED", "--all-readings", "--reading", "strict"], "--reading cannot be combined with"),
        (["GOLD", "PRED", "--all-readings", "--by-document"], "--by-document cannot be combined with"),
        (["GOLD", "PRED", "--all-readings", "--short-signature"], "--short-signature cannot be combined"),
        (["GOLD", "PRED", "--all-readings", "--like", "x"], "--like cannot be combined with"),
        (["GOLD", "PRED", "--level", "0.9"], "--level requires --intervals"),
        (["GOLD", "PRED", "--samples", "9"], "--samples requires --intervals"),
        (["GOLD", "PRED", "--seed", "9"], "--seed requires --intervals"),
        (["GOLD", "PRED", "-o", "./o.txt", "--save", "o.txt"], "--save and -o are the same file"),
        (["GOLD", "PRED", "--plot", "no/x.svg"], "--plot no/x.svg: its directory does not exist"),
        (["GOLD", "PRED", "--save", "-"], "counts are binary"),
        (
            ["GOLD", "PRED", "--all-readings", "--intervals"],
            "--intervals cannot be combined with --all-readings",
        ),
        (["GOLD", "PRED", "OTHER", "--all-readings"], "needs one pair of column files"),
        (["GOLD", "PRED", "--plot", "x.gif"], "must end with .png, .svg, .pdf"),
        (["GOLD", "PRED", "--json", "--to", "csv"], "different formats"),
        (["GOLD", "PRED", "--to", "text", "-o", "GOLD"], "is also an input; choose another output file"),
        (["GOLD", "PRED", "-o", "missing/x.json"], "its directory does not exist"),
        (["GOLD", "PRED", "-o", "x.json.gz"], "not compressed"),
        (["GOLD", "PRED", "--level", "1"], "--level"),
        (["GOLD", "PRED", "--interval-method", "basic"], "--interval-method"),
        (["-", "-"], "only one file can be standard input"),
    ],
)
def test_what_does_not_go_together_is_one_line(spanrs, files, monkeypatch, arguments, message):
    tmp_path = files[0].parent
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "other.conll", 3)
    names = {"GOLD": "gold.conll", "PRED": "pred.conll", "OTHER": "other.conll"}
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    status, out, err = spanrs("score", *(names.get(item, item) for item in arguments))
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("rows", ["sentence", "document"])
def test_intervals_are_those_of_the_result(spanrs, files, method, rows):
    gold, pred = files
    result = score(gold, pred, by=rows)
    options = ["--intervals", "--interval-method", method, "--samples", 500, "--seed", 4, "--level", 0.9]
    options += ["--by-document"] if rows == "document" else []
    parsed = only_system(spanrs("score", gold, pred, *options, "--json")[1])["intervals"]
    assert (parsed["unit"], parsed["level"], parsed["samples"], parsed["seed"]) == (rows, 0.9, 500, 4)
    for measure in (Measure(), Measure(average="macro"), Measure(type="A")):
        low, high = result.bootstrap(measure, samples=500, seed=4).interval(measure, 0.9, method)
        values = parsed["measures"][measure.title]
        assert (values["low"], values["high"]) == pytest.approx((low, high), abs=1e-12)
        assert low < values["value"] < high
    text = spanrs("score", gold, pred, *options)[1]
    assert f"90 % {method} of {30 if rows == 'sentence' else 3} {rows}s" in text
    # Intervals do not depend on the number of threads.
    assert spanrs("score", gold, pred, *options, "--threads", 2)[1] == text


def test_one_sentence_has_no_interval(spanrs, tmp_path):
    path = tmp_path / "one"
    path.write_text("a B-A B-A\nb O B-A\n")
    for rows in ("--by-sentence", "--by-document"):
        status, out, err = spanrs("score", path, "--intervals", rows)
        assert status == 2
        assert "and needs at least two, but there is 1" in err
        assert len(err.splitlines()) == 1
        assert out == ""


def test_all_readings_are_scored(spanrs, files):
    gold, pred = files
    parsed = json.loads(spanrs("score", gold, pred, "--all-readings", "--json")[1])["readings"]
    expected = score(gold, pred, reading="all")
    assert list(parsed) == list(expected)
    assert len({row["counts"]["tp"] for row in parsed.values()}) > 1
    # The detected scheme of these files is IOB, for which one reading is not defined.
    assert "ncrfpp" not in expected
    for name, result in expected.items():
        alone = score(gold, pred, scheme=result.settings["scheme"], reading=name)
        assert parsed[name]["counts"] == alone.to_dict()["counts"]
        assert parsed[name]["signature"] == alone.signature
        assert result.violations == alone.violations
    text = spanrs("score", gold, pred, "--all-readings")[1]
    for name, result in expected.items():
        assert f"{100 * result.micro.f1:.2f}" in text
        assert name in text


def test_files_without_violations_are_the_same_under_all_readings(spanrs, tmp_path):
    path = tmp_path / "clean"
    path.write_text("a B-A B-A\nb I-A O\n")
    _, out, _ = spanrs("score", path, "--all-readings", "--scheme", "BIO")
    assert "There are no violations, so all readings give the same result" in out


def test_by_sentence_keeps_rows_that_are_not_printed(spanrs, files, tmp_path):
    gold, pred = files
    plain = spanrs("score", gold, pred)[1]
    assert spanrs("score", gold, pred, "--by-sentence", "--save", tmp_path / "counts")[1] == plain
    saved = Result.from_bytes((tmp_path / "counts").read_bytes())
    assert len(saved.documents) == 30
    assert "documents" not in only_system(spanrs("score", gold, pred, "--by-sentence", "--json")[1])


@pytest.fixture
def folders(tmp_path):
    for at, name in enumerate(["b.conll", "sub/a.conll", "sub/deep/c.conll"]):
        for side in (1, 2):
            write(tmp_path / ("gold", "pred")[side - 1] / name, 10 * at + side, sentences=6)
    return tmp_path / "gold", tmp_path / "pred"


def test_directories_and_patterns_are_scored_in_all(spanrs, folders):
    gold, pred = folders
    (gold / ".hidden").write_text("not a column file")
    (pred / ".git").mkdir()
    (pred / ".git" / "config").write_text("[core]")
    scheme = ["--scheme", "BIO", "--json"]
    whole = only_system(spanrs("score", gold, pred, *scheme)[1])
    parts = [
        score(path, pred / path.relative_to(gold), scheme="BIO") for path in sorted(gold.rglob("*.conll"))
    ]
    merged = parts[0].merge(*parts[1:])
    assert whole["counts"] == merged.to_dict()["counts"]
    assert whole["sentences"] == 18
    assert (
        only_system(spanrs("score", f"{gold}/**/*.conll", f"{pred}/**", *scheme)[1])["counts"]
        == whole["counts"]
    )
    first = only_system(spanrs("score", f"{gold}/sub/*.conll", f"{pred}/sub/*", *scheme)[1])
    assert first["sentences"] == 6
    for threads in (2, 0):
        assert only_system(spanrs("score", gold, pred, *scheme, "--threads", threads)[1]) == whole


@pytest.mark.parametrize("side", [0, 1])
def test_a_file_that_a_side_lacks_is_named(spanrs, folders, side):
    (folders[side] / "sub" / "a.conll").unlink()
    status, out, err = spanrs("score", *folders)
    assert (status, out) == (2, "")
    assert "has no file for sub/a.conll; files are paired by name" in err
    assert ("gold", "pred")[side] in err


def test_files_that_cannot_be_scored_are_skipped_on_demand(spanrs, folders):
    gold, pred = folders
    (gold / "sub" / "a.conll").unlink()
    second = pred / "sub" / "deep" / "c.conll"
    second.write_text("other O\n")
    status, out, err = spanrs("score", *folders, "--on-error", "skip", "--json")
    alone = only_system(spanrs("score", gold / "b.conll", pred / "b.conll", "--json")[1])
    assert status == 1
    assert only_system(out)["counts"] == alone["counts"]
    lines = [line for line in err.splitlines() if line.startswith("spanrs: error: ")]
    assert len(lines) == 2
    assert all(line.endswith("skipping this file") for line in lines)
    assert f"{pred / 'sub' / 'a.conll'}: gold has no file of this name" in lines[0]
    assert f"{second}:1" in lines[1]
    (gold / "b.conll").unlink()
    status, out, err = spanrs("score", *folders, "--on-error", "skip")
    assert (status, out) == (2, "")
    assert "nothing was scored: all files were skipped" in err


def test_directories_that_cannot_be_scored(spanrs, folders, files, tmp_path):
    (tmp_path / "empty").mkdir()
    for arguments, message in (
        ((tmp_path / "empty", folders[1]), "the directory has no files"),
        ((f"{tmp_path}/*.none", folders[1]), "no file matches"),
        ((folders[0], files[1]), "is several files and"),
        ((files[0], folders[1]), "is several files and"),
        ((folders[0], tmp_path / "missing"), "missing"),
    ):
        status, out, err = spanrs("score", *arguments)
        assert (status, out) == (2, "")
        assert message in err
        assert len(err.splitlines()) == 1


def test_a_file_of_a_directory_that_cannot_be_read_is_named(spanrs, folders):
    (folders[1] / "sub" / "a.conll").write_text("other O\n")
    status, _, err = spanrs("score", *folders)
    assert status == 2
    assert str(folders[1] / "sub" / "a.conll") in err


def test_names_with_wildcards_that_exist_are_files(spanrs, tmp_path):
    gold, pred = write(tmp_path / "gold[1].conll", 1), write(tmp_path / "pred[1].conll", 2)
    assert only_system(spanrs("score", gold, pred, "--json")[1])["sentences"] == 30


def table(path, columns):
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    return path


def test_tables_are_scored(spanrs, tmp_path):
    columns = {
        "ner": [["B-A", "O"], ["B-A"], ["O", "B-B"]],
        "system": [["B-A", "B-B"], ["B-A"], ["O", "O"]],
        "doc": ["x", "y", "y"],
        "words": [["Rio", "loves"], ["Rio"], ["go", "home"]],
    }
    path = table(tmp_path / "table.parquet", columns)
    options = ["--gold-column", "ner", "--pred-column", "system", "--json"]
    parsed = only_system(spanrs("score", path, *options, "--document-column", "doc")[1])
    assert parsed["counts"] == {"tp": 2, "fp": 1, "fn": 1}
    assert [(row["name"], row["counts"]["tp"]) for row in parsed["documents"]] == [("x", 1), ("y", 1)]
    assert parsed == only_system(spanrs("score", path, *options, "--by-document")[1])
    parsed = only_system(spanrs("score", path, *options, "--errors", "--token-column", "words")[1])
    assert sorted((row["kind"], row["sentence"], row["tokens"]) for row in parsed["errors"]) == [
        ("missed", 2, ["go", "home"]),
        ("spurious", 0, ["Rio", "loves"]),
    ]
    # Two tables: each has the tags of its side.
    second = only_system(spanrs("score", path, path, *options)[1])
    assert second["counts"] == parsed["counts"]
    for arguments, message in (
        ((path, "--pred-column", "system"), "choose them with --gold-column and --pred-column"),
        (
            (
                table(tmp_path / "plain", {"ner": columns["ner"], "system": columns["system"]}),
                *options,
                "--by-document",
            ),
            "there is no column of document names; choose one with --document-column",
        ),
        ((path, *options, "--separator", "tab"), "--separator does not apply to parquet; omit it"),
        ((path, *options, "--token-column", "nothing", "--errors"), "no column 'nothing'"),
        ((path, *options, "--document-column", "nothing"), "no column 'nothing'"),
    ):
        status, out, err = spanrs("score", *arguments)
        assert (status, out) == (2, ""), arguments
        assert message in err


def test_csv_without_a_header_has_its_columns_where_a_column_file_has_them(spanrs, tmp_path):
    rows = [("EU", "B-ORG"), ("rejects", "O"), None, ("Rio", "B-LOC"), ("de", "I-LOC")]
    texts = {
        side: "".join("\n" if row is None else f"{row[0]}{mark}{row[1]}\n" for row in kept)
        for side, mark, kept in (
            ("gold.csv", ",", rows),
            ("pred.csv", ",", [*rows[:4], ("de", "O")]),
            ("gold.conll", "\t", rows),
            ("pred.conll", "\t", [*rows[:4], ("de", "O")]),
        )
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    csv, conll = (
        only_system(spanrs("score", tmp_path / f"gold.{end}", tmp_path / f"pred.{end}", "--json")[1])
        for end in ("csv", "conll")
    )
    assert csv["counts"] == conll["counts"] == {"tp": 1, "fp": 1, "fn": 1}
    (tmp_path / "pred.csv").write_text(texts["pred.csv"].replace("rejects", "accepts"))
    status, out, err = spanrs("score", tmp_path / "gold.csv", tmp_path / "pred.csv")
    assert (status, out) == (2, "")
    assert "gold has token `rejects`" in err


FORMATS = ["text", "markdown", "latex", "csv", "json", "html"]
ENDINGS = {
    "text": ".txt",
    "markdown": ".md",
    "latex": ".tex",
    "csv": ".csv",
    "json": ".json",
    "html": ".html",
}


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("systems", [1, 3])
def test_the_ending_of_the_file_names_the_format(spanrs, files, tmp_path, to, systems):
    preds = [files[1], write(tmp_path / "x&y.conll", 5), write(tmp_path / "z.conll", 6)][:systems]
    path = tmp_path / f"out{ENDINGS[to]}"
    assert spanrs("score", files[0], *preds, "-o", path)[:2] == (0, "")
    status, out, _ = spanrs("score", files[0], *preds, "--to", to)
    assert status == 0
    assert path.read_text(encoding="utf-8") == out
    f1 = [score(files[0], pred).micro.f1 for pred in preds]
    if to == "json":
        parsed = json.loads(out)
        assert [row["micro"]["f1"] for row in parsed["systems"]] == f1
        assert [row["name"] for row in parsed["systems"]] == list(map(str, preds))
    elif to == "csv":
        cells = {cell for row in csv.reader(io.StringIO(out)) for cell in row}
        assert all(str(item) in cells or f"{100 * item:.2f}" in cells for item in f1)
    elif systems > 1 or to != "html":
        assert all(f"{100 * item:.2f}" in out for item in f1)
    start = {"html": "<!DOCTYPE html>", "latex": r"\begin{tabular}", "markdown": "|"}.get(to, "")
    assert start in out
    if systems > 1 and to == "latex":
        assert r"x\&y" in out
    if systems > 1 and to == "html":
        assert "x&amp;y" in out


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf"])
def test_plots_are_files_of_their_format(spanrs, files, tmp_path, ending):
    path = tmp_path / f"plot{ending}"
    status, out, _ = spanrs("score", *files, "--plot", path)
    assert status == 0
    assert out == spanrs("score", *files)[1]
    assert path.read_bytes().startswith({".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}[ending])


def test_plots_say_which_f1_they_show_and_what_the_whiskers_are(spanrs, files, tmp_path):
    path = tmp_path / "plot.svg"
    assert spanrs("score", *files, "--matcher", "fair", "--plot", path)[0] == 0
    first = path.read_bytes()
    assert b"<!-- fair F1 in per cent -->" in first
    assert b"<!-- Whiskers are 95 % percentile intervals of 10000 bootstrap resamples" in first
    assert spanrs("score", *files, "--matcher", "fair", "--plot", path)[0] == 0
    assert path.read_bytes() == first
    # A plot does not change the saved counts.
    saved = [tmp_path / "a.counts", tmp_path / "b.counts"]
    assert spanrs("score", *files, "--save", saved[0])[0] == 0
    assert spanrs("score", *files, "--save", saved[1], "--plot", path)[0] == 0
    assert saved[0].read_bytes() == saved[1].read_bytes()
    assert b"<!-- No intervals: " in path.read_bytes()


@pytest.mark.parametrize("to", ["json", "csv", "text"])
def test_a_plot_adds_no_documents_to_the_output(spanrs, tmp_path, to):
    sides = [Path(__file__).parents[2] / "examples" / "mat" / name for name in ("ref", "hyp")]
    plain = spanrs("score", *sides, "--to", to)
    assert spanrs("score", *sides, "--to", to, "--plot", tmp_path / "plot.svg") == plain
    assert b"resamples of 2 documents" in (tmp_path / "plot.svg").read_bytes()


def test_intervals_of_the_fair_matcher_say_which_f1(spanrs, files):
    _, out, _ = spanrs(
        "score", *files, "--matcher", "fair", "--intervals", "--samples", 20, "--by-sentence"
    )
    rows = out.split("percentile of", 1)[1].splitlines()
    assert [row for row in rows if "F1" in row]
    assert all("fair F1" in row or "fair macro F1" in row for row in rows if "F1" in row)


def test_systems_that_cannot_be_scored_are_left_out_with_status_1(spanrs, files, tmp_path):
    (tmp_path / "bad").write_text("other O\n")
    status, out, err = spanrs("score", files[0], files[1], tmp_path / "bad", "--json")
    assert status == 1
    assert [row["name"] for row in json.loads(out)["systems"]] == [str(files[1])]
    assert f"skipping {tmp_path / 'bad'}" in err
