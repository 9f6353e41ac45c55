"""The span evaluator of presidio-evaluator: its recorded outputs, and the matcher of masks on the same tokens."""

from __future__ import annotations

import math

import pytest
from tests.recordings import peer_cases

import spanrs
from spanrs.compat.presidio_evaluator import SpanEvaluator

#: The words in the recordings that the package skips by default.
SKIPPED = ["the", "and", ",", ".", "mr.", "of", "call"]


@pytest.fixture(scope="module")
def cases():
    return peer_cases("presidio_evaluator", "presidio-evaluator==0.3.2")


def table(sentences):
    """Return sentences of (token, start, gold type, pred type) as columns."""
    rows = [(number, *row) for number, sentence in enumerate(sentences) for row in sentence]
    names = ("sentence_id", "token", "start_indices", "annotation", "prediction")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def measures(row, prefix="", names=("num_annotated", "num_predicted", "precision", "recall", "f_beta")):
    counts = ("true_positives", "false_positives", "false_negatives")
    annotated, predicted, *rates = (getattr(row, prefix + name) for name in names)
    rates = [None if rate is None or math.isnan(rate) else rate for rate in rates]
    return [annotated, predicted, *(getattr(row, prefix + name) for name in counts), *rates]


def test_outputs_equal_the_recordings(cases):
    assert len(cases) > 600
    for (sentences, options), expected in cases:
        calls = {name: options[name] for name in ("beta", "level") if name in options}
        own = {name: value for name, value in options.items() if name not in calls}
        result = SpanEvaluator(**{"skip_words": SKIPPED} | own).calculate_score_on_df(
            table(sentences), **calls
        )
        per_type = {name: measures(row) for name, row in sorted(result.per_type.items())}
        assert per_type == expected["per_type"], (sentences, options)
        names = ("annotated", "predicted", "precision", "recall", "f")
        assert measures(result, "pii_", names) == expected["pii"], (sentences, options)
        assert result.n == expected["n"]
        assert [[*pair, n] for pair, n in sorted(result.results.items())] == expected["confusion"]
        errors = [
            [e.error_type, e.annotation, e.prediction, e.full_text, e.token, e.start, e.end]
            for e in result.model_errors
        ]
        assert errors == [row[:-1] for row in expected["errors"]], (sentences, options)


def spans(sentence, column, skipped):
    """Return the runs of equal types, in numbers of the tokens that are not skipped."""
    kept = [row[column] for row in sentence if row[0].lower() not in skipped]
    found = []
    for at, name in enumerate(kept):
        if name != "O" and at and name == kept[at - 1]:
            found[-1] = (name, found[-1][1], at + 1)
        elif name != "O":
            found.append((name, at, at + 1))
    return found


def test_the_matcher_of_masks_finds_the_same_spans_by_tokens(cases):
    # By characters, the package counts skipped words within spans, and moves all fragments but the first by one.
    compared = 0
    for (sentences, options), expected in cases:
        threshold = options.get("iou_threshold", 0.9)
        if options.get("char_based", True) or options.get("level", "both") != "both" or not threshold:
            continue
        compared += 1
        sides = (
            [spans(sentence, column, options["skip_words"]) for sentence in sentences] for column in (2, 3)
        )
        result = spanrs.score(*sides, matcher=spanrs.Characters(iou_threshold=threshold, count="all"))
        per_type = result["spans"].per_type
        assert set(expected["per_type"]) == set(per_type)
        for name, (annotated, predicted, tp, fp, _, *rates) in expected["per_type"].items():
            # A fragment of another type before a match is counted as a false negative by the package, although the
            # span is found.
            assert per_type.totals[name] == (tp, fp, annotated - tp)
            score = per_type[name]
            assert [score.precision, score.recall] == [rate or 0.0 for rate in rates[:2]]
            assert predicted == tp + fp
        pii = expected["pii"]
        assert result["untyped_spans"].totals == (pii[2], pii[3], pii[0] - pii[2])
    assert compared > 150


def test_skipped_words_must_be_given_and_options_known():
    with pytest.raises(ValueError, match="pass skip_words="):
        SpanEvaluator()
    with pytest.raises(TypeError, match="unknown option 'iou'"):
        SpanEvaluator(skip_words=[], iou=0.5)
    with pytest.raises(ValueError, match="unknown level 'token'"):
        SpanEvaluator(skip_words=[]).calculate_score_on_df(table([]), level="token")
