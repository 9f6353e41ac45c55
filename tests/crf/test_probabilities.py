"""Probabilities of labellings and spans, and their calibration, compared with enumeration."""

from __future__ import annotations

import io
import itertools
import math
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs
from spanrs import tags
from spanrs.crf import CRF, PredictedSpan, calibration
from spanrs.errors import AlignmentError, ModelError, NotFittedError, SchemeError, SpanrsWarning

SCHEMES = [scheme.name for scheme in tags.schemes() if scheme.name != "TOKEN"]
X = [["Ada", "Lovelace", "met", "Bob"], ["in", "Rio"], ["Rio"], ["x", "y"]] * 3
Y = [["B-PER", "I-PER", "O", "B-PER"], ["O", "B-LOC"], ["B-LOC"], ["O", "O"]] * 3


@pytest.fixture(scope="module")
def crf():
    return CRF(template="ner").fit(X, Y)


def random_crf(scheme: str, seed: int, *, constrained: bool) -> CRF:
    """A model of random weights over the tags of two types."""
    rng = np.random.default_rng(seed)
    labels = ["O", *(f"{prefix}-{name}" for name in ("A", "B") for prefix, *_ in prefixes(scheme))]
    weights = [[str(a)] for a in "abcd"]
    y = [list(map(str, rng.choice(labels, 4))) for _ in range(6)] + [[label] * 4 for label in labels]
    return CRF(c2=0.3, max_iter=int(rng.integers(1, 8)), scheme=scheme if constrained else None).fit(
        [[weights[at] for at in rng.choice(4, 4)] for _ in y], y
    )


def prefixes(scheme: str):
    return next(each.prefixes for each in tags.schemes() if each.name == scheme)


def enumerated(crf: CRF, x: list, scheme: str) -> tuple[dict[tuple, float], Counter]:
    """Probabilities of all labellings, and of all spans."""
    labellings = {
        labels: crf.probability(x, labels) for labels in itertools.product(crf.classes_, repeat=len(x))
    }
    spans: Counter = Counter()
    for labels, probability in labellings.items():
        for span in tags.tags_to_spans(labels, scheme):
            spans[span[:3]] += probability
    return labellings, spans


@pytest.mark.filterwarnings("ignore::spanrs.errors.SpanrsWarning")
@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(SCHEMES),
    st.booleans(),
    st.integers(0, 1000),
    st.lists(st.sampled_from([["a"], ["b"], ["c", "d"], []]), min_size=1, max_size=3),
)
def test_probabilities_of_spans_are_sums_over_labellings(scheme, constrained, seed, x):
    crf = random_crf(scheme, seed, constrained=constrained)
    given_scheme = None if constrained else scheme
    labellings, spans = enumerated(crf, x, scheme)
    assert sum(labellings.values()) == pytest.approx(1)
    (found,) = crf.predict_spans([x], 1e-4, scheme=given_scheme)
    assert [span[:3] for span in found] == sorted(
        (key for key, value in spans.items() if value >= 1e-4), key=lambda span: (*span[1:], span[0])
    )
    for span in found:
        assert span.probability == pytest.approx(spans[span[:3]], rel=1e-9)
    cells = [(name, start, end) for name in "AB" for end in range(1, len(x) + 1) for start in range(end)]
    (values,) = crf.span_probabilities([x], [cells], scheme=given_scheme)
    assert values == pytest.approx([spans[cell] for cell in cells], rel=1e-9, abs=1e-12)
    # A token is outside or in exactly one span.
    (rows,) = crf.predict_proba([x])
    for token, row in enumerate(rows):
        covering = (
            value for (_, start, end), value in zip(cells, values, strict=True) if start <= token < end
        )
        assert sum(covering) + row[crf.classes_.index("O")] == pytest.approx(1)
    (predicted,) = crf.predict_spans([x], scheme=given_scheme)
    (labels,) = crf.predict([x])
    assert [each.span for each in predicted] == tags.tags_to_spans(labels, scheme)
    for span in predicted:
        assert span.probability == pytest.approx(spans[span[:3]], rel=1e-9)
    assert crf.predict_confidence([x])[0] == pytest.approx(max(labellings.values()), rel=1e-9)


def test_spans_are_those_that_score_counts(crf):
    gold = tags.tags_to_spans(Y)
    spans = [[each.span for each in spans] for spans in crf.predict_spans(X)]
    assert spanrs.score(gold, spans).micro == spanrs.score(Y, crf.predict(X)).micro
    assert crf.predict_spans([["x", "y"], []]) == [[], []]
    assert crf.predict_spans([[]], 0.5) == [[]]
    assert isinstance(crf.predict_spans(X)[0][0], PredictedSpan)


def test_spans_as_arguments(crf):
    spans = [[("PER", 0, 2), tags.Span("PER", 3, 4), ("ORG", 0, 1)], *[[] for _ in X[1:]]]
    first, *rest = crf.span_probabilities(X, spans)
    assert first[2] == 0
    assert all(array.shape == (0,) for array in rest)
    predicted = crf.predict_spans(X)
    again = crf.span_probabilities(X, predicted)
    assert [list(array) for array in again] == [[span.probability for span in spans] for spans in predicted]
    sets = crf.span_probabilities(X[:1], [[tags.Span("PER", 0, 2, (0, 1)), ("PER", 3, 4, None)]])
    assert list(sets[0]) == list(first[:2])


@pytest.mark.parametrize(
    ("span", "error", "message"),
    [
        (("PER", 0, 9), ModelError, r"sequence 0: the span \[0, 9\) is empty or outside .* 4 tokens"),
        (("PER", -1, 1), ModelError, "outside of the sequence"),
        (("PER", 1, 1), ModelError, "is empty"),
        (tags.Span("PER", 0, 4, (0, 3)), SchemeError, r"PER \[0, 4\) is discontinuous"),
        ("PER", TypeError, "a span must be a Span"),
        ((0, 1, "PER"), TypeError, "a span must be a Span"),
        (("PER", 0.5, 1), TypeError, "a span must be a Span"),
    ],
)
def test_spans_that_are_refused(crf, span, error, message):
    with pytest.raises(error, match=message):
        crf.span_probabilities(X[:1], [[span]])


def test_labels_that_are_not_tags_have_no_spans(crf):
    parts = CRF().fit([[["a"], ["b"]]], [["NOUN", "VERB"]])
    for call in (parts.predict_spans, lambda x: parts.span_probabilities(x, [[]])):
        with pytest.raises(
            SchemeError, match="no scheme, so its labels 'NOUN', 'VERB' are not read"
        ) as caught:
            call([[["a"]]])
        assert caught.value.code == "no_scheme"
    with pytest.raises(SchemeError, match="`NOUN` is not a tag of the scheme BIO"):
        parts.predict_spans([[["a"]]], scheme="BIO")
    # With TOKEN every label is a type.
    assert [span.type for span in parts.predict_spans([[["a"], ["b"]]], scheme="TOKEN")[0]] == [
        "NOUN",
        "VERB",
    ]
    with pytest.raises(AlignmentError, match="expected 12 lists of spans, got 1"):
        crf.span_probabilities(X, [[]])


@pytest.mark.parametrize(("threshold", "error"), [(0, ValueError), (1.1, ValueError), ("a", TypeError)])
def test_thresholds_that_are_refused(crf, threshold, error):
    with pytest.raises(error, match="threshold must be"):
        crf.predict_spans(X, threshold)


def test_confidence_of_labellings(crf):
    confidence = crf.predict_confidence(X)
    assert confidence.shape == (len(X),)
    for x, labels, value in zip(X, crf.predict(X), confidence, strict=True):
        assert value == crf.probability(x, labels) == pytest.approx(crf.predict_n_best(x, 1)[0][1])
    gold = crf.predict_confidence(X, Y)
    assert list(gold) == [crf.probability(x, labels) for x, labels in zip(X, Y, strict=True)]
    assert list(crf.predict_confidence(X, map(tuple, Y))) == list(gold)
    assert crf.predict_confidence([["x", "x"]], [["O", "I-PER"]])[0] == 0
    assert crf.predict_confidence([]).shape == (0,)
    assert list(crf.predict_confidence([[]])) == [1]
    threads = CRF.load(saved(crf))
    threads.threads = 2
    assert (threads.predict_confidence(X) == confidence).all()
    assert threads.predict_spans(X, 0.01) == crf.predict_spans(X, 0.01)
    with pytest.raises(ModelError, match='sequence 1: the model has no label "X"'):
        crf.predict_confidence(X[:2], [Y[0], ["O", "X"]])
    with pytest.raises(ModelError, match="sequence 0: the name of a label is 1; it must be a string"):
        crf.predict_confidence(X[2:3], [[1]])
    with pytest.raises(AlignmentError, match="expected 12 labellings, got 1"):
        crf.predict_confidence(X, [["O"]])
    with pytest.raises(AlignmentError, match="sequence 0: expected 4 token labels, got 1"):
        crf.predict_confidence(X[:1], [["O"]])


def test_probabilities_are_conditional_on_known_labels(crf):
    x, known = ["Rio", "Bob"], [["O", {"O", "B-PER"}]]
    labellings, _ = enumerated(crf, x, "BIO")
    allowed = {labels: p for labels, p in labellings.items() if labels in {("O", "O"), ("O", "B-PER")}}
    total = sum(allowed.values())
    assert crf.predict_confidence([x], known=known)[0] == pytest.approx(max(allowed.values()) / total)
    assert crf.predict_confidence([x], [["O", "O"]], known=known)[0] == pytest.approx(
        allowed["O", "O"] / total
    )
    assert crf.predict_confidence([x], [["B-LOC", "O"]], known=known)[0] == 0
    (row, _) = crf.predict_proba([x], known=known)[0]
    assert row[crf.classes_.index("O")] == pytest.approx(1)
    (spans,) = crf.predict_spans([x], 0.001, known=known)
    assert [span[:3] for span in spans] == [("PER", 1, 2)]
    assert spans[0].probability == pytest.approx(allowed["O", "B-PER"] / total)
    assert crf.predict_spans([x], known=[["O", "O"]]) == [[]]


def saved(crf: CRF) -> bytes:
    file = io.BytesIO()
    crf.save(file)
    return file.getvalue()


def noisy(n: int, seed: int) -> tuple[list, list]:
    """Sentences in which a name has a tag only two times in three."""
    rng = np.random.default_rng(seed)
    sentences, labels = [], []
    for _ in range(n):
        tokens = [str(token) for token in rng.choice(["Ada", "Bob", "met", "in", "Rio"], 6)]
        sentences.append(tokens)
        labels.append(["B-X" if t[0].isupper() and rng.random() < 2 / 3 else "O" for t in tokens])
    return sentences, labels


def test_the_temperature_minimises_the_loss_of_labellings():
    crf = CRF(template="ner", c2=1e-3).fit(*noisy(40, 1))
    dev_X, dev_y = noisy(200, 2)
    labels, order = crf.predict(dev_X), crf.predict_n_best(dev_X[0], 5)

    def loss(temperature: float) -> float:
        return -np.log(crf._with_metadata(temperature=temperature).predict_confidence(dev_X, dev_y)).sum()

    before = loss(1.0)
    assert crf.temperature_ == 1
    assert crf.calibrate(dev_X, dev_y) is crf
    temperature = crf.temperature_
    assert temperature > 1.2
    least = loss(temperature)
    assert least < before
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert least <= loss(temperature * factor)
    assert crf.predict(dev_X) == labels
    assert [found for found, _ in crf.predict_n_best(dev_X[0], 5)] == [found for found, _ in order]
    # Scores are logarithms, so ratios of probabilities are powers.
    (_, p), (_, q) = crf.predict_n_best(dev_X[0], 2)
    assert math.log(p / q) * temperature == pytest.approx(math.log(order[0][1] / order[1][1]))
    assert crf.explain(dev_X[0])[0].probability == pytest.approx(
        max(crf.predict_marginals_single(dev_X[0])[0].values())
    )
    # A second calibration does not depend on the first one.
    assert crf.calibrate(dev_X, dev_y).temperature_ == temperature
    crf.threads = 2
    assert crf.calibrate(dev_X, dev_y).temperature_ == temperature


def test_the_temperature_is_saved_with_the_model(tmp_path):
    crf = CRF(template="ner").fit(X, Y)
    before = crf.predict_confidence(X)
    with pytest.warns(SpanrsWarning, match="almost all labellings are predicted correctly"):
        crf.calibrate(X, Y)
    assert crf.temperature_ == crf.metadata_["temperature"] < 0.2
    after = crf.predict_confidence(X)
    assert (after > before).all()
    crf.save(tmp_path / "model")
    for again in (CRF.load(tmp_path / "model"), pickle.loads(pickle.dumps(crf))):
        assert again.temperature_ == crf.temperature_
        assert (again.predict_confidence(X) == after).all()
        assert again.predict_spans(X, 0.01) == crf.predict_spans(X, 0.01)
    assert CRF.load(tmp_path / "model", scheme="none").temperature_ == crf.temperature_
    assert crf.fit(X, Y).temperature_ == 1
    assert (crf.predict_confidence(X) == before).all()


def test_the_constraint_of_a_scheme_is_removed_with_the_scheme(crf):
    assert crf.probability(["Ada"], ["I-PER"]) == 0
    assert CRF.load(saved(crf), scheme="none").probability(["Ada"], ["I-PER"]) > 0


def test_a_corpus_calibrates():
    crf = CRF().fit("examples/crf/train.conll")
    with pytest.warns(SpanrsWarning, match="almost all"):
        temperature = crf.calibrate("examples/crf/dev.conll").temperature_
    with pytest.warns(SpanrsWarning, match="almost all"):
        assert (
            crf.calibrate(*spanrs.io.training.tagged("examples/crf/dev.conll")).temperature_ == temperature
        )
    report = calibration(crf, "examples/crf/dev.conll", of="spans")
    assert report.count == sum(
        map(len, crf.predict_spans(spanrs.io.training.tagged("examples/crf/dev.conll")[0]))
    )


def test_labellings_without_probability_are_left_out():
    (train_X, train_y), (dev_X, dev_y) = noisy(40, 1), noisy(50, 2)
    crf = CRF(template="ner", c2=1e-3).fit([*train_X, ["Ada", "Ada"]], [*train_y, ["B-X", "I-X"]])
    expected = crf.calibrate(dev_X, dev_y).temperature_
    with pytest.warns(SpanrsWarning, match="1 of 51 labellings violate the scheme"):
        crf.calibrate([["in", "Ada"], *dev_X], [["O", "I-X"], *dev_y])
    assert crf.temperature_ == expected
    with pytest.raises(ModelError, match="all 1 labellings are forbidden by the scheme"):
        crf.calibrate([["in", "Ada"]], [["O", "I-X"]])


def test_data_that_cannot_calibrate_are_refused(crf):
    with pytest.raises(ModelError, match='sequence 0: the model has no label "B-X"'):
        crf.calibrate([["a"]], [["B-X"]])
    with pytest.raises(ModelError, match="no sequences"):
        crf.calibrate([], [])
    with pytest.raises(AlignmentError, match="2 tokens, but 1 labels"):
        crf.calibrate([["a", "b"]], [["O"]])
    with pytest.raises(ModelError, match="labels must be strings"):
        crf.calibrate([["a"]], [[{"O"}]])
    with pytest.raises(TypeError, match="y_dev is missing"):
        crf.calibrate(X)
    with pytest.raises(NotFittedError):
        CRF().calibrate(X, Y)
    assert crf.temperature_ == 1


@pytest.mark.parametrize("temperature", ["hot", 0, -1, 1e9, True, [1], {}])
def test_damaged_temperatures_are_errors(crf, temperature):
    data = saved(crf._with_metadata(card={"temperature": 1}))
    with pytest.raises(ModelError, match="temperature"):
        crf._with_metadata(temperature=temperature)
    assert CRF.load(data).temperature_ == 1
    assert crf._with_metadata(temperature=None)._with_metadata(temperature=2).temperature_ == 2


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@pytest.mark.parametrize("of", ["tokens", "spans", "sentences"])
def test_calibration_error_by_its_definition(of, strategy):
    crf = CRF(template="ner", c2=1e-3).fit(*noisy(40, 1))
    dev_X, dev_y = noisy(60, 2)
    pred = crf.predict(dev_X)
    events: list[tuple[float, bool]] = []
    for x, labels, gold in zip(dev_X, pred, dev_y, strict=True):
        marginals = crf.predict_marginals_single(x)
        right = tags.tags_to_spans(gold)
        if of == "tokens":
            events += [(row[a], a == b) for row, a, b in zip(marginals, labels, gold, strict=True)]
        elif of == "spans":
            events += [(each.probability, each.span in right) for each in crf.predict_spans([x])[0]]
        else:
            events.append((crf.probability(x, labels), labels == gold))
    events.sort(key=lambda event: event[0])
    count = len(events)
    groups: dict[int, list[tuple[float, bool]]] = {}
    for at, event in enumerate(events):
        place = min(int(event[0] * 5), 4) if strategy == "uniform" else (at * 5 + 4) // count
        groups.setdefault(place, []).append(event)
    report = calibration(crf, dev_X, dev_y, 5, of, strategy=strategy)
    assert (report.of, report.count) == (of, count)
    if strategy == "uniform":
        assert [item.count for item in report.bins] == [len(group) for _, group in sorted(groups.items())]
    else:
        sizes = [item.count for item in report.bins]
        assert max(sizes) - min(sizes) <= 1
    assert sum(item.count for item in report.bins) == count
    gaps = [item.count / count * abs(item.confidence - item.accuracy) for item in report.bins]
    assert report.ece == pytest.approx(sum(gaps))
    assert report.mce == max(abs(item.confidence - item.accuracy) for item in report.bins)
    assert report.brier == pytest.approx(np.mean([(p - right) ** 2 for p, right in events]))
    assert report.nll == pytest.approx(-np.mean([math.log(p if right else 1 - p) for p, right in events]))
    assert report.accuracy == pytest.approx(np.mean([right for _, right in events]))
    assert f"ECE {100 * report.ece:.2f}" in str(report)
    assert "<table" in report._repr_html_()


def test_calibration_lowers_the_calibration_error():
    crf = CRF(template="ner", c2=1e-3).fit(*noisy(40, 1))
    test = noisy(300, 3)
    before = [calibration(crf, *test, of=of).ece for of in ("tokens", "spans", "sentences")]
    crf.calibrate(*noisy(200, 2))
    after = [calibration(crf, *test, of=of).ece for of in ("tokens", "spans", "sentences")]
    assert all(new < old for new, old in zip(after, before, strict=True))


def test_calibration_of_nothing(crf):
    report = calibration(crf, [["x", "y"]], [["O", "O"]], of="spans")
    assert report.count == 0
    assert math.isnan(report.ece)
    assert report.bins == []
    assert "nan" in str(report)
    with pytest.raises(ValueError, match="of must be one of tokens, spans, sentences, not 'words'"):
        calibration(crf, X, Y, of="words")
    with pytest.raises(ValueError, match="strategy must be one of"):
        calibration(crf, X, Y, strategy="equal")
    with pytest.raises(ValueError, match="bins must be"):
        calibration(crf, X, Y, 0)
    with pytest.raises(TypeError, match="y is missing"):
        calibration(crf, X)
    with pytest.raises(SchemeError, match="no scheme"):
        calibration(CRF().fit([[["a"]]], [["NN"]]), [[["a"]]], [["NN"]], of="spans")


def test_posterior_decoding_uses_the_temperature():
    # The labelling A A has the probability 0.4; B B and B C have 0.3 each.
    data = [[["x"], ["y"]]] * 10
    crf = CRF(c2=1e-6).fit(data, [["A", "A"]] * 4 + [["B", "B"]] * 3 + [["B", "C"]] * 3)
    assert crf.predict(data[:1]) == [["A", "A"]]
    assert crf.predict_posterior(data[:1])[0][0] == "B"
    cold = crf._with_metadata(temperature=0.05)
    assert cold.predict(data[:1]) == cold.predict_posterior(data[:1]) == [["A", "A"]]
