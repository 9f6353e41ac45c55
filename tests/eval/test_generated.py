"""Scoring of generated answers against gold of any format."""

from __future__ import annotations

import json

import pytest

import spanrs
from spanrs.errors import AlignmentError, FormatError, SchemeError
from spanrs.io import AnswerOptions

TEXT = "Anna Smith met Ben in Rome. Ben left Rome."
GOLD = [("PER", 0, 10), ("PER", 15, 18), ("LOC", 22, 26), ("PER", 28, 31), ("LOC", 37, 41)]


def gold(text=TEXT, spans=GOLD):
    return [spanrs.Document(text, spans, id="a")]


def answer(*mentions):
    return [{"id": "a", "answer": json.dumps([{"type": ty, "text": text} for ty, text in mentions])}]


def scored(rows, options=None, golds=None, **more):
    given = {} if options is None else {"answers": AnswerOptions(**options)}
    pred = spanrs.read(rows, format="generated", **given)
    return spanrs.score(gold() if golds is None else golds, pred, **more)


ALL = [("PER", "Anna Smith"), ("PER", "Ben"), ("LOC", "Rome"), ("PER", "Ben"), ("LOC", "Rome")]


def test_all_strings_of_gold_have_a_score_of_one():
    result = scored(answer(*ALL))
    assert result.totals == (5, 0, 0)
    assert result.evidence.answers["exact"] == 5


@pytest.mark.parametrize(
    ("options", "totals"),
    [
        ({}, (1, 3, 4)),
        ({"ungrounded": "drop"}, (1, 1, 4)),
        ({"off_schema": "drop"}, (1, 2, 4)),
        ({"off_schema": "count"}, (1, 3, 4)),
        ({"off_schema": "drop", "ungrounded": "drop"}, (1, 0, 4)),
        ({"type_names": {"DATE": "LOC"}}, (1, 3, 4)),
    ],
)
def test_policies_for_other_types_and_for_strings_that_are_not_there(options, totals):
    rows = answer(
        ("PER", "Anna Smith"), ("DATE", "Ben in Rome"), ("PER", "Xaver Yilmaz"), ("LOC", "Berlin-Mitte")
    )
    result = scored(rows, options)
    assert result.totals == totals
    assert ("DATE" in result.per_type) == (
        options.get("off_schema", "keep") == "keep" and "type_names" not in options
    )
    for name, value in options.items():
        if isinstance(value, str):
            assert f"{name}:{value}" in result.signature


def test_other_types_are_counted_as_one():
    result = scored(answer(("DATE", "Ben"), ("TIME", "Rome")), {"off_schema": "count"})
    assert result.per_type.totals["(off-schema)"] == (0, 2, 0)
    assert result.evidence.answers["off_schema"] == 2


def test_repeated_strings_are_no_strings_that_are_not_there():
    result = scored(answer(("PER", "Ben"), ("PER", "Ben"), ("PER", "Ben")))
    answers = result.evidence.answers
    assert (answers["exact"], answers["repeated"], answers["ungrounded"]) == (2, 1, 0)
    assert result.totals == (2, 1, 3)


def test_all_occurrences_of_a_string():
    assert scored(answer(*ALL[:3])).totals == (3, 0, 2)
    result = scored(answer(*ALL[:3]), {"occurrences": "all"})
    assert result.totals == (5, 0, 0)
    assert result.evidence.answers["repeated"] == 0


def test_usual_names_of_types_are_recognised_and_noted():
    result = scored(answer(("person", "Ben"), ("loc", "Rome"), ("Person", "Ben")))
    assert result.totals == (3, 0, 2)
    assert result.notes == [
        "types of answers read as types of the schema: person as PER, loc as LOC, Person as PER"
    ]


def test_an_answer_that_cannot_be_read_is_an_empty_prediction():
    result = scored([{"id": "a", "answer": "I am sorry, but I cannot help with that."}])
    assert result.totals == (0, 0, 5)
    assert result.evidence.answers["unreadable"] == 1
    assert any("could not be read" in warning for warning in result.warnings)


def test_gold_that_cannot_be_read_is_an_error():
    rows = [{"id": "a", "text": TEXT, "answer": "I am sorry, but I cannot help with that."}]
    golds = spanrs.read(rows, format="generated")
    with pytest.raises(FormatError, match="record 0: the answer of gold cannot be read"):
        scored(answer(*ALL), golds=golds)


def test_gold_and_pred_of_answers():
    golds = spanrs.read(
        [{"id": "a", "text": TEXT, "answer": answer(*ALL)[0]["answer"]}], format="generated"
    )
    assert scored(answer(*ALL[:4]), golds=golds).totals == (4, 0, 1)
    without_text = spanrs.read(answer(*ALL), format="generated")
    with pytest.raises(FormatError, match="the record has no text"):
        scored(answer(*ALL), golds=without_text)
    assert scored(answer(*ALL[:4]), golds=without_text, matcher="strings").totals == (4, 0, 1)


def test_strings_that_are_in_no_text_match_each_other():
    rows = [{"id": "a", "text": TEXT, "answer": answer(("PER", "Zoë Quinn-Xu"), *ALL[:1])[0]["answer"]}]
    golds = spanrs.read(rows, format="generated")
    assert scored(answer(("PER", "Zoë Quinn-Xu")), golds=golds).totals == (1, 0, 1)


def test_stated_offsets_are_used_if_they_are_true():
    rows = [{"id": "a", "answer": json.dumps([{"type": "PER", "text": "Ben", "start": 28, "end": 31}])}]
    result = scored(rows, errors=True)
    assert result.evidence.answers["stated"] == 1
    assert {error.gold.start for error in result.errors.errors} == {0, 15, 22, 37}
    rows = [{"id": "a", "answer": json.dumps([{"type": "PER", "text": "Ben", "start": 3, "end": 6}])}]
    assert scored(rows).evidence.answers["exact"] == 1


@pytest.mark.parametrize("matcher", ["exact", "partial", "fair", "strings"])
def test_every_matcher_has_rows_errors_and_a_page(matcher):
    result = scored(answer(*ALL[:2]), matcher=matcher, by="document", errors=True)
    assert len(result.counts) == 1
    assert result.errors is not None
    page = result.to_html()
    assert "Answers" in page
    assert "Rome" in page
    assert result.to_dict()["answers"]["mentions"] == 2
    assert spanrs.Result.from_bytes(result.to_bytes()).evidence.answers == result.evidence.answers


def test_compare_systems_of_answers():
    more = [*gold(), spanrs.Document("Nobody.", id="b")]
    empty = {"id": "b", "answer": "[]"}
    systems = {"half": [*answer(*ALL[:2]), empty], "all": [*answer(*ALL), empty]}
    compared = spanrs.compare(
        more, {name: spanrs.read(rows, format="generated") for name, rows in systems.items()}
    )
    assert [compared.results[name].totals.tp for name in systems] == [2, 5]


TWICE = "Anna and Anna"


def test_stated_and_other_mentions_have_different_places():
    golds = gold(TWICE, [("PER", 0, 4), ("PER", 9, 13)])
    mentions = [{"type": "PER", "text": "Anna", "start": 0, "end": 4}, {"type": "PER", "text": "Anna"}]
    for rows in (mentions, mentions[::-1], [mentions[0], mentions[0]]):
        assert scored([{"id": "a", "answer": json.dumps(rows)}], golds=golds).totals == (2, 0, 0)


@pytest.mark.parametrize(
    ("text", "spans", "string"),
    [
        ("Ann met Anna", [(0, 3)], "Ann"),
        ("Anna met Annas and Annab", [(0, 4)], "Anna"),
        ("Ann met Ann", [(0, 3), (8, 11)], "Ann "),
    ],
)
def test_all_occurrences_are_whole_words(text, spans, string):
    golds = gold(text, [("PER", *span) for span in spans])
    result = scored(answer(("PER", string)), {"occurrences": "all"}, golds)
    assert result.totals == (len(spans), 0, 0)


def test_annotations_beside_gold_of_answers_are_spans():
    golds = spanrs.read([{"id": "a", "text": TWICE, "answer": '{"PER": ["Anna"]}'}], format="generated")
    pred = [spanrs.Document(TWICE, [("PER", 9, 13)], id="a")]
    assert spanrs.score(golds, pred).totals == (0, 1, 1)
    longer = [spanrs.Document(TWICE, [("PER", 0, 8)], id="a")]
    assert spanrs.score(golds, longer, matcher="partial")["overlap"].micro.f1 == 0.5
    assert spanrs.score(golds, longer, matcher=spanrs.Characters(count="all"))["masked"].micro.recall == 1.0
    assert spanrs.score(golds, pred, matcher="strings").totals == (1, 0, 0)


def test_strings_of_gold_are_compared_as_they_are_written():
    golds = spanrs.read(
        [{"id": "a", "text": "Angela Merkel left", "answer": "PER: Angela Merkle"}], format="generated"
    )
    pred = [{"id": "a", "answer": '{"PER": ["Angela Merkle"]}'}]
    assert scored(pred, golds=golds, matcher="strings").totals == (1, 0, 0)


def test_fragments_are_one_string():
    golds = [
        spanrs.Document(
            "left and right lung", [spanrs.io.Annotation("X", 0, 19, {}, [(0, 4), (15, 19)])], id="a"
        )
    ]
    assert scored(
        [{"id": "a", "answer": '{"X": ["left lung"]}'}], golds=golds, matcher="strings"
    ).totals == (1, 0, 0)


def test_every_choice_is_in_the_signature():
    rows = answer(*ALL, ("DATE", "Monday"))
    changes = [
        {"off_schema": "drop"},
        {"types": ["PER"]},
        {"type_names": {"DATE": "LOC"}},
        {"unanswered": "empty"},
        {"ungrounded": "drop"},
        {"occurrences": "all"},
        {"stages": ("exact",)},
        {"threshold": 0.7500000001},
        {"diacritics": True},
    ]
    signatures = {scored(rows, change).signature for change in ({}, *changes)}
    assert len(signatures) == len(changes) + 1
    golds = [
        spanrs.read([{"id": "a", "text": TEXT, "answer": rows[0]["answer"]}], format="generated", **given)
        for given in ({}, {"answers": AnswerOptions(stages=["exact"])})
    ]
    assert len({scored(rows, golds=side).signature for side in golds}) == 2


def test_results_of_different_schemas_are_not_merged():
    results = [
        scored(
            [{"id": "a", "answer": '{"PER": ["Anna"], "LOC": ["x"]}'}],
            {"off_schema": "drop"},
            gold("Anna x", spans),
        )
        for spans in ([("PER", 0, 4)], [("LOC", 5, 6)])
    ]
    with pytest.raises(SchemeError, match="different settings"):
        results[0].merge(results[1])


def test_rows_are_sentences_or_documents(tmp_path):
    path = tmp_path / "gold.conll"
    path.write_text(
        "-DOCSTART- O\n\nAnna B-PER\n\nBen B-PER\n\n-DOCSTART- O\n\nCy B-PER\n", encoding="utf-8"
    )
    rows = ['{"PER": ["Anna"]}', '{"PER": ["Ben"]}', '{"PER": []}']
    by = {unit: scored(rows, golds=spanrs.read(path), by=unit) for unit in ("sentence", "document")}
    assert [row.totals for row in by["document"].documents] == [(2, 0, 0), (0, 0, 1)]
    assert len(by["sentence"].counts) == 3
    assert by["sentence"].by_sentence
    assert by["sentence"].totals == by["document"].totals == (2, 0, 1)


def test_equal_ids_do_not_matter_if_texts_are_paired_otherwise():
    golds = [
        spanrs.Document("Anna left.", [("PER", 0, 4)], id="1"),
        spanrs.Document("Ben left.", [("PER", 0, 3)]),
    ]
    rows = [{"text": d.text, "answer": json.dumps({"PER": [d.text.split()[0]]})} for d in golds]
    assert scored(rows, golds=golds).totals == (2, 0, 0)


def test_scorers_refuse_strings_and_answers():
    with pytest.raises(TypeError, match="strings are compared by"):
        spanrs.Scorer(matcher="strings").update(gold(), gold())
    with pytest.raises(TypeError, match="answers of models are scored by"):
        spanrs.Scorer().update(gold(), spanrs.read(answer(*ALL), format="generated"))


def test_options_that_do_not_apply_are_refused():
    with pytest.raises(ValueError, match="store is not supported"):
        scored(answer(*ALL), store="x")
    with pytest.raises(ValueError, match="align='ignore' does not apply"):
        scored(answer(*ALL), align="ignore")
    with pytest.raises(TypeError, match="options for answers of models do not apply to documents"):
        spanrs.read(gold(), answers=AnswerOptions(off_schema="drop"))
    for name, value in (("off_schema", "x"), ("ungrounded", 1), ("occurrences", None)):
        with pytest.raises(ValueError, match=f"{name} must be one of"):
            AnswerOptions(**{name: value})
    with pytest.raises(ValueError, match="unknown stage 'magic'"):
        AnswerOptions(stages=["magic"])
    with pytest.raises(ValueError, match="threshold must be a number above 0"):
        AnswerOptions(threshold=0)


def test_texts_of_another_corpus_give_documents():
    corpus = spanrs.read(answer(*ALL[:2]), format="generated", texts=gold())
    [document] = corpus.documents
    assert [TEXT[a.start : a.end] for a in document.annotations] == ["Anna Smith", "Ben"]
    assert document.id == "a"


def test_a_missing_answer_is_an_error():
    golds = [*gold(), spanrs.Document("Nobody.", id="b")]
    with pytest.raises(AlignmentError, match="text b has no answer"):
        scored(answer(*ALL), golds=golds)
