"""The interface of seqeval: names, signatures, types, errors, and improvements."""

from __future__ import annotations

import importlib
import inspect
import warnings

import numpy as np
import pytest

from spanrs.compat.seqeval import metrics, reporters, scheme
from spanrs.compat.seqeval.metrics import sequence_labeling, v1

MODULES = ("metrics", "metrics.sequence_labeling", "metrics.v1", "scheme", "reporters")
#: Names that only exist due to the implementation of the original.
INCIDENTAL = {
    *("List", "Optional", "Set", "Tuple", "Type", "Union", "Callable", "absolute_import", "division"),
    *(
        "print_function",
        "annotations",
        "Any",
        "TypeAlias",
        "defaultdict",
        "chain",
        "warnings",
        "np",
        "enum",
        "abc",
    ),
}
GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O"]]
PRED = [["B-PER", "I-PER", "O", "O"], ["O"]]


def modules(name):
    return importlib.import_module(f"spanrs.compat.seqeval.{name}"), importlib.import_module(
        f"seqeval.{name}"
    )


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_is_there(name):
    ours, theirs = modules(name)
    names = {n for n in dir(theirs) if not n.startswith("_")} - INCIDENTAL
    assert {n for n in names if not hasattr(ours, n)} == set()
    assert set(ours.__all__) >= names - {"sequence_labeling", "v1"}


def shape(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("name", MODULES)
def test_signatures_are_the_same(name):
    ours, theirs = modules(name)
    checked = 0
    for public in ours.__all__:
        mine, original = getattr(ours, public), getattr(theirs, public, None)
        if inspect.isfunction(original):
            assert shape(mine) == shape(original), public
            checked += 1
        if inspect.isclass(original) and original.__module__ == theirs.__name__ and "Tag" not in public:
            methods = [m for m, _ in inspect.getmembers(original, inspect.isfunction) if m[0] != "_"]
            for method in ["__init__", *methods] if public not in ("Prefix",) else []:
                assert shape(getattr(mine, method)) == shape(getattr(original, method)), (public, method)
                checked += 1
    assert checked


def test_schemes_have_the_same_patterns():
    ours, theirs = modules("scheme")

    def names(patterns):
        return {tuple(str(part) for part in pattern) for pattern in patterns}

    for name in ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU"):
        mine, original = getattr(ours, name), getattr(theirs, name)
        assert str(mine.allowed_prefix) == str(original.allowed_prefix)
        for kind in ("start_patterns", "inside_patterns", "end_patterns"):
            assert names(getattr(mine, kind)) == names(getattr(original, kind)), (name, kind)
    assert {k: v.value for k, v in ours.Prefixes.items()} == {
        k: v.value for k, v in theirs.Prefixes.items()
    }
    assert [(t.name, t.value) for t in ours.Tag] == [(t.name, t.value) for t in theirs.Tag]


def test_a_scheme_of_ones_own_is_read_by_its_patterns():
    import seqeval.metrics.v1 as real_v1
    import seqeval.scheme as real

    results = []
    for module, base in ((v1, scheme), (real_v1, real)):

        class Loose(base.IOB2):
            end_patterns = base.IOB2.end_patterns | {(base.Prefix.I, base.Prefix.I, base.Tag.ANY)}
            start_patterns = base.IOB2.start_patterns | {(base.Prefix.O, base.Prefix.I, base.Tag.ANY)}

        results.append(module.classification_report([["O", "I-PER"]], [["O", "I-PER"]], scheme=Loose))
    assert results[0] == results[1]
    assert "PER" in results[0]


def test_a_strict_score_without_a_scheme_is_that_of_default_mode():
    gold, pred = [["I-PER", "O"]], [["I-PER", "O"]]
    assert metrics.f1_score(gold, pred, mode="strict") == 1.0
    # The report detects a scheme or fails.
    with pytest.raises(ValueError, match="This scheme is not supported"):
        metrics.classification_report(gold, pred, mode="strict")


def test_weights_are_ignored():
    assert metrics.f1_score(GOLD, PRED, sample_weight=[100, 1]) == metrics.f1_score(GOLD, PRED)
    assert "spanrs.score(document_weights=...)" in sequence_labeling.precision_recall_fscore_support.__doc__


def test_types_of_results():
    assert type(metrics.f1_score(GOLD, PRED)) is np.float64
    assert metrics.f1_score(GOLD, PRED, average=None, zero_division=0).tolist() == [0.0, 1.0]
    report = metrics.classification_report(GOLD, PRED, output_dict=True, zero_division=0)
    assert type(report["PER"]["support"]) is np.int64
    assert type(metrics.accuracy_score(GOLD, PRED)) is float
    assert {type(n) for n in metrics.performance_measure(GOLD, PRED).values()} == {int}


def test_a_tag_is_warned_of_once_a_call():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metrics.f1_score([["NN", "VB", "NN"]], [["NN", "NN", "XY"]])
    assert [str(w.message) for w in caught] == [f"{t} seems not to be NE tag." for t in ("NN", "VB", "XY")]
    assert {w.category for w in caught} == {UserWarning}


def test_the_warning_of_undefined_measures_is_that_of_scikit_learn():
    from sklearn.exceptions import UndefinedMetricWarning

    assert v1.UndefinedMetricWarning is UndefinedMetricWarning
    with pytest.warns(UndefinedMetricWarning, match="F-score is ill-defined"):
        metrics.f1_score([["O"]], [["O"]])
    with pytest.raises(AttributeError, match="no attribute 'Undefined'"):
        v1.Undefined  # noqa: B018


def test_entities_compare_with_anything():
    entity = scheme.Entity(0, 1, 2, "PER")
    assert entity == scheme.Entity(0, 1, 2, "PER")
    assert entity != (0, "PER", 1, 2)


def test_reporters_are_abstract():
    with pytest.raises(TypeError):
        reporters.Reporter()
    assert reporters.StringReporter().report().split() == ["precision", "recall", "f1-score", "support"]


def test_a_corpus_is_read_in_one_sequence():
    # `X` begins no span, so the span of `X-LOC` begins at the last span of the previous sentence.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entities = sequence_labeling.get_entities([["B-PER"], ["X", "X-LOC"]])
    assert entities == [("PER", 0, 0), ("_", 0, 2), ("LOC", 3, 3)]
