"""Documents of annotated sequences."""

from __future__ import annotations

import pytest

from spanrs.compat.seqscore.encoding import get_encoding
from spanrs.compat.seqscore.model import AnnotatedSequence, Mention, SequenceProvenance, Span
from spanrs.compat.seqscore.scoring import TokenCountError, TokensWithType, compute_scores, convert_score


def sequence(words, labels):
    place = SequenceProvenance(7, "f")
    return AnnotatedSequence.from_tokens_and_labels(
        words.split(), labels.split(), get_encoding("BIO"), provenance=place
    )


def test_documents_are_scored_with_examples():
    ref = sequence("Grace Hopper in York", "B-PER I-PER O B-LOC")
    pred = sequence("Grace Hopper in York", "B-PER O O B-LOC")
    score, accuracy = compute_scores([[pred]], [[ref]], count_fp_fn_examples=True)
    assert (score.true_pos, score.false_pos, score.false_neg, accuracy.accuracy) == (1, 1, 1, 0.75)
    assert score.false_neg_examples == {TokensWithType(("Grace", "Hopper"), "PER"): 1}
    score.update(score)
    assert score.type_scores["LOC"].true_pos == 2


def test_documents_that_do_not_match_are_refused():
    first, second = sequence("a", "O"), sequence("a b", "O O")
    with pytest.raises(ValueError, match="Prediction has 0 documents, reference has 1"):
        compute_scores([], [[first]])
    with pytest.raises(ValueError, match="Prediction has 0 sequences, reference has 1"):
        compute_scores([[]], [[first]])
    with pytest.raises(TokenCountError, match="Token count mismatch at line 7 of f"):
        compute_scores([[second]], [[first]])
    with pytest.raises(ValueError, match="Tokens do not match"):
        compute_scores([[sequence("b", "O")]], [[first]])


def test_sequences_do_not_change_and_are_equal_by_content():
    first = sequence("a b", "B-X O")
    assert first == sequence("a b", "B-X O")
    assert len({first, sequence("a b", "B-X O"), first.with_mentions([])}) == 2
    assert str(first) == "a/B-X b/O"
    with pytest.raises(AttributeError):
        first.tokens = ()
    with pytest.raises(ValueError, match=r"Tokens \(1\) and labels \(0\)"):
        AnnotatedSequence(tokens=["a"], labels=[], mentions=[])
    with pytest.raises(ValueError, match="cannot be negative"):
        Span(-1, 2)
    with pytest.raises(ValueError, match="Empty string for type"):
        Mention(Span(0, 1), "")


def test_well_formed_labels_are_read_by_the_compiled_module():
    for name, labels in {
        "BIO": "B-X I-X O B-Y",
        "BIOES": "B-X E-X O S-Y",
        "BMEOW": "B-X E-X O W-Y",
    }.items():
        assert get_encoding(name).spans(labels.split()) == [("X", 0, 2), ("Y", 3, 4)]
    assert get_encoding("BIO").spans(["O", "I-X"]) is None


def test_halves_are_rounded_up():
    assert str(convert_score(0.00125, False)) == "0.13"
