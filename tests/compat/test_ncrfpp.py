"""Recorded measures of NCRF++, and special cases of its files."""

from __future__ import annotations

import pytest

import answers.ncrfpp
from spanrs.compat import ncrfpp


def test_measures_and_spans_are_those_recorded(evaluators):
    compared, different = 0, []
    for row in evaluators.rows("ncrfpp"):
        pair = evaluators.pairs[row["id"]]
        got = answers.ncrfpp.measure(ncrfpp, pair["g"], pair["p"])
        compared += 1
        if got != row["o"]:
            different.append((row["id"], got, row["o"]))
    assert compared > evaluators.at_least(small=300, large=1500)
    assert different == []


def test_sentences_are_summed_and_the_tokens_printed(capsys):
    gold = [["B-A", "I-A"], ["S-B"], ["b-a", "e-a", "O"]]
    pred = [["B-A", "O"], ["S-B"], ["B-A", "E-A", "O"]]
    assert ncrfpp.get_ner_fmeasure(gold, pred, "BIOES") == (0.5, 1.0, 1.0, 1.0)
    assert capsys.readouterr().out == "Right token =  3  All token =  6  acc =  0.5\n"
    ncrfpp.get_ner_fmeasure(gold, pred, "b-x")
    assert capsys.readouterr().out == "gold_num =  2  pred_num =  2  right_num =  1\n"


def test_a_shorter_prediction_is_an_error():
    for gold, pred in (([["O"], ["O"]], [["O"]]), ([["O", "O"]], [["O"]])):
        with pytest.raises(IndexError, match="list index out of range"):
            ncrfpp.get_ner_fmeasure(gold, pred)
    with pytest.raises(ZeroDivisionError):
        ncrfpp.get_ner_fmeasure([], [])


def test_names_may_hold_brackets():
    assert ncrfpp.get_ner_BIO(["B-X[Y", "O"]) == ["[Y[0,0]X"]
    assert ncrfpp.get_ner_BIO(["B-", "I-", "B-A", "O"]) == ["[2,2]A"]
    assert ncrfpp.get_ner_BMES(["S-", "WEB-SITE", "E-X"]) == ["[0]", "[1,2]WESITE"]


def test_files_are_read_to_the_last_empty_line(tmp_path, capsys):
    path = tmp_path / "f"
    path.write_text("##score## 0.5\na B-A B-A\nb O O\n\nlost B-A O\n")
    assert ncrfpp.readTwoLabelSentence(str(path)) == ([["a", "b"]], [["B-A", "O"]], [["B-A", "O"]])
    assert ncrfpp.readSentence(str(path))[1] == [["0.5", "B-A", "O"]]
    ncrfpp.fmeasure_from_singlefile(str(path), "BIO")
    ncrfpp.fmeasure_from_file(str(path), str(path), "BIO")
    assert "P:1.0, R:1.0, F:1.0" in capsys.readouterr().out
