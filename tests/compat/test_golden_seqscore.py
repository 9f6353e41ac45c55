"""seqscore 0.9.0, recorded: every encoding and repair method."""

from __future__ import annotations

import golden
from spanrs.compat.seqscore.scoring import score_label_sequences


def scored(pred, gold, encoding, repair):
    try:
        score, accuracy = score_label_sequences([pred], [gold], encoding, repair=repair)
    except Exception as error:  # whatever it is, it is compared
        return {"err": type(error).__name__, "msg": str(error)}
    types = {name: [s.true_pos, s.false_pos, s.false_neg] for name, s in score.type_scores.items()}
    whole = [score.true_pos, score.false_pos, score.false_neg]
    return [*whole, accuracy.hits, accuracy.total, types]


def test_scores_and_errors_are_those_recorded(evaluators):
    pairs = golden.pairs(evaluators)
    compared, different = 0, []
    for row in golden.rows(evaluators / "seqscore.jsonl.gz"):
        pair = pairs[row["id"]]
        for setting, expected in row["o"].items():
            encoding, repair = setting.split("/")
            got = scored(pair["p"], pair["g"], encoding, None if repair == "None" else repair)
            compared += 1
            if isinstance(expected, dict) and isinstance(got, dict):
                # The recording cuts messages.
                got["msg"] = got["msg"][: len(expected["msg"])]
            if got != expected:
                different.append((row["id"], setting, got, expected))
    assert compared > 1500
    assert different == []
