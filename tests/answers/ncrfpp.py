"""Answers of NCRF++'s scorer: measures and spans under BIO and BMES."""

from __future__ import annotations

import contextlib
import io

import answers


def measure(ncrfpp, gold, pred):
    def measured(scheme):
        # The numbers of tokens are printed.
        with contextlib.redirect_stdout(io.StringIO()):
            return answers.attempt(lambda: list(ncrfpp.get_ner_fmeasure([gold], [pred], scheme)))

    row = {scheme: measured(scheme) for scheme in ("BIO", "BMES")}
    return row | {"gb": ncrfpp.get_ner_BIO(pred), "gm": ncrfpp.get_ner_BMES(pred)}
