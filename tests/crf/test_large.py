"""Corpora in a temporary file, and learning in batches."""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spanrs.crf import CRF, Gazetteer
from spanrs.errors import ModelError, SpanrsError, SpanrsWarning

LINUX = pytest.mark.skipif(
    not Path("/proc/self/fd").exists(), reason="needs the files of a process in /proc"
)
NAMES = ("Ada", "Bob", "Eve", "Rio", "Oslo")


def corpus(sequences: int, seed: int = 0) -> tuple[list[list[str]], list[list[str]]]:
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(sequences):
        numbers = rng.integers(0, 8, rng.integers(0, 12))
        X.append([NAMES[n] if n < len(NAMES) else f"word{rng.integers(0, 50)}" for n in numbers])
        y.append([("B-PER" if n < 3 else "B-LOC") if n < len(NAMES) else "O" for n in numbers])
    return X, y


@pytest.mark.parametrize("algorithm", ["sdca", "lbfgs"])
@pytest.mark.parametrize("max_memory", [0, 10_000, "50 kB", "1 GB"])
def test_models_are_equal(algorithm: str, max_memory: Any, tmp_path: Path) -> None:
    X, y = corpus(300)
    dense = [
        np.ones((len(tokens), 2)) * [[len(token), 1] for token in tokens] if tokens else np.zeros((0, 2))
        for tokens in X
    ]
    for rows in (None, dense):
        options: dict[str, Any] = {"template": "ner", "algorithm": algorithm, "min_freq": 2}
        expected = CRF(**options).fit(X, y, dense=rows)
        for threads in (1, 2, 0):
            crf = CRF(**options, max_memory=max_memory, spill_dir=tmp_path, threads=threads)
            crf.fit(X, y, X, y, dense=rows) if rows is None else crf.fit(X, y, dense=rows)
            assert crf.state_features_ == expected.state_features_
            assert crf.transition_features_ == expected.transition_features_
            assert np.array_equal(crf.dense_weights_, expected.dense_weights_)
    assert not list(tmp_path.iterdir())


def test_sequences_may_come_from_an_iterator() -> None:
    X, y = corpus(100)
    crf = CRF(template="ner", max_memory=0).fit(iter(X), iter(y))
    assert crf.state_features_ == CRF(template="ner").fit(X, y).state_features_


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"max_memory": -1}, ValueError, "max_memory"),
        ({"max_memory": "much"}, ValueError, "such as '500 MB'"),
        ({"max_memory": 1.5}, TypeError, "max_memory"),
        ({"max_memory": 0, "spill_dir": "no/such/directory"}, ValueError, "a directory that exists"),
        ({"max_memory": 0, "spill_dir": 3}, TypeError, "spill_dir must be a path"),
        ({"spill_dir": "."}, ValueError, "no effect without max_memory"),
        ({"max_memory": "1 GiB", "algorithm": "ap"}, ValueError, "max_memory requires the algorithm sdca or lbfgs"),
        ({"max_memory": 0, "algorithm": "l2sgd"}, ValueError, "max_memory requires the algorithm sdca or lbfgs"),
    ],
)  # fmt: skip
def test_bad_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        CRF(template="ner", **options).fit(*corpus(10))


def test_run_options_are_not_saved(tmp_path: Path) -> None:
    file = io.BytesIO()
    CRF(template="ner", max_memory=0, spill_dir=tmp_path).fit(*corpus(20)).save(file)
    assert str(tmp_path).encode() not in file.getvalue()
    assert CRF.load(file.getvalue()).max_memory is None


#: Trains with a file in the directory of the first argument.
SCRIPT = """
import random, sys
from spanrs.crf import CRF, Gazetteer
random.seed(0)
X = [[f"w{random.randrange(3000)}" for _ in range(15)] for _ in range(4000)]
y = [["B-A" if hash(w) % 3 else "O" for w in x] for x in X]
print("training", flush=True)
CRF(template="ner", max_memory=0, spill_dir=sys.argv[1], algorithm="lbfgs", epsilon=0, delta=0).fit(X, y)
"""


def started(directory: Path, before: str = "") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", before + SCRIPT, str(directory)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_full_disk_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
    process = started(tmp_path, limit)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert f"cannot write a temporary file of the corpus in {tmp_path}: File too large" in errors
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT and SIGKILL")
@pytest.mark.parametrize("number", [signal.SIGINT, getattr(signal, "SIGKILL", signal.SIGINT)])
def test_an_interruption_or_a_crash_leaves_nothing(number: int, tmp_path: Path) -> None:
    process = started(tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "training\n"
    time.sleep(2)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert number != signal.SIGINT or "KeyboardInterrupt" in errors
    assert not list(tmp_path.iterdir())


def test_two_runs_at_once_have_files_of_their_own(tmp_path: Path) -> None:
    data = [corpus(400, seed) for seed in (1, 2)]
    models: list[CRF | None] = [None, None]

    def run(at: int) -> None:
        models[at] = CRF(template="ner", max_memory=0, spill_dir=tmp_path).fit(*data[at])

    threads = [threading.Thread(target=run, args=(at,)) for at in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for model, (X, y) in zip(models, data, strict=True):
        assert model is not None
        assert model.state_features_ == CRF(template="ner").fit(X, y).state_features_


@LINUX
def test_a_file_that_another_program_changes_is_refused(tmp_path: Path) -> None:
    done = threading.Event()

    def damage() -> None:
        while not done.is_set():
            for link in Path("/proc/self/fd").iterdir():
                try:
                    if str(tmp_path) in os.readlink(link):
                        with open(link, "r+b", buffering=0) as file:
                            file.write(b"\xff" * 100_000)
                except OSError:
                    continue

    thread = threading.Thread(target=damage)
    thread.start()
    try:
        with pytest.raises(SpanrsError, match=r"has changed|cannot read a temporary file") as caught:
            CRF(template="ner", max_memory=0, spill_dir=tmp_path).fit(*corpus(20_000))
    finally:
        done.set()
        thread.join()
    assert caught.value.code == "temporary_file"


def test_one_batch_is_fit() -> None:
    X, y = corpus(200)
    options: dict[str, Any] = {"template": "ner", "c2": 0.5, "epsilon": 1e-7, "delta": 1e-9}
    whole = CRF(**options, algorithm="lbfgs").fit(X, y)
    batch = CRF(**options, algorithm="lbfgs").partial_fit(X, y)
    assert batch.classes_ == whole.classes_
    for key, weight in whole.state_features_.items():
        assert batch.state_features_[key] == pytest.approx(weight, abs=2e-3)


def test_batches_approach_the_model_of_all_sequences() -> None:
    X, y = corpus(600)
    unseen, gold = corpus(300, 1)
    crf = CRF(template="ner", c2=0.5)
    for start in range(0, 600, 50):
        assert crf.partial_fit(X[start : start + 50], y[start : start + 50]) is crf
    whole = CRF(template="ner", c2=0.5).fit(X, y)
    assert crf.score(unseen, gold) >= whole.score(unseen, gold) - 0.01
    # The first batches are not forgotten.
    assert crf.score(X[:50], y[:50]) > 0.98


def test_new_labels_and_features_are_added() -> None:
    crf = CRF(template="ner").partial_fit([["Ada"]], [["B-PER"]], classes=["O"])
    assert crf.classes_ == ["O", "B-PER"]
    crf.partial_fit([["in", "Rio"]], [["O", "B-LOC"]])
    assert crf.classes_ == ["O", "B-PER", "B-LOC"]
    assert crf.predict([["in", "Rio"], ["Ada"]]) == [["O", "B-LOC"], ["B-PER"]]
    crf.partial_fit([], [])
    assert crf.classes_ == ["O", "B-PER", "B-LOC"]


def test_files_and_pickles_continue_where_they_ended() -> None:
    X, y = corpus(100)
    crf = CRF(template="ner").partial_fit(X[:50], y[:50])
    file = io.BytesIO()
    crf.save(file)
    copies = [CRF.load(file.getvalue()), pickle.loads(pickle.dumps(crf))]
    crf.partial_fit(X[50:], y[50:])
    for copy in copies:
        assert copy.partial_fit(X[50:], y[50:]).state_features_ == crf.state_features_


def test_batches_of_dense_rows_and_files() -> None:
    X, y = corpus(100)
    dense = [np.full((len(tokens), 3), 0.5) for tokens in X]
    memory, file = (CRF(template="ner", max_memory=size) for size in (None, 0))
    for start in (0, 50):
        part = slice(start, start + 50)
        memory.partial_fit(X[part], y[part], dense=dense[part])
        file.partial_fit(X[part], y[part], dense=dense[part])
    assert np.array_equal(memory.dense_weights_, file.dense_weights_)
    with pytest.raises(ModelError, match="dense rows of 3 columns"):
        memory.partial_fit(X, y, dense=[rows[:, :2] for rows in dense])
    with pytest.raises(ModelError, match="dense rows of 3 columns"):
        memory.partial_fit(X, y)


def test_a_batch_that_violates_the_scheme_ends_the_constraint() -> None:
    crf = CRF(template="ner").partial_fit([["Ada", "Lovelace"]], [["B-PER", "I-PER"]])
    assert crf.metadata_["scheme"] == "BIO"
    with pytest.warns(SpanrsWarning, match="no longer restricted"):
        crf.partial_fit([["Rio"], ["in", "Oslo"]], [["I-LOC"], ["O", "I-LOC"]])
    assert "scheme" not in crf.metadata_


def test_batches_do_not_change_the_template_or_the_lexicons() -> None:
    crf = CRF(template="ner", lexicons={"g": Gazetteer(["Ada"])}).partial_fit(*corpus(10))
    crf.partial_fit(*corpus(10, 1))
    with pytest.raises(ValueError, match="cannot change the template"):
        crf.set_params(template="U:%x[0,0]", lexicons=None).partial_fit(*corpus(10))
    for options in ({"patience": 3}, {"validation_fraction": 0.2}):
        with pytest.raises(ValueError, match="no development data"):
            CRF(template="ner", **options).partial_fit(*corpus(10))
    with pytest.raises(TypeError, match="a collection of labels"):
        CRF(template="ner").partial_fit(*corpus(10), classes="B-PER")


def test_batches_teach_where_labels_do_not_occur() -> None:
    crf = CRF(template="U:%x[0,0]", c2=0.3, all_possible_states=True)
    crf.partial_fit([["a"]] * 100, [["A"]] * 100, classes=["A", "B"])
    crf.partial_fit([["a"]] * 5, [["B"]] * 5)
    assert crf.predict([["a"]]) == [["A"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "ap"}, "partial_fit requires the algorithm sdca or lbfgs"),
        ({"algorithm": "l2sgd"}, "partial_fit requires the algorithm sdca or lbfgs"),
        ({"c1": 0.1}, "no c1"),
        ({"c2": 0.0}, "needs c2 above 0"),
    ],
)
def test_what_cannot_learn_in_batches(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CRF(template="ner", **options).partial_fit(*corpus(10))


def test_an_empty_first_batch_needs_classes() -> None:
    with pytest.raises(ModelError, match="nothing to train on"):
        CRF(template="ner").partial_fit([], [])


def test_learning_continues_from_the_model_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    CRF(template="ner", model_filename=path).partial_fit([["Ada"]], [["B-PER"]])
    crf = CRF(template="ner", model_filename=path).partial_fit([["Rio"]], [["B-LOC"]])
    assert crf.classes_ == ["B-PER", "B-LOC"]
    assert CRF.load(path).classes_ == ["B-PER", "B-LOC"]


def test_batches_without_tokens_and_dense_rows() -> None:
    X, y = corpus(20)
    dense = [np.full((len(tokens), 3), 0.5) for tokens in X]
    crf = CRF(template="ner").partial_fit([], [], classes=["O", "B-PER", "B-LOC"])
    crf.partial_fit(X, y, dense=dense)
    weights = crf.dense_weights_
    crf.partial_fit([], []).partial_fit([[]], [[]], dense=[np.zeros((0, 3))])
    assert np.array_equal(crf.dense_weights_, weights)


def test_class_weights_of_later_labels() -> None:
    crf = CRF(template="ner", class_weight={"B-LOC": 2.0}).partial_fit([["Ada"]], [["B-PER"]])
    assert crf.partial_fit([["Rio"]], [["B-LOC"]]).classes_ == ["B-PER", "B-LOC"]
    with pytest.raises(ValueError, match="class_weight as a dict"):
        CRF(template="ner", class_weight="balanced").partial_fit([["Ada"]], [["B-PER"]])


def test_a_warm_start_with_rows_of_another_width_is_refused() -> None:
    X, y = corpus(20)
    first = CRF().fit(None, y, dense=[np.ones((len(tokens), 3)) for tokens in X])
    with pytest.raises(ModelError, match="dense rows of 3 columns, but"):
        CRF().fit(None, y, dense=[np.ones((len(tokens), 2)) for tokens in X], start=first)


@pytest.mark.parametrize("value", [-1.0, 0.1, 10.0])
def test_batches_do_not_depend_on_the_scale_of_a_feature(value: float) -> None:
    """With c2 in proportion to the squared value, weights times values are equal."""

    def learnt(value: float) -> float:
        crf = CRF(c2=0.5 * value**2, all_possible_states=True, epsilon=1e-9, delta=1e-12)
        for label, number in (("A", 300), ("B", 20)):
            labels = [label if at % 3 else "B" for at in range(number)]
            crf.partial_fit([[{"x": value}] for _ in labels], [[label] for label in labels])
        return crf.state_features_["x", "A"] * value

    assert learnt(value) == pytest.approx(learnt(1.0), abs=2e-3)


def test_tokens_of_unknown_labels_teach_nothing() -> None:
    def learnt(unknown: int) -> float:
        crf = CRF(c2=0.5, all_possible_states=True).partial_fit([[["x"]]] * 20, [["A"]] * 15 + [["B"]] * 5)
        if unknown:
            crf.partial_fit([[["x"]]] * unknown, [[None]] * unknown)
        return crf.partial_fit([[["x"]]] * 20, [["B"]] * 20).state_features_["x", "A"]

    assert learnt(500) == pytest.approx(learnt(0), abs=1e-3)
