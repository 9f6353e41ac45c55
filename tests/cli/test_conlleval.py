"""Comparison with recorded output of conlleval.pl and, if SPANRS_CONLLEVAL_PL names it, with the script itself."""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
import sys

import pytest

from answers.conlleval import column_text
from spanrs.cli.group import group
from spanrs.cli.run import run

SCRIPT = os.environ.get("SPANRS_CONLLEVAL_PL")


class _Bytes:
    def __init__(self, data: bytes = b"") -> None:
        self.buffer = io.BytesIO(data)
        self.written = ""

    def write(self, text: str) -> int:
        self.written += text
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


@pytest.fixture
def filtered(monkeypatch):
    def call(data: bytes, *args: str) -> tuple[int, bytes, bytes]:
        out, err = _Bytes(), _Bytes()
        monkeypatch.setattr(sys, "stdin", _Bytes(data))
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        status = run(group, ["conlleval", *args])
        return status, out.buffer.getvalue(), err.buffer.getvalue() + err.written.encode()

    return call


def test_output_is_that_recorded(evaluators, filtered):
    compared, different = 0, []
    for row in evaluators.rows("conlleval_pl"):
        got = filtered(column_text(evaluators.pairs[row["id"]]))
        compared += 1
        if got != (0, row["o"].encode(), b""):
            different.append((row["id"], got, row["o"]))
    assert compared > evaluators.at_least(small=300, large=1500)
    assert different == []


def test_latex_has_the_rows_of_the_report(filtered):
    data = b"a B-PER B-PER\nb O B-LOC\n"
    assert filtered(data, "-l")[1] == (
        b"        & Precision &  Recall  & F$_{\\beta=1} \\\\\\hline\n"
        b"LOC     &    0.00\\% &   0.00\\% &   0.00 \\\\\n"
        b"PER     &  100.00\\% & 100.00\\% & 100.00 \\\\\\hline\n"
        b"Overall &   50.00\\% & 100.00\\% &  66.67 \\\\\\hline\n"
    )


def test_the_empty_type_stands_twice_where_both_sides_have_it(filtered):
    assert filtered(b"a B-0 B-\n")[1].count(b" : precision: 100.00%") == 2


@pytest.mark.parametrize(
    ("data", "args", "status", "words"),
    [
        (b"a O O\nb\n", (), 1, b"unexpected number of features: 1 (3)"),
        (b"a\xff\n", (), 255, b"conlleval: unexpected number of features in line a\xff"),
        (b"", ("-x",), 255, b"conlleval: unknown argument -x"),
        (b"", ("-lr",), 255, b"conlleval: unknown argument -lr"),
        (b"", ("-d",), 255, b"conlleval: -d requires delimiter character"),
        (b"", ("-o",), 255, b"conlleval: -o requires delimiter character"),
        (b"", ("a", "b"), 255, b"conlleval: unexpected command line argument"),
        (
            b"a b c\n",
            ("-d", "*"),
            255,
            b"conlleval: the delimiter * is not a valid pattern; write \\ before it",
        ),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_script(filtered, data, args, status, words):
    assert filtered(data, *args) == (status, b"", words + b"\n")


def test_a_file_is_read_like_standard_input(filtered, tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"a\tI-X\tI-X")
    assert filtered(b"", "-d", r"\t", str(path))[1] == filtered(b"a I-X I-X\n")[1]
    status, out, err = filtered(b"", str(tmp_path / "none"))
    assert (status, out) == (2, b"")
    assert b"No such file" in err


def test_help_is_given_only_for_the_first_argument(filtered):
    assert filtered(b"", "--help")[0] == 0
    assert filtered(b"a--helpO--helpO", "-d", "--help")[0] == 0


TAGS = [b"O", b"B-A", b"I-A", b"B-B", b"I-B", b"E-A", b"S-A", b".", b"[-A", b"]", b"O-A", b"B-0", b"B-",
        b"-", b"", b"A", b"B-\xff", b"\xc3\xa9-A", b"I-A\r", b"X-A", b"0", b"B-a-b"]  # fmt: skip
DELIMITERS = [" ", "\t", "|", ".", "", "^", "$", r"\t", r"\s+", " +", "(,)", "/", "{", "]", "}", ",", "ab",
              "-", r"\|", "[ ,]", "B", "O", "\xe9", "\x00"[:0], "#", "a|b", "-X-"]  # fmt: skip


def case(rng):
    delimiter = rng.choice(DELIMITERS) if rng.random() < 0.5 else " "
    between = {r"\t": b"\t", r"\s+": b" \t", " +": b"  ", "(,)": b",", r"\|": b"|", "[ ,]": b","}
    glue = between.get(delimiter, os.fsencode(delimiter))
    width = rng.choice((2, 3, 3, 3, 4))
    lines = []
    for _ in range(rng.randint(0, 12)):
        kind = rng.random()
        if kind < 0.15:
            lines.append(rng.choice((b"", b"", glue, glue * 3, b"-X-", glue.join([b"-X-", b"O", b"O"]))))
            continue
        n = width if kind < 0.97 else rng.randint(0, 4)
        cells = [rng.choice((b"w", b"-X-", b"", b"-DOCSTART-", b"\x00")) if rng.random() < 0.2 else b"w"]
        tags = [rng.choice(TAGS[: rng.choice((3, 5, len(TAGS)))]) for _ in range(max(n - 1, 1))]
        if rng.random() < 0.6:
            tags[-1] = tags[-2:][0]
        lines.append(glue.join([*cells, *tags][:n] if n > 1 else cells))
    data = b"\n".join(lines) + rng.choice((b"", b"\n"))
    args = ["-d", delimiter] if delimiter != " " else []
    args += ["-l"] * (rng.random() < 0.2) + ["-r"] * (rng.random() < 0.2)
    args += ["-o", rng.choice(["O", "A", "", "B-A"])] * (rng.random() < 0.2)
    return data, args


@pytest.mark.slow
@pytest.mark.skipif(
    SCRIPT is None or shutil.which("perl") is None,
    reason="needs perl and the original conlleval.pl, which is not part of the project; SPANRS_CONLLEVAL_PL names it",
)
def test_output_is_that_of_the_script(filtered):
    rng = random.Random(2004)
    for _ in range(int(os.environ.get("SPANRS_CONLLEVAL_CASES", "400"))):
        data, args = case(rng)
        done = subprocess.run(["perl", SCRIPT, *args], input=data, capture_output=True, check=False)
        status, out, err = filtered(data, *args)
        assert (status, out) == (done.returncode, done.stdout), (data, args, done.stderr, err)
        if status:
            assert err.strip() in done.stderr, (data, args)
