"""seqeval 1.2.2, recorded: the spans of its default and its strict mode."""

from __future__ import annotations

from collections import Counter

from spanrs import tags

CLEAN = {"valid", "noisy", "malformed", "bothmal"}


def spans(sequence, scheme, reading):
    return [[s.type, s.start, s.end] for s in tags.tags_to_spans(sequence, scheme, reading)]


def compare(evaluators, name, reading, *, inclusive):
    """Number of compared and differing sides by scheme."""
    compared, different = Counter(), Counter()
    for row in evaluators.rows(name):
        pair = evaluators.pairs[row["id"]]
        if pair["c"] not in CLEAN:
            continue
        for side in "gp":
            expected = [[t, b, e + inclusive] for t, b, e in row["o"]["e" + side]]
            compared[pair["s"]] += 1
            different[pair["s"]] += spans(pair[side], pair["s"], reading) != expected
    return compared, +different


def test_reading_seqeval_is_the_default_mode_for_every_scheme(evaluators):
    compared, different = compare(evaluators, "seqeval_default", "seqeval", inclusive=True)
    assert sum(compared.values()) > evaluators.at_least(small=450, large=3000)
    assert len(compared) == 8
    assert different == {}


def test_reading_conlleval_is_the_default_mode_where_seqeval_knows_the_letters(evaluators):
    _, different = compare(evaluators, "seqeval_default", "conlleval", inclusive=True)
    # The default mode does not support the letters L, U, M and W.
    assert set(different) <= {"BILOU", "BMEOW", "BMES"}, different


def test_reading_seqeval_strict_is_the_strict_mode(evaluators):
    compared, different = compare(evaluators, "seqeval_strict", "seqeval-strict", inclusive=False)
    assert sum(compared.values()) > evaluators.at_least(small=350, large=2000)
    assert len(compared) == 6
    assert different == {}


def test_reading_strict_is_the_strict_mode_but_for_its_gaps(evaluators):
    _, different = compare(evaluators, "seqeval_strict", "strict", inclusive=False)
    # Listed in docs/compare.md: `B-A B-B` in IOB, spans of one token in IOE1.
    assert set(different) <= {"IOB1", "IOE1"}, different
