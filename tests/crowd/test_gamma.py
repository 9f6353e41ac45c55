"""Tests of the agreement measure gamma."""

from __future__ import annotations

import math
import random
import statistics
from typing import Any

import pytest

from recordings import peer_cases
from spanrs import _spanrs
from spanrs.crowd.gamma import Gamma, gamma
from spanrs.errors import LimitError

PEER = "pygamma-agreement==0.5.9"
ANN = [("PER", 0, 2), ("LOC", 5, 8)]
BEN = [("PER", 0, 2), ("LOC", 6, 8)]


def document(units: list[list[Any]]) -> dict[str, list[tuple[str, int, int]]]:
    """Return the units of a recorded case by annotator."""
    return {str(n): [(name, start, end) for start, end, name in own] for n, own in enumerate(units)}


def cases() -> list[Any]:
    """Return the recorded cases of the peer."""
    return peer_cases("pygamma_agreement", PEER)


def random_document(
    rng: random.Random, annotators: str, most: int
) -> dict[str, list[tuple[str, int, int]]]:
    """Return units at random positions of 60."""
    drawn = {}
    for name in annotators:
        starts = [rng.randrange(50) for _ in range(rng.randint(0, most))]
        drawn[name] = [(rng.choice("xy"), start, start + rng.randint(1, 10)) for start in starts]
    return drawn


def test_observed_disorder_is_that_of_the_peer() -> None:
    compared = 0
    for (units, alpha, beta, delta_empty, _), recorded in cases():
        # The package does not multiply the categorical dissimilarity by delta_empty.
        options = {"alpha": alpha, "beta": beta / delta_empty, "delta_empty": delta_empty, "samples": 1}
        found = gamma([document(units)], **options)
        # The package computes disorders with 32-bit floats.
        assert found.observed == pytest.approx(recorded["observed"], rel=2e-6, abs=1e-6)
        compared += 1
    assert compared >= 60


def test_expected_disorder_is_that_of_the_peer() -> None:
    compared = 0
    for (units, alpha, beta, delta_empty, samples), recorded in cases():
        if not samples:
            continue
        options = {"alpha": alpha, "beta": beta / delta_empty, "delta_empty": delta_empty, "samples": 2000}
        result = gamma([document(units)], **options, sampler="statistical")
        mean, error = recorded["statistical"]
        assert abs(result.expected - mean) < 3 * math.hypot(result.expected_error, error), units
        length = max(end for own in units for _, end, _ in own)
        if len(units) > 2 or length < 50:
            continue
        # The rules for shifts differ, see `peer_shuffle`; few shifts in a long document differ little.
        project = _spanrs.AgreementProject(True)
        spans = [[(name, start, end, ()) for start, end, name in own] for own in units]
        project.add_spans(length, list(enumerate(spans)))
        found = project.gamma(options | {"pivot_distance": 0.5}, None, None)
        mean, error = recorded["shuffle"]
        assert abs(found["expected"] - mean) < 3 * math.hypot(found["expected_error"], error), units
        compared += 1
    assert compared == 2


def peer_shuffle(rng: random.Random, units: list[list[Any]], length: int) -> list[list[Any]]:
    """Return a random continuum by the rules of the peer.

    Shifts differ by at least half of the mean length of a unit, although the paper requires the mean length; distances
    are not circular; and ranges around earlier shifts are partly allowed again after a third shift.
    """
    lengths = [end - start for own in units for start, end, _ in own]
    distance = sum(lengths) / len(lengths) / 2
    allowed = [(0.0, float(length))]
    drawn = []
    for _ in units:
        [(low, high)] = rng.choices(allowed, [high - low for low, high in allowed])
        shift = int(rng.uniform(low, high))
        remaining = []
        for low, high in allowed:
            if low < shift - distance:
                remaining.append((low, shift - distance))
            if high > shift + distance:
                remaining.append((shift + distance, high))
        allowed = remaining
        own = [(start + shift, end + shift, name) for start, end, name in rng.choice(units)]
        drawn.append(
            [
                (start - length, end - length, name) if start > length else (start, end, name)
                for start, end, name in own
            ]
        )
    return drawn


def test_disorder_of_shuffled_continua_is_that_of_the_peer() -> None:
    compared = 0
    for (units, alpha, beta, delta_empty, samples), recorded in cases():
        if not samples:
            continue
        rng = random.Random(1)
        length = max(end for own in units for _, end, _ in own)
        shuffled = [document(peer_shuffle(rng, units, length)) for _ in range(2000)]
        options = {"alpha": alpha, "beta": beta / delta_empty, "delta_empty": delta_empty, "samples": 1}
        values = [one.observed for one in gamma(shuffled, **options).documents]
        mean, error = recorded["shuffle"]
        own_error = statistics.stdev(values) / math.sqrt(len(values))
        assert abs(statistics.mean(values) - mean) < 3 * math.hypot(own_error, error), units
        compared += 1
    assert compared == 8


def test_equal_annotators_agree() -> None:
    result = gamma([{"ann": ANN, "ben": ANN, "cid": ANN}, {"ann": BEN, "cid": BEN}])
    assert result.gamma == 1.0
    assert result.observed == 0.0
    assert [one.gamma for one in result.documents] == [1.0, 1.0]


def test_gamma_depends_neither_on_the_threads_nor_on_the_order_of_annotators() -> None:
    rng = random.Random(1)
    documents = [random_document(rng, "abcd", 6) for _ in range(8)]
    results = [gamma(documents, seed=3, threads=threads, pairs=True) for threads in (1, 2)]
    assert results[0] == results[1]
    turned = [dict(reversed(one.items())) for one in documents]
    assert gamma(turned, seed=3).gamma == results[0].gamma
    assert gamma(documents, seed=4).expected != results[0].expected


def test_the_project_is_weighted_by_units() -> None:
    rng = random.Random(2)
    documents = [random_document(rng, "abc", 7) for _ in range(5)]
    result = gamma(documents, samples=40)
    weights = [sum(map(len, one.values())) / 3 for one in documents]
    for name in ("observed", "expected"):
        values = [getattr(one, name) for one in result.documents]
        total = sum(weight * value for weight, value in zip(weights, values, strict=True))
        assert getattr(result, name) == pytest.approx(total / sum(weights), rel=1e-12)
    assert result.gamma == pytest.approx(1 - result.observed / result.expected, rel=1e-12)
    assert result.samples == 40


def test_precision_determines_the_samples() -> None:
    rng = random.Random(3)
    documents = [random_document(rng, "ab", 3)]
    result = gamma(documents, precision=0.03)
    assert result.samples > 30
    # 1.96 standard errors are about 3 % of the mean: the deviation is that of the first 30 samples.
    assert 0.015 < 1.96 * result.expected_error / result.expected < 0.06
    assert gamma(documents, precision=1.0).samples == 30


def test_undefined_gamma_is_nan() -> None:
    for documents in ([], [{}], [{"ann": ANN}], [{"ann": [], "ben": []}]):
        result = gamma(documents)
        assert math.isnan(result.gamma)
        assert math.isnan(result.observed)
        assert len(result.documents) == sum(len(one) > 1 for one in documents)
    with_undefined = gamma([{"ann": []}, {"ann": ANN, "ben": BEN}], lengths=[9, 20])
    assert [one.gamma for one in with_undefined.documents] == [with_undefined.gamma]


def test_an_annotator_who_marked_nothing_counts() -> None:
    found = gamma([{"ann": ANN, "ben": ANN, "cid": []}], samples=1).observed
    # Two of three pairs contain an empty unit, in each of two unitary alignments; 4 / 3 units per annotator.
    assert found == pytest.approx(2 * (2 / 3) / (4 / 3), rel=1e-12)


def test_pairs_are_those_of_their_common_documents() -> None:
    rng = random.Random(4)
    documents = [random_document(rng, names, 6) for names in ("abc", "ab", "bc", "ab")]
    result = gamma(documents, pairs=True, seed=5)
    assert list(result.pairs) == [("a", "b"), ("a", "c"), ("b", "c")]
    common = [{name: one[name] for name in "ab"} for one in documents if {"a", "b"} <= one.keys()]
    assert result.pairs["a", "b"] == gamma(common, lengths=_ends(documents, "ab"), seed=5).gamma


def _ends(documents: list[dict[str, list[tuple[str, int, int]]]], names: str) -> list[int]:
    """Return the largest end of each document of all these annotators."""
    shared = [one for one in documents if set(names) <= one.keys()]
    return [max(end for units in one.values() for _, _, end in units) for one in shared]


@pytest.mark.parametrize(
    ("documents", "options", "message"),
    [
        ([{"ann": [("PER", 3, 3)], "ben": []}], {}, "document 0, annotator 'ann', unit 0 is 3..3"),
        (
            [{"ann": ANN, "ben": BEN}],
            {"lengths": [7]},
            "unit 1 is 5..8, but the length of the document is 7",
        ),
        ([{"ann": ANN, "ben": BEN}], {"lengths": []}, "there are 1 documents, but 0 lengths"),
        ([{"ann": [("PER", 0)]}], {}, r"annotator 'ann', unit 0 must be a triple \(type, start, end\)"),
        ([{"ann": [("PER", -1, 3)]}], {}, "unit 0: start must be an integer of at least 0"),
        ([], {"alpha": -1.0}, "alpha"),
        ([], {"precision": 0.0}, "precision must be a number from 1e-4 to 1"),
        ([], {"delta_empty": 0.0}, "delta_empty must be a number from 1e-6 to 1e6"),
        ([], {"samples": 0}, "samples must be an integer of at least 1"),
        ([], {"sampler": "random"}, "sampler"),
    ],
)
def test_invalid_arguments_are_errors(documents: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gamma(documents, **options)


def test_documents_must_be_mappings() -> None:
    with pytest.raises(TypeError, match="document 0 is list, but must be a mapping"):
        gamma([[ANN]])  # type: ignore[list-item]


def test_a_limit_is_an_error() -> None:
    project = _spanrs.AgreementProject(True)
    spans = [("x", 0, 5, ()), ("y", 2, 9, ()), ("x", 4, 8, ())]
    project.add_spans(9, [(0, []), (1, [])])
    project.add_spans(9, [(annotator, spans) for annotator in range(5)])
    with pytest.raises(LimitError, match="increase max_alignments") as raised:
        project.gamma({"max_alignments": 3}, None, None)
    assert raised.value.sentence == 1


def test_the_result_is_frozen() -> None:
    result = gamma([{"ann": ANN, "ben": BEN}], samples=2)
    assert isinstance(result, Gamma)
    with pytest.raises(AttributeError):
        result.gamma = 0.0  # type: ignore[misc]
