"""The interface of nervaluate: names, signatures, errors, laziness."""

from __future__ import annotations

import copy
import importlib
import inspect
import json
import pickle
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from recordings import SMALL, Recordings
from spanrs.compat import nervaluate as ours
from spanrs.compat.nervaluate import entities, strategies, v0

MODULES = ["", ".entities", ".evaluator", ".loaders", ".strategies", ".utils"]


def own(module):
    """Public functions and classes that are defined in a module or exported by the package."""
    places = module.__name__ if "." in module.__name__ else "nervaluate."
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__.startswith(places)
    }


def shape(function):
    return [
        (p.name, p.kind, "later" if "factory" in repr(p.default) else p.default)
        for p in inspect.signature(function).parameters.values()
    ]


@pytest.mark.parametrize("name", MODULES)
def test_names_and_signatures_are_those_of_nervaluate(name):
    theirs = own(importlib.import_module(f"nervaluate{name}"))
    module = importlib.import_module(f"spanrs.compat.nervaluate{name}")
    assert theirs
    for thing, value in theirs.items():
        assert hasattr(module, thing), (name, thing)
        mine = getattr(module, thing)
        assert shape(mine) == shape(value), (name, thing)
        if inspect.isclass(value):
            for method, function in vars(value).items():
                if inspect.isfunction(function) and (method == "__init__" or not method.startswith("__")):
                    assert shape(getattr(mine, method)) == shape(function), (thing, method)


def evaluator(**options):
    true = [["B-PER", "I-PER", "O"], ["B-LOC", "O"]]
    pred = [["B-PER", "O", "O"], ["B-LOC", "B-ORG"]]
    return ours.Evaluator(true, pred, tags=["PER", "LOC", "ORG"], **options)


def test_labels_are_sorted():
    assert list(evaluator().evaluate()["entities"]) == ["LOC", "ORG", "PER"]


def test_results_do_not_depend_on_the_hash_seed():
    code = (
        "from spanrs.compat.nervaluate import Evaluator\n"
        "e = Evaluator([['B-b', 'B-a', 'B-c']], [['B-b', 'O', 'B-a']], tags=['c', 'b', 'a'])\n"
        "print(e.evaluate(), e.results_to_csv('entities'))"
    )
    command = [sys.executable, "-c", code]
    texts = {
        subprocess.run(command, env={"PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in "0123"
    }
    assert len(texts) == 1


def test_index_lists_are_made_when_they_are_looked_at():
    result = evaluator().evaluate()["overall_indices"]["strict"]
    assert type(result) is entities.LazyIndices
    assert result.incorrect_indices == [(0, 0)]
    assert type(result) is entities.EvaluationIndices
    assert asdict(result)["spurious_indices"] == [(1, 1)]
    assert result == entities.EvaluationIndices([(1, 0)], [(0, 0)], [], [], [(1, 1)])
    assert result != entities.EvaluationIndices()


def test_index_lists_can_be_replaced_before_they_are_looked_at():
    result = evaluator().evaluate()["overall_indices"]["strict"]
    result.correct_indices = []
    assert vars(result)["incorrect_indices"] == [(0, 0)]
    assert result == entities.EvaluationIndices([], [(0, 0)], [], [], [(1, 1)])


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), repr])
def test_index_lists_that_were_not_looked_at_are_there_in_copies(way):
    first, second = (evaluator().evaluate()["overall_indices"]["partial"] for _ in range(2))
    looked_at = list(second.partial_indices)
    assert looked_at == [(0, 0)]
    assert way(first) == way(second)


def test_indices_have_no_other_attributes():
    with pytest.raises(AttributeError, match="'EvaluationIndices' object has no attribute 'odd'"):
        _ = evaluator().evaluate()["overall_indices"]["strict"].odd


def test_changed_entities_count():
    changed = evaluator()
    changed.pred[0][0].end = 1
    assert changed.evaluate()["overall"]["strict"].correct == 2
    changed.pred = [[], []]
    assert changed.evaluate()["overall"]["strict"].missed == 2


def test_strategies_of_ones_own_are_asked():
    class Nothing(strategies.StrictEvaluation):
        def evaluate(self, true_entities, pred_entities, tags, instance_index=0):
            return super().evaluate([], pred_entities, tags, instance_index)

    changed = evaluator()
    changed.strategies["nothing"] = Nothing()
    results = changed.evaluate()
    assert results["overall"]["nothing"].spurious == 3
    assert results["entities"]["ORG"]["nothing"].spurious == 1
    plain = evaluator().evaluate()
    for key in ("overall", "overall_indices"):
        del results[key]["nothing"]
        assert results[key] == plain[key]


def test_where_nervaluate_stops_with_an_error():
    # An empty first document does not determine the loader.
    assert (
        ours.Evaluator([[], ["B-A"]], [[], ["B-A"]], tags=["A"]).evaluate()["overall"]["strict"].correct
        == 1
    )
    # A missed entity whose index exceeds those of predicted ones.
    text = ours.Evaluator([["B-A"]], [["O"]], tags=["A"]).summary_report_indices()
    assert "No prediction info" in text
    text = ours.Evaluator([["B-A"], ["O"]], [["O"], ["O"]], tags=["A"]).summary_report_indices()
    assert "Missed               0          0        Label=A, Start=0, End=0" in text
    # An empty entity overlaps nothing.
    true = [[{"label": "A", "start": 5, "end": 4}]]
    pred = [[{"label": "A", "start": 0, "end": 9}]]
    assert ours.Evaluator(true, pred, tags=["A"]).evaluate()["overall"]["ent_type"].missed == 1


def test_offsets_too_far_away_are_refused():
    spans = [[{"label": "A", "start": 0, "end": 2**60}]]
    with pytest.raises(OverflowError, match="beyond"):
        ours.Evaluator(spans, spans, tags=["A"])


def test_csv_goes_to_a_file(tmp_path: Path):
    path = tmp_path / "results.csv"
    assert evaluator().results_to_csv(file_path=str(path)) is None
    assert path.read_bytes().decode() == evaluator().results_to_csv()


def test_version_0_2_0_as_recorded():
    # Random spans, tags and texts, which only exist in the small set.
    compared = 0
    for row in Recordings(SMALL / "evaluators", small=True).rows("nervaluate_v0"):
        loader = "default" if row["kind"] == "spans" else row["kind"]
        old = v0.Evaluator(row["true"], row["pred"], row["tags"], loader)
        results = old.evaluate()
        assert json.loads(json.dumps(results)) == row["result"]
        assert [list(results[0]), list(results[0]["strict"])] == row["order"]
        assert v0.summary_report_overall(results[0], 3) == row["overall"]
        assert [v0.summary_report_ent(results[1], s) for s in ("strict", "ent_type")] == row["ent"]
        if row["ents_indices"] is not None:
            assert v0.summary_report_ents_indices(results[3], "strict", old.pred) == row["ents_indices"]
        if row["overall_indices"] is not None:
            assert (
                v0.summary_report_overall_indices(results[2], "partial", old.pred) == row["overall_indices"]
            )
        compared += 1
    assert compared > 300


def test_version_0_2_0_refuses_what_it_refused():
    with pytest.raises(Exception, match="Invalid scenario: must be one of 'strict', 'ent_type'"):
        v0.summary_report_ent({"A": {}}, "odd")
    with pytest.raises(AssertionError, match="Error schema 'odd' not found in the results"):
        v0.summary_report_overall_indices({}, "odd")
    with pytest.raises(ValueError, match="Number of predicted documents does not equal true"):
        v0.Evaluator([[]], [], ["A"]).evaluate()
    results = v0.Evaluator([["B-A"]], [["O"]], ["A"], loader="list").evaluate()
    assert "- Instance 0, Entity 0\n" in v0.summary_report_overall_indices(results[2], "strict")


def test_evaluators_can_be_copied_and_pickled():
    gold = [["B-PER", "I-PER", "I-LOC", "B-LOC"], ["O", "I-ORG"]]
    pred = [["B-PER", "I-PER", "O", "O"], ["I-PER", "I-ORG"]]
    evaluator = ours.Evaluator(gold, pred, ["PER", "LOC", "ORG"], loader="list")
    expected = str(evaluator.evaluate())
    for item in (pickle.loads(pickle.dumps(evaluator)), copy.deepcopy(evaluator)):
        assert str(item.evaluate()) == expected
