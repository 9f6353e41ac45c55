"""Bootstrap confidence."""

from __future__ import annotations

import json
import math

import pytest

import mat_cases
import spanrs
from golden import mat_arguments
from spanrs import mat
from spanrs.io import Annotation, Document

KEYS = {"bytag": "tag", "bytoken": "token", "bypseudotoken": "pseudo_token", "bychar": "character"}


@pytest.fixture(scope="module")
def corpus(matscore):
    """Three documents."""
    return mat_arguments.read(
        matscore.folder, "three_documents" if matscore.small else "d11_confidence_seed0"
    ).score()


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_means_are_near_the_exact_ones(matscore, corpus, seed):
    result = mat.tables(corpus, confidence=1000, seed=seed)
    recorded = matscore.json(f"bootstrap_exact_limit{'' if matscore.small else '_d11'}")
    compared = 0
    for key, table in KEYS.items():
        for name, exact in recorded.get(key, {}).items():
            label, measure = name.split("|")
            row = result.table(table)[label]
            # Samples without the label are excluded, so there are fewer than 1000.
            samples = 1000 * exact["n_of_27"] / 27
            error = 5 * math.sqrt(exact["variance"] / samples) + 1e-12
            assert abs(row[f"{measure}_mean"] - exact["mean"]) <= error, (key, name)
            assert row[f"{measure}_variance"] == pytest.approx(exact["variance"], rel=0.35, abs=1e-12)
            assert row[f"{measure}_stddev"] == math.sqrt(row[f"{measure}_variance"])
            compared += 1
    assert compared > matscore.at_least(small=40, large=50)


def test_the_same_seed_gives_the_same_files_for_any_number_of_threads(corpus, tmp_path):
    for threads in (1, 2, 5):
        (tmp_path / str(threads)).mkdir()
        result = mat.tables(corpus, confidence=1000, seed=7, threads=threads)
        result.to_csv(tmp_path / str(threads))
    names = sorted(file.name for file in (tmp_path / "1").iterdir())
    assert names == [
        "bychar.csv",
        "bypseudotoken.csv",
        "bytag.csv",
        "bytoken.csv",
        "confusability.csv",
        "details.csv",
    ]
    for item in ("2", "5"):
        for name in names:
            assert (tmp_path / item / name).read_bytes() == (tmp_path / "1" / name).read_bytes()
    item = mat.tables(corpus, confidence=1000, seed=8)
    assert item.spreads != result.spreads


def test_columns_of_confidence_stand_behind_their_measure(corpus):
    result = mat.tables(corpus, confidence=100, by_document=True)
    names = result.tag.columns
    at = names.index("precision")
    assert names[at : at + 4] == ("precision", "precision_mean", "precision_variance", "precision_stddev")
    assert names[-4:] == ("fmeasure", "fmeasure_mean", "fmeasure_variance", "fmeasure_stddev")
    for row in result.tag.dicts():
        # Single files are not resampled.
        assert (row["recall_mean"] is None) == (row["file"] != "<all>")
    assert result.settings["samples"] == "100"


def test_nothing_to_draw_from():
    with pytest.raises(TypeError, match="compares texts; pass files or"):
        spanrs.score([], [], matcher=mat.Mat(), on_error="skip")
    result = mat.tables(mat_cases.lenient([], []), confidence=True)
    row = result.tag["<all>"]
    assert row["precision"] == 1.0
    assert row["precision_mean"] is None
    assert json.dumps(result.to_dict(), allow_nan=False)


def test_one_document_never_varies():
    gold = Document("a b", [Annotation("A", 0, 1)])
    pred = Document("a b", [Annotation("A", 2, 3)])
    row = mat.tables(
        spanrs.score(gold, pred, matcher=mat.Mat(), on_error="skip"), confidence=50, percent=True
    ).character["A"]
    assert (row["precision_mean"], row["precision_variance"], row["precision_stddev"]) == (0.0, 0.0, 0.0)
    assert row["tag_blind_error_rate_mean"] == pytest.approx(200 / 3)
