"""Intervals by resampling documents, against scipy."""

from __future__ import annotations

import io
import math
import random
from itertools import product

import numpy as np
import pytest
from scipy import stats

import spanrs
from spanrs import dep, mat
from spanrs.errors import LimitError
from spanrs.eval import Measure, Ratio
from spanrs.io import Annotation, Document

TYPES = ["A", "B", "C"]
SAMPLES = 9999
#: Five standard errors of a tail of 0.05 in 9,999 resamples, twice, and the error of the bias correction.
TAIL = 5 * math.sqrt(2 * 0.05 * 0.95 / SAMPLES) + 0.005


def corpus(seed, documents=40, skew=0.0):
    """Gold and pred of documents of one sentence each; systems are worse on some documents with ``skew``."""
    rng = random.Random(seed)
    gold, pred = [], []
    for _ in range(documents):
        wrong = 0.7 if rng.random() < skew else 0.25
        tags = [rng.choice(["O", *(f"B-{ty}" for ty in TYPES)]) for _ in range(rng.randint(5, 30))]
        gold.append(tags)
        pred.append(
            [rng.choice(["O", "B-A", "B-B", "B-C"]) if rng.random() < wrong else tag for tag in tags]
        )
    return gold, pred


def scored(seed, documents=40, skew=0.0, **options):
    gold, pred = corpus(seed, documents, skew)
    return spanrs.score(gold, pred, scheme="BIO", by=[1] * len(gold), **options)


def counted(gold, pred):
    """Count TP, FP and FN by document and type; every tag other than O is a span."""

    def row(golds, preds, tag):
        pairs = list(zip(golds, preds, strict=True))
        tp = pairs.count((tag, tag))
        return tp, preds.count(tag) - tp, golds.count(tag) - tp

    sides = zip(gold, pred, strict=True)
    return np.array([[row(*side, f"B-{ty}") for ty in TYPES] for side in sides], float)


def f1(counts):
    tp, fp, fn = counts[..., 0], counts[..., 1], counts[..., 2]
    return 2 * tp / (2 * tp + fp + fn)


MEASURES = {
    "micro F1": (Measure(), lambda sums: f1(sums.sum(-2))),
    "macro F1": (Measure(average="macro"), lambda sums: f1(sums).mean(-1)),
    "recall of B": (
        Measure("recall", type="B"),
        lambda sums: sums[..., 1, 0] / (sums[..., 1, 0] + sums[..., 1, 2]),
    ),
}


def by_scipy(counts, statistic, level, method):
    """Return scipy's interval and its resampled values."""

    def of_documents(chosen, axis=-1):
        assert axis in (-1, chosen.ndim - 1)
        return statistic(counts[chosen.astype(int)].sum(axis=chosen.ndim - 1))

    return stats.bootstrap(
        (np.arange(len(counts)),),
        of_documents,
        n_resamples=SAMPLES,
        confidence_level=level,
        method=method,
        vectorized=True,
        rng=np.random.default_rng(7),
        batch=1000,
    )


@pytest.mark.parametrize(("seed", "skew", "level"), [(1, 0.0, 0.95), (2, 0.15, 0.95), (3, 0.3, 0.9)])
@pytest.mark.parametrize(("name", "method"), list(product(MEASURES, ["percentile", "bca"])))
def test_intervals_are_those_of_scipy(name, method, seed, skew, level):
    result = scored(seed, skew=skew)
    counts = counted(*corpus(seed, skew=skew))
    measure, statistic = MEASURES[name]
    expected = by_scipy(counts, statistic, level, method)
    drawn = result.bootstrap([measure], samples=SAMPLES, seed=3)
    assert float(drawn.estimates[0]) == pytest.approx(float(statistic(counts.sum(0))), abs=1e-12)
    values = np.sort(expected.bootstrap_distribution)
    for got, bound in zip(
        drawn.interval(measure, level, method), expected.confidence_interval, strict=True
    ):
        # The limits may differ by the sampling error of the tails.
        tail = (values < bound).mean()
        least, most = np.quantile(values, np.clip([tail - TAIL, tail + TAIL], 0, 1))
        assert least - 1e-9 <= got <= most + 1e-9, (got, bound)


def test_bca_differs_from_percentile_where_documents_are_skewed():
    # Otherwise the comparison above could not distinguish the two.
    result = scored(2, documents=25, skew=0.1)
    measure = Measure()
    drawn = result.bootstrap([measure], samples=SAMPLES)
    (low, _), (bca, _) = drawn.interval(measure), drawn.interval(measure, method="bca")
    tails = np.searchsorted(np.sort(drawn.values[:, 0]), [low, bca]) / SAMPLES
    assert abs(tails[0] - tails[1]) > 0.003


def test_the_acceleration_is_that_of_omitted_documents():
    # Documents with equal counts share one jackknife value; by definition each is counted.
    gold, pred = corpus(5, documents=8, skew=0.3)
    gold, pred = gold * 3, pred * 3
    result = spanrs.score(gold, pred, scheme="BIO", by=[1] * 24)
    counts = counted(gold, pred)
    omitted = f1((counts.sum(0) - counts).sum(1))
    deviations = omitted.mean() - omitted
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    measure = Measure()
    drawn = result.bootstrap([measure], samples=SAMPLES)
    values, estimate = drawn.values[:, 0], float(drawn.estimates[0])
    share = ((values < estimate).mean() + (values <= estimate).mean()) / 2
    bias = stats.norm.ppf(share)
    shifted = bias + stats.norm.ppf([0.025, 0.975])
    tails = stats.norm.cdf(bias + shifted / (1 - acceleration * shifted))
    assert drawn.interval(measure, method="bca") == pytest.approx(np.quantile(values, tails), abs=1e-12)


@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_threads_and_the_order_of_documents_change_nothing(matcher):
    gold, pred = corpus(3)
    names = [f"d{at}" for at in range(len(gold))]
    result = spanrs.score(gold, pred, scheme="BIO", by=names, matcher=matcher)
    order = random.Random(1).sample(range(len(gold)), len(gold))
    shuffled = spanrs.score(
        [gold[at] for at in order],
        [pred[at] for at in order],
        scheme="BIO",
        by=[names[at] for at in order],
        matcher=matcher,
    )
    first = result.bootstrap(samples=500, seed=5)
    for threads in (2, 3, 8):
        again = result.bootstrap(samples=500, seed=5, threads=threads)
        assert (again.values == first.values).all()
    assert (shuffled.bootstrap(samples=500, seed=5).values == first.values).all()
    assert (result.bootstrap(samples=500, seed=6).values != first.values).any()
    # More samples begin with the same ones.
    assert (result.bootstrap(samples=700, seed=5).values[:500] == first.values).all()


def test_two_documents_give_all_resamples_their_share():
    result = spanrs.score([["B-A"], ["B-A"]], [["B-A"], ["O"]], scheme="BIO", by=[1, 1])
    values = result.bootstrap(Measure("recall"), samples=8000).values[:, 0]
    actual = {value: (values == value).mean() for value in (0.0, 0.5, 1.0)}
    assert sum(actual.values()) == 1
    assert actual == pytest.approx({0.0: 0.25, 0.5: 0.5, 1.0: 0.25}, abs=5 * math.sqrt(0.25 / 8000))


@pytest.mark.parametrize("documents", [None, [2], ["x", "x"]])
def test_less_than_two_documents_have_no_interval(documents):
    result = spanrs.score([["B-A"], ["O"]], [["B-A"], ["O"]], scheme="BIO", by=documents)
    with pytest.raises(ValueError, match="needs at least two documents"):
        result.bootstrap()


def test_weighted_documents_have_no_interval():
    with pytest.raises(ValueError, match="without weights"):
        scored(1).with_document_weights([2] * 40).bootstrap()


def test_a_type_that_a_resample_lacks_is_not_a_number_there():
    gold = [["B-A"], ["B-A"], ["B-A", "B-R"]]
    result = spanrs.score(gold, [["B-A"], ["O"], ["B-A", "B-R"]], scheme="BIO", by=[1] * 3)
    rare = Measure("recall", type="R")
    drawn = result.bootstrap([rare, Measure()], samples=4000)
    lacking = np.isnan(drawn.values[:, 0]).mean()
    assert lacking == pytest.approx((2 / 3) ** 3, abs=0.04)
    assert not np.isnan(drawn.values[:, 1]).any()
    assert drawn.interval(rare) == (1.0, 1.0)
    assert drawn.interval(rare, method="bca") == (1.0, 1.0)
    unknown = Measure(type="X")
    assert all(map(math.isnan, result.bootstrap(unknown, samples=10).interval(unknown)))


def test_measures_that_never_vary_have_an_interval_of_one_value():
    result = spanrs.score([["B-A"]] * 5, [["B-A"]] * 5, scheme="BIO", by=[1] * 5)
    for method in ("percentile", "bca"):
        assert result.bootstrap(Measure(), samples=50).interval(Measure(), method=method) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 0}, "samples must be an integer of at least 1"),
        ({"threads": 0}, "threads must be an integer of at least 1"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
        ({"measures": []}, "measures is empty"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        scored(1, documents=3).bootstrap(**options)


def test_what_is_no_measure_or_was_not_drawn_is_refused():
    result = scored(1, documents=3)
    with pytest.raises(TypeError, match="not str"):
        result.bootstrap(["micro"])
    with pytest.raises(ValueError, match="outcome"):
        result.bootstrap(Ratio({"nonsense": 1.0}, {"match": 1.0}))
    drawn = result.bootstrap(Measure(), samples=5)
    for level in (0, 1, 1.5):
        with pytest.raises(ValueError, match="level must be between"):
            drawn.interval(Measure(), level)
    with pytest.raises(ValueError, match="unknown method 'basic'"):
        drawn.interval(Measure(), method="basic")
    with pytest.raises(ValueError, match="not"):
        drawn.interval(Measure(average="macro"))
    with pytest.raises(LimitError, match="the limit is"):
        result.bootstrap(samples=10**9)


def test_sentences_of_files_are_resampled_as_documents_of_memory_are():
    gold, pred = corpus(9)
    text = "".join(
        "".join(f"w {g} {p}\n" for g, p in zip(*pair, strict=True)) + "\n"
        for pair in zip(gold, pred, strict=True)
    )
    of_file = spanrs.score(io.BytesIO(text.encode()), scheme="BIO", by="sentence")
    drawn = of_file.bootstrap(samples=300, seed=4)
    assert (drawn.values == scored(9).bootstrap(samples=300, seed=4).values).all()


def test_criteria_of_other_matchers_have_intervals():
    result = scored(4, matcher="fair")
    measures = [Measure(criterion=name) for name in result.matcher.criteria]
    drawn = result.bootstrap(measures, samples=500)
    for measure, estimate in zip(measures, drawn.estimates, strict=True):
        low, high = drawn.interval(measure)
        assert low < estimate < high
        assert float(estimate) == result[measure.criterion].micro.f1


def test_mat_and_dep_results_have_intervals():
    documents = [
        [
            Document("a b c", [Annotation(ty, start, start + 1)], id=f"d{at}")
            for at, (ty, start) in enumerate(side)
        ]
        for side in ([("X", 0), ("X", 2), ("Y", 0)], [("X", 0), ("Y", 2), ("Y", 0)])
    ]
    result = spanrs.score(*documents, matcher=mat.Mat(), on_error="skip")
    recall = Measure("recall", criterion="tag")
    drawn = result.bootstrap(recall, samples=2000)
    assert set(np.unique(drawn.values.round(6))) == {0.0, 0.333333, 0.666667, 1.0}
    words = ["They", "ate", "pizza"]
    gold = [dep.Parse(words, [2, 0, 2], ["nsubj", "root", "obj"])] * 4
    pred = [dep.Parse(words, [2, 0, head], ["nsubj", "root", "obj"]) for head in (2, 1, 2, 1)]
    result = dep.evaluate(gold, pred, by="sentence")
    uas = Measure(criterion="uas")
    drawn = result.bootstrap(uas, samples=2000)
    assert float(drawn.estimates[0]) == pytest.approx(10 / 12)
    # Binomial: so many of four documents have an error.
    expected = {wrong: math.comb(4, wrong) / 16 for wrong in range(5)}
    shares = {wrong: np.isclose(drawn.values[:, 0], (12 - wrong) / 12).mean() for wrong in range(5)}
    assert shares == pytest.approx(expected, abs=5 * math.sqrt(0.25 / 2000))


@pytest.mark.parametrize("measure", ["micro f1", "upper", 3, None])
def test_an_interval_is_of_a_measure(measure):
    drawn = spanrs.score([["B-A"]] * 2, [["B-A"]] * 2, by=[1, 1]).bootstrap(samples=5)
    with pytest.raises(TypeError, match=f"measure must be a spanrs.eval.Measure or Ratio, not {measure!r}"):
        drawn.interval(measure)
    with pytest.raises(TypeError, match="level must be between 0 and 1, not str"):
        drawn.interval(drawn.measures[0], "0.95")


@pytest.mark.parametrize("documents", [16_383, 16_384, 40_000])
def test_many_documents_have_the_distribution_of_single_draws(documents):
    """From 16,384 documents on, the numbers of equal documents are drawn instead of documents."""
    rng = np.random.default_rng(documents)
    # Frequent rows and rare ones: up to 30 spans in one of twenty documents.
    sizes = np.where(
        rng.random(documents) < 0.05, rng.integers(1, 31, documents), rng.integers(0, 3, documents)
    )
    actual = rng.binomial(sizes, 0.7)
    gold = [["B-A"] * n + ["O"] for n in sizes]
    pred = [["B-A"] * n + ["O"] * (size - n) + ["O"] for n, size in zip(actual, sizes, strict=True)]
    result = spanrs.score(gold, pred, scheme="BIO", by=[1] * documents)
    recall = Measure("recall")
    drawn = result.bootstrap(recall, samples=2000, seed=3)
    assert np.array_equal(result.bootstrap(recall, samples=2000, seed=3, threads=3).values, drawn.values)
    # One resample at a time, because all of them take 2 GB, and both numbers of a document in one integer.
    both = actual << 32 | sizes
    chosen = (rng.integers(0, documents, documents, np.int32) for _ in range(2000))
    sums = np.array([both.take(rows).sum() for rows in chosen])
    expected = (sums >> 32) / (sums & 0xFFFF_FFFF)
    assert stats.ks_2samp(drawn.values[:, 0], expected).pvalue > 1e-4
    assert drawn.values.std() == pytest.approx(expected.std(), rel=0.1)
    assert drawn.values.mean() == pytest.approx(
        result.micro.recall, abs=5 * expected.std() / math.sqrt(2000)
    )


def test_progress_is_told_and_can_stop():
    result = spanrs.score([["B-A"], ["O"]] * 10_000, [["B-A"], ["B-A"]] * 10_000, by=[1] * 20_000)
    told = []
    result.bootstrap(samples=30_000, progress=told.append)
    assert told == sorted(told)
    assert all(0 <= done < 30_000 for done in told)

    def interrupt(done):
        raise KeyboardInterrupt

    for call in (
        lambda **options: result.bootstrap(samples=10**6, **options),
        lambda **options: spanrs.compare({"a": result, "b": result}, samples=10**6, **options),
    ):
        with pytest.raises(KeyboardInterrupt):
            call(progress=interrupt)
