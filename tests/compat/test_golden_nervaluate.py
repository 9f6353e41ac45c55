"""nervaluate 1.2.1, recorded: no difference."""

from __future__ import annotations

import golden

from spanrs.compat.nervaluate import Evaluator
from spanrs.compat.nervaluate.entities import CATEGORIES

COUNTS = CATEGORIES
MEASURES = ("precision", "recall", "f1")


def numbers(result, names):
    return [getattr(result, name) for name in names]


def by_strategy(results, names):
    return {name: numbers(result, names) for name, result in results.items()}


def places(indices):
    return [[list(place) for place in getattr(indices, f"{name}_indices")] for name in CATEGORIES]


def test_tags(evaluators):
    pairs = golden.pairs(evaluators)
    tags = ["PER", "LOC", "ORG", "creative-work"]
    compared = 0
    for row in golden.rows(evaluators / "nervaluate.jsonl.gz"):
        pair = pairs[row["id"]]
        expected = row["o"]
        if "err" in expected:
            try:
                Evaluator([pair["g"]], [pair["p"]], tags=tags, loader="list").evaluate()
            except Exception as error:
                got = {"err": type(error).__name__, "msg": str(error)}
                assert got == {key: expected[key] for key in got if key in expected} | got, row["id"]
                assert got["err"] == expected["err"], row["id"]
                assert got["msg"] == expected.get("msg", got["msg"]), row["id"]
            else:
                raise AssertionError(row)
            compared += 1
            continue
        found = Evaluator([pair["g"]], [pair["p"]], tags=tags, loader="list").evaluate()
        everything = (*COUNTS, "actual", "possible", *MEASURES)
        assert by_strategy(found["overall"], everything) == expected["1"]["o"], row["id"]
        assert {n: places(i) for n, i in found["overall_indices"].items()} == expected["1"]["oi"], row["id"]
        by_tag = {tag: by_strategy(r, everything[:7]) for tag, r in found["entities"].items()}
        assert by_tag == expected["1"]["e"], row["id"]
        half = Evaluator(
            [pair["g"]], [pair["p"]], tags=tags, loader="list", min_overlap_percentage=50
        ).evaluate()
        assert by_strategy(half["overall"], COUNTS) == expected["50"], row["id"]
        compared += 1
    assert compared > 2000


def test_span_sets(evaluators):
    sets = {row["id"]: row for row in golden.rows(evaluators / "faireval_spansets.jsonl.gz")}
    compared = 0
    for row in golden.rows(evaluators / "nervaluate_spansets.jsonl.gz"):
        sides = [
            [[{"label": s[0], "start": s[1], "end": s[2]} for s in sets[row["id"]][side]]] for side in "ty"
        ]
        tags = sorted({span["label"] for side in sides for span in side[0]})
        for percentage in ("1", "50", "100"):
            found = Evaluator(
                *sides, tags=tags, loader="dict", min_overlap_percentage=float(percentage)
            ).evaluate()
            expected = row[percentage]
            overall = expected["o"] if percentage == "1" else expected
            assert by_strategy(found["overall"], (*COUNTS, *MEASURES)) == overall, row["id"]
            if percentage == "1":
                by_tag = {tag: by_strategy(r, COUNTS) for tag, r in found["entities"].items()}
                assert by_tag == expected["e"], row["id"]
        compared += 1
    assert compared > 1000
