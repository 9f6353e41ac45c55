"""Section long: the corpus as one sentence, twice as long the second time."""

from __future__ import annotations

import nervaluate
from seqeval import metrics as seqeval

import spanrs
from benches.versus.compat import OWN_STRICT, STRICT, check_overlaps, evaluated
from benches.versus.inputs import Sentences, one_sentence
from benches.versus.measure import Call, Timing, Work, in_turn, milliseconds, until
from spanrs.compat import nervaluate as own_nervaluate
from spanrs.compat.seqeval import metrics as own_seqeval

PACKAGES = ("seqeval", "nervaluate", "numpy")

SHORT_RUNS = 101


def run(work: Work) -> None:
    """20,000 and 40,000 tokens of the usual corpus."""
    length = min(20_000, work.tokens // 50)
    sizes = (length, 2 * length)
    sides = {size: (one_sentence(work.gold, size), one_sentence(work.pred, size)) for size in sizes}
    for gold, pred in sides.values():
        assert own_seqeval.f1_score(gold, pred, **OWN_STRICT) == seqeval.f1_score(gold, pred, **STRICT)
    check_overlaps(*sides[length])
    calls = {size: own(*sides[size]) for size in sizes}
    collected: dict[int, dict[str, Timing]] = {size: {} for size in sizes}
    for name in calls[length]:
        # Both lengths in turn, and often: a call takes less than the machine's whims.
        pair = in_turn({str(size): calls[size][name] for size in sizes}, SHORT_RUNS)
        for size in sizes:
            collected[size][name] = pair[str(size)]
    for size in sizes:
        collected[size] |= {name: until(call) for name, call in peers(*sides[size]).items()}
    work.record.heading(
        "One sentence",
        "Linear is 2 in the last column, quadratic 4. Peers that take more than 3 s ran once.",
    )
    heads = ("", *(f"{size} tokens, ms" for size in sizes), "runs", "this many times as long")
    work.record.table(
        heads, (row(name, [collected[size][name] for size in sizes]) for name in collected[length])
    )


def row(name: str, item: list[Timing]) -> tuple[object, ...]:
    """A line of the table."""
    times = [milliseconds(timing.median) for timing in item]
    runs = ", ".join(str(timing.runs) for timing in item)
    return (name, *times, runs, f"{item[1].median / item[0].median:.2f}")


def own(gold: Sentences, pred: Sentences) -> dict[str, Call]:
    """Our calls."""

    def score(reading: str) -> Call:
        return lambda: spanrs.score(gold, pred, scheme="BIO", reading=reading)

    def partial(matching: str) -> Call:
        return lambda: spanrs.score(gold, pred, matcher=spanrs.Partial(matching=matching), scheme="BIO")

    return {
        "spanrs.score, conlleval": score("conlleval"),
        "spanrs.score, strict": score("strict"),
        "spanrs.score, partial, greedy": partial("greedy"),
        "spanrs.score, partial, optimal": partial("optimal"),
        "spanrs.compat.seqeval f1_score": lambda: own_seqeval.f1_score(gold, pred),
        "spanrs.compat.seqeval f1_score, strict, IOB2": lambda: own_seqeval.f1_score(
            gold, pred, **OWN_STRICT
        ),
        "spanrs.compat.nervaluate Evaluator(...).evaluate()": lambda: evaluated(own_nervaluate, gold, pred),
    }


def peers(gold: Sentences, pred: Sentences) -> dict[str, Call]:
    """The same of others."""
    return {
        "seqeval f1_score": lambda: seqeval.f1_score(gold, pred),
        "seqeval f1_score, strict, IOB2": lambda: seqeval.f1_score(gold, pred, **STRICT),
        "nervaluate Evaluator(...).evaluate()": lambda: evaluated(nervaluate, gold, pred),
    }
