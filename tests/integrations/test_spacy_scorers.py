"""The scorers registered with spaCy: in a pipeline, and beside spaCy's scorers and spanrs.score."""

from __future__ import annotations

import pytest
import spacy
from hypothesis import given, settings
from spacy import registry
from spacy.scorer import Scorer
from spacy.tokens import Doc, SpanGroup
from spacy.training import Example

import spanrs
from integrations.test_spacy import WORDS, doc, examples, tags
from spanrs.integrations.spacy_scorers import make_ner_scorer, make_spancat_scorer

ALL = ["fair", "weighted", "traditional", "strict", "bounds", "overlap", "type"]


def test_scorers_are_registered():
    assert registry.scorers.get("spanrs.ner_scorer.v1") is make_ner_scorer
    assert registry.scorers.get("spanrs.spancat_scorer.v1") is make_spancat_scorer


@settings(max_examples=150, deadline=None)
@given(examples())
def test_spacys_scores_are_included(made):
    theirs = registry.scorers.get("spacy.ner_scorer.v1")()(made)
    ours = make_ner_scorer(ALL)(made)
    assert {key: ours[key] for key in theirs} == theirs
    # On other tokens, predicted entities may overlap, and are then matched otherwise than by equality.
    if ours["ents_f"] and all(len(one.predicted) == len(one.reference) for one in made):
        assert ours["ents_strict_f"] == pytest.approx(ours["ents_f"])
        assert set(ours["ents_fair_per_type"]) <= set(ours["ents_per_type"])
    group = {"spans_key": "sc"}
    theirs = registry.scorers.get("spacy.spancat_scorer.v1")()(made, **group)
    ours = make_spancat_scorer(ALL)(made, **group)
    assert {key: ours[key] for key in theirs} == theirs


@settings(max_examples=100, deadline=None)
@given(tags, tags)
def test_further_scores_are_those_of_score(gold, pred):
    sides = [doc(WORDS, ["O" if tag in ("-", "") else tag for tag in side]) for side in (gold, pred)]
    ours = make_ner_scorer(ALL)([Example(sides[1], sides[0])])
    spans = [[[(span.label_, span.start, span.end) for span in side.ents]] for side in sides]
    for matcher in ("fair", "partial"):
        result = spanrs.score(*spans, matcher=matcher) if any(side[0] for side in spans) else None
        for name in ALL:
            if result is not None and name in result.matcher.criteria:
                assert ours[f"ents_{name}_f"] == result[name].micro.f1
            elif result is None:
                assert ours[f"ents_{name}_f"] is None


def test_a_pipeline_evaluates_with_them(tmp_path):
    nlp = spacy.blank("en")
    scorer = {"@scorers": "spanrs.ner_scorer.v1", "criteria": ["fair", "overlap"]}
    nlp.add_pipe("ner", config={"scorer": scorer}).add_label("PER")
    nlp.initialize()
    gold = Doc(nlp.vocab, words=["Grace", "Hopper"], ents=["B-PER", "I-PER"])
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    for pipeline in (nlp, loaded):
        scores = pipeline.evaluate([Example(pipeline.make_doc("Grace Hopper"), gold)])
        assert {"ents_f", "ents_fair_f", "ents_overlap_f", "ents_overlap_per_type"} <= set(scores)
    assert loaded.config["components"]["ner"]["scorer"] == scorer


@pytest.mark.filterwarnings("error::spanrs.errors.SpanrsWarning")
@pytest.mark.parametrize("component", ["spancat", "spancat_singlelabel"])
def test_span_categorizers_evaluate_with_them(component):
    evaluated = []
    for scorer in ({"@scorers": "spacy.spancat_scorer.v1"}, {"@scorers": "spanrs.spancat_scorer.v1"}):
        spacy.util.fix_random_seed(0)
        nlp = spacy.blank("en")
        nlp.add_pipe(component, config={"scorer": scorer})
        gold = nlp.make_doc("Grace Hopper here")
        gold.spans["sc"] = SpanGroup(gold, spans=[gold.char_span(0, 12, label="PER")])
        made = [Example(nlp.make_doc(gold.text), gold)]
        nlp.initialize(lambda made=made: made)
        evaluated.append(nlp.evaluate(made))
    theirs, ours = evaluated
    assert {key: ours[key] for key in theirs if key != "speed"} == {
        k: v for k, v in theirs.items() if k != "speed"
    }
    assert ours["spans_sc_fair_f"] is not None


@pytest.mark.filterwarnings("error::spanrs.errors.SpanrsWarning")
def test_no_predictions_are_no_reason_for_a_warning():
    vocab = spacy.blank("en").vocab
    gold, pred = Doc(vocab, words=["Grace"], ents=["B-PER"]), Doc(vocab, words=["Grace"], ents=["O"])
    assert make_ner_scorer()([(pred, gold)])["ents_fair_f"] == 0


def test_groups_are_scored_by_their_key():
    vocab = spacy.blank("en").vocab
    gold, pred = (Doc(vocab, words=["Grace", "Hopper", "here"]) for _ in range(2))
    gold.spans["sc"] = SpanGroup(
        gold, spans=[gold.char_span(0, 12, label="PER"), gold.char_span(0, 5, label="FIRST")]
    )
    pred.spans["sc"] = SpanGroup(pred, spans=[pred.char_span(0, 5, label="PER")])
    scores = make_spancat_scorer(["overlap"])([Example(pred, gold)], spans_key="sc")
    assert (
        scores["spans_sc_f"]
        == Scorer.score_spans(
            [Example(pred, gold)], "sc", getter=lambda d, key: d.spans[key], allow_overlap=True
        )["sc_f"]
    )
    assert scores["spans_sc_overlap_r"] > scores["spans_sc_r"]


def test_unknown_criteria_are_refused():
    with pytest.raises(
        ValueError, match="unknown criterion 'f1'; expected one of fair, weighted, traditional, strict"
    ):
        make_ner_scorer(["f1"])
    with pytest.raises(TypeError, match="criteria must be a list of names, not a str"):
        make_ner_scorer("fair")
