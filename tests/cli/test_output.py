"""``--to`` and ``-o``: every command that prints a table, in every format."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from rich.cells import cell_len

from spanrs.cli.group import group
from spanrs.cli.output import ENDINGS, FORMATS, Output, render_parts, resolve_output
from spanrs.cli.run import run
from spanrs.report.table import Table

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
CROWD = EXAMPLES / "crowd" / "answers.txt"
MAIN = [sys.executable, "-c", "from spanrs.cli import main; main()"]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Models of the examples."""
    folder = tmp_path_factory.mktemp("models")
    train = ["crf", "train", EXAMPLES / "crf" / "train.conll", "-q", "-o", folder / "crf"]
    assert run(group, [*map(str, train)]) == 0
    treebank = EXAMPLES / "dep" / "train.conllu"
    train = ["dep", "train", treebank, "--epochs", "2", "--models", "1", "-q", "-o", folder / "dep"]
    assert run(group, [*map(str, train)]) == 0
    return folder


#: Arguments by command; {} is the folder of the models.
COMMANDS = {
    "validate": ["validate", EXAMPLES / "pred.conll"],
    "fair": ["fair", EXAMPLES / "fair" / "gold.csv", EXAMPLES / "fair" / "pred.csv"],
    "score mat": [
        *("score", "--matcher", "mat", EXAMPLES / "mat" / "ref", EXAMPLES / "mat" / "hyp", "--details"),
        *("--task", EXAMPLES / "mat" / "task.xml"),
    ],
    "crf eval": ["crf", "eval", "{}/crf", EXAMPLES / "crf" / "dev.conll"],
    "crf info": ["crf", "info", "{}/crf"],
    "dep eval": ["dep", "eval", EXAMPLES / "dep" / "train.conllu", "{}/dep", "--per-label"],
    "dep info": ["dep", "info", "{}/dep"],
    "agreement": ["agreement", CROWD],
    "crowd aggregate": ["crowd", "aggregate", CROWD, "--aggregator", "MVtoken"],
    "crowd fit": ["crowd", "fit", CROWD, "--aggregator", "MVtoken", "-o", os.devnull],
    "crowd experiment": [
        *("crowd", "experiment", "--crowd", CROWD, "--gold", EXAMPLES / "crf" / "train.conll"),
        *("--aggregators", "MVtoken,Dawid-Skene"),
    ],
}
#: Exit status where it is not 0: the example has malformed tags.
STATUS = {"validate": 1}
#: Commands whose -o is another file than the table.
WITH_REPORT = ("crowd aggregate", "crowd fit")
#: Formats specific to a command.
BEGINNINGS = {"json": "{", "html": "<!DOCTYPE html>"}


def arguments(name, models):
    return [str(arg).replace("{}", str(models)) for arg in COMMANDS[name]]


def file_option(name):
    return "--report" if name in WITH_REPORT else "-o"


def without_times(text):
    """The experiment reports its running time."""
    return re.sub(r"\d+\.\d+", "", text)


@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_every_format(spanrs, models, tmp_path, name, to):
    status, out, err = spanrs(*arguments(name, models), "--to", to)
    assert (status, "error" in err) == (STATUS.get(name, 0), False), err
    # The page of MATScore ends where its template ends.
    assert out.endswith("\n") or (name, to) == ("score mat", "html")
    assert out.startswith(BEGINNINGS.get(to, ""))
    if to == "json":
        assert isinstance(json.loads(out), dict)
        assert without_times(spanrs(*arguments(name, models), "--json")[1]) == without_times(out)
    elif to == "csv":
        assert len({len(row) for row in csv.reader(io.StringIO(out))}) == 1
    elif to == "markdown":
        assert re.search(r"^\|:?-+:?\|", out, re.M)
    elif to == "latex":
        assert r"\begin{tabular}{l" in out
        assert out.count(r"\begin{") == out.count(r"\end{")
    target = tmp_path / "result"
    status, printed, _ = spanrs(*arguments(name, models), "--to", to, file_option(name), target)
    assert (status, printed) == (STATUS.get(name, 0), "")
    assert without_times(target.read_text(encoding="utf-8")) == without_times(out)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_ending_of_the_file_decides(spanrs, models, tmp_path, name):
    for ending, to in ENDINGS.items():
        if to not in FORMATS:
            continue
        target = tmp_path / f"result{ending.upper()}"
        assert spanrs(*arguments(name, models), file_option(name), target)[0] == STATUS.get(name, 0)
        expected = spanrs(*arguments(name, models), "--to", to)[1]
        assert without_times(target.read_text(encoding="utf-8")) == without_times(expected)


def test_the_option_wins_over_the_ending(spanrs, tmp_path):
    target = tmp_path / "result.csv"
    spanrs(*COMMANDS["fair"], "--to", "json", "-o", target)
    assert target.read_text().startswith("{")
    spanrs(*COMMANDS["fair"], "--json", "-o", target)
    assert target.read_text().startswith("{")


@pytest.mark.parametrize("name", COMMANDS)
def test_two_formats_are_an_error(spanrs, models, name):
    status, out, err = spanrs(*arguments(name, models), "--json", "--to", "csv")
    assert (status, out) == (2, "")
    assert "--json and --to csv are different formats; use one of them" in err
    assert spanrs(*arguments(name, models), "--json", "--to", "json")[0] == STATUS.get(name, 0)


@pytest.mark.parametrize("name", COMMANDS)
def test_bad_places_are_refused_before_the_work(spanrs, models, tmp_path, name):
    (tmp_path / "folder").mkdir()
    wrong = {"no/result.json": "its directory does not exist", "result.json.gz": "not compressed"}
    if name != "fair":  # FairEval's eval_out may be a directory.
        wrong["folder"] = "is a directory"
    for place, message in wrong.items():
        if name == "fair" and place.startswith("no/"):
            continue
        status, out, err = spanrs(*arguments(name, models), file_option(name), tmp_path / place)
        assert (status, out) == (2, ""), place
        assert message in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder"]


def test_inputs_are_not_overwritten(spanrs, models, tmp_path):
    copies = {}
    for name in ("crf eval", "agreement", "dep info", "fair", "validate"):
        *args, path = arguments(name, models)
        copy = tmp_path / name.replace(" ", "_")
        copy.write_bytes(Path(path).read_bytes())
        copies[copy] = copy.read_bytes()
        status, _, err = spanrs(*args, copy, "-o", copy)
        assert (status, "is also an input" in err) == (2, True), name
    assert all(copy.read_bytes() == data for copy, data in copies.items())


def test_nothing_is_left_half_written(tmp_path, monkeypatch):
    target = tmp_path / "result.csv"
    target.write_text("before")

    def render(_to):
        raise ValueError("no result")

    with pytest.raises(ValueError, match="no result"):
        Output("csv", str(target)).write(render)

    def replace(_path, _target):
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="no space left"):
        Output("csv", str(target)).write(lambda _to: "after")
    assert [path.name for path in tmp_path.iterdir()] == ["result.csv"]
    assert target.read_text() == "before"


def test_commands_may_have_some_formats_only(spanrs, tmp_path):
    assert json.loads(spanrs("read", EXAMPLES / "gold.conll", "--to", "json")[1])["scheme"] == "BIO"
    for args in (["--to", "csv"], ["-o", tmp_path / "result.csv"]):
        status, _, err = spanrs("read", EXAMPLES / "gold.conll", *args)
        assert (status, "csv" in err) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_an_ending_that_says_no_format_is_an_error(spanrs, tmp_path):
    args = ("score", EXAMPLES / "gold.conll", EXAMPLES / "pred.conll", "-o", tmp_path / "out.xyz")
    status, out, err = spanrs(*args)
    assert (status, out) == (2, "")
    assert "the suffix .xyz is not a known format; use one of .txt, .md, .tex, .csv, .json, .html" in err
    assert spanrs(*args, "--to", "json")[0] == 0
    assert json.loads((tmp_path / "out.xyz").read_text())


def test_standard_output_has_a_name(spanrs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert spanrs(*COMMANDS["fair"], "-o", "-") == spanrs(*COMMANDS["fair"])
    assert list(tmp_path.iterdir()) == []


def test_labels_on_standard_output_leave_the_table_to_standard_error(spanrs):
    args = ("crowd", "aggregate", CROWD, "--aggregator", "MVtoken", "-o", "-", "--to", "csv")
    _, out, err = spanrs(*args)
    assert err.startswith("annotator,sentences,tokens,f1,low,high\n")
    assert "\t" in out.splitlines()[0]


def test_csv_of_several_tables_is_one_table(spanrs):
    rows = list(csv.DictReader(io.StringIO(spanrs(*COMMANDS["agreement"], "--to", "csv")[1])))
    assert {row["table"] for row in rows} == {"measure", "annotator", "type", "annotator 1", "document"}
    [alpha] = [row for row in rows if row["measure"] == "Krippendorff's alpha, tokens"]
    assert float(alpha["value"]) > 0


def test_cells_are_no_formulas_and_numbers_stay_numbers():
    table = Table(["type", "F1", "F1"])
    table.add_row("=1+1", "-0.50", "-")
    assert render_parts([table], "csv") == "type,F1,F1\n'=1+1,-0.50,-\n"


def test_lines_stand_in_every_format():
    table = Table(["type"], title="Types")
    table.add_row("a_b")
    parts = [table, "\n", "signature a|b", "note ```"]
    assert render_parts(parts, "text").endswith("\n\nsignature a|b\nnote ```")
    assert render_parts(parts, "markdown").endswith("````text\nsignature a|b\nnote ```\n````")
    assert render_parts(parts, "markdown").startswith("**Types**\n\n| type |")
    assert render_parts(parts, "latex").startswith("% Types\n\\begin{tabular}")
    assert render_parts(parts, "latex").endswith("% signature a|b\n% note ```")
    assert "<title>a &lt; b</title>" in render_parts(parts, "html", "a < b")
    assert "<code>a|b</code>" in render_parts(parts, "html")
    assert "<li>note ```</li>" in render_parts(parts, "html")
    assert json.loads(render_parts(parts, "json"))["lines"] == ["signature a|b", "note ```"]
    with pytest.raises(ValueError, match="unknown format 'xml'"):
        render_parts(parts, "xml")


def test_an_output_takes_another_place():
    assert resolve_output(None, "a.csv").at("b.json").to == "json"
    assert resolve_output("csv", None).at("b.json").to == "csv"
    assert resolve_output(None, None).at("b").to == "text"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("name", ["fair", "crf eval", "dep eval", "agreement", "crowd aggregate"])
def test_terminals_show_every_number(models, name, width):
    args = arguments(name, models)
    piped = subprocess.run([*MAIN, *args], capture_output=True, check=True, text=True, timeout=60).stdout
    shown = in_terminal([*MAIN, *args], width)
    tables = [
        line for line in shown.splitlines() if not line.startswith(("signature", "scheme", "matcher"))
    ]
    assert max(map(cell_len, tables)) <= width
    for word in re.findall(r"(?<!\S)[\d.]+(?!\S)", piped):
        assert word in shown.split()
    assert "…" not in shown


def in_terminal(command, width):
    """What a command prints to a terminal of a width, without colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    env = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=env | {"TERM": "xterm"}
    ):
        os.close(theirs)
        shown = b""
        # Linux raises an error on closing, other systems do not.
        try:
            while data := os.read(ours, 1 << 16):
                shown += data
        except OSError:
            pass
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", shown.decode()).replace("\r\n", "\n")
