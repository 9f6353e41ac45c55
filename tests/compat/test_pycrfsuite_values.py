"""Differential tests of compat.pycrfsuite with unusual values, names and arguments."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanrs.compat import pycrfsuite as ours
from spanrs.crf import CRF
from spanrs.errors import ModelError

ALGORITHMS = ("lbfgs", "l2sgd", "ap", "pa", "arow")
X = [{"w": "Rome"}, {"w": "is"}]
Y = ["LOC", "O"]


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("models") / "model")
    trainer = pycrfsuite.Trainer(verbose=False, params={"c2": 0.1})
    for _ in range(3):
        trainer.append([{"a": 1}, {"b": 1}, {"c": 1}, {"d": 0.5}], ["A", "B", "A", "C"])
        trainer.append([{"a": -1, "d": 2}, {"b": 1}], ["B", "C"])
    trainer.train(path)
    return path


def train(package: Any, path: Path, tokens: list[Any], labels: list[str], algorithm: str = "lbfgs") -> Any:
    trainer = package.Trainer(algorithm, verbose=False)
    trainer.append(tokens, labels)
    trainer.train(str(path))
    with package.Tagger().open(str(path)) as tagger:
        return trainer, tagger.info()


# Values

numbers = st.sampled_from([1.0, -1.0, 0.0, 2.5, math.inf, -math.inf, math.nan])
tokens = st.dictionaries(st.sampled_from("abcdz"), numbers, max_size=3)


@settings(max_examples=300, deadline=None)
@given(sequence=st.lists(tokens, min_size=1, max_size=5))
def test_values_that_are_not_finite_are_decoded_the_same(model, sequence):
    answers = []
    for package in (pycrfsuite, ours):
        with package.Tagger().open(model) as tagger:
            labels = tagger.tag(sequence)
            marginals = [tagger.marginal(label, at) for at in range(len(sequence)) for label in "ABC"]
            answers.append((labels, [*marginals, tagger.probability(labels)]))
    assert answers[1][0] == answers[0][0]
    assert answers[1][1] == pytest.approx(answers[0][1], abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("value", [math.nan, -math.inf])
@pytest.mark.parametrize("algorithm", ["lbfgs", "ap", "pa", "arow"])
def test_features_whose_values_have_no_sum_are_left_out(algorithm, value, tmp_path):
    infos = []
    for package in (pycrfsuite, ours):
        trainer, info = train(package, tmp_path / "model", [{"a": value}, {"w": 1}], Y, algorithm)
        infos.append((trainer.logparser.featgen_num_features, info))
    (theirs, expected), (mine, actual) = infos
    assert mine == theirs
    for name in ("state_features", "transitions"):
        assert getattr(actual, name) == pytest.approx(getattr(expected, name), abs=1e-4)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_infinite_value_does_not_give_a_model_of_nan(algorithm, tmp_path):
    with pytest.raises(ours.CRFSuiteError, match="Overflow"):
        train(ours, tmp_path / "model", [{"a": math.inf}, {"w": 1}], Y, algorithm)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("algorithm", ["lbfgs", "ap", "pa", "arow"])
def test_very_large_values_are_taken(algorithm, tmp_path):
    (_, expected), (_, actual) = (
        train(package, tmp_path / "model", [{"a": 1e308}, {"w": 1}], Y, algorithm)
        for package in (pycrfsuite, ours)
    )
    assert actual.state_features == pytest.approx(expected.state_features, abs=1e-5)


def test_held_out_sequences_may_have_any_value(tmp_path):
    logs = []
    for package in (pycrfsuite, ours):
        trainer = package.Trainer(verbose=False, params={"max_iterations": 1})
        trainer.append([{"a": 1}, {"w": 1}], Y)
        trainer.append([{"a": math.nan}, {"w": math.inf}], Y, 1)
        trainer.train(str(tmp_path / "model"), 1)
        logs.append(
            [line for line in trainer.logparser.log if line.startswith(("    ", "Item", "Instance"))]
        )
    assert logs[1] == logs[0] != []


def test_a_model_of_nan_is_refused_with_the_reason(tmp_path):
    path = tmp_path / "model"
    trainer = pycrfsuite.Trainer("l2sgd", verbose=False)
    trainer.append([{"a": math.inf}, {"w": 1}], Y)
    trainer.train(str(path))
    for read in (ours.Tagger().open, CRF.load):
        with pytest.raises(ValueError, match=r"byte \d+: the weight is NaN; weights must be finite"):
            read(str(path))


# Names


@pytest.mark.parametrize(
    ("tokens", "labels", "message"),
    [
        ([{"a\0b": 1}], ["A"], r"attribute 'a\\x00b' contains a NUL"),
        ([{"a": "x\0"}], ["A"], r"attribute 'a:x\\x00' contains a NUL"),
        ([["a"], ["\0"]], ["A", "B"], r"attribute '\\x00' contains a NUL"),
        ([{"a": 1}], ["A\0"], r"label 'A\\x00' contains a NUL"),
    ],
)
def test_names_with_nul_are_refused_before_training(tokens, labels, message, tmp_path):
    trainer = ours.Trainer(verbose=False)
    trainer.append(X, Y)
    with pytest.raises(ValueError, match=message):
        trainer.append(tokens, labels)
    trainer.train(str(tmp_path / "model"))
    assert ours.Tagger().open(str(tmp_path / "model"))
    assert len(ours.ItemSequence(tokens)) == len(tokens)


class Changing:
    """A number that changes its dict when it is converted."""

    def __init__(self, change: Any) -> None:
        self.change = change

    def __float__(self) -> float:
        self.change()
        return 0.5


@pytest.mark.parametrize("change", ["clear", "popitem", "grow", "replace"])
def test_a_dict_that_changes_while_it_is_read_gives_its_first_items(change):
    token: dict[str, Any] = {"a": "x" * 40, "b": None, "c": "y" * 40, "d": 2}

    def grow() -> None:
        token.update({f"new{n}": 1 for n in range(1000)})

    def replace() -> None:
        token.update(dict.fromkeys(token, 1))

    token["b"] = Changing({"grow": grow, "replace": replace}.get(change) or getattr(token, change))
    expected = {"a:" + "x" * 40: 1.0, "b": 0.5, "c:" + "y" * 40: 1.0, "d": 2.0}
    assert ours.ItemSequence([token]).items() == [expected]


def test_a_dict_that_changes_while_an_error_is_made(model):
    class Name(str):
        __slots__ = ()

        def __repr__(self) -> str:
            token.clear()
            return "name"

    class Other:
        def __repr__(self) -> str:
            names.clear()
            return "other"

    token: dict[Any, Any] = {Name("\ud800"): 1}
    names = [Other()]
    for tokens in ([token], [names]):
        with pytest.raises((UnicodeEncodeError, TypeError)):
            ours.ItemSequence(tokens)


def test_refused_sequences_leave_nothing(tmp_path):
    trainer = ours.Trainer(verbose=False, params={"feature.possible_states": True})
    trainer.append([{"a": 1}], ["A"])
    for tokens, labels, error in (
        ([{"new": 1}, {"b": None}], ["B", "B"], TypeError),
        ([{"new": 1}], ["B", "C"], ValueError),
        ([{"new": 1}], ["\ud800"], UnicodeEncodeError),
        ([{"new": 1}], ["B\0"], ValueError),
        ([{"new": 1}], [1], TypeError),
        ([{"new": 1}], [], ValueError),
    ):
        with pytest.raises(error):
            trainer.append(tokens, labels)
    trainer.append([], [])
    trainer.append([{"b": 1}], ["A"])
    trainer.train(str(tmp_path / "model"))
    assert trainer.logparser.featgen_num_features == 2
    assert any("attributes: 0 (2)" in line for line in trainer.logparser.log)
    with ours.Tagger().open(str(tmp_path / "model")) as tagger:
        assert tagger.labels() == ["A"]


def test_features_may_use_the_trainer_while_they_are_read():
    def tokens() -> Iterator[dict[str, Any]]:
        trainer.append([{"b": 1}], ["B"])
        yield {"a": 1}

    trainer = ours.Trainer(verbose=False)
    trainer.append(tokens(), ["A"])
    trainer.train("")
    assert trainer.logparser.featgen_num_features == 2


def test_a_trainer_can_train_again_with_more_sequences(tmp_path):
    infos = []
    for package in (pycrfsuite, ours):
        trainer = package.Trainer(verbose=False)
        for word, holdout in (("Rome", -1), ("Oslo", 1)):
            trainer.append([{"w": word}, {"w": "is"}], Y)
            trainer.append([{"w": f"{word}, held out"}], ["held out"], 1)
            trainer.train(str(tmp_path / "model"), holdout)
            with package.Tagger().open(str(tmp_path / "model")) as tagger:
                infos.append((tagger.labels(), tagger.info(), trainer.logparser.featgen_num_features))
    for theirs, mine in zip(infos[:2], infos[2:], strict=True):
        assert (mine[0], mine[2]) == (theirs[0], theirs[2])
        assert mine[1].state_features == pytest.approx(theirs[1].state_features, abs=1e-3)


# Exceptions


def raised(call: Any) -> type[BaseException]:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.type


@pytest.mark.parametrize(
    "tokens",
    [
        [5],
        [None],
        5,
        [{"a": None}],
        [{"a": object()}],
        [{"a": 1j}],
        [{1: 1}],
        [[1.5]],
        [{"\ud800": 1}],
        [{"a": "\ud800"}],
        [["\ud800"]],
        [{"a": 10**400}],
        [{"a": {"b": None}}],
        [{"a": ["b", 5]}],
    ],
)
def test_features_are_refused_by_the_same_classes(tokens, model):
    expected = raised(lambda: pycrfsuite.Trainer(verbose=False).append(tokens, ["A"]))
    assert issubclass(expected, (TypeError, UnicodeEncodeError, OverflowError))
    tagger = ours.Tagger()
    tagger.open(model)
    for call in (
        lambda: ours.Trainer(verbose=False).append(tokens, ["A"]),
        lambda: ours.ItemSequence(tokens),
        lambda: tagger.tag(tokens),
        lambda: tagger.set(tokens),
        lambda: tagger._tag_all([tokens]),
        lambda: tagger._all_marginals([tokens]),
    ):
        assert issubclass(raised(call), expected)


@pytest.mark.parametrize("number", ["1", None, 2**40, 2**70, -(2**40)])
def test_numbers_are_refused_by_the_same_classes(number, model):
    collected = []
    for package in (pycrfsuite, ours):
        tagger = package.Tagger()
        tagger.open(model)
        tagger.set(X)
        trainer = package.Trainer(verbose=False)
        calls = (
            (trainer.append, X, Y, number),
            (trainer.train, "", number),
            (tagger.marginal, "A", number),
        )
        collected.append([raised(partial(*call)) for call in calls])
    assert collected[1] == collected[0]


def test_decimals_of_numbers_are_refused():
    # python-crfsuite truncates them.
    assert raised(lambda: ours.Trainer(verbose=False).append(X, Y, 1.5)) is TypeError


@pytest.mark.parametrize("label", ["\ud800", 1, None, b"\xff"])
def test_labels_are_refused_by_the_same_classes(label, model):
    expected = UnicodeDecodeError if isinstance(label, bytes) else None
    expected = expected or raised(lambda: pycrfsuite.Trainer(verbose=False).append([{}], [label]))
    assert raised(lambda: ours.Trainer(verbose=False).append([{}], [label])) is expected
    tagger = ours.Tagger()
    tagger.open(model)
    tagger.set(X)
    assert raised(lambda: tagger.marginal(label, 0)) is expected
    assert raised(lambda: tagger.probability([label, "A"])) is expected


def test_bytearrays_are_labels():
    for package in (pycrfsuite, ours):
        package.Trainer(verbose=False).append([{"a": 1}], [bytearray(b"A")])


def test_training_after_clear_is_refused(tmp_path):
    messages = []
    for package in (pycrfsuite, ours):
        trainer = package.Trainer(verbose=False)
        trainer.append(X, Y)
        trainer.clear()
        with pytest.raises(ValueError, match="data is empty") as caught:
            trainer.train(str(tmp_path / "model"))
        messages.append(str(caught.value))
        trainer.append([{"q": 1}], ["Z"])
        trainer.train(str(tmp_path / "model"))
        with package.Tagger().open(str(tmp_path / "model")) as tagger:
            assert tagger.labels() == ["Z"]
    assert messages[1] == messages[0]


# Arrays of strings


def test_tokens_of_arrays_are_strings(model):
    import sklearn_crfsuite as theirs

    from spanrs.compat import sklearn_crfsuite as mine

    for array in (
        np.array([["a", "b"]]),
        np.array([["ab", "d"]], dtype=object),
        np.array([[["a"], ["c"]]]),
    ):
        expected, actual = (
            package.CRF(model_filename=model).predict(array).tolist() for package in (theirs, mine)
        )
        assert actual == expected
    labels = np.array([["A", "B"]])
    assert mine.CRF().fit(array[:, :, 0], labels).predict(array[:, :, 0]).tolist() == [["A", "B"]]


# Messages and dumps


@pytest.mark.parametrize("algorithm", ["lbfgs", "ap", "pa", "arow"])
def test_norms_and_steps_are_the_same(algorithm, tmp_path):
    collected = []
    for package in (pycrfsuite, ours):
        trainer = package.Trainer(algorithm, verbose=False, params={"max_iterations": 4})
        trainer.append([{"w": "Rome"}, {"w": "is"}, {"v": 2.5}], ["LOC", "O", "O"])
        trainer.train(str(tmp_path / "model"))
        collected.append(trainer.logparser.iterations)
    for mine, theirs in zip(collected[1], collected[0], strict=True):
        assert list(mine) == list(theirs)
        for key in ("feature_norm", "linesearch_step"):
            assert mine.get(key) == pytest.approx(theirs.get(key), abs=2e-3)


def test_dumps_are_parsed_the_same(model, tmp_path):
    parsed = []
    for package in (pycrfsuite, ours):
        with package.Tagger().open(model) as tagger:
            tagger.dump(str(tmp_path / "dump"))
        for module in (pycrfsuite, ours):
            parser = module._dumpparser.CRFsuiteDumpParser()
            for line in (tmp_path / "dump").read_text(encoding="utf-8").splitlines(keepends=True):
                parser.feed(line)
            assert parser.state is None
            parsed.append(vars(parser.result))
    assert parsed.count(parsed[0]) == 4
    for line in ("nothing", "LABELS = {\nnothing"):
        for module in (pycrfsuite, ours):
            parser = module._dumpparser.CRFsuiteDumpParser()
            with pytest.raises(AttributeError):
                [parser.feed(part) for part in line.split("\n")]
    for state in ("TRANSITIONS", "STATE_FEATURES"):
        parser = ours._dumpparser.CRFsuiteDumpParser()
        parser.feed(f"{state} = {{")
        with pytest.raises(AssertionError):
            parser.feed("(1) A --> B: 0.5")


# The native interface refuses what training cannot use


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e308, -1e101])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_values_are_refused_with_their_place(algorithm, value):
    with pytest.raises(ModelError, match='sequence 1: feature "a" has the value'):
        CRF(algorithm=algorithm).fit([[{"b": 1}], [{"a": value}]], [["A"], ["B"]])


def test_training_that_learns_nothing_is_an_error():
    with pytest.raises(ModelError, match="scale them"):
        CRF(algorithm="lbfgs").fit([[{"a": 1e40}], [{"b": 1}]], [["A"], ["B"]])
    assert CRF(algorithm="arow").fit([[{"a": 1e15}], [{"b": 1}]], [["A"], ["B"]]).state_features_


def test_python_crfsuite_is_not_needed():
    code = "import sys; sys.modules['pycrfsuite'] = None\nfrom spanrs.compat import pycrfsuite as p\n"
    code += "print(p.ItemSequence([{'a': float('nan')}]).items())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[{'a': nan}]\n"
