"""``MATScore`` and ``spanrs score --matcher mat``."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mat_cases
import spanrs
from golden import mat_arguments
from spanrs import mat

GOOD = {
    "signal": "Bob saw Rome",
    "asets": [{"type": "PER", "annots": [[0, 3]]}, {"type": "LOC", "annots": [[8, 12]]}],
}
OTHER = {
    "signal": "Bob saw Rome",
    "asets": [{"type": "PER", "annots": [[0, 7]]}, {"type": "ORG", "annots": [[8, 12]]}],
}


def score(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return run("score", "--matcher", "mat", *args, main="main")


def run(
    *args: str | Path, cwd: Path | None = None, main: str = "mat_main"
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"from spanrs.cli import {main}; {main}()", *map(str, args)]
    env = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", cwd=cwd, env=env, check=False
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for side, item in (("ref", GOOD), ("hyp", OTHER)):
        (tmp_path / side).mkdir()
        for name in ("a.json", "b.json"):
            (tmp_path / side / name).write_text(json.dumps(item), encoding="utf-8")
    (tmp_path / "out").mkdir()
    return tmp_path


def sides(folder: Path) -> list[str | Path]:
    return ["--dir", folder / "hyp", "--ref_dir", folder / "ref"]


def labels(text: str) -> set[str]:
    """The labels of the table of tags that is printed."""
    table = text.partition("By tag:\n\n")[2].partition("\n\n")[0]
    return {line.split()[0] for line in table.splitlines()[2:]}


def test_the_manuals_examples(files):
    done = run("--file", files / "hyp/a.json", "--ref_file", files / "ref/a.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("By tag:\n\n")
    assert "By token" not in done.stdout
    done = run(
        *sides(files), "--csv_output_dir", files / "out", "--details", "--by_token", "--oo_separator"
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "Skipping token scoring because no tokens were found in the input documents.\n"
    assert sorted(p.name for p in (files / "out").iterdir()) == ["bytag.csv", "details.csv"]
    with (files / "out" / "bytag.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[-1][3] == "=SUM(D2:D4)"
    assert ";" in rows[-1][7]


def test_usage_errors_are_those_of_matscore(files):
    file, ref = files / "hyp/a.json", files / "ref/a.json"
    for args, message in (
        ([], "One of --file or --dir must be specified."),
        (["--file", file, "--dir", files], "Only one of --file or --dir can be specified."),
        (["--file", file], "--file requires --ref_file."),
        (["--dir", files / "hyp"], "--dir requires --ref_dir."),
        (["--file", file, "--ref_file", ref, "--task", "No Such"], "Unknown task 'No Such'."),
        (
            ["--file", file, "--ref_file", ref, "--xml_translate_all"],
            "unenabled option --xml_translate_all",
        ),
        (
            ["--file", file, "--ref_file", ref, "--csv_output_dir", files / "no"],
            "the directory does not exist",
        ),
        (
            [
                "--file",
                file,
                "--ref_file",
                ref,
                "--equivalence_class",
                "A",
                "PER",
                "--equivalence_class",
                "B",
                "PER",
            ],
            "two equivalence classes",
        ),
    ):
        done = run(*args)
        assert done.returncode == 1, args
        assert done.stderr.startswith(message) or message in done.stderr
        assert "Usage: " in done.stderr
        assert done.stdout == ""
    done = run("positional")
    assert done.returncode == 1
    assert done.stderr.startswith("There are no arguments without an option: positional.")
    assert "Usage: MATScore [OPTIONS]" in done.stderr
    for args in (["--no_such_option"], ["--file_type", "word"]):
        done = run(*args)
        assert done.returncode == 2
        assert done.stderr.startswith("spanrs: error: ")


def test_options_of_the_other_kind_are_ignored_and_said(files):
    done = run(
        "--file",
        files / "hyp/a.json",
        "--ref_file",
        files / "ref/a.json",
        "--ref_dir",
        files,
        "--file_re",
        "x",
    )
    assert done.returncode == 0
    assert done.stderr == "Ignoring --ref_dir with --file.\nIgnoring --file_re with --file.\n"
    done = run(*sides(files), "--ref_file", "x")
    assert done.stderr == "Ignoring --ref_file with --dir.\n"


def test_what_is_skipped_is_said_and_shown_by_the_status(files):
    (files / "hyp" / "a.json").write_text("not JSON", encoding="utf-8")
    (files / "ref" / "b.json").unlink()
    done = run(*sides(files))
    assert (done.returncode, done.stdout) == (2, "")
    first, second, last = done.stderr.splitlines()
    assert first.startswith(f"Couldn't load target {files / 'hyp' / 'a.json'}:1:2 (this is not MAT-JSON")
    assert second == f"Couldn't open reference {files / 'ref' / 'b.json'} (no such file); skipping pair."
    assert last == "spanrs: error: nothing was scored: all pairs were skipped (see above)"
    done = run(*sides(files), "--lenient")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].split()[:2] == ["<all>", "0"]


def test_references_without_a_hypothesis_are_named(files):
    (files / "ref" / "c.json").write_text("{}", encoding="utf-8")
    done = run(*sides(files))
    assert done.returncode == 0
    assert done.stderr == "Reference files without a hypothesis are not scored: c.json.\n"
    assert spanrs.score(
        files / "ref", files / "hyp", matcher=mat.Mat(), on_error="skip", format="mat-json"
    ).notes == [
        "Skipping token scoring because no tokens were found in the input documents.",
        "Reference files without a hypothesis are not scored: c.json.",
    ]


def test_files_of_directories_are_those_of_matscore(files):
    """Hidden files are included, subdirectories are not, and files are paired by their whole name."""
    for side in ("ref", "hyp"):
        text = (files / side / "a.json").read_bytes()
        (files / side / ".hidden.json").write_bytes(text)
        (files / side / "below").mkdir()
        (files / side / "below" / "c.json").write_bytes(text)
    done = run(*sides(files), "--details", "--csv_output_dir", files / "out")
    assert done.returncode == 0
    with (files / "out" / "details.csv").open(encoding="utf-8", newline="") as file:
        names = {row["file"] for row in csv.DictReader(file)}
    assert names == {".hidden.json", "a.json", "b.json"}
    for name in (".hidden.json", "b.json"):
        (files / "hyp" / name).unlink()
    (files / "hyp" / "a.json").rename(files / "hyp" / "a.pred.json")
    done = run(*sides(files))
    missing = files / "ref" / "a.pred.json"
    lines = done.stderr.splitlines()
    assert lines[0].startswith("Reference files without a hypothesis are not scored: .hidden.json, a.json")
    assert lines[1:] == [
        f"Couldn't open reference {missing} (no such file); skipping pair.",
        "spanrs: error: nothing was scored: all pairs were skipped (see above)",
    ]


def test_nothing_to_score_is_said_and_shown_by_the_status(files):
    done = run(*sides(files), "--file_re", "none")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "spanrs: error: nothing was scored: there are no pairs of documents\n"
    done = run(*sides(files), "--file_re", "none", "--lenient")
    assert done.returncode == 0
    assert done.stderr.startswith(
        "No documents were scored: there are no pairs; measures without data are 1."
    )


def test_no_output_is_written_over_an_input_or_where_it_cannot_be(files):
    file, ref = files / "hyp/a.json", files / "ref/a.json"
    before = file.read_bytes()
    (files / "hyp" / "bytag.csv").write_bytes(before)
    (files / "ref" / "bytag.csv").write_bytes(before)
    done = run(*sides(files), "--csv_output_dir", files / "hyp")
    assert done.returncode == 1
    assert "bytag.csv is also an input; choose another output file." in done.stderr
    out = ("--csv-directory", files / "out")
    for args, message in (
        ([ref, file, "-o", file, *out], f"{file} is also an input"),
        ([files / "ref", files / "hyp", "--csv-directory", files / "hyp"], "bytag.csv is also an input"),
        ([ref, file, "--xlsx", files / "no/x.xlsx", *out], "its directory does not exist"),
    ):
        done = score(*args)
        assert done.returncode == 2
        assert message in done.stderr
    assert file.read_bytes() == before
    assert list((files / "out").iterdir()) == []


def test_options_that_do_nothing_are_said(files):
    done = run(*sides(files), "--task_path", files, "--oo_separator")
    assert done.returncode == 0
    assert (
        done.stderr
        == "Ignoring --task_path without --task.\nIgnoring --oo_separator without --csv_output_dir.\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="file names are Unicode on Windows")
def test_names_of_files_may_be_no_text(files):
    for side in ("ref", "hyp"):
        os.rename(files / side / "a.json", os.fsencode(files / side) + b"/\xff.json")
    done = run(*sides(files), "--details", "--csv_output_dir", files / "out")
    assert done.returncode == 0, done.stderr
    done = score(files / "ref", files / "hyp", "--details", "--by-document", "--json")
    assert done.returncode == 0, done.stderr
    assert {row["file"] for row in json.loads(done.stdout)["details"]} == {"\\xff.json", "b.json"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_control_c_stops_the_work_within_a_document(files):
    """Crossing annotations, whose pairing takes a while."""
    many = [[n, 4000 - n] for n in range(400)]
    tangled = {
        "signal": "a" * 1_300_000,
        "asets": [
            {
                "type": "A",
                "annots": [
                    [at + 4010 * part, end + 4010 * part] for part in range(300) for at, end in many
                ],
            }
        ],
    }
    for side, moved in (("ref", 0), ("hyp", 1)):
        created = json.loads(json.dumps(tangled))
        created["asets"][0]["annots"] = [[a + moved, b + moved] for a, b in created["asets"][0]["annots"]]
        (files / side / "a.json").write_text(json.dumps(created), encoding="utf-8")
    code = (
        "import _thread, sys, threading\nfrom spanrs.cli import mat_main as main\n"
        "threading.Timer(1.5, _thread.interrupt_main).start()\nmain()\n"
    )
    args = ["--file", str(files / "hyp/a.json"), "--ref_file", str(files / "ref/a.json")]
    args += ["--csv_output_dir", str(files / "out")]
    command = [sys.executable, "-c", code, *args]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 130, done.stderr
    assert list((files / "out").iterdir()) == []


def test_ignored_labels_are_taken_out_of_classes(files):
    done = run(*sides(files), "--equivalence_class", "X", "PER, LOC", "--ignore", "LOC")
    assert done.stderr == "Ignoring label 'LOC' in equivalence classes\n"
    assert labels(done.stdout) == {"X", "ORG", "<all>"}
    mapped = ("--map", "PER=X", "--map", "LOC=X", "--exclude", "LOC")
    assert score(files / "ref", files / "hyp", *mapped).stdout == done.stdout
    kept = run(*sides(files), "--content_annotations", "PER,ORG", "--ignore", "ORG")
    done = score(files / "ref", files / "hyp", "--types", "PER,ORG", "--map", "ORG=")
    assert (done.stdout, labels(done.stdout)) == (kept.stdout, {"PER", "<all>"})


def test_names_of_references_are_made_of_those_of_hypotheses(files):
    for name in ("a", "b"):
        (files / "ref" / f"{name}.json").rename(files / "ref" / f"{name}.txt.json")
    done = run(
        *sides(files),
        "--ref_fsuff_off",
        ".json",
        "--ref_fsuff_on",
        ".txt.json",
        "--file_re",
        "[ac].json",
    )
    assert done.returncode == 0
    assert done.stdout.splitlines()[4].split()[:2] == ["LOC", "1"]
    pairing = ("--suffix-off", ".json", "--suffix-on", ".txt.json", "--file-re", "[ac].json")
    assert score(files / "ref", files / "hyp", *pairing).stdout == done.stdout


def test_all_outputs_say_what_the_library_says(files):
    out = files / "out"
    asked = "--by-pseudo-token --by-character --details --clash-kinds --by-document --confusability"
    drawn = "--confidence --seed 3 --samples 50 --threads 2"
    args = [files / "ref", files / "hyp", *asked.split(), *drawn.split()]
    done = score(*args, "--json", "--xlsx", out / "x.xlsx", "--csv-directory", out)
    assert done.returncode == 0, done.stderr
    page = score(*args, "-o", out / "x.html")
    assert (page.returncode, page.stdout) == (0, "")
    matcher = mat.Mat(tables=["pseudo_token", "character"])
    result = spanrs.score(
        files / "ref", files / "hyp", matcher=matcher, on_error="skip", format="mat-json", details=True
    )
    tables = mat.tables(result, by_document=True, confidence=50, seed=3)
    assert json.loads(done.stdout) == json.loads(json.dumps(tables.to_dict(), allow_nan=False))
    written = sorted(p.name for p in (files / "out").iterdir())
    assert written == [
        "bychar.csv",
        "bypseudotoken.csv",
        "bytag.csv",
        "confusability.csv",
        "details.csv",
        "x.html",
        "x.xlsx",
    ]
    assert "overmark: gold PER 0–3, pred PER 0–7" in (files / "out/x.html").read_text("utf-8")


def test_details_that_are_streamed_are_the_same(files):
    assert run(*sides(files), "--details", "--csv_output_dir", files / "out").returncode == 0
    streamed = (files / "out" / "details.csv").read_bytes()
    mat.tables(
        spanrs.score(
            files / "ref",
            files / "hyp",
            matcher=mat.Mat(),
            on_error="skip",
            format="mat-json",
            details=True,
        )
    ).to_csv(files / "out")
    assert (files / "out" / "details.csv").read_bytes() == streamed


def test_every_recorded_case_runs_with_its_own_arguments(matscore, tmp_path):
    folder = matscore.folder
    for name in mat_cases.names(folder):
        out = tmp_path / name
        out.mkdir()
        args = [a for a in mat_cases.expected(folder, name)["args"] if a != "--tag_output_mismatch_details"]
        if "--similarity_profile" in args:
            continue
        args += ["--lenient", "--task_path", folder / "tasks", "--by_character"]
        done = run(*args, "--csv_output_dir", out, "--no_csv_formulas", cwd=folder / "cases" / name)
        lenient = mat.tables(mat_arguments.read(folder, name).score())
        assert done.returncode == 0, (name, done.stderr)
        tag, character = (
            list(csv.DictReader((out / f"by{of}.csv").read_text(encoding="utf-8").splitlines()))
            for of in ("tag", "char")
        )
        assert int(tag[-1]["match"]) == lenient.tag["<all>"]["match"], name
        assert [row["tag"] for row in character] == [row["tag"] for row in lenient.character.dicts()]


def test_interrupting_leaves_no_file(files):
    code = (
        "import sys\nfrom spanrs.cli import mat_main\n"
        "def stop(*a, **k):\n    raise KeyboardInterrupt\n"
        "import spanrs.mat.scoring as s\n"
        "s._left_out = stop\n"
        "mat_main()\n"
    )
    args = ["--details", "--csv_output_dir", str(files / "out"), *map(str, sides(files))]
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 130
    assert list((files / "out").iterdir()) == []
