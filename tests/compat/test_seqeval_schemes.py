"""Schemes of the original package, which a library may have imported before activation."""

from __future__ import annotations

import pytest
import seqeval.metrics
import seqeval.scheme

from spanrs.compat.seqeval import metrics, scheme

GOLD = [["B-PER", "I-PER", "I-LOC", "B-LOC"], ["O", "I-ORG"]]
PRED = [["B-PER", "I-PER", "O", "O"], ["I-PER", "I-ORG"]]


@pytest.mark.parametrize("name", ["IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"])
@pytest.mark.filterwarnings("ignore")
def test_they_mean_ours(name):
    theirs, ours = getattr(seqeval.scheme, name), getattr(scheme, name)
    for function in (metrics.classification_report, metrics.f1_score):
        results = []
        for given in (theirs, ours):
            try:
                results.append(function(GOLD, PRED, mode="strict", scheme=given))
            except ValueError as error:
                results.append(str(error))
        assert results[0] == results[1]
    real = seqeval.metrics.f1_score
    try:
        expected = real(GOLD, PRED, mode="strict", scheme=theirs)
    except ValueError as error:
        expected = str(error)
    assert results[0] == expected
