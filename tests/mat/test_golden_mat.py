"""The recorded outputs of MATScore."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mat_cases
import spanrs
from golden import mat_arguments
from recordings import Recordings
from spanrs import Result, mat
from spanrs.mat import formulas
from spanrs.mat.label_counts import measures as measures_of
from spanrs.mat.matcher import CLASHES
from spanrs.mat.tables import ACCURACIES, ELEMENTS, MEASURES, columns

TABLES = {"tag": "bytag", "token": "bytoken", "pseudo_token": "bypseudotoken", "character": "bychar"}


@pytest.fixture(scope="module")
def folder(matscore: Recordings) -> Path:
    return matscore.folder


def plain(rows: list[Any]) -> list[list[Any]]:
    """Rows in the recorded form: lists, with None as an empty cell."""
    return [["" if cell is None else cell for cell in row] for row in rows]


def given(folder: Path, name: str) -> tuple[dict[str, Any], Any]:
    """The derived values of a case, and the function that scores it."""
    wanted = mat_cases.expected(folder, name)["derived_1_3"]
    case = mat_arguments.read(folder, name)
    # The original refuses a byte order mark, and the derived values exclude the document with one.
    file_re = "d2[.]json" if name == "f09_bom" else None
    return wanted, lambda **more: case.score(file_re=file_re, **more)


def derived(recordings: Recordings) -> list[str]:
    names = mat_cases.names(recordings.folder)
    for name in mat_cases.PROFILES & set(names):
        assert mat_cases.expected(recordings.folder, name).get("derived_1_3") is None
    collected = [name for name in names if name not in mat_cases.PROFILES]
    assert len(collected) == recordings.at_least(small=9, large=84)
    return collected


@pytest.mark.parametrize("table", list(TABLES))
def test_tables_and_formulas_of_every_case(matscore, folder, table):
    compared = 0
    for name in derived(matscore):
        wanted, score = given(folder, name)
        key = TABLES[table]
        for kinds, part in ((False, key), (True, f"{key}_tag_span_details")):
            if wanted.get(part) is None:
                # There is a table only if annotations begin and end at token boundaries.
                names = mat.tables(score()).names
                assert key not in wanted or wanted[key] is not None or table not in names, name
                continue
            created, want = mat.tables(score(), kinds=kinds).table(table), wanted[part]
            assert list(created.columns) == want["header"], name
            assert plain(created.rows) == want["rows"], name
            for how, separator in (("excel", ","), ("oo", ";")):
                # An empty sum is the text 0 in the original, and a number in spanrs.
                got = [list(map(str, row)) for row in formulas.cells(created, separator)]
                assert got == [list(map(str, row)) for row in want["formulas"][how]], (name, how)
            compared += 1
    small = {"tag": 11, "token": 2, "pseudo_token": 11, "character": 11}
    large = {"tag": 168, "token": 8, "pseudo_token": 70, "character": 70}
    assert compared >= matscore.at_least(small=small[table], large=large[table])


def test_details_and_confusability_of_every_case(matscore, folder):
    for name in derived(matscore):
        wanted, score = given(folder, name)
        result = mat.tables(score())
        if "details" in wanted:
            assert list(mat.AnnotationPair._fields) == wanted["details"]["header"]
            got = sorted(map(str, plain(result.details)))
            assert got == sorted(map(str, wanted["details"]["rows"])), name
        want, created = wanted["confusability_annotation_level"], result.confusability
        assert list(created.columns) == want["header"], name
        assert plain(created.rows) == want["rows"], name


def test_annotations_without_a_partner_may_clash(matscore, folder):
    compared = 0
    for name in derived(matscore):
        wanted, score = given(folder, name)
        clash = wanted.get("bytag_counts_if_any_overlap_counts_as_clash")
        if clash is None:
            continue
        created = mat.tables(score(unpaired_overlap="clash")).tag
        rows = {
            row["tag"]: {key: row[key] for key in clash[row["tag"]]}
            for row in created.dicts()
            if row["tag"] in clash
        }
        assert rows == clash, name
        for row in created.dicts():
            for side in ("ref", "hyp"):
                assert sum(row[side + kind] for kind in CLASHES) == row[f"{side}clash"]
        compared += 1
    assert compared == matscore.at_least(small=9, large=12)


def pairs_of(result: Result) -> dict[str, list[tuple[Any, ...]]]:
    collected: dict[str, list[tuple[Any, ...]]] = {}
    for d in result.details["tag"]:
        row = (d.reflabel, d.refstart, d.refend, d.hyplabel, d.hypstart, d.hypend, d.type)
        collected.setdefault(d.file, []).append(row)
    return {file: sorted(rows, key=str) for file, rows in collected.items()}


def recorded_pairs(recorded: list[dict[str, Any]]) -> dict[str, list[tuple[Any, ...]]]:
    """The pairs of the original; its kinds are sets of words, from the perspective of either side."""
    collected = {}
    for document in recorded:
        rows = []
        for ref_label, ref, _, hyp_label, hyp, hyp_is in document["pairs"]:
            ref_at = (None, None) if ref is None else tuple(ref[1:])
            hyp_at = (None, None) if hyp is None else tuple(hyp[1:])
            if hyp is None:
                kind = "missing"
            elif isinstance(hyp_is, str):
                kind = hyp_is
            else:
                words = ["tagclash" if word == "computedtagclash" else word for word in hyp_is]
                spans = [word for word in words if word != "tagclash"]
                kind = "".join((["tagplus"] if len(words) > 1 else []) + (spans or words))
            rows.append((ref_label, *ref_at, hyp_label, *hyp_at, kind))
        if rows:
            collected[document["hyp"]] = sorted(rows, key=str)
    return collected


#: Cases whose recorded pairing differs from 1.3, with the reason.
NOT_1_3 = {
    "b17_zero_length_both": "the original loses annotations of no length",
    "e02_alias_unknown_value": "the original refuses the document",
    "e11_attr_mismatch_task": "2.0 compares attributes",
    "e13_attr_missing_one_side": "2.0 compares attributes",
    "f02_v1_vs_v2": "2.0 scores what has no span",
    "f09_bom": "the original refuses a byte order mark",
    "c14_lex_misaligned_confus": "the original crashes",
}


def test_pairings_are_those_of_the_running_original(matscore, folder):
    compared = 0
    for name in mat_cases.names(folder):
        recorded = mat_cases.expected(folder, name)["pairs"]
        if name in mat_cases.PROFILES or name in NOT_1_3 or recorded is None:
            continue
        assert pairs_of(mat_arguments.read(folder, name).score()) == recorded_pairs(recorded), name
        compared += 1
    assert compared == matscore.at_least(small=9, large=86 - 2 - len(NOT_1_3))


def test_a_byte_order_mark_is_passed_over(matscore, folder):
    name = "byte_order_mark" if matscore.small else "f09_bom"
    result = mat.tables(mat_arguments.read(folder, name).score())
    assert not result.skipped
    assert result.tag["<all>"]["match"] == matscore.at_least(small=3, large=4)


def literal(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def compare_literal(result: Result, table: str, path: Path) -> None:
    """Rows of the corpus and of each file, with the common columns."""
    created = mat.tables(result, by_document=True).table(table)
    rows = {(row["file"], row["tag"]): row for row in created.dicts()}
    recorded = literal(path)
    assert recorded
    counts = columns(table, kinds=False, confidence=False, files=True)
    shared = [name for name in counts if name in recorded[0]]
    # The original does not count the text of documents without annotations (d10) and has no rows for them.
    size = ELEMENTS[table]
    lost = sum(row[size] for key, row in rows.items() if key[1] == "<all>" and not any_of(recorded, key[0]))
    for row in recorded:
        got = rows[row["file"], row["tag"]] | {"tag": row["tag"]}
        if row["file"] == "<all>" and lost:
            assert got[size] == int(row[size]) + lost
            five = tuple(
                int(row[name]) for name in ("match", "refclash", "missing", "hypclash", "spurious")
            )
            measures = dict(zip(MEASURES + ACCURACIES, measures_of(five, int(row[size])), strict=True))
            got = {**got, **{k: v for k, v in measures.items() if k in got}, size: int(row[size])}
        for name in shared:
            assert str(got[name]) == row[name], (row["file"], row["tag"], name)


def any_of(recorded: list[dict[str, str]], file: str) -> bool:
    return any(row["file"] == file for row in recorded)


@pytest.mark.parametrize("table", ["tag", "pseudo_token", "character"])
def test_random_flat_documents(shared, table):
    bulk = shared / "golden" / "mat" / "bulk" / "random_flat_200"
    result = spanrs.score(
        bulk / "ref",
        bulk / "hyp",
        matcher=mat.Mat(content=["A", "B", "C"]),
        on_error="skip",
        format="mat-json",
        details=True,
    )
    compare_literal(result, table, bulk / "out" / f"{TABLES[table]}_literal.csv")
    recorded = json.loads((bulk / "pairs.json").read_text(encoding="utf-8"))
    assert pairs_of(result) == recorded_pairs(recorded)


@pytest.mark.parametrize("table", list(TABLES))
def test_news_with_tokens_and_zones(shared, table):
    folder = shared / "golden" / "mat"
    bulk = folder / "bulk" / "voa10"
    task = mat_cases.task(folder, "G NE")
    result = spanrs.score(
        bulk / "ref",
        bulk / "hyp",
        matcher=mat.Mat(task=task),
        on_error="skip",
        format="mat-json",
        details=True,
    )
    compare_literal(result, table, bulk / "out_task" / f"{TABLES[table]}_literal.csv")
    for pairs in ("pairs_task.json", "pairs_task2.json"):
        recorded = json.loads((bulk / pairs).read_text(encoding="utf-8"))
        assert pairs_of(result) == recorded_pairs(recorded)
    recorded = literal(bulk / "out_task" / "details.csv")
    key = (
        "file",
        "reflabel",
        "refstart",
        "refend",
        "hyplabel",
        "hypstart",
        "hypend",
        "refcontent",
        "hypcontent",
    )
    details = [d._asdict() for d in result.details["tag"]]
    mine = Counter(tuple("" if d[name] is None else str(d[name]) for name in key) for d in details)
    assert mine == Counter(tuple(row[name] for name in key) for row in recorded)
