"""Differential tests against seqeval from PyPI: any tags, both modes, every option."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import seqeval.metrics.sequence_labeling as real_default
import seqeval.metrics.v1 as real_strict
import seqeval.scheme as real_scheme
from hypothesis import given, settings
from hypothesis import strategies as st

import spanrs.compat.seqeval.metrics.sequence_labeling as our_default
import spanrs.compat.seqeval.metrics.v1 as our_strict
import spanrs.compat.seqeval.scheme as our_scheme
from spanrs.compat.seqeval import _counting
from weird import answer

SCHEMES = ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU")
WEIRD = (
    *("", "-", "B", "I", "E", "S", "O", "PER", "BPER", "B-", "B--PER", "B-PER-", "b-PER", "B-PER-LOC"),
    *("X-PER", "O-PER", "X", "X-", ".", ".-PER", "<PAD>", "日本-B", "B-日本", "U-_", "B-_", "O-", "OO"),
)
TYPES = ("PER", "LOC", "creative-work", "_", "")

letters = st.sampled_from(SCHEMES).map(lambda name: "BILOU" if name == "BILOU" else "BIES")
clean = st.one_of(
    st.just("O"), st.builds(lambda p, t: f"{p}-{t}", st.sampled_from("BIESLU"), st.sampled_from(TYPES[:2]))
)
weird = st.one_of(
    clean,
    st.builds(lambda p, t: f"{p}-{t}", st.sampled_from("BIESLUMWOX.b"), st.sampled_from(TYPES)),
    st.sampled_from(WEIRD),
    st.text(max_size=3),
)


def flip(tag, suffix):
    """`B-PER` as `PER-B`."""
    head, actual, tail = tag.partition("-")
    return f"{tail}-{head}" if suffix and actual else tag


@st.composite
def corpora(draw, tag, *, most=6):
    """Gold and pred of the same shape, and whether prefixes follow types."""
    suffix = draw(st.booleans())
    allowed = draw(st.lists(tag, min_size=1, max_size=8))
    first = st.sampled_from([flip(t, suffix) for t in allowed])
    lengths = draw(st.lists(st.integers(0, 8), min_size=1, max_size=most))
    gold = [draw(st.lists(first, min_size=n, max_size=n)) for n in lengths]
    pred = [[draw(first) if draw(st.integers(0, 3)) == 0 else t for t in row] for row in gold]
    return gold, pred, suffix


def schemed(name):
    """Tags of one scheme, so that strict mode does not refuse them all."""
    prefixes = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}[
        name
    ]
    return st.one_of(
        st.just("O"),
        st.builds(lambda p, t: f"{p}-{t}", st.sampled_from(prefixes), st.sampled_from(TYPES)),
        st.builds(
            lambda p, t: f"{p}{t}", st.sampled_from(prefixes), st.sampled_from(("", "PER", "--PER-"))
        ),
        st.sampled_from(("O-PER", "O-", "O")),
    )


def outcome(function, *args, **options):
    """The value or error of a call, and its warnings: each once, in order."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*args, **options)
        except Exception as error:
            value = (type(error).__name__, str(error))
    return value, list(dict.fromkeys((w.category, str(w.message)) for w in caught))


def same(got, expected):
    """Equal to the last bit, and of the same types."""
    assert type(got) is type(expected)
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        for key, value in expected.items():
            same(got[key], value)
    elif isinstance(expected, tuple):
        assert len(got) == len(expected)
        for first, item in zip(got, expected, strict=True):
            same(first, item)
    elif isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype
        assert got.tobytes() == expected.tobytes()
    elif isinstance(expected, (float, np.floating)):
        assert np.float64(got).tobytes() == np.float64(expected).tobytes()
    else:
        assert got == expected


def both(ours, theirs, name, *args, scheme=None, **options):
    ours, theirs = getattr(ours, name), getattr(theirs, name)
    chosen = ({}, {})
    if scheme is not None:
        chosen = ({"scheme": getattr(our_scheme, scheme)}, {"scheme": getattr(real_scheme, scheme)})
    got = outcome(ours, *args, **options, **chosen[0])
    expected = outcome(theirs, *args, **options, **chosen[1])
    same(got[0], expected[0])
    assert got[1] == expected[1]


averages = st.sampled_from((None, "micro", "macro", "weighted", "samples"))
zero_divisions = st.sampled_from(("warn", 0, 1, 1.0, float("nan"), None))
modes = st.sampled_from((None, "strict", "default"))
chosen_schemes = st.sampled_from((None, *SCHEMES))
scores = st.sampled_from(("precision_score", "recall_score", "f1_score"))
betas = st.sampled_from((1.0, 0.5, 2, 0, -1, float("inf")))
warn_fors = st.sampled_from((("precision", "recall", "f-score"), ("f-score",), ("recall",), ()))


@pytest.fixture(params=["small", "large"], autouse=True)
def path(request, monkeypatch):
    """Both ways of the core: that for a few sentences, and that for many."""
    if request.param == "large":
        monkeypatch.setattr(_counting, "_SAMPLE", 0)


@settings(max_examples=300, deadline=None)
@given(corpora(weird), scores, averages, zero_divisions, modes, chosen_schemes)
def test_scores_of_any_tags(corpus, name, average, zero_division, mode, scheme):  # noqa: PLR0917
    gold, pred, suffix = corpus
    options = {"average": average, "zero_division": zero_division, "mode": mode, "suffix": suffix}
    both(our_default, real_default, name, gold, pred, scheme=scheme, **options)


@settings(max_examples=300, deadline=None)
@given(corpora(clean, most=12), scores, averages, zero_divisions)
def test_scores_of_usual_tags(corpus, name, average, zero_division):
    gold, pred, suffix = corpus
    options = {"average": average, "zero_division": zero_division, "suffix": suffix}
    both(our_default, real_default, name, gold, pred, **options)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from(SCHEMES), scores, averages, zero_divisions)
def test_strict_scores(data, scheme, name, average, zero_division):
    gold, pred, suffix = data.draw(corpora(schemed(scheme)))
    options = {"average": average, "zero_division": zero_division, "suffix": suffix, "mode": "strict"}
    both(our_default, real_default, name, gold, pred, scheme=scheme, **options)


@settings(max_examples=300, deadline=None)
@given(
    corpora(weird), st.integers(0, 30), st.booleans(), modes, zero_divisions, chosen_schemes, st.booleans()
)
def test_reports_of_any_tags(corpus, digits, output_dict, mode, zero_division, scheme, weighted):  # noqa: PLR0917
    gold, pred, suffix = corpus
    both(
        our_default,
        real_default,
        "classification_report",
        gold,
        pred,
        digits=digits,
        output_dict=output_dict,
        mode=mode,
        zero_division=zero_division,
        suffix=suffix,
        scheme=scheme,
        sample_weight=[2] * len(gold) if weighted else None,
    )


@settings(max_examples=300, deadline=None)
@given(st.data(), st.sampled_from(SCHEMES), st.booleans(), st.booleans(), zero_divisions)
def test_strict_reports(data, scheme, automatic, output_dict, zero_division):
    gold, pred, suffix = data.draw(corpora(schemed(scheme)))
    options = {"output_dict": output_dict, "zero_division": zero_division, "suffix": suffix}
    chosen = None if automatic else scheme
    both(our_strict, real_strict, "classification_report", gold, pred, scheme=chosen, **options)


@settings(max_examples=300, deadline=None)
@given(corpora(weird), st.booleans(), averages, betas, warn_fors, zero_divisions, chosen_schemes)
def test_supports(corpus, strict, average, beta, warn_for, zero_division, scheme):  # noqa: PLR0917
    gold, pred, suffix = corpus
    options = {
        "average": average,
        "beta": beta,
        "warn_for": warn_for,
        "zero_division": zero_division,
        "suffix": suffix,
    }
    name = "precision_recall_fscore_support"
    if strict:
        both(our_strict, real_strict, name, gold, pred, scheme=scheme, **options)
    else:
        both(our_default, real_default, name, gold, pred, **options)


@settings(max_examples=300, deadline=None)
@given(corpora(weird), chosen_schemes.filter(bool))
def test_spans_and_schemes(corpus, scheme):
    gold, pred, suffix = corpus
    both(our_default, real_default, "get_entities", gold, suffix)
    both(our_default, real_default, "get_entities", gold[0], suffix)
    both(our_strict, real_strict, "unique_labels", gold, pred, suffix=suffix, scheme=scheme)

    def detected(module):
        return lambda: module.auto_detect(gold, suffix=suffix).__name__

    def read(module):
        cls = getattr(module, scheme)
        return lambda: [
            repr(module.Entities(gold, cls, suffix).entities),
            [repr(module.Tokens(row, cls, suffix=suffix).entities) for row in gold],
        ]

    for make in (detected, read):
        assert outcome(make(our_scheme)) == outcome(make(real_scheme))


@settings(max_examples=300, deadline=None)
@given(corpora(weird), st.integers(0, 3), st.booleans())
def test_tokens(corpus, lost, flat):
    gold, pred, _ = corpus
    gold, pred = (gold[0], pred[-1]) if flat else (gold, pred[lost:])
    for name in ("accuracy_score", "performance_measure"):
        both(our_default, real_default, name, gold, pred)


junk = st.one_of(
    st.lists(weird, max_size=3),
    st.lists(
        st.one_of(weird, st.none(), st.integers(), st.binary(max_size=2), st.just("\ud800-B")), max_size=3
    ),
    st.lists(weird, max_size=2).map(tuple),
    weird,
    st.integers(),
    st.none(),
)
junk_side = st.one_of(
    st.lists(junk, max_size=3),
    st.lists(junk, max_size=3).map(tuple),
    junk,
    st.just(np.array([["O"], ["B-PER"]])),
)


@settings(max_examples=500, deadline=None)
@given(
    junk_side,
    junk_side,
    st.sampled_from(
        ("accuracy_score", "performance_measure", "f1_score", "get_entities", "classification_report")
    ),
    st.sampled_from((None, "IOB2")),
    st.booleans(),
)
def test_what_is_no_list_of_lists_of_str(gold, pred, name, scheme, equal):
    pred = gold if equal else pred
    if name == "get_entities":
        both(our_default, real_default, name, gold)
    elif name in ("accuracy_score", "performance_measure"):
        both(our_default, real_default, name, gold, pred)
    else:
        options = {"mode": "strict"} if scheme else {}
        both(our_default, real_default, name, gold, pred, scheme=scheme, **options)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_private_functions_that_other_projects_import(data):
    size = data.draw(st.integers(1, 4))
    counts = st.lists(st.integers(0, 3), min_size=size, max_size=size).map(np.array)
    pred, correct, gold = (data.draw(counts) for _ in range(3))
    options = {
        "average": data.draw(st.sampled_from([None, "micro", "macro", "weighted", "samples"])),
        "warn_for": data.draw(
            st.sampled_from([("precision", "recall", "f-score"), ("f-score",), ("recall",)])
        ),
        "zero_division": data.draw(st.sampled_from(["warn", 0, 1])),
    }
    words = data.draw(st.sampled_from([("precision", "predicted"), ("recall", "true")]))
    beta = data.draw(st.sampled_from([1.0, 0.5, 2.0, np.inf, -1.0]))
    tags = [["O"] * size]

    def counted(*_):
        return pred, correct, gold

    results = []
    for module in (real_strict, our_strict):
        divided = answer(module._prf_divide, correct, gold, *words, **options)
        scored = answer(
            module._precision_recall_fscore_support,
            *(tags, tags),
            **options,
            beta=beta,
            extract_tp_actual_correct=counted,
        )
        results.append(str((divided, scored)))
    assert results[0] == results[1]
