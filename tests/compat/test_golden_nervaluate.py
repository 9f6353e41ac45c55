"""nervaluate 1.2.1, recorded: no difference."""

from __future__ import annotations

import golden
from spanrs.compat.nervaluate import Evaluator
from spanrs.compat.nervaluate.entities import CATEGORIES

MEASURES = ("precision", "recall", "f1")


def numbers(result, names):
    return [getattr(result, name) for name in names]


def by_strategy(results, names):
    return {name: numbers(result, names) for name, result in results.items()}


def places(indices):
    return [[list(place) for place in getattr(indices, f"{name}_indices")] for name in CATEGORIES]


def evaluated(gold, pred, tags, **options):
    """What the evaluator answers, or how it refuses."""
    try:
        return Evaluator([gold], [pred], tags=tags, loader="list", **options).evaluate()
    except Exception as error:
        return {"err": type(error).__name__, "msg": str(error)}


def test_tags(evaluators):
    pairs = golden.pairs(evaluators)
    tags = ["PER", "LOC", "ORG", "creative-work"]
    compared = refused = 0
    for row in golden.rows(evaluators / "nervaluate.jsonl.gz"):
        sides = [pairs[row["id"]][side] for side in "gp"]
        whole, half = row["o"]["1"], row["o"]["50"]
        found = evaluated(*sides, tags)
        found_half = evaluated(*sides, tags, min_overlap_percentage=50)
        compared += 1
        if "err" in whole:
            assert (found, found_half) == (whole, half), row["id"]
            refused += 1
            continue
        everything = (*CATEGORIES, "actual", "possible", *MEASURES)
        assert by_strategy(found["overall"], everything) == whole["o"], row["id"]
        assert {n: places(i) for n, i in found["overall_indices"].items()} == whole["oi"], row["id"]
        by_tag = {tag: by_strategy(r, everything[:7]) for tag, r in found["entities"].items()}
        assert by_tag == whole["e"], row["id"]
        assert by_strategy(found_half["overall"], CATEGORIES) == half, row["id"]
    assert compared > 2000
    assert refused > 100


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
            assert by_strategy(found["overall"], (*CATEGORIES, *MEASURES)) == overall, row["id"]
            if percentage == "1":
                by_tag = {tag: by_strategy(r, CATEGORIES) for tag, r in found["entities"].items()}
                assert by_tag == expected["e"], row["id"]
        compared += 1
    assert compared > 1000
