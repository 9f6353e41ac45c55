"""If ``-o`` is an open descriptor, a pipe or a device, it is written to and never replaced."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from spanrs.io import atomic_output
from spanrs.io.output import named_descriptor

pytestmark = pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs /dev/fd")
MAIN = f"{sys.executable} -m spanrs"
TAGS = "1\tRio\tB-LOC\n2\tis\tO\n\n" * 2
TREE = "1\tRio\t_\tX\tX\t_\t0\troot\t_\t_\n\n"
DOCUMENT = (
    '{"signal": "Rio", "asets": [{"type": "lex", "attrs": [], "annots": [[0, 3]]}, '
    '{"type": "LOC", "attrs": [], "annots": [[0, 3]]}]}'
)

#: Commands, each with the option that names its output.
COMMANDS = {
    "score": "score gold gold -o",
    "score --to html": "score gold gold --to html -o",
    "score --save": "score gold gold --to json --save",
    "compare": "compare gold gold pred --samples 10 -o",
    "validate": "validate gold -o",
    "convert": "convert gold --scheme BIO --to-scheme IOBES -o",
    "spans": "spans gold -o",
    "fair": "fair gold gold --column -1 -o",
    "score mat": "score --matcher mat one.json one.json -o",
    "score mat --to html": "score --matcher mat one.json one.json --to html -o",
    "dep draw": "dep draw tree.conllu -o",
    "dep eval": "dep eval tree.conllu tree.conllu -o",
    "crowd simulate": "crowd simulate gold --flip 0.1,0.2 -o",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("descriptors")
    for name, text in {"gold": TAGS, "pred": TAGS, "tree.conllu": TREE, "one.json": DOCUMENT}.items():
        (folder / name).write_text(text)
    return folder


def shell(line, cwd):
    return subprocess.run(["bash", "-c", line], cwd=cwd, capture_output=True, check=False, timeout=60)


@pytest.mark.parametrize("name", COMMANDS)
def test_command_writes_to_a_descriptor_that_is_a_pipe(name, folder):
    command = f"{MAIN} {COMMANDS[name]}"
    plain = shell(f"{command} plain >/dev/null", folder)
    assert plain.returncode == 0, plain.stderr
    piped = shell(f"{command} /dev/fd/3 3>&1 >/dev/null", folder)
    assert piped.returncode == 0, piped.stderr
    assert piped.stdout == (folder / "plain").read_bytes() != b""


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_file_behind_standard_output_is_written_on(name, folder):
    if name.startswith("/proc") and not Path(name).exists():
        pytest.skip("needs /proc, which only Linux has")
    link = folder / "link"
    link.unlink(missing_ok=True)
    link.symlink_to("/dev/stdout")
    (folder / "log").write_text("before\n")
    inode = (folder / "log").stat().st_ino
    command = f"{MAIN} convert gold --scheme BIO --to-scheme IOBES -o {name}"
    done = shell(f"{{ echo first; {command}; echo last; }} >> log", folder)
    assert done.returncode == 0, done.stderr
    expected = "before\nfirst\n" + TAGS.replace("B-", "S-") + "last\n"
    assert ((folder / "log").read_text(), (folder / "log").stat().st_ino) == (expected, inode)
    assert link.is_symlink()


def test_model_on_standard_output_is_not_mixed_with_the_summary(folder):
    command = f"{MAIN} crf train gold --max-iter 2 -o"
    models = [
        shell(f"{command} {name} | {MAIN} crf info - --json", folder) for name in ("-", "/dev/stdout")
    ]
    assert [model.returncode for model in models] == [0, 0], models[1].stderr
    assert b"features" in models[1].stdout


def test_closed_descriptor_is_an_error_that_names_it(folder):
    done = shell(f"{MAIN} convert gold --scheme BIO --to-scheme IOBES -o /dev/fd/9", folder)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"spanrs: error: /dev/fd/9: Bad file descriptor\n"


def test_nothing_is_written_to_a_pipe_if_a_job_fails():
    read, write = os.pipe()
    with contextlib.suppress(ZeroDivisionError), atomic_output(f"/dev/fd/{write}") as out:
        out.write(b"half")
        raise ZeroDivisionError
    os.close(write)
    with open(read, "rb") as pipe:
        assert pipe.read() == b""


def test_named_pipe_and_device_stay_what_they_are(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with atomic_output(pipe) as out:
        out.write(b"whole")
    reader.join(10)
    assert read == [b"whole"]
    assert pipe.is_fifo()
    with atomic_output(os.devnull) as out:
        out.write(b"gone")
    assert Path(os.devnull).is_char_device()


def test_names_of_descriptors():
    assert [named_descriptor(f"/dev/{name}") for name in ("stdout", "stderr", "fd/7", "fd")] == [
        1,
        2,
        7,
        None,
    ]
    assert [named_descriptor(path) for path in ("stdout", "/dev/null", "/dev/fd/x", "", "/")] == [None] * 5
