"""``spanrs merge``: merged counts of shards equal those of the directory."""

from __future__ import annotations

import random

import pytest

from json_output import only_system
from spanrs.eval import Result

TAGS = ["O", "B-A", "I-A", "B-B"]
NAMES = ["a.conll", "b.conll", "c.conll"]


@pytest.fixture
def folders(tmp_path):
    rng = random.Random(1)
    for name in NAMES:
        words = random.Random(name)
        rows = [words.randint(1, 6) for _ in range(15)]
        for side in ("gold", "pred"):
            path = tmp_path / side / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join("".join(f"w {rng.choice(TAGS)}\n" for _ in range(n)) for n in rows))
    return tmp_path / "gold", tmp_path / "pred"


def save_each(spanrs, folders, tmp_path, *options):
    """Score each file by itself; return the paths of the counts."""
    counts = []
    for name in NAMES:
        counts.append(tmp_path / f"{name}.counts")
        files = [folder / name for folder in folders]
        assert spanrs("score", *files, "--save", counts[-1], "--scheme", "BIO", *options)[0] == 0
    return counts


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--matcher", "fair"],
        ["--matcher", "partial", "--matching", "optimal"],
        ["--by-sentence"],
        ["--by-document"],
        ["--reading", "strict", "--by-sentence"],
    ],
    ids=str,
)
def test_merged_shards_have_the_bytes_of_the_directory(spanrs, folders, tmp_path, options):
    counts = save_each(spanrs, folders, tmp_path, *options)
    status, _, _ = spanrs("score", *folders, "--save", tmp_path / "whole", "--scheme", "BIO", *options)
    assert status == 0
    status, _, _ = spanrs("merge", *counts, "--save", tmp_path / "merged")
    assert status == 0
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    of_directory = only_system(spanrs("score", *folders, "--scheme", "BIO", "--json", *options)[1])
    of_merged = only_system(spanrs("merge", *counts, "--json")[1])
    assert of_merged == of_directory
    # Merged counts merge again.
    assert spanrs("merge", counts[0], counts[1], "--save", tmp_path / "two")[0] == 0
    assert spanrs("merge", tmp_path / "two", counts[2], "--save", tmp_path / "three")[0] == 0
    assert (tmp_path / "three").read_bytes() == (tmp_path / "whole").read_bytes()


def test_counts_do_not_depend_on_the_order(spanrs, folders, tmp_path):
    counts = save_each(spanrs, folders, tmp_path)
    parsed = [only_system(spanrs("merge", *order, "--json")[1]) for order in (counts, counts[::-1])]
    for name in ("counts", "per_type", "confusion", "sentences", "tokens", "signature"):
        assert parsed[0][name] == parsed[1][name]
    assert [side["count"] for side in parsed[0]["violations"].values()] == [
        side["count"] for side in parsed[1]["violations"].values()
    ]


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_intervals_of_merged_counts_are_those_of_the_directory(spanrs, folders, tmp_path, method):
    counts = save_each(spanrs, folders, tmp_path, "--by-sentence")
    options = ["--intervals", "--interval-method", method, "--samples", 200, "--seed", 3, "--json"]
    whole = only_system(spanrs("score", *folders, "--scheme", "BIO", "--by-sentence", *options)[1])
    assert only_system(spanrs("merge", *counts, *options)[1])["intervals"] == whole["intervals"]
    assert spanrs("merge", *counts, *options, "--threads", 2) == spanrs("merge", *counts, *options)


def test_counts_without_rows_have_no_intervals(spanrs, folders, tmp_path):
    counts = save_each(spanrs, folders, tmp_path)
    status, out, err = spanrs("merge", *counts, "--intervals")
    assert (status, out) == (2, "")
    assert "at least two documents" in err


def test_violations_are_of_the_files_in_order(spanrs, folders, tmp_path):
    counts = save_each(spanrs, folders, tmp_path)
    parsed = only_system(spanrs("merge", *counts, "--json")[1])["violations"]["gold"]["first"]
    assert [place["path"] for place in parsed] == sorted(place["path"] for place in parsed)
    for place in parsed:
        line = (folders[0] / place["path"]).read_text().split("\n")[place["line"] - 1]
        assert line.split()[1] == place["current"]


@pytest.mark.parametrize(
    "other", [["--matcher", "fair"], ["--reading", "strict"], ["--by-sentence"]], ids=str
)
def test_counts_that_were_made_differently_are_refused(spanrs, folders, tmp_path, other):
    counts = save_each(spanrs, folders, tmp_path)
    files = [folder / "a.conll" for folder in folders]
    assert spanrs("score", *files, "--scheme", "BIO", "--save", tmp_path / "other", *other)[0] == 0
    status, out, err = spanrs("merge", counts[0], tmp_path / "other", "--save", tmp_path / "merged")
    assert (status, out) == (2, "")
    assert "merge" in err
    assert not (tmp_path / "merged").exists()


def test_what_are_no_counts_is_refused(spanrs, folders, tmp_path):
    counts = save_each(spanrs, folders, tmp_path)
    stored = counts[0].read_bytes()
    bad = tmp_path / "bad"
    for content in (
        b"",
        b"a B-A\n",
        stored[:-1],
        stored[:40] + bytes([stored[40] ^ 1]) + stored[41:],
        stored + b"x",
    ):
        bad.write_bytes(content)
        status, out, err = spanrs("merge", counts[1], bad)
        assert (status, out) == (2, ""), content[:20]
        assert f"{bad}: " in err
        assert "expected a file written by spanrs score --save" in err
    for arguments, message in (
        ((counts[0], counts[0]), "is given twice and would be counted twice"),
        ((counts[0], tmp_path / "missing"), "missing"),
        ((counts[0], "--save", counts[0]), "is also an input; choose another"),
        ((counts[0], "--to", "text", "-o", counts[0]), "is also an input; choose another"),
        ((), "COUNTS"),
    ):
        status, out, err = spanrs("merge", *arguments)
        assert (status, out) == (2, "")
        assert message in err
    assert counts[0].read_bytes() == stored


def test_one_file_is_shown_as_it_is(spanrs, folders, tmp_path):
    counts = save_each(spanrs, folders, tmp_path)
    parsed = only_system(spanrs("merge", counts[0], "--json")[1])
    result = Result.from_bytes(counts[0].read_bytes())
    assert parsed["counts"] == result.to_dict()["counts"]
    for to, start in (
        ("markdown", "|"),
        ("latex", r"\begin{tabular}"),
        ("csv", ","),
        ("html", "<!DOCTYPE html>"),
    ):
        assert start in spanrs("merge", counts[0], "--to", to)[1]


def test_violations_of_pred_are_listed_under_its_file(spanrs, tmp_path):
    gold, pred, counts = (tmp_path / name for name in ("gold.conll", "pred.conll", "counts"))
    gold.write_text("a B-X\nb I-X\n")
    pred.write_text("a B-X\nb I-Y\n")
    assert spanrs("score", gold, pred, "--save", counts, "--by-sentence")[0] == 0
    out = spanrs("merge", counts)[1]
    assert "pred.conll:2 token 1: Illegal Transition" in out
    assert spanrs("merge", counts, "--seed", 1)[2].startswith("spanrs: error: --seed requires --intervals")
