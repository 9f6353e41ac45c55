"""Differential tests against spaCy: its scorer on equal and different tokenizations, and its tag conversions."""

from __future__ import annotations

import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.scorer import Scorer, get_ner_prf
from spacy.tokens import Doc, Span
from spacy.training import Example, biluo_to_iob, iob_to_biluo
from spacy.training.iob_utils import tags_to_entities

from answers.spacy import convert
from spanrs.integrations import spacy as ours

VOCAB = spacy.blank("en").vocab
WORDS = ["a", "bc", "def", "g", "hi", "j"]
SPLIT = ["a", "b", "c", "def", "gh", "i", "j"]
tag = st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "", "-"])
ANNOTATED = lambda doc: doc.has_annotation("ENT_IOB")  # noqa: E731


def doc(words, tags):
    """A document without the spans that spaCy does not accept."""
    created = Doc(VOCAB, words=words, spaces=[False] * len(words))
    tags = tags[: len(words)]
    ents, at = [], 0
    while at < len(tags):
        end = at + 1
        if tags[at][:1] in ("B", "I"):
            while end < len(tags) and tags[end] == "I" + tags[at][1:]:
                end += 1
            ents.append(Span(created, at, end, label=tags[at][2:]))
        at = end
    missing = [Span(created, at, at + 1) for at, t in enumerate(tags) if t in ("", "-")]
    created.set_ents(ents, missing=missing, default="outside")
    created.spans["sc"] = [*ents, *(Span(created, s.start, len(created), label="X") for s in ents)]
    return created


tags = st.lists(tag, min_size=7, max_size=7)


def unannotated(words):
    return Doc(VOCAB, words=words, spaces=[False] * len(words))


@st.composite
def examples(draw):
    created = []
    for _ in range(draw(st.integers(0, 3))):
        sides = [
            doc(words, draw(tags)) if draw(st.integers(0, 5)) else unannotated(words)
            for words in (draw(st.sampled_from([WORDS, SPLIT])), draw(st.sampled_from([WORDS, SPLIT])))
        ]
        created.append(Example(*sides))
    return created


@settings(max_examples=200, deadline=None)
@given(examples(), st.booleans(), st.sampled_from([None, ANNOTATED]))
def test_score_spans_is_that_of_spacy(made, labeled, annotated):
    kwargs = {"labeled": labeled, "has_annotation": annotated}
    assert ours.score_spans(made, "ents", **kwargs) == Scorer.score_spans(made, "ents", **kwargs)


@settings(max_examples=200, deadline=None)
@given(examples(), st.booleans())
def test_overlapping_spans_are_scored_as_by_spacy(made, labeled):
    kwargs = {
        "labeled": labeled,
        "allow_overlap": True,
        "getter": lambda doc, attr: doc.spans.get(attr, []),
        "has_annotation": lambda doc: "sc" in doc.spans,
    }
    assert ours.score_spans(made, "sc", **kwargs) == Scorer.score_spans(made, "sc", **kwargs)


@settings(max_examples=200, deadline=None)
@given(examples())
def test_entities_are_scored_as_by_spacy(made):
    assert ours.get_ner_prf(made) == get_ner_prf(made)


def test_nothing_scored_is_none():
    assert ours.score_spans([], "ents") == Scorer.score_spans([], "ents")
    assert ours.get_ner_prf([])["ents_f"] is None


def answer(function, *args):
    try:
        return function(*args)
    except Exception as error:  # whatever it is, it is compared
        return type(error), str(error)


weird = st.one_of(
    tag,
    st.sampled_from(["U-PER", "L-PER", "B", "U", "PER", "O-PER", "-", "", "B-PER-LOC", "X-PER", "b-PER"]),
    st.text(max_size=3),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(weird, max_size=8))
def test_tags_are_converted_as_by_spacy(tags):
    assert answer(ours.tags_to_entities, tags) == answer(tags_to_entities, tags)
    assert answer(ours.iob_to_biluo, tags) == answer(iob_to_biluo, tags)
    assert answer(ours.biluo_to_iob, [*tags, None]) == answer(biluo_to_iob, [*tags, None])
    assert answer(ours.tags_to_entities, [*tags, None]) == answer(tags_to_entities, [*tags, None])


def test_tags_are_converted_as_recorded(evaluators):
    compared, different = 0, []
    for row in evaluators.rows("spacy"):
        got = convert(ours, evaluators.pairs[row["id"]])
        compared += len(got)
        if got != row["o"]:
            different.append((row["id"], got, row["o"]))
    assert compared > evaluators.at_least(small=250, large=1500)
    assert different == []
