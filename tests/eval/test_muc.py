"""The figures of MUC-5 and SemEval-2013."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spanrs
from spanrs.eval.muc import Muc5, muc5, semeval2013

counts = st.integers(0, 50)


@given(st.tuples(counts, counts, counts, counts, counts), st.floats(0.1, 5))
def test_figures_are_the_published_formulas(numbers, beta):
    cor, par, inc, spu, mis = numbers
    figures = Muc5(cor, par, inc, spu, mis)
    pos, act = cor + inc + par + mis, cor + inc + par + spu
    expected = [
        (figures.recall, cor + 0.5 * par, pos),
        (figures.precision, cor + 0.5 * par, act),
        (figures.undergeneration, mis, pos),
        (figures.overgeneration, spu, act),
        (figures.substitution, inc + 0.5 * par, cor + par + inc),
        (figures.error_per_response_fill, inc + par / 2 + mis + spu, cor + par + inc + mis + spu),
    ]
    for value, part, whole in expected:
        assert value == (part / whole if whole else 0)
    if figures.precision and figures.recall:
        f = (beta**2 + 1) * figures.precision * figures.recall
        assert figures.f_measure(beta) == pytest.approx(f / (beta**2 * figures.precision + figures.recall))


def test_figures_of_a_result():
    gold = [["B-PER", "I-PER", "O", "B-LOC", "O", "B-ORG"]]
    pred = [["B-PER", "O", "O", "B-ORG", "B-PER", "O"]]
    result = spanrs.score(gold, pred, matcher="partial")
    assert muc5(result) == Muc5(correct=1, partial=1, incorrect=0, spurious=1, missing=1)
    assert muc5(result, "strict") == Muc5(correct=0, partial=0, incorrect=2, spurious=1, missing=1)
    assert muc5(result, per_type=True)["ORG"] == Muc5(0, 0, 0, 1, 1)
    figures = semeval2013(result)
    assert list(figures) == ["strict", "exact", "partial", "type"]
    assert figures["exact"]["COR"] == 1
    assert figures["type"] == {
        "COR": 1,
        "INC": 1,
        "PAR": 0,
        "MIS": 1,
        "SPU": 1,
        "POS": 3,
        "ACT": 3,
        "precision": 1 / 3,
        "recall": 1 / 3,
        "F1": pytest.approx(1 / 3),
    }
    for schema, criterion in zip(figures, ("strict", "bounds", "overlap", "type"), strict=True):
        assert figures[schema]["F1"] == pytest.approx(result[criterion].micro.f1)


def test_other_results_are_refused():
    result = spanrs.score([["B-A"]], [["B-A"]])
    for function in (muc5, semeval2013):
        with pytest.raises(ValueError, match="need partial matching, not the matcher exact"):
            function(result)
    with pytest.raises(ValueError, match="unknown criterion 'exact'"):
        muc5(spanrs.score([["B-A"]], [["B-A"]], matcher="partial"), "exact")
