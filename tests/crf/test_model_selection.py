"""CRF in the model selection of scikit-learn, and the parameters that it shares with sklearn-crfsuite."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate

from spanrs import score
from spanrs.compat import sklearn_crfsuite
from spanrs.crf import CRF, span_f1
from spanrs.errors import ModelError, SchemeError

X = [[{"w": "Ada"}, {"w": "sleeps"}], [{"w": "Ada"}], [{"w": "Rio"}, {"w": "glows"}, {"w": "x"}]] * 4
Y = [["B-PER", "O"], ["B-PER"], ["B-LOC", "I-LOC", "O"]] * 4


@pytest.mark.parametrize("step", [1, 3])
def test_cross_validated_predictions_are_an_array_of_lists(step):
    sentences, tags = X[::step], Y[::step]
    actual = cross_val_predict(CRF(c2=0.01), sentences, tags, cv=2)
    assert (actual.dtype, actual.shape) == (np.dtype(object), (len(sentences),))
    assert actual.tolist() == tags
    assert all(type(labels) is list for labels in actual)
    assert score(tags, actual).micro.f1 == 1
    expected = cross_val_predict(sklearn_crfsuite.CRF(c2=0.01), sentences, tags, cv=2)
    assert [list(labels) for labels in expected] == tags


def test_predictions_are_lists():
    crf = CRF(c2=0.01).fit(X, Y)
    for item in (crf.predict(X), crf.predict_posterior(X)):
        assert isinstance(item, list)
        assert item == Y
        assert repr(item) == repr(Y)
        assert pickle.loads(pickle.dumps(item)) == Y
        assert score(Y, item).signature == score(Y, list(item)).signature
        assert np.array(item).shape == (len(X),)
        assert np.asarray(item, dtype=object).tolist() == Y
    assert np.asarray(crf.predict([])).shape == (0,)
    with pytest.raises(ValueError, match="without a copy"):
        crf.predict(X).__array__(copy=False)


def test_span_f1_is_a_scorer():
    assert cross_val_score(CRF(c2=0.01), X, Y, cv=3, scoring=span_f1).tolist() == [1, 1, 1]
    search = GridSearchCV(CRF(), {"c2": [0.01, 1000]}, scoring=span_f1, cv=2, error_score="raise").fit(X, Y)
    assert search.best_params_ == {"c2": 0.01}
    scores = cross_validate(CRF(c2=0.01), X, Y, cv=2, scoring={"f1": span_f1})
    assert scores["test_f1"].tolist() == [1, 1]
    assert span_f1(sklearn_crfsuite.CRF(c2=0.01).fit(X, Y), X, Y) == 1


def test_span_f1_is_the_score_of_spans():
    crf = CRF(c2=0.01).fit(X, Y)
    gold = [["B-PER", "O"], ["B-LOC"], ["B-LOC", "O", "O"]]
    assert span_f1(crf, X[:3], gold) == score(gold, crf.predict(X[:3])).micro.f1 == pytest.approx(1 / 3)
    assert span_f1(CRF().fit(X[:2], [["O", "O"], ["O"]]), X[:2], [["O", "O"], ["O"]]) == 0
    parts = [["NN", "VB"], ["NN"]]
    with pytest.raises(SchemeError, match="tags with types, such as B-PER, not 'NN', 'VB'"):
        span_f1(CRF().fit(X[:2], parts), X[:2], parts)


def test_the_model_is_written_and_read(tmp_path):
    path = tmp_path / "model"
    crf = CRF(c2=0.01, model_filename=path, scheme="auto").fit(X, Y)
    assert [file.name for file in tmp_path.iterdir()] == ["model"]
    loaded = CRF(model_filename=str(path))
    assert loaded.predict(X) == crf.predict(X)
    assert loaded.classes_ == crf.classes_
    assert (
        CRF.load(path).get_params() == clone(crf).set_params(model_filename=None, scheme="BIO").get_params()
    )
    before = path.read_bytes()
    with pytest.raises(ModelError):
        CRF(model_filename=path).fit([[{"a": 1e308}]], [["A"]])
    assert path.read_bytes() == before
    with pytest.raises(ModelError, match="not fitted"):
        CRF(model_filename=tmp_path / "nothing").predict(X)


def test_verbose_shows_progress(capfd):
    CRF(max_iter=2, verbose=True).fit(X, Y)
    lines = capfd.readouterr().err.splitlines()
    assert [line.split("  ")[0] for line in lines] == ["iteration 1", "iteration 2"]
    CRF(max_iter=2, verbose=True, progress=False).fit(X, Y)
    CRF(max_iter=2).fit(X, Y)
    assert capfd.readouterr().err == ""
    assert repr(clone(CRF(verbose=True))) == "CRF(verbose=True)"
