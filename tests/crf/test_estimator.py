"""The estimator: training, decoding, targets, files, scikit-learn, interrupts."""

from __future__ import annotations

import io
import itertools
import math
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import RandomizedSearchCV, cross_val_score

import spanrs
from spanrs.crf import CRF, templates
from spanrs.errors import AlignmentError, FormatError, LimitError, ModelError, SpanrsWarning

NAMES = ["Ada", "Bob", "Eve"]


def sentences(n: int = 30) -> tuple[list[list[str]], list[list[str]]]:
    """Names are persons, or places after "in"."""
    X, y = [], []
    for at in range(n):
        name, place = NAMES[at % 3], NAMES[(at + 1) % 3]
        X.append([name, "sleeps", "in", place, str(at)])
        y.append(["B-PER", "O", "O", "B-LOC", "O"])
    return X, y


def features(tokens: list[str]) -> list[dict[str, object]]:
    return [
        {
            "word": token,
            "before": tokens[at - 1] if at else "-",
            "upper": token[0].isupper(),
            "length": len(token) / 10,
        }
        for at, token in enumerate(tokens)
    ]


@pytest.mark.parametrize("algorithm", ["sdca", "lbfgs", "l2sgd", "ap", "pa", "arow"])
def test_every_algorithm_learns(algorithm):
    X, y = sentences()
    X = [features(tokens) for tokens in X]
    crf = CRF(algorithm=algorithm, c2=0.01).fit(X, y)
    assert crf.predict(X) == y
    assert crf.score(X, y) == 1.0
    assert crf.history_[-1].iteration == len(crf.history_)


def test_names_of_features_are_those_of_python_crfsuite():
    x = [{"w": "a", "n": 2.5, "b": True, "d": {"k": "v", "l": ["x", "y"]}, "s": {"z"}}, ["p", "q"]]
    crf = CRF(c2=0.01).fit([x], [["A", "B"]])
    assert {name for name, _ in crf.state_features_} == {
        "w:a",
        "n",
        "b",
        "d:k:v",
        "d:l:x",
        "d:l:y",
        "s:z",
        "p",
        "q",
    }


def brute(crf: CRF, x: list[list[str]]) -> dict[tuple[str, ...], float]:
    """Probabilities of all labellings, from the weights."""
    state, step = crf.state_features_, crf.transition_features_
    scores = {}
    for labels in itertools.product(crf.classes_, repeat=len(x)):
        values = sum(
            state.get((a, label), 0.0) for token, label in zip(x, labels, strict=True) for a in token
        )
        scores[labels] = math.exp(values + sum(step.get(pair, 0.0) for pair in itertools.pairwise(labels)))
    total = sum(scores.values())
    return {labels: score / total for labels, score in scores.items()}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from("abcd"), max_size=3), min_size=1, max_size=4), st.integers(0, 5))
def test_decoding_agrees_with_enumeration(x, seed):
    rng = np.random.default_rng(seed)
    X = [[[str(a)] for a in rng.choice(list("abcd"), 4)] for _ in range(4)]
    crf = CRF(c2=0.1, max_iter=5).fit(X, [list(map(str, rng.choice(list("XYZ"), 4))) for _ in X])
    expected = brute(crf, x)
    for labels, probability in crf.predict_n_best(x, 3):
        assert probability == pytest.approx(expected[tuple(labels)], rel=1e-9)
        assert crf.probability(x, labels) == pytest.approx(probability, rel=1e-9)
    assert sorted(expected.values())[-1] == pytest.approx(crf.predict_n_best(x, 1)[0][1], rel=1e-9)
    assert crf.predict([x])[0] == crf.predict_n_best(x, 1)[0][0]
    for at, row in enumerate(crf.predict_marginals_single(x)):
        for label, probability in row.items():
            total = sum(p for labels, p in expected.items() if labels[at] == label)
            assert probability == pytest.approx(total, rel=1e-9)
    posterior = crf.predict_posterior([x])[0]
    assert [max(row.values()) for row in crf.predict_marginals_single(x)] == [
        row[label] for row, label in zip(crf.predict_marginals_single(x), posterior, strict=True)
    ]


def test_a_weight_of_two_is_the_sequence_twice():
    X, y = sentences(4)
    X = [features(tokens) for tokens in X]
    twice = CRF(tol=1e-8).fit([X[0], *X], [y[0], *y])
    weighted = CRF(tol=1e-8).fit(X, y, sample_weight=[2, 1, 1, 1])
    assert twice.state_features_ == pytest.approx(weighted.state_features_, abs=1e-3)
    assert weighted.history_[-1].loss == pytest.approx(twice.history_[-1].loss, rel=1e-6)


def test_partial_and_soft_labels():
    X = [[["a"], ["b"]]] * 3
    hard = CRF(tol=1e-8).fit(X, [["A", "B"]] * 3)
    as_sets = CRF(tol=1e-8).fit(X, [[{"A"}, {"B"}]] * 3)
    as_shares = CRF(tol=1e-8).fit(X, [[{"A": 1.0}, {"B": 1.0}]] * 3)
    assert as_sets.history_[-1].loss == pytest.approx(hard.history_[-1].loss)
    assert as_shares.history_[-1].loss == pytest.approx(hard.history_[-1].loss)
    crf = CRF(c2=0.1).fit([*X, [["a"], ["c"]]], [*[["A", "B"]] * 3, [None, {"B", "C"}]])
    assert crf.predict([[["a"], ["b"]]]) == [["A", "B"]]
    soft = CRF(c2=1e-3).fit([[["a"]]], [[{"A": 0.75, "B": 0.25}]])
    assert soft.predict_marginals_single([["a"]])[0]["A"] == pytest.approx(0.75, abs=0.01)


def test_output_is_legal_under_a_scheme_and_given_labels_are_kept():
    X, y = sentences()
    assert CRF(template="ner").fit(X, y).metadata_["scheme"] == "BIO"
    assert "scheme" not in CRF(template="ner", scheme=None).fit(X, y).metadata_
    # The only certain labels are legal in IOB1, but not the others.
    soft = [["B-PER"], [{"I-PER": 0.5, "S-PER": 0.5}]]
    assert "scheme" not in CRF().fit([[["a"]], [["b"]]], soft).metadata_
    crf = CRF(template="ner", scheme="BIO", algorithm="ap", max_iter=1).fit(
        X, [["B-PER", "I-PER", "O", "B-LOC", "O"]] * len(y)
    )
    for labels in crf.predict([["in", "in", "in"], ["sleeps"], ["Ada"] * 9]):
        assert not spanrs.tags.validate(labels, "BIO")
    known = [["B-LOC", None, {"I-PER", "O"}, None, None]]
    (labels,) = crf.predict([X[0]], known=known)
    assert labels[0] == "B-LOC"
    assert labels[2] == "O"
    with pytest.raises(ModelError, match='sequence 0: the model has no label "B-X"'):
        crf.predict([X[0]], known=[["B-X"] * 5])
    with pytest.raises(ModelError, match="every labelling"):
        crf.predict([X[0]], known=[["I-PER"] * 5])


def test_models_are_saved_and_loaded(tmp_path):
    X, y = sentences()
    crf = CRF(template="ner", scheme="BIO").fit(X, y)
    crf.describe({"data": "made"})
    crf.save(tmp_path / "model")
    again = CRF.load(tmp_path / "model")
    assert again.metadata_ == crf.metadata_
    assert again.metadata_["card"] == {"data": "made"}
    assert again.predict(X) == crf.predict(X)
    assert pickle.loads(pickle.dumps(crf)).predict(X) == crf.predict(X)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    crf.save_crfsuite(tmp_path / "crfsuite")
    assert CRF.load(tmp_path / "crfsuite").state_features_ == crf.state_features_
    (tmp_path / "text").write_text("no model")
    with pytest.raises(
        ModelError, match="text: a text file, not a model; check the order of the arguments"
    ) as caught:
        CRF.load(tmp_path / "text")
    assert caught.value.path == str(tmp_path / "text")
    with pytest.raises(FileNotFoundError):
        CRF.load(tmp_path / "nothing")


def test_damaged_crfsuite_files_are_errors():
    X, y = sentences(5)
    file = io.BytesIO()
    CRF().fit([features(tokens) for tokens in X], y).save_crfsuite(file)
    whole = file.getvalue()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(500):
        data = bytearray(whole)
        data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        try:
            CRF.load(bytes(data)).predict([[["word:Ada"]]])
        except ModelError:
            refused += 1
    assert refused > 100


def test_warm_start_and_early_stopping():
    X, y = sentences()
    X = [features(tokens) for tokens in X]
    crf = CRF().fit(X, y)
    warm = CRF().fit(X, y, start=crf)
    assert len(warm.history_) < len(crf.history_)
    early = CRF(c2=1e-6, patience=3).fit(X, y, X[:5], y[:5])
    assert early.stopped_ == "stopped"
    scores = [it.dev_score for it in early.history_]
    assert len(scores) == scores.index(max(scores)) + 1 + 3
    with pytest.raises(ValueError, match="patience needs development data"):
        CRF(patience=3).fit(X, y)


def test_dev_score_of_labels_that_are_no_tags_is_accuracy():
    X, _ = sentences(6)
    y = [["NN", "VB", "IN", "NN", "CD"]] * 6
    crf = CRF(template="pos").fit(X, y, X, y)
    assert crf.history_[-1].dev_score == 1.0
    assert CRF(template="pos", scheme="auto").fit(X, y).metadata_.get("scheme") is None


def test_scikit_learn_works_with_it():
    X, y = sentences(20)
    X = [features(tokens) for tokens in X]
    crf = CRF(c2=0.5, max_iter=20)
    assert clone(crf).get_params() == crf.get_params()
    assert crf.set_params(c2=0.25) is crf
    assert repr(crf) == "CRF(c2=0.25, max_iter=20)"
    assert cross_val_score(crf, X, y, cv=3).mean() > 0.9
    search = RandomizedSearchCV(crf, {"c2": [0.01, 0.1, 1.0]}, n_iter=2, cv=2, n_jobs=2, random_state=0)
    assert search.fit(X, y).best_score_ > 0.9


def test_threads_give_the_same_model():
    X, y = sentences(400)
    first, second = (CRF(template="ner", threads=n).fit(X, y) for n in (1, 2))
    assert first.state_features_ == second.state_features_
    assert first.predict(X) == second.predict(X)


def test_templates():
    assert sorted(templates()) == ["chunking", "ner", "pos"]
    X, y = sentences()
    crf = CRF(template="U:%x[0,0]\nU:%x[-1,0]/%x[0,0]\nB\n").fit(X, y)
    assert ("U:_B-1/Ada", "B-PER") in crf.state_features_
    pairs = [[(token, token[0]) for token in tokens] for tokens in X]
    assert CRF(template="chunking").fit(pairs, y).predict(pairs) == y
    with pytest.raises(FormatError, match="line 1") as caught:
        CRF(template="U:%nothing[0,0]\n").fit(X, y)
    assert (caught.value.line, caught.value.column) == (1, 3)
    with pytest.raises(FileNotFoundError, match="neither a file nor one of chunking, ner, pos"):
        CRF(template="nerr").fit(X, y)


@pytest.mark.parametrize(
    ("X", "y", "error", "message"),
    [
        ([[["a"]]], [["A", "B"]], AlignmentError, "sequence 0: 1 tokens, but 2 labels"),
        ([[["a"]], [["b"]]], [["A"]], AlignmentError, "only 1 sequences of labels"),
        ([[["a"]]], [["A"], ["B"]], AlignmentError, "only 1 sequences of features"),
        ([[{"a": float("nan")}]], [["A"]], ModelError, 'sequence 0: feature "a" has the value NaN'),
        ([[{"a": object()}]], [["A"]], ModelError, 'feature "a" is of type object'),
        ([[{1: "a"}]], [["A"]], ModelError, "the name of a feature is 1"),
        ([["word"]], [["A"]], ModelError, "a token is 'word', a string"),
        (["word"], [["A"]], ModelError, "a string"),
        ([[["a"]]], ["A"], ModelError, "the labels of a sequence are a string"),
        ([[["a"]]], [[1]], ModelError, "a label is 1"),
        ([[["a"]]], [[set()]], ModelError, "token 0: no label is allowed"),
        ([[["a"]]], [[{"A": 0.5, "B": 0.6}]], ModelError, "must be between 0 and 1 and sum to 1"),
        ([], [], ModelError, "nothing to train on"),
        ([[]], [[]], ModelError, "nothing to train on"),
    ],
)
def test_what_cannot_be_trained_on_is_refused(X, y, error, message):
    with pytest.raises(error, match=message):
        CRF().fit(X, y)


def test_wrong_parameters_are_refused():
    X, y = [[["a"]]], [["A"]]
    for params in [
        {"algorithm": "adam"},
        {"c2": -1},
        {"c2": math.nan},
        {"c1": 1, "algorithm": "ap"},
        {"max_iter": 0},
        {"pa_type": 3, "algorithm": "pa"},
    ]:
        with pytest.raises(ValueError, match=next(iter(params))):
            CRF(**params).fit(X, y)
    with pytest.raises(TypeError, match="num_memories must be an int, not float"):
        CRF(num_memories=1.5).fit(X, y)
    for weights in ([-1.0], [math.nan]):
        with pytest.raises(ModelError, match="sequence 0: the weight of a sequence"):
            CRF().fit(X, y, sample_weight=weights)
    with pytest.raises(AlignmentError, match="only 0 weights"):
        CRF().fit(X, y, sample_weight=[])
    with pytest.raises(ModelError, match="not fitted"):
        CRF().predict(X)
    with pytest.raises(ModelError, match='no label "Z"'):
        CRF().fit(X, y).probability([["a"]], ["Z"])


def test_empty_sequences_one_class_and_unknown_features():
    X, y = [[["a"]], []], [["A"], []]
    crf = CRF().fit(X, y)
    assert crf.predict([[], [["never seen"]]]) == [[], ["A"]]
    assert crf.predict_marginals([[]]) == [[]]
    assert crf.predict_n_best([], 2) == [([], 1.0)]
    assert crf.explain([["a"]])[0].alternative is None
    assert CRF().fit([[["a"], ["b"]]], [["O", "O"]]).predict([[["a"]]]) == [["O"]]


def test_too_many_labels_are_refused():
    X = [[["a"]] * 100] * 50
    y = [[f"L{100 * at + k}" for k in range(100)] for at in range(50)]
    with pytest.raises(LimitError, match="5000 labels; a model has at most 4096"):
        CRF().fit(X, y)


def test_a_million_attributes():
    X = [
        [[f"a{100 * at + k}" for k in range(100)] for at in range(start, start + 10)]
        for start in range(0, 10_000, 10)
    ]
    y = [["A", "B"] * 5] * len(X)
    crf = CRF(max_iter=3).fit(X, y)
    assert len(crf.state_features_) == 1_000_000


def test_explanations_name_what_decided():
    X, y = sentences()
    crf = CRF(c2=0.1).fit([features(tokens) for tokens in X], y)
    explained = crf.explain(features(X[0]), n=4)
    assert [e.label for e in explained] == y[0]
    first = explained[0]
    assert len(first.reasons) == 4
    assert first.probability > 0.5
    assert [abs(r.margin) for r in first.reasons] == sorted(
        (abs(r.margin) for r in first.reasons), reverse=True
    )
    assert first.alternative in crf.classes_
    assert f"not {first.alternative}" in str(first)


def test_other_threads_run_during_training():
    X, y = sentences(3000)
    X = [features(tokens) for tokens in X]
    ticks, done = [], threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    crf = CRF(algorithm="lbfgs", max_iter=200, delta=0, epsilon=0)
    thread.start()
    crf.fit(X, y)
    done.set()
    thread.join()
    # Features are read under the lock; the iterations run without it.
    assert len(ticks) > 20


INTERRUPT = """
import sys
from spanrs.crf import CRF
X = [[[f"w{(a * b) % 7919}", f"v{a % 13}"] for a in range(20)] for b in range(5000)]
y = [[["A", "B", "C"][(a * b) % 3] for a in range(20)] for b in range(5000)]
crf = CRF(algorithm=sys.argv[1], c2=1e-9, delta=0, epsilon=0, max_iter=10**6)
crf.set_params(keep_on_interrupt=sys.argv[2] == "keep")
print("go", flush=True)
try:
    crf.fit(X, y)
except KeyboardInterrupt:
    print("interrupted")
else:
    print(crf.stopped_, len(crf.predict(X[:1])[0]))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize(
    ("algorithm", "keep", "expected"),
    [
        ("lbfgs", "raise", "interrupted"),
        ("lbfgs", "keep", "interrupted 20"),
        ("ap", "keep", "interrupted 20"),
    ],
)
def test_ctrl_c_ends_training(algorithm, keep, expected):
    command = [sys.executable, "-c", INTERRUPT, algorithm, keep]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "go\n"
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        start = time.perf_counter()
        assert process.stdout.read().strip() == expected
    assert process.returncode == 0
    assert time.perf_counter() - start < 5


def test_the_order_of_sequences_does_not_matter_to_open_labels():
    X = [[["a"], ["b"]], [["a"], ["c"]], [["c"], ["b"]]]
    y = [[None, "B"], ["A", {"C", "B"}], ["C", "A"]]
    losses = [CRF(c2=0.1).fit(X[::step], y[::step]).history_[-1].loss for step in (1, -1)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)
    with pytest.raises(ModelError, match="nothing to train on"):
        CRF().fit([[["a"]]], [[None]])


def test_sets_do_not_bring_the_hash_seed_into_the_model():
    code = (
        "import hashlib, io; from spanrs.crf import CRF; f = io.BytesIO();"
        "CRF().fit([[{'x', 'y', 'z'}, ['w']]], [[{'A', 'B', 'C'}, 'A']]).save(f);"
        "print(hashlib.sha256(f.getvalue()).hexdigest())"
    )
    actual = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(actual) == 1


def test_values_that_change_their_dict_do_no_harm():
    class Value:
        def __float__(self) -> float:
            token.clear()
            return 1.0

    token = {"a": Value(), "b": 1.0}
    assert CRF().fit([[token]], [["A"]]).classes_ == ["A"]


def test_overflow_is_an_error():
    crf = CRF().fit([[["a", "b"]]] * 2, [["A"], ["B"]])
    huge = [[{"a": 1e308, "b": 1e308}]]
    crf = CRF(c2=1e-3).fit([[["a"], ["b"]]], [["A", "B"]])
    with pytest.raises(ModelError, match="not finite"):
        crf.predict_proba([[{"a": 1e308}, {"a": 1e308}, {"a": 1e308}], *huge])


def test_too_many_labellings_are_refused():
    X, y = sentences(3)
    crf = CRF(template="ner").fit(X, y)
    with pytest.raises(LimitError, match="request fewer"):
        crf.predict_n_best(["a"] * 40, 10**7)


def test_patience_waits_until_something_is_found():
    X, y = sentences(10)
    X = [features(tokens) for tokens in X]
    crf = CRF(patience=1, c2=1e-3).fit(X, y, X, y)
    assert crf.history_[-1].dev_score > 0
    with pytest.raises(ValueError, match="patience must be an integer of at least 1, not 0"):
        CRF(patience=0).fit(X, y, X, y)


def test_development_data_must_fit():
    X, y = [[["a"]]], [["A"]]
    for X_dev, y_dev, message in [
        (X, [], "X_dev has 1 sequences, but y_dev 0"),
        (X, [["A", "A"]], "1 tokens, but 2 labels"),
        (X, [[None]], "labels must be strings"),
    ]:
        with pytest.raises((AlignmentError, ModelError), match=message):
            CRF().fit(X, y, X_dev, y_dev)


def test_what_looks_wrong_is_said():
    X, y = sentences(4)
    crf = CRF(template="ner", scheme="BIO").fit(X, y)
    with pytest.warns(spanrs.SpanrsWarning, match="labels violate IOBES"):
        CRF(template="ner", scheme="IOBES").fit(X, [["B-PER", "O", "O", "B-LOC", "O"]] * 4)
    with pytest.warns(
        spanrs.SpanrsWarning,
        match="1 labels of the initial model do not occur in the training data.*: B-LOC",
    ):
        CRF(template="ner").fit(X, [["B-PER", "O", "O", "O", "O"]] * 4, start=crf)
    assert crf.probability(["a", "b"], ["O", "B-PER"]) > 0


def test_a_model_that_gives_one_label_is_said():
    x = [["a"], ["b"]]
    with pytest.warns(SpanrsWarning, match="all labels are O"):
        CRF().fit([x], [["O", "O"]])
    with pytest.warns(SpanrsWarning, match=r"no features of tokens.*min_freq"):
        CRF(min_freq=10).fit([x], [["A", "B"]])
    with pytest.warns(SpanrsWarning, match="never predicted: C"):
        CRF().fit([x], [["A", "B"]], [x], [["A", "C"]])


def test_a_scheme_without_a_tag_for_single_tokens_is_refused():
    x, y = [[["a"], ["b"]]], [["B-X", "E-X"]]
    with pytest.raises(ModelError, match="none of the labels B-X, E-X is legal for a single token"):
        CRF(scheme="IOBES").fit(x, y)
    assert len(CRF(scheme="auto").fit(x, y).predict([[["a"]]])[0]) == 1


def test_parameters_are_loaded(tmp_path):
    CRF(c2=0.25, algorithm="lbfgs", max_iter=7, threads=2).fit([[["a"], ["b"]]], [["A", "B"]]).save(
        tmp_path / "model"
    )
    loaded = CRF.load(tmp_path / "model")
    assert (loaded.c2, loaded.max_iter, loaded.threads) == (0.25, 7, 1)
    with (tmp_path / "model").open("rb") as file:
        assert CRF.load(file).predict([[["a"]]]) == loaded.predict([[["a"]]])


def test_surrogates_and_lists_of_labels_are_refused():
    crf = CRF().fit([[["a"], ["b"]]], [["A", "B"]])
    with pytest.raises(ModelError, match="surrogate"):
        crf.predict([[["a\ud800"]]])
    with pytest.raises(ModelError, match="a label is"):
        CRF().fit([[["a"]]], [[["A"]]])
    with pytest.raises(AlignmentError, match="known labels of a sequence"):
        crf.predict([[["a"]]], known=[["A", "B"]])
    with pytest.raises(ModelError, match="one label, a string"):
        crf.score([[["a"]]], [[None]])
    with pytest.raises(ValueError, match="at least 1"):
        crf.explain([["a"]], n=0)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ("12", TypeError, "a number for each sequence, not '12'"),
        (1.0, TypeError, "a number for each sequence, not 1.0"),
        ([1.0, None], TypeError, "sample_weight of sequence 1 must be a number, not None"),
        (["1", "2"], TypeError, "sample_weight of sequence 0 must be a number, not '1'"),
        (np.array(["1", "2"]), TypeError, "sample_weight of sequence 0 must be a number"),
        ([[1.0, 2.0], [1.0, 2.0]], TypeError, "sample_weight of sequence 0 must be a number"),
        (b"12", TypeError, "a number for each sequence"),
        ([0.0], AlignmentError, "weights"),
        ([0, 0.0], ModelError, "sample_weight is 0 for all sequences"),
    ],
)
def test_weights_that_are_refused(weights, error, message):
    with pytest.raises(error, match=message):
        CRF().fit([[["a"]], [["b"]]], [["A"], ["B"]], sample_weight=weights)


def test_development_data_without_sequences_are_refused():
    with pytest.raises(ModelError, match="no sequences"):
        CRF(patience=2).fit([[["a"]]], [["A"]], [], [])


def test_iterations_before_the_l1_norm_are_reported():
    X, y = [[["a"], ["b"]], [["b"], ["a"]]] * 5, [["A", "B"], ["B", "A"]] * 5
    crf = CRF(c1=0.1, c2=0.5, scheme=None).fit(X, y)
    assert [it.iteration for it in crf.history_] == list(range(1, len(crf.history_) + 1))
    assert all(it.gap is None for it in crf.history_)
    assert crf.history_[0].gradient_norm is None, "a sweep"
    scored = CRF(c1=0.1, c2=0.5, scheme=None).fit(X, y, X, y)
    assert scored.state_features_ == crf.state_features_, "development data are only scored"
    stopping = CRF(c1=0.1, c2=0.5, scheme=None, patience=3).fit(X, y, X, y)
    assert stopping.history_[0].gradient_norm is not None, "OWL-QN from the start"
