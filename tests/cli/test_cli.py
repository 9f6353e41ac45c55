"""The commands, as a user runs them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

from spanrs.cli.group import group
from spanrs.cli.run import run

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
GOLD, PRED = str(EXAMPLES / "gold.conll"), str(EXAMPLES / "pred.conll")


def test_score_prints_one_json_object(spanrs):
    _, out, _ = spanrs("score", GOLD, PRED, "--json", "--by-document")
    parsed = json.loads(out)["systems"][0]
    assert parsed["counts"] == {"tp": 4, "fp": 3, "fn": 3}
    assert [row["counts"]["tp"] for row in parsed["documents"]] == [2, 2]
    assert parsed["violations"]["pred"]["first"][0]["line"] == 17


def test_score_takes_one_file_with_both(spanrs, tmp_path):
    path = tmp_path / "both.gz"
    path.write_bytes(gzip.compress(b"a x B-A B-A\nb y O B-B\n"))
    _, out, _ = spanrs("score", str(path), "--json")
    assert json.loads(out)["systems"][0]["counts"] == {"tp": 1, "fp": 1, "fn": 0}
    _, out, _ = spanrs("score", str(path), "--gold-column", "3", "--pred-column", "2", "--json")
    assert json.loads(out)["systems"][0]["counts"] == {"tp": 1, "fp": 0, "fn": 1}


def test_score_takes_columns_a_file(spanrs, tmp_path):
    (tmp_path / "g").write_text("a B-A x\n")
    (tmp_path / "p").write_text("a y B-A\n")
    args = ("score", str(tmp_path / "g"), str(tmp_path / "p"), "--gold-column", "1", "--json")
    assert json.loads(spanrs(*args)[1])["systems"][0]["micro"]["f1"] == 1


def test_score_lists_as_many_violations_as_asked(spanrs):
    assert "Illegal Start" not in spanrs("score", GOLD, PRED, "--max-violations", "0")[1]
    assert spanrs("score", GOLD, PRED, "--max-violations", "1")[1].count("Illegal Start") == 1


def test_validate_says_yes_and_no(spanrs):
    assert spanrs("validate", GOLD)[0] == 0
    status, out, _ = spanrs("validate", PRED)
    assert status == 1
    assert f"{PRED}:17: Illegal Start: I-ORG after O" in out
    status, out, _ = spanrs("validate", PRED, "--json")
    assert status == 1
    assert json.loads(out)["kinds"] == {"Illegal Start": 2}


def test_convert_there_and_back_is_the_same_file(spanrs, tmp_path):
    there, back = str(tmp_path / "there"), str(tmp_path / "back")
    for scheme in ("iob1", "bioes", "bilou", "bmewo", "bmes", "ioe1", "ioe2"):
        assert spanrs("convert", "--scheme", "bio", "--to-scheme", scheme, GOLD, "-o", there)[0] == 0
        assert spanrs("convert", "--scheme", scheme, "--to-scheme", "bio", there, "-o", back)[0] == 0
        assert Path(back).read_bytes() == Path(GOLD).read_bytes()


def test_convert_refuses_malformed_tags_until_told_how_to_read_them(spanrs, tmp_path):
    out = str(tmp_path / "out")
    assert spanrs("convert", "--to-scheme", "iobes", PRED, "-o", out)[0] == 2
    assert not Path(out).exists()
    assert spanrs("convert", "--to-scheme", "iobes", "--reading", "conlleval", PRED, "-o", out)[0] == 0


def test_spans_prints_json_lines(spanrs):
    rows = [json.loads(line) for line in spanrs("spans", GOLD)[1].splitlines()]
    assert [row["sentence"] for row in rows] == [0, 1, 2, 3]
    assert [row["document"] for row in rows] == [0, 0, 1, 1]
    assert rows[0]["spans"][0] == {"type": "PER", "start": 0, "end": 2, "text": "Grace Hopper"}


def test_help_and_mistakes(spanrs):
    status, out, _ = spanrs("--help")
    assert status == 0
    assert all(command in out for command in ("score", "validate", "convert", "spans"))
    assert spanrs("score")[0] == 2
    assert spanrs("nonsense")[0] == 2
    assert spanrs("score", "-", "-")[0] == 2


def test_the_package_runs_as_a_module():
    command = [sys.executable, "-m", "spanrs", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("spanrs, version ")


def test_germeval_headings_are_comments(spanrs, nested):
    columns = ("--token-column", "1", "--gold-column", "2", "--pred-column", "3")
    parsed = json.loads(spanrs("score", str(nested.path), *columns, "--json")[1])["systems"][0]
    assert parsed["violations"]["gold"]["count"] == 0
    assert (parsed["tokens"], parsed["sentences"]) == (nested.tokens, nested.sentences)


def test_comments_of_conllu_are_never_tokens(spanrs, tmp_path):
    path = tmp_path / "f"
    path.write_text("# newdoc\na B-X\n\n# newdoc id = foo\n# sent_id = 1\n# B-X\nb B-X\n")
    parsed = json.loads(spanrs("score", str(path), str(path), "--by-document", "--json")[1])["systems"][0]
    # `# B-X` is the token `#`.
    assert [row["tokens"] for row in parsed["documents"]] == [1, 2]


def test_pipes_can_be_read_with_auto(tmp_path):
    import subprocess
    import sys

    command = f"{sys.executable} -c 'from spanrs.cli import main; main()'"
    line = f"{command} score <(cat {GOLD}) <(cat {PRED}) --json"
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True, timeout=60)
    assert json.loads(done.stdout)["systems"][0]["counts"]["tp"] == 4
    closed = subprocess.run(
        ["bash", "-c", f"{command} score {GOLD} {PRED} >&-"], capture_output=True, check=False, timeout=60
    )
    assert (closed.returncode, closed.stderr) == (2, b"spanrs: error: standard output is closed\n")


def test_output_keeps_links_and_modes(spanrs, tmp_path):
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to(real)
    assert spanrs("convert", "--to-scheme", "iobes", GOLD, "-o", str(link))[0] == 0
    assert link.is_symlink()
    assert "S-LOC" in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o600


def test_scheme_names_do_not_mind_case(spanrs, tmp_path):
    assert "BIO" in spanrs("validate", "--scheme", " AUTO ", GOLD)[1]


def test_files_that_cannot_be_read_are_skipped_where_that_is_asked_for(tmp_path, capsys):
    for side in ("gold", "pred"):
        (tmp_path / side).mkdir()
        for name in ("a", "b"):
            (tmp_path / side / name).write_text("x B-X\n", encoding="utf-8")
    (tmp_path / "gold" / "b").write_text('{"foo": 1}\n', encoding="utf-8")
    sides = [str(tmp_path / side) for side in ("gold", "pred")]
    assert run(group, ["score", *sides]) == 2
    assert "this is JSON whose first record has the key" in capsys.readouterr().err
    assert run(group, ["score", *sides, "--on-error", "skip", "--json"]) == 1
    out, err = capsys.readouterr()
    assert json.loads(out)["systems"][0]["micro"]["f1"] == 1.0
    assert "gold/b: this is JSON" in err
    assert err.rstrip().endswith("skipping this file")
