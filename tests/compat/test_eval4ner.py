"""The drop-in for eval4ner, beside recorded outputs of version 0.1.0 (``make peers RECORD=eval4ner``)."""

from __future__ import annotations

import pytest

from recordings import peer_cases
from spanrs import compat
from spanrs.compat.eval4ner import muc


def pairs(side):
    return [[tuple(one) for one in row] for row in side]


def test_results_and_output_are_those_recorded(capsys):
    for (preds, golds, texts), (totals, ones, printed) in peer_cases("eval4ner", "eval4ner==0.1.0"):
        assert muc.evaluate_all(pairs(preds), pairs(golds), texts) == totals
        assert capsys.readouterr().out == printed
        for pred, gold, text, one in zip(pairs(preds), pairs(golds), texts, ones, strict=True):
            assert muc.evaluate_one(pred, gold, text) == one


def test_arguments_are_not_changed_and_lists_are_accepted():
    pred, gold = [["PER", "Jones"]], [["PER", "John Jones"]]
    scores = muc.evaluate_one(pred, gold, "John Jones")
    assert (pred, gold) == ([["PER", "Jones"]], [["PER", "John Jones"]])
    assert scores["partial"]["partial"] == 1


def test_unsuitable_corpora_are_refused():
    with pytest.raises(AssertionError, match="are not equal"):
        muc.evaluate_all([[]], [], [""])
    with pytest.raises(ValueError, match="no texts"):
        muc.evaluate_all([], [], [])


def test_it_can_be_activated():
    with compat.activate("eval4ner"):
        import eval4ner.muc

        assert eval4ner.muc is muc
        assert eval4ner.name == "eval4ner"
