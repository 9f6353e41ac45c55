"""``spanrs read`` shows how files are interpreted; ``spanrs score`` pairs and refuses them by the same rules."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from json_output import only_system

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
GOLD, PRED = str(EXAMPLES / "gold.conll"), str(EXAMPLES / "pred.conll")


def test_read_shows_format_layers_scheme_and_sentences(spanrs):
    status, out, _ = spanrs("read", GOLD, "--sentences", "1")
    assert status == 0
    assert "columns" in out
    assert "scheme    BIO (the scheme with the fewest violations)" in out
    assert "sentence 0, line 2, document greetings" in out
    assert "sentence 1" not in out
    assert "Philadelphia" in out


def test_read_as_json(spanrs):
    status, out, _ = spanrs("read", GOLD, "--json", "--sentences", "2")
    facts = json.loads(out)
    assert status == 0
    assert facts["layers"] == ["tags"]
    assert facts["scheme"] == "BIO"
    assert facts["parts"] == [{"path": GOLD, "format": "columns"}]
    assert [sentence["line"] for sentence in facts["sentences"]] == [2, 12]
    assert facts["sentences"][0]["spans"]["tags"][0] == {
        "type": "PER",
        "start": 0,
        "end": 2,
        "tokens": None,
    }


def test_read_shows_spans_of_files_without_tokens(spanrs):
    status, out, _ = spanrs("read", str(EXAMPLES / "fair" / "gold.csv"), "--sentences", "1")
    assert status == 0
    rows = [line.split() for line in out.split("sentence 0", 1)[1].splitlines()]
    assert rows[0][-2:] == ["start", "end"]
    assert rows[2:4] == [["PER", "0", "2"], ["LOC", "4", "5"]]


def test_read_shortens_long_lists(spanrs, tmp_path):
    files = []
    for at in range(22):
        files.append(str(tmp_path / f"{at:02}.conll"))
        shutil.copy(GOLD, files[-1])
    long = tmp_path / "long.conll"
    long.write_text("word O\n" * 40, encoding="utf-8")
    status, out, _ = spanrs("read", *files)
    assert status == 0
    assert "19.conll" in out
    assert "20.conll" not in out
    assert "and 2 more" in out
    status, out, _ = spanrs("read", str(long))
    assert status == 0
    assert "and 10 more tokens" in out


def test_read_says_what_to_do_with_two_sides_and_with_several_annotators(spanrs, tmp_path):
    both = tmp_path / "both.conll"
    both.write_text("Ada B-PER B-PER\nran O B-LOC\n", encoding="utf-8")
    status, out, _ = spanrs("read", str(both), "--column", "1,2")
    assert status == 0
    export = tmp_path / "export.jsonl"
    records = [
        {"text": "Ada ran", "spans": [{"start": 0, "end": 3, "label": "PER"}], "_annotator_id": name}
        for name in ("ann", "ben")
    ]
    export.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    status, out, _ = spanrs("read", str(export))
    assert status == 0
    assert "select one layer, for example with --annotator ann" in out


def test_read_takes_standard_input_beside_files(spanrs, monkeypatch):
    content = b"Rio B-LOC\n"
    for names, first in ((["-"], "Rio"), ([GOLD, "-"], "Grace"), (["-", GOLD], "Rio")):
        stdin = io.TextIOWrapper(io.BytesIO(content))
        monkeypatch.setattr("sys.stdin", stdin)
        status, out, err = spanrs("read", *names, "--json")
        assert (status, err) == (0, "")
        facts = json.loads(out)
        assert len(facts["parts"]) == len(names)
        assert facts["sentences"][0]["tokens"][0] == first


def test_read_of_an_empty_file_and_of_none(spanrs, tmp_path):
    empty = tmp_path / "empty.conll"
    empty.write_bytes(b"")
    for path in (empty, tmp_path / "absent.conll", tmp_path):
        status, out, err = (
            spanrs("read", str(path)) if path != tmp_path else spanrs("read", str(path / "x*"))
        )
        assert status != 0 or "0 sentences" in out + err, (path, out, err)


@pytest.mark.parametrize("suffixes", [(".gold.conll", ".pred.conll"), (".key", ".response")])
def test_patterns_that_the_shell_expanded_are_noticed(spanrs, tmp_path, suffixes):
    files = []
    for source, suffix in zip((GOLD, PRED), suffixes, strict=True):
        for name in "abc":
            files.append(str(tmp_path / f"{name}{suffix}"))
            shutil.copy(source, files[-1])
    status, out, err = spanrs("score", *files)
    assert status == 2
    assert out == ""
    patterns = [str(tmp_path / f"*{suffix}") for suffix in suffixes]
    assert f"quote the patterns: '{patterns[0]}' '{patterns[1]}'" in err
    status, out, _ = spanrs("score", *patterns, "--json")
    assert status == 0
    assert only_system(out)["counts"]["tp"] == 3 * 4


def test_patterns_of_two_folders_that_the_shell_expanded_are_noticed(spanrs, tmp_path):
    files = []
    for folder, source in (("gold", GOLD), ("pred", PRED)):
        (tmp_path / folder).mkdir()
        for name in "ab":
            files.append(str(tmp_path / folder / f"{name}.conll"))
            shutil.copy(source, files[-1])
    status, _, err = spanrs("score", *files)
    assert status == 2
    assert f"'{tmp_path / 'gold' / '*.conll'}' '{tmp_path / 'pred' / '*.conll'}'" in err


def test_several_systems_of_one_folder_are_scored(spanrs, tmp_path):
    names = [str(tmp_path / name) for name in ("gold.conll", "a.conll", "b.conll", "c.conll")]
    for name in names:
        shutil.copy(GOLD, name)
    status, out, _ = spanrs("score", *names)
    assert status == 0
    assert out.count("100.00") == 9
