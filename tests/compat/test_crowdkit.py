"""Aggregation with the calls of crowd-kit, beside recorded results (``make peers RECORD=crowdkit``)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from recordings import peer_cases
from spanrs.compat.crowdkit import aggregation as ours

CASES = peer_cases("crowdkit", "crowd-kit==1.4.2")


def frame(rows):
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def table(recorded):
    """A frame with rows and columns in order."""
    index, columns, values = recorded
    if index and isinstance(index[0], list):
        index = pd.MultiIndex.from_tuples(map(tuple, index))
    return pd.DataFrame(values, index=index, columns=columns)


def ordered(found):
    return found.sort_index()[sorted(found.columns)]


def test_results_are_those_recorded():
    compared = 0
    for (rows, by_task, calls), outputs in CASES:
        data, known = frame(rows), pd.Series(by_task, dtype=object)
        for (name, arguments), output in zip(calls, outputs, strict=True):
            if name == "MACE":
                continue
            expected = {key: table(output[key]) for key in ("probas", "errors") if output[key]}
            got = getattr(ours, name)(**arguments).fit(data, *([known] if len(known) else []))
            for key, values in expected.items():
                found = ordered(getattr(got, f"{key}_"))
                pd.testing.assert_frame_equal(
                    found,
                    values,
                    check_names=False,
                    check_index_type=False,
                    check_column_type=False,
                    rtol=1e-5,
                    atol=1e-7,
                )
            assert (got.labels_.sort_index() == ordered(got.probas_).idxmax(axis="columns")).all()
            assert (got.labels_[known.index] == known).all()
            compared += 1
            if name != "MajorityVote":
                np.testing.assert_allclose(got.loss_history_, output["loss_history"], rtol=1e-9, atol=1e-12)
                np.testing.assert_allclose(
                    got.priors_.sort_index(), list(output["priors"].values()), rtol=1e-5, atol=1e-9
                )
            if name == "OneCoinDawidSkene":
                np.testing.assert_allclose(
                    got.skills_.sort_index(), list(output["skills"].values()), rtol=1e-6
                )
    assert compared > 1000


def test_skills_of_a_majority_are_the_shares_of_chosen_answers():
    rows = [(f"t{at}", f"w{w}", "x" if (at + w) % 4 else "y") for at in range(20) for w in range(3)]
    got = ours.MajorityVote().fit(frame(rows))
    chosen = [
        sum(got.labels_[task] == label for task, name, label in rows if name == w)
        for w in ("w0", "w1", "w2")
    ]
    assert got.skills_.to_numpy() == pytest.approx(np.array(chosen) / 20)


def test_calls_return_series_and_frames():
    data = frame(CASES[1][0][0])
    vote = ours.MajorityVote()
    assert vote.fit_predict(data).index.name == "task"
    assert vote.fit_predict_proba(data).sum(axis=1).to_numpy() == pytest.approx(1)
    assert len(ours.DawidSkene(n_iter=2).fit(data).loss_history_) <= 2
    empty = pd.DataFrame({"task": [], "worker": [], "label": []})
    assert len(ours.DawidSkene().fit_predict(empty)) == 0


def test_unsuitable_frames_are_refused():
    with pytest.raises(KeyError, match="no column 'worker'; it needs task, worker and label"):
        ours.MajorityVote().fit(pd.DataFrame({"task": ["a"], "label": ["b"]}))
    with pytest.raises(ValueError, match="row 1 of the frame has no label"):
        ours.DawidSkene().fit(
            pd.DataFrame({"task": ["a", "b"], "worker": ["w", "w"], "label": ["x", None]})
        )
    with pytest.raises(ValueError, match="the known label 'z' is no answer"):
        ours.DawidSkene().fit(frame([("t0", "w", "a")]), pd.Series({"t0": "z"}))
