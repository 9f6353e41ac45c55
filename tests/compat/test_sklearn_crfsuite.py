"""Differential tests of compat.sklearn_crfsuite, and model selection with scikit-learn."""

from __future__ import annotations

import inspect
import os
import pickle
import random
import subprocess
import sys
from typing import Any

import joblib
import numpy as np
import pytest
import sklearn_crfsuite
import sklearn_crfsuite.metrics
import sklearn_crfsuite.scorers
import sklearn_crfsuite.utils
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import RandomizedSearchCV, cross_val_predict, cross_val_score
from sklearn.utils.validation import check_is_fitted
from tabulate import tabulate

from spanrs import compat
from spanrs.compat import sklearn_crfsuite as ours
from spanrs.compat.sklearn_crfsuite import metrics, scorers, utils
from spanrs.compat.sklearn_crfsuite.trainer import score_table

Data = tuple[list[list[dict[str, Any]]], list[list[str]]]


def generated(sequences: int, seed: int, length: int | None = None) -> Data:
    rng = random.Random(seed)
    inputs, targets = [], []
    for _ in range(sequences):
        labels = [rng.choice(["O", "O", "B-PER", "B-LOC"]) for _ in range(length or rng.randint(1, 9))]
        inputs.append([{"word": f"{label[-1]}{rng.randint(0, 9)}", "bias": 1.0} for label in labels])
        targets.append([label if rng.random() < 0.9 else "O" for label in labels])
    return inputs, targets


@pytest.fixture(scope="module")
def data() -> Data:
    return generated(120, 1)


@pytest.fixture(scope="module")
def unseen() -> Data:
    return generated(60, 2)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"c1": 0.1, "c2": 0.1, "all_possible_transitions": True, "delta": 1e-9, "max_iterations": 300},
        {"algorithm": "lbfgs", "min_freq": 2, "all_possible_states": True, "c2": 0.5},
    ],
)
def test_estimators_agree(params, data, unseen):
    theirs, mine = sklearn_crfsuite.CRF(**params).fit(*data), ours.CRF(**params).fit(*data)
    assert mine.classes_ == theirs.classes_
    assert mine.training_log_.featgen_num_features == theirs.training_log_.featgen_num_features
    assert mine.score(*unseen) == pytest.approx(theirs.score(*unseen), abs=0.01)
    for name in ("state_features_", "transition_features_"):
        weights, expected = getattr(mine, name), getattr(theirs, name)
        for key in weights.keys() | expected.keys():
            assert weights.get(key, 0.0) == pytest.approx(expected.get(key, 0.0), abs=0.02)
    assert set(mine.attributes_) == set(theirs.attributes_)
    assert len(mine.attributes_) == mine.num_attributes_
    assert os.path.getsize(mine.modelfile.name) == mine.size_


@pytest.mark.parametrize("length", [None, 4])
def test_predictions_from_the_same_model(length, data):
    theirs = sklearn_crfsuite.CRF().fit(*data)
    mine = ours.CRF(model_filename=theirs.modelfile.name)
    inputs, _ = generated(20, 3, length)
    for method in ("predict", "predict_marginals"):
        expected, actual = getattr(theirs, method)(inputs), getattr(mine, method)(inputs)
        assert actual.dtype == expected.dtype
        assert actual.shape == expected.shape
    assert [list(labels) for labels in mine.predict(inputs)] == [list(y) for y in theirs.predict(inputs)]
    for sequence in inputs:
        assert mine.predict_single(sequence) == theirs.predict_single(sequence)
        rows = zip(
            mine.predict_marginals_single(sequence), theirs.predict_marginals_single(sequence), strict=True
        )
        for actual, expected in rows:
            assert actual == pytest.approx(expected, abs=1e-9)
    assert mine.transition_features_ == theirs.transition_features_
    assert mine.state_features_ == theirs.state_features_
    assert mine.attributes_ == theirs.attributes_
    assert mine.size_ == theirs.size_


def test_parameters_are_the_same():
    theirs, mine = sklearn_crfsuite.CRF(c1=0.5), ours.CRF(c1=0.5)
    assert mine.get_params() == theirs.get_params()
    assert list(mine.get_params()) == list(theirs.get_params())
    assert (
        inspect.signature(ours.CRF).parameters.keys() == inspect.signature(type(theirs)).parameters.keys()
    )
    assert mine.set_params(c2=3).c2 == 3
    assert repr(mine) == repr(theirs.set_params(c2=3)) == "CRF(c1=0.5, c2=3)"
    with pytest.raises(ValueError, match="Invalid parameter 'foo' for estimator CRF") as caught:
        mine.set_params(foo=1)
    with pytest.raises(ValueError, match="Invalid parameter") as expected:
        theirs.set_params(foo=1)
    assert str(caught.value) == str(expected.value)
    for name in ("tagger_", "classes_", "size_", "num_attributes_", "attributes_", "training_log_"):
        assert getattr(mine, name) is None
    with pytest.raises(AttributeError):
        mine.predict([[{}]])
    with pytest.raises(ValueError, match="Pass both X_dev and y_dev"):
        mine.fit([], [], X_dev=[])
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is shorter"):
        mine.fit([[{}]], [])


def test_all_parameters_of_training_are_passed_on(data):
    values = {"algorithm": "pa", "pa_type": 2, "c": 0.5, "error_sensitive": False, "averaging": False}
    crf = ours.CRF(**values, epsilon=0.1, max_iterations=3, min_freq=2).fit(*data)
    log = crf.training_log_.log
    for line in (
        "type: 2\n",
        "c: 0.500000\n",
        "error_sensitive: 0\n",
        "averaging: 0\n",
        "max_iterations: 3\n",
    ):
        assert line in log
    assert "feature.minfreq: 2.000000\n" in log
    with pytest.raises(ValueError, match="Parameter not found: gamma"):
        ours.CRF(algorithm="lbfgs", gamma=1).fit(*data)


def test_tutorial(data, unseen):
    crf = ours.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=40, all_possible_transitions=True).fit(
        *data
    )
    labels = [label for label in crf.classes_ if label != "O"]
    pred = crf.predict(unseen[0])
    f1 = metrics.flat_f1_score(unseen[1], pred, average="weighted", labels=labels)
    assert f1 > 0.8
    report = metrics.flat_classification_report(unseen[1], pred, labels=sorted(labels), digits=3)
    assert "B-PER" in report
    copy = clone(crf)
    assert copy.get_params() == crf.get_params()
    assert copy.training_log_ is None
    check_is_fitted(crf)
    scorer = make_scorer(metrics.flat_f1_score, average="weighted", labels=labels)
    scores = cross_val_score(crf, *data, cv=3, scoring=scorer)
    assert (scores > 0.6).all()
    assert len(cross_val_predict(crf, *data, cv=3)) == len(data[0])
    collected = {}
    for package, scoring in ((sklearn_crfsuite.CRF, scorer), (ours.CRF, scorers.flat_accuracy)):
        search = RandomizedSearchCV(
            package(algorithm="lbfgs", max_iterations=20),
            {"c1": [0.01, 0.1, 1.0], "c2": [0.01, 0.1]},
            cv=3,
            n_jobs=2,
            n_iter=3,
            random_state=0,
            scoring=scoring,
        ).fit(*data)
        assert search.best_estimator_.predict(unseen[0]).shape == (len(unseen[0]),)
        collected[package] = search.best_params_
    assert collected[ours.CRF].keys() == collected[sklearn_crfsuite.CRF].keys()


def test_pickles(data, unseen, tmp_path):
    crf = ours.CRF(c2=0.1).fit(*data)
    expected = [list(labels) for labels in crf.predict(unseen[0])]
    joblib.dump(crf, tmp_path / "crf.joblib")
    for load in (lambda: pickle.loads(pickle.dumps(crf)), lambda: joblib.load(tmp_path / "crf.joblib")):
        copy = load()
        assert [list(labels) for labels in copy.predict(unseen[0])] == expected
        assert copy.modelfile.name != crf.modelfile.name
        name = copy.modelfile.name
        del copy
        assert not os.path.exists(name)
    for pred in joblib.Parallel(n_jobs=2)(joblib.delayed(crf.predict)(unseen[0]) for _ in range(2)):
        assert [list(labels) for labels in pred] == expected
    assert os.path.exists(crf.modelfile.name)
    assert pickle.loads(pickle.dumps(ours.CRF())).tagger_ is None


def test_their_pickles_are_read_while_activated(data, unseen):
    theirs = sklearn_crfsuite.CRF(c2=0.1).fit(*data)
    content = pickle.dumps(theirs)
    with compat.activate("sklearn_crfsuite", "pycrfsuite"):
        crf = pickle.loads(content)
    assert type(crf) is ours.CRF
    assert [list(y) for y in crf.predict(unseen[0])] == [list(y) for y in theirs.predict(unseen[0])]
    assert crf.training_log_.last_iteration == theirs.training_log_.last_iteration


def test_files(data, tmp_path):
    path = str(tmp_path / "model")
    crf = ours.CRF(model_filename=path).fit(*data)
    del crf
    assert ours.CRF(model_filename=path).classes_
    crf = ours.CRF(keep_tempfiles=True).fit(*data)
    name = crf.modelfile.name
    del crf
    assert os.path.exists(name)
    os.unlink(name)


def test_progress_is_printed(data, capsys):
    crf = ours.CRF(verbose=True, max_iterations=2).fit(*data, X_dev=data[0][:20], y_dev=data[1][:20])
    printed = capsys.readouterr().out
    assert "Iter 2   time=" in printed
    assert "Acc(item/seq)=" in printed
    assert "Label      Precision    Recall     F1    Support" in printed
    assert set(crf.training_log_.last_iteration["scores"]) == set(crf.classes_)


score = st.one_of(st.none(), st.floats(0, 1))
rows = st.tuples(
    st.text("BIO-PERLOC", min_size=1).map("x{}".format),
    score,
    score,
    st.floats(0, 1),
    st.integers(0, 10**9),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(rows, min_size=1, max_size=5))
def test_tables_are_those_of_tabulate(table):
    if all(row[column] is not None for row in table for column in (1, 2)):
        headers = ["Label", "Precision", "Recall", "F1", "Support"]
        expected = tabulate(table, headers=headers, floatfmt="0.3f")
        assert [line.rstrip() for line in score_table(table).split("\n")] == [
            line.rstrip() for line in expected.split("\n")
        ]
    else:
        assert len(set(map(len, score_table(table).split("\n")))) == 1


labels = st.lists(
    st.lists(st.sampled_from(["O", "B", "I"]), min_size=1, max_size=4), min_size=1, max_size=5
)


@settings(max_examples=25, deadline=None)
@given(labels, st.randoms())
def test_metrics_are_the_same(gold, rng):
    pred = [[rng.choice("OBI") for _ in values] for values in gold]
    options = {"average": "weighted", "zero_division": 0.0}
    for name, kwargs in (
        ("flat_accuracy_score", {}),
        ("flat_precision_score", options),
        ("flat_recall_score", options),
        ("flat_f1_score", options),
        ("flat_fbeta_score", options | {"beta": 0.5}),
        ("flat_classification_report", {"zero_division": 0.0}),
    ):
        expected = getattr(sklearn_crfsuite.metrics, name)(gold, pred, **kwargs)
        assert getattr(metrics, name)(gold, pred, **kwargs) == expected
    if len({len(values) for values in gold}) > 1:
        expected = sklearn_crfsuite.metrics.sequence_accuracy_score(gold, pred)
        assert metrics.sequence_accuracy_score(gold, pred) == expected
    assert utils.flatten(gold) == sklearn_crfsuite.utils.flatten(gold)


def test_sequence_accuracy_of_equal_lengths():
    gold, pred = [["O", "B"], ["O", "O"]], [["O", "B"], ["O", "B"]]
    assert sklearn_crfsuite.metrics.sequence_accuracy_score(gold, pred) == 1.5
    assert metrics.sequence_accuracy_score(gold, pred) == 0.5
    assert metrics.sequence_accuracy_score(np.array(gold), np.array(pred)) == 0.5
    assert metrics.sequence_accuracy_score([], []) == 0


def test_scorers():
    assert scorers.flat_accuracy is scorers.flat_accuracy
    assert (
        pickle.loads(pickle.dumps(scorers.sequence_accuracy))._score_func is metrics.sequence_accuracy_score
    )
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = scorers.nothing


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("sklearn", "tqdm", "tabulate", "pycrfsuite", "sklearn_crfsuite", "scipy"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from spanrs import compat
compat.activate("pycrfsuite", "sklearn_crfsuite")
import sklearn_crfsuite, sklearn_crfsuite.metrics, sklearn_crfsuite.scorers
X = [[{"a": 1}, {"b": 1}]] * 3
crf = sklearn_crfsuite.CRF(c2=0.01, verbose=True).fit(X, [["x", "y"]] * 3)
print(list(crf.predict(X)[0]), crf.set_params(c1=1).get_params()["c1"])
print(sklearn_crfsuite.metrics.sequence_accuracy_score([["x", "y"]], crf.predict(X[:1])))
"""


def test_nothing_need_be_installed():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("['x', 'y'] 1\n1.0\n")
