"""The Python programs named conlleval, recorded: two scripts, and the package from PyPI."""

from __future__ import annotations

from answers import conlleval as answers
from recordings import SMALL, Recordings
from spanrs.compat import conlleval


def test_counts_are_those_recorded(evaluators):
    compared, different = 0, []
    for row in evaluators.rows("conlleval_py"):
        pair = evaluators.pairs[row["id"]]
        got = {
            "spyysalo": answers.spyysalo(conlleval.spyysalo.evaluate, pair),
            "sighsmile": answers.sighsmile(conlleval.count_chunks, pair),
        }
        compared += 1
        if got != row["o"]:
            different.append((row["id"], got, row["o"]))
    assert compared > evaluators.at_least(small=300, large=1500)
    assert different == []


def test_summaries_and_reports_of_the_package_are_those_recorded():
    # The larger set has nothing of it.
    recorded = Recordings(SMALL / "evaluators", small=True)
    rows = list(recorded.rows("conlleval_pypi"))
    assert len(rows) > 300
    for row in rows:
        got = answers.package(conlleval, recorded.pairs[row["id"]])
        if "err" in row["o"]["report"]:
            # Listed in docs/compare.md: the report of no tokens is a division by zero there.
            assert row["o"]["report"]["err"] == "ZeroDivisionError"
            assert recorded.pairs[row["id"]]["g"] == []
            assert "accuracy:   0.00%" in got.pop("report")
            del row["o"]["report"]
        assert got == row["o"], row["id"]
