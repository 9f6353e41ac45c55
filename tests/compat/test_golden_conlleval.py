"""Both Python scripts named conlleval.py, recorded."""

from __future__ import annotations

import golden
from spanrs.compat import conlleval


def test_counts_are_those_recorded(evaluators):
    pairs = golden.pairs(evaluators)
    compared, different = 0, []
    for row in golden.rows(evaluators / "conlleval_py.jsonl.gz"):
        gold, pred = pairs[row["id"]]["g"], pairs[row["id"]]["p"]
        lines = [f"w {g} {p}\n" for g, p in zip(gold, pred, strict=True)]
        try:
            c = conlleval.spyysalo.evaluate(lines)
            lined = [c.correct_chunk, c.correct_tags, c.found_correct, c.found_guessed, c.token_counter]
            lined += [dict(by) for by in (c.t_correct_chunk, c.t_found_correct, c.t_found_guessed)]
        except conlleval.FormatError as error:
            lined = {"err": "FormatError", "msg": str(error)}
        try:
            listed = [dict(by) for by in conlleval.count_chunks(gold, pred)[:3]]
        except ValueError as error:
            listed = {"err": "ValueError", "msg": str(error)}
        compared += 1
        if {"spyysalo": lined, "sighsmile": listed} != row["o"]:
            different.append((row["id"], lined, listed, row["o"]))
    assert compared > 1500
    assert different == []
