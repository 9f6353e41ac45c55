"""Scoring: forms of input, measures, merging, and the peers."""

from __future__ import annotations

import gzip
import io
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import classification_report

import spanrs
from spanrs.errors import AlignmentError, SchemeError
from spanrs.eval.tables import tables

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "E-PER", "S-LOC"]
sentence_pairs = st.lists(
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1, max_size=8),
    min_size=1,
    max_size=6,
)


def sides(pairs):
    return [[g for g, _ in row] for row in pairs], [[p for _, p in row] for row in pairs]


@settings(max_examples=200, deadline=None)
@given(sentence_pairs)
def test_measures_are_those_of_seqeval(pairs):
    gold, pred = sides(pairs)
    result = spanrs.score(gold, pred, scheme="IOBES", reading="seqeval")
    if not result.per_type:
        return
    expected = classification_report(gold, pred, output_dict=True, zero_division=0)
    measures = {f"{name} avg": getattr(result, name) for name in ("micro", "macro", "weighted")}
    for name, row in expected.items():
        score = measures.get(name) or result.per_type[name]
        got = (score.precision, score.recall, score.f1, score.support)
        wanted = (row["precision"], row["recall"], row["f1-score"], row["support"])
        assert got == pytest.approx(wanted, abs=1e-15)
    assert len(result.per_type) == len(expected) - 3


@settings(max_examples=100, deadline=None)
@given(sentence_pairs, st.sampled_from(["conlleval", "strict", "discard", "ncrfpp"]))
def test_every_form_of_input_counts_the_same(pairs, reading):
    gold, pred = sides(pairs)
    expected = spanrs.score(gold, pred, scheme="IOBES", reading=reading).to_dict()
    numbers = {name: i for i, name in enumerate(NAMES)}
    width = max(map(len, gold))
    matrix = [np.full((len(gold), width), -100) for _ in range(2)]
    for side, out in zip((gold, pred), matrix, strict=True):
        for row, names in zip(out, side, strict=True):
            row[: len(names)] = [numbers[name] for name in names]
    flat = [np.array([numbers[n] for row in side for n in row], np.int32) for side in (gold, pred)]
    text = "\n".join(
        "".join(f"w {g} {p}\n" for g, p in zip(*rows, strict=True)) for rows in zip(gold, pred, strict=True)
    )
    forms = [
        spanrs.score(tuple(map(tuple, gold)), (row for row in pred), scheme="IOBES", reading=reading),
        spanrs.score(*matrix, scheme="IOBES", reading=reading, vocabulary=NAMES),
        spanrs.score(*flat, scheme="IOBES", reading=reading, vocabulary=NAMES, lengths=map(len, gold)),
        spanrs.score(io.BytesIO(text.encode()), scheme="IOBES", reading=reading),
        spanrs.score(io.BytesIO(gzip.compress(text.encode())), scheme="IOBES", reading=reading),
    ]
    for form in forms:
        got = form.to_dict()
        for side in got["violations"].values():
            for located in side["first"]:
                located["line"] = None
        assert got == expected


@settings(max_examples=100, deadline=None)
@given(sentence_pairs, st.data())
def test_batches_merge_in_any_order(pairs, data):
    gold, pred = sides(pairs)
    whole = spanrs.score(gold, pred, scheme="BIO")
    parts = []
    for g, p in zip(gold, pred, strict=True):
        scorer = spanrs.Scorer(scheme="BIO")
        scorer.update([g], [p])
        parts.append(scorer)
    first, *rest = data.draw(st.permutations(parts))
    for part in rest:
        first.merge(part)
    merged = first.result()
    assert merged.per_type.totals == whole.per_type.totals
    assert merged.confusion == whole.confusion
    assert merged.counts == whole.counts
    assert (merged.accuracy, merged.tokens) == (whole.accuracy, whole.tokens)
    assert merged.violations["pred"].count == whole.violations["pred"].count


@settings(max_examples=100, deadline=None)
@given(sentence_pairs)
def test_confusion_adds_up(pairs):
    result = spanrs.score(*sides(pairs), scheme="BIO")
    for name, score in result.per_type.items():
        totals = result.per_type.totals[name]
        assert sum(result.confusion[name].values()) == score.support
        assert sum(row[name] for row in result.confusion.values()) == totals.tp + totals.fp
        assert min(result.confusion[name].values(), default=1) > 0


def test_json_is_what_the_documents_say():
    result = spanrs.score([["B-A", "O", "I-B"]], [["B-A", "I-B", "O"]])
    parsed = json.loads(result.to_json())
    assert list(parsed["micro"]) == ["precision", "recall", "f1", "support"]
    assert parsed["counts"] == {"tp": 1, "fp": 1, "fn": 1}
    assert parsed["violations"]["gold"] == {
        "count": 1,
        "first": [
            {
                "sentence": 0,
                "line": None,
                "index": 2,
                "kind": "Illegal Start",
                "previous": "O",
                "current": "I-B",
                "next": None,
                "action": "opened a span",
            }
        ],
    }
    assert parsed["signature"] == result.signature
    assert set(parsed["per_type"]) == {"A", "B"}


def test_nothing_to_find_is_zero_and_not_a_crash():
    for gold in ([], [[]], [["O"]]):
        result = spanrs.score(gold, gold)
        assert result.micro.f1 == 0
        assert result.macro.f1 == 0
        assert result.per_type == {}
        assert not math.isnan(result.accuracy)
        assert "micro" in str(result)
        assert "<table" in result._repr_html_()


def test_html_is_escaped():
    html = spanrs.score([["B-<b>"]], [["B-<b>"]])._repr_html_()
    assert "&lt;b&gt;" in html
    assert "<td><b>" not in html.replace("<td><b>m", "").replace("<td><b>w", "")


def test_shapes_that_differ_are_named():
    with pytest.raises(AlignmentError, match="2 sentences, pred has 1"):
        spanrs.score([["O"], ["O"]], [["O"]])
    with pytest.raises(AlignmentError, match="sentence 1: gold has 2 tags, pred has 1") as caught:
        spanrs.score([["O"], ["O", "O"]], [["O"], ["O"]])
    assert caught.value.sentence == 1
    ids = np.zeros((2, 3), int)
    with pytest.raises(AlignmentError, match="2 by 3"):
        spanrs.score(ids, ids[:1], vocabulary=["O"])
    with pytest.raises(AlignmentError, match="lengths add up to 5"):
        spanrs.score(ids.ravel(), ids.ravel(), vocabulary=["O"], lengths=[5])
    with pytest.raises(AlignmentError, match="lengths"):
        spanrs.score(ids.ravel(), ids.ravel(), vocabulary=["O"], lengths=[7, -1])


def test_wrong_types_are_named():
    with pytest.raises(TypeError, match="vocabulary="):
        spanrs.score([[1]], [[1]])
    with pytest.raises(TypeError, match="one str"):
        spanrs.score(["B-A"], ["B-A"])
    with pytest.raises(TypeError, match="integers"):
        spanrs.score(np.zeros((1, 2)), np.zeros((1, 2)), vocabulary=["O"])
    with pytest.raises(SchemeError, match="pred has id 5 at sentence 0, token 1"):
        spanrs.score([[0, 0]], [[0, 5]], vocabulary=["O"])


def test_refuse_raises_and_the_others_do_not():
    gold, pred = [["B-A"]], [["I-A"]]
    with pytest.raises(SchemeError, match="pred"):
        spanrs.score(gold, pred, scheme="BIO", reading="refuse")
    assert spanrs.score(gold, pred, scheme="BIO", reading="strict").totals == (0, 0, 1)


def test_results_made_differently_do_not_merge():
    first, second = spanrs.Scorer(scheme="BIO"), spanrs.Scorer(scheme="BIO", reading="strict")
    with pytest.raises(spanrs.SpanrsError, match="cannot be merged"):
        first.merge(second)
    with pytest.raises(spanrs.SpanrsError, match="cannot be merged"):
        first.result().merge(second.result())


def test_the_scheme_is_that_of_all_of_gold_however_long_it_is():
    # The initial sample suggests IOB, but the rest of gold does not.
    head = [["O", "I-A"]] * 40_000
    tail = [["B-A", "I-A", "O", "B-B"]] * 40_000
    gold = head[:1] * 40_000 + tail
    result = spanrs.score(gold, gold)
    assert result.settings["scheme"] == spanrs.tags.detect_scheme(gold).scheme == "BIO"
    assert result.violations["gold"].count == 40_000
    text = "\n".join("".join(f"w {tag}\n" for tag in row) for row in gold).encode()
    assert (
        spanrs.score(io.BytesIO(text), io.BytesIO(text)).to_dict()["counts"] == (result.to_dict()["counts"])
    )
    names = ["O", "B-A", "I-A", "B-B"]
    ids = np.array([names.index(tag) for row in gold for tag in row])
    by_ids = spanrs.score(ids, ids, vocabulary=names, lengths=[len(row) for row in gold])
    assert by_ids.to_dict() == result.to_dict()


def test_pred_decides_where_gold_has_nothing():
    result = spanrs.score([["O", "O"]], [["B-A", "E-A"]])
    assert result.settings["scheme"] == "IOBES"
    assert result.totals == (0, 1, 0)


def test_a_scorer_settles_its_scheme_with_the_first_tag():
    scorer = spanrs.Scorer()
    scorer.update([["O"]], [["O"]])
    scorer.update([["U-A", "O"]], [["U-A", "O"]])
    scorer.update([["B-A", "L-A"]], [["O", "O"]])
    result = scorer.result()
    assert result.settings["scheme"] == "BILOU"
    assert (result.totals, result.tokens) == ((1, 0, 1), 5)


def test_documents_have_rows():
    text = b"-DOCSTART- O\n\na B-X\n\n-DOCSTART- O\n\nb B-X\nc O\n"
    pred = b"a B-X\n\nb O\nc O\n"
    result = spanrs.score(io.BytesIO(text), io.BytesIO(pred), by="document")
    assert [(row.tokens, row.totals) for row in result.documents] == [(1, (1, 0, 0)), (2, (0, 0, 1))]


def test_strings_that_are_equal_but_not_the_same_object_count_the_same():
    gold = [["".join(["B", "-", kind]) for kind in "ABC" * 1000]]
    pred = [["".join(["B", "-", kind]) for kind in "ABC" * 1000]]
    assert spanrs.score(gold, pred).micro.f1 == 1


def test_the_numbers_of_each_reading(submissions):
    for name, expected in submissions.by_reading.items():
        got = [
            round(
                100 * spanrs.score(submissions.gold, submissions.preds[name], reading=reading).micro.f1,
                2,
            )
            for reading in ("conlleval", "discard", "strict")
        ]
        assert got == list(expected), name


def test_the_violations_of_a_submission_are_listed(submissions):
    pred, count = submissions.preds[submissions.malformed], submissions.violations
    result = spanrs.score(submissions.gold, pred, max_violations=100)
    actual = result.violations["pred"]
    assert (actual.count, len(actual.first), result.violations["gold"].count) == (count, count, 0)
    lines = pred.read_text(encoding="utf-8").splitlines()
    for located in actual.first:
        tag = lines[located.line - 1].split("\t")[1]
        assert tag == located.violation.current
        assert tag.startswith("I-")


def test_vocabularies_may_be_mappings():
    gold, pred = [[1, 2, 0]], [[1, 0, 0]]
    expected = spanrs.score(gold, pred, vocabulary=["O", "B-A", "I-A"]).counts
    assert spanrs.score([["B-A", "I-A", "O"]], [["B-A", "O", "O"]]).counts == expected
    assert spanrs.score(gold, pred, vocabulary={"B-A": 1, "O": 0, "I-A": 2}).counts == expected
    assert spanrs.score(gold, pred, vocabulary={2: "I-A", 1: "B-A", 0: "O"}).counts == expected
    with pytest.raises(ValueError, match="without gaps"):
        spanrs.score(gold, pred, vocabulary={"O": 0, "B-A": 2})
    with pytest.raises(TypeError, match="not a str"):
        spanrs.score(gold, pred, vocabulary="OB")


def test_arrays_of_any_make_will_do():
    gold = np.array([[1, 2, 0]])
    for array in (gold.astype(">i8"), np.asfortranarray(gold), gold[:, ::1]):
        assert spanrs.score(array, gold, vocabulary=["O", "B-A", "I-A"]).totals == (1, 0, 0)
    assert spanrs.score([], [], vocabulary=["O"]).tokens == 0
    huge = np.array([[2**64 - 100]], dtype=np.uint64)
    with pytest.raises(SchemeError, match="gold has id"):
        spanrs.score(huge, huge, vocabulary=["O"])
    with pytest.raises(TypeError, match="integers"):
        spanrs.score([0, 0], [0, 0], vocabulary=["O"], lengths=[1.5, 0.5])


def test_a_failed_update_counts_nothing():
    scorer = spanrs.Scorer(scheme="BIO")
    with pytest.raises(SchemeError):
        scorer.update([[0, 1, 9]], [[0, 1, 1]], vocabulary=["O", "B-A"])
    with pytest.raises(AlignmentError):
        scorer.update([["B-A"], ["O", "O"]], [["B-A"], ["O"]])
    assert (scorer.result().tokens, scorer.result().sentences) == (0, 0)
    scorer.update([["B-A"]], [["B-A"]])
    assert scorer.result().totals == (1, 0, 0)


def test_a_scorer_does_not_wait_for_itself():
    scorer = spanrs.Scorer(scheme="BIO")

    def tags():
        scorer.result()
        yield "O"

    class Rows:
        def __iter__(self):
            return iter([list(tags())])

    for gold in ([tags()], Rows()):
        with pytest.raises(RuntimeError, match="in use"):
            scorer.update(gold, [["O"]])
    assert scorer.result().sentences == 0
    # A generator of sentences is consumed before anything is counted.
    scorer.update((list(tags()) for _ in range(2)), [["O"]] * 2)
    assert scorer.result().sentences == 2


def test_sentences_may_be_iterators_on_both_sides():
    assert spanrs.score([iter(["O", "O"])], [iter(["B-A", "E-A"])]).totals == (0, 1, 0)
    with pytest.raises(TypeError, match="set"):
        spanrs.score([{"O"}], [{"O"}])


def test_scorers_that_have_seen_nothing_merge_with_any():
    empty, filled = spanrs.Scorer(), spanrs.Scorer()
    empty.update([["O"]], [["O"]])
    filled.update([["S-A"]], [["S-A"]])
    filled.merge(empty)
    assert (filled.result().tokens, filled.result().settings["scheme"]) == (2, "IOBES")
    empty.merge(filled)
    empty.update([["B-A", "E-A"]], [["B-A", "E-A"]])
    result = empty.result()
    assert (result.totals, result.tokens, result.settings["scheme"]) == ((2, 0, 0), 5, "IOBES")
    assert (
        spanrs.score([["O"]], [["O"]]).merge(spanrs.score([["U-A"]], [["O"]])).settings["scheme"] == "BILOU"
    )


def test_merged_violations_number_sentences_through():
    first = spanrs.score([["O"], ["O"]], [["O"], ["O"]], scheme="BIO")
    second = spanrs.score([["O"]], [["I-A"]], scheme="BIO")
    assert first.merge(second).violations["pred"].first[0].sentence == 2


def test_a_type_named_o_is_a_type_like_any_other():
    result = spanrs.score([["B-O", "O"]], [["B-O", "B-O"]], scheme="BIO")
    assert result.confusion == {"O": {"O": 1}, None: {"O": 1}}
    assert result.confusion["O"][None] == result.confusion[None][None] == result.confusion["B"]["O"] == 0
    assert result.confusion == {"O": {"O": 1}, None: {"O": 1}}


def test_the_scheme_does_not_depend_on_the_sample_in_any_dialect():
    gold = [["B-A", "I-A"]] * 40_000 + [["S-A", "B-A", "E-A"]] * 100_000
    dialect = spanrs.tags.IOBES_DIALECT
    expected = spanrs.tags.detect_scheme(gold, dialect=dialect).scheme
    assert spanrs.score(gold, gold, dialect=dialect).settings["scheme"] == expected


def test_more_tags_than_the_fast_way_takes_may_come_at_any_time():
    scorer = spanrs.Scorer(scheme="BIO")
    for n in range(300):
        row = [f"B-{n}", f"I-{n}", "O", f"I-{n}"]
        scorer.update([row], [[*row[:3], "O"]])
    result = scorer.result()
    assert result.totals == (300, 0, 300)
    assert result.violations["gold"].count == 300


def test_lone_surrogates_are_refused_and_not_replaced():
    with pytest.raises(UnicodeEncodeError, match=r"surrogates not allowed \(pred, sentence 1, token 0\)"):
        spanrs.score([["O"], ["O"]], [["O"], ["B-\ud801"]])
    with pytest.raises(UnicodeEncodeError):
        spanrs.tags.convert(["B-\ud800"], "BIO", "IOBES")


def test_refusals_name_the_sentence():
    with pytest.raises(SchemeError, match="pred sentence 1, token 0") as caught:
        spanrs.score([["O"], ["O"]], [["O"], ["I-A"]], scheme="BIO", reading="refuse")
    assert (caught.value.sentence, caught.value.path) == (1, None)
    with pytest.raises(SchemeError, match="sentence 1: 1 violation"):
        spanrs.tags.tags_to_spans([["O"], ["I-A"]], "BIO", "refuse")
    with pytest.raises(SchemeError, match="sentence 1: "):
        spanrs.tags.convert([["O"], ["I-A"]], "BIO", "IOBES")


def test_file_objects_that_misbehave_are_refused():
    class TooMuch(io.BytesIO):
        def read(self, size=-1):
            return super().read(-1) * 100_000

    with pytest.raises(OSError, match="more than n"):
        spanrs.score(TooMuch(b"a O\n"), io.BytesIO(b"a O\n"), scheme="BIO")
    same = io.BytesIO(b"a O\n")
    with pytest.raises(TypeError, match="open the file twice"):
        spanrs.score(same, same)


def test_files_are_read_across_the_borders_of_chunks(tmp_path):
    rows = [(f"w{i % 977}", ("O", "B-A", "I-A")[i % 3 if i % 7 else 0]) for i in range(200_000)]
    for end in ("\n", "\r\n"):
        text = "".join(f"{w} {t}{end}" + (end if i % 13 == 0 else "") for i, (w, t) in enumerate(rows))
        pred = text.replace("w900 I-A", "w900 O")
        gold_path, pred_path = tmp_path / "g", tmp_path / "p"
        gold_path.write_bytes(b"\n" * 300_000 + text.encode())
        pred_path.write_bytes(pred.encode())
        got = spanrs.score(gold_path, pred_path, scheme="BIO")
        sides = [
            [[line.split(" ")[1] for line in block.split(end) if line] for block in side.split(end * 2)]
            for side in (text, pred)
        ]
        expected = spanrs.score(*sides, scheme="BIO")
        assert got.per_type.totals == expected.per_type.totals
        assert got.accuracy == expected.accuracy


def test_many_results_merge_at_once_or_one_after_the_other():
    parts = [spanrs.score([["I-A", "O"]], [["B-A", "I-A"]], scheme="BIO", by=[n + 1]) for n in (0, 0, 0)]
    looped = parts[0].merge(parts[1]).merge(parts[2])
    assert looped.to_dict() == parts[0].merge(*parts[1:]).to_dict()
    assert [place.sentence for place in looped.violations["gold"].first] == [0, 1, 2]
    assert [place.sentence for place in parts[2].violations["gold"].first] == [0]
    assert len(looped.documents) == 3


some_spans = st.lists(
    st.tuples(st.sampled_from("AB"), st.integers(0, 3), st.integers(1, 3)).map(
        lambda s: (s[0], s[1], s[1] + s[2])
    ),
    max_size=5,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(some_spans, some_spans), min_size=1, max_size=5))
def test_spans_are_scored_one_for_one_and_may_overlap(pairs):
    gold, pred = [g for g, _ in pairs], [p for _, p in pairs]
    names = [f"document {at}" for at in range(len(pairs))]
    result = spanrs.score(gold, pred, by=names)
    rows = []
    for g, p in pairs:
        pair = Counter(g) & Counter(p)
        rows.append((pair.total(), len(p) - pair.total(), len(g) - pair.total()))
    assert result.totals == tuple(map(sum, zip(*rows, strict=True)))
    assert [(row.name, row.totals, row.sentences, row.tokens) for row in result.documents] == [
        (name, row, 1, 0) for name, row in zip(names, rows, strict=True)
    ]
    assert (result.tokens, result.accuracy, result.sentences) == (0, 0, len(pairs))
    for name, score in result.per_type.items():
        assert score.support == sum(span[0] == name for side in gold for span in side)
        assert sum(result.confusion[name].values()) == score.support
    # Two criteria of other matchers are equivalent.
    assert (
        spanrs.score(gold, pred, matcher="fair")["traditional"].per_type.totals.keys()
        == result.per_type.keys()
    )
    strict = spanrs.score(gold, pred, matcher=spanrs.Partial(matching="optimal"))["strict"].outcomes
    assert strict["correct"] == result.totals.tp


@settings(max_examples=100, deadline=None)
@given(sentence_pairs)
@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_spans_count_as_the_tags_they_come_from(matcher, pairs):
    gold, pred = sides(pairs)
    expected = spanrs.score(gold, pred, scheme="IOBES", matcher=matcher)
    spans = [
        [[tuple(s)[:3] for s in row] for row in spanrs.tags.tags_to_spans(side, "IOBES")]
        for side in (gold, pred)
    ]
    result = spanrs.score(*spans, matcher=matcher)
    for name in expected.matcher.criteria:
        assert result[name].to_dict() == expected[name].to_dict()
    assert result.confusion == expected.confusion
    assert (result.sentences, result.tokens) == (len(gold), 0)


@pytest.mark.parametrize("matcher", ["exact", "partial", "fair"])
def test_documents_without_spans_have_no_measures(matcher):
    gold, pred = [["B-A"], ["O"], ["O"], ["B-A"]], [["B-A"], ["O"], ["B-A"], ["O"]]
    result = spanrs.score(gold, pred, scheme="BIO", matcher=matcher, by=list("abcd"))
    scores = [row.micro for row in result.documents]
    assert [score.f1 for score in scores] == pytest.approx([1.0, math.nan, 0.0, 0.0], nan_ok=True)
    assert math.isnan(scores[1].precision)
    assert math.isnan(scores[1].recall)
    assert scores[1].support == 0
    row = result.to_dict()["documents"][1]["micro"]
    assert row == {"precision": None, "recall": None, "f1": None, "support": 0}
    json.loads(result.to_json())
    shown = tables(result, documents=True)[-1].rows
    assert {"100.00"} <= set(shown[0])
    assert "-" in shown[1]
    assert "0.00" not in shown[1]
    empty = next(line for line in result.to_csv().splitlines() if line.startswith("b,"))
    assert empty.split(",")[3:6] == ["", "", ""]
