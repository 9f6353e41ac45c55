"""Agreement: comparison with the literature, other libraries, and manual calculations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score

from noisy_crowd import noisy
from spanrs.crowd import Agreement, CrowdCorpus
from spanrs.crowd.agreement import (
    Unit,
    cohen_kappa,
    fleiss_kappa,
    krippendorff_alpha,
    unitized_alpha,
)
from spanrs.errors import ModelError


def units(*places):
    """Units of Krippendorff's example, whose line begins at 150."""
    return [Unit(start - 150, start - 150 + length, name) for start, length, name in places]


def test_alpha_for_unitizing_is_that_of_krippendorff():
    # Krippendorff (2004), page 254.
    same = [(180, 60, "k"), (300, 50, "k")]
    first = units(*same, (225, 70, "c"), (370, 30, "c"))
    second = units(*same, (220, 80, "c"), (355, 20, "c"), (400, 20, "c"))
    assert unitized_alpha([first, second], 300) == pytest.approx(0.8591, abs=5e-4)
    c = [[unit for unit in values if unit.type == "c"] for values in (first, second)]
    assert unitized_alpha(c, 300) == pytest.approx(0.7286, abs=1e-4)


@st.composite
def lines(draw):
    length = draw(st.integers(5, 40))
    people = []
    for _ in range(draw(st.integers(2, 4))):
        cuts = sorted(draw(st.sets(st.integers(0, length), max_size=8)))
        pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
        people.append([Unit(start, end, draw(st.sampled_from("ab"))) for start, end in pairs])
    return people, length


@given(lines())
def test_alpha_for_unitizing_by_its_definition(line):
    people, length = line
    observed = expected = 0.0
    for name in "ab":
        values = [[(u.start, u.end) for u in person if u.type == name] for person in people]
        gaps = []
        for person in values:
            ends, starts = [0, *(e for _, e in sorted(person))], [*sorted(s for s, _ in person), length]
            gaps.append([(e, s) for e, s in zip(ends, starts, strict=True) if s > e])
        total = 0.0
        for i, first in enumerate(values):
            for j, second in enumerate(values):
                if i == j:
                    continue
                for start, end in first:
                    for item, last in second:
                        if start < last and item < end:
                            total += (start - item) ** 2 + (end - last) ** 2
                    total += sum((end - start) ** 2 for a, b in gaps[j] if a <= start and end <= b)
                for start, end in second:
                    total += sum((end - start) ** 2 for a, b in gaps[i] if a <= start and end <= b)
        m = len(values)
        observed += total / (m * (m - 1) * length**2)
        lengths = [end - start for person in values for start, end in person]
        all_gaps = [end - start for person in gaps for start, end in person]
        total = sum(
            (len(lengths) - 1) / 3 * (2 * n**3 - 3 * n**2 + n)
            + n**2 * sum(gap - n + 1 for gap in all_gaps if gap >= n)
            for n in lengths
        )
        places = m * length * (m * length - 1) - sum(n * (n - 1) for n in lengths)
        expected += 2 / length * total / places
    actual = unitized_alpha(people, length)
    if expected > 0:
        assert actual == pytest.approx(1 - observed / expected, abs=1e-9)
    else:
        assert math.isnan(actual)


labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40)


@settings(deadline=None)
@given(labels)
@pytest.mark.filterwarnings("ignore")
def test_cohen_kappa_is_that_of_scikit_learn(pairs):
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    actual = cohen_kappa(first, second, 4)
    expected = cohen_kappa_score(first, second, labels=range(4))
    assert actual == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(deadline=None)
@given(st.integers(0, 1000))
def test_alpha_and_fleiss_are_those_of_nltk(seed):
    rng = np.random.default_rng(seed)
    answers = rng.integers(3, size=(12, 4))
    data = [(str(who), str(at), str(answers[at, who])) for at in range(12) for who in range(4)]
    counts = np.array([np.bincount(row, minlength=3) for row in answers])
    task = AnnotationTask(data)
    assert krippendorff_alpha(counts) == pytest.approx(task.alpha(), abs=1e-12)
    # By the definition of Fleiss (1971).
    n, k = 12, 4
    agreed = ((counts**2).sum() - n * k) / (n * k * (k - 1))
    chance = ((counts.sum(axis=0) / (n * k)) ** 2).sum()
    assert fleiss_kappa(counts) == pytest.approx((agreed - chance) / (1 - chance), abs=1e-12)


def test_alpha_with_missing_answers_is_that_of_nltk():
    corpus, _ = noisy(1, [0.2, 0.4, 0.6], missing=0.3)
    agreement = Agreement(corpus)
    votes = corpus.votes()
    several = np.bincount(votes.token)[votes.token] > 1
    data = [
        (str(who), str(at), str(label))
        for at, who, label, kept in zip(*votes, several, strict=True)
        if kept
    ]
    assert agreement.alpha == pytest.approx(AnnotationTask(data).alpha(), abs=1e-12)


def test_pairs_annotators_and_types():
    answers = [
        {"a": ["B-X", "O"], "b": ["B-X", "O"], "c": ["O", "O"]},
        {"a": ["B-Y", "O"], "b": ["O", "O"]},
        {"d": ["O", "O"]},
    ]
    agreement = Agreement(CrowdCorpus([["u", "v"]] * 3, answers))
    pair = {values.annotators: values for values in agreement.pairs}
    assert list(pair) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert (pair["a", "b"].sentences, pair["a", "b"].tokens) == (2, 4)
    assert pair["a", "b"].f1 == pytest.approx(2 / 3)
    assert pair["a", "b"].f1_by_type == {"X": 1.0, "Y": 0.0}
    assert agreement.by_annotator()["a"][0] == pytest.approx((4 * 2 / 3 + 0) / 6)
    assert math.isnan(agreement.by_annotator()["d"][0])
    # No sentence was labelled by all annotators.
    assert math.isnan(agreement.unitized_alpha)
    assert agreement.unitized_alpha_by_type == {}
    assert "not defined: no sentence with spans was labelled by all" in agreement.text()
    assert agreement.to_dict()["annotators"][3] == {"annotator": "d", "f1": None, "kappa": None}


def test_labels_that_are_no_tags():
    agreement = Agreement(CrowdCorpus([["u", "v"]], [{"a": ["NOUN", "VERB"], "b": ["NOUN", "NOUN"]}]))
    assert math.isnan(agreement.pairs[0].f1)
    assert agreement.by_type() == {}
    assert agreement.alpha == pytest.approx(0.0)


def test_no_token_with_two_labels_is_an_error():
    with pytest.raises(ModelError, match="no token has labels of two annotators"):
        Agreement(CrowdCorpus([["u"], ["v"]], [{"a": ["O"]}, {"b": ["O"]}]))


def test_the_heat_map_is_a_picture(tmp_path):
    agreement = Agreement(noisy(2, [0.1, 0.4])[0])
    for ending, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        path = tmp_path / f"map{ending}"
        agreement.plot(path, "kappa")
        assert path.read_bytes().startswith(start)
    with pytest.raises(ValueError, match=r"map.txt: the name of a plot file must end with .png"):
        agreement.plot(tmp_path / "map.txt")
    with pytest.raises(ValueError, match="not f1 or kappa"):
        agreement.plot(tmp_path / "map.png", "alpha")
