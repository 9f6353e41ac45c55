"""Differential tests of compat.pycrfsuite: features, parameters, messages, exchange of models."""

from __future__ import annotations

import pickle
import random
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spanrs.compat import pycrfsuite as ours

Corpus = list[tuple[list[dict[str, Any]], list[str]]]
ALGORITHMS = ("lbfgs", "l2sgd", "ap", "pa", "arow")
FOLLOWERS = {
    "O": ("O", "O", "B-A", "B-B"),
    "B-A": ("I-A", "O", "B-B"),
    "I-A": ("I-A", "O"),
    "B-B": ("I-B", "O"),
    "I-B": ("O", "I-B"),
}


def generated(sequences: int, seed: int) -> Corpus:
    """Sequences of noisy words with features of all forms."""
    rng = random.Random(seed)
    corpus: Corpus = []
    for _ in range(sequences):
        tokens: list[dict[str, Any]] = []
        labels: list[str] = []
        for _ in range(rng.randint(1, 9)):
            label = rng.choice(FOLLOWERS[labels[-1] if labels else "O"])
            word = f"{label[0]}{rng.randint(0, 30)}" if rng.random() < 0.7 else f"w{rng.randint(0, 50)}"
            near = {"a": rng.choice("xyz"), "b": [rng.choice("pqr"), "k"], "солнце": {"é"}}
            tokens.append({"w": word, "n": rng.random(), "cap": rng.random() < 0.5, "near": near})
            labels.append(label)
        corpus.append((tokens, labels))
    return corpus


def wnut(path: Path, sequences: int) -> Corpus:
    """The first sequences of a CoNLL file, with simple features."""
    corpus: Corpus = []
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8")):
        rows = [line.split("\t") for line in block.splitlines() if line.strip()]
        words = [row[0] for row in rows]
        if words:
            tokens = [
                {
                    "word": word.lower(),
                    "title": word.istitle(),
                    "suffix": word[-3:],
                    "before": words[at - 1].lower() if at else "<s>",
                }
                for at, word in enumerate(words)
            ]
            corpus.append((tokens, [row[-1] for row in rows]))
        if len(corpus) == sequences:
            break
    return corpus


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return generated(400, 1)


@pytest.fixture(scope="module")
def unseen() -> Corpus:
    return generated(1000, 2)


def train(
    package: Any, corpus: Corpus, path: Path, algorithm: str = "lbfgs", **params: Any
) -> pycrfsuite.Trainer | ours.Trainer:
    trainer = package.Trainer(algorithm, params, verbose=False)
    for tokens, labels in corpus:
        trainer.append(tokens, labels)
    trainer.train(str(path))
    return trainer


def same_answers(path: Path, corpus: Corpus) -> int:
    """Compare tags, probabilities and marginals of both taggers; return the number of tokens."""
    theirs, mine = pycrfsuite.Tagger(), ours.Tagger()
    with theirs.open(str(path)), mine.open(path):
        names = theirs.labels()
        assert mine.labels() == names
        for tokens, labels in corpus:
            assert mine.tag(tokens) == theirs.tag(tokens)
            if set(labels) <= set(names):
                assert mine.probability(labels) == pytest.approx(theirs.probability(labels), abs=1e-9)
            for name in names:
                for at in range(len(tokens)):
                    assert abs(mine.marginal(name, at) - theirs.marginal(name, at)) <= 1e-9
    return sum(len(labels) for _, labels in corpus)


def files(path: Path) -> tuple[Any, Any]:
    """Content of a model according to both packages."""
    collected = []
    for package in (pycrfsuite, ours):
        with package.Tagger().open(str(path)) as tagger:
            collected.append(vars(tagger.info()))
    return collected[0], collected[1]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_their_models_give_the_same_answers(algorithm, corpus, unseen, tmp_path):
    train(pycrfsuite, corpus, tmp_path / "model", algorithm, max_iterations=30)
    part = unseen if algorithm == "lbfgs" else unseen[:100]
    assert same_answers(tmp_path / "model", part) > len(part)
    theirs, mine = files(tmp_path / "model")
    assert mine == theirs


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_our_models_are_read_by_their_tagger(algorithm, corpus, unseen, tmp_path):
    train(ours, corpus, tmp_path / "model", algorithm, max_iterations=30)
    assert same_answers(tmp_path / "model", unseen[:300]) > 300
    theirs, mine = files(tmp_path / "model")
    assert mine == theirs


def test_answers_on_wnut(shared, tmp_path):
    corpus = wnut(shared / "data" / "wnut17" / "wnut17train.conll", 900)
    assert len(corpus) == 900
    params = {"max_iterations": 30, "c2": 0.1, "feature.possible_transitions": True}
    for package in (pycrfsuite, ours):
        train(package, corpus[:400], tmp_path / "model", **params)
        assert same_answers(tmp_path / "model", corpus[400:]) > 5000


def test_optimum_is_the_same(corpus, unseen, tmp_path):
    params = {"c2": 0.5, "feature.possible_transitions": True, "delta": 1e-9, "epsilon": 1e-6}
    theirs = train(pycrfsuite, corpus, tmp_path / "theirs", **params)
    mine = train(ours, corpus, tmp_path / "ours", **params)
    loss = theirs.logparser.last_iteration["loss"]
    assert mine.logparser.last_iteration["loss"] == pytest.approx(loss, rel=1e-5)
    first, second = pycrfsuite.Tagger(), ours.Tagger()
    with first.open(str(tmp_path / "theirs")), second.open(tmp_path / "ours"):
        pairs = [
            pair for tokens, _ in unseen for pair in zip(first.tag(tokens), second.tag(tokens), strict=True)
        ]
    assert sum(a == b for a, b in pairs) >= 0.999 * len(pairs)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"feature.possible_states": True},
        {"feature.possible_transitions": True},
        {"feature.minfreq": 3},
        {"feature.minfreq": 3, "feature.possible_states": True, "feature.possible_transitions": True},
    ],
)
def test_features_are_the_same(params, corpus, tmp_path):
    corpus = [*corpus[:100], ([{"zero": 0, "w": "B1"}], ["O"])]
    theirs = train(pycrfsuite, corpus, tmp_path / "theirs", c2=0.1, max_iterations=20, **params)
    mine = train(ours, corpus, tmp_path / "ours", c2=0.1, max_iterations=20, **params)
    assert mine.logparser.featgen_num_features == theirs.logparser.featgen_num_features
    active = [line for line in theirs.logparser.log if line.startswith("Number of")]
    assert [line for line in mine.logparser.log if line.startswith("Number of")] == active


def test_features_with_a_negative_sum_are_kept(tmp_path):
    corpus: Corpus = [([{"a": -1.0}, {"b": 1.0}], ["x", "y"])]
    attributes = {}
    for package in (pycrfsuite, ours):
        trainer = train(package, corpus, tmp_path / "model")
        with package.Tagger().open(str(tmp_path / "model")) as tagger:
            attributes[package] = list(tagger.info().attributes), trainer.logparser.featgen_num_features
    assert attributes == {pycrfsuite: (["b"], 2), ours: (["a", "b"], 3)}


# Messages


class Recorder:
    """Mixin that records the events of a training run."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.calls: list[tuple[str, Any]] = []

    def _record(name: str) -> Any:  # noqa: N805
        return lambda self, log, *info: self.calls.append((name, info if name != "on_iteration" else log))

    for _name in ("start", "featgen_progress", "featgen_end", "prepared", "prepare_error", "iteration"):
        locals()[f"on_{_name}"] = _record(f"on_{_name}")
    for _name in ("optimization_end", "end"):
        locals()[f"on_{_name}"] = _record(f"on_{_name}")


#: Lines of iterations that the compiled module does not provide.
UNKNOWN = re.compile(
    r"Feature norm|Feature L2-norm|Learning rate|Line search|Initial loss|Trial|Best learning|Loss: "
    r"|Seconds|Total seconds|Improvement|Error norm|\d+\.\d+( \(worse\))?$"
)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("holdout", [-1, 1])
def test_messages_are_the_same(algorithm, holdout, corpus):
    logs, calls = [], []
    for package in (pycrfsuite, ours):
        recorder: Any = type("Recording", (Recorder, package.Trainer), {})
        trainer = recorder(algorithm, {"max_iterations": 4})
        for number, (tokens, labels) in enumerate(corpus[:60]):
            trainer.append(tokens, labels, group=number % 3)
        trainer.train("", holdout=holdout)
        logs.append([line for line in trainer.logparser.log if not UNKNOWN.match(line)])
        calls.append([name for name, _ in trainer.calls])
        last = trainer.logparser.last_iteration
        assert last["num"] == 4
        assert last["loss"] >= 0
        assert set(last["scores"]) == (set(FOLLOWERS) if holdout > 0 else set())
        assert trainer.logparser.training_seconds >= 0
    assert calls[1] == calls[0]
    if holdout >= 0:
        # Online training draws other random numbers, so that other tokens are labelled correctly.
        scores = re.compile("    |Macro|Item|Instance")
        logs = [[line for line in log if not scores.match(line)] for log in logs]
    assert logs[1] == logs[0]


def test_scores_of_the_holdout_group(corpus, tmp_path):
    dev = [([{"w": "B1"}], ["new"]), *corpus[50:60]]
    results = []
    for package in (pycrfsuite, ours):
        trainer = package.Trainer("lbfgs", {"delta": 1e-8, "c2": 0.5}, verbose=False)
        for tokens, labels in corpus[:50]:
            trainer.append(tokens, labels)
        for tokens, labels in dev:
            trainer.append(tokens, labels, 7)
        trainer.train(str(tmp_path / "model"), holdout=7)
        with package.Tagger().open(str(tmp_path / "model")) as tagger:
            results.append((trainer.logparser.last_iteration, tagger.labels()))
    (theirs, their_labels), (mine, labels) = results
    assert labels == their_labels
    assert "new" in labels
    for name in ("scores", "avg_f1", "item_accuracy", "instance_accuracy_float"):
        assert mine[name] == theirs[name]


def test_their_log_is_read_as_they_read_it(corpus, tmp_path):
    trainer = pycrfsuite.Trainer("lbfgs", {"max_iterations": 5}, verbose=False)
    for number, (tokens, labels) in enumerate(corpus[:30]):
        trainer.append(tokens, labels, number % 2)
    trainer.train(str(tmp_path / "model"), holdout=1)
    parser = ours._logparser.TrainLogParser()
    for line in trainer.logparser.log:
        parser.feed(line)
    # python-crfsuite treats 0.000 seconds as missing.
    parser.storing_seconds = parser.storing_seconds or None
    assert vars(parser) == vars(trainer.logparser)


def test_printed_while_training(capsys, corpus):
    trainer = ours.Trainer("pa", {"max_iterations": 2})
    trainer.append(*corpus[0])
    trainer.train("")
    printed = capsys.readouterr().out
    assert "0....1....2" in printed
    assert "Passive Aggressive\ntype: 1\nc: 1.000000\nerror_sensitive: 1\n" in printed
    assert printed == "".join(trainer.logparser.log[: trainer.logparser.events[-1][2]])


def test_exceptions_of_messages_stop_the_training(corpus, tmp_path):
    class Failing(ours.Trainer):
        def message(self, message):
            if message.startswith("Loss"):
                raise ZeroDivisionError

    trainer = Failing("lbfgs")
    trainer.append(*corpus[0])
    with pytest.raises(ZeroDivisionError):
        trainer.train(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_groups_can_be_held_out_in_turn(corpus):
    trainer = ours.Trainer("ap", {"max_iterations": 1}, verbose=False)
    for number, (tokens, labels) in enumerate(corpus[:30]):
        trainer.append(tokens, labels, number % 3)
    for group in range(3):
        trainer.train("", holdout=group)
        total = trainer.logparser.last_iteration["scores"]
        assert sum(score.ref for score in total.values()) == sum(len(y) for _, y in corpus[group:30:3])


# Features

names = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=4)
numbers = st.one_of(st.integers(-9, 9), st.floats(-1e6, 1e6), st.booleans())
values = st.recursive(
    st.one_of(numbers, names, names.map(str.encode)),
    lambda inner: st.one_of(
        st.dictionaries(names, inner, max_size=3), st.lists(names, max_size=3), st.sets(names, max_size=3)
    ),
    max_leaves=6,
)
tokens = st.one_of(
    st.dictionaries(st.one_of(names, names.map(str.encode)), values, max_size=4),
    st.lists(names, max_size=4),
    st.sets(names, max_size=3),
    st.lists(names.map(str.encode), max_size=3).map(tuple),
    st.dictionaries(names, numbers, max_size=3).map(dict.keys),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(tokens, max_size=4))
def test_items_are_the_same(sequence):
    theirs, mine = pycrfsuite.ItemSequence(sequence), ours.ItemSequence(sequence)
    assert mine.items() == theirs.items()
    assert len(mine) == len(theirs)
    assert repr(mine) == repr(theirs)
    assert ours.ItemSequence(mine).items() == mine.items()


@pytest.mark.parametrize(
    "sequence",
    [
        ["abc"],
        "abc",
        [5],
        5,
        None,
        [[{"a": 1}]],
        [[1]],
        [{"a": None}],
        [{1: 2}],
        [{"a": 1j}],
    ],
)
def test_features_that_are_none(sequence):
    with pytest.raises((ValueError, TypeError)):
        ours.ItemSequence(sequence)


# Parameters


@pytest.mark.parametrize("algorithm", [*ALGORITHMS, "LBFGS", "averaged-perceptron", "passive-aggressive"])
def test_parameters_are_the_same(algorithm):
    theirs, mine = pycrfsuite.Trainer(algorithm), ours.Trainer(algorithm)
    assert mine.params() == theirs.params()
    assert mine.get_params() == theirs.get_params()
    for name in mine.params():
        assert type(mine.get(name)) is type(theirs.get(name))
        assert mine.help(name)
        for value in ("7", 3, 12.75, True, False):
            theirs.set(name, value)
            mine.set(name, value)
            assert mine.get(name) == theirs.get(name)
    mine.set_params(mine.get_params())


def calls(package: Any) -> Iterator[Any]:
    """Calls that fail."""
    trainer = package.Trainer(verbose=False)
    yield lambda: trainer.append([{"a": 1}], ["a", "b"])
    yield lambda: trainer.append([{"a": 1}], [1])
    yield lambda: trainer.append([{"a": 1}], [None])
    yield lambda: trainer.append([{"a": 1}], 5)
    yield lambda: trainer.set("foo", 1)
    yield lambda: trainer.set("foo", True)
    yield lambda: trainer.get("foo")
    yield lambda: trainer.help("foo")
    yield lambda: trainer.set(1, 1)
    yield lambda: trainer.train(5)
    tagger = package.Tagger()
    for method, *args in (("labels",), ("tag", []), ("tag",), ("set", []), ("probability", []), ("info",)):
        yield lambda method=method, args=args: getattr(tagger, method)(*args)
    yield lambda: tagger.marginal("a", 0)
    yield tagger.dump
    yield lambda: tagger.open("/nothing/there")
    yield lambda: tagger.open(__file__)
    yield lambda: tagger.open_inmemory(b"")
    yield lambda: tagger.open_inmemory(b"lCRF")
    yield lambda: tagger.open_inmemory("x")
    yield lambda: package.Trainer("foo")
    yield lambda: package.Trainer(verbose=False).select("AP", type="tree")


def failure(call: Any) -> tuple[type[BaseException], str]:
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call()
    return caught.type, str(caught.value)


def test_failures_are_the_same():
    theirs, mine = [[failure(call) for call in calls(package)] for package in (pycrfsuite, ours)]
    assert mine == theirs


def test_failures_of_an_open_tagger(corpus, tmp_path):
    train(ours, corpus[:20], tmp_path / "model", max_iterations=3)
    collected = []
    for package in (pycrfsuite, ours):
        with package.Tagger().open(str(tmp_path / "model")) as tagger:
            assert tagger.tag() == tagger.tag([]) == []
            assert tagger.probability(["O"]) == tagger.marginal("O", 0) == 0
            tagger.set([{"a": 1}])
            collected.append(
                [
                    failure(lambda: tagger.probability(["O", "O"])),
                    failure(lambda: tagger.probability(["X"])),
                    failure(lambda: tagger.marginal("X", 0)),
                    failure(lambda: tagger.marginal(5, 0)),
                ]
            )
            assert failure(lambda: tagger.marginal("O", 1))[0] is ValueError
    assert collected[1] == collected[0]


def test_values_that_are_no_numbers():
    trainer = ours.Trainer()
    for name, value in (("c2", "much"), ("max_iterations", None), ("num_memories", "inf")):
        with pytest.raises(ValueError, match=f"parameter {name}.*not a number"):
            trainer.set(name, value)
    trainer.set("c2", 1e-9)
    assert trainer.get("c2") == 1e-9
    with pytest.raises(ValueError, match="Bad arguments"):
        trainer.select("foo")
    assert trainer.get("c2") == 1e-9


# Files


def test_nothing_to_train_on(tmp_path):
    for algorithm in ALGORITHMS:
        for package in (pycrfsuite, ours):
            trainer = package.Trainer(algorithm, {"max_iterations": 2}, verbose=False)
            trainer.append([], [])
            trainer.train(str(tmp_path / package.__name__))
        content = (tmp_path / "pycrfsuite").read_bytes()
        assert (tmp_path / "spanrs.compat.pycrfsuite").read_bytes() == content
    with ours.Tagger().open_inmemory(content) as tagger:
        assert tagger.labels() == []


def test_a_model_that_cannot_be_written_is_an_error(corpus, tmp_path):
    trainer = ours.Trainer(verbose=False)
    trainer.append(*corpus[0])
    with pytest.raises(FileNotFoundError):
        trainer.train(str(tmp_path / "no" / "model"))
    (tmp_path / "model").write_text("before")
    with pytest.raises(ZeroDivisionError):
        type("Failing", (ours.Trainer,), {"message": lambda *_: 1 / 0})().train(tmp_path / "model")
    assert (tmp_path / "model").read_text() == "before"


def test_damaged_models_are_refused(corpus, tmp_path):
    train(ours, corpus[:20], tmp_path / "model", max_iterations=3)
    content = (tmp_path / "model").read_bytes()
    for size in range(0, len(content), 97):
        with pytest.raises(ValueError, match="model"):
            ours.Tagger().open_inmemory(content[:size])


def test_dumps_are_the_same(corpus, tmp_path, capsys):
    train(ours, corpus[:50], tmp_path / "model", max_iterations=5)
    for package in (pycrfsuite, ours):
        with package.Tagger().open(str(tmp_path / "model")) as tagger:
            tagger.dump(str(tmp_path / package.__name__))
    text = (tmp_path / "pycrfsuite").read_bytes()
    assert (tmp_path / "spanrs.compat.pycrfsuite").read_bytes() == text
    with ours.Tagger().open(tmp_path / "model") as tagger:
        tagger.dump()
    assert capsys.readouterr().out == text.decode()


def test_files_of_spanrs_are_opened(corpus, unseen, tmp_path):
    train(ours, corpus, tmp_path / "model", max_iterations=20)
    with ours.Tagger().open(tmp_path / "model") as tagger:
        with ours.Tagger().open_inmemory(tagger._model.to_bytes()) as second:
            assert vars(second.info()) == vars(tagger.info())
            assert all(second.tag(tokens) == tagger.tag(tokens) for tokens, _ in unseen[:50])
        copy = pickle.loads(pickle.dumps(tagger))
        assert copy.tag(unseen[0][0]) == tagger.tag(unseen[0][0])
        assert copy.labels() == tagger.labels()
        expected = [tagger.tag(tokens) for tokens, _ in unseen[:200]]
        assert tagger._tag_all(ours.ItemSequence(tokens) for tokens, _ in unseen[:200]) == expected
        collected: list[list[list[str]]] = []
        threads = [
            threading.Thread(
                target=lambda: collected.append([tagger.tag(tokens) for tokens, _ in unseen[:200]])
            )
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert collected == [expected] * 3
    closed = pickle.loads(pickle.dumps(ours.Tagger()))
    with pytest.raises(ValueError, match="not opened"):
        closed.labels()


def test_errors_have_their_codes():
    assert ours.CRFSuiteError._messages == pycrfsuite.CRFSuiteError._messages
    error = pickle.loads(pickle.dumps(ours.CRFSuiteError(-(2**31) + 5)))
    assert (str(error), error.code) == ("Overflow", -(2**31) + 5)
    assert pycrfsuite.CRFSUITE_VERSION == ours.CRFSUITE_VERSION


def test_names_are_the_same():
    public = {name for name in dir(pycrfsuite) if not name.startswith("__")}
    assert public - {"contextlib", "os", "sys", "tempfile"} <= set(dir(ours))
    for name in ("Trainer", "BaseTrainer", "Tagger", "ItemSequence"):
        theirs = {
            attribute for attribute in dir(getattr(pycrfsuite, name)) if not attribute.startswith("_")
        }
        assert theirs <= set(dir(getattr(ours, name)))
