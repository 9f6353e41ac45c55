"""Every command escapes text from its input before printing it to a terminal."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
import warnings

import pytest

import spanrs
from spanrs.crf.explanation import Explanation, Reason
from spanrs.dep import Parse, draw, to_svg
from spanrs.errors import INVISIBLE, AlignmentError, FormatError, Violation, escaped, warn
from spanrs.report.table import Table, as_text

MAIN = [sys.executable, "-m", "spanrs"]
#: A title, a colour, a control sequence in one character, a backspace, and text from right to left.
HOSTILE = "\x1b]0;title\x07\x1b[31m\x9b31m\x08\u202eabc\u2066\u200b"
TYPE = f"T{HOSTILE}"

WORDS = ["Rio", HOSTILE, "is", "big"]
GOLD = "".join(f"{word} {tag}\n" for word, tag in zip(WORDS, [f"B-{TYPE}", "O", "I-LOC", "O"], strict=True))
PRED = "".join(f"{word} {tag}\n" for word, tag in zip(WORDS, ["B-LOC", "O", "O", f"X-{TYPE}"], strict=True))
OTHER = GOLD.replace("Rio", f"Rio{HOSTILE}")
BOTH = "".join(f"{line} O\n" for line in GOLD.splitlines())
CONLLU = "".join(
    f"{at}\t{word}\t_\tX{HOSTILE}\tY{HOSTILE}\t_\t{head}\t{label}{HOSTILE}\t_\t_\n"
    for at, (word, head, label) in enumerate(
        zip(WORDS, [2, 0, 2, 3], ["nsubj", "root", "cop", "x"], strict=True), 1
    )
)
DOCUMENT = {
    "signal": "Rio is big",
    "asets": [
        {"type": TYPE, "attrs": [], "annots": [[0, 3]]},
        {"type": "lex", "attrs": [], "annots": [[0, 3], [4, 6], [7, 10]]},
    ],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"folder{HOSTILE}".replace("/", ""))
    texts = {"gold": GOLD, "pred": PRED, "other": OTHER, "both": BOTH, "tree.conllu": CONLLU + "\n"}
    texts["crowd"] = "".join(f"{line} B-{TYPE}\n" for line in GOLD.splitlines())
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in ("one.json", "two.json"):
        (folder / name).write_text(json.dumps(DOCUMENT), encoding="utf-8")
        DOCUMENT["asets"][0]["annots"] = [[4, 10]]
    return folder


def on_terminal(*arguments, cwd=None):
    """Return what a command writes to a terminal."""
    master, slave = pty.openpty()
    environment = os.environ | {"TERM": "dumb", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    process = subprocess.Popen(
        [*MAIN, *map(str, arguments)], stdin=slave, stdout=slave, stderr=slave, env=environment, cwd=cwd
    )
    os.close(slave)
    shown = b""
    try:
        while piece := os.read(master, 65536):
            shown += piece
    except OSError:
        pass  # The terminal is closed.
    os.close(master)
    process.wait(60)
    return shown.decode().replace("\r\n", "\n")


COMMANDS = [
    ("score", "gold", "pred"),
    ("score", "gold", "pred", "--errors", "--by-document", "--matcher", "partial"),
    ("score", "gold", "pred", "--json"),
    ("score", "gold", "pred", "--to", "csv"),
    ("score", "gold", "pred", "--to", "markdown"),
    ("score", "gold", "pred", "--to", "latex"),
    ("score", "gold", "pred", "--to", "jsonl", "--errors=5"),
    ("score", "gold", "pred", "--all-readings"),
    ("score", "gold", "pred", "--reading", "refuse"),
    ("score", "gold", "pred", "--types", HOSTILE),
    ("score", "gold", "other"),
    ("score", "gold", "other", "--align", "report"),
    ("score", "gold", HOSTILE),
    ("compare", "gold", "pred", "other", "--align", "report"),
    ("validate", "pred", "--scheme", "BIO"),
    ("validate", "pred", "--scheme", "BIO", "--json"),
    ("validate", "pred", "--scheme", "BIO", "--to", "csv"),
    ("convert", "pred", "--scheme", "BIO", "--to-scheme", "IOBES"),
    ("conlleval", "both"),
    ("conlleval", "gold", "-d", "x"),
    ("fair", "gold", "pred"),
    ("score", "--matcher", "mat", "two.json", "one.json", "--details", "--confusability"),
    ("score", "--matcher", "mat", "gold", "one.json"),
    ("score", "--matcher", "mat", "two.json", HOSTILE),
    ("dep", "draw", "tree.conllu"),
    ("dep", "draw", "tree.conllu", "--to", "svg"),
    ("dep", "eval", "tree.conllu", "tree.conllu"),
    ("dep", "draw", "gold"),
    ("agreement", "crowd"),
    ("crowd", "aggregate", "crowd"),
    (HOSTILE,),
    ("score", "gold", f"--{HOSTILE}"),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: escaped(" ".join(arguments))[:60])
def test_terminal_gets_no_character_that_it_obeys(files, arguments):
    shown = on_terminal(*arguments, cwd=files)
    assert "Traceback" not in shown
    assert shown
    assert INVISIBLE.findall(shown.replace("\n", "")) == []


def test_drawing_and_errors_are_escaped_in_pipes_too(files):
    for arguments in (("dep", "draw", "tree.conllu"), ("score", "gold", "other")):
        done = subprocess.run(
            [*MAIN, *arguments], cwd=files, capture_output=True, check=False, encoding="utf-8"
        )
        assert INVISIBLE.findall((done.stdout + done.stderr).replace("\n", "")) == []
        assert "\\u001b]0;title\\u0007" in done.stdout + done.stderr


def test_formats_for_programs_are_as_they_were_in_pipes(files):
    arguments = ["score", "gold", "pred", "--to", "csv"]
    done = subprocess.run([*MAIN, *arguments], cwd=files, capture_output=True, check=True)
    assert TYPE in done.stdout.decode()


def test_python_shows_text_of_input_escaped(files):
    with pytest.raises(AlignmentError) as raised:
        spanrs.score(files / "gold", files / "other")
    shown = [
        str(raised.value),
        str(FormatError(HOSTILE)),
        str(Violation(0, "Unknown Tag", None, TYPE, None, "")),
    ]
    parse = Parse(WORDS, [2, 0, 2, 3], [HOSTILE] * 4)
    shown += [draw(parse), to_svg(parse), str(parse), str(Parse(WORDS, []))]
    shown += [str(Explanation(0, TYPE, 0.5, TYPE, [Reason(HOSTILE, 1.0, 1.0, 1.0)]))]
    table = Table([HOSTILE])
    table.add_row(HOSTILE)
    shown += [
        table.plain(),
        table.plain(20),
        table.markdown(),
        table.latex(),
        table.html(),
        as_text([HOSTILE]),
    ]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn([HOSTILE])
    shown.append(str(caught[0].message))
    shown.append(str(spanrs.score([[f"B-{TYPE}"]], [["O"]])))
    for text in shown:
        assert INVISIBLE.findall(text.replace("\n", "")) == [], text
        assert "\\u202e" in text or "textbackslash" in text


def test_joiners_are_kept():
    text = "👩\u200d👩\u200d👧 नमस्\u200cते"
    assert escaped(text) == text


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_regular_expression_without_end_is_interrupted(tmp_path, number, status):
    (tmp_path / ("a" * 60 + "b")).touch()
    command = [sys.executable, "-c", "from spanrs.cli import mat_main; mat_main()"]
    command += ["--dir", str(tmp_path), "--ref_dir", str(tmp_path), "--file_re", "(a+)+$"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(1.5)
        assert process.poll() is None
        process.send_signal(number)
        assert process.wait(20) == status
