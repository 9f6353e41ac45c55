"""However a command ends, there is no partial output and no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import spanrs

posix = pytest.mark.skipif(
    os.name == "nt", reason="Windows lacks these signals and needs privileges for symbolic links"
)


def start(*args, cwd, code="from spanrs.cli import main; main()"):
    command = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals_leave_no_temporary_file(name, tmp_path):
    number = getattr(signal, name)
    source = tmp_path / "big.conll"
    source.write_text("a B-X\nb I-X\n\n" * 1_500_000, encoding="utf-8")
    folder = tmp_path / "out"
    folder.mkdir()
    # Under nohup SIGHUP is ignored, and commands do not change that.
    before = signal.signal(number, signal.SIG_DFL)
    try:
        process = start(
            "convert", "--scheme", "BIO", "--to-scheme", "IOBES", source, "-o", folder / "out", cwd=tmp_path
        )
    finally:
        signal.signal(number, before)
    limit = time.monotonic() + 60
    while not list(folder.iterdir()) and time.monotonic() < limit:
        time.sleep(0.005)
    assert list(folder.iterdir()), "it never began"
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert list(folder.iterdir()) == []
    assert "Traceback" not in errors
    assert process.returncode == (130 if name == "SIGINT" else -number)


@posix
def test_what_is_ignored_stays_ignored(tmp_path):
    code = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from spanrs.cli import main\n"
        "import spanrs.cli.spans as spans\n"
        "write = spans.console.standard_output\n"
        "def killed():\n    os.kill(os.getpid(), signal.SIGHUP)\n    return write()\n"
        "spans.console.standard_output = killed\n"
        "main()\n"
    )
    (tmp_path / "f").write_text("a B-X\n", encoding="utf-8")
    process = start("spans", "f", cwd=tmp_path, code=code)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert '"X"' in out


@pytest.mark.parametrize("module", ["click", "spanrs.errors", "spanrs.eval.scorer", "spanrs.cli.score"])
def test_an_interrupt_during_imports_is_one_line(module, tmp_path):
    code = (
        "import sys\n"
        "class Interrupts:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupts())\n"
        "from spanrs.cli import main\n"
        "main()\n"
    )
    process = start("score", "gold", "pred", cwd=tmp_path, code=code)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, errors) == (130, "", "spanrs: error: interrupted\n")


@posix
def test_a_loop_of_links_is_one_line(tmp_path):
    (tmp_path / "f").write_text("a B-X\n", encoding="utf-8")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    process = start("convert", "--scheme", "BIO", "--to-scheme", "IOBES", "f", "-o", "one", cwd=tmp_path)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (2, "spanrs: error: one: Too many levels of symbolic links\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f", "one", "two"]


def test_lengths_may_change_while_they_are_used():
    ids = np.zeros(2_000_000, "i8")
    lengths = np.full(100_000, 20)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            lengths[:] = 1 << 40
            lengths[:] = 20

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(30):
            try:
                result = spanrs.score(ids, ids, vocabulary=["O", "B-A"], scheme="BIO", lengths=lengths)
            except spanrs.errors.AlignmentError:
                continue
            assert result.tokens == len(ids)
    finally:
        stop.set()
        thread.join()


def test_ids_are_named_as_they_are():
    for number, kind in ((1 << 63, "u8"), ((1 << 64) - 1, "u8"), (-(1 << 63), "i8"), ((1 << 63) - 1, "i8")):
        ids = np.array([0, number], kind)
        with pytest.raises(spanrs.errors.SchemeError, match=f"gold has id {number} at sentence 0, token 1"):
            spanrs.score(ids, ids, vocabulary=["O", "B-A"], scheme="BIO")
        with pytest.raises(spanrs.errors.SchemeError, match=f"has id {number}"):
            spanrs.score(ids, ids, vocabulary=["O", "B-A"], scheme="BIO", mask=[True, True])
        with pytest.raises(spanrs.errors.SchemeError, match=f"has id {number} "):
            spanrs.score(ids, ids, matcher="partial", vocabulary=["O", "B-A"], scheme="BIO")
        # Masked tokens may be anything.
        result = spanrs.score(ids, np.zeros(2, "i8"), vocabulary=["O", "B-A"], mask=[True, False])
        assert result.tokens == 1


def test_a_vocabulary_has_whole_numbers():
    for vocabulary in ({0.2: "O", 1.7: "B-A"}, {"O": 0.5, "B-A": 1}, {None: "O"}):
        with pytest.raises(TypeError, match="must be integers"):
            spanrs.score([[0]], [[0]], vocabulary=vocabulary)
    # JSON converts numeric keys to strings.
    for vocabulary in ({"0": "O", "1": "B-A"}, {np.int64(0): "O", np.int8(1): "B-A"}, {"O": 0, "B-A": 1}):
        assert spanrs.score([[0, 1]], [[0, 1]], vocabulary=vocabulary).micro.f1 == 1.0


@pytest.mark.parametrize("weights", [[1e308] * 3, [10**400, 1, 1], [float("nan"), 1, 1], [-1, 1, 1]])
def test_weights_whose_sums_are_no_numbers_are_refused(weights):
    gold = [["B-A"], ["B-A"], ["O"]]
    with pytest.raises(ValueError, match="a weight must be a number from 0 to 1e\\+15"):
        spanrs.score(gold, gold, document_weights=weights)


def test_a_long_table_is_quick_and_no_spreadsheet_runs_it():
    gold = [[f"B-{at}-type" for at in range(20_000)]]
    result = spanrs.score(gold, gold, scheme="BIO")
    began = time.process_time()
    text = str(result)
    # 12 s with rich; the limit leaves a large margin for slow machines.
    assert time.process_time() - began < 6
    assert text.count("\n") > 20_000
    from spanrs.report.numbers import safe_cell

    for cell in ("=1", "\n=1", " \t\n+1", "\r-1", "@x", "\n", "\tx"):
        assert safe_cell(cell).startswith("'")
    assert safe_cell("a\n=1") == "a\n=1"
