"""seqeval 1.2.2, recorded: spans, scores, reports, warnings and errors of both modes."""

from __future__ import annotations

from collections import Counter

from answers.seqeval import CLASSES, Answers

OURS = Answers("spanrs.compat.seqeval")


def compare(evaluators, name, fields):
    """Number of comparisons of each field, and the differences; a row has its own tags or those of its pair."""
    compared, different = Counter(), []
    for row in evaluators.rows(name):
        for field, expected in row["o"].items():
            compared[field] += 1
            got = fields[field](evaluators.pairs[row["id"]] | row)
            if got != expected:
                different.append((row["id"], field, got, expected))
    assert set(compared) == set(fields)
    return compared, different


def test_default_mode(evaluators):
    compared, different = compare(evaluators, "seqeval_default", OURS.default())
    assert compared["f1"] == len(evaluators.pairs)
    assert different == []


def test_strict_mode(evaluators):
    compared, different = compare(evaluators, "seqeval_strict", OURS.strict())
    assert compared["f1"] == sum(pair["s"] in CLASSES for pair in evaluators.pairs.values())
    assert different == []


def test_suffix(evaluators):
    compared, different = compare(evaluators, "seqeval_suffix", OURS.suffix())
    assert compared["eg"] > evaluators.at_least(small=60, large=400)
    assert different == []
