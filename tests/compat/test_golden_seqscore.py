"""seqscore 0.9.0, recorded: every encoding and repair method."""

from __future__ import annotations

from answers import seqscore
from spanrs.compat.seqscore.scoring import score_label_sequences


def test_scores_and_errors_are_those_recorded(evaluators):
    compared, different = 0, []
    for row in evaluators.rows("seqscore"):
        pair = evaluators.pairs[row["id"]]
        for setting, expected in row["o"].items():
            got = seqscore.score(score_label_sequences, pair["g"], pair["p"], setting)
            compared += 1
            if got != expected:
                different.append((row["id"], setting, got, expected))
    assert compared > evaluators.at_least(small=300, large=1500)
    assert different == []
