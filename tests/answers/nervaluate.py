"""Answers of nervaluate 1.2.1: counts and indices of all strategies, of tags and of span dictionaries."""

from __future__ import annotations

import answers

TAGS = ["PER", "LOC", "ORG", "creative-work"]
STRATEGIES = ("strict", "partial", "ent_type", "exact")
CATEGORIES = ("correct", "incorrect", "partial", "missed", "spurious")
MEASURES = ("precision", "recall", "f1")


def by_strategy(results, names):
    return {strategy: [getattr(results[strategy], name) for name in names] for strategy in STRATEGIES}


def places(indices):
    return [[list(place) for place in getattr(indices, f"{name}_indices")] for name in CATEGORIES]


def of_tags(evaluator, gold, pred):
    """Evaluate two lists of tags; `evaluator` is the class."""

    def evaluated(**options):
        return answers.attempt(
            lambda: evaluator([gold], [pred], tags=TAGS, loader="list", **options).evaluate()
        )

    whole, half = evaluated(), evaluated(min_overlap_percentage=50)
    if "err" in whole:
        return {"1": whole, "50": half}
    everything = (*CATEGORIES, "actual", "possible", *MEASURES)
    return {
        "1": {
            "o": by_strategy(whole["overall"], everything),
            "oi": {name: places(whole["overall_indices"][name]) for name in STRATEGIES},
            "e": {tag: by_strategy(r, everything[:7]) for tag, r in sorted(whole["entities"].items())},
        },
        "50": by_strategy(half["overall"], CATEGORIES),
    }


def of_spans(evaluator, gold, pred):
    """Evaluate two lists of spans [label, begin, end, tokens]; ends are inclusive."""
    sides = [[[{"label": s[0], "start": s[1], "end": s[2]} for s in side]] for side in (gold, pred)]
    tags = sorted({span["label"] for side in sides for span in side[0]})
    row = {}
    for percentage in ("1", "50", "100"):
        options = {"tags": tags, "loader": "dict", "min_overlap_percentage": float(percentage)}
        result = evaluator(*sides, **options).evaluate()
        row[percentage] = by_strategy(result["overall"], (*CATEGORIES, *MEASURES))
        if percentage == "1":
            by_tag = {tag: by_strategy(r, CATEGORIES) for tag, r in sorted(result["entities"].items())}
            row["1"] = {"o": row["1"], "e": by_tag}
    return row
