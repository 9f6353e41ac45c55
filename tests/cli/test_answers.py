"""Answers of generative models on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "extractions"
GOLD, ANSWERS = str(EXAMPLES / "gold.jsonl"), str(EXAMPLES / "answers.jsonl")


@pytest.fixture
def run(spanrs):
    def call(*arguments, status=0):
        found, out, err = spanrs(*arguments)
        assert found == status, err
        return out if status == 0 else err

    return call


@pytest.fixture
def score(run):
    return lambda *arguments, status=0: run("score", GOLD, ANSWERS, *arguments, status=status)


def test_a_table_and_the_numbers_of_answers(score):
    shown = score()
    assert "micro" in shown
    assert "could not be read, and count as empty" in shown
    assert (
        "off_schema:keep|schema:LOC,ORG,PER|ungrounded:keep|occurrences:listed|stages:exact+case+unicode+fuzzy+part"
        in shown
    )


def test_options_of_answers_are_in_the_signature(score):
    options = (
        "--off-schema",
        "drop",
        "--ungrounded",
        "drop",
        "--stages",
        "exact,case",
        "--occurrences",
        "all",
    )
    [system] = json.loads(score(*options, "--json"))["systems"]
    assert (
        "off_schema:drop|schema:LOC,ORG,PER|ungrounded:drop|occurrences:all|stages:exact+case|version"
        in system["signature"]
    )
    assert system["answers"]["fuzzy"] == 0


def test_types_can_be_named_and_asked_for(score):
    [system] = json.loads(score("--schema", "PER,LOC,ORG,DATE", "--type-name", "date=DATE", "--json"))[
        "systems"
    ]
    assert system["answers"]["off_schema"] == 0
    assert score("--type-name", "date", status=2).startswith("Usage") or "NAME=TYPE" in score(
        "--type-name", "date", status=2
    )


def test_all_settings_side_by_side(score):
    rows = list(csv.DictReader(io.StringIO(score("--all-settings", "--to", "csv"))))
    by_name = {row["name"]: float(row["f1"]) for row in rows}
    assert {
        f"as {name} counts" for name in ("universalner", "gollie", "instructuie", "uie", "euroeval")
    } <= set(by_name)
    [system] = json.loads(score("--json"))["systems"]
    assert by_name["spans"] == system["micro"]["f1"]
    [system] = json.loads(score("--matcher", "strings", "--json"))["systems"]
    assert by_name["strings"] == system["micro"]["f1"]
    signatures = [row["signature"] for row in rows if row["signature"]]
    assert len(set(signatures)) == len(signatures)


@pytest.mark.parametrize("option", ["--matcher=partial", "--all-readings", "--intervals"])
def test_all_settings_refuses_options_without_effect(option, score):
    assert "cannot be combined with --all-settings" in score("--all-settings", option, status=2)


def test_all_settings_needs_answers(run):
    assert "has no answers of a model" in run("score", GOLD, GOLD, "--all-settings", status=2)


@pytest.mark.parametrize("matcher", ["exact", "partial", "fair", "strings", "characters"])
def test_pages_of_all_matchers(tmp_path, matcher, score):
    page = tmp_path / "page.html"
    score("--matcher", matcher, "-o", str(page))
    content = page.read_text(encoding="utf-8")
    assert "Answers" in content
    assert "Orrham" in content


def test_documents_from_answers(tmp_path, run):
    found = tmp_path / "found.jsonl"
    run("convert", ANSWERS, "--texts", GOLD, "--to", "doccano", "-o", str(found), "--lossy")
    [first, *_] = map(json.loads, found.read_text(encoding="utf-8").splitlines())
    assert first["label"][0] == [0, 8, "person"]


def test_compare_two_models(tmp_path, run):
    other = tmp_path / "other.jsonl"
    rows = [json.loads(line) for line in Path(ANSWERS).read_text(encoding="utf-8").splitlines()]
    other.write_text("".join(json.dumps(row | {"output": "[]"}) + "\n" for row in rows), encoding="utf-8")
    shown = run("compare", GOLD, ANSWERS, str(other))
    assert "Differences" in shown
    assert "documents 10" in shown


def test_records_without_texts_say_what_to_do(run):
    assert "--texts" in run("read", ANSWERS, status=2)
    assert "Holm" in run("read", ANSWERS, "--texts", GOLD)


def test_a_signature_repeats_the_score(score):
    options = (
        "--off-schema",
        "drop",
        "--type-name",
        "date=LOC",
        "--stages",
        "exact,fuzzy",
        "--threshold",
        "0.9",
    )
    [first] = json.loads(score(*options, "--json"))["systems"]
    for signature in (first["signature"], first["short_signature"]):
        [again] = json.loads(score("--like", signature, "--json"))["systems"]
        assert again == first


def test_format_generated_is_meant_for_pred(run, tmp_path):
    lines = tmp_path / "lines.txt"
    rows = [json.loads(line)["output"] for line in Path(ANSWERS).read_text(encoding="utf-8").splitlines()]
    lines.write_text("".join(row.replace("\n", " ") + "\n" for row in rows), encoding="utf-8")
    [system] = json.loads(run("score", GOLD, str(lines), "--format", "generated", "--json"))["systems"]
    assert system["answers"]["answers"] == 10
