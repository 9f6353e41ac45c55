"""Aggregation with the calls of crowd-kit, beside crowd-kit 1.4.2 from PyPI."""

from __future__ import annotations

import random
import warnings

import numpy as np
import pandas as pd
import pytest

from spanrs.compat.crowdkit import aggregation as ours

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from crowdkit import aggregation as theirs


def frame(seed):
    rng = random.Random(seed)
    tasks, workers, labels = rng.randint(1, 30), rng.randint(1, 6), rng.randint(1, 4)
    rows = []
    for task in range(tasks):
        truth = rng.randrange(labels)
        for worker in rng.sample(range(workers), rng.randint(1, workers)):
            # Tasks repeat, so that a worker may answer one twice.
            label = "abcd"[truth if rng.random() < 0.7 else rng.randrange(labels)]
            rows.append((f"t{task * 7 % max(tasks - 2, 1)}", f"w{worker}", label))
    rng.shuffle(rows)
    return pd.DataFrame(rows, columns=["task", "worker", "label"])


def fitted(module, name, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(module, name)().fit(*args)


def ordered(found):
    """Rows and columns in order; those of crowd-kit are in the order of pandas' value counts."""
    return found.sort_index()[sorted(found.columns)]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("name", ["MajorityVote", "DawidSkene", "OneCoinDawidSkene"])
def test_results_are_those_there(name, seed):
    data = frame(seed)
    expected, got = fitted(theirs, name, data.copy()), fitted(ours, name, data)
    pd.testing.assert_frame_equal(
        ordered(got.probas_), ordered(expected.probas_), check_names=False, rtol=1e-6, atol=1e-9
    )
    assert (got.labels_.sort_index() == ordered(expected.probas_).idxmax(axis="columns")).all()
    if name == "MajorityVote":
        return
    np.testing.assert_allclose(got.loss_history_, expected.loss_history_, rtol=1e-9)
    np.testing.assert_allclose(got.priors_.sort_index(), expected.priors_.sort_index(), rtol=1e-6)
    pd.testing.assert_frame_equal(
        ordered(got.errors_), ordered(expected.errors_), check_names=False, rtol=1e-6, atol=1e-9
    )
    if name == "OneCoinDawidSkene":
        pd.testing.assert_series_equal(
            got.skills_.sort_index(), expected.skills_.sort_index(), check_names=False
        )


def test_skills_of_a_majority_without_ties_are_those_there():
    rows = [(f"t{at}", f"w{w}", "x" if (at + w) % 4 else "y") for at in range(20) for w in range(3)]
    data = pd.DataFrame(rows, columns=["task", "worker", "label"])
    expected = fitted(theirs, "MajorityVote", data)
    got = fitted(ours, "MajorityVote", data)
    pd.testing.assert_series_equal(got.skills_, expected.skills_.sort_index(), check_names=False)


@pytest.mark.parametrize("seed", range(20))
def test_known_labels_are_kept(seed):
    data = frame(seed)
    rng = random.Random(seed)
    tasks = sorted(set(data.task))
    known = pd.Series(
        {task: rng.choice(sorted(set(data.label))) for task in tasks[: len(tasks) // 3]}, dtype=object
    )
    expected, got = (
        fitted(theirs, "DawidSkene", data.copy(), known),
        fitted(ours, "DawidSkene", data, known),
    )
    pd.testing.assert_frame_equal(
        ordered(got.probas_), ordered(expected.probas_), check_names=False, rtol=1e-5, atol=1e-7
    )
    assert (got.labels_[known.index] == known).all()


def test_calls_return_series_and_frames():
    data = frame(1)
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
        ours.DawidSkene().fit(frame(3), pd.Series({"t0": "z"}))
