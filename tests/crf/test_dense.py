"""Dense rows, and features beside a template."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

from spanrs.crf import CRF, join, span_f1
from spanrs.errors import AlignmentError, ModelError, SpanrsError, SpanrsWarning

TOKENS = [["Ada", "met", "Bob"], [], ["Rio", "glows"], ["Eve"]]
LABELS = [["B-PER", "O", "B-PER"], [], ["B-LOC", "O"], ["B-PER"]]
LENGTHS = [len(tokens) for tokens in TOKENS]
COLUMNS = 5


def rows(seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    # Multiples of 1/8, so that rows of 16, 32 and 64 bits are equal; many zeros, for sparse rows.
    return [np.round(rng.normal(size=(length, COLUMNS)) * 2) / 8 for length in LENGTHS]


def fitted(dense: Any, **options: Any) -> CRF:
    return CRF(template="U:%x[0,0]", **options).fit(TOKENS, LABELS, dense=dense)


def as_features(matrices: list[Any]) -> list[Any]:
    """The rows as features of the same names in each row."""
    return [[{f"d{at}": float(x) for at, x in enumerate(row)} for row in matrix] for matrix in matrices]


def arrow(matrices: list[Any], large: bool = False) -> Any:
    pa = pytest.importorskip("pyarrow")
    row = (pa.large_list if large else pa.list_)(pa.float64())
    return pa.array([matrix.tolist() for matrix in matrices], (pa.large_list if large else pa.list_)(row))


@pytest.mark.parametrize("algorithm", ["sdca", "lbfgs"])
@pytest.mark.parametrize("c1", [0.0, 0.05])
def test_rows_train_the_model_of_equal_features(algorithm: str, c1: float) -> None:
    options: dict[str, Any] = {"algorithm": algorithm, "c1": c1, "c2": 0.1, "tol": 1e-7}
    options |= {"epsilon": 1e-7, "delta": 1e-10} if algorithm == "lbfgs" or c1 else {}
    dense = CRF(**options).fit(None, LABELS, dense=rows())
    named = CRF(**options, all_possible_states=True).fit(as_features(rows()), LABELS)
    expected = named.predict_proba(as_features(rows(1)))
    for found, wanted in zip(dense.predict_proba(None, dense=rows(1)), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=2e-3)
    assert dense.history_[-1].loss == pytest.approx(named.history_[-1].loss, rel=1e-4)
    assert dense.predict(None, dense=rows(1)) == named.predict(as_features(rows(1)))


@pytest.mark.parametrize("max_memory", [None, 0])
def test_all_forms_of_rows_give_the_same_model(max_memory: int | None) -> None:
    matrices = rows()
    joined = np.concatenate(matrices)
    sparse = pytest.importorskip("scipy.sparse")
    pa = pytest.importorskip("pyarrow")
    forms: dict[str, Any] = {
        "float16": [matrix.astype(np.float16) for matrix in matrices],
        "float32": [matrix.astype(np.float32) for matrix in matrices],
        "lists": [matrix.tolist() for matrix in matrices],
        "Fortran order": [np.asfortranarray(matrix) for matrix in matrices],
        "one matrix": joined,
        "lengths": (joined, LENGTHS),
        "array of lengths": (joined, np.array(LENGTHS, np.uint8)),
        "iterator": iter(matrices),
        "array of objects": np.array([*matrices, None], dtype=object)[:-1],
        "sparse": [sparse.csr_matrix(matrix) for matrix in matrices],
        "sparse array of columns": sparse.csc_array(joined),
        "sparse first": [sparse.csr_matrix(matrices[0]), *matrices[1:]],
        "sparse later": [*matrices[:2], *map(sparse.coo_matrix, matrices[2:])],
        "Arrow": arrow(matrices),
        "Arrow, large": arrow(matrices, large=True),
        "Arrow, rows": arrow(matrices).flatten(),
        "Arrow, chunks": pa.chunked_array([arrow(matrices[:2]), arrow(matrices[2:])]),
        "Arrow, slice": arrow([*matrices, *matrices]).slice(4),
        "Arrow, fixed size": pa.FixedSizeListArray.from_arrays(pa.array(joined.ravel()), COLUMNS),
        "Arrow, table": pa.table({f"c{at}": joined[:, at] for at in range(COLUMNS)}),
        "Arrow, list of arrays": [arrow([matrix]).flatten() for matrix in matrices],
    }
    expected = fitted(matrices)
    weights = expected.dense_weights_
    for name, form in forms.items():
        model = fitted(form, max_memory=max_memory)
        # Sums of sparse rows have the same order without their zeros.
        assert np.array_equal(model.dense_weights_, weights), name
        assert model.state_features_ == expected.state_features_


def test_polars_and_torch_rows() -> None:
    pl = pytest.importorskip("polars")
    joined = np.concatenate(rows()).astype(np.float32)
    expected = fitted(joined).dense_weights_
    assert np.array_equal(fitted(pl.Series(joined.tolist())).dense_weights_, expected)
    assert np.array_equal(fitted(pl.DataFrame(joined)).dense_weights_, expected)


@pytest.mark.parametrize(
    ("dense", "message"),
    [
        (rows()[:3], "the numbers of sequences differ: dense has 3, others have more"),
        (np.concatenate(rows())[:-1], "dense has 5 rows, but the sequences have 6 tokens"),
        ((np.concatenate(rows()), [3, 0, 1, 2]), "sequence 2: 2 tokens, but its length in dense is 1"),
        ((np.concatenate(rows()), [3, 0, 2]), "dense has the lengths of 3 sequences, but there are 4"),
        ([rows()[0], rows()[1], rows()[2], rows()[0]], "sequence 3: 1 tokens, but 3 dense rows; cut off the padding"),
        ([*rows()[:3], rows()[3][:, :4]], "sequence 3: expected 5 columns of dense rows, got 4"),
    ],
)  # fmt: skip
def test_lengths_that_do_not_add_up(dense: Any, message: str) -> None:
    with pytest.raises(AlignmentError) as caught:
        fitted(dense)
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e39])
@pytest.mark.parametrize("sparse", [False, True])
def test_values_that_are_not_finite_are_refused_with_their_place(value: float, sparse: bool) -> None:
    damaged: list[Any] = rows()
    damaged[2][1, 3] = value
    if sparse:
        damaged = [pytest.importorskip("scipy.sparse").csr_matrix(matrix) for matrix in damaged]
    shown = "NaN" if np.isnan(value) else "inf"
    expected = (
        f"sequence 2: token 1: column 3 of its dense row is {shown} in 32 bits; values must be finite"
    )
    with pytest.raises(ModelError, match=expected) as caught:
        fitted(damaged)
    assert caught.value.sentence == 2
    with pytest.raises(ModelError, match=expected):
        fitted(rows()).predict(TOKENS, dense=damaged)


def test_rows_of_another_width_than_in_training() -> None:
    crf = fitted(rows())
    narrow = [matrix[:, :4] for matrix in rows()]
    for dense, found in ((narrow, "dense rows of 4 columns"), (None, "no dense rows")):
        message = f"the model was trained with dense rows of 5 columns, but the sequence has {found}"
        with pytest.raises(ModelError, match=message):
            crf.predict(TOKENS, dense=dense)
        with pytest.raises(ModelError, match=message):
            crf.predict_proba(TOKENS, dense=dense)
    with pytest.raises(
        ModelError, match="with no dense rows, but the sequence has dense rows of 5 columns"
    ):
        CRF(template="ner").fit(TOKENS, LABELS).predict(TOKENS, dense=rows())
    with pytest.raises(ModelError, match="but the sequence has dense rows of 4 columns"):
        CRF().fit(None, LABELS, join(dense=narrow), LABELS, dense=rows())
    # Sequences without tokens need no rows.
    assert crf.predict([[]], dense=[np.zeros((0, 5))]) == [[]]


@pytest.mark.parametrize(
    ("dense", "message"),
    [
        (np.zeros(6), "dense must have 2 dimensions"),
        ([["a", "b"]] * 4, "must have numbers"),
        ([np.array([["a"]] * length) for length in LENGTHS], "must have numbers, not <U1"),
        (np.zeros((6, 0)), "dense has no columns"),
        ([np.zeros((length, 2), complex) for length in LENGTHS], "must have numbers, not complex128"),
        ((np.zeros((6, 2)), [3.0, 0.0, 2.0, 1.0]), "must be integers"),
        ((np.zeros((6, 2)), [3, -1, 3, 1]), "sequence 1 has a negative length"),
    ],
)  # fmt: skip
def test_what_is_not_a_matrix_of_numbers_is_refused(dense: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        fitted(dense)


def test_nulls_of_arrow_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    values = [[[1.0]] * length for length in LENGTHS]
    for place in ([[1.0], None, [2.0]], [[1.0], [None], [2.0]], None):
        with pytest.raises(ValueError, match="1 nulls"):
            fitted(pa.array([place, *values[1:]]))


def test_many_columns() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = sparse.random(6, 100_000, density=1e-4, format="csr", random_state=0)
    crf = fitted(dense)
    assert crf.dense_weights_.shape == (100_000, 3)
    full = fitted(dense.toarray())
    np.testing.assert_allclose(full.dense_weights_, crf.dense_weights_, atol=1e-6)
    assert crf.predict(TOKENS, dense=dense) == crf.predict(TOKENS, dense=dense.toarray())


def test_online_algorithms_refuse_rows() -> None:
    for algorithm in ("l2sgd", "ap", "pa", "arow"):
        with pytest.raises(ValueError, match="dense rows require the algorithm sdca or lbfgs"):
            fitted(rows(), algorithm=algorithm)


def test_files_and_pickles_keep_the_weights_of_rows() -> None:
    crf = fitted(rows())
    file = io.BytesIO()
    crf.save(file)
    assert b"dense_weights" in file.getvalue()
    for copy in (CRF.load(file.getvalue()), pickle.loads(pickle.dumps(crf))):
        assert np.array_equal(copy.dense_weights_, crf.dense_weights_)
        for found, expected in zip(
            copy.predict_proba(TOKENS, dense=rows(2)), crf.predict_proba(TOKENS, dense=rows(2)), strict=True
        ):
            assert np.array_equal(found, expected)
    with pytest.raises(ModelError, match="dense"):
        crf.save_crfsuite(io.BytesIO())
    plain = io.BytesIO()
    CRF(template="ner").fit(TOKENS, LABELS).save(plain)
    assert b'"version\\":1' in plain.getvalue() or b'\\"version\\": 1' in plain.getvalue()


def test_damaged_files_are_refused_or_work() -> None:
    file = io.BytesIO()
    fitted(rows()).save(file)
    data = file.getvalue()
    rng = np.random.default_rng(0)
    for _ in range(400):
        damaged = bytearray(data)
        damaged[rng.integers(len(damaged))] = rng.integers(256)
        cut = rng.integers(len(damaged)) if rng.random() < 0.2 else len(damaged)
        try:
            model = CRF.load(bytes(damaged[:cut]))
            model.predict(TOKENS, dense=rows())
        except (ModelError, AlignmentError, ValueError):
            continue


def test_a_warm_start_begins_with_the_weights_of_rows() -> None:
    first = fitted(rows(), c2=0.1)
    again = CRF(template="U:%x[0,0]", c2=0.1).fit(TOKENS, LABELS, dense=rows(), start=first)
    assert len(again.history_) < len(first.history_)
    assert again.history_[0].loss <= first.history_[0].loss


def test_padded_rows_with_lengths() -> None:
    padded = np.zeros((4, 3, COLUMNS))
    for at, matrix in enumerate(rows()):
        padded[at, : len(matrix)] = matrix
    expected = fitted(rows()).dense_weights_
    for form in ((padded, LENGTHS), (rows(), LENGTHS), (list(padded), LENGTHS)):
        assert np.array_equal(fitted(form).dense_weights_, expected)
    with pytest.raises(AlignmentError, match="cut off the padding"):
        fitted(padded)


def test_features_that_training_had_are_needed() -> None:
    shape = [[{"upper": token[:1].isupper()} for token in tokens] for tokens in TOKENS]
    crf = CRF(template="U:%x[0,0]").fit(TOKENS, LABELS, features=shape)
    file = io.BytesIO()
    crf.save(file)
    for model in (crf, CRF.load(file.getvalue()), pickle.loads(pickle.dumps(crf))):
        message = "sequence 0: the model was trained with features beside the tokens"
        for call in (model.predict, model.predict_proba, model.predict_spans, model.predict_confidence):
            with pytest.raises(ModelError, match=message):
                call(TOKENS)
        with pytest.raises(ModelError, match=message):
            model.calibrate(TOKENS, LABELS)
        assert model.predict([[]]) == [[]]
    with pytest.raises(ModelError, match="development sequence 0: the model was trained with features"):
        CRF(template="U:%x[0,0]").fit(TOKENS, LABELS, TOKENS, LABELS, features=shape)


def test_temperature_scales_the_scores_of_rows() -> None:
    crf = fitted(rows(), c2=0.01)
    warm = crf._with_metadata(temperature=2.0)
    token = join([["Ada"]], dense=[rows()[0][:1]])
    cold, hot = (np.log(model.predict_proba(token)[0][0]) for model in (crf, warm))
    np.testing.assert_allclose(np.diff(hot), np.diff(cold) / 2, atol=1e-9)
    assert crf.predict(TOKENS, dense=rows()) == warm.predict(TOKENS, dense=rows())


def test_a_column_of_another_scale_is_a_warning() -> None:
    large = [matrix * [1, 1, 1, 1, 1e10] for matrix in rows()]
    with pytest.warns(SpanrsWarning, match="scale them to about 1"):
        fitted(large, c2=0.1)


def test_a_single_sequence_is_no_collection() -> None:
    (sequence, *_) = join(TOKENS, dense=rows())
    with pytest.raises(TypeError, match="a single sequence"):
        fitted(rows()).predict(sequence)
    with pytest.raises(TypeError, match="a single sequence"):
        CRF().fit(sequence, LABELS[:1])
    with pytest.raises(TypeError, match="there are no sequences"):
        CRF().fit(None, LABELS)


def test_features_beside_a_template() -> None:
    shape = [
        [{"upper": token[:1].isupper(), "length": len(token)} for token in tokens] for tokens in TOKENS
    ]
    crf = CRF(template="U:%x[0,0]").fit(TOKENS, LABELS, features=shape)
    names = {attribute for attribute, _ in crf.state_features_}
    assert {"U:Ada", "upper", "length"} <= names
    by_hand = [
        [{f"U:{token}": 1.0} | own for token, own in zip(tokens, features, strict=True)]
        for tokens, features in zip(TOKENS, shape, strict=True)
    ]
    same = CRF().fit(by_hand, LABELS)
    assert same.state_features_ == crf.state_features_
    for found, expected in zip(
        crf.predict_proba(TOKENS, features=shape), same.predict_proba(by_hand), strict=True
    ):
        assert np.array_equal(found, expected)
    # Without a template, features of both are used.
    both = CRF().fit([[[f"U:{token}"] for token in tokens] for tokens in TOKENS], LABELS, features=shape)
    assert both.state_features_ == crf.state_features_
    with pytest.raises(AlignmentError, match="sequence 0: 3 tokens, but features of 2"):
        crf.predict(TOKENS, features=[shape[0][:2], *shape[1:]])
    with pytest.raises(ModelError, match="the sequence has no tokens"):
        crf.predict(None, features=shape)


def test_joined_and_plain_sequences_can_be_mixed() -> None:
    crf = CRF(template="U:%x[0,0]").fit(TOKENS, LABELS)
    joined = join(TOKENS, features=[[["new"]] * length for length in LENGTHS])
    expected = crf.predict(TOKENS)
    for mixed in ([*TOKENS[:2], *joined[2:]], [*joined[:1], *TOKENS[1:]], joined):
        assert crf.predict(mixed) == expected
    assert crf.predict_single(joined[0]) == expected[0]
    assert crf.predict_n_best(joined[0], 2) == crf.predict_n_best(TOKENS[0], 2)
    assert [e.label for e in crf.explain(joined[0])] == expected[0]
    with pytest.raises(TypeError, match="joined already"):
        join(joined, dense=rows())
    with pytest.raises(TypeError, match="pass tokens, features or dense rows"):
        join()
    with pytest.raises(TypeError, match=r"pass dense=\(matrix, lengths\)"):
        join(dense=np.concatenate(rows()))


def test_explanations_have_the_contribution_of_rows() -> None:
    crf = fitted(rows(), c2=0.01)
    sequence = join(TOKENS, dense=rows())[0]
    explained = crf.explain(sequence, n=20)
    at = crf.classes_.index(explained[0].label)
    (reason,) = [reason for reason in explained[0].reasons if reason.feature == "(dense)"]
    assert reason.weight == pytest.approx((rows()[0].astype(np.float32)[0] @ crf.dense_weights_)[at])


def test_grid_search_over_joined_sequences() -> None:
    selection = pytest.importorskip("sklearn.model_selection")
    X, y = join(TOKENS * 3, dense=rows() * 3), LABELS * 3
    crf = CRF(template="U:%x[0,0]", validation_fraction=0.25, patience=3)
    search = selection.GridSearchCV(crf, {"c2": [0.01, 1]}, scoring=span_f1, cv=2, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0
    assert search.predict(X[:1]) == search.best_estimator_.predict(X[:1])


def test_validation_fraction_holds_sequences_out() -> None:
    X, y = TOKENS * 5, LABELS * 5
    crf = CRF(template="ner", validation_fraction=0.2, patience=2, seed=3).fit(X, y)
    assert all(iteration.dev_score is not None for iteration in crf.history_)
    again = CRF(template="ner", validation_fraction=0.2, patience=2, seed=3).fit(X, y)
    assert again.state_features_ == crf.state_features_
    assert CRF(template="ner", validation_fraction=0.2).fit(X, y).get_params()["validation_fraction"] == 0.2
    weighted = CRF(template="ner", validation_fraction=0.5).fit(X, y, sample_weight=range(20))
    assert weighted.classes_
    for fraction in (0, 1, -1, 1.5, float("nan")):
        with pytest.raises(ValueError, match="validation_fraction"):
            CRF(validation_fraction=fraction).fit(X, y)
    with pytest.raises(ValueError, match="pass either"):
        CRF(template="ner", validation_fraction=0.5).fit(X, y, X, y)
    with pytest.raises(ModelError, match="at least two"):
        CRF(template="ner", validation_fraction=0.5).fit(X[:1], y[:1])
    with pytest.raises(ModelError, match="held out"):
        CRF(template="ner", validation_fraction=0.9).fit(X, [[None] * len(labels) for labels in y])


def test_class_weights_trade_precision_for_recall() -> None:
    rng = np.random.default_rng(0)
    y = [["O"] if number % 3 else ["B-PER"] for number in range(300)]
    X = [[{"a": rng.normal() + (labels == ["O"]), "bias": 1}] for labels in y]
    counts = []
    for weight in (0.1, 1.0, 10.0):
        pred = CRF(class_weight={"O": weight}).fit(X, y).predict(X)
        counts.append(sum(labels.count("O") for labels in pred))
    assert counts[0] < counts[1] < counts[2]
    ordinary = CRF().fit(X, y)
    assert CRF(class_weight={"O": 1}).fit(X, y).state_features_ == ordinary.state_features_
    balanced = CRF(class_weight="balanced").fit(X, y)
    sizes = {label: sum(labels.count(label) for labels in y) for label in balanced.classes_}
    weights = {label: sum(sizes.values()) / (len(sizes) * size) for label, size in sizes.items()}
    assert CRF(class_weight=weights).fit(X, y).state_features_ == balanced.state_features_


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ({"O": 0}, ValueError, "class_weight of O must be a number above 0"),
        ({"O": float("nan")}, ValueError, "class_weight of O"),
        ("even", ValueError, "must be a dict or 'balanced'"),
        ([1, 2], TypeError, "must be a dict or 'balanced'"),
        ({"O": "2"}, TypeError, "class_weight of O must be a number"),
    ],
)
def test_bad_class_weights(weights: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        CRF(template="ner", class_weight=weights).fit(TOKENS, LABELS)


def test_a_class_weight_of_a_label_that_does_not_occur_is_a_warning() -> None:
    with pytest.warns(SpanrsWarning, match="'B-ORG', which does not occur"):
        crf = CRF(template="ner", class_weight={"B-ORG": 2}).fit(TOKENS, LABELS)
    assert crf.state_features_ == CRF(template="ner").fit(TOKENS, LABELS).state_features_


def test_sequences_with_and_without_rows_are_refused_with_their_place() -> None:
    crf, joined = fitted(rows()), join(TOKENS, dense=rows())
    for mixed, at, message in (
        ([joined[0], TOKENS[2]], 1, "the sequence has no dense rows, but earlier sequences have"),
        ([TOKENS[0], joined[2]], 1, "the sequence has dense rows, but earlier sequences have none"),
    ):
        with pytest.raises(ModelError, match=f"sequence {at}: {message}"):
            crf.predict(mixed)
        with pytest.raises(ModelError, match=f"sequence {at}: {message}"):
            CRF(template="ner").fit(mixed, [LABELS[0], LABELS[2]])
        with pytest.raises(ModelError, match=message):
            CRF(template="ner").fit(joined, LABELS, mixed, [LABELS[0], LABELS[2]])


def test_too_many_columns_are_refused() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    for columns in (4_000_000_000, 2**33):
        dense = sparse.csr_matrix(([1.0], ([0], [columns - 1])), shape=(6, columns))
        with pytest.raises(
            (ValueError, SpanrsError), match=r"columns; at most|features; a model has at most"
        ):
            fitted(dense)


def test_masked_values_are_refused() -> None:
    masked = [np.ma.masked_less(matrix, 0) for matrix in rows()]
    with pytest.raises(ValueError, match=r"dense\[0\] has masked values"):
        fitted(masked)


def test_errors_name_the_sequence_that_was_passed() -> None:
    damaged = rows()
    damaged[3][0, 2] = np.nan
    for seed in range(6):
        # Whichever sequence is held out before it.
        crf = CRF(template="ner", validation_fraction=0.3, seed=seed)
        with pytest.raises(ModelError, match=r"^sequence 3: token 0: column 2") as caught:
            crf.fit(TOKENS, LABELS, dense=damaged)
        assert caught.value.sentence == 3
    with pytest.raises(ModelError, match=r"^development sequence 3: token 0: column 2"):
        CRF(template="ner").fit(TOKENS, LABELS, join(TOKENS, dense=damaged), LABELS, dense=rows())
    for seed in range(6):
        with pytest.raises(AlignmentError, match="sequence 2: 2 tokens, but 1 labels"):
            CRF(template="ner", validation_fraction=0.3, seed=seed).fit(
                TOKENS, [*LABELS[:2], ["O"], LABELS[3]]
            )


def test_rows_may_come_from_a_generator() -> None:
    crf = CRF(template="U:%x[0,0]", max_memory=0).fit(iter(TOKENS), LABELS, dense=iter(rows()))
    assert np.array_equal(crf.dense_weights_, fitted(rows()).dense_weights_)


def test_class_weights_are_refused_by_online_algorithms_and_saved() -> None:
    with pytest.raises(ValueError, match="class weights require"):
        CRF(template="ner", algorithm="ap", class_weight={"O": 2}).fit(TOKENS, LABELS)
    file = io.BytesIO()
    CRF(template="ner", algorithm="l2sgd", class_weight={"O": np.float32(2)}).fit(TOKENS, LABELS).save(file)
    assert CRF.load(file.getvalue()).class_weight == {"O": 2.0}
