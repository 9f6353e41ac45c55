"""Documents of two files are paired while being read one by one."""

from __future__ import annotations

import json
from collections.abc import Sequence

from hypothesis import example, given
from hypothesis import strategies as st

import mat_cases
import spanrs
from spanrs import mat
from spanrs.io import Annotation, Document

Ids = Sequence[str | None]


def expected(golds: Ids, preds: Ids) -> list[tuple[int, int]] | None:
    """Indices of the pairs, computed from both lists; None if no pair counts."""
    if len(golds) == len(preds) == 1:
        return [(0, 0)]
    if not all(None not in ids and len(set(ids)) == len(ids) for ids in (golds, preds)):
        return [(at, at) for at in range(len(preds))] if len(golds) == len(preds) else None
    return [(golds.index(id_), at) for at, id_ in enumerate(preds) if id_ in golds]


ids = st.lists(st.sampled_from(["a", "b", "c", "d", None]), max_size=5)
distinct = st.lists(st.sampled_from("abcde"), unique=True, max_size=5)


@given(golds=st.one_of(ids, distinct), preds=st.one_of(ids, distinct))
@example(golds=["a", "b", "a"], preds=["a", "c", "d"])
@example(golds=["a", "b", "c"], preds=["a", "c"])
@example(golds=["a", None], preds=["b", "c"])
def test_pairs_are_those_of_whole_files(golds, preds):
    # The length of the annotation identifies the document; all texts are equal.
    text = "x" * 12
    sides = [
        [Document(text, [Annotation("T", 0, 1 + at)], id_) for at, id_ in enumerate(names)]
        for names in (golds, preds)
    ]
    result = mat_cases.lenient(*sides, details=True)
    pairs = expected(golds, preds)
    skipped = [entry.message for entry in result.evidence.skipped if entry.pair]
    if pairs is None:
        assert len(skipped) == 1
        assert "documents and" in skipped[0]
        return
    collected = [(d.refend - 1, d.hypend - 1) for d in result.details.get("tag", [])]
    assert collected == pairs
    alone = len(golds) + len(preds) - 2 * len(pairs)
    assert len(skipped) == alone
    assert all("Couldn't find document" in message for message in skipped)


def test_an_error_behind_pairs_takes_them_back(tmp_path):
    record = json.dumps({"text": "ab", "label": [[0, 1, "A"]]})
    whole, broken = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    whole.write_text(f"{record}\n{record}\n")
    broken.write_text(f"{record}\n{{\n")
    result = mat_cases.lenient(spanrs.read(whole), spanrs.read(broken, format="doccano"))
    assert result.totals == (0, 0, 0)
    [skipped] = result.evidence.skipped
    assert skipped.message.startswith(f"Couldn't load target {broken}:2:1")


def test_names_count_documents_without_ids(tmp_path):
    record = json.dumps({"text": "ab", "label": [[0, 1, "A"]]})
    for count, names in ((1, ["d"]), (2, ["d#0", "d#1"])):
        path = tmp_path / "d.jsonl"
        path.write_text(f"{record}\n" * count)
        corpus = spanrs.read(path, format="doccano")
        result = spanrs.score(corpus, corpus, matcher=mat.Mat(), details=True)
        assert [
            d.file.removesuffix(".jsonl").replace(".jsonl#", "#") for d in result.details["tag"]
        ] == names
