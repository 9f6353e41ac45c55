"""`spanrs score --matcher characters`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

MASKS = Path(__file__).parents[2] / "examples" / "masks"
FILES = (str(MASKS / "gold.jsonl"), str(MASKS / "pred.jsonl"))
MASKED = ("score", *FILES, "--matcher", "characters")


def test_the_table_has_leaks_first_and_the_options_of_the_matcher(spanrs):
    status, out, _ = spanrs(
        *MASKED, "--beta", "1", "--iou-threshold", "0.5", "--skip", "Dr.,Mrs.", "--errors", "1"
    )
    assert status == 0
    lines = out.splitlines()
    assert lines[0].split()[:3] == ["type", "characters", "leaked"]
    assert lines[0].split()[-1] == "F1"
    assert lines[2].split()[:4] == ["FAMILY_NAME", "16", "6", "37.50"]
    assert "masked, any type           89       12" in out
    assert "beta:1|iou_threshold:0.5|count:words|skip:dr,mrs|" in out
    assert "[Berger]" in out


def test_types_have_parents_and_the_signature_repeats_the_score(spanrs):
    options = ("--hierarchy", str(MASKS / "types.toml"), "--hierarchy-level", "0", "--skip", "Dr.")
    status, out, _ = spanrs(*MASKED, *options)
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()[2:6]] == ["ADDRESS", "CONTACT", "DATE", "PERSON"]
    signature = out.splitlines()[-1].removeprefix("signature ")
    status, again, err = spanrs("score", *FILES, "--like", signature)
    assert (status, again, err) == (0, out, "")


def test_json_csv_intervals_and_page(spanrs, tmp_path):
    pytest.importorskip("jinja2")
    status, out, _ = spanrs(*MASKED, "--json", "--by-document")
    result = json.loads(out)["systems"][0]
    assert (status, result["outcomes"]["leaked"], result["criterion"]) == (0, 12, "characters")
    assert [row["outcomes"]["leaked"] for row in result["documents"]] == [10, 2, 0]
    assert spanrs(*MASKED, "--to", "csv")[0] == 0
    assert "characters F1" in spanrs(*MASKED, "--intervals", "--samples", "20")[1]
    page = tmp_path / "masks.html"
    assert spanrs(*MASKED, "--to", "html", "-o", str(page), "--by-document")[0] == 0
    text = page.read_text(encoding="utf-8")
    leaks, documents = text.index("Leaked characters"), text.index("letter-1")
    assert leaks < documents < text.rindex("Leaks and other errors")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--beta", "0"), "beta must be a number above 0"),
        (("--beta", "-1"), "--beta"),
        (("--iou-threshold", "0"), "iou_threshold must be a number above 0"),
        (("--iou-threshold", "1.5"), "--iou-threshold"),
        (("--hierarchy-level", "1"), "hierarchy"),
        (("--count", "some"), "--count"),
        (("--types", "PHONE"), "--types"),
        (("--hierarchy", "none.toml"), "none.toml"),
        (("--hierarchy", FILES[0]), "a hierarchy is a .toml or .json file, not .jsonl"),
    ],
)
def test_impossible_options_are_refused(spanrs, options, message):
    status, out, err = spanrs(*MASKED, *options)
    assert (status != 0, out) == (True, "")
    assert message in err


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.toml", "A = B", "not valid TOML"),
        ("a.json", "[1]", "a hierarchy maps types to their parents"),
        ("a.json", "{" * 100_000, "not valid JSON"),
        ("a.json", '{"A": "B", "B": "A"}', "cycle: A -> B -> A"),
        ("a.toml", "[PERSON]\nA = 'B'", "a hierarchy maps types to their parents"),
        ("a.json", "\udcff", "not valid JSON"),
    ],
)
def test_files_that_are_no_hierarchy_are_refused(spanrs, tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    status, out, err = spanrs(*MASKED, "--hierarchy", str(path))
    assert (status != 0, out) == (True, "")
    assert message in err


def test_options_of_masks_need_the_matcher_and_texts(spanrs):
    assert "--skip requires --matcher characters" in spanrs("score", *FILES, "--skip", "the")[2]
    tagged = MASKS.parent
    files = str(tagged / "gold.conll"), str(tagged / "pred.conll")
    status, _, err = spanrs("score", *files, "--matcher", "characters", "--skip", "the")
    assert status != 0
    assert "--align characters" in err
    status, out, _ = spanrs("score", *files, "--matcher", "characters", "--errors", "1")
    assert (status, out.split()[1]) == (0, "tokens")
    assert "Nobody asked [Ada] ." in spanrs("score", *files, "--matcher", "characters", "--errors", "9")[1]
    aligned = spanrs("score", *files, "--matcher", "characters", "--skip", "the", "--align", "characters")
    assert (aligned[0], aligned[1].split()[1]) == (0, "characters")
