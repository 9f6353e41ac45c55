"""nervaluate 1.2.1, recorded: no difference."""

from __future__ import annotations

from answers import nervaluate
from spanrs.compat.nervaluate import Evaluator


def test_tags(evaluators):
    compared = refused = 0
    for row in evaluators.rows("nervaluate"):
        pair = evaluators.pairs[row["id"]]
        assert nervaluate.of_tags(Evaluator, pair["g"], pair["p"]) == row["o"], row["id"]
        compared += 1
        refused += "err" in row["o"]["1"]
    assert compared > evaluators.at_least(small=300, large=2000)
    assert refused > evaluators.at_least(small=20, large=100)


def test_span_sets(evaluators):
    sets = {row["id"]: row for row in evaluators.rows("faireval_spansets")}
    compared = 0
    for row in evaluators.rows("nervaluate_spansets"):
        gold, pred = (sets[row["id"]][side] for side in "ty")
        assert nervaluate.of_spans(Evaluator, gold, pred) | {"id": row["id"]} == row
        compared += 1
    assert compared > evaluators.at_least(small=80, large=1000)
