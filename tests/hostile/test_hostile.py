"""Malformed files: one clear line with the location, exit status 2, nothing on standard output."""

from __future__ import annotations

import io
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import spanrs

HERE = Path(__file__).parent
#: Cases with arguments and the expected `error` (one line, empty on success), or `status` and the complete `stderr`.
CASES = tomllib.loads((HERE / "expected.toml").read_text(encoding="utf-8"))["case"]


def run(*args: str, cwd: Path = HERE, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from spanrs.cli import main; main()", *args]
    return subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, check=False, timeout=60)


def check(done: subprocess.CompletedProcess[bytes], error: str) -> None:
    assert done.stderr.decode() == f"spanrs: error: {error}\n"
    assert done.stdout == b""
    assert done.returncode == 2


def test_there_are_many():
    named = {arg for case in CASES for arg in case["args"] if (HERE / arg).is_file()}
    rest = {"expected.toml", "formats.py", "make.py", "test_hostile.py", "gold.zst.hex"}
    assert len(named) >= 120
    assert {path.name for path in HERE.iterdir() if path.is_file()} - named - rest == set()


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case["args"]))
def test_what_is_wrong_is_said_in_one_line(case, capsys, monkeypatch):
    from spanrs.cli import group, matscore
    from spanrs.cli.run import run

    monkeypatch.chdir(HERE)
    name, *args = case["args"]
    status = run(matscore.command, args) if name == "MATScore" else run(group.group, case["args"])
    out, err = capsys.readouterr()
    if "stderr" in case:
        assert (status, err) == (case["status"], case["stderr"])
        assert bool(out) == (status < 2)
    elif case["error"]:
        assert (status, out, err) == (2, "", f"spanrs: error: {case['error']}\n")
    else:
        assert (status, err) == (0, "")
        assert "micro" in out


def test_a_real_process_says_the_same():
    case = next(case for case in CASES if case["args"][-1] == "latin1")
    check(run(*case["args"]), case["error"])


def test_standard_input_is_named():
    done = run("score", "gold", "-", stdin=b"EU B-ORG\nx\n")
    check(done, "<stdin>:2: 1 column where the first token line has 2; separator: white space")


def test_a_line_of_100_megabytes_is_refused(tmp_path):
    path = tmp_path / "long.conll"
    with path.open("wb") as out:
        out.write(b"a O\n")
        for _ in range(100):
            out.write(b"x" * 1_000_000)
    limit = 16 << 20
    done = run("validate", "long.conll", cwd=tmp_path)
    check(
        done,
        f"long.conll:2: the line is longer than {limit} bytes; is this a text file with one token a line?",
    )
    with pytest.raises(spanrs.errors.LimitError) as caught:
        spanrs.score(path, path)
    assert (caught.value.code, caught.value.line) == ("line_too_long", 2)


def test_tokens_read_as_tags_stop_at_a_million(tmp_path):
    path = tmp_path / "wrong_column.conll"
    path.write_text("".join(f"w{i} O\n" for i in range((1 << 20) + 2)))
    done = run("validate", "wrong_column.conll", "--column", "0", "--token-column", "1", cwd=tmp_path)
    check(
        done,
        "wrong_column.conll:1048577: more than 1048576 different tags; is the right column read?",
    )


def test_a_closed_pipe_ends_the_command_quietly(tmp_path):
    path = tmp_path / "big.conll"
    path.write_text("a B-X\nb O\n\n" * 200_000)
    command = f"{sys.executable} -c 'from spanrs.cli import main; main()' spans big.conll"
    done = subprocess.run(
        ["bash", "-c", f"({command}; echo $? >status) | head -n 1"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (tmp_path / "status").read_text() == "141\n"
    assert done.stdout.count(b"\n") == 1
    assert done.stderr == b""


def test_nothing_half_done_is_left(tmp_path):
    target = tmp_path / "out.conll"
    target.write_text("old")
    done = run("convert", "--scheme", "bio", "--to-scheme", "iobes", "malformed", "-o", str(target))
    assert done.returncode == 2
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_all_violations_are_listed_when_conversion_is_refused(tmp_path):
    (tmp_path / "m").write_text("a I-X\n\nb O\nc I-Y\n")
    done = run("convert", "--scheme", "bio", "--to-scheme", "iobes", "m", cwd=tmp_path)
    assert done.stderr.decode().splitlines() == [
        "m:4: Illegal Start: I-Y after O",
        "spanrs: error: m:1: Illegal Start: I-X at the start of the sentence "
        "(2 violations in all); the tags are not well-formed BIO: fix them or choose another reading",
    ]


def test_errors_in_python_carry_their_place():
    with pytest.raises(spanrs.errors.FormatError) as caught:
        spanrs.score(HERE / "gold", HERE / "nul_tag")
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.code, error.line, error.column) == ("nul_byte", 6, 13)
    assert str(error.path).endswith("nul_tag")
    with pytest.raises(FileNotFoundError) as missing:
        spanrs.score(HERE / "gold", HERE / "missing")
    assert str(missing.value.filename).endswith("missing")
    with pytest.raises(spanrs.errors.AlignmentError) as apart:
        spanrs.score(HERE / "gold", HERE / "token_added")
    assert (apart.value.line, apart.value.other_line) == (3, 3)


def test_errors_of_file_objects_come_through():
    class Broken:
        name = "broken"

        def read(self, size):
            raise RuntimeError("the disk is on fire")

    with pytest.raises(RuntimeError, match="on fire"):
        spanrs.score(Broken(), io.BytesIO(b"a O\n"), scheme="BIO")
    with pytest.raises(TypeError, match="binary mode"):
        spanrs.score(io.StringIO("a O\n"), io.BytesIO(b"a O\n"), scheme="BIO")
