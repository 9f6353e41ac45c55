"""The contract of all estimators: scikit-learn's, with files and pickles."""

from __future__ import annotations

import inspect
import io
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_parameters_default_constructible
from sklearn.utils.validation import check_is_fitted

import small_treebanks
from spanrs import crowd, dep
from spanrs.crf import CRF
from spanrs.crf.labeller import SequenceLabeller
from spanrs.crowd.aggregator import Aggregator, CRFAggregator
from spanrs.dep.model_files import ModelEstimator
from spanrs.errors import FormatError, ModelError
from spanrs.estimator import Estimator

SENTENCES = [["Ada", "sleeps"], ["Bob", "wakes"], ["Eve", "sleeps"], ["Ada", "wakes"]]
RIGHT, WRONG = ["B-PER", "O"], ["O", "O"]
CORPUS = crowd.CrowdCorpus(SENTENCES, [{"ann": RIGHT, "ben": RIGHT, "cy": WRONG}] * 4)
TREE = dep.Parse(["They", "ate", "pizza"], [2, 0, 2], ["nsubj", "root", "obj"], xpos=["PRP", "VBD", "NN"])
#: Of each estimator, parameters that differ from the defaults, invalid ones, and the message.
CASES = {
    CRF: ({"template": "ner", "c2": 0.1}, {"max_iter": 0}, "max_iter"),
    dep.Tagger: ({"epochs": 2}, {"epochs": 0}, "epochs must be an integer of at least 1, not 0"),
    dep.Parser: (
        {"epochs": 2, "models": 1, "jackknife": 0},
        {"prune": -1.0},
        "prune must be a number of at least 0, not -1",
    ),
    dep.Segmenter: ({"epochs": 2}, {"models": 0}, "models must be an integer of at least 1, not 0"),
    dep.Morphology: ({"epochs": 2}, {"lemma_epochs": 0}, "lemma_epochs must be an integer of at least 1"),
    dep.Pipeline: (
        {"seed": 1},
        {"without": ["tagger"]},
        "without has 'tagger'; components that can be left out: segmenter, morphology",
    ),
    crowd.MajorityVote: (
        {"unit": "segment"},
        {"ties": "none"},
        "ties must be one of lowest, random, annotator, not 'none'",
    ),
    crowd.DawidSkene: ({"max_iter": 5}, {"tol": -1.0}, "tol must be a number of at least 0, not -1"),
    crowd.OneCoinDawidSkene: ({"max_iter": 5}, {"smoothing": np.nan}, "smoothing must be .*, not nan"),
    crowd.MACE: ({"max_iter": 5}, {"strategy": 0}, "strategy must be a number above 0, not 0"),
    crowd.BSCSeq: ({"max_iter": 5}, {"max_iter": 0}, "max_iter must be an integer of at least 1, not 0"),
    crowd.HMMCrowd: ({"max_iter": 5}, {"word_count": 0.0}, "word_count must be a number above 0, not 0"),
    crowd.CrossFitted: (
        {"folds": 2, "rounds": 1},
        {"folds": 1},
        "folds must be an integer of at least 2, not 1",
    ),
    crowd.ConcatenatedCRF: (
        {"template": "ner"},
        {"max_iter": 0},
        "max_iter must be an integer of at least 1",
    ),
    crowd.MultiCRF: (
        {"template": "ner", "max_iter": 2},
        {"crf_max_iter": 0},
        "crf_max_iter must be an integer",
    ),
    crowd.CRFMA: (
        {"template": "ner", "max_iter": 2},
        {"alpha": 0.5},
        "alpha must be .* at least 1, not 0.5",
    ),
}
each = pytest.mark.parametrize("kind", CASES)


def made(kind, **params):
    """An estimator that shows no progress."""
    quiet = {"progress": False} if "progress" in inspect.signature(kind).parameters else {}
    return kind(**CASES[kind][0] | quiet | params)


def fit(estimator):
    if isinstance(estimator, CRF):
        return estimator.fit(SENTENCES, [RIGHT] * 4)
    if isinstance(estimator, (dep.Segmenter, dep.Morphology, dep.Pipeline)):
        return estimator.fit(small_treebanks.path("es"))
    return estimator.fit(CORPUS if isinstance(estimator, Aggregator) else [TREE] * 5)


def predictions(estimator):
    """What a model file must preserve."""
    if isinstance(estimator, dep.Segmenter):
        return estimator.segment("Voy al mercado. No.")
    if isinstance(estimator, dep.Pipeline):
        return estimator.parse_text("Voy al mercado. No.")
    if isinstance(estimator, dep.Morphology):
        return estimator.analyse(["Voy", "a"], upos=["VERB", "ADP"])
    if isinstance(estimator, dep.Parser):
        return estimator.parse(TREE.words)
    if isinstance(estimator, dep.Tagger):
        return estimator.tag(TREE.words)
    return estimator.predict(SENTENCES)


def estimates(estimator):
    """What a pickle must preserve."""
    if isinstance(estimator, Aggregator):
        confidence = [row.tolist() for row in estimator.confidence_]
        return (
            estimator.labels_,
            confidence,
            estimator.reliability_,
            estimator.then_crf(progress=False).classes_,
        )
    return predictions(estimator)


def test_all_estimators_are_tested():
    def subclasses(kind):
        return {kind}.union(*map(subclasses, kind.__subclasses__()))

    assert subclasses(Estimator) - {
        *(Estimator, Aggregator, CRFAggregator, ModelEstimator, SequenceLabeller)
    } == set(CASES)


@each
def test_parameters_are_stored_unchanged(kind):
    check_parameters_default_constructible(kind.__name__, kind())
    names = inspect.signature(kind).parameters
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in names.values())
    values = {name: object() for name in names}
    estimator = kind(**values)
    assert vars(estimator) == values
    assert estimator.get_params(deep=False) == values


@each
def test_clones_have_equal_parameters(kind):
    estimator = fit(made(kind))
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert copy.set_params(**estimator.get_params()) is copy
    check_is_fitted(estimator)
    assert not copy.__sklearn_is_fitted__()
    assert get_tags(copy).estimator_type is None


@each
def test_changed_parameters_are_shown(kind):
    params = CASES[kind][0]
    shown = ", ".join(f"{name}={value!r}" for name, value in params.items())
    assert sorted(repr(kind(**params))[len(kind.__name__) + 1 : -1].split(", ")) == sorted(
        shown.split(", ")
    )
    assert repr(kind()) == f"{kind.__name__}()"


@each
def test_unknown_parameters_are_refused(kind):
    estimator = made(kind)
    params = estimator.get_params()
    names = ", ".join(estimator.get_params(deep=False))
    name = next(iter(params))
    for unknown in ("nothing", "nothing__seed", f"{name}__seed"):
        with pytest.raises(
            ValueError, match=f"no parameter '{unknown}' of {kind.__name__}; .* are {names}$"
        ):
            estimator.set_params(**{name: 1, unknown: 1})
    assert estimator.set_params(**params).get_params() == params


def test_parameters_of_a_tagger_are_parameters_of_its_parser():
    parser = dep.Parser(tagger=dep.Tagger(epochs=3))
    assert parser.get_params()["tagger__epochs"] == 3
    assert "tagger__epochs" not in parser.get_params(deep=False)
    assert parser.set_params(tagger__epochs=4, tagger=dep.Tagger()).tagger.epochs == 4
    assert repr(parser) == "Parser(tagger=Tagger(epochs=4))"
    with pytest.raises(ValueError, match="no parameter 'tagger__epoch"):
        dep.Parser().set_params(tagger__epochs=1)


@each
def test_parameters_are_validated_by_fit(kind):
    _, params, message = CASES[kind]
    with pytest.raises(ValueError, match=message):
        fit(made(kind, **params))


@pytest.mark.parametrize(
    ("kind", "params", "error", "message"),
    [
        (CRF, {"template": -5}, TypeError, "template must be .*, not -5"),
        (CRF, {"scheme": -5}, TypeError, "scheme must be a str such as BIO, not int"),
        (CRF, {"keep_on_interrupt": "zz"}, TypeError, "keep_on_interrupt must be a bool, not 'zz'"),
        (CRF, {"verbose": 1}, TypeError, "verbose must be a bool, not 1"),
        (CRF, {"progress": "zz"}, TypeError, "progress must be a bool, not 'zz'"),
        (CRF, {"model_filename": -5}, TypeError, "model_filename must be a path, not -5"),
        (CRF, {"max_iter": -5}, ValueError, "max_iter must be an integer of at least 1, not -5"),
        (CRF, {"max_iter": 0}, ValueError, "max_iter must be an integer of at least 1, not 0"),
        (CRF, {"max_iter": True}, TypeError, "max_iter must be an integer, not bool"),
        (CRF, {"c2": np.True_}, TypeError, "c2 must be a number, not bool"),
        (dep.Parser, {"features": -5}, TypeError, "features must be .*, not -5"),
        (dep.Parser, {"joint": "zz"}, TypeError, "joint must be a bool, not 'zz'"),
        (crowd.CRFMA, {"alpha": "zz"}, TypeError, "alpha must be a number, .*, not 'zz'"),
        (crowd.CRFMA, {"squared_f1": "zz"}, TypeError, "squared_f1 must be a bool, not 'zz'"),
        (crowd.MultiCRF, {"most_likely": "zz"}, TypeError, "most_likely must be a bool, not 'zz'"),
        (crowd.ConcatenatedCRF, {"normalized": 3}, TypeError, "normalized must be a bool, not 3"),
        (crowd.BSCSeq, {"scheme": -5}, TypeError, "scheme must be a str such as BIO, not int"),
        (crowd.MACE, {"tol": True}, TypeError, "tol must be a number, not bool"),
    ],
)
def test_messages_name_the_parameter_and_its_value(kind, params, error, message):
    with pytest.raises(error, match=f"^{message}"):
        fit(made(kind, **params))


@pytest.mark.parametrize(
    ("kind", "name"), [(CRF, "template"), (crowd.CRFMA, "template"), (dep.Parser, "features")]
)
def test_template_files_must_be_text(kind, name, tmp_path):
    path = tmp_path / "binary"
    path.write_bytes(b"\xff\n")
    with pytest.raises(FormatError, match=f"{name}: {path} is not a template"):
        fit(made(kind, **{name: path}))


@each
def test_public_attributes_are_documented(kind):
    names = {name for part in kind.__mro__ for name in vars(part) if not name.startswith("_")}
    undocumented = {name for name in names if not inspect.getdoc(getattr(kind, name))}
    assert undocumented - set(kind.__annotations__) == set()
    assert not names & {"compiled", "of", "options", "passes"}
    assert not {"agreement", "smoothing"} & names


@each
def test_pickles_keep_parameters_and_estimates(kind):
    estimator = made(kind)
    assert pickle.loads(pickle.dumps(estimator)).get_params() == estimator.get_params()
    fit(estimator)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.get_params() == estimator.get_params()
    assert estimates(again) == estimates(estimator)


@pytest.mark.parametrize("kind", CASES)
def test_fitted_attributes_do_not_exist_before(kind):
    new, estimator = made(kind), fit(made(kind))
    fitted = [name for name in dir(estimator) if name.endswith("_") and not name.startswith("_")]
    assert fitted
    assert not any(hasattr(new, name) for name in fitted)


@pytest.mark.parametrize("kind", [kind for kind in CASES if hasattr(kind, "save")])
def test_files_keep_parameters_and_predictions(kind, tmp_path):
    path = tmp_path / "model"
    with pytest.raises(ModelError, match="is not fitted"):
        made(kind).save(path)
    estimator = fit(made(kind))
    estimator.save(path)
    again = kind.load(path)
    check_is_fitted(again)
    assert predictions(again) == predictions(estimator)
    assert {name: getattr(again, name) for name in CASES[kind][0]} == CASES[kind][0]
    file = io.BytesIO()
    again.save(file)
    assert file.getvalue() == path.read_bytes()
    if issubclass(kind, CRFAggregator):
        assert CRF.load(path).predict(SENTENCES) == predictions(estimator)
        other = crowd.CRFMA if kind is not crowd.CRFMA else crowd.MultiCRF
        with pytest.raises(ModelError, match=f"not a model of {other.__name__}"):
            other.load(path)


def test_what_has_no_model_has_no_file():
    # Tagger, parser and what trains a CRF have one.
    assert {kind for kind in CASES if not hasattr(kind, "save")} == {
        kind for kind in CASES if issubclass(kind, Aggregator) and not issubclass(kind, CRFAggregator)
    }


@pytest.mark.parametrize(
    "kind", [kind for kind in CASES if "threads" in inspect.signature(kind).parameters]
)
def test_all_processors_can_be_used(kind):
    assert kind().threads == 1
    expected = estimates(fit(made(kind)))
    for threads in (None, 0):
        assert estimates(fit(made(kind, threads=threads))) == expected
    with pytest.raises(ValueError, match="threads must be 1 or more, or 0 for all processors, not -1"):
        fit(made(kind, threads=-1))


def test_arrays_are_shown_and_saved(tmp_path):
    model = made(crowd.CRFMA, alpha=np.array([1.0, 2.0, 3.0]), c2=np.float64(0.5))
    assert "alpha=array([1., 2., 3.])" in repr(model)
    fit(model).save(tmp_path / "model")
    again = crowd.CRFMA.load(tmp_path / "model")
    assert (again.alpha, again.c2) == ([1, 2, 3], 0.5)
