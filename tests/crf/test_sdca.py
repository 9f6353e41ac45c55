"""Dual coordinate ascent: the minimum of L-BFGS, within the bound that it reports."""

import random

import pytest

from spanrs.crf import CRF


def corpus(seed, sequences=200, labels=5, longest=12):
    """Return sequences whose labels depend on a noisy feature and on the label before."""
    rng = random.Random(seed)
    X, y = [], []
    for _ in range(sequences):
        tokens, tags, label = [], [], 0
        for _ in range(rng.randint(1, longest)):
            label = rng.choice([label, rng.randrange(labels)])
            seen = label if rng.random() < 0.8 else rng.randrange(labels)
            tokens.append([f"w{seen}.{rng.randrange(20)}", f"x{rng.randrange(500)}", "bias"])
            tags.append(f"L{label}")
        X.append(tokens)
        y.append(tags)
    return X, y


@pytest.mark.parametrize(
    ("c2", "shape"),
    [
        *[(c2, {}) for c2 in (0.01, 0.1, 1.0, 10.0)],
        (1.0, {"sequences": 1, "longest": 2000}),
        (1.0, {"sequences": 1000, "longest": 1}),
        (0.1, {"labels": 2}),
        (1.0, {"labels": 60}),
    ],
)
def test_the_loss_is_within_the_bound_of_the_minimum(c2, shape):
    X, y = corpus(1, **shape)
    sdca = CRF(c2=c2).fit(X, y)
    minimum = CRF(c2=c2, algorithm="lbfgs", epsilon=1e-7, delta=1e-10).fit(X, y).history_[-1].loss
    last = sdca.history_[-1]
    assert last.loss <= minimum * (1 + 1e-4)
    assert last.loss - last.gap <= minimum * (1 + 1e-6)
    if sdca.stopped_ == "converged":
        assert last.gap <= 1e-4 * last.loss


def test_soft_labels_and_weights_have_the_minimum_of_lbfgs():
    X, y = corpus(2)
    rng = random.Random(3)
    soft = [
        [{tag: 0.7, "L0": 0.2, "L1": 0.1} if tag not in ("L0", "L1") else {tag: 1.0} for tag in s]
        for s in y
    ]
    weights = [rng.choice([0.0, 0.5, 1.0, 3.0]) for _ in y]
    fitted = [
        CRF(algorithm=algorithm, **options).fit(X, soft, sample_weight=weights)
        for algorithm, options in [("sdca", {}), ("lbfgs", {"epsilon": 1e-7, "delta": 1e-10})]
    ]
    sdca, lbfgs = (crf.history_[-1].loss for crf in fitted)
    assert lbfgs * (1 - 1e-6) <= sdca <= lbfgs * (1 + 1e-4)


def test_a_warm_start_continues_from_the_weights():
    X, y = corpus(4)
    crf = CRF().fit(X, y)
    again = CRF().fit(X, y, start=crf)
    assert len(again.history_) < len(crf.history_)
    assert again.history_[-1].loss <= crf.history_[-1].loss * (1 + 1e-4)


def test_the_result_does_not_depend_on_threads_and_repeats():
    X, y = corpus(5)
    one, four, same = (CRF(threads=threads).fit(X, y) for threads in (1, 4, 1))
    assert one.state_features_ == four.state_features_ == same.state_features_


def test_an_l1_penalty_and_no_penalty_are_minimised_without_sweeps():
    X, y = corpus(6, sequences=60)
    for options in ({"c1": 0.5}, {"c2": 0.0, "max_iter": 40}):
        crf = CRF(**options).fit(X, y)
        assert all(iteration.gap is None for iteration in crf.history_)
        assert crf.history_[-1].loss < crf.history_[0].loss


def test_training_stops_within_the_sweeps():
    X, y = corpus(7)
    crf = CRF(max_iter=3).fit(X, y)
    assert (crf.stopped_, len(crf.history_)) == ("max_iterations", 3)
    assert CRF(patience=1, c2=0.01).fit(X, y, X[:3], y[:3]).stopped_ in ("stopped", "converged")


def test_numbers_out_of_the_range_of_sweeps_are_trained_without_them():
    X, y = corpus(8, sequences=20)
    weights = [1e-300, *[1.0] * 19]
    loss = CRF(algorithm="lbfgs").fit(X, y, sample_weight=weights).history_[-1].loss
    assert CRF().fit(X, y, sample_weight=weights).history_[-1].loss <= loss * (1 + 1e-4)
    for options in ({"c2": 1e-300, "max_iter": 30}, {"c2": 1e300}):
        assert CRF(**options).fit(X, y).history_[0].gradient_norm is not None
    partial = CRF().fit(X, [[{tag, "L0"} for tag in tags] for tags in y])
    assert all(iteration.gap is None for iteration in partial.history_)
    assert CRF().fit([[["a"] * 20, ["b"]]], [["A", "B"]]).predict([[["a"], ["b"]]]) == [["A", "B"]]


def test_large_weights_of_sentences_do_not_pass_for_convergence():
    X = [[f"w{(at * 7 + token * token) % 23}" for token in range(6)] for at in range(40)]
    y = [[f"L{(at + token) % 3}" for token in range(6)] for at in range(40)]
    losses = []
    for algorithm in ("sdca", "lbfgs"):
        crf = CRF(template="ner", algorithm=algorithm).fit(X, y, sample_weight=[1e8] * 40)
        losses.append(crf.history_[-1].loss)
    assert losses[0] <= losses[1] * 1.01
