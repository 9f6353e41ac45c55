"""Test cases shared by Rust and Python."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from spanrs import tags

CASES = tomllib.loads((Path(__file__).parent.parent / "cases" / "spans.toml").read_text())["case"]
READINGS = ("conlleval", "strict", "discard", "refuse", "ncrfpp", "seqeval", "seqeval-strict")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_reads_and_is_violated_as_written(case):
    sequence = case["tags"].split()
    for reading in READINGS:
        if reading in case:
            spans = tags.tags_to_spans(sequence, case["scheme"], reading)
            assert [f"{s.type} {s.start} {s.end}" for s in spans] == case[reading]
    violations = tags.validate(sequence, case["scheme"])
    assert [f"{v.index} {v.kind}" for v in violations] == case["violations"]
