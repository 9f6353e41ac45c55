"""Answers of spaCy's functions for tags: `tags_to_entities`, `iob_to_biluo`, `biluo_to_iob`."""

from __future__ import annotations

import answers

#: The recording cuts messages.
CUT = 160


def convert(module, pair):
    """Convert the tags of a pair in the schemes IOB1, BIO and BILOU; `module` has the three functions."""

    def entities(tags):
        return [list(entity) for entity in module.tags_to_entities(tags)]

    def attempt(function, tags):
        return answers.attempt(lambda: list(function(tags)), cut=CUT)

    if pair["s"] == "BILOU":
        return {
            "ents_g": attempt(entities, pair["g"]),
            "ents_p": attempt(entities, pair["p"]),
            "biluo_to_iob": attempt(module.biluo_to_iob, pair["p"]),
        }
    return {
        "biluo_p": attempt(module.iob_to_biluo, pair["p"]),
        "ents_p": attempt(lambda tags: entities(module.iob_to_biluo(tags)), pair["p"]),
    }
