"""Answers of seqscore 0.9.0: counts of every encoding and repair method."""

from __future__ import annotations

import answers

#: The recording cuts messages.
CUT = 160
#: Scheme of the recorded pairs -> encodings and repair methods to record.
SETTINGS = {
    "IOB1": ["IOB/None", "IOB/conlleval", "IO/None"],
    "BIO": ["BIO/None", "BIO/conlleval", "BIO/discard", "IO/None"],
    "IOBES": ["BIOES/None"],
    "BILOU": ["BILOU/None"],
    "BMEOW": ["BMEOW/None"],
    "BMES": ["BMES/None"],
}


def score(score_label_sequences, gold, pred, setting):
    """Score one sentence under a setting `ENCODING/repair`."""
    encoding, repair = setting.split("/")
    repair = None if repair == "None" else repair
    got = answers.attempt(score_label_sequences, [pred], [gold], encoding, repair=repair, cut=CUT)
    if isinstance(got, dict):
        return got
    counts, accuracy = got
    types = {name: [s.true_pos, s.false_pos, s.false_neg] for name, s in sorted(counts.type_scores.items())}
    return [counts.true_pos, counts.false_pos, counts.false_neg, accuracy.hits, accuracy.total, types]
