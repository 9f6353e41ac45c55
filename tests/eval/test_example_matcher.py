"""A matcher that is only defined in Rust supports all other features."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pytest

import spanrs
from json_output import only_system
from spanrs import _spanrs

pytestmark = pytest.mark.skipif(
    "head" not in _spanrs.matchers(), reason="the extension is built without the feature example-matcher"
)

GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["B-ORG", "I-ORG", "I-ORG"], ["O", "B-LOC"]]
PRED = [["O", "B-PER", "O", "B-ORG"], ["B-ORG", "I-ORG", "O"], ["O", "B-LOC"]]


def test_spans_answer_each_other_by_their_last_token():
    result = spanrs.score(GOLD, PRED, matcher="head", errors=True)
    assert result.outcomes == {"match": 2, "mistyped": 1, "missed": 1, "spurious": 1}
    assert result.totals == (2, 2, 2)
    assert result.micro.f1 == 0.5
    assert result.per_type["LOC"].recall == 0.5
    assert result.confusion["LOC"]["ORG"] == 1
    assert [error.outcome for error in result.errors] == ["mistyped", "spurious", "missed"]
    assert "matcher:head|scheme:BIO" in result.signature


def test_it_takes_spans_ids_arrow_and_files(tmp_path: Path):
    expected = spanrs.score(GOLD, PRED, matcher="head", scheme="BIO").counts
    names = sorted({tag for side in (GOLD, PRED) for sentence in side for tag in sentence})
    ids = [[[names.index(tag) for tag in sentence] for sentence in side] for side in (GOLD, PRED)]
    flat = [[tag for sentence in side for tag in sentence] for side in ids]
    lengths = [len(sentence) for sentence in GOLD]
    assert (
        spanrs.score(*flat, scheme="BIO", matcher="head", vocabulary=names, lengths=lengths).counts
        == expected
    )
    table = pyarrow.table({"gold": GOLD, "pred": PRED})
    assert spanrs.score(table, scheme="BIO", matcher="head").counts == expected
    paths = []
    for name, side in (("gold", GOLD), ("pred", PRED)):
        path = tmp_path / name
        path.write_text("\n".join("".join(f"w {tag}\n" for tag in sentence) for sentence in side))
        paths.append(path)
    assert spanrs.score(*paths, scheme="BIO", matcher="head").counts == expected
    spans = [
        [
            [(s.type, s.start, s.end) for s in spanrs.tags.tags_to_spans(sentence, "BIO")]
            for sentence in side
        ]
        for side in (GOLD, PRED)
    ]
    assert (
        spanrs.score(*spans, matcher="head").outcomes == spanrs.score(GOLD, PRED, matcher="head").outcomes
    )


def test_it_has_documents_and_resampling_and_merges():
    whole = spanrs.score(GOLD, PRED, scheme="BIO", matcher="head", by=["a", "b", "c"])
    assert [row.outcomes["match"] for row in whole.documents] == [1, 0, 1]
    values = whole.bootstrap(samples=20).values
    assert values.shape == (20, 5)
    assert ((values >= 0) & (values <= 1) | np.isnan(values)).all()
    parts = [
        spanrs.score([gold], [pred], scheme="BIO", matcher="head", by=[name])
        for gold, pred, name in zip(GOLD, PRED, "abc", strict=True)
    ]
    stored = [pickle.loads(pickle.dumps(part)) for part in reversed(parts)]
    assert stored[0].merge(*stored[1:]).counts.to_bytes() == whole.counts.to_bytes()


def test_it_is_written_in_every_form():
    result = spanrs.score(GOLD, PRED, matcher="head")
    assert json.loads(result.to_json())["outcomes"]["mistyped"] == 1
    assert spanrs.Result.from_json(result.to_json()).counts == result.counts
    for text in (result.to_html(), result.to_markdown(), result.to_latex(), result.to_csv(), str(result)):
        assert "ORG" in text
        assert "mistyped" in text.lower()


def test_the_command_line_knows_it(tmp_path: Path):
    sides = tmp_path / "both"
    sides.write_text("w B-A O\nw I-A B-A\n")
    code = "from spanrs.cli import main; main()"
    command = [sys.executable, "-c", code, "score", "--matcher", "head", "--json", str(sides)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert only_system(done.stdout)["outcomes"] == {"match": 1, "mistyped": 0, "missed": 0, "spurious": 0}
